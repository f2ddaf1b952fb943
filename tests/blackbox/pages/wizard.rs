//! From an empty store to the first reading, and from a sensor to another device.

use std::process::Command;

use crate::pages::browser::{Browser, hidden_fields, location, plain};
use serde_json::json;
use wattkeeper::{
    AccountName, ContractChange, Measures, Meter, MeterKind, Reading, Role, Sensor, SensorId,
};

use crate::pages::keys::shown;
use crate::support::{Response, Service, at, house_basic, request};

pub(super) const NEW: &str = "/settings/sensor/new";
pub(super) const CONNECT: &str = "/settings/sensor/connect";
const CONNECT_HOUSE: &str = "/settings/sensor/connect?id=house";

/// A service without accounts, as after the first start.
pub(crate) fn empty() -> Service {
    let service = Service::start();
    let store = service.store();
    let registry = store.registry();
    for sensor in registry.sensors() {
        store.remove_sensor_durably(&sensor.id).unwrap();
    }
    for account in registry.accounts() {
        store
            .edit({
                let name = account.name.clone();
                move |edit| edit.remove_account(&name)
            })
            .unwrap();
    }
    service
}

/// The lines to copy, in order.
pub(super) fn lines(page: &str) -> Vec<String> {
    let parts = page.split("data-copy=\"the lines\">").skip(1);
    parts
        .map(|rest| plain(rest.split("</pre>").next().unwrap()))
        .collect()
}

fn upload(
    service: &Service,
    (api_id, api_key): (&str, &str),
    sensor: &str,
    watts: i64,
) -> Response {
    let body = json!({"sensor_id": sensor, "api_id": api_id, "api_key": api_key, "watts": watts});
    service.post(body.to_string())
}

fn form(device: &str) -> String {
    format!("{NEW}?device={device}")
}

/// Adds the account and the sensor; an empty id comes from the name.
fn first(browser: &Browser<'_>, name: &str, id: &str) -> Response {
    let fields = [
        ("account", "home"),
        ("tz", "Europe/Berlin"),
        ("name", name),
        ("id", id),
        ("role", "grid"),
    ];
    browser.submit(&form("script"), NEW, &fields)
}

#[test]
fn one_form_adds_account_sensor_and_key() {
    let service = empty();
    let browser = Browser::set_up(&service);
    assert!(browser.page("/").contains(NEW));
    assert!(
        browser
            .page(&form("script"))
            .contains("<option>Europe/Berlin")
    );
    let answer = first(&browser, "Küche", "");
    let (api_id, api_key) = shown(&answer);
    let lines = lines(answer.text());
    assert_eq!(lines.len(), 2);
    for text in lines {
        for part in [
            "\"kueche\"",
            &api_id,
            &api_key,
            "http://localhost/api/v0.2/elec",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    let registry = service.store().registry();
    let account = registry.accounts().next().unwrap();
    assert_eq!(
        (account.name.as_str(), account.zone.name()),
        ("home", "Europe/Berlin")
    );
    let sensor = registry.sensors().next().unwrap();
    assert_eq!((sensor.id.as_str(), sensor.role), ("kueche", Role::Grid));
    // The key is not shown again.
    assert!(!browser.page("/settings").contains(&api_key));
}

/// The addresses that a question leads to.
pub(super) fn choices(page: &str) -> Vec<String> {
    let list = page.split("<ul class=\"devices\">").nth(1).unwrap();
    let list = list.split("</ul>").next().unwrap();
    let links = list.split("<a class=\"card\" href=\"").skip(1);
    links
        .map(|it| plain(it.split('"').next().unwrap()))
        .collect()
}

#[test]
fn questions_lead_to_the_device_and_no_brand_comes_first() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let page = browser.page(NEW);
    assert!(page.contains("Do you have Home Assistant?"), "{page}");
    let no = format!("{NEW}?home=no");
    assert_eq!(choices(&page), ["/settings/home-assistant", &no]);
    assert!(
        browser
            .page("/settings/home-assistant")
            .contains("name=\"tz\"")
    );
    let page = browser.page(&no);
    assert!(page.contains("What is in your home?"), "{page}");
    let things = [
        "grid",
        "panels",
        "battery",
        "wallbox",
        "heat-pump",
        "flat",
        "other",
    ];
    assert_eq!(choices(&page), things.map(|it| format!("{NEW}?what={it}")));
    let page = browser.page(&format!("{NEW}?what=wallbox"));
    for brand in ["Shelly Plus", "HomeWizard", "Zigbee2MQTT"] {
        assert!(!page.contains(brand), "{page}");
    }
    let of = |rest: &str| format!("{NEW}?what=wallbox&{rest}");
    let ways = [
        "way=mqtt",
        "way=address",
        "device=script",
        "device=file",
        "device=person",
        "way=name",
    ];
    assert_eq!(choices(&page), ways.map(of));
    // By broker, by address, and by name; each page ends with the general way.
    let by = |way: &str| choices(&browser.page(&of(&format!("way={way}"))));
    assert!(
        by("mqtt").contains(&of("device=zigbee2mqtt"))
            && !by("mqtt").contains(&of("device=script"))
    );
    assert_eq!(by("mqtt").last().unwrap(), "/settings/devices");
    assert!(by("address").contains(&of("device=shelly")));
    assert_eq!(by("address").last().unwrap(), "/settings/polled");
    assert_eq!(by("name").len(), 16);
}

#[test]
fn the_form_knows_what_was_asked() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let of = |rest: &str| format!("{NEW}?what=wallbox&{rest}");
    // The form knows what it is about, and leads back.
    let page = browser.page(&of("device=script"));
    assert!(
        page.contains("value=\"Wallbox\"") && page.contains("value=\"sub-meter\" required checked"),
        "{page}"
    );
    assert!(
        page.contains(&format!("href=\"{NEW}?what=wallbox\"")),
        "{page}"
    );
    let fields = [("account", "home"), ("tz", "UTC")];
    let answer = browser.submit(
        &of("device=script"),
        NEW,
        &[&fields[..], &[("name", "Wallbox"), ("role", "sub-meter")]].concat(),
    );
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let registry = service.store().registry();
    assert_eq!(registry.sensors().next().unwrap().role, Role::SubMeter);
    // Unknown words are as none.
    assert!(
        browser
            .page(&format!("{NEW}?what=x&way=y"))
            .contains("Do you have Home Assistant?")
    );
}

#[test]
fn the_first_reading_is_seen() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let key = shown(&first(&browser, "House", "house"));
    let state = "/settings/sensor/state?id=house";
    assert_eq!(
        browser.get(state).text(),
        r#"{"readings":0,"active":false}"#
    );
    let check = "/settings/sensor/check?id=house";
    assert!(browser.page(check).contains("Nothing has arrived yet"));
    let answer = upload(&service, (&key.0, &key.1), "house", 5);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(browser.get(state).text(), r#"{"readings":1,"active":true}"#);
    assert!(browser.page(check).contains("match the settings"));
}

/// A plug that is registered as the grid doubles the house's use.
#[test]
fn a_second_sensor_at_the_grid_is_asked_about() {
    let service = empty();
    let mut browser = Browser::set_up(&service);
    assert_eq!(first(&browser, "House", "").status(), 200);
    let roles = || {
        let registry = service.store().registry();
        let all = registry.sensors().map(|it| (it.id.to_string(), it.role));
        all.collect::<Vec<_>>()
    };
    let second = |browser: &Browser<'_>, name: &str, answer: &[(&str, &str)]| {
        let fields = [("account", "home"), ("name", name), ("role", "grid")];
        let fields = [&fields[..], answer].concat();
        browser.submit(&form("script"), NEW, &fields)
    };
    let asked = second(&browser, "Plug", &[]);
    assert_eq!(asked.status(), 422);
    let page = asked.text();
    for text in [
        "The house has a sensor at the grid already: House. What is plug beside it?",
        "Another phase of the same meter",
        "It becomes a sub-meter",
        "both are added up",
        "value=\"Plug\"",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert_eq!(roles().len(), 1);
    let answer = [("at_grid", "sub-meter")];
    assert_eq!(second(&browser, "Plug", &answer).status(), 200);
    let answer = [("at_grid", "connection")];
    assert_eq!(second(&browser, "Barn", &answer).status(), 200);
    let expected = [
        ("barn", Role::Grid),
        ("house", Role::Grid),
        ("plug", Role::SubMeter),
    ];
    assert_eq!(roles(), expected.map(|(id, role)| (id.to_owned(), role)));
    // Its settings ask, too.
    let change = "/settings/sensor/change";
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let asked = browser.submit(
        "/settings/sensor?id=plug",
        change,
        &[("role", "grid-import")],
    );
    assert_eq!(asked.status(), 422);
    let text = "Am Netz misst schon ein anderer Sensor: Barn, House.";
    assert!(asked.text().contains(text), "{}", asked.text());
    let answer = [("role", "grid"), ("at_grid", "phase")];
    let saved = browser.submit("/settings/sensor?id=plug", change, &answer);
    assert_eq!(saved.status(), 303);
    let registry = service.store().registry();
    let account = registry.accounts().next().unwrap();
    assert_eq!(account.phases, wattkeeper::Phases::Balanced);
}

#[test]
fn reloading_loses_nothing() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let mut sent = hidden_fields(&browser.page(&form("tasmota")), NEW);
    for (name, value) in [
        ("account", "home"),
        ("tz", "UTC"),
        ("name", "House"),
        ("role", "grid-import"),
    ] {
        sent.push((name.to_owned(), value.to_owned()));
    }
    let (api_id, api_key) = shown(&browser.post(NEW, &sent));
    // The answer is reloaded: no second sensor, no second key, and the same lines.
    let again = browser.post(NEW, &sent);
    assert_eq!(again.status(), 303);
    let page = browser.page(location(&again));
    assert!(lines(&page)[0].contains("\"house\"") && page.contains("Make a key"));
    assert_eq!(service.store().registry().sensors().count(), 1);
    assert_eq!(service.store().registry().credentials().count(), 1);
    assert!(!page.contains(&api_key));

    // A fresh key; the first one goes on working.
    let sent = hidden_fields(&page, CONNECT);
    let fresh = shown(&browser.post(CONNECT, &sent));
    assert_eq!(browser.post(CONNECT, &sent).status(), 303);
    for (api_id, api_key) in [(&api_id, &api_key), (&fresh.0, &fresh.1)] {
        assert_eq!(
            upload(&service, (api_id, api_key), "house", 5).status(),
            200
        );
    }
    assert_eq!(service.store().registry().credentials().count(), 2);
}

#[test]
fn a_second_tab_makes_no_second_sensor() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for device in ["script", "zigbee2mqtt"] {
        let fields = [("name", device), ("role", "sub-meter"), ("account", "home")];
        let tabs = [(); 2].map(|()| hidden_fields(&browser.page(&form(device)), NEW));
        let answers = tabs.map(|mut tab| {
            let typed = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
            tab.extend(typed);
            browser.post(NEW, &tab)
        });
        let connect = format!("{CONNECT}?id={device}&device={device}");
        assert_eq!(location(&answers[1]), connect);
        let other = [("name", device), ("role", "solar"), ("account", "home")];
        let refused = browser.submit(&form(device), NEW, &other);
        assert_eq!(refused.status(), 422);
        assert!(plain(refused.text()).contains("There is a sensor with this name already"));
        let registry = service.store().registry();
        let named = registry.sensors().filter(|it| it.name == device);
        assert_eq!(named.count(), 1, "{device}");
    }
}

#[test]
fn every_device_has_its_lines() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let devices = plain(&browser.page(CONNECT_HOUSE));
    let mut count = 0;
    for device in devices.split(&format!("{CONNECT_HOUSE}&device=")).skip(1) {
        let device = device.split('"').next().unwrap();
        let page = browser.page(&format!("{CONNECT_HOUSE}&device={device}"));
        let lines = lines(&page).join("\n");
        let needs_key = page.contains("Make a key");
        assert_eq!(lines.contains("API_KEY"), needs_key, "{device}");
        let is_by_broker = page.contains("/settings/broker");
        let is_polled = page.contains("action=\"/settings/sensor/connect/poll\"");
        assert!(
            device == "person" || is_by_broker || is_polled || lines.contains("house"),
            "{device}: {lines}"
        );
        assert!(device != "person" || page.contains("/meter?sensor=house"));
        count += 1;
    }
    assert_eq!(count, 15);
    assert_eq!(
        browser.get("/settings/sensor/connect?id=none").status(),
        404
    );
}

#[test]
fn a_device_of_a_broker_leads_to_it() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for device in ["zigbee2mqtt", "p1", "tasmota-mqtt"] {
        for page in [form(device), format!("{CONNECT_HOUSE}&device={device}")] {
            let page = browser.page(&page);
            assert!(page.contains("no MQTT broker is set"), "{device}: {page}");
            assert!(page.contains("href=\"/settings/broker\""), "{device}");
            assert!(!page.contains("[[mqtt"), "{device}");
        }
    }
    for device in ["tasmota", "esphome", "script", "person", "homewizard"] {
        let page = browser.page(&format!("{CONNECT_HOUSE}&device={device}"));
        assert!(!page.contains("/settings/broker"), "{device}");
    }
}

#[test]
fn home_assistant_is_not_told_what_it_knows() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (device, is_told) in [
        ("shelly", false),
        ("zigbee2mqtt", false),
        ("home-assistant", false),
        ("script", true),
    ] {
        let fields = [("name", device), ("role", "sub-meter"), ("account", "home")];
        let added = browser.submit(&form(device), NEW, &fields);
        assert!([200, 303].contains(&added.status()), "{}", added.text());
        let registry = service.store().registry();
        let sensor = registry.sensors().find(|it| it.name == device).unwrap();
        assert_eq!(sensor.is_announced, is_told, "{device}");
    }
}

/// Its configuration has each name once, with any names of sensors.
#[test]
fn recipes_of_home_assistant_do_not_clash() {
    let service = Service::start();
    service.add_sensor("home", "the house");
    service.add_sensor("home", "The-House");
    let browser = Browser::set_up(&service);
    let mut names = Vec::new();
    for id in ["house", "the%20house", "The-House"] {
        let page = browser.page(&format!(
            "/settings/sensor/connect?id={id}&device=home-assistant"
        ));
        let lines = lines(&page);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("packages: !include_dir_named packages"));
        let command = lines[1].lines().nth(1).unwrap().trim();
        let command = command.strip_suffix(':').unwrap().to_owned();
        for line in [
            format!("  - id: {command}"),
            format!("      - action: rest_command.{command}"),
        ] {
            assert!(
                lines[1].lines().any(|it| it == line),
                "{line}: {}",
                lines[1]
            );
        }
        assert!(plain(&page).contains(&format!("{command}.yaml")), "{page}");
        let alias = lines[1].lines().find(|line| line.contains("alias:"));
        names.extend([command, alias.unwrap().to_owned()]);
    }
    assert!(names[0] == "wattkeeper_house" && names[2].starts_with("wattkeeper_the_house_"));
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 6, "{names:?}");
}

/// emonHub takes keys of 32 digits only.
#[test]
fn emonhub_has_a_key_of_its_length() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = format!("{CONNECT_HOUSE}&device=emonpi");
    let (_, api_key) = shown(&browser.submit(&page, CONNECT, &[]));
    assert_eq!(api_key.len(), 32);
    let target = format!("/input/post?node=house&apikey={api_key}&json={{power:5}}");
    let answer = service.send(&request("POST", &target, &[], b""));
    assert_eq!((answer.status(), answer.text()), (200, "ok"));
}

#[test]
fn the_first_reading_leads_to_a_tariff_of_the_country() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let key = shown(&first(&browser, "House", "house"));
    let check = "/settings/sensor/check?id=house";
    assert!(
        !browser
            .page(check)
            .contains("What does your electricity cost?")
    );
    upload(&service, (&key.0, &key.1), "house", 5);
    let page = browser.page(check);
    let dynamic = "costs/tariff?account=home&#38;template=de-dynamic";
    assert!(page.contains("What does your electricity cost?"), "{page}");
    assert!(
        page.contains(dynamic) && page.contains("Later</a>"),
        "{page}"
    );
    assert!(!page.contains("template=at-dynamic"), "{page}");
    assert_eq!(
        browser
            .get(&format!("/{}", dynamic.replace("&#38;", "&")))
            .status(),
        200
    );
    // Whoever has a contract is not asked.
    let contract = r#"{"from":"2026-01-01","name":"n","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#;
    let put = ContractChange::parse(contract).unwrap();
    let home = AccountName::new("home").unwrap();
    let changed = service
        .store()
        .edit(move |edit| edit.change_contracts(&home, put).map(drop));
    changed.unwrap();
    assert!(
        !browser
            .page(check)
            .contains("What does your electricity cost?")
    );
}

#[test]
fn what_the_readings_say_is_taken_over() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let fields = [("name", "Panels"), ("role", "solar"), ("account", "home")];
    let key = shown(&browser.submit(&form("script"), NEW, &fields));
    assert_eq!(
        upload(&service, (&key.0, &key.1), "panels", -305).status(),
        200
    );
    let check = "/settings/sensor/check?id=panels";
    assert!(browser.page(check).contains("the other way round"));
    let answer = browser.submit(check, "/settings/sensor/check", &[]);
    let page = browser.page(location(&answer));
    assert!(page.contains("Saved") && page.contains("match the settings"));
    let registry = service.store().registry();
    assert!(
        registry
            .sensors()
            .find(|it| it.id.as_str() == "panels")
            .unwrap()
            .meter
            .power_sign
            .is_inverted()
    );
}

#[test]
fn first_readings_that_look_wrong_say_what_to_do() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let now = service.clock.now();
    let readings = (0..=10_i32).map(|minute| {
        // 560 W, with a register in kWh.
        let time = now.saturating_add_millis(i64::from(minute - 10) * 60_000);
        let shown = 15_363.215 + f64::from(minute) * 0.560 / 60.0;
        let measures = Measures::new(Some(560.0), Some(shown)).unwrap();
        Reading { time, measures }
    });
    service.import(&readings.collect::<Vec<_>>());
    let check = "/settings/sensor/check?id=house";
    let page = browser.page(check);
    assert!(page.contains("seems to be in kWh, not in Wh"), "{page}");
    assert!(page.contains("multiply the value by 1,000"), "{page}");
    assert!(!page.contains("match the settings"), "{page}");
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = browser.page(check);
    assert!(
        page.contains("scheint in kWh statt in Wh zu kommen"),
        "{page}"
    );
}

#[test]
fn a_register_is_that_of_the_role() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for role in Role::ALL {
        let (name, form) = (role.as_str(), form("script"));
        let fields = [
            ("name", name),
            ("role", name),
            ("account", "home"),
            ("at_grid", "connection"),
        ];
        assert_eq!(browser.submit(&form, NEW, &fields).status(), 200, "{name}");
        let registry = service.store().registry();
        let sensor = registry.sensors().find(|it| it.name == name).unwrap();
        assert_eq!(sensor.meter.kind, MeterKind::usual(role), "{name}");
    }
}

/// A sensor with these readings, so many seconds apart, and what its check proposes: the fields of
/// the form.
fn proposed(
    service: &Service,
    role: Role,
    readings: impl Iterator<Item = (i64, Option<f64>, Option<f64>)>,
) -> Vec<(String, String)> {
    let account = AccountName::new("home").unwrap();
    let sensor = Sensor {
        role,
        meter: Meter::new(MeterKind::usual(role)),
        ..Sensor::new(SensorId::new("new").unwrap(), account, service.clock.now())
    };
    let store = service.store();
    store.put_sensor_durably(sensor.clone()).unwrap();
    let mut time = at("2026-01-05T00:00:00");
    let readings = readings.map(|(seconds, watts, watthours)| {
        time = time.saturating_add_millis(seconds * 1_000);
        let measures = Measures::new(watts, watthours).unwrap();
        Reading { time, measures }
    });
    store
        .import_durably(&sensor.id, readings.collect())
        .unwrap();
    let browser = Browser::set_up(service);
    let page = browser.page("/settings/sensor/check?id=new");
    let mut fields = hidden_fields(&page, "/settings/sensor/check");
    fields.retain(|(name, _)| !["csrf", "id"].contains(&name.as_str()));
    browser.submit(
        "/settings/sensor/check?id=new",
        "/settings/sensor/check",
        &[],
    );
    assert!(
        browser
            .page("/settings/sensor/check?id=new")
            .contains("match the settings")
    );
    fields
}

#[test]
fn only_the_measure_that_is_the_other_way_round_is_turned() {
    let service = Service::start();
    let panels = (0..100).map(|nth| (300, Some(-600.0), Some(50.0 * f64::from(nth))));
    let found = proposed(&service, Role::Solar, panels);
    assert_eq!(found, [("power_sign".to_owned(), "inverted".to_owned())]);
    let day = "start_time=2026-01-05&end_time=2026-01-06&sensor_id=new";
    let headers = [("Authorization", house_basic())];
    let headers = headers.each_ref().map(|(name, it)| (*name, it.as_str()));
    let target = format!("/api/v0.2/energy?{day}");
    let answer = service.send(&request("GET", &target, &headers, b"")).json();
    assert_eq!(answer["data"][0]["energy"], json!(4_950));
}

#[test]
fn power_that_comes_on_change_is_noticed() {
    let service = Service::start();
    let fridge = (0..10).flat_map(|_| [(1_680, Some(80.0), None), (720, Some(1.0), None)]);
    let found = proposed(&service, Role::SubMeter, fridge);
    assert_eq!(found, [("between".to_owned(), "hold".to_owned())]);
}

#[test]
fn a_refused_form_can_be_submitted_again() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let answer = browser.submit(
        &form("script"),
        NEW,
        &[("name", "House"), ("account", "home"), ("tz", "UTC")],
    );
    assert_eq!(answer.status(), 422);
    assert!(
        answer.text().contains("Choose what it measures")
            && answer.text().contains("value=\"House\"")
    );
    let long = "x".repeat(65);
    let answer = first(&browser, "House", &long);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("#id\">"));
    // The account was added, and the form offers it.
    assert!(
        answer.text().contains("<option selected>home"),
        "{}",
        answer.text()
    );
    assert_eq!(first(&browser, "House", "house").status(), 200);
    assert_eq!(service.store().registry().accounts().count(), 1);
    // Another form with the same id.
    let answer = first(&browser, "House", "house");
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("There is a sensor house already"));
}

/// The line works for any id of the sensor.
#[test]
#[ignore = "needs curl"]
fn the_curl_line_uploads() {
    for id in ["house", "it's $(id) `x` \"q\" \\ & <b> Wärme 🔥"] {
        let service = empty();
        let browser = Browser::set_up(&service);
        let answer = first(&browser, "House", id);
        let line = lines(answer.text()).remove(0);
        let line = line.replace("localhost", &service.address().to_string());
        let run = Command::new("sh")
            .args(["-c", &format!("{line} -s")])
            .output();
        let run = run.unwrap();
        let said = String::from_utf8(run.stdout).unwrap();
        assert_eq!(said, r#"{"accepted":1}"#, "{line}");
    }
}
