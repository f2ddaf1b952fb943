//! An index of the blocks in the volumes, made without the database: each record of a volume contains its key.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::store::embedded::blocks::{Location, VolumeRecords, Volumes};
use crate::store::embedded::care::salvage::readable::read_readable;

/// The location of the newest valid record of each key.
pub(crate) struct VolumeIndex(BTreeMap<Vec<u8>, Location>);

impl VolumeIndex {
    /// Scans all volumes, past what is unreadable.
    pub(crate) fn of(volumes: &Volumes) -> Self {
        let mut newest = BTreeMap::new();
        // In the order of writing, so that the newest record wins. If the folder cannot be listed, each of its blocks is
        // reported as lost later.
        for volume in volumes.numbers().unwrap_or_default() {
            let Ok(bytes) = read_readable(&volumes.path(volume)) else {
                continue;
            };
            for (at, record) in VolumeRecords::from(&bytes, 0) {
                let location = Location::new(volume, at, record.length());
                newest.insert(record.key.to_vec(), location);
            }
        }
        Self(newest)
    }

    /// The location of the newest record of `key`.
    pub(crate) fn get(&self, key: &[u8]) -> Option<Location> {
        self.0.get(key).copied()
    }

    /// The keys after `after` and before `before`.
    pub(crate) fn between(
        &self,
        after: Option<&Vec<u8>>,
        before: Option<&Vec<u8>>,
    ) -> Vec<Vec<u8>> {
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let keys = self.0.range::<Vec<u8>, _>((begin, Bound::Unbounded));
        // A range with two bounds would panic if they are the wrong way round, as damaged keys may be.
        keys.map(|(key, _)| key)
            .take_while(|key| before.is_none_or(|before| *key < before))
            .cloned()
            .collect()
    }
}
