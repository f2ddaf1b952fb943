use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, Measures, Meter, MeterKind, MicroWh, Phases, Plan, Reading, Role, Sensor,
    SensorId, SentParts, SilentAfter, TimeRange, Upload, UploadedReading, Zone,
};
use crate::ledger::contract::{ContractChange, FlatContract, FlatTerms};
use crate::ledger::notice::{Notice, NoticeChange, NoticeKey, NoticeKind, NoticeSubject};
use crate::ledger::{Author, Correction, Fact, Made, MeterChange};
use crate::store::{OpenMode, Store, StoreSettings};

const NOW: &str = "2026-01-05T10:00:00";

fn settings() -> DiscoverySettings {
    DiscoverySettings {
        prefix: "homeassistant".into(),
        node: "wattkeeper".into(),
        pages: Some("http://192.168.1.7:8080".into()),
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
        is_announced: true,
        sent_parts: SentParts::default(),
        created: at(NOW),
    }
}

/// A store with the sensors `house` and `heat pump`; only the first has readings.
fn store(dir: &std::path::Path) -> Arc<Store> {
    let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
    let store = Arc::new(store);
    let account = Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(NOW),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
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

/// The publications by topic.
fn published(all: Vec<Publication>) -> BTreeMap<String, String> {
    let all = all
        .into_iter()
        .filter(|one| !one.topic.contains("_problem"));
    all.map(|one| (one.topic, one.payload)).collect()
}

/// The publications about problems, by object: the name of the device if it is announced, and the
/// state.
fn problems(all: &[Publication]) -> BTreeMap<String, (Option<String>, Option<String>)> {
    let mut found = BTreeMap::<String, (Option<String>, Option<String>)>::new();
    for one in all.iter().filter(|one| one.topic.contains("_problem")) {
        if let Some(object) = one.topic.strip_prefix("wattkeeper/sensor/") {
            found.entry(object.into()).or_default().1 = Some(one.payload.clone());
            continue;
        }
        let object = one
            .topic
            .strip_prefix("homeassistant/binary_sensor/wattkeeper/")
            .and_then(|rest| rest.strip_suffix("/config"))
            .unwrap();
        let config: Value = serde_json::from_str(&one.payload).unwrap_or_default();
        if !config.is_null() {
            assert_eq!(config["device_class"], "problem");
            assert_eq!(config["state_topic"], format!("wattkeeper/sensor/{object}"));
        }
        let name = config["device"]["name"].as_str().unwrap_or_default();
        found.entry(object.into()).or_default().0 = Some(name.to_owned());
    }
    found
}

fn open_notice(
    store: &Store,
    account: Option<&AccountName>,
    kind: NoticeKind,
    subject: NoticeSubject,
) -> NoticeKey {
    let notice = Notice {
        kind,
        subject,
        since: at(NOW),
        happened: String::new(),
    };
    let key = NoticeKey::of(account.cloned(), &notice);
    let opened = NoticeChange::Opened(notice, at(NOW));
    let changes = vec![(key.clone(), opened)];
    store
        .edit(move |edit| edit.change_notices(changes))
        .unwrap();
    key
}

fn looked(
    announcer: &mut Announcer,
    store: &Arc<Store>,
) -> BTreeMap<String, (Option<String>, Option<String>)> {
    problems(&announcer.update(store, Vec::new(), at(NOW)))
}

#[test]
fn problems_follow_the_notices() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let told = |object: &str, name: Option<&str>, state: Option<&str>| {
        let text = |text: Option<&str>| text.map(str::to_owned);
        (object.to_owned(), (text(name), text(state)))
    };
    let off = Some("OFF");
    assert_eq!(
        looked(&mut announcer, &store),
        BTreeMap::from([
            told("__home_problem", Some("home"), off),
            told("__problem", Some("wattkeeper"), off),
            told("heat_20pump_problem", Some("the heat pump"), off),
            told("house_problem", Some("the house"), off),
        ])
    );
    let home = AccountName::new("home").unwrap();
    let sensor_id = SensorId::new("house").unwrap();
    let silent = open_notice(
        &store,
        Some(&home),
        NoticeKind::SensorSilent,
        NoticeSubject::Sensor(sensor_id),
    );
    let on = |object| BTreeMap::from([told(object, None, Some("ON"))]);
    assert_eq!(looked(&mut announcer, &store), on("house_problem"));
    open_notice(
        &store,
        Some(&home),
        NoticeKind::BaseLoadRose,
        NoticeSubject::House,
    );
    assert_eq!(looked(&mut announcer, &store), on("__home_problem"));
    open_notice(
        &store,
        None,
        NoticeKind::DiskNearlyFull,
        NoticeSubject::Service,
    );
    assert_eq!(looked(&mut announcer, &store), on("__problem"));
    let ended = vec![(silent, NoticeChange::Ended(at(NOW)))];
    store.edit(move |edit| edit.change_notices(ended)).unwrap();
    let ended = BTreeMap::from([told("house_problem", None, off)]);
    assert_eq!(looked(&mut announcer, &store), ended);
    // Announced by an earlier run: a sensor that still exists, and one that is gone.
    let incoming = ["house_problem", "attic_problem"];
    let incoming = incoming.map(|object| Incoming::Announced(object.into()));
    let removed = BTreeMap::from([told("attic_problem", Some(""), Some(""))]);
    assert_eq!(
        problems(&announcer.update(&store, incoming.into(), at(NOW))),
        removed
    );
    store
        .remove_sensor_durably(&SensorId::new("house").unwrap())
        .unwrap();
    let removed = BTreeMap::from([told("house_problem", Some(""), Some(""))]);
    assert_eq!(looked(&mut announcer, &store), removed);
}

#[test]
fn the_house_of_an_account_has_its_sums_of_today() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    upload(&store, "house", None, Some(1_510.25), "2026-01-05T11:00:00");
    let mut announcer = Announcer::new(settings());
    let house = |all: Vec<Publication>| {
        let all = all.into_iter().map(|one| (one.topic, one.payload));
        let of_house = |(topic, _): &(String, String)| {
            topic.contains("__home_") && !topic.contains("_problem")
        };
        all.filter(of_house).collect::<BTreeMap<_, _>>()
    };
    let noon = at("2026-01-05T12:00:00");
    let first = house(announcer.update(&store, Vec::new(), noon));
    let topics: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        topics,
        [
            "homeassistant/sensor/wattkeeper/__home_export/config",
            "homeassistant/sensor/wattkeeper/__home_import/config",
            "homeassistant/sensor/wattkeeper/__home_used/config",
            "wattkeeper/sensor/__home_export",
            "wattkeeper/sensor/__home_import",
            "wattkeeper/sensor/__home_used",
        ]
    );
    let config: Value = serde_json::from_str(&first[topics[1]]).unwrap();
    assert_eq!(
        [
            &config["device_class"],
            &config["state_class"],
            &config["unit_of_measurement"]
        ],
        ["energy", "total", "Wh"]
    );
    let state = r#"{"value":500.0,"last_reset":"2026-01-05T00:00:00.000Z"}"#;
    assert_eq!(first["wattkeeper/sensor/__home_import"], state);
    // With a contract, the cost is announced within a minute.
    let terms = FlatTerms {
        price: "0.30",
        currency: "EUR",
        ..FlatTerms::default()
    };
    let contract = FlatContract::new(terms).unwrap().contract();
    let put = ContractChange::Put(Box::new(contract));
    let home = AccountName::new("home").unwrap();
    store
        .edit(move |edit| edit.change_contracts(&home, put))
        .unwrap();
    assert_eq!(
        house(announcer.update(&store, Vec::new(), noon)),
        BTreeMap::new()
    );
    let later = noon.saturating_add_millis(60_000);
    let cost = house(announcer.update(&store, Vec::new(), later));
    let config = &cost["homeassistant/sensor/wattkeeper/__home_cost/config"];
    let config: Value = serde_json::from_str(config).unwrap();
    assert_eq!(
        [&config["device_class"], &config["unit_of_measurement"]],
        ["monetary", "EUR"]
    );
    assert!(
        cost["wattkeeper/sensor/__home_cost"].contains(r#""value":0.15"#),
        "{cost:?}"
    );
}

/// The publications about prices, by topic.
fn prices(all: Vec<Publication>) -> BTreeMap<String, String> {
    let of_prices = |one: &Publication| {
        let names = ["__home_price", "__home_cheapest", "__home_cheap"];
        let mut levels = one.topic.split('/');
        levels.any(|level| names.contains(&level))
    };
    let all = all.into_iter().filter(of_prices);
    all.map(|one| (one.topic, one.payload)).collect()
}

fn put_contract(store: &Store, contract: &str) {
    let put = ContractChange::parse(contract).unwrap();
    let home = AccountName::new("home").unwrap();
    let changed = store.edit(move |edit| edit.change_contracts(&home, put));
    changed.unwrap();
}

#[test]
fn the_price_of_a_house_follows_its_contract() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let mut look = |time: &str| prices(announcer.update(&store, Vec::new(), at(time)));
    assert_eq!(look(NOW), BTreeMap::new(), "without a contract");
    put_contract(
        &store,
        r#"{"from":"2025-01-01","name":"Night","currency":"EUR","components":[
        {"energy":{"zones":[{"name":"day","price":0.35},{"name":"night","price":0.24,"hours":"22:00-06:00"}]}},
        {"tax":{"name":"VAT","percent":20}}]}"#,
    );
    let first = look("2026-01-05T10:01:00");
    let state = |object: &str| first[&format!("wattkeeper/sensor/{object}")].clone();
    assert_eq!(state("__home_price"), "0.42");
    assert_eq!(state("__home_cheapest"), "2026-01-05T22:00:00.000Z");
    assert_eq!(state("__home_cheap"), "OFF");
    let config = |topic: &str| -> Value {
        serde_json::from_str(&first[&format!("homeassistant/{topic}/config")]).unwrap()
    };
    let price = config("sensor/wattkeeper/__home_price");
    assert_eq!(price["unit_of_measurement"], "EUR/kWh");
    assert_eq!(price["state_class"], "measurement");
    let cheapest = config("sensor/wattkeeper/__home_cheapest");
    assert_eq!(cheapest["device_class"], "timestamp");
    let cheap = config("binary_sensor/wattkeeper/__home_cheap");
    assert_eq!(cheap["state_topic"], "wattkeeper/sensor/__home_cheap");
    assert_eq!(first.len(), 6);
    // The next price is published when it begins, not with the next minute.
    assert_eq!(look("2026-01-05T21:59:30"), BTreeMap::new());
    let night = look("2026-01-05T22:00:00");
    let states = [
        ("wattkeeper/sensor/__home_price", "0.288"),
        ("wattkeeper/sensor/__home_cheap", "ON"),
    ];
    let states = states.map(|(topic, state)| (topic.to_owned(), state.to_owned()));
    assert_eq!(night, BTreeMap::from(states));
    // The time stays while the price does.
    assert_eq!(look("2026-01-05T22:30:00"), BTreeMap::new());
}

#[test]
fn prices_without_a_contract_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    // Of a series that has no prices yet.
    let contract = r#"{"from":"2025-01-01","name":"Spot","currency":"€","components":[{"energy":{"series":"spot"}}]}"#;
    put_contract(&store, contract);
    let mut announcer = Announcer::new(settings());
    let first = prices(announcer.update(&store, Vec::new(), at(NOW)));
    for object in ["__home_price", "__home_cheapest", "__home_cheap"] {
        assert_eq!(first[&format!("wattkeeper/sensor/{object}")], "None");
    }
    let incoming = ["__home_cheap", "__attic_cheap", "__attic_cheapest"];
    let incoming = incoming.map(|object| Incoming::Announced(object.into()));
    let removed = announcer.update(&store, incoming.into(), at(NOW));
    let removed: Vec<&str> = removed.iter().map(|one| one.topic.as_str()).collect();
    assert_eq!(
        removed,
        [
            "wattkeeper/sensor/__attic_cheap",
            "homeassistant/binary_sensor/wattkeeper/__attic_cheap/config",
            "wattkeeper/sensor/__attic_cheapest",
            "homeassistant/sensor/wattkeeper/__attic_cheapest/config",
        ]
    );
    put_contract(&store, "[]");
    let removed = prices(announcer.update(&store, Vec::new(), at("2026-01-05T10:01:00")));
    assert_eq!(removed.len(), 6);
    assert!(removed.values().all(String::is_empty));
}

#[test]
fn the_forecast_of_the_month_is_computed_each_hour() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    // A kilowatt since the reading that is there, for 30 days.
    for day in 0..=30 {
        let time = at("2026-01-07T00:00:00").saturating_add_millis(day * 86_400_000);
        let watthours = 24_000.0 * f64::from(i32::try_from(day).unwrap());
        upload(
            &store,
            "house",
            None,
            Some(39_010.25 + watthours),
            &time.to_string(),
        );
    }
    let mut announcer = Announcer::new(settings());
    let mut look = |time: &str| {
        let all = announcer.update(&store, Vec::new(), at(time)).into_iter();
        let of_month = all.filter(|one| one.topic.contains("__home_month_"));
        let of_month = of_month.map(|one| (one.topic, one.payload));
        of_month.collect::<BTreeMap<String, String>>()
    };
    let first = look("2026-02-06T00:00:00");
    assert_eq!(first.len(), 2, "{first:?}");
    let config = &first["homeassistant/sensor/wattkeeper/__home_month_import/config"];
    let config: Value = serde_json::from_str(config).unwrap();
    assert_eq!(
        [&config["device_class"], &config["unit_of_measurement"]],
        ["energy", "Wh"]
    );
    assert_eq!(config["state_class"], Value::Null);
    let state = &first["wattkeeper/sensor/__home_month_import"];
    let state: Value = serde_json::from_str(state).unwrap();
    // 28 days.
    assert_eq!(state["value"], "672000", "{state}");
    put_contract(
        &store,
        r#"{"from":"2025-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#,
    );
    assert_eq!(look("2026-02-06T00:59:59"), BTreeMap::new());
    let later = look("2026-02-06T01:00:00");
    let cost: Value = serde_json::from_str(&later["wattkeeper/sensor/__home_month_cost"]).unwrap();
    assert_eq!(cost["value"], "201.6", "{cost}");
    let config = &later["homeassistant/sensor/wattkeeper/__home_month_cost/config"];
    assert!(
        config.contains(r#""unit_of_measurement":"EUR""#),
        "{config}"
    );
    // Without contracts, it is removed.
    put_contract(&store, "[]");
    let removed = look("2026-02-06T02:00:00");
    assert_eq!(removed["wattkeeper/sensor/__home_month_cost"], "");
    let config = "homeassistant/sensor/wattkeeper/__home_month_cost/config";
    assert_eq!(removed[config], "");
}

#[test]
fn sums_of_another_account_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    // Announcements of an earlier run stay, with or without a value; that of another account is
    // removed.
    let incoming = ["__home_produced", "__attic_import"];
    let incoming = incoming.map(|object| Incoming::Announced(object.into()));
    let removed = announcer.update(&store, incoming.into(), at(NOW));
    let removed: Vec<&str> = removed.iter().map(|one| one.topic.as_str()).collect();
    assert_eq!(
        removed,
        [
            "wattkeeper/sensor/__attic_import",
            "homeassistant/sensor/wattkeeper/__attic_import/config",
        ]
    );
}

const POWER: &str = "homeassistant/sensor/wattkeeper/house_power/config";
const AVAILABLE: &str = "wattkeeper/sensor/house_available";
const ENERGY: &str = "homeassistant/sensor/wattkeeper/house_energy/config";

#[test]
fn sensors_are_announced_once() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = published(announcer.update(&store, Vec::new(), at(NOW)));
    let topics: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(
        topics,
        [
            ENERGY,
            POWER,
            AVAILABLE,
            "wattkeeper/sensor/house_energy",
            "wattkeeper/sensor/house_power",
            "wattkeeper/status"
        ]
    );
    assert_eq!(first["wattkeeper/sensor/house_power"], "234.5");
    let energy = r#"{"value":1010.25,"last_reset":null}"#;
    assert_eq!(first["wattkeeper/sensor/house_energy"], energy);
    assert_eq!(first[AVAILABLE], "online");
    assert_eq!(first["wattkeeper/status"], "online");
    let config: Value = serde_json::from_str(&first[ENERGY]).unwrap();
    assert_eq!(config["device"]["name"], "the house");
    assert_eq!(config["state_topic"], "wattkeeper/sensor/house_energy");
    assert_eq!(config["state_class"], "total");
    assert_eq!(
        config["last_reset_value_template"],
        "{{ value_json.last_reset or '' if value_json is defined else '' }}"
    );
    assert_eq!(config["device"]["model"], "grid");
    assert_eq!(
        config["device"]["configuration_url"],
        "http://192.168.1.7:8080"
    );
    assert_eq!(config["suggested_display_precision"], 0);
    assert_eq!(config["availability_mode"], "all");
    assert_eq!(
        config["availability"],
        json!([{"topic": "wattkeeper/status"}, {"topic": AVAILABLE}])
    );
    assert!(config.get("availability_topic").is_none());
    assert!(announcer.update(&store, Vec::new(), at(NOW)).is_empty());
}

#[test]
fn changes_are_published() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    upload(&store, "house", Some(300.0), None, "2026-01-05T10:01:00");
    let power = BTreeMap::from([("wattkeeper/sensor/house_power".into(), "300".into())]);
    assert_eq!(
        published(announcer.update(&store, Vec::new(), at(NOW))),
        power
    );
    // Another kind of register, and another name.
    let counter = Sensor {
        meter: Meter::new(MeterKind::Counter),
        part_of: None,
        silent_after: None,
        is_announced: true,
        name: "the meter".into(),
        ..sensor("house")
    };
    store.put_sensor_durably(counter).unwrap();
    let again = published(announcer.update(&store, Vec::new(), at(NOW)));
    assert_eq!(again.len(), 3);
    assert_eq!(again["wattkeeper/sensor/house_energy"], "1010.25");
    assert!(again[ENERGY].contains("\"total_increasing\"") && again[POWER].contains("the meter"));
    // The first register of a sensor that had none.
    upload(&store, "heat pump", None, Some(5.0), "2026-01-05T10:02:00");
    let first = published(announcer.update(&store, Vec::new(), at(NOW)));
    let topics: Vec<&String> = first.keys().collect();
    assert_eq!(
        topics,
        [
            "homeassistant/sensor/wattkeeper/heat_20pump_energy/config",
            "wattkeeper/sensor/heat_20pump_available",
            "wattkeeper/sensor/heat_20pump_energy"
        ]
    );
}

#[test]
fn a_register_that_was_imported_or_deleted_is_published() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    let energy = |value: &str| {
        let state = format!("{{\"value\":{value},\"last_reset\":null}}");
        BTreeMap::from([("wattkeeper/sensor/house_energy".to_owned(), state)])
    };
    let house = SensorId::new("house").unwrap();
    let later = at("2026-01-05T11:00:00");
    let newest = Reading {
        time: later,
        measures: Measures::new(None, Some(2_000.0)).unwrap(),
    };
    store.import_durably(&house, vec![newest]).unwrap();
    assert_eq!(
        published(announcer.update(&store, Vec::new(), at(NOW))),
        energy("2000.0")
    );
    store.delete_durably(&house, TimeRange::at(later)).unwrap();
    assert_eq!(
        published(announcer.update(&store, Vec::new(), at(NOW))),
        energy("1010.25")
    );
    assert!(announcer.update(&store, Vec::new(), at(NOW)).is_empty());
}

/// A single publication.
fn one(topic: &str, payload: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(topic.to_owned(), payload.to_owned())])
}

#[test]
fn a_sensor_that_went_silent_is_not_available() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    upload(&store, "house", Some(5.0), None, "2026-01-05T10:01:00");
    let mut look = |time: &str| published(announcer.update(&store, Vec::new(), at(time)));
    assert_eq!(look("2026-01-05T10:01:00")[AVAILABLE], "online");
    // Ten minutes: the least interval that is learnt.
    assert_eq!(look("2026-01-05T10:11:00"), BTreeMap::new());
    assert_eq!(look("2026-01-05T10:11:01"), one(AVAILABLE, "offline"));
    assert_eq!(look("2026-01-05T10:30:00"), BTreeMap::new());
    upload(&store, "house", Some(5.0), None, "2026-01-05T10:31:00");
    // The value is unchanged, so nothing else is sent.
    assert_eq!(look("2026-01-05T10:31:00"), one(AVAILABLE, "online"));
    let patient = Sensor {
        silent_after: SilentAfter::minutes(2),
        ..sensor("house")
    };
    store.put_sensor_durably(patient).unwrap();
    assert_eq!(look("2026-01-05T10:33:00"), BTreeMap::new());
    assert_eq!(look("2026-01-05T10:33:01"), one(AVAILABLE, "offline"));
    // A sensor that is silent when the service starts is announced as silent first of all.
    let now = at("2026-01-05T11:00:00");
    let again = Announcer::new(settings()).update(&store, Vec::new(), now);
    let place = |topic: &str| again.iter().position(|one| one.topic == topic).unwrap();
    assert_eq!(again[place(AVAILABLE)].payload, "offline");
    assert!(place(AVAILABLE) < place(POWER));
}

#[test]
fn deleted_readings_clear_the_state() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    let house = SensorId::new("house").unwrap();
    store.delete_durably(&house, TimeRange::ALL).unwrap();
    let cleared = BTreeMap::from([
        (
            "wattkeeper/sensor/house_power".to_owned(),
            "None".to_owned(),
        ),
        (
            "wattkeeper/sensor/house_energy".to_owned(),
            r#"{"value":null,"last_reset":null}"#.to_owned(),
        ),
    ]);
    assert_eq!(
        published(announcer.update(&store, Vec::new(), at(NOW))),
        cleared
    );
    assert!(announcer.update(&store, Vec::new(), at(NOW)).is_empty());
    // Also if that happened while nothing was announced.
    let mut later = Announcer::new(settings());
    later.update(&store, Vec::new(), at(NOW));
    let incoming = ["house_power", "house_energy"].map(|it| Incoming::Announced(it.into()));
    assert_eq!(
        published(later.update(&store, incoming.into(), at(NOW))),
        cleared
    );
    upload(&store, "house", Some(7.0), None, "2026-01-05T12:00:00");
    let back = published(announcer.update(&store, Vec::new(), at("2026-01-05T12:00:00")));
    assert_eq!(back, one("wattkeeper/sensor/house_power", "7"));
}

#[test]
fn sensors_that_are_not_to_be_announced_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    let hidden = Sensor {
        is_announced: false,
        ..sensor("house")
    };
    store.put_sensor_durably(hidden).unwrap();
    let all = announcer.update(&store, Vec::new(), at(NOW));
    assert!(all.iter().all(|one| one.payload.is_empty()), "{all:?}");
    let topics: Vec<&str> = all.iter().map(|one| one.topic.as_str()).collect();
    let problem = "homeassistant/binary_sensor/wattkeeper/house_problem/config";
    for topic in [
        POWER,
        ENERGY,
        AVAILABLE,
        problem,
        "wattkeeper/sensor/house_power",
    ] {
        assert!(topics.contains(&topic), "{topic} in {topics:?}");
    }
    // An earlier run's announcements of it are removed too.
    let mut later = Announcer::new(settings());
    later.update(&store, Vec::new(), at(NOW));
    let incoming = vec![Incoming::Announced("house_power".into())];
    let gone = published(later.update(&store, incoming, at(NOW)));
    assert_eq!(gone[POWER], "");
    store.put_sensor_durably(sensor("house")).unwrap();
    let back = published(announcer.update(&store, Vec::new(), at(NOW)));
    assert!(back.contains_key(POWER) && back.contains_key(ENERGY));
}

/// The state of the house's energy, which is published now.
fn energy_of(announcer: &mut Announcer, store: &Arc<Store>) -> String {
    let all = published(announcer.update(store, Vec::new(), at(NOW)));
    all["wattkeeper/sensor/house_energy"].clone()
}

/// A state of a net register.
fn net_state(value: &str, last_reset: Option<&str>) -> String {
    let reset = last_reset.map_or("null".to_owned(), |time| format!("\"{time}.000Z\""));
    format!("{{\"value\":{value},\"last_reset\":{reset}}}")
}

#[test]
fn a_register_that_began_anew_says_so_with_its_fall() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let mut look = || energy_of(&mut announcer, &store);
    assert_eq!(look(), net_state("1010.25", None));
    // It runs backwards, which a net register may.
    upload(&store, "house", None, Some(1_009.0), "2026-01-05T10:10:00");
    assert_eq!(look(), net_state("1009.0", None));
    upload(&store, "house", None, Some(1e6), "2026-01-06T10:00:00");
    assert_eq!(look(), net_state("1000000.0", None));
    // Without the reset, Home Assistant would take the fall for an export.
    let fell = "2026-01-06T10:05:00";
    upload(&store, "house", None, Some(0.0), fell);
    assert_eq!(look(), net_state("0.0", Some(fell)));
    for (watthours, minute) in [(2.0, 6), (5.0, 7), (9.0, 17)] {
        let time = format!("2026-01-06T10:{minute:02}:00");
        upload(&store, "house", None, Some(watthours), &time);
        assert_eq!(look(), net_state(&format!("{watthours:?}"), Some(fell)));
    }
    // The same after a restart.
    let again = energy_of(&mut Announcer::new(settings()), &store);
    assert_eq!(again, net_state("9.0", Some(fell)));
}

#[test]
fn what_is_known_better_later_moves_no_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let mut look = || energy_of(&mut announcer, &store);
    upload(&store, "house", None, Some(1e6), "2026-01-06T10:00:00");
    let fell = "2026-01-06T10:05:00";
    upload(&store, "house", None, Some(0.0), fell);
    assert_eq!(look(), net_state("0.0", Some(fell)));
    let change = MeterChange {
        old_end: MicroWh::from_watthours(1e6),
        new_start: MicroWh::ZERO,
    };
    let fact = Fact::MeterChanged(at("2026-01-06T10:03:00"), change);
    let made = Made::new(at("2026-01-06T10:06:00"), Author::CommandLine, "").unwrap();
    let house = SensorId::new("house").unwrap();
    let correction = Correction::new(1, house, made, fact).unwrap();
    let home = AccountName::new("home").unwrap();
    store
        .edit(move |edit| edit.add_correction(&home, correction))
        .unwrap();
    upload(&store, "house", None, Some(9.0), "2026-01-06T10:10:00");
    assert_eq!(look(), net_state("9.0", Some(fell)));
    let restarted = || energy_of(&mut Announcer::new(settings()), &store);
    assert_eq!(restarted(), net_state("9.0", Some(fell)));
    // A recovery after a dip was published too.
    let dip = "2026-01-06T10:15:00";
    upload(&store, "house", None, Some(-1e6), dip);
    assert_eq!(look(), net_state("-1000000.0", Some(dip)));
    upload(&store, "house", None, Some(10.0), "2026-01-06T10:20:00");
    assert_eq!(look(), net_state("10.0", Some(dip)));
    assert_eq!(restarted(), net_state("10.0", Some(dip)));
}

#[test]
fn everything_is_published_again_when_home_assistant_starts() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    let first = announcer.update(&store, Vec::new(), at(NOW));
    assert_eq!(
        announcer.update(&store, vec![Incoming::Birth], at(NOW)),
        first
    );
}

#[test]
fn announcements_of_removed_sensors_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let mut announcer = Announcer::new(settings());
    announcer.update(&store, Vec::new(), at(NOW));
    // Announcements of an earlier run, one of a sensor that still exists.
    let incoming =
        ["attic_power", "house_power", "nonsense"].map(|object| Incoming::Announced(object.into()));
    let removed = published(announcer.update(&store, incoming.into(), at(NOW)));
    let gone = ["attic_power", "nonsense"].map(|object| {
        [
            settings().config_topic(object),
            settings().state_topic(object),
        ]
    });
    let available = settings().sensor_availability_topic("attic");
    let gone = gone.into_iter().flatten().chain([available]);
    assert_eq!(removed, gone.map(|topic| (topic, String::new())).collect());
    let revoked = Sensor {
        authorized: false,
        ..sensor("house")
    };
    store.put_sensor_durably(revoked).unwrap();
    let removed = announcer.update(&store, Vec::new(), at(NOW));
    // The announcement goes last, because it leads to objects that a stop left behind.
    let place = |topic: &str| removed.iter().position(|one| one.topic == topic).unwrap();
    for (announcement, object) in [(POWER, "house_power"), (ENERGY, "house_energy")] {
        assert!(place(&settings().state_topic(object)) < place(announcement));
        assert!(place(AVAILABLE) < place(announcement));
    }
    let removed = published(removed);
    assert_eq!(removed.len(), 5);
    assert!(removed.values().all(String::is_empty));
    assert!(announcer.update(&store, Vec::new(), at(NOW)).is_empty());
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
    let long = settings().config_topic(&"x".repeat(1_000));
    let problem = "homeassistant/binary_sensor/wattkeeper/house_problem/config";
    assert_eq!(
        read(problem, "{}"),
        Some(Some(Incoming::Announced("house_problem".into())))
    );
    for (topic, payload) in [
        (POWER, ""),
        ("homeassistant/sensor/wattkeeper/house_problem/config", "{}"),
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
