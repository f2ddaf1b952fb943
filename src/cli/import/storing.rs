//! Stores checked readings, a chunk at a time.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

use super::spool::SpooledReadings;
use crate::admin::{ReadingRange, ReadingRow, Request};
use crate::cli::connection::StoreConnection;
use crate::cli::output::progress;
use crate::domain::{Register, Timestamp};
use crate::store::Store;

// At most `Store::IMPORT_CHUNK`, to which `admin` cuts a page: a shorter page is taken for the last
// one.
/// The number of stored readings fetched at once.
const PAGE: u32 = 16_384;

/// Stores the checked readings; returns their number.
pub(super) fn store_readings(
    store: &StoreConnection,
    sensor: &str,
    mut spooled: SpooledReadings,
    quiet: bool,
) -> Result<u64> {
    // As wide as the bar of the check before.
    let template = "storing  {wide_bar} {percent}% {eta}";
    let progress = progress(Some(spooled.len()), template, quiet);
    let mut stored = 0;
    while spooled.len() > 0 {
        let readings = spooled
            .next_chunk(Store::IMPORT_CHUNK)
            .context("reading checked readings back")?;
        let request = Request::Import {
            sensor: sensor.to_owned(),
            readings,
        };
        let count: u64 = store.ask(request).with_context(|| {
            format!("{stored} readings are stored, the others are not; repeat the import")
        })?;
        stored += count;
        progress.inc(count);
    }
    progress.finish_and_clear();
    Ok(stored)
}

/// Stores a register of zero at each of `starts`, which are in order, except where there is a
/// register already, which is then the end of an interval. Returns their number.
pub(super) fn store_starts(
    store: &StoreConnection,
    sensor: &str,
    starts: &[Timestamp],
) -> Result<u64> {
    let mut stored = 0;
    for starts in starts.chunks(Store::IMPORT_CHUNK) {
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
            continue;
        };
        let mut range = ReadingRange {
            sensor: sensor.to_owned(),
            start_ms: first.millis(),
            end_ms: last.millis(),
        };
        let mut missing: BTreeSet<i64> = starts.iter().map(|start| start.millis()).collect();
        loop {
            let rows: Vec<ReadingRow> = store.ask(Request::ReadPage {
                range: range.clone(),
                limit: PAGE,
            })?;
            for row in rows.iter().filter(|row| row.watthours.is_some()) {
                missing.remove(&row.time_ms);
            }
            match rows.last() {
                Some(row) if rows.len() >= PAGE as usize && row.time_ms < range.end_ms => {
                    range.start_ms = row.time_ms + 1;
                }
                _ => break,
            }
        }
        let zero = |time_ms| ReadingRow {
            time_ms,
            watts: None,
            watthours: Some(Register::BEGINS),
        };
        let request = Request::Import {
            sensor: sensor.to_owned(),
            readings: missing.into_iter().map(zero).collect(),
        };
        let count: u64 = store
            .ask(request)
            .context("the intervals are stored, but not all of their starts; repeat the import")?;
        stored += count;
    }
    Ok(stored)
}
