//! The commands as a person or a script uses them: the binary runs by itself on a store, or talks to the server that has
//! the store open.

mod accounts;
mod backups;
mod clock;
mod correct;
mod demo;
mod export;
mod floods;
mod import;
mod keys;
mod memory;
mod modes;
mod password;
mod readings;
mod salvage;
mod sensors;
mod serve;
mod settings;
mod systemd;
mod tls;
