//! What the number of a meter is: power or a register, and its unit.

use thiserror::Error;

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

/// Why a measure and a unit are not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum QuantityError {
    /// The measure is unknown.
    #[error("expected the measure watts or watthours")]
    Measure,
    /// It is not a unit of power.
    #[error("expected the unit W, kW, MW or mW for watts")]
    PowerUnit,
    /// It is not a unit of energy.
    #[error("expected the unit Wh, kWh, MWh, Wmin or J for watthours")]
    EnergyUnit,
}

impl Quantity {
    /// Power in watts.
    pub const WATTS: Self = Self::Power(PowerUnit::Watts);
    /// A register in watt-hours.
    pub const WATTHOURS: Self = Self::Register(EnergyUnit::WattHours);

    /// The quantity of `measure` (`watts` or `watthours`) in `unit`, by default that of the measure.
    ///
    /// # Errors
    /// [`QuantityError`] for unknown words, and for a unit of the other measure.
    pub fn new(measure: &str, unit: Option<&str>) -> Result<Self, QuantityError> {
        match measure {
            "watts" => unit
                .map_or(Ok(PowerUnit::default()), str::parse)
                .map(Self::Power)
                .map_err(|_| QuantityError::PowerUnit),
            "watthours" => unit
                .map_or(Ok(EnergyUnit::default()), str::parse)
                .map(Self::Register)
                .map_err(|_| QuantityError::EnergyUnit),
            _ => Err(QuantityError::Measure),
        }
    }

    /// The quantity of a name, by the lists of names for watts and for watt-hours.
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

    /// The name of that measure.
    #[must_use]
    pub const fn measure_name(self) -> &'static str {
        match self {
            Self::Power(_) => "watts",
            Self::Register(_) => "watthours",
        }
    }

    /// The unit's name.
    #[must_use]
    pub const fn unit_name(self) -> &'static str {
        match self {
            Self::Power(unit) => unit.as_str(),
            Self::Register(unit) => unit.as_str(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measure_has_its_units() {
        assert_eq!(
            Quantity::new("watts", Some("kW")),
            Ok(Quantity::Power(PowerUnit::Kilowatts))
        );
        assert_eq!(
            Quantity::new("watthours", None),
            Ok(Quantity::Register(EnergyUnit::WattHours))
        );
        assert_eq!(
            Quantity::new("watts", Some("kWh")),
            Err(QuantityError::PowerUnit)
        );
        assert_eq!(
            Quantity::new("watthours", Some("W")),
            Err(QuantityError::EnergyUnit)
        );
        assert_eq!(Quantity::new("volts", None), Err(QuantityError::Measure));
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
