//! Where a price series has no prices.

use std::ops::Range;

use crate::domain::{AccountName, Timestamp};
use crate::ledger::contract::Label;
use crate::store::{Store, StoreError};

/// The gaps between the prices of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceGaps {
    /// Their number.
    pub count: u64,
    /// The newest ones, at most [`Self::MOST`], in order of time.
    pub newest: Vec<Range<Timestamp>>,
}

impl PriceGaps {
    /// The most gaps that are listed.
    pub const MOST: usize = 20;

    /// The gaps of a series; none of a series that there is not. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(store: &Store, account: &AccountName, name: &Label) -> Result<Self, StoreError> {
        let mut gaps = Self::default();
        let mut end: Option<Timestamp> = None;
        let mut next = Some(Timestamp::MIN);
        while let Some(from) = next {
            let page = store.price_page(account, name, (from, Timestamp::MAX))?;
            for price in page.prices {
                if let Some(end) = end.filter(|end| *end < price.from) {
                    gaps.count += 1;
                    if gaps.newest.len() == Self::MOST {
                        gaps.newest.remove(0);
                    }
                    gaps.newest.push(end..price.from);
                }
                end = Some(price.to);
            }
            next = page.next;
        }
        Ok(gaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Decimal;
    use crate::house::tests::open;
    use crate::ledger::contract::{PriceLength, PriceSeries};

    #[test]
    fn gaps_lie_between_prices() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[]);
        let name = Label::new("day-ahead").unwrap();
        let start = Timestamp::parse("2026-01-01T00:00:00").unwrap();
        let hour = |hour: i64| start.saturating_add_millis(hour * 3_600_000);
        let put = |hours: &[i64]| {
            let prices = hours.iter().map(|at| (hour(*at), Decimal::ZERO));
            let length = PriceLength::Hour;
            let series = PriceSeries::from_beginnings(
                name.clone(),
                prices.map(|(from, price)| (from, Some(price))).collect(),
                length,
            );
            let put = store.put_prices_durably(&account.name, &series.unwrap());
            put.unwrap();
        };
        let gaps = || PriceGaps::of(&store, &account.name, &name).unwrap();
        assert_eq!(gaps(), PriceGaps::default());
        put(&[0, 1, 2, 5, 6, 9]);
        let found = gaps();
        assert_eq!(found.newest, [hour(3)..hour(5), hour(7)..hour(9)]);
        assert_eq!(found.count, 2);
        put(&[3, 4]);
        assert_eq!(gaps().newest, [hour(7)..hour(9)]);
        // Over more than a page of prices, each second hour.
        let many: Vec<i64> = (5_000..45_000).filter(|hour| hour % 2 == 0).collect();
        put(&many);
        let found = gaps();
        assert_eq!(found.count, 1 + 1 + 19_999);
        assert_eq!(found.newest.len(), PriceGaps::MOST);
        assert_eq!(found.newest.last(), Some(&(hour(44_997)..hour(44_998))));
    }
}
