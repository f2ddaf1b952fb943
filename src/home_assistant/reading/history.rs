//! All of history, from statistics: by month and oldest first, hours until ten days ago, and then five
//! minutes. A sensor that has readings goes on after the newest one.
//!
//! Statistics may appear after new states, as of a recorder that was at work when both began. So of a
//! sensor whose first reading is some days old, what came before it is read, too.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use super::base::HomeBase;
use super::progress::ReadStage;
use super::registers::StatisticReader;
use super::series::ReadSeries;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{EntityId, Reading, Timestamp};
use crate::home_assistant::asking::{AskedLink, PassEnd};
use crate::home_assistant::proposal::OLDEST_MS;
use crate::home_assistant::values::{StatisticRow, StatisticValues, ValuePeriod};
use crate::query::first_counted;

/// Home Assistant keeps five minutes for ten days, and the first of them may be gone.
const FINE_MS: i64 = 9 * MS_PER_DAY;
const FIVE_MINUTES_MS: i64 = 5 * 60_000;
/// A shorter absence is filled from states.
const RECENT_MS: i64 = MS_PER_DAY;
/// The first reading of a sensor is so young that statistics from before may have appeared since.
const YOUNG_MS: i64 = 10 * MS_PER_DAY;
/// The range of one question.
const MONTH_MS: i64 = 31 * MS_PER_DAY;
/// The rows before the newest reading that are asked for again, for the sum before it.
const CONTEXT_MS: i64 = 3 * MS_PER_HOUR;

const QUESTION: &str = "statistics_during_period";

/// A pass over the history of one Home Assistant.
pub(super) struct HistoryReader<'a> {
    base: &'a HomeBase,
    link: &'a AskedLink<'a>,
    now: Timestamp,
}

/// A series, and where it is to go on.
struct Progressing {
    series: ReadSeries,
    newest: Option<Timestamp>,
    /// The begin of the first question.
    from: Timestamp,
    /// Readings before this time are wanted.
    until: Timestamp,
}

impl<'a> HistoryReader<'a> {
    pub(super) const fn of(base: &'a HomeBase, link: &'a AskedLink<'a>, now: Timestamp) -> Self {
        Self { base, link, now }
    }

    /// Reads what is missing.
    pub(super) fn run(&self) -> Result<(), PassEnd> {
        self.read_all(self.missing()?)
    }

    /// Reads what appeared since new states began, between them.
    pub(super) fn run_earlier(&self) -> Result<(), PassEnd> {
        let mut all = self.missing()?;
        all.retain(|it| it.newest.is_none());
        self.read_all(all)?;
        self.base.home.begin(ReadStage::Live);
        Ok(())
    }

    fn read_all(&self, mut all: Vec<Progressing>) -> Result<(), PassEnd> {
        if all.is_empty() {
            return Ok(());
        }
        self.base.home.begin(ReadStage::History);
        // Those that begin together share questions.
        all.sort_by_key(|it| it.from);
        let months = |it: &Progressing| {
            let length = self.now.millis().saturating_sub(it.from.millis());
            u64::try_from(length / MONTH_MS).unwrap_or(0) + 1
        };
        let total = all.iter().map(months).sum();
        self.base.home.with_last(|last| last.months = (0, total));
        for some in all.chunks(StatisticValues::MOST_IDS) {
            self.read(some)?;
        }
        self.base
            .home
            .with_last(|last| last.months = (total, total));
        Ok(())
    }

    /// The series whose newest reading is so old that statistics have more.
    fn missing(&self) -> Result<Vec<Progressing>, PassEnd> {
        let settings = self.base.home.settings();
        let registry = self.base.store.registry();
        let recent = self.now.saturating_add_millis(-RECENT_MS);
        let (mut going_on, mut new) = (Vec::new(), Vec::new());
        for series in settings.sensors.iter().filter_map(ReadSeries::with_history) {
            if !series.is_open(&registry, &settings.account) {
                continue;
            }
            match series.newest(&self.base.store, self.now)? {
                Some(newest) if newest >= recent => {
                    new.extend(self.first_if_young(&series)?.map(|first| (series, first)));
                }
                Some(newest) => going_on.push(Progressing {
                    from: newest.saturating_add_millis(-CONTEXT_MS),
                    newest: Some(newest),
                    until: Timestamp::MAX,
                    series,
                }),
                None => new.push((series, Timestamp::MAX)),
            }
        }
        for some in new.chunks(StatisticValues::MOST_IDS) {
            let firsts = self.firsts(some)?;
            going_on.extend(some.iter().filter_map(|(series, until)| {
                let from = *firsts.get(&series.entity)?;
                let series = series.clone();
                (from < *until).then_some(Progressing {
                    series,
                    newest: None,
                    from,
                    until: *until,
                })
            }));
        }
        Ok(going_on)
    }

    /// The time of a sensor's first reading, if that is some days old.
    fn first_if_young(&self, series: &ReadSeries) -> Result<Option<Timestamp>, PassEnd> {
        let young = self.now.saturating_add_millis(-YOUNG_MS);
        let first = first_counted(&self.base.store, &series.sensor)?;
        Ok(first.filter(|first| *first >= young))
    }

    /// The first month of each, which begins by the clock there.
    fn firsts(
        &self,
        some: &[(ReadSeries, Timestamp)],
    ) -> Result<BTreeMap<EntityId, Timestamp>, PassEnd> {
        let ids: Vec<EntityId> = some.iter().map(|(it, _)| it.entity.clone()).collect();
        let years = self.now.saturating_add_millis(-OLDEST_MS)..self.now;
        let rows = self.ask(&ids, &years, ValuePeriod::Month)?;
        let firsts = rows.into_iter();
        let firsts = firsts.filter_map(|(id, rows)| Some((id, rows.first()?.start)));
        // A month may begin a day earlier there than here.
        let early = |start: Timestamp| start.saturating_add_millis(-MS_PER_DAY).max(years.start);
        Ok(firsts.map(|(id, start)| (id, early(start))).collect())
    }

    /// Reads some series until now, month by month.
    fn read(&self, some: &[Progressing]) -> Result<(), PassEnd> {
        let mut readers: Vec<StatisticReader<'_>> = some
            .iter()
            .map(|it| StatisticReader::new(&it.series, it.newest))
            .collect();
        let now_hour = self.now.millis().div_euclid(MS_PER_HOUR) * MS_PER_HOUR;
        let fine_from = Timestamp::from_millis(now_hour.saturating_sub(FINE_MS));
        let fine_from = fine_from.unwrap_or(self.now);
        let first = some.iter().map(|it| it.from).min().unwrap_or(self.now);
        // From a full hour on, as its rows begin.
        let first = first.millis().div_euclid(MS_PER_HOUR) * MS_PER_HOUR;
        let mut from = Timestamp::from_millis(first).unwrap_or(self.now);
        let last = some.iter().map(|it| it.until).max().unwrap_or(self.now);
        while from < self.now && from < last {
            let is_fine = from >= fine_from;
            let end = if is_fine {
                self.now
            } else {
                from.saturating_add_millis(MONTH_MS).min(fine_from)
            };
            let range = from..end;
            // Those that begin later, or ended, have nothing here.
            let places = some.iter().enumerate();
            let places = places.filter(|(_, it)| it.from < end && from < it.until);
            let places: Vec<usize> = places.map(|(place, _)| place).collect();
            let ids = places.iter().filter_map(|place| some.get(*place));
            let ids: Vec<EntityId> = ids.map(|it| it.series.entity.clone()).collect();
            let hours = self.ask(&ids, &range, ValuePeriod::Hour)?;
            let fine = if is_fine {
                self.ask(&ids, &range, ValuePeriod::FiveMinutes)?
            } else {
                BTreeMap::new()
            };
            let began = Instant::now();
            for place in &places {
                let (Some(one), Some(reader)) = (some.get(*place), readers.get_mut(*place)) else {
                    continue;
                };
                let of = |rows: &BTreeMap<EntityId, Vec<StatisticRow>>| {
                    rows.get(&one.series.entity).cloned().unwrap_or_default()
                };
                let mut readings = joined(reader, &of(&hours), &of(&fine), self.now);
                readings.retain(|reading| reading.time < one.until);
                self.store(&one.series, readings)?;
            }
            let done = places.len() as u64;
            self.base.home.with_last(|last| {
                let (read, total) = last.months;
                last.months = ((read + done).min(total), total);
            });
            // At most half of a processor.
            self.link.pause(began.elapsed())?;
            from = end;
        }
        Ok(())
    }

    fn ask(
        &self,
        ids: &[EntityId],
        range: &Range<Timestamp>,
        period: ValuePeriod,
    ) -> Result<BTreeMap<EntityId, Vec<StatisticRow>>, PassEnd> {
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let question = StatisticValues::ask(ids, range, period);
        let answer = self.link.ask(question, QUESTION)?;
        Ok(StatisticValues::read(answer.as_str(), ids)?
            .into_iter()
            .collect())
    }

    fn store(&self, series: &ReadSeries, readings: Vec<Reading>) -> Result<(), PassEnd> {
        if readings.is_empty() {
            return Ok(());
        }
        let count = self.base.store.import_durably(&series.sensor, readings)?;
        self.base.home.count_readings(count);
        Ok(())
    }
}

/// The readings of hours, and from the first five minutes on of these instead.
fn joined(
    reader: &mut StatisticReader<'_>,
    hours: &[StatisticRow],
    fine: &[StatisticRow],
    now: Timestamp,
) -> Vec<Reading> {
    let fine_from = fine.first().map(|row| row.start);
    let hours = hours.iter().filter(|row| {
        let end = row.start.saturating_add_millis(MS_PER_HOUR);
        fine_from.is_none_or(|from| end <= from)
    });
    let hours = hours.map(|row| (row, MS_PER_HOUR));
    let fine = fine.iter().map(|row| (row, FIVE_MINUTES_MS));
    let mut readings = Vec::new();
    for (row, length_ms) in hours.chain(fine) {
        readings.extend(reader.read(*row, length_ms));
    }
    // A clock that runs ahead there must not make what comes later look old.
    readings.retain(|reading| reading.time <= now);
    readings
}
