use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::domain::account::{Account, AccountName, Plan};
use crate::domain::calendar::Zone;
use crate::domain::reading::{Measures, Upload, UploadedReading};
use crate::domain::role::Role;
use crate::store::{OpenMode, StoreSettings};

const NOW: &str = "2026-01-05T10:00:00";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn settings() -> Settings {
    Settings {
        prefix: "homeassistant".into(),
        node: "wattkeeper".into(),
    }
}

fn sensor(id: &str) -> Sensor {
    Sensor {
        id: SensorId::new(id).unwrap(),
        account: AccountName::new("home").unwrap(),
        name: format!("the {id}"),
        authorized: true,
        role: Role::Grid,
        register: RegisterKind::Net,
        created: at(NOW),
    }
}

/// A store with the sensors `house` and `heat pump`, of which only the former has readings.
fn store(dir: &std::path::Path) -> Store {
    let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
    let account = Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        price: None,
        created: at(NOW),
    };
    store.put_account_durably(account).unwrap();
    for id in ["house", "heat pump"] {
        store.put_sensor_durably(sensor(id)).unwrap();
    }
    upload(&store, "house", Some(234.5), Some(1_010.25), NOW);
    store
}

fn upload(store: &Store, id: &str, watts: Option<f64>, watthours: Option<f64>, time: &str) {
    let reading = UploadedReading {
        time: Some(at(time)),
        measures: Measures::new(watts, watthours).unwrap(),
    };
    let upload = Upload::new(SensorId::new(id).unwrap(), vec![reading]).unwrap();
    store.append_durably_blocking(upload, at(time)).unwrap();
}

/// What is published, by topic.
fn published(all: Vec<Publication>) -> BTreeMap<String, String> {
    all.into_iter()
        .map(|one| (one.topic, one.payload))
        .collect()
}

const POWER: &str = "homeassistant/sensor/wattkeeper/house_power/config";
const ENERGY: &str = "homeassistant/sensor/wattkeeper/house_energy/config";

#[test]
fn what_is_known_is_announced_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = published(announcer.look(&store, Vec::new()));
    let topics: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        topics,
        [
            ENERGY,
            POWER,
            "wattkeeper/sensor/house_energy",
            "wattkeeper/sensor/house_power",
            "wattkeeper/status"
        ]
    );
    assert_eq!(first["wattkeeper/sensor/house_power"], "234.5");
    assert_eq!(first["wattkeeper/sensor/house_energy"], "1010.25");
    assert_eq!(first["wattkeeper/status"], "online");
    let config: Value = serde_json::from_str(&first[ENERGY]).unwrap();
    assert_eq!(config["device"]["name"], "the house");
    assert_eq!(config["state_topic"], "wattkeeper/sensor/house_energy");
    assert_eq!(config["state_class"], "total");
    assert!(announcer.look(&store, Vec::new()).is_empty());
}

#[test]
fn what_changes_is_told_again() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.look(&store, Vec::new());
    upload(&store, "house", Some(300.0), None, "2026-01-05T10:01:00");
    let power = BTreeMap::from([("wattkeeper/sensor/house_power".into(), "300".into())]);
    assert_eq!(published(announcer.look(&store, Vec::new())), power);
    // Another kind of register, and another name.
    let counter = Sensor {
        register: RegisterKind::Counter,
        name: "the meter".into(),
        ..sensor("house")
    };
    store.put_sensor_durably(counter).unwrap();
    let again = published(announcer.look(&store, Vec::new()));
    assert_eq!(again.len(), 2);
    assert!(again[ENERGY].contains("\"total_increasing\"") && again[POWER].contains("the meter"));
    // The first register of a sensor that had none.
    upload(&store, "heat pump", None, Some(5.0), "2026-01-05T10:02:00");
    let first = published(announcer.look(&store, Vec::new()));
    let topics: Vec<&String> = first.keys().collect();
    assert_eq!(
        topics,
        [
            "homeassistant/sensor/wattkeeper/heat_20pump_energy/config",
            "wattkeeper/sensor/heat_20pump_energy"
        ]
    );
}

#[test]
fn a_home_assistant_that_starts_is_told_everything() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = announcer.look(&store, Vec::new());
    assert_eq!(announcer.look(&store, vec![Heard::Born]), first);
}

#[test]
fn what_is_of_sensors_that_are_gone_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.look(&store, Vec::new());
    // One heard of from an earlier run, and one that is still there.
    let heard =
        ["attic_power", "house_power", "nonsense"].map(|object| Heard::Announced(object.into()));
    let taken = published(announcer.look(&store, heard.into()));
    let gone = ["attic_power", "nonsense"].map(|object| {
        let topics = [
            settings().config_topic(object),
            settings().state_topic(object),
        ];
        topics.map(|topic| (topic, String::new()))
    });
    assert_eq!(taken, gone.into_iter().flatten().collect());
    let revoked = Sensor {
        authorized: false,
        ..sensor("house")
    };
    store.put_sensor_durably(revoked).unwrap();
    let taken = published(announcer.look(&store, Vec::new()));
    assert_eq!(taken.len(), 4);
    assert!(taken.values().all(String::is_empty) && taken.contains_key(POWER));
    assert!(announcer.look(&store, Vec::new()).is_empty());
}

#[test]
fn it_hears_what_is_meant_for_it() {
    let hear = |topic: &str, payload: &str| settings().hear(topic, payload.as_bytes());
    assert_eq!(
        hear("homeassistant/status", "online"),
        Some(Some(Heard::Born))
    );
    assert_eq!(hear("homeassistant/status", "offline"), Some(None));
    assert_eq!(
        hear(POWER, "{}"),
        Some(Some(Heard::Announced("house_power".into())))
    );
    let long = settings().config_topic(&"x".repeat(200));
    for (topic, payload) in [
        (POWER, ""),
        (&long, "{}"),
        ("wattkeeper/status", "online"),
        ("wattkeeper/sensor/house_power", "5"),
    ] {
        assert_eq!(hear(topic, payload), Some(None), "{topic}");
    }
    for topic in [
        "tele/a/SENSOR",
        "homeassistant/sensor/other/house_power/config",
        "wattkeeper/plug",
    ] {
        assert_eq!(hear(topic, "online"), None, "{topic}");
    }
}

#[test]
fn no_two_ids_have_the_same_slug() {
    let slug = |id: &str| message::slug(&SensorId::new(id).unwrap());
    assert_eq!(slug("heat-pump2"), "heat-pump2");
    assert_eq!(slug("a b"), "a_20b");
    assert_eq!(slug("a_20b"), "a_5f20b");
    assert_eq!(slug("Wärme/+#"), "W_c3_a4rme_2f_2b_23");
}
