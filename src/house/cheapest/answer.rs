//! The answer of an account to a search.

use serde::{Deserialize, Serialize};

use super::question::{CheapestError, CheapestQuestion};
use super::search::{CheapestTime, CheapestWindow, KnownPrices};
use crate::domain::{Account, Currency, Timestamp};
use crate::house::day_prices::DayPrices;
use crate::store::Store;

/// The cheapest time of an account's window.
#[derive(Clone, Debug, PartialEq)]
pub struct CheapestView {
    /// The window that was searched.
    pub window: CheapestWindow,
    /// The time found.
    pub time: CheapestTime,
    /// The known prices of the window.
    pub known: KnownPrices,
    /// The currency of the prices.
    pub currency: Currency,
}

/// The same as the API and the commands answer it. Prices are for a kilowatt-hour in the currency,
/// as exact decimals in text; times are in the API's form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheapestAnswer {
    /// The account.
    pub account: String,
    /// The currency.
    pub currency: String,
    /// When the time begins.
    pub start: String,
    /// When it ends; of several pieces the last one.
    pub end: String,
    /// Its mean price.
    pub price: String,
    /// Its pieces, in time order.
    pub pieces: Vec<CheapestPart>,
    /// Where the search began.
    pub window_start: String,
    /// Where it ended.
    pub window_end: String,
    /// The mean price of the window, as far as it is known.
    pub window_price: String,
    /// Whether all prices of the window are equal.
    pub all_equal: bool,
    /// If prices are missing in the window: the end of the last known one.
    pub known_until: Option<String>,
    /// The minutes of the window without a price.
    pub missing_minutes: i64,
    /// What the prices are, in a sentence.
    pub assumption: String,
}

/// A piece of the cheapest time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheapestPart {
    /// When it begins.
    pub start: String,
    /// When it ends.
    pub end: String,
    /// Its mean price.
    pub price: String,
}

/// In the words of docs/DECIDE.md.
const ASSUMPTION: &str = "Each price is that of one more kilowatt-hour from the grid, at an even rate, with all components per kWh and taxes of the contract in force at that time and by the prices stored now; tiers count with their first price, and solar power is left out.";

impl CheapestView {
    /// The cheapest time of `account` at `now`. Blocks on the disk.
    ///
    /// # Errors
    /// [`CheapestError`] if there is none: the account has no contract, or too few prices.
    pub fn of(
        store: &Store,
        account: &Account,
        question: &CheapestQuestion,
        now: Timestamp,
    ) -> Result<Self, CheapestError> {
        let registry = store.registry();
        if registry.contracts(&account.name).is_none() {
            return Err(CheapestError::NoContract);
        }
        let window = question.window(&account.zone, now)?;
        let range = window.range();
        let unknown = || CheapestError::NoPrices(range.start, range.end);
        let known = DayPrices::within(store, account, window.time_range())?;
        let prices = known.ok_or_else(unknown)?;
        let known = prices.known_in(&range).ok_or_else(unknown)?;
        let too_few = CheapestError::TooFewPrices(range.start, known.until);
        Ok(Self {
            window,
            time: prices.cheapest(&window).ok_or(too_few)?,
            known,
            currency: prices.currency,
        })
    }

    /// The end of the last known price, if prices are missing in the window.
    #[must_use]
    pub fn known_until(&self) -> Option<Timestamp> {
        (self.known.missing_ms > 0).then_some(self.known.until)
    }
}

impl CheapestAnswer {
    /// The answer of an account.
    #[must_use]
    pub fn new(account: &Account, found: &CheapestView) -> Self {
        const MINUTE_MS: i64 = 60_000;
        let CheapestView {
            window,
            time,
            known,
            currency,
        } = found;
        let pieces = time.pieces.iter().map(|piece| CheapestPart {
            start: piece.from.to_string(),
            end: piece.to.to_string(),
            price: piece.price.to_string(),
        });
        Self {
            account: account.name.to_string(),
            currency: currency.as_str().to_owned(),
            start: time.start().unwrap_or(window.start).to_string(),
            end: time.end().unwrap_or(window.end).to_string(),
            price: time.mean.to_string(),
            pieces: pieces.collect(),
            window_start: window.start.to_string(),
            window_end: window.end.to_string(),
            window_price: known.mean.to_string(),
            all_equal: known.are_equal,
            known_until: found.known_until().map(|time| time.to_string()),
            missing_minutes: known.missing_ms / MINUTE_MS,
            assumption: ASSUMPTION.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AccountName, Decimal};
    use crate::house::cheapest::question::CheapestForm;
    use crate::house::tests::{at, open};
    use crate::ledger::contract::{ContractChange, Label, PriceSeries, SeriesPrice};

    fn put(store: &Store, account: &AccountName, contract: &str) {
        let put = ContractChange::parse(contract).unwrap();
        let name = account.clone();
        let changed = store.edit(move |edit| edit.change_contracts(&name, put));
        changed.unwrap();
    }

    /// Hourly prices, in hundredths, from this time on.
    fn put_prices(store: &Store, account: &AccountName, name: &str, from: &str, cents: &[i64]) {
        let hour = |nth: i64| at(from).saturating_add_millis(nth * 3_600_000);
        let price = |(nth, cents): (i64, &i64)| SeriesPrice {
            from: hour(nth),
            to: hour(nth + 1),
            price: Decimal::from_millionths(cents * 10_000),
        };
        let prices = (0..).zip(cents).map(price).collect();
        let series = PriceSeries::new(Label::new(name).unwrap(), prices).unwrap();
        store.put_prices_durably(account, &series).unwrap();
    }

    fn asked(hours: &str, before: Option<&str>) -> CheapestQuestion {
        let form = CheapestForm {
            hours: Some(hours.to_owned()),
            before: before.map(str::to_owned),
            ..CheapestForm::default()
        };
        form.question().unwrap()
    }

    /// The exchange is cheapest at 2, but the grid's fee makes 4 cheaper: the night of docs/DECIDE.md.
    #[test]
    fn all_components_count() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[]);
        let name = &account.name;
        put(
            &store,
            name,
            r#"{"from":"2025-01-01","name":"Hourly","currency":"€","components":[
            {"energy":{"series":"spot","surcharge":0.02}},
            {"energy":{"name":"network","zones":[{"name":"usual","price":0.1},{"name":"low","price":0.02,"hours":"04:00-07:00"}]}},
            {"fixed":{"name":"meter","price":10,"per":"month"}},
            {"tax":{"name":"VAT","percent":20}}]}"#,
        );
        // From midnight in Berlin.
        let night = [12, 11, 5, 6, 9, 9, 10, 20];
        put_prices(&store, name, "spot", "2026-01-05T23:00:00", &night);
        let now = at("2026-01-05T23:00:00");
        let find = |question: &CheapestQuestion| CheapestView::of(&store, &account, question, now);
        let found = find(&asked("2", Some("07:00"))).unwrap();
        // (0.09 + 0.02 + 0.02) × 1.2; at two and three o'clock it is (0.055 + 0.02 + 0.1) × 1.2.
        assert_eq!(found.time.mean.to_string(), "0.156");
        let answer = CheapestAnswer::new(&account, &found);
        assert_eq!(
            [&answer.start, &answer.end, &answer.currency],
            ["2026-01-06T03:00:00.000Z", "2026-01-06T05:00:00.000Z", "€"]
        );
        assert_eq!((answer.known_until, answer.missing_minutes), (None, 0));
        // The mean of seven hours: 0.62 of the exchange, 0.14 of surcharges, 0.46 of the network.
        assert_eq!(answer.window_price, "0.209143");
        // What is not known is told.
        let found = find(&asked("2", Some("09:00"))).unwrap();
        assert_eq!(found.known_until(), Some(at("2026-01-06T07:00:00")));
        assert_eq!(CheapestAnswer::new(&account, &found).missing_minutes, 120);
        let until = at("2026-01-06T07:00:00");
        assert_eq!(
            find(&asked("9", Some("12:00"))),
            Err(CheapestError::TooFewPrices(now, until))
        );
        let later = CheapestForm {
            start: Some("2026-02-01".to_owned()),
            ..CheapestForm::default()
        };
        let error = find(&later.question().unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("no price is known from 2026-01-31T23:00"), "{error}");
    }

    #[test]
    fn contracts_change_within_a_window() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[]);
        // 0.5 until the end of the day by the flat contract that the house begins with.
        put(
            &store,
            &account.name,
            r#"{"from":"2026-01-06","name":"Less","currency":"€","components":[{"energy":{"price":0.3}}]}"#,
        );
        let now = at("2026-01-05T20:00:00");
        let found = CheapestView::of(&store, &account, &asked("2", None), now).unwrap();
        assert_eq!(found.time.start(), Some(at("2026-01-05T23:00:00")));
        assert!(!found.known.are_equal);
        let found = CheapestView::of(&store, &account, &asked("2", Some("23:30")), now).unwrap();
        assert!(found.known.are_equal);
        assert_eq!(found.time.start(), Some(now));
        assert_eq!(found.time.mean.to_string(), "0.5");
    }
}
