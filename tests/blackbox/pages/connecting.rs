//! From a choice of the wizard to the first reading: evcc, Tasmota by its own MQTT, and a Shelly either way.

use wattkeeper::Role;

use crate::mqtt::house::eventually;
use crate::mqtt::played::{METER, PLUG, PlayedBroker};
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::devices::{add, assert_sensor, use_broker};
use crate::pages::wizard::{CONNECT, NEW, choices, empty, lines};
use crate::poll::device::Device;
use crate::poll::logins::shelly;
use crate::support::{Response, Service};

const EVCC: &str = "/settings/devices?of=evcc";
const POLL: &str = "/settings/sensor/connect/poll";
/// Messages of an evcc with panels, a battery and a charger; those of the home and of a session say
/// nothing that the others do not.
const HOUSE: [(&str, &str); 11] = [
    ("evcc/site/grid/power", "386.04"),
    ("evcc/site/grid/energy", "54050.6"),
    ("evcc/site/grid/returnEnergy", "1.5"),
    ("evcc/site/homePower", "900"),
    ("evcc/site/pv/1/power", "120"),
    ("evcc/site/battery/power", "-500"),
    ("evcc/site/battery/energy", "1210.5"),
    ("evcc/site/battery/soc", "64.5"),
    ("evcc/loadpoints/1/chargePower", "3680"),
    ("evcc/loadpoints/1/chargeTotalImport", "6960.671"),
    ("evcc/loadpoints/1/sessionEnergy", "7250"),
];

/// Asks for the page until it says this, while the broker passes these messages.
#[track_caller]
fn page_with(
    (browser, page): (&Browser<'_>, &str),
    (broker, messages): (&PlayedBroker, &[(&str, &str)]),
    text: &str,
) -> String {
    eventually(text, || {
        for message in messages {
            broker.pass(*message);
        }
        let page = plain(&browser.page(page));
        page.contains(text).then_some(page)
    })
}

/// A sensor of this device, added by its form, and the page to connect it.
fn begun(browser: &Browser<'_>, device: &str) -> String {
    let fields = [
        ("account", "home"),
        ("tz", "Europe/Berlin"),
        ("name", "Boiler"),
        ("role", "sub-meter"),
    ];
    let answer = browser.submit(&format!("{NEW}?device={device}"), NEW, &fields);
    location(&answer).to_owned()
}

/// Submits the form with an address; `more` replaces fields of it.
fn poll(browser: &Browser<'_>, page: &str, more: &[(&str, &str)]) -> Response {
    let mut sent = hidden_fields(&browser.page(page), POLL);
    let typed = more
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    sent.extend(typed);
    browser.post(POLL, &sent)
}

/// The first reading of a sensor, on the page that its connection ends with.
#[track_caller]
fn check(browser: &Browser<'_>, id: &str, look: impl FnMut()) -> String {
    let (page, mut look) = (format!("/settings/sensor/check?id={id}"), look);
    eventually("the first reading", || {
        look();
        let page = plain(&browser.page(&page));
        (!page.contains("Nothing has arrived yet")).then_some(page)
    })
}

#[test]
fn evcc_is_chosen_by_its_name_and_by_mqtt() {
    let service = empty();
    let browser = Browser::set_up(&service);
    for (way, is_there) in [("mqtt", true), ("name", true), ("address", false)] {
        let page = browser.page(&format!("{NEW}?what=wallbox&way={way}"));
        let has_evcc = choices(&page).first().is_some_and(|it| it == EVCC);
        assert_eq!(has_evcc, is_there, "{way}: {page}");
    }
    let page = plain(&browser.page(EVCC));
    for text in [
        "In evcc, under Configuration, Integrations, MQTT, enter your broker",
        "no MQTT broker is set",
        "href=\"/settings/broker\"",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // It has a sensor for each part of the house, and feeds none that is there.
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = browser.page("/settings/sensor/connect?id=house");
    assert!(!page.contains("evcc"), "{page}");
}

#[test]
fn evcc_brings_a_sensor_for_each_part_of_the_house() {
    let (service, broker) = (empty(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    let all = [&HOUSE[..], &[PLUG]].concat();
    page_with(
        (&browser, "/settings/devices"),
        (&broker, &all),
        "<bdi>plug</bdi>",
    );
    let page = page_with(
        (&browser, EVCC),
        (&broker, &all),
        "<bdi>evcc-loadpoint-1</bdi>",
    );
    // Only what was chosen, on the page that says how to set it up. The first account is added on the
    // way.
    assert!(!page.contains("<bdi>plug</bdi>"), "{page}");
    assert!(
        page.contains("In evcc, under") && page.contains("name=\"tz\""),
        "{page}"
    );
    let fields = [("account", "home"), ("tz", "")];
    let refused = add(&browser, EVCC, "evcc", &fields);
    assert_eq!(refused.status(), 422);
    assert!(plain(refused.text()).contains("In evcc, under"));
    let fields = [("account", "home"), ("tz", "Europe/Berlin")];
    let answer = add(&browser, EVCC, "evcc", &fields);
    assert_eq!(location(&answer), "/settings/sensor/check?id=evcc-grid");
    for (part, role) in [
        ("grid", Role::GridImport),
        ("grid-export", Role::GridExport),
        ("pv-1", Role::Solar),
        ("battery", Role::BatteryCharge),
        ("battery-export", Role::BatteryDischarge),
        ("loadpoint-1", Role::SubMeter),
    ] {
        let name = format!("evcc {}", part.replace('-', " "));
        assert_sensor(&service, &format!("evcc-{part}"), &name, role);
    }
    assert_eq!(service.store().registry().sensors().count(), 6);
    let send = || HOUSE.iter().for_each(|it| broker.pass(*it));
    let page = check(&browser, "evcc-battery", send);
    assert!(page.contains("500\u{202f}W"), "{page}");
    let page = check(&browser, "evcc-loadpoint-1", send);
    assert!(page.contains("3.68\u{202f}kW"), "{page}");
    eventually("the register", || {
        send();
        let page = browser.page("/settings/sensor/check?id=evcc-loadpoint-1");
        page.contains("6\u{202f}960.671\u{202f}kWh").then_some(())
    });
}

#[test]
fn tasmota_is_set_up_by_its_own_menu() {
    let (service, broker) = (empty(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    let page = browser.page(&format!("{NEW}?what=other&way=mqtt"));
    let device = format!("{NEW}?what=other&device=tasmota-mqtt");
    assert!(choices(&page).contains(&device), "{page}");
    let connect = begun(&browser, "tasmota-mqtt");
    assert_eq!(connect, format!("{CONNECT}?id=boiler&device=tasmota-mqtt"));
    let page = browser.page(&connect);
    for text in [
        "Configure MQTT",
        "such as boiler.",
        "tele/boiler/SENSOR",
        "no MQTT broker is set",
    ] {
        assert!(plain(&page).contains(text), "{text}: {page}");
    }
    assert_eq!(lines(&page), ["TelePeriod 60"]);
    assert!(
        !page.contains("API_KEY") && !page.contains("Make a key"),
        "{page}"
    );
    use_broker(&browser, &broker);
    assert!(browser.page(&connect).contains("No such device has sent"));
    let sent = [("tele/boiler/SENSOR", PLUG.1)];
    page_with(
        (&browser, &connect),
        (&broker, &sent),
        "Such a device was found",
    );
    let found = "/settings/devices?sensor=boiler";
    assert!(browser.page(&connect).contains(found));
    let answer = add(&browser, found, "boiler", &[]);
    let last = "/settings/sensor/check?id=boiler";
    assert_eq!(location(&answer), last);
    // A script fills this in when the reading comes.
    let page = browser.page(last);
    let state = "data-state=\"/settings/sensor/state?id=boiler\"";
    assert!(
        page.contains(state) && page.contains("first-reading"),
        "{page}"
    );
    let page = check(&browser, "boiler", || broker.pass(sent[0]));
    assert!(
        page.contains("5\u{202f}W") && page.contains("3.705\u{202f}kWh"),
        "{page}"
    );
    assert!(!page.contains("data-state"), "{page}");
    assert_sensor(&service, "boiler", "Boiler", Role::SubMeter);
    // A topic that each broker takes as it is.
    service.add_sensor("home", "a b/#");
    let page = browser.page(&format!("{CONNECT}?id=a%20b%2F%23&device=tasmota-mqtt"));
    assert!(plain(&page).contains("tele/meter/SENSOR"), "{page}");
}

#[test]
fn a_tasmota_is_named_by_its_topic_before_it_was_heard() {
    let (service, broker) = (empty(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    let connect = begun(&browser, "tasmota-mqtt");
    let topic = format!("{CONNECT}/topic");
    assert!(!browser.page(&connect).contains(&topic));
    use_broker(&browser, &broker);
    let page = browser.page(&connect);
    assert!(page.contains("name=\"topic\" value=\"boiler\""), "{page}");
    let mut sent = hidden_fields(&page, &topic);
    for wrong in ["", "a b", "tele/+/SENSOR", "#", &"x".repeat(65)] {
        let refused = browser.submit(&connect, &topic, &[("topic", wrong)]);
        assert_eq!(refused.status(), 422, "{wrong}");
        let text = "Expected a topic without spaces";
        assert!(plain(refused.text()).contains(text), "{wrong}");
    }
    let answer = browser.submit(&connect, &topic, &[("topic", "plug")]);
    assert_eq!(location(&answer), "/settings/sensor/check?id=boiler");
    eventually("the subscription", || {
        broker.has_subscription(PLUG.0).then_some(())
    });
    let page = check(&browser, "boiler", || broker.pass(PLUG));
    assert!(page.contains("3.705\u{202f}kWh"), "{page}");
    // Only a device that its topic names.
    let fields = [("topic", "plug"), ("device", "shelly")];
    sent.retain(|(name, _)| name != "device");
    sent.extend(fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_ne!(browser.post(&topic, &sent).status(), 303);
}

#[test]
fn a_shelly_has_two_ways_on_one_page() {
    let service = empty();
    let browser = Browser::set_up(&service);
    for way in ["mqtt", "address", "name"] {
        let all = choices(&browser.page(&format!("{NEW}?what=other&way={way}")));
        let of_brand = all.iter().filter(|it| it.contains("shelly"));
        assert_eq!(of_brand.count(), 1, "{all:?}");
    }
    let connect = begun(&browser, "shelly");
    let page = plain(&browser.page(&connect));
    assert_eq!(page.matches("<details name=\"way\"").count(), 2, "{page}");
    for text in [
        "Choose one of two ways.",
        "<details name=\"way\" open>\n<summary>By its address</summary>",
        "<details name=\"way\">\n<summary>By MQTT</summary>",
        "<option value=\"shelly\" selected>",
        "<option value=\"shelly-gen1\">",
        "<option value=\"shelly-gen1-3em\">",
        "RPC status notifications",
        "no MQTT broker is set",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    assert!(!page.contains("value=\"homewizard\""), "{page}");
}

#[test]
fn a_shelly_answers_at_its_address() {
    let service = empty();
    let browser = Browser::set_up(&service);
    let connect = begun(&browser, "shelly");
    let device = shelly();
    let address = device.address.to_string();
    let fields = |address, password| {
        let preset = ("preset", "shelly");
        [preset, ("address", address), ("password", password)]
    };
    // The same page again, with what is wrong.
    for (typed, text) in [
        (fields("http://x", ""), "without http://"),
        (fields(&address, ""), "password"),
    ] {
        let refused = poll(&browser, &connect, &typed);
        let page = plain(refused.text());
        assert_eq!(refused.status(), 422);
        assert!(
            page.contains(text) && page.contains("Choose one of two ways."),
            "{page}"
        );
        assert!(
            page.contains(&format!("value=\"{}\"", typed[1].1)),
            "{page}"
        );
    }
    let answer = poll(&browser, &connect, &fields(&address, "hunter2"));
    assert_eq!(location(&answer), "/settings/sensor/check?id=boiler");
    check(&browser, "boiler", || ());
    // Others that answer at an address have the form on their page, too, with the preset of the role.
    let p1 = Device::with(r#"{"total_power_import_kwh":5.5,"active_power_w":203.0}"#);
    let (address, page) = (p1.address.to_string(), "device=homewizard");
    let page = format!("{CONNECT}?id=boiler&{page}");
    assert!(!browser.page(&page).contains("<details name=\"way\""));
    let answer = poll(&browser, &page, &[("address", &address)]);
    assert_eq!(location(&answer), "/settings/sensor/check?id=boiler");
}

#[test]
fn a_shelly_sends_to_the_broker() {
    let (service, broker) = (empty(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    let connect = begun(&browser, "shelly");
    use_broker(&browser, &broker);
    page_with(
        (&browser, &connect),
        (&broker, &[METER]),
        "Such a device was found",
    );
    // It was heard, so this way is open.
    let page = browser.page(&connect);
    assert!(
        page.contains("<details name=\"way\" open>\n<summary>By MQTT</summary>"),
        "{page}"
    );
    let found = "/settings/devices?sensor=boiler";
    assert!(page.contains(found), "{page}");
    let answer = add(&browser, found, "shellypro3em-a0", &[]);
    assert_eq!(location(&answer), "/settings/sensor/check?id=boiler");
    check(&browser, "boiler", || broker.pass(METER));
}
