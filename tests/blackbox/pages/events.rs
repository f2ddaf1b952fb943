//! `/events`, and the events beside a chart: decided, corrected, revoked. The energy by the API
//! follows.

use serde_json::{Value, json};
use wattkeeper::{Meter, MeterKind, Sensor};

use crate::pages::browser::{Browser, hidden_fields, location};
use crate::support::{HOUR, MINUTE, Service, at, house_basic, request};

const CHART: &str = "/chart?sensor=house&range=day";
const OPEN: &str = "/events?account=home";
const OF_SENSOR: &str = "/events?sensor=house";

fn get(service: &Service, path: &str) -> Value {
    let headers = [("Authorization", &*house_basic())];
    let target = format!("/api/v0.2/{path}");
    let answer = service.send(&request("GET", &target, &headers, b""));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

/// The energy of the day in watt-hours.
pub(crate) fn imported(service: &Service, from: &str, to: &str) -> f64 {
    let query = format!("energy?of=house&start_time={from}&end_time={to}");
    let answer = get(service, &query);
    answer["data"][0]["imported"].as_f64().unwrap()
}

fn today(service: &Service) -> f64 {
    imported(service, "2026-01-05", "2026-01-06")
}

/// A counter with a reading each minute from ten o'clock on.
fn with_registers(shown: &[f64]) -> Service {
    let service = Service::start();
    let registry = service.store().registry();
    let sensor = registry.sensors().next().cloned().unwrap();
    let meter = Meter::new(MeterKind::Counter);
    let counter = Sensor { meter, ..sensor };
    service.store().put_sensor_durably(counter).unwrap();
    for (minute, watthours) in (0..).zip(shown) {
        let time = at("2026-01-05T10:00:00").saturating_add_millis(minute * MINUTE);
        service.accept(&json!({"time": time.to_string(), "watthours": watthours}));
    }
    service
}

/// A counter that was reset at 10:02, and jumped at 10:04.
pub(crate) fn with_events() -> Service {
    with_registers(&[5_000.0, 5_001.0, 3.0, 4.0, 900_000.0, 900_001.0])
}

const RESET: &str = "2026-01-05T10:02:00.000Z";

/// Decides an event on the chart's page: the open one, unless `at` is among the fields.
#[track_caller]
fn decide(browser: &Browser<'_>, fields: &[(&str, &str)]) -> String {
    decide_at(browser, CHART, fields)
}

#[track_caller]
fn decide_at(browser: &Browser<'_>, page: &str, fields: &[(&str, &str)]) -> String {
    let answer = browser.submit(page, "/events/decide", fields);
    let to = location(&answer);
    assert_eq!(to, format!("{page}&done=decided#events"));
    browser.page(to.split('#').next().unwrap())
}

#[test]
fn a_jump_is_ignored_counted_and_revoked() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    assert!((today(&service) - 6.0).abs() < 1e-6, "{}", today(&service));
    let page = browser.page(CHART);
    assert!(page.contains(">open<"), "{page}");
    let jump = "leapt from 0.004\u{202f}kWh to 900.000\u{202f}kWh";
    assert!(page.contains(jump), "{page}");
    assert!(browser.page(OPEN).contains(jump));

    let page = decide(
        &browser,
        &[("decision", "ignore"), ("note", "a loose wire")],
    );
    assert!(page.contains("Decided."), "{page}");
    assert!(page.contains("a loose wire") && page.contains("the administrator"));
    assert!(!page.contains(">open<"), "{page}");
    assert!(browser.page(OPEN).contains("Nothing needs a decision"));
    assert!((today(&service) - 6.0).abs() < 1e-6);
    let made = &get(&service, "corrections")["corrections"][0];
    assert_eq!(
        json!([made["kind"], made["counts"], made["note"], made["made_by"]]),
        json!(["event", false, "a loose wire", "settings page"])
    );

    let answer = browser.submit(CHART, "/events/revoke", &[]);
    assert_eq!(location(&answer), format!("{CHART}&done=revoked#events"));
    assert!(browser.page(CHART).contains(">revoked<"));
    assert!(browser.page(OPEN).contains(jump));

    decide(&browser, &[("decision", "count")]);
    assert!((today(&service) - 900_002.0).abs() < 1e-6);
    // The newest one is listed first.
    browser.submit(OF_SENSOR, "/events/revoke", &[]);
    assert!((today(&service) - 6.0).abs() < 1e-6);
    assert_eq!(browser.submit(CHART, "/events/decide", &[]).status(), 422);
}

#[test]
fn a_reset_and_the_energy_of_a_jump_are_decided() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    decide(&browser, &[("at", RESET), ("decision", "ignore")]);
    assert!((today(&service) - 3.0).abs() < 1e-6);
    decide(&browser, &[("decision", "energy"), ("kwh", "1,5")]);
    assert!((today(&service) - 1_503.0).abs() < 1e-6);
    assert!(browser.page(OPEN).contains("Nothing needs a decision"));
    let page = browser.page(CHART);
    assert!(page.contains("1.500\u{202f}kWh, spread evenly"), "{page}");
}

#[test]
fn a_mistake_is_shown_at_its_field() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    let fields = [("decision", "energy"), ("kwh", "much"), ("note", "why")];
    let answer = browser.submit(CHART, "/events/decide", &fields);
    assert_eq!(answer.status(), 422);
    let page = answer.text();
    assert!(page.contains("#kwh\">") && page.contains("id=\"kwh-error\""));
    assert!(page.contains("value=\"much\"") && page.contains("value=\"why\""));
    assert!(page.contains("value=\"energy\" checked"), "{page}");
    // It still leads back to the chart.
    let kept = hidden_fields(page, "/events/decide");
    assert!(
        kept.contains(&("back".into(), CHART[1..].into())),
        "{kept:?}"
    );
    // An invalid decision for this one; an event that does not exist.
    for (field, at) in [("decision", RESET), ("events", "2026-01-05T10:01:00Z")] {
        let fields = [("at", at), ("decision", "wrong")];
        let answer = browser.submit(CHART, "/events/decide", &fields);
        assert_eq!(answer.status(), 422);
        let link = format!("#{field}\">");
        assert!(answer.text().contains(&link), "{}", answer.text());
    }
    assert_eq!(get(&service, "corrections")["corrections"], json!([]));
}

#[test]
fn a_spike_of_power_is_removed_by_its_range() {
    let service = Service::start();
    for (minute, watts) in [(0, 1_000), (1, 61_000), (2, 1_000)] {
        let time = at("2026-01-05T10:00:00").saturating_add_millis(minute * MINUTE);
        service.accept(&json!({"time": time.to_string(), "watts": watts}));
    }
    let browser = Browser::set_up(&service);
    // 31 kW in the mean for two minutes.
    assert!((today(&service) - 31_000.0 / 30.0).abs() < 1e-3);
    let page = browser.page(CHART);
    assert!(page.contains("value=\"2026-01-05T00:00:00\""), "{page}");
    let mut fields = vec![
        ("from", "2026-01-05T10:01"),
        ("to", "2026-01-05T10:01"),
        ("what", "wrong"),
        ("note", "a fly"),
    ];
    let answer = browser.submit(CHART, "/events/range", &fields);
    assert_eq!(answer.status(), 422);
    let again = answer.text();
    assert!(again.contains("#range-to\">"), "{again}");
    assert!(again.contains("value=\"2026-01-05T10:01\""));
    assert!(again.contains("value=\"wrong\" checked") && again.contains("value=\"a fly\""));
    fields[1] = ("to", "2026-01-05T10:01:30");
    let answer = browser.submit(CHART, "/events/range", &fields);
    assert_eq!(location(&answer), format!("{CHART}&done=corrected#events"));
    assert!((today(&service) - 1_000.0 / 30.0).abs() < 1e-3);
    browser.submit(CHART, "/events/revoke", &[]);
    let fields = [
        ("from", "2026-01-05T10:00"),
        ("to", "2026-01-05T10:02"),
        ("what", "energy"),
        ("kwh", "0.5"),
    ];
    browser.submit(OF_SENSOR, "/events/range", &fields);
    assert!((today(&service) - 500.0).abs() < 1e-3);
}

#[test]
fn a_changed_meter_joins_both() {
    // Two Wh are counted before, three until the change, four after it.
    let service = with_registers(&[5_000.0, 5_002.0, 900_004.0, 900_005.0]);
    let browser = Browser::set_up(&service);
    assert!((today(&service) - 3.0).abs() < 1e-6);
    let page = browser.page(CHART);
    let (_, link) = page.split_once("href=\"/meter/change?").unwrap();
    let link = link.split_once('"').unwrap().0.replace("&#38;", "&");
    let page = browser.page(&format!("/meter/change?{link}"));
    assert!(page.contains("value=\"2026-01-05T10:02:00\""), "{page}");
    assert!(
        page.contains("Last before that: 5.002\u{202f}kWh"),
        "{page}"
    );
    let from = "/meter/change?sensor=house";
    let mut fields = vec![
        ("at", "2026-01-05T10:01:30"),
        ("old", "5.001"),
        ("new", "900"),
    ];
    let answer = browser.submit(from, "/meter/change", &fields);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("#old\">"), "{}", answer.text());
    assert!(answer.text().contains("value=\"5.001\""));
    fields[1] = ("old", "5.005");
    let answer = browser.submit(from, "/meter/change", &fields);
    let page = browser.page(location(&answer).split('#').next().unwrap());
    assert!(page.contains("The meter change is saved."), "{page}");
    assert!((today(&service) - 10.0).abs() < 1e-6, "{}", today(&service));
}

#[test]
fn the_change_of_a_meter_is_proposed_where_its_register_began_anew() {
    let service = with_registers(&[5_000.0, 5_002.0, 3.0, 4.0]);
    let browser = Browser::set_up(&service);
    let page = browser.page("/meter/change?sensor=house");
    for value in ["2026-01-05T10:01:30", "5.002", "0.003"] {
        assert!(
            page.contains(&format!("value=\"{value}\"")),
            "{value} {page}"
        );
    }
    // A change to a new meter that began at 0 can be entered late.
    let fields = [("at", "2026-01-05T10:04"), ("old", "5.002"), ("new", "0")];
    browser.submit("/meter/change?sensor=house", "/meter/change", &fields);
    assert!((today(&service) - 6.0).abs() < 1e-6, "{}", today(&service));
    // Nothing is left to be explained.
    let page = browser.page("/meter/change?sensor=house");
    assert!(!page.contains("value=\"5.002\""), "{page}");
}

#[test]
fn the_dashboard_tells_of_what_is_open() {
    let service = with_registers(&[1_000.0, 1_001.0, 9_000_000.0, 9_000_001.0]);
    service.clock.advance(25 * HOUR);
    service.accept(&json!({"watthours": 9_000_200}));
    service.clock.advance(HOUR);
    service.await_notices(&["event-open:house:2026-01-05T10:02:00.000Z"]);
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert!(page.contains("needs a decision"), "{page}");
    assert!(page.contains(&format!("href=\"{OPEN}\"")), "{page}");
    decide_at(&browser, OPEN, &[("decision", "ignore")]);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
    assert!(!browser.page("/").contains("needs a decision"));
}

#[test]
fn pages_speak_german() {
    let service = with_events();
    let mut browser = Browser::set_up(&service);
    browser.headers.push(("Accept-Language", "de".into()));
    let page = browser.page(CHART);
    let jump = "sprang der Zählerstand von 0,004\u{202f}kWh auf 900,000\u{202f}kWh";
    assert!(page.contains(jump), "{page}");
    assert!(browser.page(OPEN).contains("Noch zu entscheiden"));
}

#[test]
fn other_things_are_not_found() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    for page in [
        "/events?sensor=none",
        "/events?account=none",
        "/meter?sensor=none",
        "/meter/change",
        "/bills?account=none",
    ] {
        assert_eq!(browser.get(page).status(), 404, "{page}");
    }
    for page in [
        "/events?sensor=house&from=2026-01-06&to=2026-01-05",
        "/events?sensor=house&from=x",
    ] {
        assert_eq!(browser.get(page).status(), 400, "{page}");
    }
}

#[test]
fn lists_show_all_ranges_with_filters() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    let count = |page: &str| browser.page(page).matches("<li class=\"event\">").count();
    // Open ones of all time; all; of one day, with and without events; of one sensor.
    assert_eq!(count("/events"), 1);
    let all = count("/events?account=home&sensor=&state=all&from=&to=");
    assert!(all > 1, "{all}");
    assert_eq!(
        count("/events?state=all&from=2026-01-05&to=2026-01-05"),
        all
    );
    assert_eq!(count("/events?state=all&from=2026-01-01&to=2026-01-04"), 0);
    assert_eq!(count("/events?state=all&from=&to=2026-01-04"), 0);
    assert_eq!(
        count("/events?account=home&sensor=house&state=all&from=&to="),
        all
    );
    let day = "/events?account=home&sensor=house&from=2026-01-05&to=2026-01-05";
    assert_eq!(count(day), all);
    // A choice stays.
    let page = browser.page(day);
    assert!(page.contains("<option value=\"house\" selected>"), "{page}");
    assert!(page.contains("name=\"from\" type=\"date\" value=\"2026-01-05\""));
    assert_eq!(browser.get("/events?state=all&from=soon").status(), 400);
    assert_eq!(
        browser
            .get("/events?from=2026-01-05&to=2026-01-04")
            .status(),
        400
    );
}

#[test]
fn meters_have_a_place_in_the_navigation_and_need_no_account() {
    let service = with_events();
    let browser = Browser::set_up(&service);
    for page in ["/", "/bills", "/meter", "/events"] {
        let page = browser.page(page);
        assert!(page.contains("<a href=\"/events\""), "{page}");
    }
    for (page, other) in [
        ("/events", "/meter?account=home"),
        ("/meter", "/events?account=home"),
    ] {
        let page = browser.page(page);
        assert!(page.contains("aria-current=\"page\">Meters</a>"), "{page}");
        assert!(page.contains(&format!("href=\"{other}\"")), "{other}");
    }
    // Bills are among the costs.
    let bills = browser.page("/bills");
    assert!(bills.contains("aria-current=\"page\">Costs</a>"), "{bills}");
    // Before there is any account.
    let service = crate::pages::wizard::empty();
    let browser = Browser::set_up(&service);
    for page in ["/events", "/meter", "/bills"] {
        let page = browser.page(page);
        assert!(page.contains("/settings/account/new"), "{page}");
    }
}
