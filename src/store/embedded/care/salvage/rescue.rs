//! The transfer from a damaged store into a new one; `registered.rs` and `readings.rs` do the parts.

use std::collections::BTreeSet;

use crate::domain::{Sensor, SensorId, Timestamp};
use crate::store::embedded::care::salvage::report::Salvaged;
use crate::store::embedded::care::salvage::volume_index::VolumeIndex;
use crate::store::embedded::state::Trees;
use crate::store::handle::import::StoreImport;
use crate::store::records::keys;

/// A rescue under way, from the trees of a damaged store into a new one.
pub(crate) struct Rescue<'a, 'b> {
    pub(crate) trees: &'a Trees,
    pub(crate) volume_index: VolumeIndex,
    pub(crate) import: &'a mut StoreImport<'b>,
    pub(crate) report: &'a mut Salvaged,
    /// Sensors that were being removed when the store was closed. They are left out.
    pub(crate) removed: BTreeSet<SensorId>,
    /// The time of creation of whatever is registered anew.
    pub(crate) now: Timestamp,
    /// How many readings were rescued.
    pub(crate) rescued: u64,
    /// Called with [`Self::rescued`].
    pub(crate) watch: Box<dyn FnMut(u64)>,
}

impl Rescue<'_, '_> {
    /// For each known sensor, a key before all of its others.
    pub(crate) fn hints(&self) -> Vec<Vec<u8>> {
        let registry = self.import.store.registry();
        let first = |sensor: &Sensor| keys::key(&sensor.id, Timestamp::MIN);
        registry.sensors().map(first).collect()
    }
}
