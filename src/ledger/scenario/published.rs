//! Prices and credits of consecutive quarters of an hour, and until when they are known at each.

use crate::domain::Decimal;

/// The prices of a kilowatt-hour from the grid, and the credits of one that is fed in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedPrices {
    /// The number of the first quarter, as [`super::HouseQuarter::number`] counts.
    first: i64,
    /// `None` where energy has no price.
    prices: Vec<Option<Decimal>>,
    /// `None` where feeding in earns nothing.
    credits: Vec<Option<Decimal>>,
    /// For each quarter, the first place whose price nobody knows yet then; ascending.
    until: Vec<usize>,
}

impl PublishedPrices {
    /// No prices yet, from this quarter on.
    #[must_use]
    pub const fn starting(first: i64) -> Self {
        Self {
            first,
            prices: Vec::new(),
            credits: Vec::new(),
            until: Vec::new(),
        }
    }

    /// Adds the price and the credit of the next quarter. When it begins, those before the quarter
    /// with the number `until` are known.
    pub fn push(&mut self, (price, credit): (Option<Decimal>, Option<Decimal>), until: i64) {
        let until = usize::try_from(until.saturating_sub(self.first)).unwrap_or(0);
        self.prices.push(price);
        self.credits.push(credit);
        self.until.push(until);
    }

    /// The price of a quarter; `None` where it has none.
    #[must_use]
    pub fn at(&self, number: i64) -> Option<Decimal> {
        let place = usize::try_from(number.saturating_sub(self.first)).ok()?;
        self.prices.get(place).copied().flatten()
    }

    /// The credit of a quarter; `None` where it has none.
    #[must_use]
    pub fn credit_at(&self, number: i64) -> Option<Decimal> {
        let place = usize::try_from(number.saturating_sub(self.first)).ok()?;
        self.credits.get(place).copied().flatten()
    }

    /// The later quarters whose prices are known when this one begins: their numbers and prices.
    pub fn ahead(&self, number: i64) -> impl Iterator<Item = (i64, Decimal)> {
        let place = usize::try_from(number.saturating_sub(self.first)).ok();
        let until = place.and_then(|place| self.until.get(place)).copied();
        let until = until.unwrap_or(0).min(self.prices.len());
        let after = place.map_or(until, |place| place.saturating_add(1));
        let later = self.prices.get(after..until).unwrap_or_default();
        let numbers = number.saturating_add(1)..;
        numbers
            .zip(later)
            .filter_map(|(number, price)| Some((number, (*price)?)))
    }

    /// The number of the first quarter whose price nobody knows when this one begins.
    #[must_use]
    pub fn known_until(&self, number: i64) -> i64 {
        let place = usize::try_from(number.saturating_sub(self.first)).ok();
        let until = place.and_then(|place| self.until.get(place)).copied();
        let until = until.unwrap_or(0).min(self.prices.len());
        self.first
            .saturating_add(i64::try_from(until).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_known_so_far() {
        let mut known = PublishedPrices::starting(100);
        let price = |cents: i64| Some(Decimal::from_millionths(cents * 10_000));
        for (cents, until) in [(30, 102), (20, 102), (25, 104), (10, 999)] {
            known.push((price(cents), None), until);
        }
        known.push((None, price(1)), 999);
        known.push((price(5), price(2)), 999);
        let ahead = |number| known.ahead(number).map(|(it, _)| it).collect::<Vec<_>>();
        assert_eq!(ahead(100), [101]);
        assert_eq!(ahead(101), [0_i64; 0]);
        assert_eq!(ahead(102), [103]);
        // Times without a price are left out.
        assert_eq!(ahead(103), [105]);
        assert_eq!(ahead(99), [0_i64; 0]);
        assert_eq!(ahead(200), [0_i64; 0]);
        assert_eq!((known.at(101), known.at(104)), (price(20), None));
        assert_eq!((known.at(99), known.at(106)), (None, None));
        let credits = [101, 104, 105, 106].map(|number| known.credit_at(number));
        assert_eq!(credits, [None, price(1), price(2), None]);
        assert_eq!((known.known_until(100), known.known_until(103)), (102, 106));
    }
}
