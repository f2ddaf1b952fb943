//! Checking the hot rows, and the log that has them and the activities.

use std::sync::atomic::Ordering;

use crate::domain::TimeRange;
use crate::store::blocks::Finder;
use crate::store::embedded::facts::Deletions;
use crate::store::embedded::log::{LiveRows, LogItem, load};
use crate::store::embedded::rows::HotSensors;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::home::Findings;
use crate::store::records::locks::read;
use crate::store::rows::Rows;
use crate::store::rows::sensor_rows::{at_time, without};

impl Shared {
    /// The hot rows in the log are those in memory, and belong to known sensors. Rows over a sealed reading are not counted
    /// again.
    pub(super) fn check_hot_rows(&self, findings: &mut Findings) -> Result<(), StoreError> {
        self.check_hot_log(findings)?;
        let hot = &self.hot;
        let sensors = hot.held().with_rows();
        for sensor in sensors {
            let mut finder = Finder::default();
            let rows = hot.held().range(&sensor, TimeRange::ALL);
            for row in rows {
                // An unreadable block is reported elsewhere, and none of its readings is counted.
                let found = finder.at(&self.sealed.of(&sensor), row.time);
                let is_sealed = found.unwrap_or_default().is_some();
                findings.readings += u64::from(!is_sealed);
            }
        }
        Ok(())
    }

    /// What a start would read is what readers see, less rows that are sealed, and only of known sensors.
    fn check_hot_log(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // Settled rows change with the log, under this guard.
        let _unswapped = read(&self.swap);
        let (dir, mark) = (&self.dir, self.sealed.mark);
        let applied = self.log_applied.load(Ordering::Acquire);
        let log = load::load_up_to(dir, mark, applied)?;
        let deletions = self.facts.read(Deletions::of);
        let (mut live, mut logged, mut rows) =
            (LiveRows::default(), HotSensors::default(), Rows::default());
        // What is damaged is reported with the index.
        log.read(dir, mark, |head, item| {
            if let LogItem::Rows(mut group) = item {
                deletions.left(&group.sensor, head.position, group.rows.to_mut());
                live.load(group, head.position, &mut logged, &mut rows);
            }
            Ok(())
        })?;
        logged.load(rows);
        for (sensor, _) in logged.activities() {
            let has_record = self.has_record(sensor);
            if !has_record && logged.settled(sensor).is_empty() {
                let what = "activity of a sensor that is not registered";
                findings.add_of(sensor, None, what);
            }
        }
        let settled = self.hot.held().all_settled();
        for (sensor, rows) in logged.all_settled().iter() {
            let range = rows.first().zip(rows.last());
            let range = range.and_then(|(first, last)| TimeRange::new(first.time, last.time));
            if !self.has_record(sensor) {
                let what = "hot rows of a sensor that is not registered";
                findings.add_of(sensor, range, what);
                continue;
            }
            let mut finder = Finder::default();
            for row in rows {
                let is_known = match at_time(settled.of(sensor), row.time) {
                    Some(measures) => measures == row.measures,
                    // A block that cannot be read is reported elsewhere.
                    None => finder.has(&self.sealed.of(sensor), row).unwrap_or(true),
                };
                if !is_known {
                    let what = "a hot row in the log is no longer that in memory";
                    findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
                }
            }
        }
        for (sensor, rows) in settled.iter() {
            let lost = without(rows, logged.settled(sensor));
            for row in lost {
                let what = "a hot row is missing in the log";
                findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
            }
        }
        Ok(())
    }
}
