//! Numbers as integer steps, and the prediction of steps.
//!
//! A meter shows a fixed number of decimals, and often only multiples of 2 or 5 of the last one. So
//! a number is `(base + unit * step) / 10^decimals`, provided that this restores the exact bits of
//! every number in the block. It does not for -0.0 and for numbers of 2^53 steps or more.
//!
//! A step is stored as its difference from the prediction, which uses earlier readings of its page
//! only.

use crate::store::blocks::block::format::DecodeError;
use crate::store::blocks::block::varint;

/// 10^0 to 10^6. All are exact as f64, so a division by them is correctly rounded.
const POWERS: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
/// Below this, every integer is an exact f64.
const EXACT: u64 = 1 << 53;
const MS_PER_HOUR: f64 = 3_600_000.0;
/// Phases per step.
const PHASES: f64 = 256.0;

/// Converts between numbers and steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scale {
    pub(crate) decimals: u8,
    base: i64,
    unit: i64,
}

/// Predicts the steps of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Predictor {
    /// Always 0.
    None = 0,
    /// The step before.
    Last = 1,
    /// The step before plus its own difference, which is 0 for the first step of a page.
    Trend = 2,
    /// For a register: the step before plus the energy since, each reading's power over the time
    /// since the reading before.
    Power = 3,
    /// The same, with the mean of the two readings' power.
    MeanPower = 4,
}

impl Predictor {
    pub(crate) const fn of(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::None,
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

    /// Appends the differences of a page's steps from their predictions, the first step left out.
    /// `energies` come from [`energy_steps`], one per difference; only [`Self::needs_power`] uses
    /// them.
    pub(crate) fn differences(
        self,
        steps: &[i64],
        energies: impl IntoIterator<Item = i64>,
        into: &mut Vec<i64>,
    ) {
        // Wrapping from here on, as in `steps`: so any steps are restored, even those of a damaged
        // block.
        let later = steps.get(1..).unwrap_or_default();
        let pairs = || steps.iter().zip(later);
        match self {
            Self::None => into.extend_from_slice(later),
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
                into.extend(
                    pairs().zip(energies).map(|((last, step), energy)| {
                        step.wrapping_sub(*last).wrapping_sub(energy)
                    }),
                );
            }
        }
    }

    /// Appends the steps of a page, given its first one and its [`Self::differences`].
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
            Self::None => into.extend_from_slice(differences),
            Self::Last => into.extend(differences.iter().map(|&difference| add(difference))),
            Self::Trend => {
                let mut slope = 0_i64;
                into.extend(differences.iter().map(|&difference| {
                    slope = slope.wrapping_add(difference);
                    add(slope)
                }));
            }
            Self::Power | Self::MeanPower => {
                let slopes = differences.iter().zip(energies);
                into.extend(
                    slopes.map(|(difference, energy)| add(difference.wrapping_add(energy))),
                );
            }
        }
    }
}

impl Scale {
    /// The scale and the steps of integers.
    pub(crate) fn of_whole(mut numbers: Vec<i64>) -> (Self, Vec<i64>) {
        let base = numbers.first().copied().unwrap_or(0);
        let mut unit = 0;
        for number in &mut numbers {
            *number = number.wrapping_sub(base);
            // Once the divisor is 1 it stays so.
            if unit != 1 {
                unit = common_divisor(unit, number.unsigned_abs());
            }
        }
        // It is 0 if all numbers are equal.
        // A divisor of 2^63 does not fit, but 1 divides everything, too.
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

    /// The scale and the steps of `numbers`; `None` if steps would not restore one of them exactly.
    pub(crate) fn of(numbers: &[f64]) -> Option<(Self, Vec<i64>)> {
        let mut decimals = 0_u8;
        let mut power = 1.0;
        for &number in numbers {
            // Earlier numbers are checked again below: more decimals may lose the exact bits of
            // one.
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

    /// The number of a step, without its decimals.
    pub(crate) const fn whole(self, step: i64) -> i64 {
        self.base.wrapping_add(self.unit.wrapping_mul(step))
    }

    /// The step of a number without its decimals, which must be one of those that the scale was
    /// computed from.
    pub(crate) const fn step(self, whole: i64) -> i64 {
        // The unit is 0 or -1 only in forged blocks, and those are not encoded.
        whole.wrapping_sub(self.base) / if self.unit > 0 { self.unit } else { 1 }
    }

    /// A register in millionths.
    pub(crate) fn millionths(self, step: i64) -> i128 {
        i128::from(self.base) * self.millionths_per_whole() + self.millionths_between(step)
    }

    /// The difference of two registers that are `steps` apart, in millionths.
    pub(crate) fn millionths_between(self, steps: i64) -> i128 {
        i128::from(self.unit) * i128::from(steps) * self.millionths_per_whole()
    }

    fn millionths_per_whole(self) -> i128 {
        // At most 6 decimals.
        10_i128.pow(6_u32.saturating_sub(self.decimals.into()))
    }

    /// The difference of two numbers that are `steps` apart, without decimals.
    pub(crate) const fn distance(self, steps: i64) -> i64 {
        self.unit.wrapping_mul(steps)
    }

    pub(crate) fn number(self, step: i64) -> f64 {
        self.over_power(self.whole(step))
    }

    /// The sum of `count` numbers, given the sum of their steps.
    pub(crate) fn sum(self, count: u32, steps: i64) -> f64 {
        // 256 numbers below 2^53 cannot overflow. Those of a forged block may, and must not panic.
        let bases = self.base.wrapping_mul(i64::from(count));
        self.over_power(bases.wrapping_add(self.unit.wrapping_mul(steps)))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "below 2^53 in any block that we wrote"
    )]
    fn over_power(self, whole: i64) -> f64 {
        whole as f64 / self.power()
    }

    fn power(self) -> f64 {
        let power = POWERS.get(usize::from(self.decimals));
        power.copied().unwrap_or(1.0)
    }

    /// Steps per watt-millisecond.
    #[expect(clippy::cast_precision_loss, reason = "a prediction may be inexact")]
    pub(crate) fn steps_per_watt_ms(self) -> f64 {
        // A forged block may have the unit 0: the energies are then infinite or NaN, which `floor`
        // allows.
        self.power() / (MS_PER_HOUR * self.unit as f64)
    }
}

/// `number` times `power` as an integer, if dividing that restores `number` exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the result is checked against the number"
)]
fn whole_of(number: f64, power: f64) -> Option<i64> {
    // Adding a half before the cast, which cuts off the fraction, rounds to the nearest integer.
    let whole = (number * power + 0.5_f64.copysign(number)) as i64;
    // Bits, because -0.0 equals 0.0 but must be restored, too.
    let is_exact = (whole as f64 / power).to_bits() == number.to_bits();
    // The minimum i64, which -2^63 gives, has no absolute value as i64.
    (is_exact && whole.unsigned_abs() < EXACT).then_some(whole)
}

const fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Appends, for each reading of a page, the energy since the page's first, in steps of the
/// register. A reading without power has 0 `watts`.
pub(crate) fn energies(
    times: &[i64],
    watts: &[f64],
    scale: Scale,
    predictor: Predictor,
    energies: &mut Vec<f64>,
) {
    let steps_per_watt_ms = scale.steps_per_watt_ms();
    let half = if predictor == Predictor::MeanPower {
        0.5
    } else {
        0.0
    };
    let mut sum = 0.0;
    energies.push(sum);
    let later = times.get(1..).unwrap_or_default().iter();
    let later = later.zip(watts.get(1..).unwrap_or_default());
    energies.extend(times.iter().zip(watts).zip(later).map(
        |((time, watts), (later, later_watts))| {
            #[expect(clippy::cast_precision_loss, reason = "below 2^53 milliseconds")]
            let ms = later.wrapping_sub(*time) as f64;
            // Encoder and decoder must get the same bits: Rust neither reorders these operations
            // nor fuses them. Watts near the limits of `f64` may give NaN, which is a bad
            // prediction, but the same one on both sides.
            sum += (later_watts + half * (watts - later_watts)) * ms * steps_per_watt_ms;
            sum
        },
    ));
}

/// The energies between neighbours as integer steps. The fraction that remains of each, at first
/// the phase, carries over.
pub(crate) fn energy_steps(energies: &[f64], phase: u8) -> impl Iterator<Item = i64> {
    // Energies count from the page's first reading, which need not have a register.
    let start = f64::from(phase) / PHASES - energies.first().copied().unwrap_or_default();
    let mut counted = 0;
    let later = energies.get(1..).unwrap_or_default();
    later.iter().map(move |energy| {
        let before = counted;
        counted = floor(energy + start);
        counted.wrapping_sub(before)
    })
}

/// The phase with which the energies predict the steps best. When the page began, a register that
/// integrates the power was somewhere between two steps.
pub(crate) fn phase(steps: &[i64], energies: &[f64]) -> u8 {
    let (Some(first), Some(start)) = (steps.first(), energies.first()) else {
        return 0;
    };
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    for (step, energy) in steps.iter().zip(energies) {
        #[expect(clippy::cast_precision_loss, reason = "a prediction may be inexact")]
        let ahead = step.wrapping_sub(*first) as f64 - (energy - start);
        low = low.min(ahead);
        high = high.max(ahead);
    }
    // Any phase of at least `high` reaches no step too late, any below `low + 1` none too early:
    // take the middle.
    let phase = f64::midpoint(high, low + 1.0).clamp(0.0, 1.0);
    u8::try_from(floor(phase * PHASES)).unwrap_or(u8::MAX)
}

/// NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the cast saturates"
)]
fn floor(number: f64) -> i64 {
    let towards_zero = number as i64;
    towards_zero.saturating_sub(i64::from(towards_zero as f64 > number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Predictor; 5] = [
        Predictor::None,
        Predictor::Last,
        Predictor::Trend,
        Predictor::Power,
        Predictor::MeanPower,
    ];

    /// Any number, or one at the limits of integers.
    fn any_number() -> impl Strategy<Value = f64> {
        let limits = [53_i32, 62, 63, 64].map(|power| 2.0_f64.powi(power));
        let limit = (proptest::sample::select(limits.to_vec()), any::<bool>());
        prop_oneof![
            any::<f64>(),
            limit.prop_map(|(limit, is_below)| if is_below { -limit } else { limit })
        ]
    }

    proptest! {
        #[test]
        fn steps_round_trip(steps in proptest::collection::vec(any::<i64>(), 1..20), energies in proptest::collection::vec(any::<i64>(), 19)) {
            for predictor in ALL {
                prop_assert_eq!(Predictor::of(predictor as u8), Some(predictor));
                let (mut differences, mut back) = (Vec::new(), Vec::new());
                predictor.differences(&steps, energies.iter().copied(), &mut differences);
                predictor.steps(steps[0], &differences, energies.iter().copied(), &mut back);
                prop_assert_eq!(&back, &steps);
            }
        }

        #[test]
        fn numbers_round_trip(numbers in proptest::collection::vec(any_number(), 1..4)) {
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
    fn numbers_that_steps_cannot_restore_are_refused() {
        let least = -9_223_372_036_854_775_808.0;
        let extremes = [least, -least, f64::MIN, f64::MAX, f64::MIN_POSITIVE];
        let others = [-0.0, 0.1 + 0.2, 1e300, 9_007_199_254_740_992.0, 1e-7];
        for number in others.into_iter().chain(extremes) {
            assert_eq!(Scale::of(&[1.0, number]), None, "{number}");
        }
    }

    #[test]
    fn a_register_that_integrates_the_power_is_predicted() {
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
        let mut predicted = Vec::new();
        energies(&times, &watts, scale, Predictor::Power, &mut predicted);
        let energies = energy_steps(&predicted, phase(&steps, &predicted));
        let mut differences = Vec::new();
        Predictor::Power.differences(&steps, energies, &mut differences);
        assert_eq!(differences, [0; 255]);
    }
}
