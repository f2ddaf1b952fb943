//! The figures of the dashboard: twenty sensors with ten years each, a reading every five minutes,
//! half of them counters that reset each month. And a year's statement by time of use and hourly
//! prices.

use criterion::Criterion;
use wattkeeper::Decimal;
use wattkeeper::Sensor;
use wattkeeper::Store;
use wattkeeper::{Contract, ContractChange, Label, PriceSeries, SeriesPrice};
use wattkeeper::{HouseEnergies, statement};
use wattkeeper::{MS_PER_DAY, Timestamp};
use wattkeeper::{Measures, Reading};
use wattkeeper::{Meter, MeterKind};

use crate::stores;

pub(crate) const SENSORS: usize = 20;
const SPACING_MS: i64 = 5 * 60_000;
const READINGS: i64 = 3_652 * MS_PER_DAY / SPACING_MS;
const HOUR_MS: i64 = 3_600_000;
const BEGIN: &str = "2016-01-01T00:00:00";

pub(crate) fn run(criterion: &mut Criterion) {
    let folder = stores::folder();
    let store = stores::store(folder.path(), SENSORS);
    let now = fill_all(&store);
    let registry = store.registry();
    let account = registry.account(&stores::account()).unwrap();
    let house = HouseEnergies::at(&store, account, now).unwrap();
    let mut energies = house.sensors.iter().map(|(_, energies)| energies);
    assert_eq!(house.sensors.len(), SENSORS);
    assert!(energies.all(|[.., year]| year.before.is_some()));
    criterion.bench_function("house/twenty sensors with ten years", |bencher| {
        bencher.iter(|| HouseEnergies::at(&store, account, now).unwrap());
    });
    statements(criterion);
}

/// A year of one sensor, by zones and by a price each hour.
fn statements(criterion: &mut Criterion) {
    let folder = stores::folder();
    let store = stores::store(folder.path(), 1);
    fill(&store, 0, Timestamp::parse(BEGIN).unwrap());
    let name = stores::account();
    let contract = Contract::parse(
        r#"{"from":"2016-01-01","name":"both","currency":"EUR","components":[
            {"energy":{"name":"grid","zones":[{"name":"day","price":0.12},{"name":"night","price":0.08,"hours":"22:00-06:00"}]}},
            {"energy":{"name":"spot","series":"spot","factor":1.21,"surcharge":0.03}},
            {"fixed":{"name":"standing","price":0.42,"per":"day"}},{"tax":{"name":"VAT","percent":19}}]}"#,
    );
    let put = ContractChange::Put(Box::new(contract.unwrap()));
    store
        .edit(|edit| edit.change_contracts(&stores::account(), put))
        .unwrap();
    let [start, end] =
        ["2024-01-01T00:00:00", "2025-01-01T00:00:00"].map(|text| Timestamp::parse(text).unwrap());
    let hours = (end.millis() - start.millis()) / HOUR_MS;
    let price = |hour: i64| SeriesPrice {
        from: start.saturating_add_millis(hour * HOUR_MS),
        to: start.saturating_add_millis((hour + 1) * HOUR_MS),
        price: Decimal::from_millionths(hour * 7_919 % 300_000),
    };
    let series = PriceSeries::new(Label::new("spot").unwrap(), (0..hours).map(price).collect());
    store.put_prices_durably(&name, &series.unwrap()).unwrap();
    let registry = store.registry();
    let account = registry.account(&name).unwrap();
    let year = || statement(&store, account, start..end, end).unwrap();
    assert!(year().is_complete());
    criterion.bench_function("house/statement of a year by hourly prices", |bencher| {
        bencher.iter(year);
    });
}

/// Fills the history of all sensors; returns its end.
pub(crate) fn fill_all(store: &Store) -> Timestamp {
    let begin = Timestamp::parse(BEGIN).unwrap();
    for number in 0..SENSORS {
        fill(store, number, begin);
    }
    begin.saturating_add_millis(READINGS * SPACING_MS - 7_654_321)
}

fn fill(store: &Store, number: usize, begin: Timestamp) {
    let id = stores::sensor(number);
    let is_counter = number % 2 == 1;
    if is_counter {
        let sensor = store.registry().sensor(&id).cloned().unwrap();
        let meter = Meter::new(MeterKind::Counter);
        store
            .put_sensor_durably(Sensor { meter, ..sensor })
            .unwrap();
    }
    let reset_after = if is_counter {
        30 * MS_PER_DAY / SPACING_MS
    } else {
        READINGS
    };
    let reading = |nth: i64| {
        let noise = nth.wrapping_mul(6_364_136_223_846_793_005) >> 54;
        let [watts, watthours] = [300 + noise, (nth % reset_after) * 25 + noise / 64];
        let [watts, watthours] = [watts, watthours].map(|number| i32::try_from(number).unwrap());
        Reading {
            time: begin.saturating_add_millis(nth * SPACING_MS),
            measures: Measures::new(Some(watts.into()), Some(watthours.into())).unwrap(),
        }
    };
    let readings: Vec<Reading> = (0..READINGS).map(reading).collect();
    for chunk in readings.chunks(Store::IMPORT_CHUNK) {
        store.import_durably(&id, chunk.to_vec()).unwrap();
    }
}
