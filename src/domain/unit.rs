//! Units that meters and their gateways tell power and energy in, and their numbers in watts and watt-hours.

use std::str::FromStr;

use super::account::UnknownWord;

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
    /// `J`, which is a watt-second: those of Emoncms' older nodes.
    Joules,
}

impl PowerUnit {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Watts,
        Self::Kilowatts,
        Self::Megawatts,
        Self::Milliwatts,
    ];

    /// Its name. Capitals matter: `MW` is a thousand million times `mW`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Watts => "W",
            Self::Kilowatts => "kW",
            Self::Megawatts => "MW",
            Self::Milliwatts => "mW",
        }
    }

    /// Watts of `number` of this unit, to the millionth where the unit is larger than a watt: 2.345 kW are 2345 W, without
    /// the noise of binary fractions. They are infinite where `number` is, and where it is too large for a `f64`.
    ///
    /// ```
    /// use wattkeeper::domain::unit::PowerUnit;
    ///
    /// assert_eq!(PowerUnit::Kilowatts.watts(0.2345), 234.5);
    /// ```
    #[must_use]
    pub fn watts(self, number: f64) -> f64 {
        match self {
            Self::Watts => number,
            Self::Kilowatts => to_millionth(number * 1e3),
            Self::Megawatts => to_millionth(number * 1e6),
            Self::Milliwatts => number / 1e3,
        }
    }
}

impl EnergyUnit {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::WattHours,
        Self::KilowattHours,
        Self::MegawattHours,
        Self::WattMinutes,
        Self::Joules,
    ];

    /// Its name. Capitals matter.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WattHours => "Wh",
            Self::KilowattHours => "kWh",
            Self::MegawattHours => "MWh",
            Self::WattMinutes => "Wmin",
            Self::Joules => "J",
        }
    }

    /// Watt-hours of `number` of this unit, to the millionth where the unit is larger than a watt-hour, as
    /// [`PowerUnit::watts`]. They are infinite where `number` is, and where it is too large for a `f64`.
    ///
    /// ```
    /// use wattkeeper::domain::unit::EnergyUnit;
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
            Self::WattMinutes => number / 60.0,
            Self::Joules => number / 3_600.0,
        }
    }
}

/// `number` rounded to a millionth, where it has digits beyond that.
fn to_millionth(number: f64) -> f64 {
    /// Above this a `f64` has no digit left beyond the millionth: 2^52 / 10^6.
    const ROUNDABLE: f64 = 4_503_599_627.370_496;
    if number.abs() < ROUNDABLE {
        (number * 1e6).round() / 1e6
    } else {
        number
    }
}

impl FromStr for PowerUnit {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let unit = Self::ALL.into_iter().find(|unit| unit.as_str() == text);
        unit.ok_or(UnknownWord::expecting("W, kW, MW or mW"))
    }
}

impl FromStr for EnergyUnit {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let unit = Self::ALL.into_iter().find(|unit| unit.as_str() == text);
        unit.ok_or(UnknownWord::expecting("Wh, kWh, MWh, Wmin or J"))
    }
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
    fn numbers_are_told_in_watts_and_watthours() {
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
