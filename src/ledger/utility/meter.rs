//! Readings of the utility's meter, and the periods between them.

use std::fmt;

use thiserror::Error;

use crate::domain::meter::implied_watts;
use crate::domain::{MicroWh, PowerLimit, Timestamp};
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
    /// Since this earlier one it rose by a mean power that the sensor cannot have had: in watts.
    AbovePower(UtilityReading, u64),
}

/// What is known of the energy since the reading before one that is entered.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownUse {
    /// The highest power that is plausible for the sensor.
    pub limit: PowerLimit,
    /// What the sensor itself measured since then, if nearly all of it is known.
    pub measured: Option<MicroWh>,
}

/// As the API and commands say it, in kilowatt-hours.
impl fmt::Display for ReadingDoubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kwh = |energy: MicroWh| energy.watthours() / 1_000.0;
        let told = |of: &UtilityReading| format!("{:.3} kWh at {}", kwh(of.shown), of.time);
        match self {
            Self::BelowEarlier(earlier) => write!(
                f,
                "the meter showed {}: expected at least that, unless it was changed",
                told(earlier)
            ),
            Self::AboveLater(later) => write!(
                f,
                "the meter showed {}, which is later: expected at most that",
                told(later)
            ),
            Self::AboveUsual(earlier, usual) => write!(
                f,
                "the meter showed {}, and usual since then are {:.3} kWh: expected about {:.3} kWh; is there a digit too many?",
                told(earlier),
                kwh(*usual),
                kwh(earlier.shown + *usual)
            ),
            Self::AbovePower(earlier, watts) => write!(
                f,
                "the meter showed {}, so it would have counted {watts} W all the time since then; is there a digit too many?",
                told(earlier)
            ),
        }
    }
}

/// A rise by so many times the usual energy is doubted.
const MOST_TIMES: i64 = 3;
/// A rise by this much is never doubted: a meter may show whole kilowatt-hours only.
const LEAST_RISE: MicroWh = MicroWh::new(1_000_000_000);
/// A household hardly ever draws a mean power above this, in watts: where nothing else is known, more
/// is doubted.
const MOST_MEAN_WATTS: u64 = 5_000;
/// As is more than this if the register has become so many times as large: a digit too many.
const TENFOLD_WATTS: u64 = 1_000;
const TENFOLD: i64 = 9;
/// A new meter may become so in a few days.
const LEAST_TENFOLD: MicroWh = MicroWh::new(100_000_000_000);

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

    /// Why `reading` looks wrong; `None` if it does not. Usual is what the sensor measured or, if that
    /// is not known, the mean of all periods between known readings.
    #[must_use]
    pub fn doubt(&self, reading: UtilityReading, known: &KnownUse) -> Option<ReadingDoubt> {
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
        let rise = reading.shown - earlier.shown;
        if rise <= LEAST_RISE {
            return None;
        }
        let watts = implied_watts(rise, passed_ms);
        let above_power = || ReadingDoubt::AbovePower(earlier, watts);
        if !known.limit.allows(rise, passed_ms) {
            return Some(above_power());
        }
        let Some(usual) = known.measured.or_else(|| self.usual(passed_ms)) else {
            let is_tenfold = earlier.shown > LEAST_TENFOLD
                && reading.shown.millionths() / TENFOLD >= earlier.shown.millionths();
            let most = if is_tenfold {
                TENFOLD_WATTS
            } else {
                MOST_MEAN_WATTS
            };
            return (watts > most).then(above_power);
        };
        let most = usual.millionths().saturating_mul(MOST_TIMES);
        (rise.millionths() > most).then_some(ReadingDoubt::AboveUsual(earlier, usual))
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
