//! A backup made a store again.
//!
//! The whole file is verified before anything is touched; see `store/build.rs` for the rest.

use std::io::{self, Seek};
use std::path::Path;

use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::file::{open, verify};
use crate::store::care::backup::source::{Item, Verified, read_all};
use crate::store::care::backup::{Counts, Written};
use crate::store::care::build::{Import, Site, check_empty};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::settings::StoreSettings;

/// A store that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The backup.
    pub backup: Written,
    /// Readings that the finished store was seen to hold.
    pub readings: u64,
}

/// Makes what the backup `file` holds the store of the data dir `dir`, which must be empty or missing. It counts as no
/// arrival of a sensor. `watch` is told how much of twice the file was read. Blocks.
///
/// # Errors
/// [`BackupError`]; nothing was changed where it is about the file or [`StoreError::NotEmpty`], and there is no store
/// in `dir` in any case.
pub fn restore(
    file: &Path,
    dir: &Path,
    settings: StoreSettings,
    mut watch: impl FnMut(u64),
) -> Result<Restored, BackupError> {
    let mut source = open(file)?;
    check_empty(dir)?;
    let verified = verify(&mut source, |bytes| {
        watch(bytes);
        Ok::<(), BackupError>(())
    })?;
    let site = Site::claim(dir)?;
    source
        .rewind()
        .map_err(|error| BackupError::io("reading", file, &error))?;
    let importing = |import: &mut Import<'_>| {
        import_all(import, &mut source, |bytes| {
            watch(verified.bytes.saturating_add(bytes));
        })
    };
    let (_, readings) = site.build(settings, importing, |verified, store, readings| {
        holds(store, &verified.counts, readings)
    })?;
    Ok(Restored {
        backup: Written {
            taken: verified.taken,
            bytes: verified.bytes,
            counts: verified.counts,
        },
        readings,
    })
}

/// Imports all that `source` holds.
fn import_all(
    import: &mut Import<'_>,
    source: impl io::Read,
    mut watch: impl FnMut(u64),
) -> Result<Verified, BackupError> {
    read_all(source, |item, bytes| {
        watch(bytes);
        Ok(take(import, item)?)
    })
}

fn take(import: &mut Import<'_>, item: Item) -> Result<(), StoreError> {
    let store = import.store;
    match item {
        Item::Administrator(password) => store.put_administrator_durably(password, None),
        Item::Account(account) => store.put_account_durably(account),
        Item::Credential(credential) => store.put_credential_durably(credential),
        Item::Sensor(sensor) => store.put_sensor_durably(sensor),
        Item::Arrivals(sensor, arrivals, last_assigned) => {
            store.put_arrivals_durably(sensor, arrivals, last_assigned)
        }
        Item::Readings(sensor, readings) => import.readings(&sensor, readings),
    }
}

fn holds(store: &Store, counts: &Counts, readings: u64) -> bool {
    let registry = store.registry();
    let held = [
        registry.administrator().iter().count(),
        registry.accounts().count(),
        registry.credentials().count(),
        registry.sensors().count(),
    ];
    let wanted = [
        counts.administrators,
        counts.accounts,
        counts.credentials,
        counts.sensors,
    ];
    held.map(|count| count as u64) == wanted && readings == counts.readings
}
