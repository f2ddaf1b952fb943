//! `/`: its figures against those of the API, and its look without data.

use serde_json::json;
use wattkeeper::Reading;
use wattkeeper::Role;
use wattkeeper::SentParts;
use wattkeeper::Timestamp;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, Phases, Plan, Scope};
use wattkeeper::{ContractChange, FlatContract, FlatTerms};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Sensor, SensorId};

use crate::pages::browser::{Browser, plain};
use crate::support::{ACCOUNT, API_ID, HOUR, MINUTE, SENSOR, Service, at, key_of, register};

/// Gives the account a time zone and a price.
pub(crate) fn live_in(service: &Service, zone: &str, price: Option<&str>) {
    let account = Account {
        name: AccountName::new(ACCOUNT).unwrap(),
        plan: Plan::Paid,
        zone: Zone::parse(zone).unwrap(),
        phases: Phases::default(),
        created: service.clock.now(),
    };
    let name = account.name.clone();
    service
        .store()
        .edit(move |edit| edit.put_account(account))
        .unwrap();
    if let Some(price) = price {
        let terms = FlatTerms {
            price,
            currency: "€",
            ..FlatTerms::default()
        };
        let contract = FlatContract::new(terms).unwrap().contract();
        let put = ContractChange::Put(Box::new(contract));
        let changed = service
            .store()
            .edit(move |edit| edit.change_contracts(&name, put));
        changed.unwrap();
    }
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
        is_announced: true,
        sent_parts: SentParts::default(),
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

/// The row of a period.
#[track_caller]
pub(crate) fn tile<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, tile) = page
        .split_once(&format!("<h3>{name}</h3>"))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    tile.split("</li>").next().unwrap()
}

#[test]
fn figures_match_the_api() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    // Tuesday, 6 January 2026, noon in Berlin: at a reading, since energy flows between two of
    // them.
    service.clock.set(at("2026-01-06T11:00:00"));
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
        // The grid is all that is known.
        assert!(tile.contains("from the grid, net"), "{tile}");
        let cost = format!("{:.2}\u{202F}€", watthours / 2_000.0);
        assert!(tile.contains(&cost), "{name}: {cost} in {tile}");
    }
    // Compared with yesterday until noon.
    let before = net(&service, "2026-01-04T23:00:00", at("2026-01-05T11:00:00"));
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
fn a_tile_begins_with_what_was_used() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    service.clock.set(at("2026-01-06T11:00:00"));
    // 100 Wh each hour from the grid, and 300 Wh from the panels; on the day before 200 Wh of
    // these.
    let midnight = at("2026-01-04T23:00:00");
    for (sensor, rises) in [(SENSOR, [100, 100]), ("roof", [200, 300])] {
        let mut shown = 1_000;
        let mut readings = vec![register(midnight, 1_000.0)];
        for hour in 0..36_i32 {
            shown += if hour < 24 { rises[0] } else { rises[1] };
            let time = midnight.saturating_add_millis(i64::from(hour + 1) * HOUR);
            readings.push(register(time, f64::from(shown)));
        }
        let id = SensorId::new(sensor).unwrap();
        service.store().import_durably(&id, readings).unwrap();
    }
    let mut browser = Browser::set_up(&service);
    let page = browser.page("/");
    let today = plain_tile(&page, "Today");
    // 4.8 kWh, a quarter of it from the grid; the change is that of the consumption.
    for text in [
        "<p class=\"energy\">4.80 kWh <small>used</small></p>",
        ">0.60 €</a>",
        "33 %",
        "yesterday by this time 3.60 kWh",
        "Solar <b>3.60 kWh</b>",
        "Grid, net <b>1.20 kWh</b>",
        "Self-sufficiency <b>75 %</b>",
    ] {
        assert!(today.contains(text), "{text}: {today}");
    }
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let today = plain_tile(&browser.page("/"), "Heute");
    assert!(
        today.contains(">verbraucht<") && today.contains("Netz abzüglich Einspeisung <b>"),
        "{today}"
    );
}

/// A tile, with plain spaces.
fn plain_tile(page: &str, name: &str) -> String {
    tile(page, name).replace('\u{202F}', " ")
}

#[test]
fn nothing_is_added_twice() {
    let service = Service::start();
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    put_sensor(&service, "heat", "Heat", Role::SubMeter, MeterKind::Counter);
    put_sensor(&service, "store", "Store", Role::Battery, MeterKind::Net);
    for (sensor, watts) in [
        (SENSOR, -500),
        ("roof", 1_700),
        ("heat", 300),
        ("store", 400),
    ] {
        service.accept(&json!({"sensor_id": sensor, "watts": watts}));
    }
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    for (key, power, way) in [
        ("grid", "500\u{202F}W", "fed into the grid"),
        ("solar", "1.70\u{202F}kW", "generated"),
        ("battery", "400\u{202F}W", "charging"),
        ("used", "800\u{202F}W", "used"),
        ("sensor:roof", "1.70\u{202F}kW", "generated"),
    ] {
        // In the table of the house, or in the list of meters.
        let (_, panel) = page.rsplit_once(&format!("data-now=\"{key}\"")).unwrap();
        let panel = panel.split("data-now").next().unwrap();
        assert!(
            panel.contains(power) && panel.contains(way),
            "{key}: {panel}"
        );
        assert!(panel.contains(">uploading<"), "{key}: {panel}");
    }
    // One list of devices, and one of meters.
    assert_eq!(page.matches("class=\"use now\"").count(), 1);
    assert_eq!(page.matches("class=\"meter now").count(), 3);
    // In each of two pictures, with dots that go to the grid, and no sign beside that word.
    assert_eq!(
        page.matches("class=\"node source flow-grid gives\"")
            .count(),
        2
    );
    let first = page.split("id=\"chart\"").next().unwrap();
    assert!(!first.contains("−500"), "{first}");
    let (_, device) = page.rsplit_once("data-now=\"sensor:heat\"").unwrap();
    assert!(device.contains("300\u{202F}W") && !device.contains("use-silence"));
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
        for show in ["power", "energy"] {
            let chart = browser.page(&format!("/chart?sensor={sensor}&range=day&show={show}"));
            assert_eq!(chart.contains('€'), has_money, "{sensor}: {chart}");
        }
    }
    assert!(tile(&page, "Today").contains('€'));
}

#[test]
fn more_than_ten_years_have_no_cost() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    let mut history = hourly("2015-06-01T00:00:00", "2015-06-01T02:00:00");
    let last = at("2026-01-05T10:00:00");
    history.push(register(last, 9_000.0));
    service.import(&history);
    let browser = Browser::set_up(&service);
    for (path, has_money) in [
        ("/chart?from=2016-01-01&to=2026-01-05&show=energy", true),
        ("/chart?from=2015-06-01&to=2026-01-05&show=energy", false),
        ("/chart?range=all&show=energy", false),
        ("/energy?from=2016-01-01&to=2026-01-05", true),
        ("/energy?from=2015-06-01&to=2026-01-05", false),
    ] {
        let page = browser.page(path);
        assert_eq!(page.contains('€'), has_money, "{path}: {page}");
        assert!(page.contains("kWh"), "{path}");
    }
}

#[test]
fn silence_is_shown_in_the_time_zone_of_the_account() {
    let service = Service::start();
    live_in(&service, "Asia/Tokyo", None);
    service.clock.advance(-MINUTE);
    service.accept(&json!({"watts": 9}));
    service.clock.advance(MINUTE);
    service.accept(&json!({"watts": 10}));
    let browser = Browser::set_up(&service);
    service.clock.advance(6 * MINUTE);
    // 10:30 UTC is 19:30 in Tokyo. Half of ten minutes have passed.
    let page = browser.page("/");
    assert!(page.contains(">late<") && page.contains("since 19:30"));
    service.clock.advance(24 * HOUR);
    let page = browser.page("/");
    assert!(page.contains(">silent<") && page.contains("since 5 Jan 2026, 19:30"));
}

#[test]
fn empty_pages_say_what_to_do() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page("/");
    assert!(page.contains("no upload yet"), "{page}");
    assert!(page.contains("<p class=\"energy\">–</p>") && !page.contains("0.00\u{202F}"));
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
            .edit(move |edit| edit.remove_account(&AccountName::new(name).unwrap()))
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
        ("from=2026-01-02&to=2026-01-01", 400, "to: expected a time"),
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

#[test]
fn imported_history_is_shown_where_it_is() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-01-06T11:00:00"));
    service.import(&hourly("2010-12-01T00:00:00", "2010-12-31T12:00:00"));
    let page = Browser::set_up(&service).page("/");
    assert!(page.contains("last reading 31 Dec 2010"), "{page}");
    // The chart opens there.
    assert!(
        page.contains("<h2 class=\"chart-range\" id=\"chart-period\">Dec 2010</h2>"),
        "{page}"
    );
    let (_, chart) = page.split_once("id=\"chart\"").unwrap();
    assert!(!chart.contains("No readings in this range"), "{chart}");
}

#[test]
fn small_devices_are_folded_away() {
    let service = Service::start();
    service.clock.set(at("2026-01-06T11:00:00"));
    service.import(&hourly("2026-01-03T00:00:00", "2026-01-06T11:00:00"));
    for nth in 0..7 {
        let id = format!("plug {nth}");
        put_sensor(&service, &id, &id, Role::SubMeter, MeterKind::Counter);
        let readings = (0..=24_i32).map(|hour| {
            let time = at("2026-01-05T11:00:00").saturating_add_millis(i64::from(hour) * HOUR);
            register(time, f64::from(hour * (nth + 1)))
        });
        let store = service.store();
        store
            .import_durably(&SensorId::new(&id).unwrap(), readings.collect())
            .unwrap();
    }
    let page = Browser::set_up(&service).page("/");
    let (_, list) = page.split_once("id=\"uses-title\"").unwrap();
    let (shown, folded) = list
        .split_once("<summary>3 more devices</summary>")
        .unwrap();
    for nth in 0..7 {
        let name = format!("<bdi>plug {nth}</bdi>");
        // By energy: the last one uses most.
        assert_eq!(shown.contains(&name), nth >= 3, "{name}");
        assert_eq!(folded.contains(&name), nth < 3, "{name}");
    }
    // Eleven hours of seven watt-hours, all of them on all night.
    assert!(
        shown.contains("77\u{202F}Wh") && shown.contains("base load at night 7\u{202F}W"),
        "{shown}"
    );
    assert!(folded.contains(">Other<"));
}

#[test]
fn notices_say_what_to_do_and_can_be_dismissed() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    assert!(!browser.page("/").contains("class=\"bell\""));
    for _ in 0..2 {
        service.clock.advance(HOUR);
        service.accept(&json!({"watts": 1}));
    }
    service.clock.advance(4 * HOUR);
    service.await_notices(&["sensor-silent:house"]);
    // Every page says how many there are.
    for address in ["/", "/energy", "/settings", "/status"] {
        let page = browser.page(address);
        assert!(
            page.contains("href=\"/#notices\"") && page.contains("1 notice<"),
            "{address}"
        );
    }
    let page = browser.page("/");
    assert!(
        page.contains("The sensor the house no longer uploads anything."),
        "{page}"
    );
    assert!(page.contains("Check its power supply, its network"));
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = browser.page("/");
    assert!(
        page.contains("Der Sensor the house sendet nichts mehr."),
        "{page}"
    );
    assert!(page.contains("Stromversorgung") && page.contains("1 Benachrichtigung<"));
    browser.headers.clear();
    let answer = browser.submit("/", "/notices/dismiss", &[]);
    assert_eq!(
        (answer.status(), answer.head.header("location")),
        (303, Some("/?done=dismissed"))
    );
    let page = browser.page("/?done=dismissed");
    assert!(page.contains("Notice dismissed.") && !page.contains("no longer uploads anything"));
    assert!(!page.contains("class=\"bell\""));
    // Without the token of the form nothing is dismissed, and another time it does not matter.
    let again = browser.post(
        "/notices/dismiss",
        &[("id".to_owned(), "sensor-silent:house".to_owned())],
    );
    assert_ne!(again.status(), 303);
    assert_eq!(service.notices()[0]["dismissed_by"], "settings page");
}

#[test]
fn each_cost_leads_to_the_statement_of_its_range() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.30"));
    service.import(&hourly("2025-12-01T00:00:00", "2026-01-05T10:00:00"));
    let browser = Browser::set_up(&service);
    let page = browser.page("/?account=home");
    let links: Vec<String> = page
        .split("<p class=\"cost\"><a href=\"")
        .skip(1)
        .map(|rest| plain(rest.split_once('"').unwrap().0))
        .collect();
    // Today and the month come first. It is a Monday.
    let expected = [
        "/costs?account=home&from=2026-01-05&to=2026-01-05",
        "/costs?account=home&range=month",
        "/costs?account=home&from=2026-01-05&to=2026-01-05",
        "/costs?account=home&from=2026-01-04&to=2026-01-04",
        "/costs?account=home&from=2026-01-05&to=2026-01-05",
        "/costs?account=home&range=month",
        "/costs?account=home&range=year",
    ];
    assert_eq!(links, expected);
    let title = |page: &str| {
        let (_, title) = page
            .split_once("<h2 id=\"statement-title\"")
            .unwrap_or(("", page));
        title.contains("4 Jan 2026")
    };
    assert!(title(&browser.page(&links[3])) && browser.page(&links[5]).contains("Jan"));
}

#[test]
fn a_notice_names_its_account_where_there_are_several() {
    let service = Service::start();
    service.add_account("shop", Plan::Paid);
    service.add_sensor("shop", "till");
    let key = json!({"sensor_id": "till", "watts": 1});
    service.add_key("shop", "till-key", Scope::Full);
    for _ in 0..2 {
        let mut upload = key.clone();
        upload["api_id"] = json!("till-key");
        upload["api_key"] = json!(key_of("till-key"));
        service.accept(&upload);
        service.clock.advance(MINUTE);
    }
    service.clock.advance(2 * HOUR);
    service.await_notices(&[]);
    let browser = Browser::set_up(&service);
    let mut status = browser.page("/status");
    while !status.contains("no longer uploads anything") {
        status = browser.page("/status");
    }
    assert!(status.contains("Account: \u{2068}shop\u{2069}.") || status.contains("Account: shop."));
    assert!(
        browser
            .page("/")
            .contains("<bdi class=\"quiet\">shop</bdi>")
    );
}

/// The part of a page from one text until before another.
#[track_caller]
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = page
        .split_once(from)
        .unwrap_or_else(|| panic!("no {from} in {page}"));
    rest.split(to).next().unwrap()
}

#[test]
fn now_today_and_the_month_come_first() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    put_sensor(
        &service,
        "heat",
        "Heat pump",
        Role::SubMeter,
        MeterKind::Counter,
    );
    // Sunday, 29 March 2026, 12:30 in Berlin: a day of 23 hours.
    service.clock.set(at("2026-03-29T10:30:00"));
    let history = |watthours: fn(i32) -> i32| {
        let first = at("2026-01-31T23:00:00");
        let mut shown = 0;
        let hours = (0..=1_355_i32).map(move |hour| {
            shown += watthours(hour);
            register(
                first.saturating_add_millis(i64::from(hour) * HOUR),
                f64::from(shown),
            )
        });
        hours.collect::<Vec<Reading>>()
    };
    // From March on the heat pump uses more.
    let of_heat = |hour: i32| if hour < 28 * 24 { 100 } else { 300 };
    let of_house = |hour: i32| if hour < 28 * 24 { 500 } else { 700 };
    for (sensor, readings) in [(SENSOR, history(of_house)), ("heat", history(of_heat))] {
        let id = SensorId::new(sensor).unwrap();
        service.store().import_durably(&id, readings).unwrap();
    }
    let browser = Browser::set_up(&service);
    let page = browser.page("/?against=before");
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
    let order = [
        "now-flow",
        "today-title",
        "month-title",
        "periods-title",
        "uses-title",
        "meters-title",
    ];
    let places = order.map(place);
    assert!(places.is_sorted(), "{places:?}");
    let today = between(&page, "data-fresh=\"today\"", "</section>");
    // A bar for each hour until now, a line for the present moment, and no price that changes.
    let wide = between(today, "plot-wide\">", "</svg>");
    assert_eq!(wide.matches("class=\"flow-bar\"").count(), 11, "{wide}");
    assert!(
        wide.contains("chart-now") && !wide.contains("chart-price-path"),
        "{wide}"
    );
    assert!(today.contains("data-from=\"1774738800000\" data-to=\"1774821600000\""));
    let month = between(&page, "data-fresh=\"month\"", "</section>");
    assert!(
        month.contains("Mostly \u{2068}Heat pump\u{2069}: +")
            || month.contains("Mostly Heat pump: +"),
        "{month}"
    );
    assert!(
        month.contains("Likely by the end of the month:") && month.contains("costs/forecast"),
        "{month}"
    );
    // What people enter counts at once.
    let likely = |page: &str| between(page, "Likely by the end of the month:", "<a").to_owned();
    let before = likely(&page);
    live_in(&service, "Europe/Berlin", Some("0.7"));
    let after = likely(&browser.page("/?against=before"));
    assert_ne!(before, after);
}
