//! The units that meters and their gateways use for power and energy, converted to watts and
//! watt-hours.

use super::number::to_millionth;
use super::words::words;

/// A unit of power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PowerUnit {
    /// `W`.
    #[default]
    Watts,
    /// `kW`.
    Kilowatts,
    /// `MW`.
    Megawatts,
    /// `mW`.
    Milliwatts,
}

/// A unit of energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EnergyUnit {
    /// `Wh`.
    #[default]
    WattHours,
    /// `kWh`.
    KilowattHours,
    /// `MWh`.
    MegawattHours,
    /// `Wmin`: the watt-minutes of the first Shelly devices.
    WattMinutes,
    /// `J`, a watt-second: the unit of Emoncms' older nodes.
    Joules,
}

impl PowerUnit {
    /// Converts `number` from this unit to watts. Larger units are rounded to a millionth of a
    /// watt, which hides the noise of binary fractions: 2.345 kW are 2345 W. The result is infinite
    /// if `number` is, or if it exceeds the range of `f64`.
    ///
    /// ```
    /// use wattkeeper::PowerUnit;
    ///
    /// assert_eq!(PowerUnit::Kilowatts.watts(0.2345), 234.5);
    /// ```
    #[must_use]
    pub fn watts(self, number: f64) -> f64 {
        match self {
            Self::Watts => number,
            Self::Kilowatts => to_millionth(number * 1e3),
            Self::Megawatts => to_millionth(number * 1e6),
            // Not rounded: a millionth of a watt is a thousandth of a milliwatt, which may be a
            // real digit.
            Self::Milliwatts => number / 1e3,
        }
    }
}

impl EnergyUnit {
    /// Converts `number` from this unit to watt-hours, rounded like [`PowerUnit::watts`]. The
    /// result is infinite if `number` is, or if it exceeds the range of `f64`.
    ///
    /// ```
    /// use wattkeeper::EnergyUnit;
    ///
    /// assert_eq!(EnergyUnit::KilowattHours.watthours(1_010.2), 1_010_200.0);
    /// assert_eq!(EnergyUnit::WattMinutes.watthours(90.0), 1.5);
    /// ```
    #[must_use]
    pub fn watthours(self, number: f64) -> f64 {
        match self {
            Self::WattHours => number,
            Self::KilowattHours => to_millionth(number * 1e3),
            Self::MegawattHours => to_millionth(number * 1e6),
            // Not rounded: a joule is 0.000277… Wh, so a millionth would cut off real digits.
            Self::WattMinutes => number / 60.0,
            Self::Joules => number / 3_600.0,
        }
    }
}

words! {
    PowerUnit: Watts "W", Kilowatts "kW", Megawatts "MW", Milliwatts "mW"; "W, kW, MW or mW"
}

words! {
    EnergyUnit:
    WattHours "Wh",
    KilowattHours "kWh",
    MegawattHours "MWh",
    WattMinutes "Wmin",
    Joules "J"; "Wh, kWh, MWh, Wmin or J"
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_round_trip() {
        for unit in PowerUnit::ALL {
            assert_eq!(unit.as_str().parse(), Ok(unit));
        }
        for unit in EnergyUnit::ALL {
            assert_eq!(unit.as_str().parse(), Ok(unit));
        }
        assert_eq!(
            "kw".parse::<PowerUnit>().unwrap_err().to_string(),
            "expected W, kW, MW or mW"
        );
        assert_eq!(
            "kW".parse::<EnergyUnit>().unwrap_err().to_string(),
            "expected Wh, kWh, MWh, Wmin or J"
        );
    }

    #[test]
    fn units_are_converted_to_watts_and_watthours() {
        assert_eq!(PowerUnit::Watts.watts(-2.5), -2.5);
        assert_eq!(PowerUnit::Kilowatts.watts(1.5), 1_500.0);
        assert_eq!(PowerUnit::Megawatts.watts(0.5), 500_000.0);
        assert_eq!(PowerUnit::Milliwatts.watts(1_500.0), 1.5);
        assert_eq!(EnergyUnit::WattHours.watthours(0.1), 0.1);
        assert_eq!(EnergyUnit::KilowattHours.watthours(0.1), 100.0);
        assert_eq!(EnergyUnit::MegawattHours.watthours(2.0), 2_000_000.0);
        assert_eq!(EnergyUnit::WattMinutes.watthours(60.0), 1.0);
        assert_eq!(EnergyUnit::Joules.watthours(3_600.0), 1.0);
    }

    #[test]
    fn thousands_show_no_binary_noise() {
        // 4.56 * 1000 is 4559.999999999999 as a f64.
        assert_eq!(EnergyUnit::KilowattHours.watthours(4.56), 4_560.0);
        assert_eq!(PowerUnit::Kilowatts.watts(4.56), 4_560.0);
        assert_eq!(EnergyUnit::KilowattHours.watthours(1e300), 1e303);
    }

    proptest! {
        #[test]
        fn units_agree_with_each_other(number in -1e9_f64..1e9) {
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 + 1e-12 * a.abs();
            let (kilo, mega) = (EnergyUnit::KilowattHours, EnergyUnit::MegawattHours);
            prop_assert!(near(kilo.watthours(number), mega.watthours(number / 1e3)));
            prop_assert!(near(EnergyUnit::WattMinutes.watthours(number), EnergyUnit::Joules.watthours(number * 60.0)));
            prop_assert!(near(PowerUnit::Kilowatts.watts(number), PowerUnit::Milliwatts.watts(number * 1e6)));
        }
    }
}
