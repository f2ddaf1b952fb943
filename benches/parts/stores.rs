//! Throwaway stores on the disk of the build: /tmp may be in memory, where a sync costs nothing.

use std::path::Path;

use tempfile::TempDir;
use wattkeeper::Reading;
use wattkeeper::Role;
use wattkeeper::SentParts;
use wattkeeper::Timestamp;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, Phases, Plan};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{OpenMode, Store, StoreSettings};
use wattkeeper::{Sensor, SensorId};

/// The account of all sensors.
pub(crate) fn account() -> AccountName {
    AccountName::new("home").unwrap()
}

/// The sensor with this number.
pub(crate) fn sensor(number: usize) -> SensorId {
    SensorId::new(&format!("sensor-{number}")).unwrap()
}

/// A folder for a store.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A new store with some sensors.
pub(crate) fn store(dir: &Path, sensors: usize) -> Store {
    let store = Store::open(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap();
    register(&store, sensors);
    store
}

/// Registers the account and its sensors.
pub(crate) fn register(store: &Store, sensors: usize) {
    let created = Timestamp::from_millis(0).unwrap();
    let account_record = Account {
        name: account(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created,
    };
    store
        .edit(move |edit| edit.put_account(account_record))
        .unwrap();
    for number in 0..sensors {
        let sensor = Sensor {
            id: sensor(number),
            account: account(),
            name: "a sensor".into(),
            authorized: true,
            role: Role::Grid,
            meter: Meter::new(MeterKind::Net),
            part_of: None,
            silent_after: None,
            is_announced: true,
            sent_parts: SentParts::default(),
            created,
        };
        store.put_sensor_durably(sensor).unwrap();
    }
}

/// Imports readings of the first sensor.
pub(crate) fn import(store: &Store, readings: &[Reading]) {
    for chunk in readings.chunks(Store::IMPORT_CHUNK) {
        store.import_durably(&sensor(0), chunk.to_vec()).unwrap();
    }
}
