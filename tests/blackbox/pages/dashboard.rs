//! `/`: its figures against those of the API, and what it shows without data.

use serde_json::json;
use wattkeeper::domain::account::{Account, AccountName, Plan};
use wattkeeper::domain::calendar::Zone;
use wattkeeper::domain::meter::{Meter, MeterKind};
use wattkeeper::domain::price::Price;
use wattkeeper::domain::reading::Reading;
use wattkeeper::domain::role::Role;
use wattkeeper::domain::sensor::{Sensor, SensorId};
use wattkeeper::domain::time::Timestamp;

use crate::pages::browser::Browser;
use crate::support::{ACCOUNT, API_ID, HOUR, MINUTE, SENSOR, Service, at, register};

/// Gives the account a time zone and a price.
pub(crate) fn live_in(service: &Service, zone: &str, price: Option<&str>) {
    let account = Account {
        name: AccountName::new(ACCOUNT).unwrap(),
        plan: Plan::Paid,
        zone: Zone::parse(zone).unwrap(),
        price: price.map(|price| Price::parse(price, "€").unwrap()),
        created: service.clock.now(),
    };
    service.store().put_account_durably(account).unwrap();
}

pub(crate) fn put_sensor(service: &Service, id: &str, name: &str, role: Role, kind: MeterKind) {
    let sensor = Sensor {
        id: SensorId::new(id).unwrap(),
        account: AccountName::new(ACCOUNT).unwrap(),
        name: name.to_owned(),
        authorized: true,
        role,
        meter: Meter::new(kind),
        part_of: None,
        silent_after: None,
        created: service.clock.now(),
    };
    service.store().put_sensor_durably(sensor).unwrap();
}

/// Hourly readings of a rising register.
pub(crate) fn hourly(from: &str, to: &str) -> Vec<Reading> {
    let (from, to) = (at(from), at(to));
    let count = (to.millis() - from.millis()) / HOUR;
    let shown = |hour: i64| f64::from(i32::try_from(hour * 300 + (hour * hour) % 97).unwrap());
    (0..=count)
        .map(|hour| register(from.saturating_add_millis(hour * HOUR), shown(hour)))
        .collect()
}

/// The net consumption of a range according to the API.
#[track_caller]
fn net(service: &Service, start: &str, end: Timestamp) -> f64 {
    let points = service.points("net_consumption", start, &end.to_string());
    let [(_, watthours)] = points.as_slice() else {
        panic!("{points:?}")
    };
    *watthours
}

/// Energy below 100 kWh as pages show it.
pub(crate) fn kilowatthours(watthours: f64) -> String {
    let number = watthours / 1_000.0;
    let decimals = if number < 9.995 { 2 } else { 1 };
    format!("{number:.decimals$}\u{202F}kWh")
}

/// The tile of a period.
#[track_caller]
fn tile<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, tile) = page
        .split_once(&format!("<h3>{name}</h3>"))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    tile.split("</li>").next().unwrap()
}

#[test]
fn figures_match_the_api() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    // Tuesday, 6 January 2026, 12:30 in Berlin.
    service.clock.set(at("2026-01-06T11:30:00"));
    let now = service.clock.now();
    service.import(&hourly("2025-12-28T00:00:00", "2026-01-06T11:00:00"));
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    for (name, start, end) in [
        ("Today", "2026-01-05T23:00:00", now),
        (
            "Yesterday",
            "2026-01-04T23:00:00",
            at("2026-01-05T23:00:00"),
        ),
        ("This week", "2026-01-04T23:00:00", now),
        ("This month", "2025-12-31T23:00:00", now),
    ] {
        let watthours = net(&service, start, end);
        let tile = tile(&page, name);
        assert!(tile.contains(&kilowatthours(watthours)), "{name}: {tile}");
        let cost = format!("{:.2}\u{202F}€", watthours / 2_000.0);
        assert!(tile.contains(&cost), "{name}: {cost} in {tile}");
    }
    // Compared with yesterday until 12:30.
    let before = net(&service, "2026-01-04T23:00:00", at("2026-01-05T11:30:00"));
    let today = tile(&page, "Today");
    let against = format!("yesterday by this time {}", kilowatthours(before));
    assert!(today.contains(&against), "{against} in {today}");
    let more = (net(&service, "2026-01-05T23:00:00", now) / before - 1.0) * 100.0;
    assert!(
        today.contains(&format!("{:.0}\u{202F}%", more.abs())),
        "{more} in {today}"
    );
    // The readings start in the middle of last month.
    assert!(!tile(&page, "This month").contains("last month by this time"));
}

#[test]
fn a_day_has_23_hours_when_clocks_go_forward() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-03-30T08:00:00"));
    let every_hour: Vec<Reading> = (0_i32..100)
        .map(|hour| {
            let time = at("2026-03-27T00:00:00").saturating_add_millis(i64::from(hour) * HOUR);
            register(time, f64::from(hour) * 1_000.0)
        })
        .collect();
    service.import(&every_hour);
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert!(tile(&page, "Yesterday").contains("23.0\u{202F}kWh"));
    assert!(tile(&page, "Today").contains("10.0\u{202F}kWh"));
    assert!(!page.contains('€'));
}

#[test]
fn nothing_is_added_twice() {
    let service = Service::start();
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    put_sensor(&service, "heat", "Heat", Role::SubMeter, MeterKind::Counter);
    for (sensor, watts) in [(SENSOR, -500), ("roof", 1_700), ("heat", 300)] {
        service.accept(&json!({"sensor_id": sensor, "watts": watts}));
    }
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    for (key, power, way) in [
        ("grid", "−500\u{202F}W", "fed into the grid"),
        ("solar", "1.70\u{202F}kW", "generated"),
        ("used", "1.20\u{202F}kW", "used"),
        ("sensor:heat", "300\u{202F}W", "used"),
    ] {
        let (_, panel) = page.split_once(&format!("data-now=\"{key}\"")).unwrap();
        let panel = panel.split("data-now").next().unwrap();
        assert!(
            panel.contains(power) && panel.contains(way),
            "{key}: {panel}"
        );
        assert!(panel.contains(">active<"), "{key}: {panel}");
    }
    assert_eq!(page.matches("class=\"card sensor").count(), 3);
    assert_eq!(page.matches("now gives of-grid").count(), 1);
}

#[test]
fn costs_are_for_energy_from_the_grid() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    put_sensor(
        &service,
        "heat",
        "Heat pump",
        Role::SubMeter,
        MeterKind::Counter,
    );
    for sensor in [SENSOR, "roof", "heat"] {
        let id = SensorId::new(sensor).unwrap();
        let history = hourly("2026-01-03T00:00:00", "2026-01-05T10:00:00");
        service.store().import_durably(&id, history).unwrap();
    }
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    for (sensor, has_money) in [(SENSOR, true), ("roof", false), ("heat", false)] {
        let (_, card) = page
            .split_once(&format!("data-now=\"sensor:{sensor}\""))
            .unwrap();
        let card = card.split("</article>").next().unwrap();
        assert!(card.contains("kWh"), "{card}");
        assert_eq!(card.contains('€'), has_money, "{sensor}: {card}");
        for show in ["power", "energy"] {
            let chart = browser.page(&format!("/chart?sensor={sensor}&range=day&show={show}"));
            assert_eq!(chart.contains('€'), has_money, "{sensor}: {chart}");
        }
    }
    assert!(tile(&page, "Today").contains('€'));
}

#[test]
fn silence_is_shown_in_the_time_zone_of_the_account() {
    let service = Service::start();
    live_in(&service, "Asia/Tokyo", None);
    service.accept(&json!({"watts": 10}));
    let browser = Browser::set_up(&service);
    service.clock.advance(6 * MINUTE);
    // 10:30 UTC is 19:30 in Tokyo.
    let page = browser.page("/");
    assert!(page.contains(">silent<") && page.contains("since 19:30"));
    service.clock.advance(24 * HOUR);
    assert!(browser.page("/").contains("since 5 Jan 2026, 19:30"));
}

#[test]
fn empty_pages_say_what_to_do() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert!(page.contains("no data received yet") && page.contains("No energy readings yet"));
    assert!(page.contains("No readings in this range"));

    service.add_account("other", Plan::Free);
    let page = browser.page("/?account=other");
    assert!(page.contains("Add your first sensor") && page.contains("href=\"/settings\""));
    assert!(!page.contains("the house"), "another account's sensor");

    service.revoke_sensor(ACCOUNT, SENSOR);
    let page = browser.page("/");
    assert!(page.contains("No sensor is authorized"));

    let store = service.store();
    store
        .remove_sensor_durably(&SensorId::new(SENSOR).unwrap())
        .unwrap();
    service.revoke_key(API_ID);
    for name in [ACCOUNT, "other"] {
        store
            .remove_account_durably(&AccountName::new(name).unwrap())
            .unwrap();
    }
    let page = browser.page("/");
    assert!(
        page.contains("Add your first sensor") && page.contains("href=\"/settings/sensor/new\"")
    );
    for address in ["/chart", "/chart.csv", "/live"] {
        assert_eq!(browser.get(address).status(), 404, "{address}");
    }
}

#[test]
fn accounts_are_switched() {
    let service = Service::start();
    service.add_account("Büro & Co", Plan::Free);
    service.add_sensor("Büro & Co", "office");
    let browser = Browser::set_up(&service);
    // The first account by name.
    let page = browser.page("/");
    assert!(page.contains("the office") && !page.contains("the house"));
    let page = browser.page("/?account=home");
    assert!(page.contains("the house") && !page.contains("the office"));
    let to_other = "href=\"/?account=B%C3%BCro%20%26%20Co\"";
    assert!(page.contains(to_other), "{page}");
    // Its charts stay with the account.
    let links: Vec<&str> = page
        .split("href=\"")
        .filter(|link| link.contains("data-way="))
        .collect();
    assert!(links.len() >= 9, "{links:?}");
    assert!(
        links.iter().all(|link| link.starts_with("/?account=home")),
        "{links:?}"
    );
    assert!(page.contains("data-live=\"/live?account=home\""));
}

#[test]
fn hostile_names_stay_text() {
    let service = Service::start();
    let hostile = "\"><script>alert(1)</script><b x='";
    put_sensor(&service, hostile, hostile, Role::Grid, MeterKind::Net);
    service.add_account("<i>&\"", Plan::Free);
    service.accept(&json!({"sensor_id": hostile, "watts": 5, "watthours": 7}));
    let browser = Browser::set_up(&service);
    let id = crate::pages::browser::encoded(hostile);
    for address in [
        "/?account=home".to_owned(),
        format!("/?account=home&sensor={id}"),
        format!("/chart?account=home&sensor={id}"),
        format!("/chart?account=home&sensor={id}&show=energy"),
    ] {
        let page = browser.page(&address);
        assert!(page.contains("alert(1)"), "{address}");
        for raw in ["<script>alert", "<b x=", "<i>"] {
            assert!(!page.contains(raw), "{raw} in {address}");
        }
    }
    let csv = browser.get(&format!("/chart.csv?account=home&sensor={id}"));
    assert_eq!(
        csv.head
            .header("content-disposition")
            .unwrap()
            .split("-power")
            .next(),
        Some("attachment; filename=\"script-alert-1-script-b-x")
    );
}

#[test]
fn errors_in_an_address_are_named() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (query, status, text) in [
        ("range=decade", 400, "range: expected one of 24h, hour"),
        ("from=2026-01-01", 400, "to: expected together with from"),
        ("from=yesterday&to=2026-01-01", 400, "from: "),
        ("from=2026-01-02&to=2026-01-01", 400, "not after the end"),
        (
            "show=energy&range=all&by=minute",
            400,
            "by: expected one of",
        ),
        (
            "show=energy&by=hour&from=2020-01-01&to=2026-01-01",
            400,
            "by: expected an interval",
        ),
        ("account=nobody", 404, "Page not found"),
        ("sensor=none", 404, "Page not found"),
        ("account=%ff", 400, "account: expected UTF-8"),
    ] {
        for page in ["/", "/chart", "/chart.csv"] {
            let answer = browser.get(&format!("{page}?{query}"));
            assert_eq!(answer.status(), status, "{page}?{query}");
            assert!(
                answer.text().contains(text),
                "{page}?{query}: {}",
                answer.text()
            );
        }
    }
}
