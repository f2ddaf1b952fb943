//! Price series that are fed from entities: their history, missed states, and each new one.

use std::time::Instant;

use super::base::HomeBase;
use super::states::{SaidState, SaidValue, states_of};
use super::steps::PriceSteps;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{EntityId, Timestamp};
use crate::home_assistant::asking::{AskedLink, PassEnd};
use crate::home_assistant::message::ask_states;
use crate::home_assistant::proposal::OLDEST_MS;
use crate::home_assistant::values::{StatisticRow, StatisticValues, ValuePeriod};

/// Home Assistant keeps states for ten days, and the first of them may be gone.
const STATES_MS: i64 = 9 * MS_PER_DAY;
/// The range of one question for hours, and for states.
const MONTH_MS: i64 = 31 * MS_PER_DAY;
const DAY_MS: i64 = MS_PER_DAY;

/// All of them.
pub(super) struct PriceFeeds {
    all: Vec<PriceSteps>,
    /// States that came while history is read.
    waiting: Vec<(usize, Timestamp, f64)>,
}

impl PriceFeeds {
    pub(super) fn new(entities: &[EntityId]) -> Self {
        Self {
            all: entities.iter().filter_map(PriceSteps::new).collect(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.all.iter().map(|it| &it.entity)
    }

    /// The entities without a price so far.
    pub(super) fn unknown(&self) -> impl Iterator<Item = &EntityId> {
        let all = self.all.iter().filter(|it| it.unit.is_none());
        all.map(|it| &it.entity)
    }

    /// Takes a state of an event.
    pub(super) fn take(&mut self, entity: &str, said: &SaidState) {
        let all = self.all.iter_mut().enumerate();
        for (place, one) in all.filter(|(_, it)| it.entity.as_str() == entity) {
            if let Some(unit) = &said.unit {
                one.unit = unit.parse().ok();
            }
            if let (Some(time), SaidValue::Number(value)) = (said.time, said.value) {
                self.waiting.push((place, time, value));
            }
        }
    }

    /// Stores the states that came.
    pub(super) fn store(&mut self, base: &HomeBase) {
        let now = (base.clock)().time;
        for (place, time, value) in std::mem::take(&mut self.waiting) {
            if let Some(one) = self.all.get_mut(place) {
                // A clock that runs ahead there tells no future.
                one.put(time.min(now), value);
            }
        }
        for one in &mut self.all {
            one.end_if_old(now);
            keep(one, base);
        }
    }

    /// Whether an entity came whose history was not read: they come one by one after a restart there.
    pub(super) fn is_due(&self) -> bool {
        self.all.iter().any(PriceSteps::is_due)
    }

    /// Reads the history since the newest stored price of each that has come.
    pub(super) fn fill(&mut self, base: &HomeBase, link: &AskedLink<'_>) -> Result<(), PassEnd> {
        let now = (base.clock)().time;
        let account = &base.home.settings().account;
        let full_hour = now.millis().div_euclid(MS_PER_HOUR) * MS_PER_HOUR;
        let states_from = Timestamp::from_millis(full_hour - STATES_MS).unwrap_or(now);
        for one in self.all.iter_mut().filter(|it| it.is_due()) {
            let until = one.stored_until(&base.store, account)?;
            let from = match until {
                Some(until) => until,
                None => first(link, &one.entity, now)?.unwrap_or(states_from),
            };
            let mut month = from;
            while month < states_from {
                let end = month.saturating_add_millis(MONTH_MS).min(states_from);
                let rows = ask(link, &one.entity, (month, end), ValuePeriod::Hour)?;
                let begun = Instant::now();
                for row in rows
                    .iter()
                    .filter(|row| row.start >= from && row.start < end)
                {
                    if let Some(mean) = row.mean {
                        one.put_hour(row.start, mean);
                    }
                }
                keep(one, base);
                // At most half of a processor.
                link.pause(begun.elapsed())?;
                month = end;
            }
            if from >= states_from && until.is_some() {
                one.resume(&base.store, account, from)?;
            }
            let mut day = from.max(states_from);
            while day < now {
                let end = day.saturating_add_millis(DAY_MS).min(now);
                let question = ask_states(&[&one.entity], &(day..end));
                let answer = link.ask(question, "history_during_period")?;
                let begun = Instant::now();
                for (time, value) in states_of(answer.as_str(), &one.entity)? {
                    if time > from && time <= now {
                        one.put(time, value);
                    }
                }
                keep(one, base);
                link.pause(begun.elapsed())?;
                day = end;
            }
            one.is_filled = true;
        }
        Ok(())
    }
}

/// Stores the prices that are ready. One that the store refuses, as of another currency than the series,
/// must not end the reading of sensors.
fn keep(one: &mut PriceSteps, base: &HomeBase) {
    if let Some(problem) = one.refusal() {
        base.note(&problem);
    }
    let account = &base.home.settings().account;
    if let Err(error) = one.store(&base.store, account) {
        base.note(&format!("{}: {error}", one.entity));
    }
}

/// The first month of an entity's statistic; `None` without one.
fn first(
    link: &AskedLink<'_>,
    entity: &EntityId,
    now: Timestamp,
) -> Result<Option<Timestamp>, PassEnd> {
    let oldest = now.saturating_add_millis(-OLDEST_MS);
    let months = ask(link, entity, (oldest, now), ValuePeriod::Month)?;
    // A month may begin a day earlier there than here.
    let early = |row: &StatisticRow| row.start.saturating_add_millis(-MS_PER_DAY).max(oldest);
    Ok(months.first().map(early))
}

fn ask(
    link: &AskedLink<'_>,
    entity: &EntityId,
    (from, to): (Timestamp, Timestamp),
    period: ValuePeriod,
) -> Result<Vec<StatisticRow>, PassEnd> {
    let ids = [entity.clone()];
    let question = StatisticValues::ask(&ids, &(from..to), period);
    let answer = link.ask(question, "statistics_during_period")?;
    let found = StatisticValues::read(answer.as_str(), &ids)?;
    Ok(found
        .into_iter()
        .next()
        .map(|(_, rows)| rows)
        .unwrap_or_default())
}
