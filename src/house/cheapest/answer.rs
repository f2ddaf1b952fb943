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
    /// The assumptions about prices, in words.
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
const ASSUMPTION: &str = "A price is that of one more kilowatt-hour from the grid at an even rate, with all components per kWh and taxes of the contract at that time. Only prices stored now count, tiers with their first price; solar power is left out.";

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
        let contracts = registry.contracts(&account.name);
        if contracts.is_none_or(|all| all.all().is_empty()) {
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
    use crate::ledger::contract::{ContractChange, Label, PriceLength, PriceSeries};

    fn put(store: &Store, account: &AccountName, contract: &str) {
        let put = ContractChange::parse(contract).unwrap();
        let name = account.clone();
        let changed = store.edit(move |edit| edit.change_contracts(&name, put));
        changed.unwrap();
    }

    fn asked(hours: &str, before: Option<&str>) -> CheapestQuestion {
        let form = CheapestForm {
            hours: Some(hours.to_owned()),
            before: before.map(str::to_owned),
            ..CheapestForm::default()
        };
        form.question().unwrap()
    }

    /// The blocks of the section of docs/DECIDE.md.
    fn worked() -> [&'static str; 4] {
        let document = include_str!("../../../docs/DECIDE.md");
        let (_, section) = document.split_once("## When is it cheapest?\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let blocks = section.split("```").skip(1).step_by(2);
        let blocks = blocks.map(|block| block.split_once('\n').unwrap().1);
        blocks.collect::<Vec<_>>().try_into().unwrap()
    }

    /// A store with the contract and the prices of that section.
    fn worked_house(dir: &std::path::Path) -> (Store, Account) {
        let (store, account) = open(dir, &[]);
        let [contract, prices, ..] = worked();
        put(&store, &account.name, &format!("[{contract}]"));
        let spot = Label::new("spot").unwrap();
        let lines = prices.lines().filter_map(|line| {
            let (time, price) = line.split_once(',')?;
            let price = Decimal::parse_price(price).ok();
            Some((Timestamp::parse(time).ok()?, price))
        });
        let length = PriceLength::UntilNext;
        let series = PriceSeries::from_beginnings(spot, lines.collect(), length).unwrap();
        store.put_prices_durably(&account.name, &series).unwrap();
        (store, account)
    }

    /// Midnight in Berlin.
    const MIDNIGHT: &str = "2026-01-05T23:00:00";

    #[test]
    fn the_worked_cases_are_right() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = worked_house(dir.path());
        let [_, _, whole, split] = worked();
        for (hours, is_split, expected) in [("2", false, whole), ("4", true, split)] {
            let form = CheapestForm {
                hours: Some(hours.to_owned()),
                before: Some("07:00".to_owned()),
                start: None,
                is_split,
            };
            let question = form.question().unwrap();
            let found = CheapestView::of(&store, &account, &question, at(MIDNIGHT)).unwrap();
            let answer = CheapestAnswer::new(&account, &found);
            let pieces = answer.pieces.iter();
            let pieces = pieces.map(|it| format!("{} {} {}\n", it.start, it.end, it.price));
            let text = format!(
                "{}window {}\n",
                pieces.collect::<String>(),
                answer.window_price
            );
            assert_eq!(text, expected);
            assert_eq!((answer.known_until, answer.missing_minutes), (None, 0));
        }
    }

    #[test]
    fn what_is_not_known_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = worked_house(dir.path());
        let now = at(MIDNIGHT);
        let find = |question: &CheapestQuestion| CheapestView::of(&store, &account, question, now);
        let found = find(&asked("2", Some("09:00"))).unwrap();
        let until = at("2026-01-06T07:00:00");
        assert_eq!(found.known_until(), Some(until));
        let answer = CheapestAnswer::new(&account, &found);
        assert_eq!(answer.missing_minutes, 60);
        assert_eq!(answer.start, "2026-01-06T03:00:00.000Z");
        assert_eq!(
            find(&asked("9", Some("12:00"))),
            Err(CheapestError::TooFewPrices(now, until))
        );
        let later = CheapestForm {
            start: Some("2026-02-01".to_owned()),
            ..CheapestForm::default()
        };
        let error = find(&later.question().unwrap()).unwrap_err().to_string();
        assert!(
            error.starts_with("no price is known from 2026-01-31T23:00"),
            "{error}"
        );
        put(&store, &account.name, "[]");
        assert_eq!(find(&asked("2", None)), Err(CheapestError::NoContract));
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
