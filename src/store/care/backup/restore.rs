//! Restoring a store from a backup. The whole file is verified before anything is written; `build.rs` does the rest.

use std::io::{self, Seek};
use std::path::Path;

use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::file::{WrittenBackup, open, verify};
use crate::store::care::backup::item::BackupItem;
use crate::store::care::backup::source::{Verified, read_all};
use crate::store::care::build::{Site, StoreImport, check_empty};
use crate::store::care::counts::StoreCounts;
use crate::store::error::StoreError;
use crate::store::settings::StoreSettings;

/// A restored store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The backup.
    pub backup: WrittenBackup,
    /// How many readings a check of the finished store found.
    pub readings: u64,
}

/// Restores the backup `file` into the data dir `dir`, which must be empty or missing. Restored readings do not count as
/// arrivals. Calls `watch` with the number of bytes read so far; the file is read twice. Blocks.
///
/// # Errors
/// [`BackupError`]. There is then no store in `dir`. Nothing was written if the error concerns the file, or is
/// [`StoreError::NotEmpty`].
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
    let importing = |import: &mut StoreImport<'_>| {
        import_all(import, &mut source, |bytes| {
            watch(verified.bytes.saturating_add(bytes));
        })
    };
    let (_, readings) = site.build(settings, importing, |verified, store, readings| {
        let registered = StoreCounts::registered(&store.registry());
        let arrivals = verified.counts.arrivals;
        verified.counts
            == StoreCounts {
                arrivals,
                readings,
                ..registered
            }
    })?;
    Ok(Restored {
        backup: WrittenBackup {
            taken: verified.taken,
            bytes: verified.bytes,
            counts: verified.counts,
        },
        readings,
    })
}

/// Imports a whole backup.
fn import_all(
    import: &mut StoreImport<'_>,
    source: impl io::Read,
    mut watch: impl FnMut(u64),
) -> Result<Verified, BackupError> {
    read_all(source, |item, bytes| {
        watch(bytes);
        Ok(import_one(import, item)?)
    })
}

fn import_one(import: &mut StoreImport<'_>, item: BackupItem) -> Result<(), StoreError> {
    let store = import.store;
    match item {
        BackupItem::Administrator(password) => store.put_administrator_durably(password, None),
        BackupItem::Account(account) => store.put_account_durably(account),
        BackupItem::Credential(credential) => store.put_credential_durably(credential),
        BackupItem::Sensor(sensor) => store.put_sensor_durably(sensor),
        BackupItem::Arrivals(sensor, arrivals, last_assigned) => {
            store.put_arrivals_durably(sensor, arrivals, last_assigned)
        }
        BackupItem::Readings(sensor, readings) => import.readings(&sensor, readings),
    }
}
