//! The allowed states of accounts, keys, sensors and readings after changes, if the last change was
//! interrupted.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use wattkeeper::Label;
use wattkeeper::SensorId;
use wattkeeper::TimeRange;
use wattkeeper::Timestamp;
use wattkeeper::{AccountName, ApiId, ApiKey};
use wattkeeper::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
use wattkeeper::{Registry, Store};

use crate::chance::Chance;
use crate::load::BEGIN_MS;
use crate::service::at;
use crate::truth::Readings;

/// The possible states of a thing: one, or several after an interrupted change.
pub(crate) struct Possible<S>(pub(crate) Vec<S>);

impl<S: Clone + PartialEq + Debug> Possible<S> {
    /// Records a requested change. `make` gives the state that it leads to from each, `None` if the
    /// change must be refused.
    pub(crate) fn change(&mut self, make: impl Fn(&S) -> Option<S>, is_acknowledged: bool) {
        let mut changed: Vec<S> = self.0.iter().filter_map(make).collect();
        if !is_acknowledged {
            changed.append(&mut self.0);
        }
        self.0 = changed;
    }

    /// Asserts that the state is one of them.
    #[track_caller]
    fn settle(&mut self, is: impl Fn(&S) -> bool) {
        let there = self.0.iter().find(|state| is(state)).cloned();
        assert!(there.is_some(), "it is none of {:?}", self.0);
        self.0 = there.into_iter().collect();
    }
}

#[test]
fn what_is_possible() {
    let mut possible = Possible(vec![1]);
    possible.change(|state| Some(state + 1), true);
    assert_eq!(possible.0, [2]);
    possible.change(|state| Some(state * 10), false);
    assert_eq!(possible.0, [20, 2]);
    possible.change(|state| (*state > 5).then_some(7), false);
    assert_eq!(possible.0, [7, 20, 2]);
    possible.settle(|state| *state == 20);
    assert_eq!(possible.0, [20]);
    // Acknowledged, although it had to be refused.
    possible.change(|_| None, true);
    assert!(possible.0.is_empty());
}

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Account,
    Key,
    Sensor,
    Correction,
    Contract,
    Prices,
    Days,
    Notices,
}

/// An account, a key or a sensor: [`ABSENT`], or a text with all of its properties.
pub(crate) struct Thing {
    kind: Kind,
    id: String,
    pub(crate) states: Possible<String>,
}

const ABSENT: &str = "";
/// A key that nobody knows, because the command that made it was interrupted.
const UNKNOWN_KEY: &str = "unknown";

/// The number of prices in a series.
const PRICES: i64 = 1_000;

/// The state after a change; `None` if it must be refused.
type Make = Box<dyn Fn(&str) -> Option<String>>;

impl Thing {
    pub(crate) fn new(kind: Kind, id: &str) -> Self {
        let (id, states) = (id.to_owned(), Possible(vec![ABSENT.to_owned()]));
        Self { kind, id, states }
    }

    /// Requests a random change through `run`, which returns the output of the command if it
    /// succeeded.
    pub(crate) fn change(
        &mut self,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let number = chance.number() % 1_000;
        let id = self.id.clone();
        match self.kind {
            Kind::Account => self.change_account(&id, chance, run),
            Kind::Key => self.change_key(&id, number, chance, run),
            Kind::Sensor => self.change_sensor(&id, number, chance, run),
            Kind::Correction => self.change_corrections(&id, run),
            Kind::Contract => self.change_contract(&id, number, chance, run),
            Kind::Prices => self.change_prices(&id, number, chance, run),
            Kind::Days => self.change_days(&id, number, chance, run),
            Kind::Notices => self.dismiss_one(number, run),
        }
    }

    fn change_account(
        &mut self,
        id: &str,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let plan = if chance.one_in(2) { "paid" } else { "free" };
        let (arguments, make): (Vec<&str>, Make) = match chance.below(4) {
            0 => (vec!["account", "remove", id], Box::new(removed)),
            1 => (
                vec!["account", "plan", id, plan],
                Box::new(|known| is_there(known).then(|| plan.to_owned())),
            ),
            _ => (
                vec!["account", "add", id, "--plan", plan],
                Box::new(|known| (!is_there(known)).then(|| plan.to_owned())),
            ),
        };
        let is_done = run(&arguments, b"").is_some();
        self.states.change(|known| make(known), is_done);
    }

    fn change_key(
        &mut self,
        id: &str,
        number: u64,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let key = format!("key-{number}");
        match chance.below(4) {
            0 => {
                let is_done = run(&["key", "revoke", id], b"").is_some();
                self.states.change(|known| removed(known), is_done);
            }
            1 => {
                let printed = run(&["--json", "key", "rotate", id], b"");
                let new = printed.as_ref().map(|printed| {
                    let printed: Value = serde_json::from_str(printed).unwrap();
                    printed["api_key"].as_str().unwrap().to_owned()
                });
                let new = new.unwrap_or_else(|| UNKNOWN_KEY.to_owned());
                let make = |known: &String| is_there(known).then(|| new.clone());
                self.states.change(make, printed.is_some());
            }
            _ => {
                let arguments = ["key", "add", "home", "--api-id", id];
                let is_done = run(&arguments, key.as_bytes()).is_some();
                let make = |known: &String| (!is_there(known)).then(|| key.clone());
                self.states.change(make, is_done);
            }
        }
    }

    fn change_sensor(
        &mut self,
        id: &str,
        number: u64,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let name = format!("name-{number}");
        let switched = |to: bool| {
            move |known: &str| {
                let (name, _) = known.split_once(' ')?;
                Some(format!("{name} {to}"))
            }
        };
        let (arguments, make): (Vec<&str>, Make) = match chance.below(5) {
            0 => (vec!["sensor", "remove", id, "--yes"], Box::new(removed)),
            1 => (vec!["sensor", "authorize", id], Box::new(switched(true))),
            2 => (vec!["sensor", "revoke", id], Box::new(switched(false))),
            _ => {
                let new = format!("{name} true");
                let arguments = vec![
                    "sensor",
                    "add",
                    id,
                    "--account",
                    "home",
                    "--name",
                    &name,
                    "--role",
                    "sub-meter",
                ];
                (arguments, Box::new(move |_| Some(new.clone())))
            }
        };
        let is_done = run(&arguments, b"").is_some();
        self.states.change(|known| make(known), is_done);
    }

    /// Adds a correction of a sensor that nobody else corrects. The state is their number, in
    /// digits. Each shows other energy, as the same reading is kept once.
    fn change_corrections(&mut self, id: &str, run: impl FnOnce(&[&str], &[u8]) -> Option<String>) {
        static SHOWN: AtomicU64 = AtomicU64::new(1);
        let at = "2026-01-05T10:00:00";
        let shown = SHOWN.fetch_add(1, Ordering::Relaxed).to_string();
        let arguments = ["correct", "utility", id, "--at", at, "--kwh", &shown];
        let is_done = run(&arguments, b"").is_some();
        let more = |known: &String| {
            let count: usize = known.parse().unwrap_or(0);
            Some((count + 1).to_string())
        };
        self.states.change(more, is_done);
    }

    /// Sets or removes the contract from a day on. The state is its price.
    fn change_contract(
        &mut self,
        from: &str,
        number: u64,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let price = number.to_string();
        let flat = [
            "contract",
            "flat",
            "--price",
            &price,
            "--currency",
            "EUR",
            "--yes",
        ];
        let (arguments, make): (Vec<&str>, Make) = if chance.one_in(3) {
            let arguments = ["contract", "remove", from, "--account", "home"];
            (arguments.to_vec(), Box::new(removed))
        } else {
            let price = price.clone();
            let arguments = [&flat[..], &["--from", from, "--account", "home"]].concat();
            (arguments, Box::new(move |_| Some(price.clone())))
        };
        let is_done = run(&arguments, b"").is_some();
        self.states.change(|known| make(known), is_done);
    }

    /// Imports or removes a series of a thousand prices. The state is the common value of all.
    fn change_prices(
        &mut self,
        series: &str,
        number: u64,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let (arguments, make): (Vec<&str>, Make) = if chance.one_in(3) {
            (vec!["prices", "remove", series], Box::new(removed))
        } else {
            let arguments = vec!["prices", "import", "-", "--series", series];
            (arguments, Box::new(move |_| Some(number.to_string())))
        };
        let hours = (0..PRICES).map(|hour| {
            let time = at(BEGIN_MS + hour * 3_600_000);
            format!("{time},{number}\n")
        });
        let table: String = hours.collect();
        let arguments = [&arguments[..], &["--account", "home"]].concat();
        let is_done = run(&arguments, table.as_bytes()).is_some();
        self.states.change(|known| make(known), is_done);
    }

    /// Imports or removes a list of days in three years. The state is the common type of all.
    fn change_days(
        &mut self,
        list: &str,
        number: u64,
        chance: &mut Chance,
        run: impl FnOnce(&[&str], &[u8]) -> Option<String>,
    ) {
        let (arguments, make): (Vec<&str>, Make) = if chance.one_in(3) {
            (vec!["days", "remove", list], Box::new(removed))
        } else {
            let arguments = vec!["days", "import", "-", "--list", list];
            (arguments, Box::new(move |_| Some(number.to_string())))
        };
        let days = (0..84).map(|n| format!("{}-01-{:02},{number}\n", 2024 + n / 28, 1 + n % 28));
        let table: String = days.collect();
        let arguments = [&arguments[..], &["--account", "home"]].concat();
        let is_done = run(&arguments, table.as_bytes()).is_some();
        self.states.change(|known| make(known), is_done);
    }

    /// Dismisses one of the notices of [`days`]. The state consists of their numbers, each after a
    /// comma.
    fn dismiss_one(&mut self, number: u64, run: impl FnOnce(&[&str], &[u8]) -> Option<String>) {
        let nth = usize::try_from(number).unwrap() % DAYS;
        let (key, _) = days().swap_remove(nth);
        let is_done = run(&["notices", "dismiss", &key.id], b"").is_some();
        let more = |known: &String| {
            let mut numbers = numbers_of(known);
            numbers.insert(nth);
            Some(state_of(&numbers))
        };
        self.states.change(more, is_done);
    }

    /// As [`Self::settle`], for a day list.
    #[track_caller]
    fn settle_days(&mut self, registry: &Registry, home: &AccountName) {
        let list = registry.day_list(home, &Label::new(&self.id).unwrap());
        let days = list.iter().flat_map(|list| list.days().values());
        let mut types: Vec<&str> = days.map(Label::as_str).collect();
        assert!([0, 84].contains(&types.len()));
        types.dedup();
        assert!(types.len() <= 1);
        let there = types.first().copied().unwrap_or(ABSENT);
        self.states.settle(|state| state == there);
    }

    /// Asserts that each state is an allowed one.
    #[track_caller]
    pub(crate) fn settle(&mut self, store: &Store) {
        let registry = store.registry();
        let home = AccountName::new("home").unwrap();
        let known = self.states.0.clone();
        let id = &self.id;
        match self.kind {
            Kind::Account => {
                let there = registry.account(&AccountName::new(id).unwrap());
                let there = there.map_or(ABSENT, |account| account.plan.as_str());
                self.states.settle(|state| state == there);
            }
            Kind::Sensor => {
                let there = registry.sensor(&SensorId::new(id).unwrap());
                let there = there.map_or_else(
                    || ABSENT.to_owned(),
                    |sensor| format!("{} {}", sensor.name, sensor.authorized),
                );
                self.states.settle(|state| *state == there);
            }
            Kind::Correction => {
                let all = registry.corrections(&home);
                let count = all.map_or(0, wattkeeper::Corrections::count);
                let there = match count {
                    0 => ABSENT.to_owned(),
                    count => count.to_string(),
                };
                self.states.settle(|state| *state == there);
            }
            Kind::Contract => {
                let all = registry.contracts(&home);
                let price = all.and_then(|all| all.flat_price().map(|(price, _)| price));
                let there = price.map_or_else(String::new, |price| price.to_string());
                self.states.settle(|state| *state == there);
            }
            Kind::Prices => {
                let series = Label::new(id).unwrap();
                let there = store.prices(&home, &series, TimeRange::ALL).unwrap();
                let mut prices: Vec<String> = there
                    .prices()
                    .iter()
                    .map(|one| one.price.to_string())
                    .collect();
                assert!([0, PRICES].contains(&i64::try_from(prices.len()).unwrap()));
                prices.dedup();
                self.states.settle(|state| {
                    prices.len() <= 1 && prices.first().map_or(ABSENT, |price| price) == state
                });
            }
            Kind::Days => self.settle_days(&registry, &home),
            Kind::Notices => {
                let there = dismissed_in(&registry);
                self.states.settle(|state| *state == there);
            }
            Kind::Key => {
                let credential = registry.credential(&ApiId::new(id).unwrap());
                let is = |key: &str| {
                    let hash = ApiKey::new(key).unwrap().hash();
                    credential.is_some_and(|credential| credential.key_hash.is(&hash))
                };
                // An unknown key may be any except the known ones.
                let is_known = known.iter().any(|key| is_there(key) && is(key));
                self.states.settle(|state| match state.as_str() {
                    ABSENT => credential.is_none(),
                    UNKNOWN_KEY => credential.is_some() && !is_known,
                    key => is(key),
                });
            }
        }
    }
}

/// The number of days reported as unusual.
const DAYS: usize = 200;

/// Unusual days before the first reading: only a person ends or dismisses them.
pub(crate) fn days() -> Vec<(NoticeKey, NoticeChange)> {
    let home = AccountName::new("home").unwrap();
    let day = |nth: i64| Timestamp::from_millis(nth * 86_400_000).unwrap();
    let days = (0..i64::try_from(DAYS).unwrap()).map(|nth| {
        let notice = Notice {
            kind: NoticeKind::UnusualDay,
            subject: NoticeSubject::House,
            since: day(nth),
            happened: "The house used much.".into(),
        };
        let key = NoticeKey::of(Some(home.clone()), &notice);
        (key, NoticeChange::Opened(notice, day(nth)))
    });
    days.collect()
}

/// The state of the notices in a store.
fn dismissed_in(registry: &Registry) -> String {
    let is_dismissed = |key: &NoticeKey| registry.notice(key).unwrap().dismissed.is_some();
    let all = days().into_iter().enumerate();
    let dismissed = all.filter(|(_, (key, _))| is_dismissed(key));
    state_of(&dismissed.map(|(nth, _)| nth).collect())
}

fn numbers_of(state: &str) -> BTreeSet<usize> {
    let numbers = state.split(',').filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().unwrap()).collect()
}

fn state_of(numbers: &BTreeSet<usize>) -> String {
    let numbers = numbers
        .iter()
        .flat_map(|number| [",".to_owned(), number.to_string()]);
    numbers.collect()
}

fn is_there(known: &str) -> bool {
    known != ABSENT
}

fn removed(known: &str) -> Option<String> {
    is_there(known).then(|| ABSENT.to_owned())
}

/// A sensor with readings that are uploaded, deleted and uploaded again.
pub(crate) struct Deleted {
    pub(crate) sensor: &'static str,
    states: Possible<Readings>,
    next: i64,
}

impl Deleted {
    pub(crate) fn new(sensor: &'static str) -> Self {
        Self {
            sensor,
            states: Possible(vec![Readings::new()]),
            next: 0,
        }
    }

    /// A range of used times, and the readings outside of it.
    pub(crate) fn range(&self, chance: &mut Chance) -> (i64, i64) {
        let end = u64::try_from(self.next.max(1)).unwrap();
        let first = i64::try_from(chance.below(end)).unwrap();
        let last = first + i64::try_from(chance.below(200)).unwrap();
        (BEGIN_MS + first * 1_000, BEGIN_MS + last * 1_000)
    }

    /// Readings to upload: new ones, or some at deleted times.
    pub(crate) fn batch(&mut self, chance: &mut Chance) -> Vec<(i64, f64)> {
        let first = if chance.one_in(3) {
            self.range(chance).0
        } else {
            let first = BEGIN_MS + self.next * 1_000;
            self.next += 40;
            first
        };
        let watts = f64::from(u32::try_from(chance.below(5_000)).unwrap());
        (0..40).map(|n| (first + n * 1_000, watts)).collect()
    }

    pub(crate) fn note_batch(&mut self, batch: &[(i64, f64)], is_acknowledged: bool) {
        let with = |known: &Readings| {
            let mut readings = known.clone();
            readings.extend(batch.iter().copied());
            Some(readings)
        };
        self.states.change(with, is_acknowledged);
    }

    pub(crate) fn note_deletion(&mut self, (first, last): (i64, i64), is_acknowledged: bool) {
        let without = |known: &Readings| {
            let mut readings = known.clone();
            readings.retain(|time, _| !(first..=last).contains(time));
            Some(readings)
        };
        self.states.change(without, is_acknowledged);
    }

    /// Asserts that the stored readings are an allowed state.
    #[track_caller]
    pub(crate) fn settle(&mut self, there: &Readings) {
        let differing: Vec<usize> = self
            .states
            .0
            .iter()
            .map(|state| differing(state, there))
            .collect();
        assert!(
            differing.contains(&0),
            "{}: differences from each allowed state: {differing:?}",
            self.sensor
        );
        self.states = Possible(vec![there.clone()]);
    }
}

/// The number of readings that differ or are in only one of the two.
fn differing(one: &Readings, other: &Readings) -> usize {
    let missing = |one: &Readings, other: &Readings| {
        one.iter()
            .filter(|(time, watts)| other.get(time) != Some(watts))
            .count()
    };
    missing(one, other) + missing(other, one)
}
