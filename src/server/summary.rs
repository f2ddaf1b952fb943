//! An hourly log line with the counts of uploads, because the uploads themselves are not logged.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::time::sleep;

use crate::ingest::{Ingest, Protocol, Received};

/// The time between two lines.
const EACH: Duration = Duration::from_hours(1);

/// The counts of uploads up to the last line.
pub(super) struct UploadSummary {
    ingest: Ingest,
    before: [Received; Protocol::ALL.len()],
}

impl UploadSummary {
    /// Begins with the uploads that `ingest` receives from now on.
    pub(super) fn new(ingest: Ingest) -> Self {
        let before = Protocol::ALL.map(|protocol| ingest.received(protocol));
        Self { ingest, before }
    }

    /// Logs a line each hour, and the last one when this is dropped.
    pub(super) async fn log_each_hour(mut self) {
        loop {
            sleep(EACH).await;
            self.log();
        }
    }

    fn log(&mut self) {
        let now = Protocol::ALL.map(|protocol| self.ingest.received(protocol));
        let before = std::mem::replace(&mut self.before, now);
        log::info!("uploads since the last summary: {}", text(before, now));
    }
}

impl Drop for UploadSummary {
    fn drop(&mut self) {
        self.log();
    }
}

fn text(before: [Received; Protocol::ALL.len()], now: [Received; Protocol::ALL.len()]) -> String {
    let mut text = String::new();
    for (protocol, (before, now)) in Protocol::ALL.iter().zip(before.iter().zip(now)) {
        let (uploads, refused) = (now.uploads - before.uploads, now.unused - before.unused);
        if uploads + refused == 0 {
            continue;
        }
        let separator = if text.is_empty() { "" } else { "; " };
        let readings = now.readings - before.readings;
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{separator}{} {uploads} with {readings} readings, {refused} refused",
            protocol.name()
        );
    }
    if text.is_empty() { "none".into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_of_what_came_since_the_last_one() {
        let received = |uploads, readings, unused| Received {
            uploads,
            readings,
            bytes: 0,
            unused,
        };
        let none = received(0, 0, 0);
        let before = [received(1, 2, 3), none, none, none, none, none];
        let now = [received(3, 9, 3), none, received(0, 0, 4), none, none, none];
        assert_eq!(
            text(before, now),
            "elec 2 with 7 readings, 0 refused; influx 0 with 0 readings, 4 refused"
        );
        assert_eq!(text(now, now), "none");
    }
}
