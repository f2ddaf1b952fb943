//! Exact amounts of money.

use std::iter::Sum;
use std::ops::{Add, Neg, Sub};

use super::percent::Percent;
use crate::domain::{Decimal, MicroWh};

/// An amount of money before it is rounded: whole 10^-15 of the currency, which is a millionth of
/// it per kilowatt-hour times a millionth of a watt-hour.
///
/// So the price of energy is exact, and so are sums in any order. Arithmetic stays at the ends and
/// never overflows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(i128);

/// The smallest amounts in a millionth of the currency.
const PER_MILLIONTH: i128 = 1_000_000_000;

/// Energy and its amount.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PricedEnergy(pub(super) MicroWh, pub(super) Amount);

impl PricedEnergy {
    /// Adds energy at a price of a kilowatt-hour.
    pub(super) fn add(&mut self, price: Decimal, energy: MicroWh) {
        *self = Self(self.0 + energy, self.1 + Amount::of(price, energy));
    }
}

impl Amount {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// An amount in units of 10^-15 of the currency.
    #[cfg(test)]
    pub const fn new(smallest: i128) -> Self {
        Self(smallest)
    }

    /// In 10^-15 of the currency.
    #[cfg(test)]
    pub const fn smallest(self) -> i128 {
        self.0
    }

    /// What `energy` costs at a price per kilowatt-hour.
    #[must_use]
    pub fn of(price: Decimal, energy: MicroWh) -> Self {
        Self(i128::from(price.millionths()).saturating_mul(i128::from(energy.millionths())))
    }

    /// The part of a price that falls into the first `part_ms` of its `whole_ms`; rounded down, so
    /// that the parts between ascending points add up to the whole.
    #[must_use]
    pub fn share(price: Decimal, part_ms: i64, whole_ms: i64) -> Self {
        let whole = i128::from(price.millionths()).saturating_mul(PER_MILLIONTH);
        let part = whole.saturating_mul(i128::from(part_ms));
        Self(part.checked_div_euclid(i128::from(whole_ms)).unwrap_or(0))
    }

    /// A price per kilowatt-hour times an energy in millionths of a watt-hour, divided by `divisor`
    /// and rounded down.
    pub(super) fn ratio(price: Decimal, energy: i128, divisor: i128) -> Self {
        let product = i128::from(price.millionths()).saturating_mul(energy);
        Self(product.checked_div_euclid(divisor).unwrap_or(0))
    }

    /// This amount times `part / whole`, rounded down; nothing if `whole` is none.
    #[must_use]
    pub fn scaled(self, part: MicroWh, whole: MicroWh) -> Self {
        let [part, whole] = [part, whole].map(|energy| i128::from(energy.millionths()));
        // By quotient and remainder, since the whole product can be too large.
        let Some(quotient) = self.0.checked_div_euclid(whole) else {
            return Self::ZERO;
        };
        let rest = (self.0.rem_euclid(whole) * part).div_euclid(whole);
        Self(quotient.saturating_mul(part).saturating_add(rest))
    }

    /// The nearest price of a kilowatt-hour at which energy costs this amount; `None` if there is no
    /// energy.
    #[must_use]
    pub fn per_kilowatthour(self, energy: MicroWh) -> Option<Decimal> {
        let sign = energy.millionths().signum();
        let [value, energy] =
            [self.0, i128::from(energy.millionths())].map(|it| it.saturating_mul(sign.into()));
        // A half is rounded up.
        let doubled = value.saturating_mul(2).saturating_add(energy);
        let price = doubled.checked_div_euclid(energy.saturating_mul(2))?;
        i64::try_from(price).ok().map(Decimal::from_millionths)
    }

    /// A percentage of this amount, rounded down.
    #[must_use]
    pub fn percent(self, percent: Percent) -> Self {
        const WHOLE: i128 = 10_000_000_000;
        // By quotient and remainder, since the whole product can be too large.
        let rate = i128::from(percent.hundred_millionths());
        let whole = self.0.div_euclid(WHOLE).saturating_mul(rate);
        let rest = (self.0.rem_euclid(WHOLE) * rate).div_euclid(WHOLE);
        Self(whole.saturating_add(rest))
    }

    /// The nearest millionth of the currency, half of one away from zero.
    #[must_use]
    pub fn rounded(self) -> Decimal {
        let half = if self.0 < 0 {
            -PER_MILLIONTH
        } else {
            PER_MILLIONTH
        } / 2;
        let millionths = self.0.saturating_add(half) / PER_MILLIONTH;
        let end = if self.0 < 0 { i64::MIN } else { i64::MAX };
        Decimal::from_millionths(i64::try_from(millionths).unwrap_or(end))
    }
}

impl Add for Amount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Amount {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    #[test]
    fn half_a_millionth_is_rounded_away_from_zero() {
        for (smallest, millionths) in [
            (499_999_999, 0),
            (500_000_000, 1),
            (1_499_999_999, 1),
            (-499_999_999, 0),
            (-500_000_000, -1),
            (i128::MAX, i64::MAX),
            (i128::MIN, i64::MIN),
        ] {
            let rounded = Amount::new(smallest).rounded();
            assert_eq!(rounded.millionths(), millionths, "{smallest}");
        }
    }

    #[test]
    fn energy_time_and_percent_have_amounts() {
        // A watt-hour at 0.3215 a kilowatt-hour.
        let watthour = Amount::of(decimal("0.3215"), MicroWh::new(1_000_000));
        assert_eq!(watthour.smallest(), 321_500_000_000);
        assert_eq!(watthour.rounded(), decimal("0.000322"));
        // A day of a month of 30 days.
        assert_eq!(Amount::share(decimal("9"), 1, 30).rounded(), decimal("0.3"));
        assert_eq!(Amount::share(decimal("9"), 1, 0), Amount::ZERO);
        let net = Amount::share(decimal("100"), 1, 1);
        assert_eq!(
            net.percent(Percent::parse("19").unwrap()).rounded(),
            decimal("19")
        );
        assert_eq!(
            (-net).percent(Percent::parse("0.5").unwrap()).rounded(),
            decimal("-0.5")
        );
        let third = Amount::of(decimal("0.3215"), MicroWh::new(-1_000_000_007));
        assert_eq!(
            third.per_kilowatthour(MicroWh::new(-1_000_000_007)),
            Some(decimal("0.3215"))
        );
        assert_eq!(
            net.per_kilowatthour(MicroWh::new(3_000_000_000)),
            Some(decimal("33.333333"))
        );
        assert_eq!(net.per_kilowatthour(MicroWh::ZERO), None);
        let part = |part, whole| net.scaled(MicroWh::new(part), MicroWh::new(whole));
        assert_eq!(part(1, 4).rounded(), decimal("25"));
        assert_eq!(
            (part(1, 0), part(-1, 4).rounded()),
            (Amount::ZERO, decimal("-25"))
        );
        let huge = Amount::new(i128::MAX)
            .percent(Percent::parse("50").unwrap())
            .smallest();
        assert!((huge - i128::MAX / 2).abs() <= 1);
    }
}
