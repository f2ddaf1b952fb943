//! The quantity of a meter's number: power or a register, and its unit.

use crate::domain::{EnergyUnit, Measures, PowerUnit};
use crate::store::Measure;

/// Power or a register, in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Power.
    Power(PowerUnit),
    /// A meter's register.
    Register(EnergyUnit),
}

impl Quantity {
    /// Power in watts.
    pub const WATTS: Self = Self::Power(PowerUnit::Watts);
    /// A register in watt-hours.
    pub const WATTHOURS: Self = Self::Register(EnergyUnit::WattHours);

    /// The quantity of `measure` (`watts` or `watthours`) in `unit`, by default that of the
    /// measure. `None` for unknown words, and for a unit of the other measure.
    #[must_use]
    pub fn new(measure: &str, unit: Option<&str>) -> Option<Self> {
        match (measure, unit) {
            ("watts", None) => Some(Self::WATTS),
            ("watts", Some(unit)) => unit.parse().ok().map(Self::Power),
            ("watthours", None) => Some(Self::WATTHOURS),
            ("watthours", Some(unit)) => unit.parse().ok().map(Self::Register),
            _ => None,
        }
    }

    /// The quantity that a unit belongs to; `None` for unknown units.
    #[must_use]
    pub fn of_unit(unit: &str) -> Option<Self> {
        Self::new("watts", Some(unit)).or_else(|| Self::new("watthours", Some(unit)))
    }

    /// The quantity of a name, from the lists of names for watts and for watt-hours.
    pub(super) fn listed(
        watts: &[String],
        watthours: &[String],
        is_name: impl Fn(&String) -> bool,
    ) -> Option<Self> {
        if watts.iter().any(&is_name) {
            Some(Self::WATTS)
        } else if watthours.iter().any(&is_name) {
            Some(Self::WATTHOURS)
        } else {
            None
        }
    }

    /// The measure of its readings.
    #[must_use]
    pub const fn measure(self) -> Measure {
        match self {
            Self::Power(_) => Measure::Watts,
            Self::Register(_) => Measure::Watthours,
        }
    }

    /// The measures of a reading; `None` if `number` is not finite in watts or watt-hours.
    #[must_use]
    pub fn measures(self, number: f64) -> Option<Measures> {
        match self {
            Self::Power(unit) => Measures::new(Some(unit.watts(number)), None),
            Self::Register(unit) => Measures::new(None, Some(unit.watthours(number))),
        }
        .ok()
    }

    /// Converts `value` from watts or watt-hours to the unit.
    #[must_use]
    pub fn number_of(self, value: f64) -> f64 {
        match self {
            Self::Power(unit) => value / unit.watts(1.0),
            Self::Register(unit) => value / unit.watthours(1.0),
        }
    }
}

/// Parses a decimal number. The result is infinite if it exceeds the range of `f64`.
pub(super) fn decimal(text: &str) -> Option<f64> {
    // The standard parser would accept `inf` and `nan` too.
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(is_plain).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_has_its_units() {
        let new = Quantity::new;
        let kilowatts = Quantity::Power(PowerUnit::Kilowatts);
        assert_eq!(new("watts", Some("kW")), Some(kilowatts));
        assert_eq!(new("watts", None), Some(Quantity::WATTS));
        assert_eq!(new("watthours", None), Some(Quantity::WATTHOURS));
        let joules = Quantity::Register(EnergyUnit::Joules);
        assert_eq!(new("watthours", Some("J")), Some(joules));
        assert_eq!(new("watts", Some("kWh")), None);
        assert_eq!(new("watthours", Some("W")), None);
        assert_eq!(new("volts", None), None);
        assert_eq!(Quantity::of_unit("kW"), Some(kilowatts));
        assert_eq!(Quantity::of_unit("J"), Some(joules));
        assert_eq!(Quantity::of_unit("V"), None);
    }

    #[test]
    fn numbers_are_converted_both_ways() {
        let register = Quantity::new("watthours", Some("kWh")).unwrap();
        let measures = register.measures(1.5).unwrap();
        assert_eq!(
            (measures.watts(), measures.watthours()),
            (None, Some(1_500.0))
        );
        assert_eq!(register.number_of(1_500.0), 1.5);
        assert_eq!(register.measures(f64::MAX), None);
    }
}
