//! Readings: a meter's values at a point in time, and the uploads of clients.

use thiserror::Error;

use super::number::{finite, to_millionth};
use super::sensor::SensorId;
use super::time::Timestamp;

/// The measures of a reading: power in watts, a meter register in watt-hours, or both.
///
/// Both are finite. Power may be negative and registers may fall, because panels export energy, and
/// meters are reset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    watts: Option<f64>,
    watthours: Option<f64>,
}

/// Why two numbers are not [`Measures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MeasuresError {
    /// Neither power nor register is given.
    #[error("expected watts, watthours or both")]
    Nothing,
    /// One of them is infinite or not a number.
    #[error("expected a finite number")]
    NotFinite,
}

impl Measures {
    /// Power in watts and register in watt-hours, at least one of them.
    ///
    /// # Errors
    /// [`MeasuresError`] if both are absent or one is not finite.
    pub fn new(watts: Option<f64>, watthours: Option<f64>) -> Result<Self, MeasuresError> {
        if watts.is_none() && watthours.is_none() {
            return Err(MeasuresError::Nothing);
        }
        if watts.into_iter().chain(watthours).all(f64::is_finite) {
            Ok(Self { watts, watthours })
        } else {
            Err(MeasuresError::NotFinite)
        }
    }

    /// Power in watts.
    #[must_use]
    pub const fn watts(self) -> Option<f64> {
        self.watts
    }

    /// The meter's register in watt-hours.
    #[must_use]
    pub const fn watthours(self) -> Option<f64> {
        self.watthours
    }

    /// Whether all measures present are 0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        let mut numbers = self.watts.into_iter().chain(self.watthours);
        numbers.all(|number| number == 0.0)
    }

    /// These measures, each replaced by a newer upload's if it has one.
    #[must_use]
    pub fn overlaid_by(self, newer: Self) -> Self {
        Self {
            watts: newer.watts.or(self.watts),
            watthours: newer.watthours.or(self.watthours),
        }
    }
}

/// One reading of one sensor. Sensor and time identify it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The time of the measurement.
    pub time: Timestamp,
    /// The measured values.
    pub measures: Measures,
}

/// A register reading: a meter's register at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Register {
    /// The time when it was read.
    pub time: Timestamp,
    /// Its value in watt-hours.
    pub watthours: f64,
}

impl Register {
    /// Minus zero, the start of an interval that does not follow another one. The energy until here
    /// is unknown.
    pub const BEGINS: f64 = -0.0;

    /// Whether an interval begins here.
    #[must_use]
    pub fn begins(self) -> bool {
        self.watthours.to_bits() == Self::BEGINS.to_bits()
    }
}

/// One uploaded reading. If it has no time, the store assigns one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UploadedReading {
    /// The time that the client sent.
    pub time: Option<Timestamp>,
    /// The measured values.
    pub measures: Measures,
}

/// The readings of one upload for one sensor, at least one: all of them are stored, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Upload {
    sensor: SensorId,
    readings: Vec<UploadedReading>,
}

impl Upload {
    /// An upload of `readings` for `sensor`; `None` if there are none.
    #[must_use]
    pub fn new(sensor: SensorId, mut readings: Vec<UploadedReading>) -> Option<Self> {
        for UploadedReading { measures, .. } in &mut readings {
            // A device that rounds sends -0.0 for 0: see `Register::BEGINS`.
            measures.watthours = measures.watthours.map(|shown| shown + 0.0);
        }
        (!readings.is_empty()).then_some(Self { sensor, readings })
    }

    /// The sensor that the readings belong to.
    #[must_use]
    pub const fn sensor(&self) -> &SensorId {
        &self.sensor
    }

    /// The readings, in the order they were sent; at least one.
    #[must_use]
    pub fn readings(&self) -> &[UploadedReading] {
        &self.readings
    }
}

/// The watt-hours between two registers, rounded to a millionth of a watt-hour to hide the noise of
/// binary fractions: 1020.3 - 1010.2 is 10.1. Negative if the register fell; always finite.
///
/// ```
/// use wattkeeper::register_difference;
///
/// assert_eq!(register_difference(1010.2, 1020.3), 10.1);
/// ```
#[must_use]
pub fn register_difference(from_watthours: f64, to_watthours: f64) -> f64 {
    // Adding zero turns -0.0 into 0.0.
    to_millionth(finite(to_watthours - from_watthours)) + 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn measures_are_never_nothing_and_always_finite() {
        assert_eq!(Measures::new(None, None), Err(MeasuresError::Nothing));
        assert_eq!(
            Measures::new(Some(f64::NAN), None),
            Err(MeasuresError::NotFinite)
        );
        assert_eq!(
            Measures::new(Some(1.0), Some(f64::INFINITY)),
            Err(MeasuresError::NotFinite)
        );
        assert!(Measures::new(Some(-5.0), None).is_ok());
    }

    #[test]
    fn what_is_present_replaces_and_the_rest_stays() {
        let old = Measures::new(Some(1.0), Some(2.0)).unwrap();
        let newer = Measures::new(None, Some(3.0)).unwrap();
        assert_eq!(
            old.overlaid_by(newer),
            Measures::new(Some(1.0), Some(3.0)).unwrap()
        );
        assert_eq!(newer.overlaid_by(old), old);
    }

    #[test]
    fn differences_show_no_binary_noise() {
        assert_eq!(register_difference(1010.2, 1020.3), 10.1);
        assert_eq!(register_difference(0.3, 0.1), -0.2);
        assert!(register_difference(5.0, 5.0 - 1e-9).is_sign_positive());
        assert_eq!(register_difference(f64::MAX, f64::MIN), f64::MIN);
        assert_eq!(register_difference(0.0, 1e300), 1e300);
    }

    proptest! {
        #[test]
        fn differences_are_finite_and_close(from in proptest::num::f64::NORMAL, to in proptest::num::f64::NORMAL) {
            let difference = register_difference(from, to);
            prop_assert!(difference.is_finite());
            let exact = (to - from).clamp(f64::MIN, f64::MAX);
            prop_assert!((difference - exact).abs() <= 1e-6, "{difference} for {exact}");
        }
    }
}
