//! The prices that a pricing needs next, of all its series.

use crate::domain::{AccountName, Timestamp};
use crate::ledger::contract::{Label, PriceSeries, SeriesError};
use crate::store::{Store, StoreError};

/// Price series of an account, some thousand prices at a time: an account may have millions, and
/// many requests may need costs.
#[derive(Clone, Debug)]
pub(super) struct PriceWindow {
    account: AccountName,
    names: Vec<Label>,
    /// Until here prices were read last.
    until: Timestamp,
    end: Timestamp,
    /// Prices besides the stored ones.
    extra: Vec<PriceSeries>,
}

/// Prices that several pricings share.
pub(super) struct SeriesWindow {
    pub(super) window: PriceWindow,
    pub(super) series: Vec<PriceSeries>,
}

impl PriceWindow {
    /// The prices of these series until before `end`. None is read yet.
    pub(super) const fn new(account: AccountName, names: Vec<Label>, end: Timestamp) -> Self {
        let until = if names.is_empty() {
            Timestamp::MAX
        } else {
            Timestamp::MIN
        };
        Self {
            account,
            names,
            until,
            end,
            extra: Vec::new(),
        }
    }

    /// It with further prices, where none are stored.
    pub(super) fn with_extra(mut self, extra: &[PriceSeries]) -> Self {
        self.extra = extra.to_vec();
        self
    }

    /// The names of its series, ascending.
    pub(super) fn names(&self) -> &[Label] {
        &self.names
    }

    /// Nothing is known of prices from here on.
    pub(super) const fn until(&self) -> Timestamp {
        self.until
    }

    /// The prices from `time` on, if that is not before [`Self::until`]. Blocks on the disk.
    pub(super) fn load(
        &mut self,
        store: &Store,
        time: Timestamp,
    ) -> Result<Option<Vec<PriceSeries>>, StoreError> {
        if time < self.until {
            return Ok(None);
        }
        let mut until = self.end;
        let mut series = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let page = store.price_page(&self.account, name, (time, until))?;
            until = page.next.map_or(until, |next| next.min(until));
            let damaged = |error: SeriesError| {
                StoreError::Damaged(format!("prices of the series {name}: {error}"))
            };
            let stored = PriceSeries::new(name.clone(), page.prices).map_err(damaged)?;
            let extra = self.extra.iter().find(|one| one.name().is_same(name));
            series.push(match extra {
                Some(extra) => extra.clone().named(name.clone()).merged(&stored),
                None => stored,
            });
        }
        self.until = until;
        Ok(Some(series))
    }
}

impl SeriesWindow {
    pub(super) const fn new(window: PriceWindow) -> Self {
        Self {
            window,
            series: Vec::new(),
        }
    }

    /// The prices from `time` on, if that is not before the end of the known ones. Blocks on the disk.
    pub(super) fn load(&mut self, store: &Store, time: Timestamp) -> Result<(), StoreError> {
        if let Some(series) = self.window.load(store, time)? {
            self.series = series;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Decimal, MeterKind, Role, TimeRange};
    use crate::house::statement;
    use crate::house::tests::{at, import, open};
    use crate::ledger::contract::{Contract, ContractChange, SeriesPrice};

    #[test]
    fn windows_follow_each_other_and_hold_few_prices() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[]);
        let start = at("2020-01-01T00:00:00");
        let time = |minute: i64| start.saturating_add_millis(minute * 60_000);
        let put = |name: &str, length: i64, count: i64| {
            let price = |n: i64| SeriesPrice {
                from: time(n * length),
                to: time((n + 1) * length),
                // The same again and again makes the fullest chunks.
                price: Decimal::ONE,
            };
            let name = Label::new(name).unwrap();
            let series = PriceSeries::new(name, (0..count).map(price).collect()).unwrap();
            store.put_prices_durably(&account.name, &series).unwrap();
            series
        };
        let all = [put("minutes", 1, 60_000), put("hours", 60, 1_000)];
        let names = all.iter().map(|series| series.name().clone()).collect();
        let end = time(59_000);
        let mut window = PriceWindow::new(account.name.clone(), names, end);
        let mut known: [Vec<SeriesPrice>; 2] = [Vec::new(), Vec::new()];
        let (mut from, mut windows) = (start, 0);
        while from < end {
            let loaded = window.load(&store, from).unwrap().unwrap();
            assert_eq!(window.load(&store, from).unwrap(), None);
            for (series, known) in loaded.iter().zip(&mut known) {
                assert!(series.prices().len() < 12_000);
                let within = series.prices().iter();
                known.extend(within.filter(|it| from <= it.from && it.from < window.until()));
            }
            assert!(window.until() > from);
            from = window.until();
            windows += 1;
        }
        assert!(windows > 4, "{windows}");
        for (series, known) in all.iter().zip(known) {
            let range = TimeRange::new(start, end).unwrap();
            let whole = store.prices(&account.name, series.name(), range).unwrap();
            assert_eq!(known, whole.prices());
        }
    }
    #[test]
    fn a_statement_across_windows_is_that_of_all_prices() {
        let dir = tempfile::tempdir().unwrap();
        let grid = [("grid", Role::GridImport, MeterKind::Counter)];
        let (store, account) = open(dir.path(), &grid);
        let contract = r#"{"from":"2020-01-01","name":"Market","currency":"€","components":[
            {"energy":{"series":"quarters"}},{"energy":{"name":"network","series":"hours"}}]}"#;
        let contract = Contract::parse(contract).unwrap();
        let put = ContractChange::Put(Box::new(contract));
        store
            .edit({
                let name = account.name.clone();
                move |edit| edit.change_contracts(&name, put)
            })
            .unwrap();
        let start = at("2025-01-01T00:00:00");
        let quarter = |n: i64| start.saturating_add_millis(n * 900_000);
        // A year; one series has no price on one day.
        let (year, gap) = (365 * 96, 9_600..9_696);
        let mut expected = 0;
        for (name, length) in [("quarters", 1_i64), ("hours", 4)] {
            let beginnings = (0..year).filter(|n| n % length == 0);
            let beginnings = beginnings.filter(|n| length > 1 || !gap.contains(n));
            let priced = beginnings.map(|n| {
                // Each its own, so that a chunk has some hundred.
                let millionths = n * 7_919 % 500_000;
                if !gap.contains(&n) {
                    expected += millionths * length;
                }
                SeriesPrice {
                    from: quarter(n),
                    to: quarter(n + length),
                    price: Decimal::from_millionths(millionths),
                }
            });
            let series = PriceSeries::new(Label::new(name).unwrap(), priced.collect()).unwrap();
            store.put_prices_durably(&account.name, &series).unwrap();
        }
        // A kilowatt-hour in each quarter of an hour.
        let registers = (0..=365_u32).map(|day| {
            let time = quarter(i64::from(day) * 96);
            (time, f64::from(day) * 96_000.0)
        });
        import(&store, "grid", &registers.collect::<Vec<_>>());
        let end = quarter(year);
        let found = statement(&store, &account, start..end, end).unwrap();
        let network_of_gap: i64 = (9_600..9_696)
            .filter(|n| n % 4 == 0)
            .map(|n| n * 7_919 % 500_000 * 4)
            .sum();
        assert_eq!(found.bill.total.millionths(), expected + network_of_gap);
        assert_eq!(found.bill.unpriced.imported.watthours(), 96_000.0);
    }
}
