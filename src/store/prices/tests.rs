//! Tests of the price series of a store against a plain model.

use std::path::Path;

use proptest::prelude::*;

use crate::domain::time::at;
use crate::domain::{Account, AccountName, Decimal, Phases, Plan, TimeRange, Zone};
use crate::ledger::contract::{Label, PriceSeries, SeriesPrice};
use crate::store::embedded::facts::FactChanges;
use crate::store::embedded::facts::change::kind_of;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::prices::SeriesSlot;
use crate::store::records::RecordKind;
use crate::store::records::RecordsView as _;
use crate::store::registry::series_records::encode_series;
use crate::store::settings::{OpenMode, StoreSettings};

const HOUR: i64 = 3_600_000;

fn home() -> AccountName {
    AccountName::new("home").unwrap()
}

fn label(text: &str) -> Label {
    Label::new(text).unwrap()
}

fn open(dir: &Path) -> Store {
    let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
    let account = Account {
        name: home(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    store
}

/// Prices of an hour each, `step` hours apart, all different.
fn hourly(name: &str, first: i64, count: i64, step: i64) -> PriceSeries {
    let price = |n: i64| SeriesPrice {
        from: at((first + n * step) * HOUR),
        to: at((first + n * step + 1) * HOUR),
        price: Decimal::from_millionths((first + n) * 7_919 % 900_001 - 100_000),
    };
    PriceSeries::new(label(name), (0..count).map(price).collect()).unwrap()
}

fn all(store: &Store, name: &str) -> PriceSeries {
    store.prices(&home(), &label(name), TimeRange::ALL).unwrap()
}

#[test]
fn a_long_upload_is_stored_and_read_in_part() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    let year = hourly("day-ahead", 0, 40_000, 1);
    store.put_prices_durably(&home(), &year).unwrap();
    assert_eq!(all(&store, "day-ahead"), year);
    // Its first hour overlaps the range, its last does not.
    let range = TimeRange::new(at(10 * HOUR + 1), at(13 * HOUR)).unwrap();
    let some = store.prices(&home(), &label("day-ahead"), range).unwrap();
    assert_eq!(some.prices(), &year.prices()[10..13]);
    assert!(store.check().is_clean());
    drop(store);
    let store = open(dir.path());
    assert_eq!(all(&store, "day-ahead"), year);
    let list = store.series(&home()).unwrap();
    assert_eq!(
        (list[0].count, list[0].first, list[0].end),
        (40_000, at(0), at(40_000 * HOUR))
    );
    // Sparse prices affect every chunk: they take several changes.
    let sparse = hourly("day-ahead", 0, 400, 100);
    store.put_prices_durably(&home(), &sparse).unwrap();
    assert_eq!(all(&store, "day-ahead"), year.merged(&sparse));
    let chunks = store.shared().facts.all(RecordKind::Prices).unwrap();
    let longest = chunks.iter().map(|(_, value)| value.len()).max();
    assert!(longest.unwrap() <= 1_400);
    store
        .remove_prices_durably(&home(), &label("day-ahead"), TimeRange::ALL)
        .unwrap();
    assert_eq!(store.series(&home()).unwrap(), []);
    let left = store.shared().facts.all(RecordKind::Prices);
    assert_eq!(left.unwrap(), []);
    assert!(store.check().is_clean());
}

#[test]
fn series_and_prices_beyond_the_limits_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for n in 0..16 {
        let one = hourly(&format!("series {n}"), 0, 2, 1);
        store.put_prices_durably(&home(), &one).unwrap();
    }
    let more = store.put_prices_durably(&home(), &hourly("another", 0, 2, 1));
    assert!(
        matches!(more, Err(StoreError::TooManySeries(_))),
        "{more:?}"
    );
    let gone = store.remove_prices_durably(&home(), &label("another"), TimeRange::ALL);
    assert!(
        matches!(gone, Err(StoreError::UnknownSeries(_))),
        "{gone:?}"
    );
    let account = store.edit(move |edit| edit.remove_account(&home()));
    assert!(
        matches!(account, Err(StoreError::AccountHasPrices(_))),
        "{account:?}"
    );
    // A slot that was freed is used again.
    store
        .remove_prices_durably(&home(), &label("series 3"), TimeRange::ALL)
        .unwrap();
    store
        .put_prices_durably(&home(), &hourly("another", 5, 2, 1))
        .unwrap();
    assert_eq!(all(&store, "another"), hourly("another", 5, 2, 1));
    assert_eq!(all(&store, "series 4"), hourly("series 4", 0, 2, 1));
}

#[test]
fn all_series_together_have_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    for name in ["a", "b"] {
        let two = hourly(name, 0, 2, 1);
        store.put_prices_durably(&home(), &two).unwrap();
    }
    // As if it had many more.
    let slot = SeriesSlot {
        account: home(),
        slot: 0,
    };
    let many = encode_series(&label("a"), 1_999_997, None).unwrap();
    let mut changes = FactChanges::default();
    changes.put(kind_of(RecordKind::Series), slot.key(), many);
    store.change_facts(changes);
    drop(store);
    let store = open(dir.path());
    let put = |name, first, count| {
        let prices = hourly(name, first, count, 1);
        store.put_prices_durably(&home(), &prices)
    };
    put("b", 2, 1).unwrap();
    for name in ["b", "c"] {
        let more = put(name, 5, 1);
        assert!(
            matches!(more, Err(StoreError::TooManyPrices(_))),
            "{more:?}"
        );
    }
    // Replaced by fewer others.
    put("b", 0, 3).unwrap();
    let range = TimeRange::new(at(0), at(HOUR)).unwrap();
    store
        .remove_prices_durably(&home(), &label("b"), range)
        .unwrap();
    put("c", 5, 1).unwrap();
}

#[test]
fn damaged_prices_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path());
    store
        .put_prices_durably(&home(), &hourly("a", 0, 3_000, 1))
        .unwrap();
    let chunks = store.shared().facts.all(RecordKind::Prices).unwrap();
    let mut changes = FactChanges::default();
    let first = &chunks[0].0;
    changes.remove(kind_of(RecordKind::Prices), first.clone());
    store.change_facts(changes);
    let problems = |store: &Store| {
        let found = store.check().problems.into_iter();
        found
            .map(|problem| problem.what)
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(
        problems(&store).contains("instead of 3000"),
        "{}",
        problems(&store)
    );
    let put = |key: Vec<u8>, value: &[u8]| {
        let mut changes = FactChanges::default();
        changes.put(kind_of(RecordKind::Prices), key, value.to_vec());
        store.change_facts(changes);
    };
    put(first.clone(), b"rubbish");
    assert!(
        problems(&store).contains("are damaged"),
        "{}",
        problems(&store)
    );
    put([b"home\x0007", &first[first.len() - 7..]].concat(), b"");
    let mut changes = FactChanges::default();
    for (key, _) in store.shared().facts.all(RecordKind::Series).unwrap() {
        changes.remove(kind_of(RecordKind::Series), key);
    }
    store.change_facts(changes);
    assert!(
        problems(&store).contains("unknown series"),
        "{}",
        problems(&store)
    );
}

/// A change of a series: prices, each with its beginning, its length and its price; or the removal
/// of a range.
#[derive(Clone, Debug)]
enum Step {
    Put(Vec<(i64, i64, i64)>),
    Remove(i64, i64),
}

fn any_step() -> impl Strategy<Value = Step> {
    let price = (0_i64..4_000, 1_i64..5, -50_i64..50);
    prop_oneof![
        4 => proptest::collection::vec(price, 1..600).prop_map(Step::Put),
        1 => (0_i64..4_000, 1_i64..3_000).prop_map(|(from, length)| Step::Remove(from, from + length)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_series_equals_a_plain_list(steps in proptest::collection::vec(any_step(), 1..8)) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        // The price at each millisecond.
        let mut model = vec![None; 5_000];
        for step in steps {
            match step {
                Step::Put(prices) => {
                    let mut series = PriceSeries::new(label("a"), Vec::new()).unwrap();
                    for (from, length, price) in prices {
                        let one = SeriesPrice {
                            from: at(from),
                            to: at(from + length),
                            // Many digits, so that there are many chunks.
                            price: Decimal::from_millionths(price * 19_999_999_999),
                        };
                        series = series.merged(&PriceSeries::new(label("a"), vec![one]).unwrap());
                    }
                    for one in series.prices() {
                        let (from, to) = (one.from.millis(), one.to.millis());
                        for place in from..to {
                            model[usize::try_from(place).unwrap()] = Some(one.price);
                        }
                    }
                    store.put_prices_durably(&home(), &series).unwrap();
                }
                Step::Remove(from, to) => {
                    if store.series(&home()).unwrap().is_empty() {
                        continue;
                    }
                    for price in model.iter_mut().take(usize::try_from(to).unwrap()).skip(usize::try_from(from).unwrap()) {
                        *price = None;
                    }
                    let range = TimeRange::new(at(from), at(to)).unwrap();
                    store.remove_prices_durably(&home(), &label("a"), range).unwrap();
                }
            }
            let there = all(&store, "a");
            for (ms, price) in model.iter().enumerate() {
                let found = there.at(at(i64::try_from(ms).unwrap())).map(|one| one.price);
                prop_assert_eq!(found, *price, "at {}", ms);
            }
            prop_assert!(store.check().is_clean());
            let list = store.series(&home()).unwrap();
            prop_assert_eq!(list.first().map_or(0, |one| one.count), there.prices().len() as u64);
        }
    }
}
