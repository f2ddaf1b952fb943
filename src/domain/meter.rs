//! The settings of a sensor's meter.

use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::energy::MicroWh;
use super::role::Role;
use super::time::MS_PER_DAY;
use super::words::{UnknownWord, words};

/// The kind of a sensor's register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeterKind {
    /// It runs backwards when energy is exported.
    #[default]
    Net,
    /// It only counts up; a fall is a fault or a reset.
    Counter,
    /// Each value is the energy since the previous value.
    Interval,
}

words! { MeterKind: Net "net", Counter "counter", Interval "interval"; "net, counter or interval" }

impl MeterKind {
    /// The default kind of the register of a sensor with this role.
    #[must_use]
    pub const fn usual(role: Role) -> Self {
        match role {
            Role::Grid | Role::Battery => Self::Net,
            // Energy in one direction. A plug belongs here too: a restart does not export anything.
            Role::GridImport
            | Role::GridExport
            | Role::Solar
            | Role::BatteryCharge
            | Role::BatteryDischarge
            | Role::SubMeter => Self::Counter,
        }
    }
}

/// The sign of a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sign {
    /// Values are right as received.
    #[default]
    AsIs,
    /// Each value must be negated.
    Inverted,
}

words! { Sign: AsIs "as-is", Inverted "inverted"; "as-is or inverted" }

impl Sign {
    /// Whether values must be negated.
    #[must_use]
    pub const fn is_inverted(self) -> bool {
        matches!(self, Self::Inverted)
    }

    /// A value with the sign of the measured flow.
    #[must_use]
    pub fn of(self, value: f64) -> f64 {
        // Subtracted, because the opposite of 0 must be 0, not -0.
        if self.is_inverted() {
            0.0 - value
        } else {
            value
        }
    }
}

/// Power between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Between {
    /// It changes linearly from one to the other: their mean counts.
    #[default]
    Line,
    /// It stays constant until the next one: the device sends power when it changes.
    Hold,
}

words! { Between: Line "line", Hold "hold"; "line or hold" }

impl Between {
    /// The longest time, in milliseconds, that power is assumed to stay constant: a device that is
    /// silent longer may be broken.
    pub(crate) const STAYS_MS: i64 = MS_PER_DAY;
}

/// The highest plausible power, in whole watts; higher values do not count as energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PowerLimit(NonZeroU32);

/// Energy is never spread over less than this, because two uploads may arrive back to back.
const SHORTEST_MS: i64 = 10_000;

impl PowerLimit {
    /// This many watts; `None` for zero.
    #[must_use]
    pub fn new(watts: u32) -> Option<Self> {
        NonZeroU32::new(watts).map(Self)
    }

    /// In watts.
    #[must_use]
    pub const fn watts(self) -> u32 {
        self.0.get()
    }

    /// Whether `energy`, in either direction, can flow within `ms` milliseconds.
    pub(crate) fn allows(self, energy: MicroWh, ms: i64) -> bool {
        implied_watts(energy, ms) <= u64::from(self.watts())
    }
}

/// 100 kW: more than three phases of 125 A carry.
impl Default for PowerLimit {
    fn default() -> Self {
        Self(NonZeroU32::MIN.saturating_add(99_999))
    }
}

/// Whole watts, such as `5000`.
impl FromStr for PowerLimit {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        const EXPECTED: UnknownWord = UnknownWord {
            expected: "whole watts above 0, such as 5000",
        };
        text.parse().map(Self).map_err(|_| EXPECTED)
    }
}

/// The mean power in watts, rounded up, if `energy` flows in either direction within `ms`
/// milliseconds, or 10 s if that is longer.
pub(crate) fn implied_watts(energy: MicroWh, ms: i64) -> u64 {
    // One watt is 10^6 µWh per 3.6 * 10^6 ms.
    let energy = energy.millionths().unsigned_abs();
    let ms = ms.max(SHORTEST_MS).unsigned_abs();
    if let (Some(energy), Some(ms)) = (energy.checked_mul(18), ms.checked_mul(5)) {
        return energy.div_ceil(ms);
    }
    // Wider numbers take several times as long, and only bad readings need them.
    let watts = (u128::from(energy) * 18).div_ceil(u128::from(ms) * 5);
    u64::try_from(watts).unwrap_or(u64::MAX)
}

/// Whether [`implied_watts`] are at most `watts`; also false if the numbers are too large to
/// compare without dividing.
pub(crate) fn is_within_watts(watts: u64, energy: MicroWh, ms: i64) -> bool {
    let energy = energy.millionths().unsigned_abs().checked_mul(18);
    let most = ms.max(SHORTEST_MS).unsigned_abs().checked_mul(5);
    let most = most.and_then(|most| most.checked_mul(watts));
    energy
        .zip(most)
        .is_some_and(|(energy, most)| energy <= most)
}

/// The value after which a register starts again from 0; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
// As whole millionths of a watt-hour.
#[serde(try_from = "i64", into = "i64")]
pub struct Rollover(MicroWh);

impl Rollover {
    /// A rollover at this register; `None` if it is not positive.
    #[must_use]
    pub fn at(register: MicroWh) -> Option<Self> {
        (register > MicroWh::ZERO).then_some(Self(register))
    }

    /// The register after which it starts again.
    #[must_use]
    pub const fn register(self) -> MicroWh {
        self.0
    }
}

const ROLLOVER: UnknownWord = UnknownWord {
    expected: "watt-hours above 0, such as 100000000 for a meter of five digits of kWh",
};

impl TryFrom<i64> for Rollover {
    type Error = UnknownWord;

    fn try_from(millionths: i64) -> Result<Self, UnknownWord> {
        Self::at(MicroWh::new(millionths)).ok_or(ROLLOVER)
    }
}

impl From<Rollover> for i64 {
    fn from(rollover: Rollover) -> Self {
        rollover.register().millionths()
    }
}

/// Watt-hours, such as `100000000`.
impl FromStr for Rollover {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let watthours = text.parse().ok().filter(|number: &f64| number.is_finite());
        watthours
            .and_then(|watthours| Self::at(MicroWh::from_watthours(watthours)))
            .ok_or(ROLLOVER)
    }
}

/// The settings of a sensor's meter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// The kind of its register.
    pub kind: MeterKind,
    /// Power above this is not trusted.
    pub limit: PowerLimit,
    /// The sign of its power: inverted power is negated first of all.
    pub power_sign: Sign,
    /// The sign of its register.
    pub register_sign: Sign,
    /// The value after which its register starts again from 0.
    pub rollover: Option<Rollover>,
    /// Power between two readings.
    pub between: Between,
}

impl Meter {
    /// A meter of this kind, with the default limit.
    #[must_use]
    pub fn new(kind: MeterKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// The sign of both measures: inverted if both are.
    #[must_use]
    pub const fn sign(&self) -> Sign {
        if self.power_sign.is_inverted() && self.register_sign.is_inverted() {
            Sign::Inverted
        } else {
            Sign::AsIs
        }
    }

    /// The value of its register, with the sign of the measured flow.
    pub(crate) fn signed(&self, energy: MicroWh) -> MicroWh {
        if self.register_sign.is_inverted() {
            -energy
        } else {
            energy
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_are_typed() {
        for kind in MeterKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            let json = serde_json::to_string(&kind).unwrap();
            assert_eq!(json, format!("\"{}\"", kind.as_str()));
        }
        assert!("Counter".parse::<MeterKind>().is_err());
        for sign in Sign::ALL {
            assert_eq!(sign.as_str().parse(), Ok(sign));
        }
        for between in Between::ALL {
            assert_eq!(between.as_str().parse(), Ok(between));
        }
        assert_eq!("5000".parse(), Ok(PowerLimit::new(5_000).unwrap()));
        for text in ["0", "-1", "2.5", "", "4294967296"] {
            let error = text.parse::<PowerLimit>().unwrap_err().to_string();
            assert_eq!(error, "expected whole watts above 0, such as 5000");
        }
        let rollover: Rollover = "99.5".parse().unwrap();
        assert_eq!(rollover.register(), MicroWh::new(99_500_000));
        for text in ["0", "-5", "nan", "inf", "much", ""] {
            assert!(text.parse::<Rollover>().is_err(), "{text}");
        }
    }

    #[test]
    fn registers_run_backwards_only_where_energy_flows_both_ways() {
        for role in Role::ALL {
            let is_both_ways = matches!(role, Role::Grid | Role::Battery);
            let usual = if is_both_ways {
                MeterKind::Net
            } else {
                MeterKind::Counter
            };
            assert_eq!(MeterKind::usual(role), usual, "{role:?}");
        }
    }

    #[test]
    fn a_sign_of_all_is_that_of_both_measures() {
        for (power_sign, register_sign, both) in [
            (Sign::AsIs, Sign::AsIs, Sign::AsIs),
            (Sign::Inverted, Sign::AsIs, Sign::AsIs),
            (Sign::AsIs, Sign::Inverted, Sign::AsIs),
            (Sign::Inverted, Sign::Inverted, Sign::Inverted),
        ] {
            let meter = Meter {
                power_sign,
                register_sign,
                ..Meter::default()
            };
            assert_eq!(meter.sign(), both);
        }
    }

    #[test]
    fn a_rollover_is_positive_also_when_it_is_read_back() {
        assert_eq!(
            serde_json::to_string(&Rollover(MicroWh::new(7))).unwrap(),
            "7"
        );
        assert!(serde_json::from_str::<Rollover>("7").is_ok());
        assert!(serde_json::from_str::<Rollover>("0").is_err());
        assert!(serde_json::from_str::<PowerLimit>("0").is_err());
    }
}
