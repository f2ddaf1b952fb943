//! Objects of the accounts' houses, published where their announcement or state changed.

use std::collections::BTreeMap;

use super::topics::{DiscoverySettings, Publication};

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
