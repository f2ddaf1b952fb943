//! The commands as a person or a script meets them: the binary is run, alone on a store and through a
//! server that has it.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod accounts;
mod backups;
mod clock;
mod demo;
mod export;
mod import;
mod keys;
mod memory;
mod password;
mod place;
mod readings;
mod salvage;
mod sensors;
mod serve;
mod settings;
mod systemd;
mod tls;
