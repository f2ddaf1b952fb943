//! Benchmarks of single parts: `cargo bench --profile dist`. `benches/peers/run` compares with other systems.
//!
//! The readings are the excerpt of a real house's history in tests/fixtures, or the whole file that `WATTKEEPER_BENCH_DATA`
//! names (docs/BENCHMARKS.md).

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a bench fails by panicking, and says what it measured"
)]

mod blocks;
mod changes;
mod downloads;
mod houses;
mod messages;
mod pages;
mod queries;
mod readings;
mod stores;

use std::time::Duration;

use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    blocks::run(&mut criterion);
    changes::run(&mut criterion);
    queries::run(&mut criterion);
    houses::run(&mut criterion);
    pages::run(&mut criterion);
    downloads::run(&mut criterion);
    messages::run(&mut criterion);
    criterion.final_summary();
}
