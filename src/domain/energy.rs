//! Exact amounts of energy.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};

use super::number::finite;

/// An amount of energy, or a register: whole millionths of a watt-hour.
///
/// Sums and differences are exact, so a day is the sum of its hours in any order. The range is ±9.2
/// billion kilowatt-hours, which is more than a household's meter can show; arithmetic saturates
/// and never overflows.
///
/// ```
/// use wattkeeper::MicroWh;
///
/// let [before, after] = [1010.2, 1020.3].map(MicroWh::from_watthours);
/// assert_eq!((after - before).watthours(), 10.1);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MicroWh(i64);

/// Millionths in one.
const ONE: f64 = 1e6;

impl MicroWh {
    /// No energy.
    pub const ZERO: Self = Self(0);
    /// The largest amount.
    pub const MAX: Self = Self(i64::MAX);

    /// This energy; `None` at both ends of the numbers: those mean that or more.
    #[must_use]
    pub fn told(self) -> Option<Self> {
        (-Self::MAX < self && self < Self::MAX).then_some(self)
    }

    /// This many millionths of a watt-hour.
    #[must_use]
    pub const fn new(millionths: i64) -> Self {
        Self(millionths)
    }

    /// The amount nearest to `watthours`; zero if that is not a number.
    #[must_use]
    pub fn from_watthours(watthours: f64) -> Self {
        let millionths = finite(watthours) * ONE;
        // Like `round`, which is a function call on a plain x86-64 and takes several times as long.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "`as` goes to the nearest end, as intended; from 2^52 on there is no fraction"
        )]
        let (whole, fraction) = (millionths as i64, millionths - (millionths as i64) as f64);
        let up = i64::from(fraction >= 0.5) - i64::from(fraction <= -0.5);
        Self(whole.saturating_add(up))
    }

    /// In millionths of a watt-hour.
    #[must_use]
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// This many kilowatt-hours.
    #[must_use]
    pub fn of_kilowatthours(kilowatthours: crate::domain::Decimal) -> Self {
        // A millionth of a kilowatt-hour is a thousand millionths of a watt-hour.
        Self(kilowatthours.millionths().saturating_mul(1_000))
    }

    /// In watt-hours: the nearest number that prints without noise.
    #[must_use]
    pub fn watthours(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond 2^51 millionths, 2 GWh, a f64 has no place for a millionth"
        )]
        let millionths = self.0 as f64;
        millionths / ONE
    }

    /// The part of this energy that falls into the first `part_ms` of `whole_ms`, if it is spread
    /// evenly; rounded down, so that the parts between ascending points add up to the whole. All of
    /// it if `whole_ms` is not positive.
    #[must_use]
    pub fn part(self, part_ms: i64, whole_ms: i64) -> Self {
        if whole_ms <= 0 || part_ms >= whole_ms {
            return self;
        }
        let product = i128::from(self.0) * i128::from(part_ms.max(0));
        // At most the whole, which is an i64.
        i64::try_from(product.div_euclid(i128::from(whole_ms))).map_or(self, Self)
    }

    /// This energy times `part / whole`, rounded down; none if `whole` is none.
    #[must_use]
    pub fn scaled(self, part: Self, whole: Self) -> Self {
        let product = i128::from(self.0) * i128::from(part.0);
        let scaled = product.checked_div_euclid(i128::from(whole.0)).unwrap_or(0);
        let end = if scaled < 0 { i64::MIN } else { i64::MAX };
        Self(i64::try_from(scaled).unwrap_or(end))
    }
}

impl Add for MicroWh {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for MicroWh {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for MicroWh {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Sum for MicroWh {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Debug for MicroWh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Wh", self.watthours())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_end_where_a_meter_never_gets() {
        assert_eq!(MicroWh::from_watthours(1e300), MicroWh::MAX);
        assert_eq!(MicroWh::from_watthours(f64::INFINITY), MicroWh::MAX);
        assert_eq!(MicroWh::from_watthours(f64::NAN), MicroWh::ZERO);
        assert_eq!(MicroWh::MAX + MicroWh::new(1), MicroWh::MAX);
        assert_eq!(-MicroWh::new(i64::MIN), MicroWh::MAX);
        assert_eq!(MicroWh::new(-250_000).watthours(), -0.25);
        assert_eq!(format!("{:?}", MicroWh::new(1_500_000)), "1.5 Wh");
        let scaled = |energy, part, whole| {
            MicroWh::new(energy).scaled(MicroWh::new(part), MicroWh::new(whole))
        };
        assert_eq!(
            [scaled(7, 2, 4), scaled(-7, 2, 4)],
            [3, -4].map(MicroWh::new)
        );
        assert_eq!(scaled(7, 2, 0), MicroWh::ZERO);
        assert_eq!(scaled(i64::MAX, i64::MAX, 1), MicroWh::MAX);
    }

    proptest! {
        #[test]
        fn amounts_are_rounded(watthours in prop_oneof![any::<f64>(), -1e3..1e3, -1e-5..1e-5, -1e13..1e13], half in -9_999..9_999_i32) {
            #[expect(clippy::cast_possible_truncation, reason = "as in the code")]
            let rounded = |watthours: f64| (finite(watthours) * ONE).round() as i64;
            // Halves, and their closest neighbours.
            let half = (f64::from(half) + 0.5) / ONE;
            for watthours in [watthours, half, half.next_up(), half.next_down()] {
                prop_assert_eq!(MicroWh::from_watthours(watthours).millionths(), rounded(watthours));
            }
        }

        #[test]
        fn decimals_come_back(millionths in -(1_i64 << 51)..1 << 51) {
            let amount = MicroWh::new(millionths);
            prop_assert_eq!(MicroWh::from_watthours(amount.watthours()), amount);
        }

        #[test]
        fn parts_add_up_to_the_whole(
            whole in any::<i64>(), length in 1..i64::MAX, cuts in proptest::collection::vec(any::<i64>(), 0..5),
        ) {
            let mut cuts: Vec<i64> = cuts.iter().map(|cut| cut.rem_euclid(length)).collect();
            cuts.extend([0, length]);
            cuts.sort_unstable();
            let until: Vec<i128> = cuts
                .iter()
                .map(|&cut| MicroWh::new(whole).part(cut, length).millionths().into())
                .collect();
            let parts: i128 = until.windows(2).map(|pair| pair[1] - pair[0]).sum();
            prop_assert_eq!(parts, i128::from(whole));
            let exact = |cut: i64| i128::from(whole) * i128::from(cut) / i128::from(length);
            prop_assert!(cuts.iter().zip(until).all(|(&cut, part)| (exact(cut) - part).abs() <= 1));
        }
    }
}
