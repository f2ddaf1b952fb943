//! Numbers as whole steps, and what foretells them.
//!
//! A meter shows so many decimals, and often only every second or fifth of the numbers that these allow. So a number is
//! `(base + unit * step) / 10^decimals`, where that gives back its very bits for all numbers of a block; -0.0 and numbers from
//! 2^53 steps on are not of that kind.
//!
//! A step is written as its difference to what is foretold by the readings before it in its page.

use crate::store::blocks::block::DecodeError;
use crate::store::blocks::block::varint;

/// Those with which an f64 is divided exactly rounded: 10^0 to 10^6.
const POWERS: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// Whole f64 below it have no gaps.
const EXACT: i64 = 1 << 53;
const MS_PER_HOUR: f64 = 3_600_000.0;
/// A phase is so many parts of a step.
const PHASES: f64 = 256.0;

/// How numbers and steps become each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) decimals: u8,
    base: i64,
    unit: i64,
}

/// What a step is foretold from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foretold {
    /// It is not: 0.
    Not = 0,
    /// As the one before.
    Last = 1,
    /// As far from the one before as that from its own, which of the first in a page is no way.
    Trend = 2,
    /// A register from the one before and the energy since: each reading's power, over the time since the reading before it.
    Power = 3,
    /// The same with the mean of the power of both.
    MeanPower = 4,
}

impl Foretold {
    pub(crate) const fn of(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Not,
            1 => Self::Last,
            2 => Self::Trend,
            3 => Self::Power,
            4 => Self::MeanPower,
            _ => return None,
        })
    }

    pub(crate) const fn needs_power(self) -> bool {
        matches!(self, Self::Power | Self::MeanPower)
    }

    /// The steps behind the first of a page, less what is foretold. `energies` are those of [`whole`], one a step, where
    /// it takes them.
    pub(crate) fn differences(
        self,
        steps: &[i64],
        energies: impl IntoIterator<Item = i64>,
        into: &mut Vec<i64>,
    ) {
        let later = steps.get(1..).unwrap_or_default();
        let pairs = || steps.iter().zip(later);
        match self {
            Self::Not => into.extend_from_slice(later),
            Self::Last => into.extend(pairs().map(|(last, step)| step.wrapping_sub(*last))),
            Self::Trend => {
                let mut slope = 0;
                into.extend(pairs().map(|(last, step)| {
                    let before = slope;
                    slope = step.wrapping_sub(*last);
                    slope.wrapping_sub(before)
                }));
            }
            Self::Power | Self::MeanPower => {
                let foretold = pairs().zip(energies);
                let rest = foretold
                    .map(|((last, step), energy)| step.wrapping_sub(*last).wrapping_sub(energy));
                into.extend(rest);
            }
        }
    }

    /// The steps of a page from its first one and [`Self::differences`].
    pub(crate) fn steps(
        self,
        first: i64,
        differences: &[i64],
        energies: impl IntoIterator<Item = i64>,
        into: &mut Vec<i64>,
    ) {
        into.push(first);
        let mut step = first;
        let mut add = |slope: i64| {
            step = step.wrapping_add(slope);
            step
        };
        match self {
            Self::Not => into.extend_from_slice(differences),
            Self::Last => into.extend(differences.iter().map(|&difference| add(difference))),
            Self::Trend => {
                let mut slope = 0_i64;
                into.extend(differences.iter().map(|&difference| {
                    slope = slope.wrapping_add(difference);
                    add(slope)
                }));
            }
            Self::Power | Self::MeanPower => {
                let foretold = differences.iter().zip(energies);
                into.extend(
                    foretold.map(|(difference, energy)| add(difference.wrapping_add(energy))),
                );
            }
        }
    }
}

impl Scale {
    /// For numbers that are whole already.
    pub(crate) fn of_whole(mut numbers: Vec<i64>) -> (Self, Vec<i64>) {
        let base = numbers.first().copied().unwrap_or(0);
        let mut unit = 0;
        for number in &mut numbers {
            *number = number.wrapping_sub(base);
            if unit != 1 {
                unit = common_divisor(unit, number.unsigned_abs());
            }
        }
        let unit = i64::try_from(unit).unwrap_or(1).max(1);
        if unit > 1 {
            for number in &mut numbers {
                *number /= unit;
            }
        }
        let scale = Self {
            decimals: 0,
            base,
            unit,
        };
        (scale, numbers)
    }

    /// `None` where some number is not of that kind.
    pub(crate) fn of(numbers: &[f64]) -> Option<(Self, Vec<i64>)> {
        let mut decimals = 0_u8;
        let mut power = 1.0;
        for &number in numbers {
            while whole_of(number, power).is_none() {
                decimals += 1;
                power = *POWERS.get(usize::from(decimals))?;
            }
        }
        let whole = numbers.iter().map(|&number| whole_of(number, power));
        let (scale, steps) = Self::of_whole(whole.collect::<Option<_>>()?);
        Some((Self { decimals, ..scale }, steps))
    }

    pub(crate) fn put(self, bytes: &mut Vec<u8>) {
        varint::put_signed(bytes, self.base);
        varint::put_signed(bytes, self.unit);
    }

    pub(crate) fn take(decimals: u8, bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        if usize::from(decimals) >= POWERS.len() {
            return Err(DecodeError::Malformed("unknown decimals"));
        }
        Ok(Self {
            decimals,
            base: varint::take_signed(bytes)?,
            unit: varint::take_signed(bytes)?,
        })
    }

    /// The number of a step where there are no decimals.
    pub(crate) const fn whole(self, step: i64) -> i64 {
        self.base.wrapping_add(self.unit.wrapping_mul(step))
    }

    /// How far numbers without decimals are from each other whose steps are `steps` apart.
    pub(crate) const fn distance(self, steps: i64) -> i64 {
        self.unit.wrapping_mul(steps)
    }

    pub(crate) fn number(self, step: i64) -> f64 {
        self.over_power(self.whole(step))
    }

    /// The sum of numbers whose steps add up to `steps`.
    pub(crate) fn sum(self, count: u32, steps: i64) -> f64 {
        let bases = self.base.wrapping_mul(i64::from(count));
        self.over_power(bases.wrapping_add(self.unit.wrapping_mul(steps)))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "less than 2^53 where it was written"
    )]
    fn over_power(self, whole: i64) -> f64 {
        whole as f64 / self.power()
    }

    fn power(self) -> f64 {
        let power = POWERS.get(usize::from(self.decimals));
        power.copied().unwrap_or(1.0)
    }

    /// Steps a watt and millisecond.
    #[expect(
        clippy::cast_precision_loss,
        reason = "what is foretold need not be true"
    )]
    pub(crate) fn steps_per_watt_ms(self) -> f64 {
        self.power() / (MS_PER_HOUR * self.unit as f64)
    }
}

/// `number` times `power` as a whole number that gives it back.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "it is looked whether it gives the number back"
)]
fn whole_of(number: f64, power: f64) -> Option<i64> {
    let whole = (number * power + 0.5_f64.copysign(number)) as i64;
    let is_exact = (whole as f64 / power).to_bits() == number.to_bits();
    (is_exact && whole.abs() < EXACT).then_some(whole)
}

const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Appends the energy from the first reading of a page to each, in steps of the register. `watts` is 0 where power is missing.
pub(crate) fn energies(
    times: &[i64],
    watts: &[f64],
    scale: Scale,
    by: Foretold,
    energies: &mut Vec<f64>,
) {
    let steps_per_watt_ms = scale.steps_per_watt_ms();
    let half = if by == Foretold::MeanPower { 0.5 } else { 0.0 };
    let mut sum = 0.0;
    energies.push(sum);
    let later = times.get(1..).unwrap_or_default().iter();
    let later = later.zip(watts.get(1..).unwrap_or_default());
    energies.extend(times.iter().zip(watts).zip(later).map(
        |((time, watts), (later, later_watts))| {
            #[expect(clippy::cast_precision_loss, reason = "less than 2^53 milliseconds")]
            let ms = later.wrapping_sub(*time) as f64;
            sum += (later_watts + half * (watts - later_watts)) * ms * steps_per_watt_ms;
            sum
        },
    ));
}

/// The energies between neighbours as whole steps: the rest of each, at first the phase, goes over to the next.
pub(crate) fn whole(energies: &[f64], phase: u8) -> impl Iterator<Item = i64> {
    let start = f64::from(phase) / PHASES - energies.first().copied().unwrap_or_default();
    let mut counted = 0;
    let later = energies.get(1..).unwrap_or_default();
    later.iter().map(move |energy| {
        let before = counted;
        counted = floor(energy + start);
        counted.wrapping_sub(before)
    })
}

/// The phase with which the energies foretell the steps, if there is one: a register that counts what the readings say was
/// somewhere between two steps when the page began.
pub(crate) fn phase(steps: &[i64], energies: &[f64]) -> u8 {
    let (Some(first), Some(start)) = (steps.first(), energies.first()) else {
        return 0;
    };
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for (step, energy) in steps.iter().zip(energies) {
        #[expect(
            clippy::cast_precision_loss,
            reason = "what is foretold need not be true"
        )]
        let ahead = step.wrapping_sub(*first) as f64 - (energy - start);
        low = low.min(ahead);
        high = high.max(ahead);
    }
    // From `high` on no step is reached too late, below `low + 1` none too early.
    let phase = f64::midpoint(high, low + 1.0).clamp(0.0, 1.0);
    u8::try_from(floor(phase * PHASES)).unwrap_or(u8::MAX)
}

/// Not a number is 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "what is too great becomes the greatest"
)]
fn floor(number: f64) -> i64 {
    let towards_zero = number as i64;
    towards_zero.saturating_sub(i64::from(towards_zero as f64 > number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Foretold; 5] = [
        Foretold::Not,
        Foretold::Last,
        Foretold::Trend,
        Foretold::Power,
        Foretold::MeanPower,
    ];

    proptest! {
        #[test]
        fn steps_come_back(steps in proptest::collection::vec(any::<i64>(), 1..20), energies in proptest::collection::vec(any::<i64>(), 19)) {
            for by in ALL {
                prop_assert_eq!(Foretold::of(by as u8), Some(by));
                let (mut differences, mut back) = (Vec::new(), Vec::new());
                by.differences(&steps, energies.iter().copied(), &mut differences);
                by.steps(steps[0], &differences, energies.iter().copied(), &mut back);
                prop_assert_eq!(&back, &steps);
            }
        }

        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(any::<f64>(), 1..4)) {
            if let Some((scale, steps)) = Scale::of(&numbers) {
                for (step, number) in steps.iter().zip(&numbers) {
                    prop_assert_eq!(scale.number(*step).to_bits(), number.to_bits());
                }
            }
        }

        #[test]
        fn numbers_of_a_meter_are_steps(whole in proptest::collection::vec(-1_000_000_000_i64..1_000_000_000, 1..20), decimals in 0_u8..7, unit in 1_i64..20) {
            let power = POWERS[usize::from(decimals)];
            let number = |whole: &i64| f64::from(i32::try_from(*whole).unwrap()) / power;
            let numbers: Vec<f64> = whole.iter().map(number).filter(|number| number.to_bits() != (-0.0_f64).to_bits()).collect();
            let (scale, steps) = Scale::of(&numbers).unwrap();
            prop_assert!(scale.decimals <= decimals);
            for (step, number) in steps.iter().zip(&numbers) {
                prop_assert_eq!(scale.number(*step).to_bits(), number.to_bits());
            }
            let (scale, steps) = Scale::of_whole(whole.iter().map(|whole| whole * unit).collect());
            prop_assert!(scale.unit % unit == 0 || whole.iter().all(|other| *other == whole[0]));
            let back: Vec<i64> = steps.iter().map(|step| scale.whole(*step) / unit).collect();
            prop_assert_eq!(back, whole);
        }
    }

    #[test]
    fn what_steps_do_not_give_back_is_refused() {
        for number in [-0.0, 0.1 + 0.2, 1e300, 9_007_199_254_740_992.0, 1e-7] {
            assert_eq!(Scale::of(&[1.0, number]), None, "{number}");
        }
    }

    #[test]
    fn a_register_that_counts_the_readings_is_foretold() {
        let times: Vec<i64> = (0..256).map(|n| n * 60_000).collect();
        let watts: Vec<f64> = times
            .iter()
            .map(|ms| f64::from(u16::try_from(ms / 7 % 3_001).unwrap()))
            .collect();
        let mut energy = 12_345.678;
        let steps: Vec<i64> = watts
            .iter()
            .map(|watts| {
                energy += watts / 6.0;
                floor(energy)
            })
            .collect();
        let (scale, _) = Scale::of(&[0.0, 0.1]).unwrap();
        let mut foretold = Vec::new();
        energies(&times, &watts, scale, Foretold::Power, &mut foretold);
        let whole = whole(&foretold, phase(&steps, &foretold));
        let mut differences = Vec::new();
        Foretold::Power.differences(&steps, whole, &mut differences);
        assert_eq!(differences, [0; 255]);
    }
}
