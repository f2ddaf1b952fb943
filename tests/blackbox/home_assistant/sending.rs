//! History that a person wants sent to the Home Assistant of an account.

use serde_json::json;

use super::fake::{HomeAssistant, NEW, TOKEN};
use super::{AFTER_NIGHT, NIGHT, correct, has_night, place, put_token, set};
use crate::mqtt::house::eventually;
use crate::pages::browser::{PASSWORD, hidden_fields, location};
use crate::pages::service::browser_at;
use crate::place::Place;
use crate::poll::house::metrics;

/// A place with the night, whose Home Assistant is entered, and feeds nothing.
fn entered(home: &HomeAssistant) -> Place {
    let place = Place::new();
    put_token(&place, TOKEN);
    place.prepare();
    place.ok(&["contract", "flat", "--price", "0.25", "--currency", "EUR"]);
    let imported = place.run_on(NIGHT.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    add(&place, home, "home");
    place
}

fn add(place: &Place, home: &HomeAssistant, account: &str) {
    let own = ["--token-file", "token", "--unasked", "--account", account];
    place.ok(&[&["ha", "add", &home.url()], &own[..]].concat());
}

#[test]
fn one_wish_sends_the_history_and_another_ends_it() {
    let home = HomeAssistant::start(NEW);
    let place = entered(&home);
    let serving = place.serve(&[]);
    home.with(|state| state.is_for_reading = true);
    let error = place.error(&["ha", "send"]);
    assert!(
        error.contains("somebody who is not an administrator there"),
        "{error}"
    );
    assert_eq!(
        place.json(&["ha", "show"])[0]["home_assistant"]["send"],
        false
    );
    home.with(|state| state.is_for_reading = false);
    let row = place.json(&["ha", "send"]);
    assert_eq!(row["home_assistant"]["send"], true, "{row}");
    eventually("the night", || has_night(&home));
    correct(&place);
    let corrected = AFTER_NIGHT.map(|(time, sum)| {
        let more = if time < "2026-01-31T22" { 0.0 } else { 0.5 };
        (time, sum + more)
    });
    eventually("the correction", || home.has("house_energy", &corrected));
    eventually("the end of the pass", || {
        metrics(&serving)
            .contains("wattkeeper_home_assistant_failures_total 0")
            .then_some(())
    });
    // The entry keeps the wish when its sensors or its token change.
    add(&place, &home, "home");
    assert_eq!(
        place.json(&["ha", "show"])[0]["home_assistant"]["send"],
        true
    );
    place.ok(&["ha", "send", "--off"]);
    eventually("the end", || {
        (!metrics(&serving).contains("wattkeeper_home_assistant_hours_total")).then_some(())
    });
    // The sent hours stay.
    assert!(home.has("house_energy", &corrected).is_some());
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
}

#[test]
fn each_account_has_its_own() {
    let [one, other] = [HomeAssistant::start(NEW), HomeAssistant::start(NEW)];
    let place = entered(&one);
    place.ok(&["account", "add", "shop"]);
    let role = ["--role", "grid-import"];
    place.ok(&[&["sensor", "add", "till", "--account", "shop"], &role[..]].concat());
    let imported = place.run_on(NIGHT.as_bytes(), &["import", "-", "--sensor", "till"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    add(&place, &one, "shop");
    let serving = place.serve(&[]);
    place.ok(&["ha", "send", "--account", "home"]);
    let error = place.error(&["ha", "send", "--account", "shop"]);
    assert!(
        error.contains("the history of the account home is sent to the same address"),
        "{error}"
    );
    add(&place, &other, "shop");
    place.ok(&["ha", "send", "--account", "shop"]);
    eventually("the night", || has_night(&one));
    eventually("the till", || other.has("till_energy", &AFTER_NIGHT));
    assert_eq!(one.sums("till_energy"), []);
    assert_eq!(other.sums("house_energy"), []);
    serving.stop();
}

#[test]
fn the_settings_go_on_and_take_precedence() {
    let [by_settings, by_entry] = [HomeAssistant::start(NEW), HomeAssistant::start(NEW)];
    let place = place(&by_settings.url(), "");
    add(&place, &by_entry, "home");
    let serving = place.serve(&[]);
    place.ok(&["ha", "send"]);
    eventually("the night", || has_night(&by_settings));
    serving.stop();
    let commands = by_entry.with(|state| state.commands.clone());
    let sent = commands
        .iter()
        .filter(|it| it["type"] != "auth/current_user" && it["type"] != "get_config");
    assert_eq!(sent.count(), 0, "{commands:?}");
}

#[test]
fn an_address_that_the_settings_send_to_gets_nothing_of_another_account() {
    let home = HomeAssistant::start(NEW);
    let place = place(&home.url(), "account = \"home\"");
    place.ok(&["account", "add", "shop"]);
    let role = ["--role", "grid-import"];
    place.ok(&[&["sensor", "add", "till", "--account", "shop"], &role[..]].concat());
    let imported = place.run_on(NIGHT.as_bytes(), &["import", "-", "--sensor", "till"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    let other = HomeAssistant::start(NEW);
    add(&place, &other, "shop");
    let serving = place.serve(&[]);
    place.ok(&["ha", "send", "--account", "shop"]);
    eventually("the till", || other.has("till_energy", &AFTER_NIGHT));
    serving.stop();
    // The settings name its address now: one of the two sends, and the page says so.
    set(&place, &other.url(), "account = \"home\"");
    let serving = place.serve(&[]);
    eventually("the night", || has_night(&other));
    let shown = browser_at(&serving).page("/settings/home-assistant");
    let told = "The history of another account is sent to this address already.";
    assert!(shown.contains(told), "{shown}");
    let senders = metrics(&serving);
    let counted = senders
        .matches("\nwattkeeper_home_assistant_hours_total")
        .count();
    assert_eq!(counted, 1, "{senders}");
    place.ok(&["ha", "send", "--off", "--account", "shop"]);
    let error = place.error(&["ha", "send", "--account", "shop"]);
    assert!(
        error.contains("the history of the account home is sent to the same address"),
        "{error}"
    );
    assert!(
        !browser_at(&serving)
            .page("/settings/home-assistant")
            .contains(told)
    );
    serving.stop();
}

#[test]
fn a_page_sends_it() {
    let home = HomeAssistant::start(NEW);
    let place = entered(&home);
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    let serving = place.serve(&[]);
    let browser = browser_at(&serving);
    let page = "/settings/home-assistant";
    let action = format!("{page}/send");
    home.with(|state| state.is_for_reading = true);
    let fields = hidden_fields(&browser.page(page), &action);
    let refused = browser.post(&action, &fields);
    assert_eq!(refused.status(), 422);
    assert!(
        refused
            .text()
            .contains("not an administrator of Home Assistant"),
        "{}",
        refused.text()
    );
    home.with(|state| state.is_for_reading = false);
    let answer = browser.post(&action, &fields);
    assert_eq!(
        location(&answer),
        format!("{page}?account=home&done=ha-sends")
    );
    eventually("the night", || has_night(&home));
    let shown = eventually("its state", || {
        let shown = browser.page(page);
        shown.contains("Complete: ").then_some(shown)
    });
    assert!(shown.contains("No longer send history to it"), "{shown}");
    let fields = hidden_fields(&shown, &action);
    let answer = browser.post(&action, &fields);
    assert_eq!(
        location(&answer),
        format!("{page}?account=home&done=ha-sends-not")
    );
    assert_eq!(
        place.json(&["ha", "show"])[0]["home_assistant"]["send"],
        json!(false)
    );
    serving.stop();
}
