//! Devices that mosquitto passes messages of, and that no subscription reads yet.

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::eventually;
use crate::mqtt::played::{METER, METER_REGISTERS, PLUG};
use crate::pages::browser::{location, plain};
use crate::pages::service::{administered, browser_at, save};
use crate::place::Place;

const DEVICES: &str = "/settings/devices";

#[test]
#[ignore = "needs mosquitto"]
fn a_device_is_found_added_and_fed_by_mosquitto() {
    let broker = Mosquitto::start();
    // Retained before anybody listens.
    broker.publish_with(METER.0, METER.1, &["-r"]);
    let place = Place::new();
    let (serving, browser) = administered(&place);
    let address = format!("127.0.0.1:{}", broker.port);
    save(&browser, "/settings/broker", &[("address", &address)]);
    eventually("the listener", || (broker.listens() > 0).then_some(()));
    let page_with = |text: &str| {
        eventually(text, || {
            let page = plain(&browser.page(DEVICES));
            page.contains(text).then_some(page)
        })
    };
    let page = page_with("<bdi>shellypro3em-a0</bdi>");
    assert!(page.contains("unknown since when"), "{page}");
    broker.publish(METER_REGISTERS.0, METER_REGISTERS.1);
    page_with("last heard");
    // Messages that are not from a meter: a long one, a deep one, and a camera's.
    broker.publish("camera/1", &"x".repeat(100_000));
    broker.publish("hall/deep", &"[".repeat(30_000));
    broker.publish(PLUG.0, PLUG.1);
    page_with("<bdi>plug</bdi>");
    // The plug is the newest, so its form is the first one.
    let fields = [
        ("name", "Kitchen"),
        ("role", "sub-meter"),
        ("register", "counter"),
    ];
    assert_eq!(browser.submit_own(DEVICES, &fields).status(), 303);
    let readings = |count: usize| {
        eventually("a reading", || {
            let readings = place.ok(&["export", "--sensor", "plug"]);
            if readings.lines().count() > count {
                return Some(());
            }
            broker.publish(PLUG.0, PLUG.1);
            None
        });
    };
    readings(1);
    let page = plain(&browser.page(DEVICES));
    assert!(!page.contains("<bdi>plug</bdi>"), "{page}");
    let before = broker.subscriptions();
    serving.stop();
    let serving = place.serve(&[]);
    eventually("the subscription", || {
        (broker.subscriptions() > before).then_some(())
    });
    readings(2);
    let browser = browser_at(&serving);
    let page = browser.page("/settings/broker");
    assert!(
        page.contains(PLUG.0) && page.contains("Connected to the broker since"),
        "{page}"
    );
    // The session of the listener is not kept: nothing waits for it at the broker.
    assert!(!serving.stop().contains("cannot look for devices"));
}

/// evcc keeps its numbers at the broker, a Tasmota sends its own now and then.
#[test]
#[ignore = "needs mosquitto"]
fn evcc_and_a_tasmota_are_set_up_by_the_wizard() {
    let broker = Mosquitto::start();
    let place = Place::new();
    let (serving, browser) = administered(&place);
    let address = format!("127.0.0.1:{}", broker.port);
    save(&browser, "/settings/broker", &[("address", &address)]);
    eventually("the listener", || (broker.listens() > 0).then_some(()));
    let evcc = [
        ("evcc/loadpoints/1/chargePower", "3680"),
        ("evcc/loadpoints/1/chargeTotalImport", "6960.671"),
    ];
    let page = "/settings/devices?of=evcc";
    eventually("evcc", || {
        for (topic, payload) in evcc {
            broker.publish_with(topic, payload, &["-r"]);
        }
        let page = plain(&browser.page(page));
        page.contains("<bdi>evcc-loadpoint-1</bdi>").then_some(())
    });
    let fields = [
        ("name", "evcc"),
        ("role", "sub-meter"),
        ("register", "counter"),
    ];
    let answer = browser.submit(page, DEVICES, &fields);
    let check = "/settings/sensor/check?id=evcc-loadpoint-1";
    assert_eq!(location(&answer), check);
    // Nobody knows since when the broker has kept a number; evcc sends it again with each round.
    eventually("the first reading of evcc", || {
        broker.publish_with(evcc[0].0, evcc[0].1, &["-r"]);
        let page = plain(&browser.page(check));
        page.contains("3.68\u{202f}kW").then_some(())
    });
    let fields = [
        ("name", "Boiler"),
        ("role", "sub-meter"),
        ("account", "home"),
    ];
    let new = "/settings/sensor/new";
    let answer = browser.submit(&format!("{new}?device=tasmota-mqtt"), new, &fields);
    let connect = location(&answer).to_owned();
    let sent = ("tele/boiler/SENSOR", PLUG.1);
    eventually("the plug", || {
        broker.publish(sent.0, sent.1);
        let page = browser.page(&connect);
        page.contains("Such a device was found").then_some(())
    });
    let answer = browser.submit("/settings/devices?sensor=boiler", DEVICES, &[]);
    let check = "/settings/sensor/check?id=boiler";
    assert_eq!(location(&answer), check);
    eventually("the first reading of the plug", || {
        broker.publish(sent.0, sent.1);
        let page = plain(&browser.page(check));
        page.contains("3.705\u{202f}kWh").then_some(())
    });
    serving.stop();
}
