//! Faults that a library between the process and its files brings about: built by cc, loaded by `LD_PRELOAD`.

mod copies;
mod disk;
mod inject;
mod interval;
mod messages;
mod power;
mod preload;
mod scarcity;
