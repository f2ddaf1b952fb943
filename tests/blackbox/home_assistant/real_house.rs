//! The real Home Assistant as a house that is read: years of history, its counts beside the ledger, its prices, and what happens to
//! states while it restarts, is killed or restored, or the link is cut.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::cut::CutLink;
use super::history::{await_live, energy, registers};
use super::put_token;
use crate::mqtt::home_assistant::HomeAssistant;
use crate::mqtt::house::eventually;
use crate::place::Place;

const HOUR: u64 = 3_600;

/// The full hour that is over, in seconds since 1970.
fn last_hour() -> u64 {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    now - now % HOUR
}

/// A place whose account has it as its Home Assistant, with what it proposes.
fn place_with(home: &HomeAssistant, url: &str) -> Place {
    let place = Place::new();
    place.ok(&["account", "add", "home", "--tz", "Europe/Berlin"]);
    put_token(&place, &home.token);
    place.ok(&["ha", "add", url, "--token-file", "token", "--with-prices"]);
    place
}

fn prefer(home: &mut HomeAssistant, grid: &Value, devices: &[String]) {
    let devices: Vec<Value> = devices
        .iter()
        .map(|it| json!({"stat_consumption": it}))
        .collect();
    let prefs = json!({"energy_sources": [grid], "device_consumption": devices});
    assert_eq!(home.ask(&json!({ "prefs": prefs })), Value::Null);
}

/// The grid as versions until 2025 have it, which the newest one takes, too.
fn grid(energy: &str, price: (&str, Value)) -> Value {
    let mut flow = json!({"stat_energy_from": energy, "stat_cost": null, "entity_energy_price": null, "number_energy_price": null});
    flow[price.0] = price.1;
    json!({"type": "grid", "flow_from": [flow], "flow_to": [], "cost_adjustment_day": 0.0})
}

#[test]
#[ignore = "needs homeassistant"]
fn two_years_of_twenty_entities_of_homeassistant_are_read_in_two_minutes() {
    let mut home = HomeAssistant::alone(None);
    let entities: Vec<String> = (0..20).map(|count| format!("sensor.e{count}")).collect();
    let hours = 2 * 365 * 24;
    let sums =
        home.ask(&json!({"years": {"entities": entities, "hours": hours, "end": last_hour()}}));
    let price = ("number_energy_price", json!(0.32));
    prefer(&mut home, &grid(&entities[0], price), &entities[1..]);
    let begun = Instant::now();
    let place = place_with(&home, &home.url);
    let serving = place.serve(&[]);
    let month = [
        "--json",
        "statement",
        "--from",
        "2026-01-01",
        "--to",
        "2026-02-01",
    ];
    eventually("the first statement", || {
        let run = place.run(&month);
        (run.status == 0 && run.json()["total"].as_str().is_some_and(|it| it != "0")).then_some(())
    });
    let statement = begun.elapsed();
    assert!(statement < Duration::from_mins(3), "{statement:?}");
    await_live(&place);
    let history = begun.elapsed();
    assert!(history < Duration::from_mins(2), "{history:?}");
    eprintln!("a statement after {statement:?}, two years of twenty entities after {history:?}");
    let known = place.json(&["ha", "show"])[0]["home_assistant"]["sensors"].clone();
    let known = known.as_array().unwrap();
    assert_eq!(known.len(), 20);
    for sensor in known {
        let [id, entity] = ["sensor", "energy"].map(|name| sensor[name].as_str().unwrap());
        let counted = energy(&place, id) / 1e3;
        let sum = sums[entity].as_f64().unwrap();
        assert!((counted - sum).abs() < 1e-6, "{id}: {counted} of {sum}");
    }
    serving.stop();
    home.stop();
}

/// The states of meters, hour by hour for some days: plain ones, and where a fault is.
fn played(days: u64, end: u64) -> Vec<Value> {
    let attributes = json!({"unit_of_measurement": "kWh", "state_class": "total_increasing", "device_class": "energy"});
    let priced = json!({"unit_of_measurement": "EUR/kWh", "state_class": "measurement"});
    let mut rows = Vec::new();
    let hours = days * 24;
    for hour in 0..hours {
        let at = end - (hours - hour) * HOUR + 57 * 60;
        let register = 1_000.0 + f64::from(u32::try_from(hour).unwrap()) / 4.0;
        let state = |name: &str, value: f64| {
            json!([format!("sensor.{name}"), value.to_string(), attributes])
        };
        let states: Vec<Value> = ["plain", "dip", "spike", "edited"]
            .map(|name| state(name, register))
            .into();
        let price = if hour % 2 == 0 { "0.25" } else { "0.3" };
        rows.push(json!([at - 120, [["sensor.price", price, priced]]]));
        if hour == FAULT {
            rows.push(json!([
                at - 60,
                [state("dip", 0.0), state("spike", register * 9.0)]
            ]));
        }
        rows.push(json!([at, states]));
    }
    rows
}

/// The hour of the faults.
const FAULT: u64 = 60;

#[test]
#[ignore = "needs homeassistant"]
fn homeassistant_counts_and_the_ledger_says_why_it_differs() {
    let (days, end) = (40, last_hour());
    let mut home = HomeAssistant::alone(Some(end - days * 24 * HOUR));
    home.ask(&json!({"play": played(days, end)}));
    let edit =
        json!({"entity": "sensor.edited", "at": end - (days * 24 - FAULT) * HOUR, "by": 33.25});
    home.ask(&json!({ "edit": edit }));
    let price = ("entity_energy_price", json!("sensor.price"));
    let devices = ["dip", "spike", "edited"].map(|name| format!("sensor.{name}"));
    prefer(&mut home, &grid("sensor.plain", price), &devices);
    let place = place_with(&home, &home.url);
    let serving = place.serve(&[]);
    await_live(&place);
    let truth = f64::from(u32::try_from(days * 24 - 1).unwrap()) * 250.0;
    let compared = place.json(&["ha", "compare"]);
    let mut reasons = BTreeMap::<String, Vec<(String, f64)>>::new();
    for month in compared["months"].as_array().unwrap() {
        let sensor = month["sensor_id"].as_str().unwrap().to_owned();
        let all = reasons.entry(sensor).or_default();
        for reason in month["reasons"].as_array().unwrap() {
            let name = reason["reason"].as_str().unwrap().to_owned();
            all.push((name, reason["energy"].as_f64().unwrap()));
        }
    }
    let register = 1_000_000.0 + 60.0 * 250.0;
    for (sensor, expected) in [
        ("grid-import", None),
        // All of the register was counted again.
        ("dip", Some(("reset", register))),
        // It fell back from there, which is a reset for Home Assistant, too.
        ("spike", Some(("spike", register * 9.0))),
        ("edited", Some(("edited", 33_250.0))),
    ] {
        let found = &reasons[sensor];
        assert_eq!(
            found.len(),
            usize::from(expected.is_some()),
            "{sensor}: {compared}"
        );
        for ((name, energy), expected) in found.iter().zip(expected) {
            assert_eq!(name, expected.0, "{compared}");
            assert!(
                (energy - expected.1).abs() < 300.0,
                "{sensor}: {energy} {compared}"
            );
        }
        let counted = energy(&place, sensor);
        assert!(
            (counted - truth).abs() < 1.0,
            "{sensor}: {counted} of {truth}"
        );
    }
    assert_prices(&place, days);
    // The repaired history is a statistic of its own there; the old one stays.
    place.ok(&["ha", "send"]);
    let range = (end - days * 24 * HOUR, end + HOUR);
    for sensor in ["dip", "spike", "edited"] {
        let id = format!("wattkeeper:{sensor}_energy");
        eventually(&id, || {
            let sums = home.sums(&id, range);
            let last = sums.last()?.1 * 1e3;
            ((last - truth).abs() < 1.0).then_some(())
        });
    }
    let again = place.json(&["ha", "compare"]);
    assert_eq!(again["months"], compared["months"]);
    let stderr = serving.stop();
    assert!(!stderr.contains(&home.token), "{stderr}");
    home.stop();
}

/// Means of hours from before its states, and both prices of the last days.
fn assert_prices(place: &Place, days: u64) {
    let text = place.ok(&["prices", "export", "sensor.price"]);
    let rows = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).unwrap());
    let mut counts = BTreeMap::<&str, u64>::new();
    for price in rows {
        *counts.entry(price).or_default() += 1;
    }
    for price in ["0.25", "0.3"] {
        let count = counts[price];
        assert!(count > (days - 2) * 12, "{counts:?}");
    }
}

/// Its states of the meter, in milliseconds and watt-hours.
fn recorded(home: &mut HomeAssistant) -> BTreeMap<i64, f64> {
    let all = home.ask(&json!({"recorded": "sensor.meter"}));
    let states = all.as_array().unwrap().iter().filter_map(|row| {
        let value: f64 = row[1].as_str()?.parse().ok()?;
        // Microseconds first: a float is close to half a millisecond on either side.
        let micros: i64 = format!("{:.0}", row[0].as_f64()? * 1e6).parse().unwrap();
        Some(((micros + 500).div_euclid(1_000), value * 1e3))
    });
    states.collect()
}

fn tick(home: &mut HomeAssistant) {
    home.ask(&json!({"tick": {"entity": "sensor.meter", "every": 0.2}}));
}

/// Waits until the newest reading is one of the last second.
fn await_newest(place: &Place) {
    let now = || i64::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let begun = now();
    eventually("new readings", || {
        let last = registers(place, "meter").pop()?.0;
        (wattkeeper::Timestamp::parse(&last).unwrap().millis() > begun).then_some(())
    });
}

/// Each state that it has is a reading, and only once.
#[track_caller]
fn assert_nothing_lost(place: &Place, theirs: &BTreeMap<i64, f64>, when: &str) {
    let readings = registers(place, "meter");
    let mut ours = BTreeMap::new();
    for (time, value) in &readings {
        let time = wattkeeper::Timestamp::parse(time).unwrap().millis();
        assert!(
            ours.insert(time, *value).is_none(),
            "twice at {time}, {when}"
        );
    }
    let newest = *ours.last_key_value().unwrap().0;
    let lost: Vec<_> = theirs
        .range(..newest)
        .filter(|(time, value)| ours.get(time).is_none_or(|it| (it - *value).abs() > 1e-3))
        .collect();
    assert!(
        lost.is_empty(),
        "{} of {} lost, {when}: {:?}",
        lost.len(),
        theirs.len(),
        &lost[..lost.len().min(5)]
    );
    assert!(theirs.len() > 50, "{}, {when}", theirs.len());
}

#[test]
#[ignore = "needs homeassistant"]
fn no_state_of_homeassistant_is_lost_or_stored_twice() {
    let mut home = HomeAssistant::alone(None);
    let link = CutLink::to(&home.url);
    tick(&mut home);
    prefer(
        &mut home,
        &grid("sensor.none", ("number_energy_price", json!(0.3))),
        &["sensor.meter".to_owned()],
    );
    let place = place_with(&home, &link.url);
    let serving = place.serve(&[]);
    await_live(&place);
    await_newest(&place);
    let seconds = |count| thread::sleep(Duration::from_secs(count));
    // What came within its last commits is in its history a little later.
    let settle = |place: &Place| {
        await_newest(place);
        seconds(70);
    };

    link.cut();
    seconds(12);
    link.join();
    settle(&place);
    let states = recorded(&mut home);
    assert_nothing_lost(&place, &states, "after a cut");

    // Nothing comes and nothing ends, as of a network without power.
    link.hold();
    seconds(75);
    link.cut();
    link.join();
    settle(&place);
    let states = recorded(&mut home);
    assert_nothing_lost(&place, &states, "after silence");

    let mut all = recorded(&mut home);
    home.end(false);
    let database = home.folder.path().join("home-assistant_v2.db");
    let backup = fs::read(&database).unwrap();
    home.start_again();
    tick(&mut home);
    settle(&place);
    all.extend(recorded(&mut home));
    assert_nothing_lost(&place, &all, "after a restart");

    home.end(true);
    home.start_again();
    tick(&mut home);
    settle(&place);
    all.extend(recorded(&mut home));
    assert_nothing_lost(&place, &all, "after a kill");

    // What a restored database has not is in none of its answers, and stays here.
    home.end(false);
    fs::write(&database, backup).unwrap();
    home.start_again();
    tick(&mut home);
    settle(&place);
    let states = recorded(&mut home);
    assert!(!all.keys().all(|time| states.contains_key(time)));
    all.extend(states);
    assert_nothing_lost(&place, &all, "after a restore");
    serving.stop();
    home.stop();
}
