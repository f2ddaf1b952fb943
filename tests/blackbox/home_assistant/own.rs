//! The Home Assistant that runs the service as an add-on: it is read through its Supervisor, without
//! an address and a token.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::fake::{HomeAssistant, NEW, TOKEN};
use super::house::{PAGE, furnish, rows_of};
use crate::mqtt::house::eventually;
use crate::pages::browser::{location, plain};
use crate::pages::service::{browser_at, set_password};
use crate::place::{Place, Serving};
use crate::port::free_port;

/// A Supervisor with a furnished Home Assistant, whose token is that of these tests.
fn supervisor() -> HomeAssistant {
    let home = HomeAssistant::start(NEW);
    furnish(&home, true);
    home.with(|state| state.is_supervisor = true);
    home
}

fn addon(place: &Place, home: &HomeAssistant) -> Serving {
    addon_at(place, &home.address.to_string())
}

fn addon_at(place: &Place, supervisor: &str) -> Serving {
    let mut command = place.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    command
        .env("SUPERVISOR_TOKEN", TOKEN)
        .env("SUPERVISOR", supervisor);
    Serving::start(command)
}

/// Whether a file below this folder has the token.
fn is_token_in(folder: &Path) -> bool {
    let has = |entry: fs::DirEntry| {
        let path = entry.path();
        if path.is_dir() {
            return is_token_in(&path);
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let mut parts = bytes.windows(TOKEN.len());
        parts.any(|part| part == TOKEN.as_bytes())
    };
    fs::read_dir(folder).unwrap().flatten().any(has)
}

#[test]
fn one_button_takes_the_house_of_an_addon() {
    let (home, place) = (supervisor(), Place::new());
    set_password(&place);
    // As after the first start, there is no account yet.
    place.ok(&["account", "remove", "home"]);
    let serving = addon(&place, &home);
    let browser = browser_at(&serving);
    let page = browser.page(PAGE);
    let shown = plain(&page);
    assert!(
        shown.contains("It needs neither an address nor a token"),
        "{shown}"
    );
    assert!(
        shown.contains("Our <house> answers, with Home Assistant"),
        "{shown}"
    );
    assert!(
        !page.contains("name=\"token\"") && !page.contains(TOKEN),
        "{page}"
    );
    // Nothing is kept before the button is pressed.
    assert_eq!(place.json(&["ha", "show"]), json!([]));
    let action = "settings/home-assistant/sensors";
    let mut fields = rows_of(&page, action);
    fields.retain(|(name, _)| name != "account" && name != "tz");
    for (name, value) in [("account", "home"), ("tz", "Europe/Berlin")] {
        fields.push((name.to_owned(), value.to_owned()));
    }
    let answer = browser.post(&format!("/{action}"), &fields);
    let to = location(&answer).to_owned();
    assert_eq!(to, format!("{PAGE}?account=home&done=ha-sensors"));
    let page = plain(&browser.page(&to));
    assert!(
        page.contains("It is the Home Assistant that runs wattkeeper"),
        "{page}"
    );
    let known = place.json(&["ha", "show"]);
    assert_eq!(known[0]["token"], "supervisor");
    let address = format!("{}/core/websocket", home.url());
    assert_eq!(known[0]["home_assistant"]["address"], Value::from(address));
    eventually("the history of the sensors", || {
        let readings = place.json(&["sensor", "show", "solar"])["readings"].as_i64();
        (readings > Some(40)).then_some(())
    });
    // Look again, as for any other one.
    let again = browser.submit(PAGE, "/settings/home-assistant/house", &[]);
    assert!(
        plain(again.text()).contains("Our <house> answers"),
        "{}",
        again.text()
    );
    // A backup and the folder have no token, and neither has the log.
    place.ok(&["backup", "copy.backup"]);
    let said = serving.stop();
    assert!(!said.contains(TOKEN), "{said}");
    assert!(!is_token_in(place.dir.path()));
}

#[test]
fn the_token_of_the_supervisor_goes_to_the_supervisor_alone() {
    let (home, elsewhere, place) = (supervisor(), HomeAssistant::start(NEW), Place::new());
    set_password(&place);
    let serving = addon(&place, &home);
    let browser = browser_at(&serving);
    let url = elsewhere.url();
    let fields = [
        ("account", "home"),
        ("address", url.as_str()),
        ("token", ""),
    ];
    let answer = browser.submit_own(PAGE, &fields);
    assert_eq!(answer.status(), 422, "{}", answer.text());
    assert_eq!(elsewhere.with(|state| state.connections), 0);
    let error = place.error(&["ha", "add", &url]);
    assert!(error.contains("token: there is none yet"), "{error}");
    assert_eq!(elsewhere.with(|state| state.connections), 0);
    serving.stop();
}

#[test]
fn a_command_adds_the_home_assistant_of_an_addon() {
    let (home, place) = (supervisor(), Place::new());
    place.prepare();
    let error = place.error(&["ha", "add"]);
    assert!(
        error.contains("address: expected one: no Supervisor runs this service"),
        "{error}"
    );
    let serving = addon(&place, &home);
    let added = place.json(&["ha", "add"]);
    assert_eq!(added["token"], "supervisor");
    let sensors = added["home_assistant"]["sensors"].as_array().unwrap();
    // The grid has a sensor already.
    assert_eq!(sensors.len(), 3);
    assert!(place.ok(&["ha", "show"]).contains("the Supervisor's"));
    assert_eq!(
        place.json(&["ha", "test"])["identity"]["is_administrator"],
        true
    );
    serving.stop();
    // Elsewhere, as after a restore on another machine, the token is missing.
    assert_eq!(place.json(&["ha", "show"])[0]["token"], "missing");
}

#[test]
fn a_supervisor_that_does_not_answer_is_told() {
    let place = Place::new();
    set_password(&place);
    let serving = addon_at(&place, &format!("127.0.0.1:{}", free_port()));
    let page = browser_at(&serving).page(PAGE);
    assert!(page.contains("role=\"alert\""), "{page}");
    // Another one can be entered.
    assert!(page.contains("name=\"token\""), "{page}");
    serving.stop();
}

#[test]
fn the_first_account_comes_with_home_assistant() {
    let (home, place) = (HomeAssistant::start(NEW), Place::new());
    furnish(&home, true);
    set_password(&place);
    place.ok(&["account", "remove", "home"]);
    let serving = place.serve(&[]);
    let browser = browser_at(&serving);
    let url = home.url();
    let mut fields = vec![("account", "house 4"), ("address", &url), ("token", TOKEN)];
    // Without a time zone nothing is added.
    let answer = browser.submit_own(PAGE, &fields);
    assert_eq!(answer.status(), 422, "{}", answer.text());
    assert_eq!(place.json(&["account", "list"]), json!([]));
    fields.push(("tz", "Europe/Vienna"));
    let answer = browser.submit_own(PAGE, &fields);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(plain(answer.text()).contains("Its Energy dashboard has these."));
    let account = &place.json(&["account", "list"])[0];
    assert_eq!(
        (&account["account"], &account["tz"]),
        (&json!("house 4"), &json!("Europe/Vienna"))
    );
    assert_eq!(place.json(&["ha", "show"])[0]["account"], "house 4");
    serving.stop();
}
