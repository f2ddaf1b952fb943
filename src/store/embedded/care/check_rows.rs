//! Checks the hot rows, and the log, which contains them and the activities.

use std::sync::atomic::Ordering;

use crate::domain::{SensorId, TimeRange};
use crate::locks::read;
use crate::store::backend::Findings;
use crate::store::blocks::Finder;
use crate::store::embedded::facts::Deletions;
use crate::store::embedded::log::{LiveRows, LogItem, load};
use crate::store::embedded::rows::{HotSensors, SettledRows};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

impl Shared {
    /// Checks that the hot rows in the log equal those in memory, and belong to known sensors. Rows
    /// over a sealed reading are not counted again.
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

    /// Checks that a start would load the same rows as readers see, and only of known sensors.
    fn check_hot_log(&self, findings: &mut Findings) -> Result<(), StoreError> {
        // Settled rows change with the log, under this guard.
        let _unswapped = read(&self.swap);
        let (dir, mark) = (&self.dir, self.sealed.mark);
        let applied = self.log_applied.load(Ordering::Acquire);
        let log = load::load_up_to(dir, mark, applied)?;
        let deletions = self.facts.read(Deletions::of);
        let (mut live, mut logged) = (LiveRows::default(), HotSensors::default());
        // Damage is reported by the check of the index.
        log.read(dir, mark, |head, item| {
            if let LogItem::Rows(mut group) = item {
                deletions.left(&group.sensor, head.position, group.rows.to_mut());
                live.load(&group, head.position, &mut logged);
            }
            Ok(())
        })?;
        logged.load_activities();
        for (sensor, _) in logged.activities() {
            if !self.has_record(sensor) && logged.settled(sensor).is_none_or(SettledRows::is_empty)
            {
                let what = "activity of a sensor that is not registered";
                findings.add_of(sensor, None, what);
            }
        }
        let mut sensors = self.hot.held().with_rows();
        sensors.extend(logged.with_rows());
        for sensor in &sensors {
            self.check_rows_of(sensor, logged.settled(sensor), findings);
        }
        Ok(())
    }

    /// Checks that the rows of a sensor in the log are the settled ones in memory. Uploads wait
    /// meanwhile, so this takes one sensor at a time.
    fn check_rows_of(
        &self,
        sensor: &SensorId,
        logged: Option<&SettledRows>,
        findings: &mut Findings,
    ) {
        if let Some(span) = logged.and_then(SettledRows::span)
            && !self.has_record(sensor)
        {
            let what = "hot rows of a sensor that is not registered";
            return findings.add_of(sensor, Some(span), what);
        }
        let held = self.hot.held();
        let held = held.settled(sensor);
        let row_at = |rows: Option<&SettledRows>, time| rows.and_then(|rows| rows.at(time));
        for row in logged.into_iter().flat_map(SettledRows::iter) {
            if row_at(held, row.time) != Some(row.measures) {
                let what = "a hot row in the log differs from memory";
                findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
            }
        }
        for row in held.into_iter().flat_map(SettledRows::iter) {
            if row_at(logged, row.time).is_none() {
                let what = "a hot row is missing in the log";
                findings.add_of(sensor, Some(TimeRange::at(row.time)), what);
            }
        }
    }
}
