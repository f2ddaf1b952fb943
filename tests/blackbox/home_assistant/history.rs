//! History that is read from Home Assistant: its sums, resets, restarts, and a hostile one.

use serde_json::{Value, json};

use super::fake::{Entity, HomeAssistant, NEW, TOKEN};
use super::house::{HOUR, now, rising};
use super::put_token;
use crate::mqtt::house::eventually;
use crate::place::{Place, Serving};
use crate::poll::house::metrics;

/// A place whose Home Assistant feeds the sensor `grid-import` from `sensor.e`.
pub(crate) fn reading(home: &HomeAssistant, entity: Entity) -> (Place, Serving) {
    home.with(|state| {
        state.prefs = json!({"energy_sources": [{"type": "grid", "flow_from": [{"stat_energy_from": "sensor.e"}], "flow_to": []}],
            "device_consumption": []});
        state.entities.insert("sensor.e".to_owned(), entity);
    });
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    put_token(&place, TOKEN);
    place.ok(&["ha", "add", &home.url(), "--token-file", "token"]);
    let serving = place.serve(&[]);
    (place, serving)
}

/// The progress of the only Home Assistant.
pub(crate) fn progress(place: &Place) -> Value {
    place.json(&["ha", "show"])[0]["reading"].clone()
}

/// Waits until new states are stored as they come.
#[track_caller]
pub(crate) fn await_live(place: &Place) {
    eventually("new states", || {
        (progress(place)["stage"] == "live").then_some(())
    });
}

/// The readings of a sensor: the time, and the register in watt-hours.
pub(crate) fn registers(place: &Place, sensor: &str) -> Vec<(String, f64)> {
    let text = place.ok(&["export", "--sensor", sensor]);
    let rows = text.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split(',').collect();
        Some((columns[0].to_owned(), columns[2].parse().ok()?))
    });
    rows.collect()
}

/// The energy of a sensor by the ledger, in watt-hours.
pub(crate) fn energy(place: &Place, sensor: &str) -> f64 {
    let range = ["--from", "2010-01-01", "--to", "2090-01-01"];
    let value = place.json(&[&["energy", sensor], &range[..]].concat());
    let rows = value["data"].as_array().unwrap().iter();
    rows.filter_map(|row| row["energy"].as_f64()).sum()
}

#[test]
fn years_are_read_and_the_sums_are_equal() {
    let home = HomeAssistant::start(NEW);
    let hours = 2 * 365 * 24;
    let (place, serving) = reading(&home, rising(hours, now(), 1_000.0));
    await_live(&place);
    let count = usize::try_from(hours).unwrap();
    let registers = registers(&place, "grid-import");
    // The first hour has a begin, too.
    assert!(
        (count..=count + 2).contains(&registers.len()),
        "{}",
        registers.len()
    );
    assert_eq!(registers[0].1, 1_000_000.0);
    let sum = home.with(|state| state.entities["sensor.e"].hours.last().unwrap().2);
    assert_eq!(energy(&place, "grid-import"), sum * 1e3);
    let shown = progress(&place);
    assert_eq!(shown["months"][0], shown["months"][1]);
    assert!(
        shown["failed"].is_null() && shown["problems"] == json!([]),
        "{shown}"
    );
    let months = home.with(|state| {
        let asked = state.commands.iter().filter(|it| it["period"] == "hour");
        asked.count()
    });
    assert!(months <= 27, "{months}");
    serving.stop();
    // A restart asks for no month again.
    let asked = home.with(|state| state.commands.len());
    let serving = place.serve(&[]);
    await_live(&place);
    let again = home.with(|state| {
        let later = state.commands.iter().skip(asked);
        later
            .filter(|it| it["type"] == "recorder/statistics_during_period")
            .count()
    });
    assert_eq!(again, 0);
    assert_eq!(energy(&place, "grid-import"), sum * 1e3);
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
}

#[test]
fn an_interrupted_history_goes_on_where_it_ended() {
    let home = HomeAssistant::start(NEW);
    let whole = rising(400 * 24, now(), 0.0);
    home.with(|state| state.closes_at = Some(12));
    let (place, serving) = reading(&home, whole);
    serving.wait_for("it ended the connection");
    await_live(&place);
    let sum = home.with(|state| state.entities["sensor.e"].hours.last().unwrap().2);
    assert_eq!(energy(&place, "grid-import"), sum * 1e3);
    // Each month was asked for once, except the one where it ended.
    let starts = home.with(|state| {
        let asked = state.commands.iter().filter(|it| it["period"] == "hour");
        asked.count()
    });
    assert!(starts <= 18, "{starts}");
    serving.stop();
}

#[test]
fn a_reset_is_no_fall_and_five_minutes_are_finer() {
    let home = HomeAssistant::start(NEW);
    let end = now() / HOUR;
    // It counts 1, 2, 3, then 4 and after a reset 0.5, then 1.5: Home Assistant has 5.5 in all.
    let hours = [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0), (0.5, 4.5), (1.5, 5.5)];
    let first = end - 20 * 24;
    let hours = hours.iter().zip(first..);
    let mut hours: Vec<_> = hours
        .map(|((state, sum), hour)| (hour * HOUR, *state, *sum))
        .collect();
    // Days later, an hour whose five minutes are known.
    hours.push(((end - 48) * HOUR, 2.5, 6.5));
    let fine = (0..12).map(|five| {
        let part = f64::from(five + 1) / 12.0;
        (
            (end - 48) * HOUR + i64::from(five) * 300_000,
            1.5 + part,
            5.5 + part,
        )
    });
    let entity = Entity {
        unit: "kWh",
        fine: fine.collect(),
        hours,
        states: vec![((end - 47) * HOUR, "2.5".to_owned())],
    };
    let (place, serving) = reading(&home, entity);
    await_live(&place);
    assert_eq!(energy(&place, "grid-import"), 6_500.0);
    let registers = registers(&place, "grid-import");
    // The begin, five hours, the end before the reset, and twelve times five minutes.
    assert_eq!(registers.len(), 1 + 5 + 1 + 12, "{registers:?}");
    assert!(
        registers.iter().any(|(_, register)| *register == 4_000.0),
        "{registers:?}"
    );
    serving.stop();
}

#[test]
fn strange_statistics_end_a_pass_and_harm_nothing() {
    let home = HomeAssistant::start(NEW);
    let mut entity = rising(48, now(), 5.0);
    entity.hours.insert(3, (entity.hours[3].0, 1e308, -1e308));
    entity.hours.push((now() + 5_000 * HOUR, 9e9, 9e9));
    let (place, serving) = reading(&home, entity);
    await_live(&place);
    // Nothing is stored that has not been yet.
    let last = registers(&place, "grid-import").pop().unwrap().0;
    assert!(last.as_str() < "2090", "{last}");
    assert!(metrics(&serving).contains("protocol=\"home_assistant\""));
    serving.stop();
}
