use std::sync::Mutex;
use std::time::Duration;

use super::heard::{MAX_DEVICES, MAX_SENSORS};
use super::{DeviceDiscovery, HeardDevice, HeardDevices, SubscribedAs};
use crate::domain::{Moment, Role, Timestamp};
use crate::ingest::devices::{Preset, PresetUnits};
use crate::ingest::{DeviceAccount, DeviceClock};
use crate::locks::lock;
use crate::mqtt::intake::Subscription;

const PLUG: &str = r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"Total":3.705,"Power":5}}"#;

/// A discovery, and the devices it heard.
struct TestDiscovery {
    discovery: DeviceDiscovery,
    heard: Mutex<HeardDevices>,
}

fn at(seconds: u64) -> Moment {
    let ms = i64::try_from(seconds * 1_000).unwrap();
    Moment {
        time: Timestamp::from_millis(1_767_600_000_000 + ms).unwrap(),
        elapsed: Duration::from_secs(seconds),
    }
}

/// A subscription to a preset, as the settings make it.
fn subscription(preset: &str, topic: &str, sensor: &str) -> Subscription {
    let preset = Preset::with_id(preset).unwrap();
    let (topic, sensor) = (topic.parse().unwrap(), sensor.parse().unwrap());
    let mappings = preset
        .terms
        .mappings(&topic, &sensor, PresetUnits::default());
    Subscription {
        account: DeviceAccount::default(),
        preset: Some(preset),
        topic: Some(topic),
        sensor,
        mappings: mappings.unwrap(),
        clock: DeviceClock::default(),
    }
}

impl TestDiscovery {
    fn new(subscriptions: &[Subscription]) -> Self {
        let heard = Mutex::default();
        let discovery = DeviceDiscovery::new(subscriptions, &heard);
        Self { discovery, heard }
    }

    fn receive(&mut self, topic: &str, payload: &str, seconds: u64) {
        let message = (topic, payload.as_bytes());
        self.discovery
            .receive(message, false, &self.heard, at(seconds));
    }

    fn follow(&mut self, subscriptions: &[Subscription]) {
        self.discovery = DeviceDiscovery::new(subscriptions, &self.heard);
    }

    fn list(&self, seconds: u64) -> Vec<HeardDevice> {
        lock(&self.heard).list(Duration::from_secs(seconds))
    }
}

fn ids(device: &HeardDevice) -> Vec<&str> {
    device.sensors.iter().map(|it| it.id.as_str()).collect()
}

#[test]
fn the_newest_values_of_a_device_are_kept_together() {
    let mut test = TestDiscovery::new(&[]);
    let rpc = |of: &str| format!(r#"{{"src":"s","params":{{"ts":1701430261.00,{of}}}}}"#);
    let power = rpc(r#""em:0":{"id":0,"total_act_power":-232.6}"#);
    test.receive("s/events/rpc", &power, 0);
    let register = rpc(r#""emdata:0":{"id":0,"total_act":2413825.82,"total_act_ret":12.5}"#);
    test.receive("s/events/rpc", &register, 5);
    test.receive("tele/plug/SENSOR", PLUG, 2);
    let list = test.list(10);
    assert_eq!(list.len(), 2);
    assert_eq!((&*list[0].topic, list[0].heard), ("s", Some(at(5).time)));
    assert_eq!(ids(&list[0]), ["s", "s-export"]);
    let [import, export] = &list[0].sensors[..] else {
        panic!("{list:?}");
    };
    assert_eq!(import.newest.watthours(), Some(2_413_825.82));
    assert_eq!(import.newest.watts(), Some(0.0));
    assert_eq!(export.newest.watts(), Some(232.6));
    assert_eq!(export.role, Role::GridExport);
    assert_eq!(ids(&list[1]), ["plug"]);
    // After six hours without a message, the device is gone.
    assert_eq!(test.list(6 * 3_600 + 3).len(), 1);
    assert_eq!(test.list(6 * 3_600 + 5), []);
}

#[test]
fn a_device_of_two_presets_is_offered_once() {
    let mut test = TestDiscovery::new(&[]);
    for phase in 0..3 {
        let topic = format!("shellies/em3/emeter/{phase}/power");
        test.receive(&topic, "100", phase);
    }
    let list = test.list(3);
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].preset.id(), "shelly-gen1-3em");
    assert_eq!(ids(&list[0]), ["em3"]);
    assert_eq!(list[0].sensors[0].newest.watts(), Some(300.0));
    test.receive("shellies/em3/emeter/0/power", "50", 4);
    assert_eq!(test.list(4)[0].sensors[0].newest.watts(), Some(250.0));
    // A device with two phases is not a 3EM.
    test.receive("shellies/em/emeter/0/power", "100", 5);
    test.receive("shellies/em/emeter/1/power", "100", 5);
    let em = &test.list(5)[0];
    assert_eq!(em.preset.id(), "shelly-gen1");
    assert_eq!(ids(em), ["em", "em-2"]);
}

#[test]
fn what_a_subscription_reads_has_its_sensors() {
    let plug = subscription("tasmota", "tele/+/SENSOR", "house-{1}");
    let mut test = TestDiscovery::new(std::slice::from_ref(&plug));
    test.receive("tele/plug/SENSOR", PLUG, 0);
    test.receive("plug2/tele/SENSOR", PLUG, 0);
    let of = |test: &TestDiscovery, topic: &str| {
        let list = test.list(1);
        let found = list.into_iter().find(|it| it.topic == topic);
        found.map(|it| (ids(&it)[0].to_owned(), it.subscribed))
    };
    let subscribed = SubscribedAs::Sensors { account: None };
    let known = Some(("house-plug".to_owned(), subscribed));
    assert_eq!(of(&test, "tele/plug/SENSOR"), known);
    let free = |id: &str| Some((id.to_owned(), SubscribedAs::Nothing));
    assert_eq!(of(&test, "plug2/tele/SENSOR"), free("plug2"));
    // New subscriptions only forget the devices that they affect.
    test.follow(&[]);
    assert_eq!(of(&test, "tele/plug/SENSOR"), None);
    assert_eq!(of(&test, "plug2/tele/SENSOR"), free("plug2"));
    test.receive("tele/plug/SENSOR", PLUG, 1);
    assert_eq!(of(&test, "tele/plug/SENSOR"), free("plug"));
    let other = subscription("tasmota", "plug2/tele/SENSOR", "p2");
    test.follow(&[plug, other]);
    assert_eq!(test.list(1), []);
    test.receive("plug2/tele/SENSOR", PLUG, 2);
    assert_eq!(ids(&test.list(2)[0]), ["p2"]);
}

#[test]
fn a_part_without_a_subscription_does_not_make_a_device_free() {
    let power = subscription("shelly-gen1", "shellies/a", "a");
    let power = Subscription {
        mappings: vec![power.mappings[0].clone()],
        ..power
    };
    let mut test = TestDiscovery::new(&[power]);
    test.receive("shellies/a/relay/0/power", "5", 0);
    test.receive("shellies/a/emeter/0/power", "5", 1);
    let list = test.list(1);
    assert_eq!(list.len(), 1);
    assert_ne!(list[0].subscribed, SubscribedAs::Nothing);
}

#[test]
fn why_a_device_cannot_be_used_is_kept_until_it_can() {
    let mut test = TestDiscovery::new(&[]);
    test.receive(
        "tele/m/SENSOR",
        r#"{"Haus":{"kwh_ein":5,"Server_ID":"0901"}}"#,
        0,
    );
    assert!(test.list(0)[0].problem.is_some());
    test.receive(
        "tele/m/SENSOR",
        r#"{"SML":{"Total_in":5,"Server_ID":"0901"}}"#,
        1,
    );
    let list = test.list(1);
    assert_eq!((list.len(), &list[0].problem), (1, &None));
    assert_eq!(ids(&list[0]), ["m"]);
    // One unusable message does not hide the contents of the others.
    test.receive(
        "tele/m/SENSOR",
        r#"{"Haus":{"kwh_ein":5,"Server_ID":"0901"}}"#,
        2,
    );
    assert_eq!(ids(&test.list(2)[0]), ["m"]);
}

#[test]
fn what_the_broker_had_retained_has_no_time() {
    let mut test = TestDiscovery::new(&[]);
    let message = ("tele/plug/SENSOR", PLUG.as_bytes());
    test.discovery.receive(message, true, &test.heard, at(0));
    assert_eq!(test.list(0)[0].heard, None);
    test.receive("tele/plug/SENSOR", PLUG, 5);
    test.discovery.receive(message, true, &test.heard, at(9));
    assert_eq!(test.list(9)[0].heard, Some(at(5).time));
}

#[test]
fn a_flood_does_not_fill_the_memory() {
    let mut test = TestDiscovery::new(&[]);
    for number in 0..5_000 {
        test.receive(&format!("tele/x{number}/SENSOR"), PLUG, number);
        assert!(test.list(number).len() <= MAX_DEVICES);
        let part = format!("node/sensor/p{number}_power/state");
        test.receive(&part, "5", number);
    }
    let list = test.list(5_000);
    assert_eq!(list.len(), MAX_DEVICES);
    let node = list.iter().find(|it| it.topic == "node/sensor").unwrap();
    assert_eq!(node.sensors.len(), MAX_SENSORS);
    // Messages that are too long are not looked at.
    test.receive(&format!("tele/{}/SENSOR", "y".repeat(300)), PLUG, 5_001);
    let long = format!("{}{}", " ".repeat(20_000), PLUG);
    test.receive("tele/long/SENSOR", &long, 5_001);
    let list = test.list(5_001);
    assert!(
        list.iter()
            .all(|it| it.topic.len() < 300 && it.device != "long")
    );
}
