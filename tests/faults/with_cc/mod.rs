//! Faults injected by a library between the process and its files, built by cc and loaded by
//! `LD_PRELOAD`.

mod compaction;
mod copies;
mod cost;
mod disk;
mod full;
mod inject;
mod interval;
mod landing;
mod messages;
mod power;
mod preload;
mod scarcity;
