//! Parts of amounts, and days.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Decimal, LocalDate};

/// A year of costs is spread over so many days.
pub(super) const DAYS_A_YEAR: i64 = 365;

/// A part of an amount, as the first number is of the second one; rounded down.
pub(super) fn times(amount: Decimal, (part, whole): (i64, i64)) -> Decimal {
    let product = i128::from(amount.millionths()) * i128::from(part);
    let quotient = product.checked_div_euclid(i128::from(whole)).unwrap_or(0);
    Decimal::from_millionths(i64::try_from(quotient).unwrap_or(i64::MAX))
}

pub(super) fn negative(amount: Decimal) -> Decimal {
    Decimal::from_millionths(amount.millionths().saturating_neg())
}

pub(super) fn days_between(from: LocalDate, to: LocalDate) -> i64 {
    (to.midnight().millis() - from.midnight().millis()) / MS_PER_DAY
}
