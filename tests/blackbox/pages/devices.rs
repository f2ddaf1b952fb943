//! Devices of the broker: found, added with one click, fed at once and after a restart.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wattkeeper::MeterKind;
use wattkeeper::Plan;
use wattkeeper::Role;
use wattkeeper::SensorId;
use wattkeeper::TimeRange;
use wattkeeper::{Flags, load_config};

use crate::mqtt::house::eventually;
use crate::mqtt::played::{METER, METER_REGISTERS, PLUG, PlayedBroker, UNUSABLE};
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::{administered, browser_at, save};
use crate::place::Place;
use crate::port::free_port;
use crate::support::{Response, SENSOR, Service};

const DEVICES: &str = "/settings/devices";
const BROKER: &str = "/settings/broker";

pub(super) fn use_broker(browser: &Browser<'_>, broker: &PlayedBroker) {
    save(browser, BROKER, &[("address", &broker.address)]);
}

/// The page with the devices, once it says this.
#[track_caller]
fn page_with(
    browser: &Browser<'_>,
    broker: &PlayedBroker,
    messages: &[(&str, &str)],
    text: &str,
) -> String {
    eventually(text, || {
        for message in messages {
            broker.pass(*message);
        }
        let page = plain(&browser.page(DEVICES));
        page.contains(text).then_some(page)
    })
}

/// Submits the form of a device with these fields replaced.
pub(super) fn add(
    browser: &Browser<'_>,
    address: &str,
    device: &str,
    fields: &[(&str, &str)],
) -> Response {
    let page = browser.page(address);
    let named = format!("name=\"device\" value=\"{device}\"");
    let begin = page
        .find(&named)
        .unwrap_or_else(|| panic!("no {device}: {page}"));
    let begin = page[..begin].rfind("<form").unwrap();
    let form = page[begin..].split("</form>").next().unwrap();
    let mut sent = hidden_fields(&format!("{form}</form>"), DEVICES);
    // A select sends what is selected.
    for select in form.split("<select ").skip(1) {
        let name = select
            .split("name=\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        let selected = select.split("</select>").next().unwrap();
        let selected = selected.split(" selected>").next().unwrap();
        let value = selected
            .rsplit("value=\"")
            .next()
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        if name != "account" {
            sent.push((name.to_owned(), value.to_owned()));
        }
    }
    if !sent.iter().any(|(name, _)| name == "name") {
        sent.push(("name".to_owned(), device.to_owned()));
    }
    for (name, value) in fields {
        sent.retain(|(known, _)| known != name);
        sent.push(((*name).to_owned(), (*value).to_owned()));
    }
    browser.post(DEVICES, &sent)
}

fn has_reading(service: &Service, id: &str) -> bool {
    let id = SensorId::new(id).unwrap();
    let activity = service.store().activity(&id).unwrap();
    activity.is_some_and(|it| it.arrivals.is_some())
}

#[track_caller]
pub(super) fn assert_sensor(service: &Service, id: &str, name: &str, role: Role) {
    let registry = service.store().registry();
    let sensor = registry.sensor(&SensorId::new(id).unwrap()).unwrap();
    assert_eq!((sensor.name.as_str(), sensor.role), (name, role));
    assert_eq!(sensor.meter.kind, MeterKind::Counter);
}

#[test]
fn one_click_adds_a_device_and_feeds_it_at_once_and_after_a_restart() {
    let (mut service, broker) = (Service::start(), PlayedBroker::start());
    {
        let browser = Browser::set_up(&service);
        assert!(browser.page(DEVICES).contains("no MQTT broker is set"));
        use_broker(&browser, &broker);
        let page = page_with(&browser, &broker, &[PLUG], "<bdi>plug</bdi>");
        assert!(page.contains("Tasmota") && page.contains("3.7"), "{page}");
        assert!(!has_reading(&service, "plug"));
        assert_eq!(
            location(&add(&browser, DEVICES, "plug", &[])),
            "/settings/devices?done=device-added"
        );
        assert_sensor(&service, "plug", "plug", Role::SubMeter);
        eventually("the first reading", || {
            broker.pass(PLUG);
            has_reading(&service, "plug").then_some(())
        });
        let page = browser.page(DEVICES);
        assert!(!page.contains("<bdi>plug</bdi>"), "{page}");
        let page = browser.page(BROKER);
        assert!(
            page.contains("tele/plug/SENSOR") && page.contains("/unsubscribe"),
            "{page}"
        );
    }
    service.restart();
    eventually("the subscription", || {
        broker.has_subscription("tele/plug/SENSOR").then_some(())
    });
    let browser = Browser::signed_in(&service);
    let answer = browser.submit(BROKER, "/settings/broker/unsubscribe", &[]);
    assert_eq!(location(&answer), "/settings/broker?done=unsubscribed");
    assert!(!browser.page(BROKER).contains("tele/plug/SENSOR"));
    assert_sensor(&service, "plug", "plug", Role::SubMeter);
    // Nothing feeds it any more, so it is offered again. Its own name is taken.
    page_with(&browser, &broker, &[PLUG], "<bdi>plug</bdi>");
    assert_eq!(
        location(&add(&browser, DEVICES, "plug", &[("name", "Kitchen")])),
        "/settings/devices?done=device-added"
    );
    assert_sensor(&service, "plug-2", "Kitchen", Role::SubMeter);
}

#[test]
fn a_device_that_does_not_say_its_units_is_asked_for_them() {
    let power = ("stove/sensor/power/state", "1.5");
    let register = ("stove/sensor/energy/state", "500");
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    page_with(
        &browser,
        &broker,
        &[power, register],
        "Unit of the register (it sends 500)",
    );
    let page = browser.page(DEVICES);
    assert!(page.contains("Unit of the power (it sends 1.5)"), "{page}");
    let units = |power, energy| [("watts_unit", power), ("watthours_unit", energy)];
    for [power, energy] in [["", ""], ["kW", ""], ["kWh", "kWh"], ["kW", "5"]] {
        let answer = add(&browser, DEVICES, "stove", &units(power, energy));
        assert_eq!(answer.status(), 422, "{power} {energy}");
        assert!(answer.text().contains("Choose the unit of its numbers."));
    }
    let answer = add(&browser, DEVICES, "stove", &units("kW", "Wh"));
    assert_eq!(location(&answer), "/settings/devices?done=device-added");
    let newest = || {
        broker.pass(power);
        broker.pass(register);
        let sensor = service.sensor("stove");
        (sensor["latest_watts"] == 1_500.0).then_some(())
    };
    eventually("power in the unit of the form", newest);
    let page = browser.page(BROKER);
    assert!(page.contains("stove/sensor"), "{page}");
    // Another one announces them.
    let announced = (
        "homeassistant/sensor/oven/energy/config",
        r#"{"unit_of_meas":"Wh","stat_t":"oven/sensor/energy/state"}"#,
    );
    let register = ("oven/sensor/energy/state", "1234.5");
    let page = page_with(&browser, &broker, &[announced, register], "<bdi>oven</bdi>");
    assert!(
        page.contains("1.2") && !page.contains("Unit of the"),
        "{page}"
    );
    let answer = add(&browser, DEVICES, "oven", &[]);
    assert_eq!(location(&answer), "/settings/devices?done=device-added");
    eventually("the register", || {
        broker.pass(announced);
        broker.pass(register);
        has_reading(&service, "oven").then_some(())
    });
    assert_eq!(registers(&service, "oven")[0], 1_234.5);
    assert_eq!(registers(&service, "stove")[0], 500.0);
}

/// The registers of a sensor, in watt-hours.
fn registers(service: &Service, id: &str) -> Vec<f64> {
    let id = SensorId::new(id).unwrap();
    let mut scan = service.store().scan(&id, TimeRange::ALL);
    let mut all = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        all.extend(
            run.iter()
                .filter_map(|reading| reading.measures.watthours()),
        );
    }
    all
}

#[test]
fn a_device_that_counts_both_ways_has_two_sensors() {
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    page_with(
        &browser,
        &broker,
        &[METER, METER_REGISTERS],
        "shellypro3em-a0-export",
    );
    page_with(
        &browser,
        &broker,
        &[METER, METER_REGISTERS],
        "2\u{202f}414\u{202f}kWh",
    );
    // The house has a sensor at the grid already.
    let named = ("name", "Meter");
    let asked = add(&browser, DEVICES, "shellypro3em-a0", &[named]);
    assert_eq!(asked.status(), 422);
    assert!(asked.text().contains("id=\"at_grid\""), "{}", asked.text());
    assert_eq!(service.store().registry().sensors().count(), 1);
    let answer = [named, ("at_grid", "connection")];
    add(&browser, DEVICES, "shellypro3em-a0", &answer);
    assert_sensor(&service, "shellypro3em-a0", "Meter", Role::GridImport);
    assert_sensor(
        &service,
        "shellypro3em-a0-export",
        "Meter export",
        Role::GridExport,
    );
    eventually("both readings", || {
        broker.pass(METER_REGISTERS);
        let ids = ["shellypro3em-a0", "shellypro3em-a0-export"];
        ids.iter().all(|id| has_reading(&service, id)).then_some(())
    });
    // The same form again: done before.
    let fields = [("topic", "shellypro3em-a0"), ("device", "shellypro3em-a0")];
    let mut sent = hidden_fields(&browser.page("/"), "/sign-out");
    sent.extend(fields.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(
        location(&browser.post(DEVICES, &sent)),
        "/settings/devices?done=device-added"
    );
    assert_eq!(service.store().registry().sensors().count(), 3);
}

#[test]
fn a_sensor_that_is_there_can_have_a_device() {
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    page_with(&browser, &broker, &[PLUG, METER], "shellypro3em-a0");
    for page in [
        "/settings/sensor/new?device=shelly",
        "/settings/sensor/connect?id=house&device=shelly",
    ] {
        let page = browser.page(page);
        assert!(page.contains("Such a device was found"), "{page}");
    }
    assert!(
        browser
            .page("/settings/sensor/connect?id=house&device=p1")
            .contains("No such device has sent")
    );
    let of_house = "/settings/devices?sensor=house";
    assert!(
        browser
            .page("/settings/sensor/connect?id=house&device=shelly")
            .contains(of_house)
    );
    let answer = add(&browser, of_house, "shellypro3em-a0", &[]);
    assert_eq!(location(&answer), "/settings/sensor/check?id=house");
    let registry = service.store().registry();
    let house = registry.sensor(&SensorId::new(SENSOR).unwrap()).unwrap();
    // It stays what it was; what flows back is new.
    assert_eq!((house.role, house.meter.kind), (Role::Grid, MeterKind::Net));
    assert_sensor(
        &service,
        "house-export",
        "the house export",
        Role::GridExport,
    );
    eventually("the first reading", || {
        broker.pass(METER);
        has_reading(&service, SENSOR).then_some(())
    });
}

#[test]
fn what_the_file_subscribes_to_needs_only_a_sensor() {
    let place = Place::new();
    let text = "[[mqtt.subscriptions]]\npreset = \"tasmota\"\nsensor = \"my-{1}\"";
    place.file("config.toml", text.as_bytes());
    let flags = Flags {
        config: Some(place.dir.path().join("config.toml")),
        ..Flags::default()
    };
    let subscriptions = load_config(&flags, []).unwrap().config.mqtt.subscriptions;
    let service = Service::start_with(|config| config.mqtt.subscriptions = subscriptions);
    let (browser, broker) = (Browser::set_up(&service), PlayedBroker::start());
    use_broker(&browser, &broker);
    page_with(&browser, &broker, &[PLUG], "<bdi>plug</bdi>");
    let page = browser.page(BROKER);
    assert!(page.contains("in the configuration file") && !page.contains("/unsubscribe"));
    add(&browser, DEVICES, "plug", &[]);
    assert_sensor(&service, "my-plug", "plug", Role::SubMeter);
    assert!(!browser.page(BROKER).contains("/unsubscribe"));
    page_with(&browser, &broker, &[PLUG, METER], "shellypro3em-a0");
    assert!(!browser.page(DEVICES).contains("<bdi>plug</bdi>"));
}

#[test]
fn known_devices_that_cannot_be_used_say_why() {
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    let page = page_with(&browser, &broker, &[UNUSABLE], "none of the usual ones");
    assert!(page.contains("tele/cellar/SENSOR"), "{page}");
    assert!(!page.contains("action=\"/settings/devices\""), "{page}");
    let wrong = ("tele/cellar/SENSOR", r#"{"ENERGY":{"Power":"much"}}"#);
    page_with(
        &browser,
        &broker,
        &[wrong],
        "expected a number at \"/ENERGY/Power\"",
    );
    // Another broker has other devices.
    let other = PlayedBroker::start();
    use_broker(&browser, &other);
    let page = page_with(&browser, &other, &[PLUG], "<bdi>plug</bdi>");
    assert!(!page.contains("cellar"), "{page}");
}

#[test]
fn a_wrong_form_changes_nothing() {
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    service.add_account("shop", Plan::Paid);
    use_broker(&browser, &broker);
    let braces = ("tele/{1}/SENSOR", PLUG.1);
    page_with(&browser, &broker, &[PLUG, METER, braces], "<bdi>{1}</bdi>");
    for (device, fields, expected) in [
        ("plug", vec![("account", "none")], "Choose the account"),
        ("plug", vec![], "Choose the account"),
        (
            "plug",
            vec![("account", "shop"), ("role", "king")],
            "from the lists",
        ),
        (
            "plug",
            vec![("account", "shop"), ("register", "")],
            "from the lists",
        ),
        (
            "plug",
            vec![("account", "shop"), ("role", "")],
            "at least one",
        ),
        (
            "plug",
            vec![("account", "shop"), ("topic", "tele/no/SENSOR")],
            "comes back with its next message",
        ),
        ("{1}", vec![("account", "shop")], "cannot be the id"),
    ] {
        let answer = add(&browser, DEVICES, device, &fields);
        assert_eq!(answer.status(), 422, "{fields:?}");
        assert!(
            answer.text().contains(expected),
            "{expected}: {}",
            answer.text()
        );
    }
    assert_eq!(service.store().registry().sensors().count(), 1);
    assert!(service.store().registry().settings().len() == 1);
    let answer = add(&browser, DEVICES, "plug", &[("account", "shop")]);
    assert_eq!(answer.status(), 303);
    let registry = service.store().registry();
    let sensor = registry.sensor(&SensorId::new("plug").unwrap()).unwrap();
    assert_eq!(sensor.account.as_str(), "shop");
}

#[test]
fn the_page_of_the_broker_says_whether_it_is_connected() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let state = |text: &str| {
        eventually(text, || browser.page(BROKER).contains(text).then_some(()));
    };
    let address = format!("127.0.0.1:{}", free_port());
    save(&browser, BROKER, &[("address", &address)]);
    state("nothing listens at this port");
    state("Next attempt in");
    let broker = PlayedBroker::start();
    use_broker(&browser, &broker);
    state("Connected to the broker since 10:30");
    eventually("the listener", || broker.has_listener().then_some(()));
    broker.hang_up();
    state("has ended the connection");
    state("Connected to the broker since");
    save(&browser, BROKER, &[("address", "")]);
    assert!(!browser.page(BROKER).contains("onnected"));
}

/// Sends more than it reads in the time of this test: it is slowed down, and ends with the
/// connection. Returns how many messages it sent.
fn flood(broker: &PlayedBroker, is_seen: &AtomicBool) -> usize {
    let mut number = 0;
    let mut bytes = Vec::new();
    while number < 2_000_000 {
        bytes.clear();
        for _ in 0..100 {
            let topic = format!("tele/x{number}/SENSOR");
            bytes.extend(crate::mqtt::hostile::message(
                topic.as_bytes(),
                PLUG.1.as_bytes(),
                0,
                false,
            ));
            number += 1;
        }
        if broker.flood(&bytes) {
            continue;
        }
        if is_seen.load(Ordering::Relaxed) {
            break;
        }
        // It listens again, as the device was added.
        std::thread::sleep(Duration::from_millis(10));
    }
    number
}

#[test]
fn a_flood_of_devices_is_slowed_down_and_readings_still_come() {
    let (service, broker) = (Service::start(), PlayedBroker::start());
    let browser = Browser::set_up(&service);
    use_broker(&browser, &broker);
    page_with(&browser, &broker, &[PLUG], "<bdi>plug</bdi>");
    add(&browser, DEVICES, "plug", &[]);
    eventually("the subscription", || {
        broker.has_subscription(PLUG.0).then_some(())
    });
    eventually("the listener", || broker.has_listener().then_some(()));
    let is_seen = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let flood = scope.spawn(|| flood(&broker, &is_seen));
        let page = eventually("the flood", || {
            let page = browser.page(DEVICES);
            page.contains("<bdi>x").then_some(page)
        });
        is_seen.store(true, Ordering::Relaxed);
        assert!(page.matches("<h2 id=\"device-").count() <= 40);
        assert!(page.len() < 400_000, "{}", page.len());
        eventually("the first reading", || {
            broker.pass_to_readings(PLUG);
            has_reading(&service, "plug").then_some(())
        });
        broker.hang_up();
        assert!(flood.join().unwrap() < 1_000_000);
    });
}

#[test]
fn what_pages_subscribe_to_is_in_a_backup() {
    let (place, broker) = (Place::new(), PlayedBroker::start());
    let (serving, browser) = administered(&place);
    use_broker(&browser, &broker);
    page_with(&browser, &broker, &[PLUG], "<bdi>plug</bdi>");
    assert_eq!(add(&browser, DEVICES, "plug", &[]).status(), 303);
    place.json(&["backup", "copy"]);
    serving.stop();
    let other = Place::new();
    let file = place.dir.path().join("copy");
    other.ok(&["restore", file.to_str().unwrap()]);
    let serving = other.serve(&[]);
    let browser = browser_at(&serving);
    assert!(browser.page(BROKER).contains("tele/plug/SENSOR"));
    eventually("the reading", || {
        broker.pass(PLUG);
        let readings = other.ok(&["export", "--sensor", "plug"]);
        (readings.lines().count() > 1).then_some(())
    });
    serving.stop();
}
