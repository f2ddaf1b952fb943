//! The hours that are sent, the time when they are, and the pages about them.

use super::fake::{HomeAssistant, NEW, OLD, shown};
use super::{AFTER_NIGHT, correct, has_night, place};
use crate::mqtt::house::eventually;
use crate::pages::service::{browser_at, set_password};
use crate::place::Place;
use crate::poll::house::metrics;
use crate::support::{HOUR, Service};

#[test]
fn history_is_sent_once_and_again_from_where_a_correction_changed_it() {
    for version in [OLD, NEW] {
        let home = HomeAssistant::start(version);
        let place = place(&home.url(), "");
        let serving = place.serve(&[]);
        eventually("the night", || has_night(&home));
        let (units, ids) = home.with(|state| {
            let metadata = &state.metadata;
            let of = |id: &str| metadata[&format!("wattkeeper:{id}")].clone();
            let ids: Vec<String> = state.sums.keys().cloned().collect();
            ([of("house_energy"), of("house_cost")], ids)
        });
        let units = units.map(|metadata| metadata["unit_of_measurement"].clone());
        assert_eq!(units, ["kWh", "EUR"]);
        // Nothing was fed in, and there are no panels.
        let expected = [
            "home_house_cost",
            "home_house_imported",
            "home_house_used",
            "house_cost",
            "house_energy",
        ];
        assert_eq!(ids, expected.map(|id| format!("wattkeeper:{id}")));

        // An hour had other energy, and all sums from then on are others.
        let sent = home.with(|state| state.imported.len());
        correct(&place);
        let corrected = AFTER_NIGHT.map(|(time, sum)| {
            let more = if time < "2026-01-31T22" { 0.0 } else { 0.5 };
            (time, sum + more)
        });
        eventually("the correction", || home.has("house_energy", &corrected));
        eventually("its cost", || {
            let costs = corrected.map(|(time, sum)| (time, sum / 4.0));
            home.has("home_house_cost", &costs)
        });
        let first = home.with(|state| {
            let again = &state.imported[sent..];
            again.iter().map(|(_, time)| *time).min()
        });
        assert_eq!(first.map(shown).as_deref(), Some("2026-01-31T22"));

        // Back again.
        place.ok(&["correct", "revoke", "1"]);
        eventually("the night again", || has_night(&home));
        assert_eq!(serving.stop().matches("home_assistant").count(), 0);
    }
}

#[test]
fn an_unchanged_history_is_not_sent_again() {
    let home = HomeAssistant::start(NEW);
    let place = place(&home.url(), "");
    let serving = place.serve(&[]);
    eventually("the night", || has_night(&home));
    eventually("the end of the pass", || {
        metrics(&serving)
            .contains("wattkeeper_home_assistant_passes_total 1")
            .then_some(())
    });
    let hours = home.with(|state| state.imported.len());
    assert!(
        metrics(&serving).contains(&format!("wattkeeper_home_assistant_hours_total {hours}\n"))
    );
    serving.stop();
    let serving = place.serve(&[]);
    eventually("the end of the pass after a start", || {
        metrics(&serving)
            .contains("wattkeeper_home_assistant_passes_total 1")
            .then_some(())
    });
    assert!(metrics(&serving).contains("wattkeeper_home_assistant_hours_total 0\n"));
    assert_eq!(home.with(|state| state.imported.len()), hours);
    let clears = home.with(|state| {
        let all = state.commands.iter();
        all.filter(|it| it["type"] == "recorder/clear_statistics")
            .count()
    });
    assert_eq!(clears, 0);
}

/// A service that sends to it. It is 10:30.
fn service(home: &HomeAssistant) -> Service {
    let url = home.url().parse().unwrap();
    Service::start_with(|config| {
        config.home_assistant.url = Some(url);
        config.home_assistant.token = wattkeeper::Secret::new(super::TOKEN.into());
    })
}

fn upload(service: &Service, time: &str, watthours: f64) {
    let fields = serde_json::json!({"sensor_id": "house", "time": time, "watthours": watthours});
    assert_eq!(service.upload(&fields).status(), 200);
}

/// Waits for sums, with the clock going on: a pass is followed by a rest, which a clock that stands
/// still would never end.
fn await_later(what: &str, service: &Service, home: &HomeAssistant, sums: &[(&str, f64)]) {
    eventually(what, || {
        service.clock.advance(1_000);
        home.has("house_energy", sums)
    });
}

#[test]
fn what_somebody_deletes_there_comes_with_the_next_hour() {
    const STRANGE: i64 = 1_767_000_000_000 / HOUR * HOUR;
    let home = HomeAssistant::start(NEW);
    let id = "wattkeeper:house_energy";
    home.with(|state| {
        let strange = [(STRANGE, 7.0)].into_iter().collect();
        state.sums.insert(id.to_owned(), strange);
    });
    let service = service(&home);
    upload(&service, "2026-01-05T08:00:00Z", 1_000.0);
    upload(&service, "2026-01-05T10:00:00Z", 3_000.0);
    service.clock.advance(HOUR);
    eventually("the sums of the house", || {
        service.clock.advance(1_000);
        let sums = [("2026-01-05T08", 1.0), ("2026-01-05T09", 2.0)];
        home.has("home_house_used", &sums)
    });
    // What only it has is left alone, with all of the sensor.
    home.with(|state| assert_eq!(state.sums.remove(id).unwrap().len(), 1));
    service.clock.advance(HOUR);
    let sums = [("2026-01-05T08", 1.0), ("2026-01-05T09", 2.0)];
    await_later("the sums of the sensor", &service, &home, &sums);
}

#[test]
fn each_hour_is_sent_when_it_is_over_and_late_readings_change_it() {
    let home = HomeAssistant::start(NEW);
    let service = service(&home);
    let upload = |time: &str, watthours: f64| upload(&service, time, watthours);
    upload("2026-01-05T08:00:00Z", 1_000.0);
    upload("2026-01-05T10:30:00Z", 3_500.0);
    // It is 10:30. Nobody knows yet what flowed in each hour, so it is spread.
    service.clock.advance(HOUR);
    let spread = [
        ("2026-01-05T08", 1.0),
        ("2026-01-05T09", 2.0),
        ("2026-01-05T10", 2.5),
    ];
    eventually("the hours", || home.has("house_energy", &spread));
    upload("2026-01-05T09:00:00Z", 1_250.0);
    upload("2026-01-05T11:30:00Z", 3_750.0);
    service.clock.advance(HOUR);
    let known = [
        ("2026-01-05T08", 0.25),
        ("2026-01-05T09", 1.75),
        ("2026-01-05T10", 2.625),
        ("2026-01-05T11", 2.75),
    ];
    await_later("the late reading", &service, &home, &known);
}

#[test]
fn a_restored_home_assistant_gets_what_it_lost_and_keeps_what_only_it_has() {
    const STRANGE: i64 = 1_769_800_000_000 / HOUR * HOUR;
    let home = HomeAssistant::start(NEW);
    let place = place(&home.url(), "");
    let serving = place.serve(&[]);
    eventually("the night", || has_night(&home));
    serving.stop();
    let imported = "wattkeeper:home_house_imported";
    home.with(|state| {
        state.sums.remove("wattkeeper:house_energy");
        // An hour from before the first reading.
        let imported = state.sums.get_mut(imported).unwrap();
        imported.insert(STRANGE, 7.0);
    });
    let serving = place.serve(&[]);
    serving.wait_for(&format!(
        "hours of {imported} that the ledger does not know"
    ));
    eventually("what it lost", || home.has("house_energy", &AFTER_NIGHT));
    serving.stop();
    home.with(|state| {
        assert_eq!(state.sums[imported][&STRANGE], 7.0);
        // Somebody deletes it there.
        state.sums.remove(imported);
    });
    let serving = place.serve(&[]);
    eventually("the night again", || has_night(&home));
    let stderr = serving.stop();
    assert!(!stderr.contains("removing"), "{stderr}");
}

#[test]
fn pages_say_what_it_has_and_show_no_token() {
    let home = HomeAssistant::start(NEW);
    let off = Place::new();
    set_password(&off);
    let serving = off.serve(&[]);
    let page = browser_at(&serving).page("/settings/broker");
    assert!(
        page.contains("History in Home Assistant") && page.contains("It is off."),
        "{page}"
    );
    assert!(
        !browser_at(&serving)
            .page("/status")
            .contains("History in Home Assistant")
    );
    serving.stop();

    let place = place(&home.url(), "");
    let run = place.run_on(
        format!("{}\n", crate::pages::browser::PASSWORD).as_bytes(),
        &["password"],
    );
    assert_eq!(run.status, 0, "{run:?}");
    let serving = place.serve(&[]);
    eventually("the night", || has_night(&home));
    let browser = browser_at(&serving);
    for address in ["/settings/broker", "/status"] {
        let page = eventually("the end of the pass", || {
            let page = browser.page(address);
            page.contains("Complete: ").then_some(page)
        });
        assert!(
            page.contains(&home.url()) && page.contains("Hours sent since the start: 25."),
            "{page}"
        );
        assert!(!page.contains(super::TOKEN));
    }
    let stderr = serving.stop();
    assert!(!stderr.contains(super::TOKEN), "{stderr}");
    let shown = place.ok(&["--config", "config.toml", "config"]);
    assert!(
        shown.contains("home_assistant.url") && !shown.contains(super::TOKEN),
        "{shown}"
    );
}
