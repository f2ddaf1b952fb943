//! The months and the sensors that are compared.

use std::ops::Range;

use thiserror::Error;

use super::counts::floor_hour;
use crate::domain::{
    Account, Calendar, EntityId, FedSensor, HomeAssistantEntry, Interval, LocalDate, SensorId,
    TimeRange, Timestamp,
};
use crate::home_assistant::proposal::OLDEST_MS;

/// The months of the sensors of an account that are compared.
#[derive(Clone, Debug)]
pub struct CountQuestion {
    pub(super) account: Account,
    pub(super) sensors: Vec<(SensorId, EntityId)>,
    /// Each month: its first day, and its full hours in UTC.
    pub(super) months: Vec<(String, Range<Timestamp>)>,
}

/// A month is the newest one, and those before it, unless a question says otherwise.
const USUAL_MONTHS: usize = 13;
/// Home Assistant has the statistics of an hour some minutes after it.
const COMPILED_AFTER_MS: i64 = 20 * 60_000;

/// Why nothing can be compared.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CountQuestionError {
    /// It feeds no register of this sensor.
    #[error(
        "Home Assistant feeds no register of this sensor; `wattkeeper ha show` has those that it feeds"
    )]
    Sensor,
    /// It feeds no register at all.
    #[error("Home Assistant feeds no register of a sensor yet; `wattkeeper ha add` adds some")]
    NoSensor,
    /// The range has no time in it.
    #[error("expected a start before the end, and before now")]
    Empty,
    /// There is too much.
    #[error("expected at most {most} months of sensors; got {0}: name one sensor, or a shorter time", most = CountQuestion::MOST_MONTHS)]
    TooMany(usize),
}

impl CountQuestion {
    /// The most months of sensors that are compared at once: 13 months of all that one may feed.
    pub const MOST_MONTHS: usize = HomeAssistantEntry::MOST_SENSORS * USUAL_MONTHS;

    /// Asks about the months that overlap a range, by default the newest ones; about all sensors, or
    /// one.
    ///
    /// # Errors
    /// [`CountQuestionError`].
    pub fn new(
        account: Account,
        fed: &[FedSensor],
        sensor: Option<&SensorId>,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        now: Timestamp,
    ) -> Result<Self, CountQuestionError> {
        let registers = fed.iter().filter_map(|it| {
            let is_asked = sensor.is_none_or(|id| it.sensor == *id);
            let entity = it.energy.clone().filter(|_| is_asked)?;
            Some((it.sensor.clone(), entity))
        });
        let sensors: Vec<_> = registers.collect();
        if sensors.is_empty() {
            return Err(match sensor {
                Some(_) => CountQuestionError::Sensor,
                None => CountQuestionError::NoSensor,
            });
        }
        let until = floor_hour(now.saturating_add_millis(-COMPILED_AFTER_MS));
        let end = to.unwrap_or(until).min(until);
        let oldest = now.saturating_add_millis(-OLDEST_MS);
        let from = from.map(|from| from.max(oldest));
        let mut months = Vec::new();
        let mut calendar = Calendar::new(account.zone.clone(), Interval::Month);
        let before = |month: TimeRange| month.start().saturating_add_millis(-1);
        let mut month = calendar.bucket(end.saturating_add_millis(-1));
        // The newest first: without a beginning, their number counts.
        loop {
            let is_wanted = match from {
                Some(from) => month.end() > from && from < end,
                None => months.len() < USUAL_MONTHS,
            };
            if !is_wanted {
                break;
            }
            let day = LocalDate::at(month.start(), &account.zone).to_string();
            let end = floor_hour(month.end().saturating_add_millis(1));
            let hours = floor_hour(month.start())..end.min(until);
            months.push((day, hours));
            month = calendar.bucket(before(month));
        }
        months.reverse();
        months.retain(|(_, hours)| !hours.is_empty());
        if months.is_empty() {
            return Err(CountQuestionError::Empty);
        }
        let count = months.len() * sensors.len();
        if count > Self::MOST_MONTHS {
            return Err(CountQuestionError::TooMany(count));
        }
        Ok(Self {
            account,
            sensors,
            months,
        })
    }
}
