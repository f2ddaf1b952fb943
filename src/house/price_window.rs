//! The prices that a pricing needs next, of all its series.

use super::exchange::converted;
use crate::domain::{Account, AccountName, Currency, Timestamp};
use crate::ledger::contract::{
    Label, MeanPeriod, MeanPeriods, PriceSeries, SeriesError, SeriesPrice,
};
use crate::store::{Store, StoreError};

/// Price series of an account, some thousand prices at a time: an account may have millions, and
/// many requests may need costs.
#[derive(Clone, Debug)]
pub(super) struct PriceWindow {
    account: AccountName,
    names: Vec<Label>,
    /// The longest period whose mean prices are needed, and such periods.
    means: Option<(MeanPeriod, MeanPeriods)>,
    /// The currency of the contracts.
    currency: Option<Currency>,
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
    /// The prices of these series until before `end`. None is read yet. If the means of a period
    /// are needed, it has whole periods.
    pub(super) fn new(
        account: &Account,
        (names, mean, currency): (Vec<Label>, Option<MeanPeriod>, Option<&Currency>),
        end: Timestamp,
    ) -> Self {
        let until = if names.is_empty() {
            Timestamp::MAX
        } else {
            Timestamp::MIN
        };
        Self {
            account: account.name.clone(),
            names,
            currency: currency.cloned(),
            means: mean.map(|mean| (mean, MeanPeriods::new(mean, &account.zone))),
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

    /// The longest period whose mean prices are needed.
    pub(super) fn mean(&self) -> Option<MeanPeriod> {
        self.means.as_ref().map(|(mean, _)| *mean)
    }

    /// The currency of the contracts.
    pub(super) const fn currency(&self) -> Option<&Currency> {
        self.currency.as_ref()
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
        let mut from = time;
        // A window has the first period whole, however many prices that has.
        let mut least = Timestamp::MIN;
        if let Some((_, means)) = &mut self.means {
            (from, least) = means.containing(time);
            until = means.containing(until.saturating_add_millis(-1)).1;
        }
        let mut pages = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let (mut prices, mut at) = (Vec::new(), from);
            loop {
                let page = store.price_page(&self.account, name, (at, until))?;
                prices.extend(page.prices);
                match page.next.filter(|next| *next < until) {
                    Some(next) if next < least => at = next,
                    next => break until = next.unwrap_or(until),
                }
            }
            pages.push(prices);
        }
        if let Some((_, means)) = &mut self.means {
            // A period that is not whole is read again with the next window.
            until = means.containing(until).0;
        }
        let mut series = Vec::with_capacity(self.names.len());
        for (name, mut prices) in self.names.iter().zip(pages) {
            let ends = prices.last().is_none_or(|last| last.to <= until);
            if self.means.is_some() && ends {
                prices.extend(self.price_after(store, name, until)?);
            }
            let damaged = |error: SeriesError| {
                StoreError::Damaged(format!("prices of the series {name}: {error}"))
            };
            let stored = PriceSeries::new(name.clone(), prices).map_err(damaged)?;
            let extra = self.extra.iter().find(|one| one.name().is_same(name));
            let known = match extra {
                Some(extra) => extra.clone().named(name.clone()).merged(&stored),
                None => stored,
            };
            let currency = self.currency.as_ref();
            series.push(converted(store, &self.account, (known, currency))?);
        }
        self.until = until;
        Ok(Some(series))
    }

    /// A price from `time` on, if there is one: a period that has none at its end may have ended, or
    /// the series may.
    fn price_after(
        &self,
        store: &Store,
        name: &Label,
        time: Timestamp,
    ) -> Result<Option<SeriesPrice>, StoreError> {
        let page = store.few_prices(&self.account, name, (time, Timestamp::MAX))?;
        Ok(page.prices.into_iter().find(|price| price.from >= time))
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
        let mut window = PriceWindow::new(&account, (names, None, None), end);
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

    #[expect(
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "a year of quarters"
    )]
    /// A window has whole months, and a month with a hole has no mean, wherever a window ends.
    #[test]
    fn means_across_windows_are_those_of_all_prices() {
        for (mean, length) in [("hour", 1_i64), ("month", 1), ("month", 4)] {
            let dir = tempfile::tempdir().unwrap();
            let grid = [("grid", Role::GridImport, MeterKind::Counter)];
            let (store, account) = open(dir.path(), &grid);
            let contract = format!(
                r#"{{"from":"2020-01-01","name":"Market","currency":"€","components":[{{"energy":{{"series":"quarters","mean":"{mean}"}}}}]}}"#
            );
            let contract = Contract::parse(&contract).unwrap();
            let put = ContractChange::Put(Box::new(contract));
            let name = account.name.clone();
            store
                .edit(move |edit| edit.change_contracts(&name, put))
                .unwrap();
            let start = at("2025-01-01T00:00:00");
            let quarter = |n: i64| start.saturating_add_millis(n * 900_000);
            let (year, gap) = (365 * 96, 9_600..9_604);
            let price = |n: i64| (n * 7_919).rem_euclid(500_000) * 4;
            let beginnings = (-96..year + 50 * 96).filter(|n| n % length == 0 && !gap.contains(n));
            let priced = beginnings.map(|n| SeriesPrice {
                from: quarter(n),
                to: quarter(n + length),
                price: Decimal::from_millionths(price(n)),
            });
            let name = Label::new("quarters").unwrap();
            let series = PriceSeries::new(name, priced.collect()).unwrap();
            store.put_prices_durably(&account.name, &series).unwrap();
            // A kilowatt-hour in each quarter of an hour.
            let registers = (0..=365_u32).map(|day| {
                let time = quarter(i64::from(day) * 96);
                (time, f64::from(day) * 96_000.0)
            });
            import(&store, "grid", &registers.collect::<Vec<_>>());
            // From the middle of a month on.
            let first = 20 * 96;
            let mut expected = 0.0;
            let mut missing = 0;
            let month = |n: i64| crate::domain::LocalDate::at(quarter(n), &account.zone).month();
            // The zone's year began before that of UTC.
            let mut from = (-96..0).find(|n| month(*n) == 1).unwrap_or(0);
            while from < year {
                let same = |n: &i64| match mean {
                    "hour" => *n < from + 4,
                    _ => month(*n) == month(from),
                };
                let to = (from..year + 40 * 96).take_while(same).count() as i64 + from;
                let billed = (from.max(first)..to.min(year)).count() as i64;
                if (from..to).any(|n| gap.contains(&n)) {
                    missing += billed;
                } else {
                    let sum: i64 = (from..to).map(|n| price(n - n.rem_euclid(length))).sum();
                    expected += (sum as f64 / (to - from) as f64).round() * billed as f64;
                }
                from = to;
            }
            let found = statement(
                &store,
                &account,
                quarter(first)..quarter(year),
                quarter(year),
            )
            .unwrap();
            let total = found.bill.total.millionths() as f64;
            assert_eq!(total, expected, "{mean} {length}");
            let unpriced = found.bill.unpriced.imported.watthours();
            assert_eq!(unpriced, missing as f64 * 1e3, "{mean} {length}");
        }
    }
}
