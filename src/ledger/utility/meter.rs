//! Readings of the utility's meter, and the periods between them.

use thiserror::Error;

use crate::domain::{MicroWh, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};

/// A reading of one register of the utility's meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtilityReading {
    /// When.
    pub time: Timestamp,
    /// The register.
    pub shown: MicroWh,
}

/// The readings of one register of the utility's meter, in time order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UtilityMeter {
    readings: Vec<UtilityReading>,
}

/// Why readings are not those of a meter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UtilityError {
    /// A meter shows one thing at a time.
    #[error("two readings at {0}: expected one, such as 12345.6 kWh")]
    Twice(Timestamp),
    /// A register counts from 0 on.
    #[error("a negative reading at {0}: expected what the meter shows, such as 12345.6 kWh")]
    Negative(Timestamp),
}

/// The time between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtilityPeriod {
    /// The earlier reading's time.
    pub from: Timestamp,
    /// The later reading's time.
    pub to: Timestamp,
    /// The energy; `None` if the register fell, which means another meter.
    pub energy: Option<MicroWh>,
}

/// Why a reading that somebody is about to enter looks wrong, beside those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingDoubt {
    /// It is less than this earlier one.
    BelowEarlier(UtilityReading),
    /// It is more than this later one.
    AboveLater(UtilityReading),
    /// Since this earlier one it rose far more than it usually does, which is this much.
    AboveUsual(UtilityReading, MicroWh),
}

/// A rise by so many times the usual energy is doubted.
const MOST_TIMES: i64 = 3;
/// A rise by this much is never doubted: a meter may show whole kilowatt-hours only.
const LEAST_RISE: MicroWh = MicroWh::new(1_000_000_000);

impl UtilityMeter {
    /// The meter with these readings, given in any order.
    ///
    /// # Errors
    /// [`UtilityError`] if two readings have one time, or one is negative.
    pub fn new(mut readings: Vec<UtilityReading>) -> Result<Self, UtilityError> {
        readings.sort_unstable_by_key(|reading| reading.time);
        if let Some(reading) = readings
            .iter()
            .find(|reading| reading.shown < MicroWh::ZERO)
        {
            return Err(UtilityError::Negative(reading.time));
        }
        let mut pairs = readings.iter().zip(readings.iter().skip(1));
        match pairs.find(|(reading, next)| reading.time == next.time) {
            Some((reading, _)) => Err(UtilityError::Twice(reading.time)),
            None => Ok(Self { readings }),
        }
    }

    /// The periods between its readings, in time order.
    pub fn periods(&self) -> impl Iterator<Item = UtilityPeriod> {
        let pairs = self.readings.iter().zip(self.readings.iter().skip(1));
        pairs.map(|(reading, next)| {
            let energy = next.shown - reading.shown;
            UtilityPeriod {
                from: reading.time,
                to: next.time,
                energy: (energy >= MicroWh::ZERO).then_some(energy),
            }
        })
    }

    /// The newest reading before `time`.
    #[must_use]
    pub fn before(&self, time: Timestamp) -> Option<UtilityReading> {
        let mut newest_first = self.readings.iter().rev();
        newest_first.find(|known| known.time < time).copied()
    }

    /// Why `reading` looks wrong; `None` if it does not. Usual is the mean of all periods between
    /// known readings.
    #[must_use]
    pub fn doubt(&self, reading: UtilityReading) -> Option<ReadingDoubt> {
        let earlier = self.before(reading.time);
        if let Some(earlier) = earlier.filter(|earlier| reading.shown < earlier.shown) {
            return Some(ReadingDoubt::BelowEarlier(earlier));
        }
        let later = self.readings.iter().find(|it| reading.time < it.time);
        if let Some(later) = later.filter(|later| later.shown < reading.shown) {
            return Some(ReadingDoubt::AboveLater(*later));
        }
        let earlier = earlier?;
        let passed_ms = reading.time.millis() - earlier.time.millis();
        let usual = self.usual(passed_ms)?;
        let rise = reading.shown - earlier.shown;
        let most = usual.millionths().saturating_mul(MOST_TIMES);
        let is_far_more = rise.millionths() > most && rise > LEAST_RISE;
        is_far_more.then_some(ReadingDoubt::AboveUsual(earlier, usual))
    }

    /// The usual energy of so many milliseconds; `None` if it is not known yet.
    fn usual(&self, passed_ms: i64) -> Option<MicroWh> {
        let known = self.periods().filter_map(|period| {
            let length_ms = period.to.millis() - period.from.millis();
            Some((
                i128::from(period.energy?.millionths()),
                i128::from(length_ms),
            ))
        });
        let (energy, length_ms) = known.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        let usual = (energy * i128::from(passed_ms)).checked_div(length_ms)?;
        Some(MicroWh::new(i64::try_from(usual).unwrap_or(i64::MAX)))
    }

    /// Its energy, for a household that has no other meter: only the sums of the periods are
    /// measured.
    pub fn stretches(&self) -> impl Iterator<Item = Stretch> {
        self.periods()
            .filter_map(|UtilityPeriod { from, to, energy }| {
                let imported = energy?;
                Some(Stretch {
                    from,
                    to,
                    flow: Flow {
                        imported,
                        ..Flow::default()
                    },
                    is_estimated: true,
                })
            })
    }
}
