//! The commands as a person or a script uses them: the binary runs by itself on a store, or talks to the server that has
//! the store open.

mod accounts;
mod addon;
mod backups;
mod clients;
mod clock;
mod contract;
mod correct;
mod cost;
mod days;
mod demo;
mod energy;
mod events;
mod export;
mod floods;
mod formats;
mod image;
mod import;
mod interval;
mod keys;
mod machines;
pub(crate) mod memory;
mod modes;
mod moving;
mod notices;
pub(crate) mod password;
mod people;
mod prices;
mod read_backup;
mod readings;
pub(crate) mod salvage;
mod sensors;
mod serve;
mod settings;
mod systemd;
mod tls;
mod tutorial;
