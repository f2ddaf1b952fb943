//! Objects of the accounts' houses, published where their announcement or state changed.

use std::collections::BTreeMap;

use super::topics::{DiscoverySettings, Publication};
use crate::domain::{Account, AccountName, Timestamp};
use crate::store::{Store, StoreError};

/// When something was last looked at.
#[derive(Default)]
pub(super) struct LastLook(Option<Timestamp>);

impl LastLook {
    /// Whether the last look is so long ago. Then this is the last one.
    pub(super) fn is_due(&mut self, every_ms: i64, now: Timestamp) -> bool {
        let age_ms = self.0.map(|looked| now.millis() - looked.millis());
        // The clock may have been set back.
        let is_due = age_ms.is_none_or(|age_ms| !(0..every_ms).contains(&age_ms));
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

/// The objects published by one connection, by name.
#[derive(Default)]
pub(super) struct HouseObjects(BTreeMap<String, HouseObject>);

/// An object of a house.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct HouseObject {
    /// The announcement.
    pub(super) config: Publication,
    pub(super) state: String,
}

impl HouseObjects {
    /// Whether this object is announced.
    pub(super) fn has(&self, object: &str) -> bool {
        self.0.contains_key(object)
    }

    /// Publishes the objects of all accounts in place of the ones before, as [`Self::replace`]. Those
    /// of an account whose objects cannot be read stay; `names` has them.
    pub(super) fn renew(
        &mut self,
        (store, settings): (&Store, &DiscoverySettings),
        of_account: impl Fn(&Account) -> Result<Vec<(String, HouseObject)>, StoreError>,
        names: impl Fn(&AccountName) -> Vec<String>,
    ) -> (Vec<Publication>, Vec<String>) {
        let mut found = BTreeMap::new();
        for account in store.registry().accounts() {
            if let Ok(objects) = of_account(account) {
                found.extend(objects);
            } else {
                // The store logs a failed read.
                found.extend(self.kept(names(&account.name).into_iter()));
            }
        }
        self.replace(settings, found)
    }

    /// These objects as they are published.
    pub(super) fn kept(
        &self,
        objects: impl Iterator<Item = String>,
    ) -> impl Iterator<Item = (String, HouseObject)> {
        objects.filter_map(|object| {
            let kept = self.0.get(&object)?.clone();
            Some((object, kept))
        })
    }

    /// Publishes these objects in place of the ones before. Returns the publications, and the names
    /// of objects that are gone.
    pub(super) fn replace(
        &mut self,
        settings: &DiscoverySettings,
        objects: BTreeMap<String, HouseObject>,
    ) -> (Vec<Publication>, Vec<String>) {
        let before = std::mem::replace(&mut self.0, objects);
        let mut publications = Vec::new();
        for (object, HouseObject { config, state }) in &self.0 {
            let before = before.get(object);
            if before.is_none_or(|before| before.config != *config) {
                publications.push(config.clone());
            }
            if before.is_none_or(|before| before.state != *state) {
                publications.push(Publication {
                    topic: settings.state_topic(object),
                    payload: state.clone(),
                });
            }
        }
        let gone = before.into_keys().filter(|object| !self.has(object));
        (publications, gone.collect())
    }
}
