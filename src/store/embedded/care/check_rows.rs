//! Checking the hot rows, and the log that has them and the activities.

use crate::domain::TimeRange;
use crate::store::blocks::Finder;
use crate::store::embedded::rows::HotLog;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::home::Findings;
use crate::store::records::RecordKind;
use crate::store::records::locks::read;
use crate::store::rows::sensor_rows::{at_time, without};

impl Shared {
    /// The hot rows in the database are those in memory, and belong to known sensors. Rows over a sealed reading are not counted
    /// again.
    pub(super) fn check_hot_rows(&self, findings: &mut Findings) -> Result<(), StoreError> {
        self.check_hot_log(findings)?;
        let hot = &self.trees.hot;
        let sensors = hot.held().with_rows();
        for sensor in sensors {
            let mut finder = Finder::default();
            let rows = hot.held().range(&sensor, TimeRange::ALL);
            for row in rows {
                // An unreadable block is reported elsewhere, and none of its readings is counted.
                let found = finder.at(&self.trees.sealed.of(&sensor), row.time);
                let is_sealed = found.unwrap_or_default().is_some();
                findings.readings += u64::from(!is_sealed);
            }
        }
        Ok(())
    }

    /// What a start would read is what readers see, less rows that are sealed, and only of known sensors.
    fn check_hot_log(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let trees = &self.trees;
        // Settled rows change with the log, under this guard.
        let _unswapped = read(&self.swap);
        let chunks = trees.hot.held().logged_chunks();
        let (_, logged) = match HotLog::load(&trees.hot.files, &chunks) {
            Err(StoreError::Damaged(why)) => {
                findings.add(why);
                return Ok(());
            }
            loaded => loaded?,
        };
        for (sensor, _) in logged.activities() {
            let has_record = trees
                .records
                .of(RecordKind::Sensors)
                .contains_key(sensor.as_str())?;
            if !has_record && logged.settled(sensor).is_empty() {
                let what = "activity of a sensor that is not registered";
                findings.add_of(sensor, None, what);
            }
        }
        let settled = trees.hot.held().all_settled();
        for (sensor, rows) in logged.all_settled().iter() {
            let range = rows.first().zip(rows.last());
            let range = range.and_then(|(first, last)| TimeRange::new(first.time, last.time));
            if !trees
                .records
                .of(RecordKind::Sensors)
                .contains_key(sensor.as_str())?
            {
                let what = "hot rows of a sensor that is not registered";
                findings.add_of(sensor, range, what);
                continue;
            }
            let mut finder = Finder::default();
            for row in rows {
                let is_known = match at_time(settled.of(sensor), row.time) {
                    Some(measures) => measures == row.measures,
                    // A block that cannot be read is reported elsewhere.
                    None => finder.has(&trees.sealed.of(sensor), row).unwrap_or(true),
                };
                if !is_known {
                    let what = "a hot row in the database is no longer that in memory";
                    findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
                }
            }
        }
        for (sensor, rows) in settled.iter() {
            let lost = without(rows, logged.settled(sensor));
            for row in lost {
                let what = "a hot row is missing in the database";
                findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
            }
        }
        Ok(())
    }
}
