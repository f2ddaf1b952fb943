//! The house that Home Assistant describes: its Energy dashboard, or guesses without one.

use serde_json::{Value, json};

use super::fake::{Entity, HomeAssistant, NEW, OLD, TOKEN};
use super::put_token;
use crate::pages::browser::{Browser, location, plain};
use crate::pages::service::administered;
use crate::place::Place;

pub(crate) const PAGE: &str = "/settings/home-assistant";
pub(crate) const HOUR: i64 = 3_600_000;

/// The time now, in milliseconds.
pub(crate) fn now() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// An entity in kilowatt-hours with hours that rise by one, until `end`.
pub(crate) fn rising(hours: i64, end: i64, first: f64) -> Entity {
    let begin = end / HOUR - hours;
    let rows = (0..hours).map(|hour| {
        let counted = f64::from(u32::try_from(hour + 1).unwrap());
        ((begin + hour) * HOUR, first + counted, counted)
    });
    let rows: Vec<_> = rows.collect();
    let last = rows.last().unwrap().1;
    Entity {
        unit: "kWh",
        hours: rows,
        fine: Vec::new(),
        states: vec![(end / HOUR * HOUR, last.to_string())],
    }
}

/// A house with a grid meter, panels, a battery's power, a car in a garage, and what does not fit.
pub(crate) fn furnish(home: &HomeAssistant, is_new: bool) {
    let grid = if is_new {
        json!({"type": "grid", "stat_energy_from": "sensor.grid_in", "stat_energy_to": "sensor.grid_out",
            "stat_rate": "sensor.made", "power_config": {"stat_rate_inverted": "sensor.grid_power"}})
    } else {
        json!({"type": "grid", "flow_from": [{"stat_energy_from": "sensor.grid_in"}],
            "flow_to": [{"stat_energy_to": "sensor.grid_out"}], "power": [{"stat_rate": "sensor.grid_power"}]})
    };
    let end = now();
    home.with(|state| {
        state.prefs = json!({"energy_sources": [
            grid,
            {"type": "solar", "stat_energy_from": "sensor.roof"},
            {"type": "gas", "stat_energy_from": "sensor.gas"},
            {"type": "solar", "stat_energy_from": "other:roof"},
            {"type": "solar", "stat_energy_from": "sensor.gone"},
        ], "device_consumption": [
            {"stat_consumption": "sensor.car_energy", "name": "Car", "included_in_stat": "sensor.garage_energy"},
            {"stat_consumption": "sensor.garage_energy"},
            {"stat_consumption": "sensor.gas"},
        ]});
        for (id, first) in [
            ("sensor.grid_in", 1_000.0),
            ("sensor.grid_out", 0.0),
            ("sensor.roof", 5.0),
            ("sensor.car_energy", 0.0),
            ("sensor.garage_energy", 7.0),
            ("other:roof", 0.0),
        ] {
            state.entities.insert(id.to_owned(), rising(48, end, first));
        }
        let gas = Entity { unit: "m\u{b3}", ..rising(2, end, 0.0) };
        state.entities.insert("sensor.gas".to_owned(), gas);
        let power = Entity {
            unit: "kW",
            hours: Vec::new(),
            fine: vec![(end / 300_000 * 300_000 - 600_000, -1.5, 0.0)],
            states: vec![(end - 60_000, "-1.5".to_owned())],
        };
        state.entities.insert("sensor.grid_power".to_owned(), power);
    });
}

fn prepared(home: &HomeAssistant) -> Place {
    let place = Place::new();
    place.ok(&["account", "add", "home", "--tz", "Europe/Berlin"]);
    put_token(&place, TOKEN);
    place.ok(&[
        "ha",
        "add",
        &home.url(),
        "--token-file",
        "token",
        "--unasked",
    ]);
    place
}

/// `sensor role energy power part-of taken` of each proposed sensor.
fn proposed(house: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let rows = house["sensors"].as_array().unwrap().iter().map(|it| {
        let (sensor, feeds) = (&it["sensor"], &it["sensor"]["feeds"]);
        let power = match feeds["power"]["part"].as_str() {
            Some(part) => format!("{}:{part}", text(&feeds["power"]["entity"])),
            None => "-".to_owned(),
        };
        format!(
            "{} {} {} {power} {} {}",
            text(&feeds["sensor"]),
            text(&sensor["role"]),
            text(&feeds["energy"]),
            text(&sensor["inside"]),
            it["is_proposed"]
        )
    });
    rows.collect()
}

#[test]
fn both_forms_of_the_dashboard_become_a_proposal() {
    for (version, is_new, parts) in [
        (OLD, false, ["positive", "negative"]),
        (NEW, true, ["negative", "positive"]),
    ] {
        let home = HomeAssistant::start(version);
        furnish(&home, is_new);
        let place = prepared(&home);
        let house = place.json(&["ha", "test"]);
        assert_eq!(
            proposed(&house),
            [
                &format!(
                    "grid-import grid-import sensor.grid_in sensor.grid_power:{} - true",
                    parts[0]
                ),
                &format!(
                    "grid-export grid-export sensor.grid_out sensor.grid_power:{} - true",
                    parts[1]
                ),
                "solar solar sensor.roof - - true",
                "car sub-meter sensor.car_energy - garage true",
                "garage sub-meter sensor.garage_energy - - true",
            ]
        );
        let left_out = json!([
            {"entity": "other:roof", "why": "no-entity"},
            {"entity": "sensor.gone", "why": "unknown"},
            {"entity": "sensor.gas", "why": "other-unit"},
        ]);
        assert_eq!(house["left_out"], left_out);
        let first = &house["sensors"][0];
        assert_eq!(first["sensor"]["name"], "grid-import");
        assert_eq!(house["sensors"][3]["sensor"]["name"], "Car");
        assert_eq!(first["unit"], "kWh");
        assert!(first["since"].is_string(), "{first}");
        let power = first["newest_power"].as_f64().unwrap();
        assert_eq!(power, if is_new { 1_500.0 } else { 0.0 });
        let text = place.ok(&["ha", "test"]);
        assert!(
            text.contains("sensor.grid_in") && text.contains("Left out: other:roof, no-entity."),
            "{text}"
        );
    }
}

#[test]
fn roles_are_chosen_and_entities_left_out() {
    let home = HomeAssistant::start(NEW);
    furnish(&home, true);
    let place = prepared(&home);
    let add = ["ha", "add", &home.url(), "--token-file", "token"];
    let error = place.error(&[&add[..], &["--leave-out", "sensor.none"]].concat());
    assert!(
        error.contains(
            "\"sensor.none\" is none; expected an entity that `wattkeeper ha test` lists"
        ),
        "{error}"
    );
    let wishes = [
        "--leave-out",
        "sensor.grid_out",
        "--role",
        "sensor.roof=sub-meter",
    ];
    let row = place.json(&[&add[..], &wishes].concat());
    let sensors = row["home_assistant"]["sensors"].as_array().unwrap();
    let ids: Vec<_> = sensors
        .iter()
        .map(|it| it["sensor"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["grid-import", "solar", "car", "garage"]);
    let known = place.json(&["sensor", "list"]);
    let of = |id: &str| {
        let mut all = known.as_array().unwrap().iter();
        all.find(|it| it["sensor_id"] == id).unwrap().clone()
    };
    assert_eq!(
        (&of("solar")["role"], &of("grid-import")["role"]),
        (&json!("sub-meter"), &json!("grid-import"))
    );
    assert_eq!(
        (&of("car")["part_of"], &of("car")["register"]),
        (&json!("garage"), &json!("counter"))
    );
    assert_eq!(
        (&of("car")["between"], &of("car")["home_assistant"]),
        (&json!("hold"), &json!(false))
    );
    assert_eq!(of("car")["name"], "Car");
    // The same again keeps the sensors; the export, now taken, gets the id that it had been offered.
    let again = place.json(&add);
    let ids = again["home_assistant"]["sensors"]
        .as_array()
        .unwrap()
        .iter();
    let ids: Vec<_> = ids.map(|it| it["sensor"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        ["grid-import", "grid-export", "solar", "car", "garage"]
    );
}

#[test]
fn what_is_measured_already_is_not_proposed() {
    let home = HomeAssistant::start(NEW);
    furnish(&home, true);
    let place = prepared(&home);
    place.ok(&[
        "sensor",
        "add",
        "meter",
        "--account",
        "home",
        "--role",
        "grid",
    ]);
    let house = place.json(&["ha", "test"]);
    let shown = proposed(&house);
    assert!(
        shown[0].starts_with("grid-import ") && shown[0].ends_with("false"),
        "{shown:?}"
    );
    assert!(
        shown[1].ends_with("false") && shown[2].ends_with("true"),
        "{shown:?}"
    );
}

#[test]
fn without_a_dashboard_roles_are_guessed() {
    let home = HomeAssistant::start(OLD);
    furnish(&home, false);
    home.with(|state| state.prefs = Value::Null);
    let place = prepared(&home);
    let house = place.json(&["ha", "test"]);
    assert_eq!(house["is_of_dashboard"], false);
    let shown = proposed(&house);
    assert_eq!(shown[0], "grid-import grid-import sensor.grid_in - - true");
    let others = [
        "car sub-meter sensor.car_energy - - false",
        "grid sub-meter - sensor.grid_power:whole - false",
    ];
    for other in others {
        assert!(shown.contains(&other.to_owned()), "{shown:?}");
    }
    assert!(
        !shown
            .iter()
            .any(|it| it.contains("gas") || it.contains("other:")),
        "{shown:?}"
    );
}

/// The values of all inputs and chosen options of a form, in their order.
pub(crate) fn rows_of(page: &str, action: &str) -> Vec<(String, String)> {
    let form = page.split(&format!("{action}\"")).nth(1).unwrap();
    let form = form.split("</form>").next().unwrap();
    let value = |tag: &str, name: &str| {
        let rest = tag.split(&format!(" {name}=\"")).nth(1)?;
        Some(rest.split('"').next().unwrap().to_owned())
    };
    let mut fields = Vec::new();
    let mut select = None;
    for tag in form.split('<').skip(1) {
        if tag.starts_with("input") {
            fields.extend(value(tag, "name").zip(value(tag, "value")));
        } else if tag.starts_with("select") {
            select = value(tag, "name");
            fields.push((select.clone().unwrap(), String::new()));
        } else if tag.starts_with("option") && tag.contains(" selected") {
            fields.last_mut().unwrap().1 = value(tag, "value").unwrap();
        }
    }
    assert!(select.is_some());
    fields
}

fn save(browser: &Browser<'_>, url: &str) -> String {
    let fields = [("account", "home"), ("address", url), ("token", TOKEN)];
    let answer = browser.submit_own(PAGE, &fields);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.text().to_owned()
}

#[test]
fn one_button_of_the_page_takes_the_house() {
    let home = HomeAssistant::start(NEW);
    furnish(&home, true);
    let place = Place::new();
    let (serving, browser) = administered(&place);
    let page = save(&browser, &home.url());
    let shown = plain(&page);
    assert!(shown.contains("Its Energy dashboard has these."), "{shown}");
    assert!(
        shown.contains("sensor.car_energy")
            && shown.contains("another program sends this statistic"),
        "{shown}"
    );
    assert!(shown.contains("It feeds no sensor yet"), "{shown}");
    let action = "settings/home-assistant/sensors";
    let mut fields = rows_of(&page, action);
    let roles = fields.iter().filter(|(name, _)| name == "role").count();
    assert_eq!(roles, 5);
    // The last one is left out.
    let last = fields.iter().rposition(|(name, _)| name == "role").unwrap();
    fields[last].1 = String::new();
    let answer = browser.post(&format!("/{action}"), &fields);
    assert_eq!(
        location(&answer),
        format!("{PAGE}?account=home&done=ha-sensors"),
        "{}",
        answer.text()
    );
    let row = place.json(&["ha", "show"]);
    let sensors = row[0]["home_assistant"]["sensors"].as_array().unwrap();
    assert_eq!(sensors.len(), 4);
    assert!(plain(&browser.page(PAGE)).contains("Home Assistant"));
    // Without a role nothing is read, and the page says so.
    for field in &mut fields {
        if field.0 == "role" {
            field.1 = String::new();
        }
    }
    let answer = browser.post(&format!("/{action}"), &fields);
    assert_eq!(answer.status(), 422);
    assert!(
        plain(answer.text()).contains("No sensor has a role."),
        "{}",
        answer.text()
    );
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
}

#[test]
fn a_house_without_end_is_bounded() {
    let home = HomeAssistant::start(NEW);
    let name = "n".repeat(3_000);
    let devices = (0..1_100)
        .map(|device| json!({"stat_consumption": format!("sensor.d{device}"), "name": name}));
    let devices: Vec<Value> = devices.collect();
    home.with(|state| {
        state.prefs = json!({"energy_sources": [], "device_consumption": devices});
        let one = rising(2, now(), 0.0);
        for device in 0..1_100 {
            state
                .entities
                .insert(format!("sensor.d{device}"), one.clone());
        }
    });
    let place = prepared(&home);
    let house = place.json(&["ha", "test"]);
    assert_eq!(house["sensors"].as_array().unwrap().len(), 200);
    assert_eq!(house["left_out"][0]["why"], "too-many");
    let longest = house["sensors"][0]["sensor"]["name"]
        .as_str()
        .unwrap()
        .len();
    assert!(longest <= 128, "{longest}");
    let add = ["ha", "add", &home.url(), "--token-file", "token"];
    let error = place.error(&add);
    assert!(
        error.contains("sensors: expected at most 60 sensors"),
        "{error}"
    );
    // More than a message may have.
    home.with(|state| {
        let devices = state.prefs["device_consumption"].as_array_mut().unwrap();
        let more: Vec<Value> = devices.iter().cycle().take(2_000).cloned().collect();
        devices.extend(more);
    });
    let error = place.error(&["ha", "test"]);
    assert!(
        error.contains("it sent a message of more than 4194304 bytes"),
        "{error}"
    );
}
