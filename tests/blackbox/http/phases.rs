//! Three sensors, one for each phase of the utility's meter, which nets them.

use serde_json::{Value, json};
use wattkeeper::{Account, AccountName, Phases, Role, Sensor, SensorId};

use crate::http::house_energy::{contract, rows, statement};
use crate::pages::browser::Browser;
use crate::pages::dashboard::kilowatthours;
use crate::support::{ACCOUNT, Service, at, register};

const DAY: &str = "start_time=2026-01-05&end_time=2026-01-05T10:00:00";
const MINUTE_MS: i64 = 60_000;

/// Adds a sensor with a register for each minute of ten hours: it draws `first` watt-hours a minute
/// for five hours, and then `second`.
fn add(service: &Service, id: &str, role: Role, [first, second]: [i32; 2]) {
    let account = AccountName::new(ACCOUNT).unwrap();
    let midnight = at("2026-01-05T00:00:00");
    let sensor = Sensor {
        role,
        ..Sensor::new(SensorId::new(id).unwrap(), account, midnight)
    };
    service.store().put_sensor_durably(sensor.clone()).unwrap();
    let mut shown = 1_000_000;
    let mut readings = vec![register(midnight, f64::from(shown))];
    for minute in 1..=600_i64 {
        shown += if minute <= 300 { first } else { second };
        let time = midnight.saturating_add_millis(minute * MINUTE_MS);
        readings.push(register(time, f64::from(shown)));
    }
    let store = service.store();
    store.import_durably(&sensor.id, readings).unwrap();
}

/// Panels on the first phase feed in 3 kW, later 1.2 kW; the others draw 1.8 and 0.6 kW.
fn three_phases() -> Service {
    let service = Service::start();
    add(&service, "a", Role::Grid, [-50, -20]);
    add(&service, "b", Role::Grid, [30, 30]);
    add(&service, "c", Role::Grid, [10, 10]);
    add(&service, "roof", Role::Solar, [60, 60]);
    contract(
        &service,
        &json!({"from": "2026-01-01", "name": "Hours", "currency": "EUR", "components": [
            {"energy": {"price": 0.30}}, {"export": {"price": 0.10}},
            {"demand": {"name": "peak", "price": 2, "per": "quarter"}},
        ]}),
    );
    service
}

fn set(service: &Service, phases: Phases) {
    let name = AccountName::new(ACCOUNT).unwrap();
    let account = service.store().registry().account(&name).cloned();
    let account = Account {
        phases,
        ..account.unwrap()
    };
    let edit = service.store().edit(move |edit| edit.put_account(account));
    edit.unwrap();
}

fn numbers<const N: usize>(row: &Value, names: [&str; N]) -> [f64; N] {
    names.map(|name| {
        row[name]
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {row}"))
    })
}

/// Imported and exported energy, and used energy, by everything that shows them.
fn shown(service: &Service, browser: &Browser<'_>) -> [f64; 3] {
    let names = ["imported", "exported", "used"];
    let whole = rows(service, DAY);
    let [imported, exported, used] = numbers(&whole[0], names);
    for interval in ["1m", "15m", "1h", "1d"] {
        let buckets = rows(service, &format!("{DAY}&interval={interval}"));
        let mut sums = [0.0; 3];
        for bucket in &buckets {
            let values = numbers(bucket, names);
            sums = std::array::from_fn(|nth| sums[nth] + values[nth]);
        }
        assert_eq!(sums, [imported, exported, used], "{interval}");
    }
    let bill = statement(service, DAY).json();
    assert_eq!(
        numbers(&bill, ["imported", "exported"]),
        [imported, exported]
    );
    let lines = bill["lines"].as_array().unwrap();
    let line = |kind: &str| lines.iter().find(|line| line["kind"] == kind).unwrap();
    let quantity = |kind| {
        line(kind)["quantity"]
            .as_str()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    assert_eq!(quantity("energy") * 1_000.0, imported);
    assert_eq!(quantity("export") * 1_000.0, exported);
    // The mean power of an hour is at most the energy imported in it.
    let hours = rows(service, &format!("{DAY}&interval=1h"));
    let most = hours.iter().map(|hour| hour["imported"].as_f64().unwrap());
    assert_eq!(quantity("demand") * 1_000.0, most.fold(0.0, f64::max));

    let table = browser
        .get("/energy.csv?range=day&at=2026-01-05")
        .text()
        .to_owned();
    let mut lines = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|it| *it == name).unwrap();
    let places = ["imported", "exported"].map(column);
    let mut sums = [0.0; 2];
    for line in lines {
        let values = places.map(|place| line[place].parse().unwrap_or(0.0));
        sums = std::array::from_fn(|nth| sums[nth] + values[nth]);
    }
    assert_eq!(sums, [imported, exported], "{table}");
    let day = browser.page("/energy?range=day&at=2026-01-05");
    for energy in [imported, exported] {
        assert!(day.contains(&kilowatthours(energy)), "{energy}: {day}");
    }
    [imported, exported, used]
}

#[test]
fn phases_of_one_meter_are_netted_everywhere() {
    let service = three_phases();
    let browser = Browser::set_up(&service);
    // 40 Wh a minute drawn, and 50 fed in, later 20; 60 produced.
    let used = 600.0 * 60.0 + 600.0 * 40.0 - 300.0 * 70.0;
    assert_eq!(shown(&service, &browser), [24_000.0, 21_000.0, used]);
    set(&service, Phases::Balanced);
    assert_eq!(shown(&service, &browser), [6_000.0, 3_000.0, used]);
    let hours = rows(&service, &format!("{DAY}&interval=1h"));
    let of_hour = |nth: usize| numbers(&hours[nth], ["imported", "exported", "cost", "credit"]);
    // The first hour has the running peak of the month, of nothing.
    assert_eq!(of_hour(1), [0.0, 600.0, 0.0, 0.06]);
    assert_eq!(of_hour(6), [1_200.0, 0.0, 0.36, 0.0]);
    // A single sensor says what it measured.
    let alone = rows(&service, &format!("{DAY}&sensor_id=a"));
    assert_eq!(
        numbers(&alone[0], ["imported", "exported"]),
        [0.0, 21_000.0]
    );
    // A range may begin and end within a minute.
    let cut = |ends: [&str; 2]| {
        let range = format!(
            "start_time=2026-01-05T{}&end_time=2026-01-05T{}",
            ends[0], ends[1]
        );
        let row = rows(&service, &range);
        numbers(&row[0], ["imported", "exported"])
    };
    assert_eq!(cut(["04:59:30", "05:00:30"]), [10.0, 5.0]);
    let parts = [cut(["04:00:20", "04:59:59"]), cut(["04:59:59", "06:00:01"])];
    let whole = cut(["04:00:20", "06:00:01"]);
    for nth in 0..2 {
        assert!((parts[0][nth] + parts[1][nth] - whole[nth]).abs() < 0.000_01);
    }
    set(&service, Phases::Separate);
    assert_eq!(shown(&service, &browser), [24_000.0, 21_000.0, used]);
}
