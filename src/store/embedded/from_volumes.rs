//! Recovers blocks from the volumes alone, if the log is damaged.
//!
//! Each record of a volume contains the key of its block, the number of the commit that made it,
//! and its summary. A later commit makes blocks from those that it replaces, covering the same
//! times. So of a sensor's overlapping blocks, the one of the latest commit is current. Deletions
//! are known from the facts (`facts/deletion.rs`), and applied afterwards.
//!
//! A block is written before the log names it, so the last ones may be of a commit that failed.
//! Their numbers are behind the last durable position of the log, which the journal has. Earlier
//! ones are none: their records were cut off before the next commit (`blocks/space.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::summary_record;
use crate::store::embedded::blocks::volumes::records_from;
use crate::store::embedded::blocks::{Location, Volumes};
use crate::store::embedded::disk::{Mark, open};
use crate::store::embedded::index::{Index, IndexEntry, PlacedBlock};
use crate::store::error::StoreError;
use crate::store::records::keys;

/// Blocks that may be current, by their keys and the commits that made them.
type Candidates = BTreeMap<SensorId, BTreeMap<(u64, Vec<u8>), PlacedBlock>>;

/// Repairs the index for these sensors, or for all, with blocks of commits up to the position
/// `committed`. Returns the greatest number of a commit that made a block.
pub(crate) fn mend(
    dir: &Path,
    mark: Mark,
    index: &Index,
    sensors: Option<&BTreeSet<SensorId>>,
    committed: u64,
) -> Result<u64, StoreError> {
    let mut greatest = 0;
    let is_meant = |sensor: &SensorId| sensors.is_none_or(|all| all.contains(sensor));
    let (mut candidates, mut known) = (Candidates::new(), BTreeSet::new());
    // A block in the log may be in a missing volume: then it must be reported, not forgotten.
    index.each(|key, entry| {
        let (sensor, _) = keys::parse(&key)?;
        if let Some(placed) = entry.placed
            && is_meant(&sensor)
        {
            let of_sensor = candidates.entry(sensor).or_default();
            of_sensor.insert((entry.number, key.clone()), placed);
            known.insert(key);
        }
        Ok(())
    })?;
    let volumes = Volumes::of(dir);
    let failed = |error| StoreError::io(format!("reading {}", volumes.folder().display()), &error);
    for number in volumes.numbers().map_err(failed)? {
        let bytes = open::content(&volumes.path(number))?.unwrap_or_default();
        for (at, length, record) in records_from(&bytes, 0, mark) {
            greatest = greatest.max(record.number);
            let Ok((sensor, _)) = keys::parse(record.key) else {
                continue;
            };
            if !is_meant(&sensor) || record.number > committed {
                continue;
            }
            let of_sensor = candidates.entry(sensor).or_default();
            let placed = of_sensor.entry((record.number, record.key.to_vec()));
            placed.or_insert_with(|| PlacedBlock {
                location: Location::new(number, at, length),
                summary: record.summary.to_vec(),
            });
        }
    }
    for of_sensor in candidates.into_values() {
        let counting = latest(index, of_sensor)?;
        for key in counting.keys() {
            known.remove(key);
        }
        let entries = counting.into_iter().map(|(key, entry)| (key, Some(entry)));
        index.change(entries)?;
    }
    index.change(known.into_iter().map(|key| (key, None)))?;
    Ok(greatest)
}

/// Selects a sensor's current blocks.
fn latest(
    index: &Index,
    candidates: BTreeMap<(u64, Vec<u8>), PlacedBlock>,
) -> Result<BTreeMap<Vec<u8>, IndexEntry>, StoreError> {
    let mut counting = BTreeMap::new();
    // The end of each current block, by its first time.
    let mut taken = BTreeMap::<Timestamp, Timestamp>::new();
    for ((number, key), placed) in candidates.into_iter().rev() {
        let known = index.get(&key)?;
        // The log says that it was removed.
        let is_gone = known.is_some_and(|known| known.placed.is_none() && known.number >= number);
        let Some(range) = range_of(&key, &placed).filter(|_| !is_gone) else {
            continue;
        };
        let before = taken.range(..=range.end()).next_back();
        if before.is_some_and(|(_, last)| *last >= range.start()) {
            continue;
        }
        taken.insert(range.start(), range.end());
        let placed = Some(placed);
        counting.insert(key, IndexEntry { number, placed });
    }
    Ok(counting)
}

fn range_of(key: &[u8], placed: &PlacedBlock) -> Option<TimeRange> {
    let first = keys::time_of(key).ok()?;
    let summary = summary_record::decode(&placed.summary)?;
    TimeRange::new(first, summary.last)
}
