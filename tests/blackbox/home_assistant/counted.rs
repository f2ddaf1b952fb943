//! The energy that Home Assistant counted, beside that of the ledger: by command, page and API.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::fake::{HomeAssistant, NEW, TOKEN, shown};
use super::history::await_live;
use super::house::{HOUR, now, rising};
use super::put_token;
use crate::mqtt::house::eventually;
use crate::pages::browser::PASSWORD;
use crate::pages::service::browser_at;
use crate::place::{Place, Serving};

/// So many hours, and where the faults are: in another month than now, and not at its end.
const HOURS: i64 = 100 * 24;

/// Where a fault is: the row of the hour in the middle of the month before the last one.
fn place_of_fault(rows: &[(i64, f64, f64)]) -> usize {
    let day = |row: &(i64, f64, f64)| {
        let text = wattkeeper::Timestamp::from_millis(row.0).unwrap();
        text.to_string()[8..10].parse::<u32>().unwrap()
    };
    let middle = |row: &(i64, f64, f64)| day(row) == 15;
    rows.iter().position(middle).unwrap() + 5
}

/// The rows of an entity: the begin, the register and the sum.
type Rows = Vec<(i64, f64, f64)>;

/// An entity, a fault in what Home Assistant counted of it, and the reason that is right.
type CountFault = (&'static str, fn(&mut Rows, usize), Option<&'static str>);

const FAULTS: [CountFault; 10] = [
    ("plain", |_, _| {}, None),
    // It showed 0 within an hour, and all of its register was counted again.
    (
        "dip",
        |rows, at| more_from(rows, at, rows[at].1),
        Some("reset"),
    ),
    ("edge", low_at_the_end_of_an_hour, Some("reset")),
    (
        "spike",
        |rows, at| more_from(rows, at, rows[at].1 * 7.0),
        Some("spike"),
    ),
    ("top", high_at_the_end_of_an_hour, Some("spike")),
    ("gap", nothing_over_the_end_of_the_month, Some("gap")),
    ("unit", watthours_for_five_hours, Some("unit")),
    (
        "less",
        |rows, at| more_from(rows, at, -321.5),
        Some("edited"),
    ),
    (
        "more",
        |rows, at| more_from(rows, at, 33.25),
        Some("edited"),
    ),
    (
        "again",
        |rows, at| more_from(rows, at, -rows[at - 1].2),
        Some("renamed"),
    ),
];

/// The sum is higher from a row on.
fn more_from(rows: &mut Rows, at: usize, more: f64) {
    rows[at..].iter_mut().for_each(|row| row.2 += more);
}

fn low_at_the_end_of_an_hour(rows: &mut Rows, at: usize) {
    let register = rows[at].1;
    rows[at].1 = 0.0;
    rows[at].2 -= 1.0;
    more_from(rows, at + 1, register);
}

fn high_at_the_end_of_an_hour(rows: &mut Rows, at: usize) {
    let register = rows[at].1;
    rows[at].1 *= 7.0;
    rows[at].2 += register * 6.0;
    more_from(rows, at + 1, register * 7.0);
}

fn nothing_over_the_end_of_the_month(rows: &mut Rows, at: usize) {
    let month = |row: &(i64, f64, f64)| shown(row.0)[..7].to_owned();
    let end = (at..rows.len()).find(|it| month(&rows[*it]) != month(&rows[at]));
    let end = end.unwrap();
    rows.drain(end - 7..end + 5);
}

/// Back in kilowatt-hours, the register is counted as that of a new meter.
fn watthours_for_five_hours(rows: &mut Rows, at: usize) {
    for row in &mut rows[at..at + 5] {
        row.2 += row.1 * 999.0;
        row.1 *= 1e3;
    }
    let more = rows[at + 4].1;
    more_from(rows, at + 5, more);
}

/// A service whose Home Assistant feeds a sub-meter from each entity, and one that was renamed there.
pub(crate) fn served(home: &HomeAssistant) -> (Place, Serving) {
    let mut devices = Vec::new();
    home.with(|state| {
        for (name, fault, _) in FAULTS {
            let mut entity = rising(HOURS, now(), 1_000.0);
            let at = place_of_fault(&entity.hours);
            fault(&mut entity.hours, at);
            let id = format!("sensor.{name}");
            devices.push(json!({"stat_consumption": id}));
            state.entities.insert(id, entity);
        }
        let mut old = rising(HOURS, now(), 1_000.0);
        let at = place_of_fault(&old.hours);
        old.hours.truncate(at);
        old.states.clear();
        devices.push(json!({"stat_consumption": "sensor.old"}));
        state.entities.insert("sensor.old".to_owned(), old);
        state.prefs = json!({"energy_sources": [], "device_consumption": devices});
    });
    let place = Place::new();
    place.ok(&["account", "add", "home", "--tz", "Europe/Berlin"]);
    let run = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    put_token(&place, TOKEN);
    place.ok(&["ha", "add", &home.url(), "--token-file", "token"]);
    let serving = place.serve(&[]);
    await_live(&place);
    // The renamed one goes on by another way.
    let rows = rising(HOURS, now(), 1_000.0).hours;
    let lines = rows[place_of_fault(&rows)..]
        .iter()
        .map(|(start, state, _)| {
            let time = wattkeeper::Timestamp::from_millis(start + HOUR).unwrap();
            format!("{time},{}\n", state * 1e3)
        });
    let table = format!("time,watthours\n{}", lines.collect::<String>());
    let run = place.run_on(table.as_bytes(), &["import", "-", "--sensor", "old"]);
    assert_eq!(run.status, 0, "{run:?}");
    (place, serving)
}

/// The reasons of each sensor.
fn reasons(compared: &Value) -> BTreeMap<String, Vec<String>> {
    let mut all = BTreeMap::<_, Vec<String>>::new();
    for month in compared["months"].as_array().unwrap() {
        let sensor = month["sensor_id"].as_str().unwrap().to_owned();
        let reasons = month["reasons"].as_array().unwrap();
        let difference = month["difference"].as_f64();
        let told: f64 = reasons
            .iter()
            .map(|it| it["energy"].as_f64().unwrap())
            .sum();
        if let Some(difference) = difference {
            assert!((difference - told).abs() < 1.0, "{month}");
        }
        let reasons = reasons
            .iter()
            .map(|it| it["reason"].as_str().unwrap().to_owned());
        all.entry(sensor).or_default().extend(reasons);
    }
    for reasons in all.values_mut() {
        reasons.dedup();
    }
    all
}

#[test]
fn each_difference_has_its_reason_and_leads_to_its_events() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = served(&home);
    let compared = place.json(&["ha", "compare"]);
    assert_eq!(compared["identity"]["is_administrator"], true);
    let found = reasons(&compared);
    for (name, _, reason) in FAULTS {
        let expected: Vec<&str> = reason.into_iter().collect();
        assert_eq!(found[name], expected, "{name}: {compared}");
    }
    assert_eq!(found["old"], ["renamed"]);
    // The energy of the ledger is that of `GET /energy`.
    let month = compared["months"].as_array().unwrap().iter();
    let mut month = month.filter(|it| it["sensor_id"] == "dip" && it["reasons"][0].is_object());
    let month = month.next().unwrap();
    let (start, end) = (
        month["from"].as_str().unwrap(),
        month["to"].as_str().unwrap(),
    );
    let energy = place.json(&["energy", "dip", "--from", start, "--to", end]);
    assert_eq!(
        energy["data"][0]["energy"].as_f64(),
        month["measured"].as_f64()
    );

    let shown = place.ok(&["ha", "compare", "--sensor", "dip"]);
    assert!(
        shown.contains("reset ") && !shown.contains("edge"),
        "{shown}"
    );
    let error = place.error(&["ha", "compare", "--sensor", "none"]);
    assert!(
        error.contains("feeds no register of this sensor"),
        "{error}"
    );
    let error = place.error(&["ha", "compare", "--from", "2006-01-01"]);
    assert!(
        error.contains("expected at most 780 months of sensors"),
        "{error}"
    );
    let one = place.json(&["ha", "compare", "--from", "2006-12-31", "--sensor", "dip"]);
    assert!(one["months"].as_array().unwrap().len() > 230);

    shown_on_the_page(&serving, month);
    told_by_the_api(&place, &serving, &home);
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN), "{stderr}");
}

fn shown_on_the_page(serving: &Serving, month: &Value) {
    let browser = browser_at(serving);
    let own = browser.page("/settings/home-assistant");
    let address = "settings/home-assistant/counted?account=home";
    assert!(own.contains(address), "{own}");
    let page = browser.page(&format!("/{address}"));
    assert!(page.contains("What Home Assistant counted"), "{page}");
    assert!(page.contains("a register was counted again"), "{page}");
    assert!(page.contains("an administrator there"), "{page}");
    let reason = &month["reasons"][0];
    let link = format!(
        "events?sensor=dip&#38;from={}",
        reason["from"].as_str().unwrap()
    );
    assert!(page.contains(&link), "{link} in {page}");
    let events = "/events?sensor=top&from=2000-01-01&to=2090-01-01";
    assert!(browser.page(events).contains("Spike"));
    let page = browser.page(&format!("/{address}&sensor=none"));
    assert!(
        page.contains("feeds no register of such a sensor"),
        "{page}"
    );
}

fn told_by_the_api(place: &Place, serving: &Serving, home: &HomeAssistant) {
    let (id, key) = place.key();
    let url = format!(
        "{}/api/v0.2/home-assistant/comparison?api_id={id}&api_key={key}",
        serving.url
    );
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let get = |rest: &str| {
        let mut answer = agent.get(format!("{url}{rest}")).call().unwrap();
        let status = answer.status().as_u16();
        (status, answer.body_mut().read_to_string().unwrap())
    };
    // On a shared database the service hears of the new key a moment later.
    let text = eventually("the key", || {
        let (status, text) = get("&sensor_id=edge");
        (status == 200).then_some(text)
    });
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(reasons(&found)["edge"], ["reset"]);
    let (status, text) = get("&sensor_id=edge&format=csv");
    assert_eq!(status, 200);
    assert!(
        text.starts_with(
            "sensor_id,entity,month,counted,measured,difference,reason,from,to,energy,event\n"
        ),
        "{text}"
    );
    assert!(
        text.contains("edge,sensor.edge,") && text.contains(",reset,"),
        "{text}"
    );
    let (status, text) = get("&start_time=2026-03-01&end_time=2026-02-01");
    assert_eq!(status, 400, "{text}");
    assert_eq!(get("&sensor_id=none").0, 400);
    // A break is shown, and the next question is answered.
    home.with(|state| state.closes_at = Some(state.commands.len() + 3));
    let (status, text) = get("");
    assert_eq!(status, 502, "{text}");
    assert!(
        text.contains("it ended the connection") && text.contains("\"home_assistant\""),
        "{text}"
    );
    eventually("an answer", || {
        (get("&sensor_id=edge").0 == 200).then_some(())
    });
}
