//! States that came while nothing was connected: the history of Home Assistant has them.
//!
//! Its recorder writes states some seconds after they came: five, unless somebody changed that. So the
//! newest part is asked for again a while later. After a restart there, an entity may come minutes later;
//! its states are asked for then.

use std::ops::Range;

use super::base::HomeBase;
use super::series::ReadSeries;
use super::states::states_of;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{EntityId, Timestamp};
use crate::home_assistant::asking::{AskedLink, PassEnd};
use crate::home_assistant::message::ask_states;
use crate::ingest::table::SeriesUnit;

/// States are written after this time at the latest.
const WRITTEN_AFTER_MS: i64 = 60_000;
/// Older ones are left to statistics.
const OLDEST_MS: i64 = 2 * MS_PER_DAY;
/// The entities whose states are asked for at once, and the range: power may change each second.
const MOST_ENTITIES: usize = 4;
const RANGE_MS: i64 = MS_PER_HOUR;

/// The missing ranges of each series.
pub(super) struct MissedStates(Vec<MissedRange>);

/// The states of a series that are to be asked for.
struct MissedRange {
    series: ReadSeries,
    /// States after this time.
    after: Timestamp,
    /// They are asked for from this time on.
    due: Timestamp,
    /// The end of those, after they were asked for once.
    known_end: Option<Timestamp>,
}

impl MissedStates {
    /// What came since the newest reading of each, and what may not have been written when that was
    /// stored. Blocks.
    pub(super) fn since_newest(
        base: &HomeBase,
        all: impl Iterator<Item = ReadSeries>,
    ) -> Result<Self, PassEnd> {
        let now = (base.clock)().time;
        let registry = base.store.registry();
        let mut missed = Vec::new();
        for series in all {
            if !series.is_open(&registry, &base.home.settings().account) {
                base.note(&format!(
                    "the sensor {:?} does not exist or is not authorized; add it, or leave it out",
                    series.sensor.as_str()
                ));
                continue;
            }
            let oldest = now.saturating_add_millis(-OLDEST_MS);
            let newest = series.newest(&base.store, now)?;
            // The second question after the last connection may have failed.
            let known = newest.map(|it| it.saturating_add_millis(-2 * WRITTEN_AFTER_MS));
            missed.push(MissedRange {
                after: known.map_or(oldest, |known| known.max(oldest)),
                series,
                due: now,
                known_end: None,
            });
        }
        Ok(Self(missed))
    }

    /// Whether something is to be asked for now. `unit` has the units of entities that are there.
    pub(super) fn is_due(
        &self,
        now: Timestamp,
        unit: impl Fn(&EntityId) -> Option<SeriesUnit>,
    ) -> bool {
        let is_due = |it: &MissedRange| it.due <= now && unit(&it.series.entity).is_some();
        self.0.iter().any(is_due)
    }

    /// Asks for the ranges that are due, and stores the answers.
    pub(super) fn fill(
        &mut self,
        base: &HomeBase,
        link: &AskedLink<'_>,
        unit: impl Fn(&EntityId) -> Option<SeriesUnit>,
    ) -> Result<(), PassEnd> {
        let now = (base.clock)().time;
        let mut due = Vec::new();
        let all = std::mem::take(&mut self.0);
        for one in all {
            match unit(&one.series.entity) {
                Some(unit) if one.due <= now => due.push((one, unit)),
                _ => self.0.push(one),
            }
        }
        for some in due.chunks(MOST_ENTITIES) {
            let froms = some.iter().map(|(one, _)| one.after);
            let mut from = froms.min().unwrap_or(now);
            let ends = some.iter().map(|(one, _)| one.known_end.unwrap_or(now));
            let until = ends.max().unwrap_or(now);
            while from < until {
                let end = from.saturating_add_millis(RANGE_MS).min(until);
                Self::ask(base, link, some, &(from..end))?;
                from = end;
            }
        }
        let again = due.into_iter().filter(|(one, _)| one.known_end.is_none());
        self.0.extend(again.map(|(one, _)| MissedRange {
            after: now.saturating_add_millis(-WRITTEN_AFTER_MS),
            due: now.saturating_add_millis(WRITTEN_AFTER_MS),
            known_end: Some(now),
            ..one
        }));
        Ok(())
    }

    fn ask(
        base: &HomeBase,
        link: &AskedLink<'_>,
        some: &[(MissedRange, SeriesUnit)],
        range: &Range<Timestamp>,
    ) -> Result<(), PassEnd> {
        let ids: Vec<&EntityId> = some.iter().map(|(one, _)| &one.series.entity).collect();
        let answer = link.ask(ask_states(&ids, range), "history_during_period")?;
        for (MissedRange { series, after, .. }, unit) in some {
            let states = states_of(answer.as_str(), &series.entity)?.into_iter();
            // One at the end is in the next answer, or comes as an event.
            let new = states.filter(|(time, _)| time > after && *time <= range.end);
            let readings =
                new.filter_map(|(time, value)| series.reading(time, unit.convert(value)?));
            let readings: Vec<_> = readings.collect();
            if !readings.is_empty() {
                let count = base.store.import_durably(&series.sensor, readings)?;
                base.home.count_readings(count);
            }
        }
        Ok(())
    }
}
