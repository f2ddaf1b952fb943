//! Tests of the records of the registry: encoding and decoding.

use super::*;
use crate::domain::ApiKey;
use crate::domain::{Account, Phases, Plan, Zone};
use crate::store::embedded::facts::StoredFacts;
use crate::store::records::RecordChanges;
use crate::store::registry::account_records::encode_account;
use crate::store::registry::registered::Grant;

#[test]
fn records_round_trip() {
    let facts = StoredFacts::default();
    let created = Timestamp::from_millis(1_700_000_000_000).unwrap();
    let name = AccountName::new("home").unwrap();
    let zone = Zone::parse("Europe/Berlin").unwrap();
    let account = Account {
        name: name.clone(),
        plan: Plan::Paid,
        zone,
        phases: Phases::Balanced,
        created,
    };
    let key = ApiKey::new("key").unwrap();
    let api_id = ApiId::new("id").unwrap();
    let credential = Credential {
        api_id: api_id.clone(),
        account: name.clone(),
        scope: Scope::Full,
        label: "hub".into(),
        key_hash: key.hash(),
        created,
    };
    let sensor = |id: &str| Sensor {
        name: "House".into(),
        role: Role::BatteryCharge,
        meter: Meter {
            kind: MeterKind::Interval,
            limit: PowerLimit::new(5_000).unwrap(),
            power_sign: Sign::Inverted,
            register_sign: Sign::AsIs,
            rollover: Some("1000".parse().unwrap()),
            between: Between::Hold,
        },
        part_of: Some(SensorId::new("house").unwrap()),
        silent_after: SilentAfter::minutes(7),
        ..Sensor::new(SensorId::new(id).unwrap(), name.clone(), created)
    };
    let (kept, gone) = (sensor("kept"), sensor("gone"));
    let known = encode_credential(&credential);
    let mut changes = RecordChanges::default();
    for (kind, key, value) in [
        (RecordKind::Accounts, "home", encode_account(&account)),
        (RecordKind::Credentials, "id", known),
        (RecordKind::Sensors, "kept", encode_sensor(&kept, false)),
        (RecordKind::Sensors, "gone", encode_sensor(&gone, true)),
    ] {
        changes.of(kind).insert(key, value.unwrap());
    }
    facts.apply(&changes.into());

    let (registry, removed) = Registry::load(&facts).unwrap();
    assert_eq!(registry.account(&name), Some(&account));
    assert_eq!(registry.sensors().collect::<Vec<_>>(), [&kept]);
    assert_eq!(removed, [gone.id]);
    let grant = registry.sign_in(&api_id, &key).unwrap();
    assert_eq!(
        grant,
        Grant {
            account: name,
            plan: Plan::Paid,
            scope: Scope::Full
        }
    );
    let other_key = ApiKey::new("other").unwrap();
    assert!(registry.sign_in(&api_id, &other_key).is_none());
    let other_id = ApiId::new("other").unwrap();
    assert!(registry.sign_in(&other_id, &key).is_none());
}

#[test]
fn a_damaged_record_is_named() {
    let facts = StoredFacts::default();
    let mut changes = RecordChanges::default();
    let accounts = changes.of(RecordKind::Accounts);
    accounts.insert("home", b"\x01rubbish".to_vec());
    facts.apply(&changes.into());
    assert!(
        matches!(Registry::load(&facts), Err(StoreError::Damaged(text)) if text.contains("account home"))
    );
}

/// Pins the layout to these bytes.
#[test]
fn records_are_these_bytes() {
    let created = Timestamp::from_millis(5).unwrap();
    let account = account_of(b"home", b"\x01\x01\x03UTC\x0a").unwrap();
    let expected = Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created,
    };
    assert_eq!(account, expected);
    let balanced = b"\x02\x01\x03UTC\x0a\x01";
    let expected = Account {
        phases: Phases::Balanced,
        ..expected
    };
    assert_eq!(account_of(b"home", balanced), Some(expected.clone()));
    assert_eq!(encode_account(&expected).unwrap(), balanced);
    // Not a third way to count.
    assert_eq!(account_of(b"home", b"\x02\x01\x03UTC\x0a\x02"), None);
    let (sensor, removed) = sensor_of(
        b"house",
        b"\x01\x04home\x05House\x01\x0a\x00\x00\x00\x64\x00\x00\x00\x00\x01",
    )
    .unwrap();
    let expected = Sensor {
        id: SensorId::new("house").unwrap(),
        account: expected.name,
        name: "House".into(),
        authorized: true,
        role: Role::Grid,
        meter: Meter {
            limit: PowerLimit::new(100).unwrap(),
            ..Meter::default()
        },
        part_of: None,
        silent_after: None,
        is_announced: true,
        sent_parts: SentParts::default(),
        created,
    };
    assert_eq!((sensor, removed), (expected.clone(), false));
    // In version 1 there is one sign, that of both measures.
    let inverted = b"\x01\x04home\x05House\x01\x0a\x00\x00\x00\x64\x01\x00\x00\x00\x01";
    let both = sensor_of(b"house", inverted).unwrap().0;
    assert_eq!(both.meter.power_sign, Sign::Inverted);
    assert_eq!(both.meter.register_sign, Sign::Inverted);
    assert_eq!(encode_sensor(&both, false).unwrap(), inverted);
    let newer = b"\x02\x04home\x05House\x01\x0a\x00\x00\x00\x64\x00\x00\x00\x00\x01\x01\x01\x05";
    let expected = Sensor {
        sent_parts: SentParts::of(0).and(SentParts::of(2)),
        meter: Meter {
            power_sign: Sign::Inverted,
            between: Between::Hold,
            ..expected.meter
        },
        ..expected
    };
    assert_eq!(encode_sensor(&expected, false).unwrap(), newer);
    assert_eq!(sensor_of(b"house", newer), Some((expected, false)));
    let (older, _) = newer.split_at(newer.len() - 3);
    assert_eq!(sensor_of(b"house", older), None);
    let unknown = b"\x03\x04home\x05House\x01\x0a\x00\x00\x00\x64\x00\x00\x00\x00\x01\x01\x01";
    assert_eq!(sensor_of(b"house", unknown), None);
}
