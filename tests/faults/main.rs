//! The proof by faults: whatever happens to the process, its disk or its files, a reading that was answered with 200 is
//! there afterwards, and nothing else is told in its place. docs/STORAGE.md says what is assumed of the medium.
//!
//! Each test does a short round of its faults. `FAULT_ROUNDS=20` does twenty times as many, `FAULT_SEED=7` the same ones
//! again: a failure names its seed.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails, and says what it did"
)]

mod chance;
mod changes;
mod copies;
mod damage;
mod descriptors;
mod holder;
mod kill;
mod kill_changes;
mod kill_copies;
mod load;
mod panic;
mod rate;
mod service;
mod truth;
mod wire;
mod with_cc;
