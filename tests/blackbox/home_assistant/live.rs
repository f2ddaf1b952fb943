//! New states of Home Assistant, and what was missed: restarts, lost connections, floods.

use serde_json::json;

use super::fake::{Entity, HomeAssistant, NEW, TOKEN};
use super::history::{await_live, energy, progress, reading, registers};
use super::house::{now, rising};
use super::put_token;
use crate::mqtt::house::eventually;
use crate::place::{Place, Serving};

/// The powers of a sensor, with their times.
fn powers(place: &Place, sensor: &str) -> Vec<(String, f64)> {
    let text = place.ok(&["export", "--sensor", sensor]);
    let rows = text.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split(',').collect();
        Some((columns[0].to_owned(), columns[1].parse().ok()?))
    });
    rows.collect()
}

#[test]
fn each_state_is_a_reading_with_its_own_time() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    let before = registers(&place, "grid-import").len();
    let begun = now();
    home.with(|state| {
        state.tell("sensor.e", begun + 1, "48.25");
        state.tell("sensor.e", begun + 2, "unavailable");
        state.tell("sensor.e", begun + 3, "unknown");
        state.tell("sensor.e", begun + 4, "");
        state.tell("sensor.e", begun + 5, "48.5");
    });
    let found = eventually("the states", || {
        let found = registers(&place, "grid-import").split_off(before);
        (found.len() >= 2).then_some(found)
    });
    let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
    assert_eq!(values, [48_250.0, 48_500.0], "{found:?}");
    let time = wattkeeper::Timestamp::from_millis(begun + 5).unwrap();
    assert_eq!(found[1].0, time.to_string());
    assert_eq!(energy(&place, "grid-import"), 48_500.0);
    assert!(progress(&place)["newest"].is_string());
    serving.stop();
}

#[test]
fn what_was_missed_is_filled_from_history() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    home.with(|state| state.tell("sensor.e", now(), "48.05"));
    eventually("a state", || {
        (registers(&place, "grid-import").last()?.1 == 48_050.0).then_some(())
    });
    // Home Assistant restarts, and goes on meanwhile: nobody is told these.
    let missed = now();
    home.with(|state| {
        let known = state.entities.get_mut("sensor.e").unwrap();
        known.states.push((missed + 1, "48.10".to_owned()));
        known.states.push((missed + 2, "unavailable".to_owned()));
        known.states.push((missed + 3, "48.15".to_owned()));
        state.restarts += 1;
    });
    eventually("what was missed", || {
        (registers(&place, "grid-import").last()?.1 == 48_150.0).then_some(())
    });
    await_live(&place);
    // The service is off for a while.
    serving.stop();
    home.with(|state| {
        let known = state.entities.get_mut("sensor.e").unwrap();
        known.states.push((now(), "48.20".to_owned()));
        known.states.push((now() + 1, "48.25".to_owned()));
    });
    let serving = place.serve(&[]);
    await_live(&place);
    eventually("the rest", || {
        (registers(&place, "grid-import").last()?.1 == 48_250.0).then_some(())
    });
    let values: Vec<f64> = registers(&place, "grid-import")
        .iter()
        .map(|it| it.1)
        .collect();
    let tail = values.split_at(values.len() - 5).1;
    assert_eq!(tail, [48_050.0, 48_100.0, 48_150.0, 48_200.0, 48_250.0]);
    assert_eq!(energy(&place, "grid-import"), 48_250.0);
    serving.stop();
}

#[test]
fn states_that_its_recorder_writes_later_are_read_later() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    home.with(|state| state.tell("sensor.e", now(), "48.05"));
    eventually("a state", || {
        (registers(&place, "grid-import").last()?.1 == 48_050.0).then_some(())
    });
    // Nobody is told of the first of these, and its recorder has not written it when it is asked.
    home.with(|state| {
        state.written_after = 20_000;
        let known = state.entities.get_mut("sensor.e").unwrap();
        known.states.push((now() - 1, "48.10".to_owned()));
        known.states.push((now(), "48.15".to_owned()));
        state.restarts += 1;
    });
    let has = |value: f64| {
        let found = registers(&place, "grid-import");
        found.iter().any(|it| it.1 == value).then_some(())
    };
    eventually("the newest state", || has(48_150.0));
    assert_eq!(has(48_100.0), None);
    eventually("the one before", || has(48_100.0));
    assert_eq!(energy(&place, "grid-import"), 48_150.0);
    serving.stop();
}

#[test]
fn an_entity_that_comes_later_than_others_loses_no_state() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    home.with(|state| state.tell("sensor.e", now(), "48.05"));
    eventually("a state", || {
        (registers(&place, "grid-import").last()?.1 == 48_050.0).then_some(())
    });
    serving.stop();
    // A state while the service is off; then Home Assistant starts again, and loads the entity late.
    home.with(|state| {
        let known = state.entities.get_mut("sensor.e").unwrap();
        known.states.push((now(), "48.10".to_owned()));
        state.absent.insert("sensor.e".to_owned());
    });
    let serving = place.serve(&[]);
    await_live(&place);
    home.with(|state| state.tell("sensor.e", now(), "48.15"));
    eventually("both states", || {
        let found = registers(&place, "grid-import");
        let tail: Vec<f64> = found.iter().rev().take(3).map(|it| it.1).collect();
        (tail == [48_150.0, 48_100.0, 48_050.0]).then_some(())
    });
    serving.stop();
}

#[test]
fn statistics_that_appear_after_new_states_are_read() {
    let home = HomeAssistant::start(NEW);
    let mut entity = rising(400 * 24, now(), 1_000.0);
    let hours = std::mem::take(&mut entity.hours);
    let (place, serving) = reading(&home, entity);
    await_live(&place);
    eventually("a state", || registers(&place, "grid-import").pop());
    assert_eq!(energy(&place, "grid-import"), 0.0);
    home.with(|state| state.entities.get_mut("sensor.e").unwrap().hours = hours);
    serving.stop();
    let serving = place.serve(&[]);
    await_live(&place);
    assert_eq!(energy(&place, "grid-import"), 9_600_000.0);
    let count = registers(&place, "grid-import").len();
    serving.stop();
    // What is read is not asked for again.
    let asked = home.with(|state| state.commands.len());
    let serving = place.serve(&[]);
    await_live(&place);
    assert_eq!(registers(&place, "grid-import").len(), count);
    let again = home.with(|state| {
        let later = state.commands.iter().skip(asked);
        later
            .filter(|it| it["type"] == "recorder/statistics_during_period")
            .count()
    });
    assert_eq!(again, 0);
    serving.stop();
}

/// A place with power of both directions at the grid.
fn with_power(home: &HomeAssistant) -> (Place, Serving) {
    let end = now();
    home.with(|state| {
        state.prefs = json!({"energy_sources": [{"type": "grid", "stat_energy_from": "sensor.in", "stat_energy_to": "sensor.out",
            "power_config": {"stat_rate": "sensor.p"}}], "device_consumption": []});
        state.entities.insert("sensor.in".to_owned(), rising(24, end, 0.0));
        state.entities.insert("sensor.out".to_owned(), rising(24, end, 0.0));
        let states = vec![(end - 2_000, "0.25".to_owned()), (end - 1_000, "-1.5".to_owned())];
        let power = Entity { unit: "kW", hours: Vec::new(), fine: Vec::new(), states };
        state.entities.insert("sensor.p".to_owned(), power);
    });
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    put_token(&place, TOKEN);
    place.ok(&["ha", "add", &home.url(), "--token-file", "token"]);
    let serving = place.serve(&[]);
    (place, serving)
}

#[test]
fn power_of_both_directions_goes_to_two_sensors() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = with_power(&home);
    await_live(&place);
    home.with(|state| state.tell("sensor.p", now(), "2"));
    let found = eventually("the power", || {
        let found = powers(&place, "grid-import");
        (found.last()?.1 == 2_000.0).then_some(found)
    });
    let values: Vec<f64> = found.iter().map(|it| it.1).collect();
    assert_eq!(values, [250.0, 0.0, 2_000.0]);
    let values: Vec<f64> = powers(&place, "grid-export")
        .iter()
        .map(|it| it.1)
        .collect();
    assert_eq!(values, [0.0, 1_500.0, 0.0]);
    serving.stop();
}

#[test]
fn an_entity_that_is_gone_or_has_another_unit_is_told() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = with_power(&home);
    await_live(&place);
    serving.stop();
    home.with(|state| {
        state.entities.get_mut("sensor.p").unwrap().unit = "\u{b0}C";
        state.entities.remove("sensor.out");
    });
    let serving = place.serve(&[]);
    await_live(&place);
    let shown = progress(&place)["problems"].to_string();
    for entity in ["sensor.p", "sensor.out"] {
        assert!(
            shown.contains(&format!("{entity} has no state in W, kW, Wh or kWh")),
            "{shown}"
        );
    }
    serving.stop();
}

#[test]
fn a_removed_entry_is_not_read_any_more() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    place.ok(&["ha", "remove"]);
    eventually("its end", || {
        (place.json(&["ha", "show"]) == json!([])).then_some(())
    });
    std::thread::sleep(std::time::Duration::from_secs(3));
    let count = registers(&place, "grid-import").len();
    home.with(|state| state.tell("sensor.e", now(), "60"));
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(registers(&place, "grid-import").len(), count);
    serving.stop();
}

#[test]
fn a_flood_of_states_is_taken_at_a_bounded_rate() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = reading(&home, rising(48, now(), 0.0));
    await_live(&place);
    let before = registers(&place, "grid-import").len();
    let begun = now();
    home.with(|state| {
        for count in 0..20_000 {
            let text = format!("{}", 50.0 + f64::from(count) / 1e4);
            state.tell("sensor.e", begun + i64::from(count), &text);
        }
        // Others are not ours.
        state
            .news
            .push(("sensor.x".repeat(1_000), begun, "5".to_owned()));
    });
    std::thread::sleep(std::time::Duration::from_secs(5));
    let stored = registers(&place, "grid-import").len() - before;
    let took = (now() - begun) / 1_000 + 1;
    assert!(
        i64::try_from(stored).unwrap() <= took * 100,
        "{stored} in {took} s"
    );
    assert!(stored > 20, "{stored}");
    let stderr = serving.stop();
    assert!(stderr.len() < 10_000, "{stderr}");
}
