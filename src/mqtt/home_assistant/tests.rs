use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::domain::{
    Account, AccountName, Measures, Meter, MeterKind, Plan, Reading, Role, Sensor, SensorId,
    TimeRange, Timestamp, Upload, UploadedReading, Zone,
};
use crate::store::{OpenMode, Store, StoreSettings};

const NOW: &str = "2026-01-05T10:00:00";

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn settings() -> DiscoverySettings {
    DiscoverySettings {
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
        meter: Meter::new(MeterKind::Net),
        part_of: None,
        silent_after: None,
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
fn sensors_are_announced_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = published(announcer.update(&store, Vec::new()));
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
    assert!(announcer.update(&store, Vec::new()).is_empty());
}

#[test]
fn changes_are_published() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new());
    upload(&store, "house", Some(300.0), None, "2026-01-05T10:01:00");
    let power = BTreeMap::from([("wattkeeper/sensor/house_power".into(), "300".into())]);
    assert_eq!(published(announcer.update(&store, Vec::new())), power);
    // Another kind of register, and another name.
    let counter = Sensor {
        meter: Meter::new(MeterKind::Counter),
        part_of: None,
        silent_after: None,
        name: "the meter".into(),
        ..sensor("house")
    };
    store.put_sensor_durably(counter).unwrap();
    let again = published(announcer.update(&store, Vec::new()));
    assert_eq!(again.len(), 2);
    assert!(again[ENERGY].contains("\"total_increasing\"") && again[POWER].contains("the meter"));
    // The first register of a sensor that had none.
    upload(&store, "heat pump", None, Some(5.0), "2026-01-05T10:02:00");
    let first = published(announcer.update(&store, Vec::new()));
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
fn a_register_that_was_imported_or_deleted_is_published() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new());
    let energy = |text: &str| {
        BTreeMap::from([("wattkeeper/sensor/house_energy".to_owned(), text.to_owned())])
    };
    let house = SensorId::new("house").unwrap();
    let later = at("2026-01-05T11:00:00");
    let newest = Reading {
        time: later,
        measures: Measures::new(None, Some(2_000.0)).unwrap(),
    };
    store.import_durably(&house, vec![newest]).unwrap();
    assert_eq!(
        published(announcer.update(&store, Vec::new())),
        energy("2000")
    );
    store.delete_durably(&house, TimeRange::at(later)).unwrap();
    assert_eq!(
        published(announcer.update(&store, Vec::new())),
        energy("1010.25")
    );
    assert!(announcer.update(&store, Vec::new()).is_empty());
}

#[test]
fn everything_is_published_again_when_home_assistant_starts() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = announcer.update(&store, Vec::new());
    assert_eq!(announcer.update(&store, vec![Incoming::Birth]), first);
}

#[test]
fn announcements_of_removed_sensors_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new());
    // Announcements of an earlier run, one of a sensor that still exists.
    let incoming =
        ["attic_power", "house_power", "nonsense"].map(|object| Incoming::Announced(object.into()));
    let removed = published(announcer.update(&store, incoming.into()));
    let gone = ["attic_power", "nonsense"].map(|object| {
        let topics = [
            settings().config_topic(object),
            settings().state_topic(object),
        ];
        topics.map(|topic| (topic, String::new()))
    });
    assert_eq!(removed, gone.into_iter().flatten().collect());
    let revoked = Sensor {
        authorized: false,
        ..sensor("house")
    };
    store.put_sensor_durably(revoked).unwrap();
    let removed = published(announcer.update(&store, Vec::new()));
    assert_eq!(removed.len(), 4);
    assert!(removed.values().all(String::is_empty) && removed.contains_key(POWER));
    assert!(announcer.update(&store, Vec::new()).is_empty());
}

#[test]
fn only_messages_of_discovery_are_read() {
    let read = |topic: &str, payload: &str| settings().read(topic, payload.as_bytes());
    assert_eq!(
        read("homeassistant/status", "online"),
        Some(Some(Incoming::Birth))
    );
    assert_eq!(read("homeassistant/status", "offline"), Some(None));
    assert_eq!(
        read(POWER, "{}"),
        Some(Some(Incoming::Announced("house_power".into())))
    );
    let long = settings().config_topic(&"x".repeat(200));
    for (topic, payload) in [
        (POWER, ""),
        (&long, "{}"),
        ("wattkeeper/status", "online"),
        ("wattkeeper/sensor/house_power", "5"),
    ] {
        assert_eq!(read(topic, payload), Some(None), "{topic}");
    }
    for topic in [
        "tele/a/SENSOR",
        "homeassistant/sensor/other/house_power/config",
        "wattkeeper/plug",
    ] {
        assert_eq!(read(topic, "online"), None, "{topic}");
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
