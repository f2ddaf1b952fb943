//! Stores checked readings, a chunk at a time.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::{Context as _, Result};

use crate::admin::{ImportHow, ReadingRow, Request};
use crate::cli::connection::StoreConnection;
use crate::cli::output::progress;
use crate::domain::Reading;
use crate::ingest::file::CheckedValues;

/// Stores the checked readings, or deletes them again; returns their number.
pub(super) fn store_values(
    store: &StoreConnection,
    sensor: &str,
    values: &CheckedValues,
    (is_undone, quiet): (bool, bool),
) -> Result<u64> {
    // As wide as the bar of the check before.
    let template = "storing  {wide_bar} {percent}% {eta}";
    let progress = progress(Some(values.summary.readings), template, quiet);
    let mut stored = 0;
    // The next part is read while the last one is stored.
    let (sender, parts) = sync_channel(1);
    thread::scope(|scope| {
        scope.spawn(move || send_parts(values, &sender));
        for part in parts {
            let (readings, is_start) = part.context("reading checked readings back")?;
            let count = u64::try_from(readings.len()).unwrap_or_default();
            let request = Request::Import {
                sensor: sensor.to_owned(),
                rows: readings.into_iter().map(ReadingRow::from).collect(),
                how: match (is_undone, is_start) {
                    (true, _) => ImportHow::Undo,
                    (false, true) => ImportHow::Starts,
                    (false, false) => ImportHow::Store,
                },
            };
            let done: u64 = store.ask(request).with_context(|| {
                format!("{stored} readings are done, the others are not; repeat the import")
            })?;
            stored += done;
            progress.inc(count);
        }
        Ok::<_, anyhow::Error>(())
    })?;
    progress.finish_and_clear();
    Ok(stored)
}

/// Sends the parts until nobody takes them, as after an error.
fn send_parts(values: &CheckedValues, sender: &SyncSender<Result<(Vec<Reading>, bool)>>) {
    match values.parts() {
        Ok(mut parts) => drop(parts.try_for_each(|part| sender.send(part))),
        Err(error) => drop(sender.send(Err(error))),
    }
}
