//! How far purchases have paid for themselves, and when they will have.

use super::HouseWithout;
use super::amounts::{DAYS_A_YEAR, negative};
use crate::domain::{Decimal, LocalDate, Timestamp};
use crate::house::known_year::PaybackReason;

/// Purchases that the same savings pay for.
#[derive(Clone, Debug, PartialEq)]
pub struct Payback {
    /// The savings: of the house with these, compared with the house without them.
    pub by: HouseWithout,
    /// The purchases, by name.
    pub purchases: Vec<String>,
    /// Their amounts without subsidies.
    pub price: Decimal,
    /// The day of the first purchase.
    pub since: LocalDate,
    /// Readings and prices are known from then on; `None` if they are not known at all.
    pub known_from: Option<Timestamp>,
    /// The savings since then, in the time that has readings and prices; `None` without a sensor.
    pub saved: Option<Decimal>,
    /// The likely savings before, by the last twelve months; `None` without these.
    pub assumed: Option<Decimal>,
    /// The costs of the purchases since their dates, besides their prices.
    pub costs: Decimal,
    /// The savings of the last twelve months, less the costs of a year; `None` if fewer are known.
    pub per_year: Option<Decimal>,
    /// The day when they will have paid for themselves.
    pub expected: Option<LocalDate>,
    /// Why there is no such day.
    pub reason: Option<PaybackReason>,
}

/// Behind so many days, no day is expected.
const MOST_DAYS: i64 = 200 * DAYS_A_YEAR;

impl Payback {
    /// The savings so far, less the costs besides the prices; `None` if they are unknown.
    #[must_use]
    pub fn earned(&self) -> Option<Decimal> {
        let saved = self.saved?;
        let saved = saved.saturating_add(self.assumed.unwrap_or_default());
        Some(saved.saturating_add(negative(self.costs)))
    }

    /// The part of the price that they have paid back, from 0 on; `None` if it is unknown, or if
    /// they cost nothing.
    #[must_use]
    pub fn paid_back(&self) -> Option<f64> {
        let earned = self.earned()?.to_f64();
        let has_price = self.price > Decimal::ZERO;
        has_price.then(|| (earned / self.price.to_f64()).max(0.0))
    }

    /// Finds the expected day, or the reason why there is none.
    pub(super) fn find_day(&mut self, unknown: Option<PaybackReason>, today: LocalDate) {
        let Some(earned) = self.earned() else {
            self.reason = unknown;
            return;
        };
        let left = self.price.saturating_add(negative(earned));
        if left <= Decimal::ZERO {
            self.reason = Some(PaybackReason::PaidBack);
            return;
        }
        self.expected = self
            .per_year
            .and_then(|per_year| day_of(left, per_year, today.max(self.since)));
        if self.expected.is_none() {
            self.reason = Some(unknown.unwrap_or(PaybackReason::NoSavings));
        }
    }
}

/// The day until which an amount is earned; `None` if that never happens.
fn day_of(left: Decimal, per_year: Decimal, from: LocalDate) -> Option<LocalDate> {
    let per_year = i128::from(per_year.millionths());
    if per_year <= 0 {
        return None;
    }
    let days = i128::from(left.millionths()) * i128::from(DAYS_A_YEAR);
    let days = (days + per_year - 1) / per_year;
    let days = i64::try_from(days).ok().filter(|days| *days <= MOST_DAYS)?;
    from.plus_days(i32::try_from(days).ok()?)
}
