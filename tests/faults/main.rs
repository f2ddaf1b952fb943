//! Fault tests: after any fault of the process, its disk or its files, every reading that was
//! answered with 200 is there, and no wrong one. docs/STORAGE.md states the assumptions about the
//! medium.
//!
//! Each test does a short round of its faults. `FAULT_ROUNDS=20` does twenty times as many;
//! `FAULT_SEED=7` repeats a run: a failure prints its seed.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails with a message"
)]

mod chance;
mod changes;
mod copies;
mod damage;
mod descriptors;
mod full_disk;
mod holder;
mod kill;
mod kill_changes;
mod kill_copies;
mod load;
mod rate;
mod service;
#[path = "../stops/mod.rs"]
mod stops;
mod truth;
mod wire;
mod with_cc;
