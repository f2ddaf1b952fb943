//! Readings of the utility's meter, and the periods between them.

use thiserror::Error;

use crate::domain::{MicroWh, Timestamp};
use crate::ledger::{Flow, Stretch};

/// What one register of the utility's meter showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UtilityReading {
    /// When.
    pub time: Timestamp,
    /// What it showed.
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
    /// What flowed; `None` if the register fell, so that it is another meter's.
    pub energy: Option<MicroWh>,
}

impl UtilityMeter {
    /// The meter that showed this, in whatever order.
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

    /// Its energy, for a household that has no other meter: only the sums of the periods are measured.
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
