//! Repairs a salvaged store: removes unreadable blocks, and gives orphaned data an account.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::{
    Account, AccountName, Phases, Plan, Sensor, SensorId, TimeRange, Timestamp, Zone,
};
use crate::store::backend::SensorTurn;
use crate::store::blocks::source::decode_block;
use crate::store::blocks::summary_record;
use crate::store::embedded::care::salvage::report::{Lost, Salvaged};
use crate::store::embedded::index::IndexEntry;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::prices::{PriceChunk, SeriesSlot};
use crate::store::records::{RecordKind, RecordsView as _, keys};
use crate::store::registry::Registry;
use crate::store::registry::entry::KindEntries;

/// The account for sensors of an unknown account, unless there is exactly one account.
const ACCOUNT: &str = "salvaged";

/// Repairs the store. Records that are created again get `now` as their time of creation.
pub(super) fn mend(
    store: &Store,
    shared: &Shared,
    now: Timestamp,
    report: &mut Salvaged,
    watch: &mut dyn FnMut(u64),
) -> Result<(), StoreError> {
    let mut accounts = BTreeSet::new();
    let registry = store.registry();
    for credential in registry.credentials() {
        accounts.insert(credential.account.clone());
    }
    for sensor in registry.sensors() {
        accounts.insert(sensor.account.clone());
    }
    accounts.extend(registry.contracts.keys().cloned());
    accounts.extend(registry.series.keys().cloned());
    accounts.extend(registry.days.keys().cloned());
    let entries = registry.entries.values();
    accounts.extend(entries.flat_map(KindEntries::owners).cloned());
    for account in &accounts {
        make_account(store, account, now, report)?;
    }
    let (mut blocks, mut sensors) = (Vec::new(), BTreeSet::new());
    shared.sealed.index.each(|key, entry| {
        sensors.insert(keys::parse(&key)?.0);
        blocks.push((key, entry));
        Ok(())
    })?;
    let held: Vec<SensorId> = {
        let held = shared.hot.held();
        let known = held.activities().map(|(sensor, _)| sensor.clone());
        known.collect()
    };
    sensors.extend(held);
    for sensor in &sensors {
        register_if_unknown(store, sensor, now, report)?;
    }
    let mut readings = 0;
    for (key, entry) in blocks {
        readings += check_block(store, shared, &key, &entry, report)?;
        watch(readings);
    }
    forget_lost_prices(store, shared, report)
}

/// Creates an account with default values unless the name exists.
fn make_account(
    store: &Store,
    name: &AccountName,
    now: Timestamp,
    report: &mut Salvaged,
) -> Result<(), StoreError> {
    if store.registry().account(name).is_some() {
        return Ok(());
    }
    report.mended.push(format!(
        "the account {name} was recreated with plan paid and zone UTC"
    ));
    let account = Account {
        name: name.clone(),
        // The plan without restrictions: nobody loses a paid feature.
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: now,
    };
    store.edit(move |edit| edit.put_account(account))
}

/// Registers a sensor again after its record was lost: under the only account, if there is exactly
/// one.
fn register_if_unknown(
    store: &Store,
    id: &SensorId,
    now: Timestamp,
    report: &mut Salvaged,
) -> Result<(), StoreError> {
    let registry = store.registry();
    if registry.sensor(id).is_some() {
        return Ok(());
    }
    let mut accounts = registry.accounts().map(|account| account.name.clone());
    let account = match (accounts.next(), accounts.next()) {
        (Some(only), None) => only,
        // With several accounts, a guess could show one household's readings to another.
        _ => AccountName::new(ACCOUNT)
            .map_err(|error| StoreError::io("creating an account", &error))?,
    };
    make_account(store, &account, now, report)?;
    report.lose_of(
        id,
        "its name, account, role, settings, and whether it is authorized".into(),
    );
    report.mended.push(format!(
        "the sensor {id} was registered again, authorized, under the account {account}"
    ));
    // Not as a new sensor: that would remove the existing readings.
    let sensor = Sensor::new(id.clone(), account, now);
    store
        .backend
        .edit(Box::new(move |edit| edit.put_sensor(sensor)))
}

/// Removes a block that cannot be read. Returns the number of readings of one that can.
fn check_block(
    store: &Store,
    shared: &Shared,
    key: &[u8],
    entry: &IndexEntry,
    report: &mut Salvaged,
) -> Result<u64, StoreError> {
    let (sensor, first) = keys::parse(key)?;
    let summary = entry.placed.as_ref();
    let summary = summary.and_then(|placed| summary_record::decode(&placed.summary));
    let bytes = shared.sealed.bytes_at(key, entry);
    let readings = bytes.and_then(|bytes| decode_block(&sensor, first, &bytes));
    let why = match readings {
        Ok(readings) if summary.is_some_and(|it| it.is_of(&readings)) => {
            return Ok(readings.len() as u64);
        }
        Ok(_) => "its summary contradicts it".to_owned(),
        Err(error) => error.damage(),
    };
    let last = summary.map_or(first, |summary| summary.last.max(first));
    report.lost.push(Lost {
        what: format!("the block from {first}: {why}"),
        range: TimeRange::new(first, last),
        sensor: Some(sensor.clone()),
        readings: summary.map(|summary| u64::from(summary.count)),
    });
    let backend = &store.backend;
    backend.change(
        &sensor,
        Box::new(move |stored| {
            stored.turn_over(SensorTurn {
                removed: vec![first],
                ..SensorTurn::default()
            })?;
            Ok(0)
        }),
    )?;
    Ok(0)
}

/// Removes price series with lost chunks, and chunks of unknown series.
fn forget_lost_prices(
    store: &Store,
    shared: &Shared,
    report: &mut Salvaged,
) -> Result<(), StoreError> {
    let facts = &shared.facts;
    let mut found = BTreeMap::<SeriesSlot, (u64, Vec<Vec<u8>>)>::new();
    for (key, value) in facts.all(RecordKind::Prices)? {
        let Some((of, _)) = SeriesSlot::of_chunk_key(&key) else {
            continue;
        };
        let count = PriceChunk::of(key.clone(), &value).map_or(0, |chunk| chunk.prices.len());
        let known = found.entry(of).or_default();
        known.0 += count as u64;
        known.1.push(key);
    }
    let registry: Registry = Registry::load(facts)?.0;
    let mut lost = Vec::new();
    for (account, all) in &registry.series {
        for (name, known) in all {
            let slot = SeriesSlot {
                account: account.clone(),
                slot: known.slot,
            };
            let count = found.remove(&slot).map_or(0, |(count, _)| count);
            if count != known.count {
                lost.push((account.clone(), name.clone()));
            }
        }
    }
    for (account, name) in lost {
        report.lose(format!(
            "some of the prices {name} of the account {account}: all of them go"
        ));
        store.remove_prices_durably(&account, &name, TimeRange::ALL)?;
    }
    let left: Vec<Vec<u8>> = found.into_values().flat_map(|(_, keys)| keys).collect();
    store.backend.edit(Box::new(move |edit| {
        for key in left {
            edit.changes.of(RecordKind::Prices).remove(key);
        }
        Ok(())
    }))
}
