//! Applies records one at a time, after a change of few.

use std::collections::BTreeSet;

use super::{credential_of, damaged, sensor_of};
use crate::domain::{AccountName, ApiId, SensorId};
use crate::store::error::StoreError;
use crate::store::records::RecordKind;
use crate::store::registry::account_records::account_of;
use crate::store::registry::day_records;
use crate::store::registry::registered::Registry;
use crate::store::registry::shared_map::SharedMap;

impl Registry {
    /// Whether [`Self::reload_one`] handles the kind, or its records are not kept here: a store of
    /// many houses has many of these records.
    pub(crate) const fn is_kept_singly(kind: RecordKind) -> bool {
        matches!(
            kind,
            RecordKind::Accounts
                | RecordKind::Credentials
                | RecordKind::Sensors
                | RecordKind::Days
                | RecordKind::LastUses
        )
    }

    /// Applies one record of a kind; without a value, the record was removed. `removed` are the
    /// sensors whose removal is not finished.
    pub(crate) fn reload_one(
        &mut self,
        kind: RecordKind,
        (key, value): (&[u8], Option<&[u8]>),
        removed: &mut BTreeSet<SensorId>,
    ) -> Result<(), StoreError> {
        let id = std::str::from_utf8(key).ok();
        match kind {
            RecordKind::Accounts => {
                let name = id.and_then(|id| AccountName::new(id).ok());
                put(
                    &mut self.accounts,
                    ("account", name),
                    (key, value),
                    account_of,
                )
            }
            RecordKind::Credentials => {
                let id = id.and_then(|id| ApiId::new(id).ok());
                put(
                    &mut self.credentials,
                    ("credential", id),
                    (key, value),
                    credential_of,
                )
            }
            RecordKind::Sensors => {
                let known = || damaged("sensor", key);
                let id = id.and_then(|id| SensorId::new(id).ok()).ok_or_else(known)?;
                self.sensors.remove(&id);
                removed.remove(&id);
                match value
                    .map(|value| sensor_of(key, value).ok_or_else(known))
                    .transpose()?
                {
                    Some((_, true)) => drop(removed.insert(id)),
                    Some((sensor, false)) => self.sensors.insert(id, sensor),
                    None => {}
                }
                Ok(())
            }
            RecordKind::Days => day_records::apply(&mut self.days, (key, value)),
            _ => Ok(()),
        }
    }
}

/// Puts the record with a key, replacing an older one.
fn put<K: Ord + Clone, T: Clone>(
    all: &mut SharedMap<K, T>,
    (what, id): (&str, Option<K>),
    (key, value): (&[u8], Option<&[u8]>),
    decode: fn(&[u8], &[u8]) -> Option<T>,
) -> Result<(), StoreError> {
    let damaged = || damaged(what, key);
    let id = id.ok_or_else(damaged)?;
    match value {
        Some(value) => all.insert(id, decode(key, value).ok_or_else(damaged)?),
        None => drop(all.remove(&id)),
    }
    Ok(())
}
