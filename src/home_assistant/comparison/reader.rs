//! Compares: asks a Home Assistant for the hours of some statistics, month by month, and the ledger for
//! the same. Holds some months of hours of a few sensors.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{CountedMonth, HomeComparison};
use super::counts::{AROUND_MS, CountedRow, MeasuredHours, MonthCounts, rounded};
use super::question::CountQuestion;
use super::reason::ROUNDING_WH;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{EntityId, Interval, SensorId, Timestamp, Zone};
use crate::home_assistant::error::HomeAssistantError;
use crate::home_assistant::identity::identity;
use crate::home_assistant::link::HomeAssistantLink;
use crate::home_assistant::proposal::OLDEST_MS;
use crate::home_assistant::settings::LinkSettings;
use crate::home_assistant::values::{StatisticRow, StatisticValues, ValuePeriod};
use crate::house::{FlowSlot, HouseSensors};
use crate::ledger::house::MeasuredSlot;
use crate::store::{Store, StoreError};

/// All of it may take so long, and the last answer half a minute more: commands wait for five minutes.
const WITHIN: Duration = Duration::from_mins(4);
/// Before the first month, so that the first row of a statistic differs from one that goes on.
const BEFORE_MS: i64 = 33 * MS_PER_DAY;
const LONGEST_MONTH_MS: i64 = 31 * MS_PER_DAY;
/// A statistic without newer rows may still get them.
const STOPPED_AFTER_MS: i64 = MS_PER_DAY;
/// The most events of a month that are looked at.
const MOST_EVENTS: usize = 1_000;

/// The comparisons of a service: one at a time.
#[derive(Debug, Default)]
pub struct HomeComparisons(Mutex<()>);

/// A connection, until all of it has taken too long.
struct CountReader<'a> {
    store: &'a Store,
    link: HomeAssistantLink,
    question: &'a CountQuestion,
    now: Timestamp,
    begun: Instant,
}

/// A statistic, and how far it was compared.
struct CountedStatistic {
    sensor: SensorId,
    entity: EntityId,
    /// The begins of the first and the last month there.
    known: Option<(Timestamp, Timestamp)>,
    /// The last row before the rows that are asked for next.
    before: Option<CountedRow>,
    house: HouseSensors,
    /// The energy of each month by the ledger.
    measured: BTreeMap<Timestamp, f64>,
}

impl HomeComparisons {
    /// Compares. Blocks, for minutes if there is much.
    ///
    /// # Errors
    /// The reason why it does not answer; [`HomeAssistantError::Busy`] during another comparison.
    pub fn compare(
        &self,
        store: &Store,
        settings: &LinkSettings,
        question: &CountQuestion,
        now: Timestamp,
    ) -> Result<HomeComparison, HomeAssistantError> {
        let _turn = match self.0.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(HomeAssistantError::Busy),
        };
        let mut link = HomeAssistantLink::open(settings, &settings.token()?)?;
        let identity = identity(&mut link)?;
        let mut reader = CountReader {
            store,
            link,
            question,
            now,
            begun: Instant::now(),
        };
        let house =
            HouseSensors::of(store, &question.account.name, now).map_err(|error| stored(&error))?;
        let mut months = Vec::new();
        for some in question.sensors.chunks(StatisticValues::MOST_IDS) {
            months.extend(reader.compare(some, &house)?);
        }
        Ok(HomeComparison {
            account: question.account.name.clone(),
            identity,
            months,
        })
    }
}

impl CountReader<'_> {
    /// Compares some sensors.
    fn compare(
        &mut self,
        some: &[(SensorId, EntityId)],
        house: &HouseSensors,
    ) -> Result<Vec<CountedMonth>, HomeAssistantError> {
        let question = self.question;
        let mut all = self.statistics(some, house)?;
        let ids: Vec<EntityId> = all.iter().map(|it| it.entity.clone()).collect();
        let mut compared: Vec<Vec<CountedMonth>> = all.iter().map(|_| Vec::new()).collect();
        let mut around = BEFORE_MS;
        for month in &question.months {
            let asked = month.1.start.saturating_add_millis(-around)
                ..month.1.end.saturating_add_millis(AROUND_MS).min(self.now);
            let mut found = self.ask(&ids, &asked, ValuePeriod::Hour)?;
            let begun = Instant::now();
            for (it, compared) in all.iter_mut().zip(&mut compared) {
                let rows = found.remove(&it.entity).unwrap_or_default();
                compared.push(self.month(it, month, &rows)?);
            }
            around = AROUND_MS;
            self.rest(begun);
        }
        Ok(compared.into_iter().flatten().collect())
    }

    /// The statistics of some sensors, and the months of the ledger.
    fn statistics(
        &mut self,
        some: &[(SensorId, EntityId)],
        house: &HouseSensors,
    ) -> Result<Vec<CountedStatistic>, HomeAssistantError> {
        let ids: Vec<EntityId> = some.iter().map(|(_, entity)| entity.clone()).collect();
        let years = self.now.saturating_add_millis(-OLDEST_MS)..self.now;
        let found = self.ask(&ids, &years, ValuePeriod::Month)?;
        let begun = Instant::now();
        let first = self.question.months.first();
        let first = first.map_or(self.now, |(_, hours)| hours.start);
        let first_asked = first.saturating_add_millis(-BEFORE_MS);
        let mut all = Vec::new();
        for (sensor, entity) in some {
            let months = found.get(entity).map(Vec::as_slice).unwrap_or_default();
            let known = months.first().zip(months.last());
            let mut ended = months.iter().filter_map(|row| {
                let end = row.start.saturating_add_millis(LONGEST_MONTH_MS);
                counted_row(row, end).filter(|row| row.end <= first_asked)
            });
            let own = house.only(|it| it.sensor.id == *sensor);
            all.push(CountedStatistic {
                sensor: sensor.clone(),
                entity: entity.clone(),
                known: known.map(|(first, last)| (first.start, last.start)),
                before: ended.next_back(),
                measured: self.measured_months(&own).map_err(|error| stored(&error))?,
                house: own,
            });
        }
        self.rest(begun);
        Ok(all)
    }

    fn month(
        &self,
        it: &mut CountedStatistic,
        (day, range): &(String, Range<Timestamp>),
        found: &[StatisticRow],
    ) -> Result<CountedMonth, HomeAssistantError> {
        let found = found
            .iter()
            .filter_map(|row| counted_row(row, row.start.saturating_add_millis(MS_PER_HOUR)));
        let found: Vec<CountedRow> = found.collect();
        let is_later = |before: &CountedRow| found.first().is_none_or(|it| before.end < it.end);
        let before = it.before.filter(is_later);
        let rows: Vec<CountedRow> = before.into_iter().chain(found).collect();
        // The rows of the next question begin there.
        let next = range.end.saturating_add_millis(-AROUND_MS);
        it.before = rows.iter().rfind(|row| row.end <= next).copied();
        let newest = rows.last().map_or(Timestamp::MIN, |row| row.end);
        let (first, last) = it.known.unwrap_or((Timestamp::MAX, Timestamp::MIN));
        let asked = range.start.saturating_add_millis(-BEFORE_MS);
        let counts = MonthCounts {
            range: range.clone(),
            is_beginning: before.is_none() && first >= asked,
            goes_on: newest > range.end
                || last > range.end.saturating_add_millis(-AROUND_MS)
                || self.now.millis() - newest.millis() <= STOPPED_AFTER_MS,
            rows: &rows,
        };
        let counted = counts.counted();
        let measured = it.measured.get(&range.start).copied();
        let difference = counted
            .zip(measured)
            .map(|(counted, measured)| counted - measured);
        let is_equal = difference.is_some_and(|it| it.abs() <= ROUNDING_WH);
        let is_nothing = counted.is_none() && measured.is_none();
        let reasons = if is_equal || is_nothing {
            Vec::new()
        } else {
            let hours = measured_hours(self.store, &it.house, range, self.now);
            counts.explain(&hours.map_err(|error| stored(&error))?)
        };
        Ok(CountedMonth {
            sensor_id: it.sensor.clone(),
            entity: it.entity.clone(),
            month: day.clone(),
            from: range.start,
            to: range.end,
            counted: counted.map(rounded),
            measured,
            difference: difference.map(rounded),
            reasons,
        })
    }

    /// The energy of each month by the ledger, by its beginning.
    fn measured_months(
        &self,
        house: &HouseSensors,
    ) -> Result<BTreeMap<Timestamp, f64>, StoreError> {
        let months = &self.question.months;
        let starts = months.iter().map(|(_, hours)| hours.start);
        let last = months.last().map(|(_, hours)| hours.end);
        let times: Vec<Timestamp> = starts.chain(last).collect();
        let slots = house.between(self.store, &times)?.all(|_| {})?;
        Ok(slots.iter().filter_map(energy_of).collect())
    }

    fn ask(
        &mut self,
        ids: &[EntityId],
        range: &Range<Timestamp>,
        period: ValuePeriod,
    ) -> Result<BTreeMap<EntityId, Vec<StatisticRow>>, HomeAssistantError> {
        if self.begun.elapsed() > WITHIN {
            return Err(HomeAssistantError::NoAnswer(WITHIN));
        }
        let question = StatisticValues::ask(ids, range, period);
        let answer = self.link.ask(question, "statistics_during_period")?;
        let begun = Instant::now();
        let rows = StatisticValues::read(answer.as_str(), ids)?;
        self.rest(begun);
        Ok(rows.into_iter().collect())
    }

    /// At most half of a processor.
    fn rest(&self, begun: Instant) {
        let left = WITHIN.saturating_sub(self.begun.elapsed());
        thread::sleep(begun.elapsed().min(left));
    }
}

/// The hours of a month by the ledger, and of some days around it.
pub(super) fn measured_hours(
    store: &Store,
    house: &HouseSensors,
    range: &Range<Timestamp>,
    now: Timestamp,
) -> Result<MeasuredHours, StoreError> {
    let around = range.start.saturating_add_millis(-AROUND_MS)
        ..range.end.saturating_add_millis(AROUND_MS).min(now);
    let by = (&Zone::UTC, Interval::Hour);
    let mut events = Vec::new();
    let flows = house.by_interval(store, around, by)?;
    let slots = flows.all(|event| {
        if events.len() < MOST_EVENTS {
            events.push(event);
        }
    })?;
    let facts = house.sensors.first().map(|it| it.facts.clone());
    Ok(MeasuredHours {
        hours: slots.iter().filter_map(energy_of).collect(),
        events,
        facts: facts.unwrap_or_default(),
    })
}

fn counted_row(row: &StatisticRow, end: Timestamp) -> Option<CountedRow> {
    let (state, sum) = (row.state, row.sum?);
    Some(CountedRow { end, state, sum })
}

/// The energy of the only sensor in a slot, if it is known.
fn energy_of(slot: &FlowSlot) -> Option<(Timestamp, f64)> {
    let [MeasuredSlot { flow, .. }] = slot.measured.as_slice() else {
        return None;
    };
    flow.map(|flow| (slot.start, flow.net().watthours()))
}

fn stored(error: &StoreError) -> HomeAssistantError {
    HomeAssistantError::Store(error.to_string())
}
