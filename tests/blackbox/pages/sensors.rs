//! The settings of sensors.

use serde_json::json;
use wattkeeper::{Between, Sign};

use crate::pages::browser::{Browser, location};
use crate::support::{MINUTE, SENSOR, Service};

const HOUSE: &str = "/settings/sensor?id=house";

#[test]
fn a_sensor_shows_its_state() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let fields = [("plan", "paid"), ("tz", "Europe/Berlin")];
    browser.submit("/settings/account?name=home", "/settings/account", &fields);
    for page in [browser.page(HOUSE), browser.page("/settings")] {
        assert!(page.contains("silent") && !page.contains(">uploading<"));
        assert!(page.contains("the house"));
    }
    assert!(browser.page(HOUSE).contains("none yet"));
    for _ in 0..2 {
        service.accept(&json!({"watts": 1}));
        service.clock.advance(MINUTE);
    }
    for page in [browser.page(HOUSE), browser.page("/settings")] {
        assert!(page.contains(">uploading<"), "{page}");
        // 10:31 UTC in the time zone of the account.
        assert!(page.contains("5 Jan 2026, 11:31"), "{page}");
    }
    assert!(browser.page("/settings").contains("2 readings"));
}

#[test]
fn a_sensor_is_renamed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let answer = browser.submit(HOUSE, "/settings/sensor/change", &[("name", "Main meter")]);
    assert!(browser.page(location(&answer)).contains("Main meter"));
    assert_eq!(service.sensor(SENSOR)["name"], "Main meter");
    let long = "x".repeat(129);
    let answer = browser.submit(HOUSE, "/settings/sensor/change", &[("name", &long)]);
    assert_eq!(answer.status(), 422);
    assert!(answer.text().contains("128 bytes"), "{}", answer.text());
    let answer = browser.submit(HOUSE, "/settings/sensor/change", &[("name", "")]);
    assert_eq!(answer.status(), 303);
    assert_eq!(service.sensor(SENSOR)["name"], SENSOR);
}

#[test]
fn role_and_register_are_set() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page(HOUSE);
    assert!(page.contains("value=\"grid\" checked"), "{page}");
    assert!(page.contains("value=\"net\" checked"), "{page}");
    let fields = [("name", "Roof"), ("role", "solar"), ("register", "counter")];
    let answer = browser.submit(HOUSE, "/settings/sensor/change", &fields);
    let page = browser.page(location(&answer));
    assert!(page.contains("value=\"solar\" checked"), "{page}");
    assert!(page.contains("value=\"counter\" checked"), "{page}");
    assert!(!page.contains("value=\"grid\" checked"), "{page}");
}

#[test]
fn a_sensor_is_revoked_and_authorized() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    service.accept(&json!({"watts": 1}));
    let answer = browser.submit(HOUSE, "/settings/sensor/authorize", &[]);
    let page = browser.page(location(&answer));
    assert!(
        page.contains(">revoked<") && page.contains("1</dd>"),
        "{page}"
    );
    assert_eq!(service.upload(&json!({"watts": 1})).status(), 403);
    let answer = browser.submit(HOUSE, "/settings/sensor/authorize", &[]);
    assert!(!browser.page(location(&answer)).contains(">revoked<"));
    service.accept(&json!({"watts": 1}));
}

#[test]
fn removing_a_sensor_requires_its_id() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    service.accept(&json!({"watts": 1}));
    for typed in ["", "House", "the house", "house "] {
        let answer = browser.submit(HOUSE, "/settings/sensor/remove", &[("typed", typed)]);
        assert_eq!(answer.status(), 422, "{typed:?}");
        assert!(answer.text().contains("Nothing was removed"));
        assert!(answer.text().contains("#typed\">"));
    }
    service.accept(&json!({"watts": 1}));
    let answer = browser.submit(HOUSE, "/settings/sensor/remove", &[("typed", SENSOR)]);
    assert!(browser.page(location(&answer)).contains("readings removed"));
    assert_eq!(browser.get(HOUSE).status(), 404);
    assert_eq!(service.upload(&json!({"watts": 1})).status(), 403);
}

#[test]
fn a_sensor_is_added_without_a_key() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let (new, form) = ("/settings/sensor/new", "/settings/sensor/new?device=person");
    let fields = [
        ("account", "home"),
        ("id", "solar"),
        ("name", "Roof"),
        ("role", "solar"),
    ];
    let answer = browser.submit(form, new, &fields);
    let page = browser.page(location(&answer));
    assert!(page.contains("Connect Roof") && page.contains("<h2>Read the meter</h2>"));
    service.accept(&json!({"sensor_id": "solar", "watts": 1}));
    assert_eq!(service.store().registry().credentials().count(), 1);

    for (account, id, name, reason, field) in [
        ("home", "solar", "", "already", "id"),
        ("home", "a\u{7}", "", "control characters", "id"),
        ("none", "x", "", "no account", "account"),
        ("home", "x", "a\u{7}", "control characters", "name"),
    ] {
        let fields = [
            ("account", account),
            ("id", id),
            ("name", name),
            ("role", "solar"),
        ];
        let answer = browser.submit(form, new, &fields);
        assert_eq!(answer.status(), 422, "{id}");
        let page = answer.text();
        assert!(page.contains(reason), "{page}");
        assert!(page.contains(&format!("#{field}\">")), "{page}");
    }
    assert_eq!(service.store().registry().sensors().count(), 2);
}

#[test]
fn what_is_rarely_set_is_set_and_taken_back() {
    let service = Service::start();
    service.add_sensor("home", "heat pump");
    let browser = Browser::set_up(&service);
    let form = |more: [(&'static str, &'static str); 5]| {
        let usual = [
            ("name", "House"),
            ("role", "sub-meter"),
            ("register", "counter"),
        ];
        let fields = [&usual[..], &more].concat();
        browser.submit(HOUSE, "/settings/sensor/change", &fields)
    };
    let set = [
        ("part_of", "heat pump"),
        ("silent_after", "90"),
        ("plausible", "11000"),
        ("rollover", "99999,5"),
        ("home_assistant", "yes"),
    ];
    assert_eq!(form(set).status(), 303);
    let page = browser.page(HOUSE);
    for shown in [
        "value=\"heat pump\" selected",
        "value=\"90\"",
        "value=\"11000\"",
        "value=\"99999.5\"",
        "name=\"home_assistant\" value=\"yes\" checked",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    for (nth, wrong) in [(0, "none"), (1, "x"), (2, "-1"), (3, "0")] {
        let mut fields = set;
        fields[nth].1 = wrong;
        let answer = form(fields);
        assert_eq!(answer.status(), 422, "{wrong}");
        let link = format!("#{}\">", fields[nth].0);
        assert!(answer.text().contains(&link), "{}", answer.text());
    }
    let none = [
        ("part_of", ""),
        ("silent_after", ""),
        ("plausible", "100000"),
        ("rollover", ""),
        // As of a box that is not ticked.
        ("home_assistant", ""),
    ];
    assert_eq!(form(none).status(), 303);
    let registry = service.store().registry();
    let sensor = registry
        .sensors()
        .find(|it| it.id.as_str() == "house")
        .unwrap();
    assert_eq!((&sensor.part_of, sensor.meter.rollover), (&None, None));
    assert!(!sensor.is_announced);
}

#[test]
fn signs_and_what_is_between_readings_are_set() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let meter = |fields: &[(&str, &str)]| {
        let fields = [&[("name", "House"), ("role", "grid")], fields].concat();
        let answer = browser.submit(HOUSE, "/settings/sensor/change", &fields);
        assert_eq!(answer.status(), 303);
        let registry = service.store().registry();
        let sensor = registry.sensors().find(|it| it.id.as_str() == "house");
        let meter = sensor.unwrap().meter;
        (meter.power_sign, meter.register_sign, meter.between)
    };
    let set = meter(&[("power_sign", "inverted"), ("between", "hold")]);
    assert_eq!(set, (Sign::Inverted, Sign::AsIs, Between::Hold));
    let page = browser.page(HOUSE);
    for shown in [
        "name=\"power_sign\" value=\"inverted\" checked",
        "name=\"register_sign\" value=\"as-is\" checked",
        "name=\"between\" value=\"hold\" checked",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    let set = meter(&[("register_sign", "inverted"), ("between", "line")]);
    assert_eq!(set, (Sign::Inverted, Sign::Inverted, Between::Line));
    // A form from before there were two.
    let set = meter(&[("sign", "as-is")]);
    assert_eq!(set, (Sign::AsIs, Sign::AsIs, Between::Line));
}

#[test]
fn missing_items_are_not_found() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for address in [
        "/settings/sensor?id=none",
        "/settings/sensor",
        "/settings/sensor/state?id=none",
        "/settings/sensor/connect?id=none",
        "/settings/sensor/check?id=none",
        "/settings/key?id=none",
        "/settings/key",
        "/settings/account?name=none",
        "/settings/account",
    ] {
        let answer = browser.get(address);
        assert_eq!(answer.status(), 404, "{address}");
        assert!(answer.text().contains("Page not found"), "{address}");
    }
    let token = crate::pages::browser::hidden_fields(&browser.page("/settings"), "/sign-out");
    for address in [
        "/settings/account",
        "/settings/account/remove",
        "/settings/key/rotate",
        "/settings/key/revoke",
        "/settings/sensor/change",
        "/settings/sensor/authorize",
        "/settings/sensor/remove",
    ] {
        assert_eq!(browser.post(address, &token).status(), 404, "{address}");
    }
}
