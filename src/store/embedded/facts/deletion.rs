//! Deletions of readings: a fact for each, so that no deleted reading comes back from a damaged log
//! or from old blocks.
//!
//! The key: the sensor's id, 0x00, the first and the last time, as in keys of blocks
//! (`records/keys.rs`). The value: the number of the last commit of the log before it, u64
//! little-endian; then 1 if it was completed, otherwise a start completes it. It deletes the
//! readings of that range in that commit and earlier ones.

use std::collections::BTreeMap;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::embedded::facts::change::{DELETION, FactChanges};
use crate::store::embedded::facts::stored::FactMap;
use crate::store::records::keys;

/// A deletion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Deletion {
    pub(crate) range: TimeRange,
    /// The number of the last commit of the log before it.
    pub(crate) after: u64,
    /// Whether it was completed.
    pub(crate) is_done: bool,
}

/// A note of a deletion that a full disk left undone. Uploads wait until it is settled: the next
/// start would take them for earlier than the deletion.
pub(crate) enum UnsettledNote {
    /// Nothing was deleted. The change brings back the notes before it.
    Revoked(FactChanges),
    /// It was carried out, but is not known to be durable.
    CarriedOut(SensorId, Deletion),
}

/// The deletions of all sensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Deletions(BTreeMap<SensorId, Vec<Deletion>>);

impl Deletions {
    pub(crate) fn of(facts: &FactMap) -> Self {
        let mut all = Self::default();
        for (key, value) in facts.of_kind(DELETION) {
            if let Some((sensor, deletion)) = decode(key, value) {
                all.0.entry(sensor).or_default().push(deletion);
            }
        }
        all
    }

    pub(crate) fn of_sensor(&self, sensor: &SensorId) -> &[Deletion] {
        self.0.get(sensor).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SensorId, &Deletion)> {
        let sensors = self.0.iter();
        sensors.flat_map(|(sensor, all)| all.iter().map(move |one| (sensor, one)))
    }

    /// Removes the deleted readings from `rows`, which a commit with this number stored.
    pub(crate) fn left(&self, sensor: &SensorId, number: u64, rows: &mut Vec<Reading>) {
        for deletion in self
            .of_sensor(sensor)
            .iter()
            .filter(|it| it.after >= number)
        {
            rows.retain(|row| !deletion.range.contains(row.time));
        }
    }
}

/// The change that notes deletions. Each that is completed replaces the known ones within its range.
pub(crate) fn noting(facts: &FactMap, sensor: &SensorId, deletions: &[Deletion]) -> FactChanges {
    let mut changes = FactChanges::default();
    for (key, value) in facts.of_kind(DELETION) {
        let known = decode(key, value).filter(|(of, _)| of == sensor);
        let is_covered = known.is_some_and(|(_, known)| {
            let mut done = deletions.iter().filter(|deletion| deletion.is_done);
            done.any(|deletion| {
                deletion.range.contains(known.range.start())
                    && deletion.range.contains(known.range.end())
            })
        });
        if is_covered {
            changes.remove(DELETION, key);
        }
    }
    for deletion in deletions {
        let value = [
            &deletion.after.to_le_bytes()[..],
            &[u8::from(deletion.is_done)],
        ];
        changes.put(DELETION, key(sensor, deletion.range), value.concat());
    }
    changes
}

/// The change that brings back the deletions before `changes`.
pub(crate) fn before(facts: &FactMap, changes: &FactChanges) -> FactChanges {
    let mut before = FactChanges::default();
    for key in changes.0.keys() {
        before.0.insert(key.clone(), facts.value(key).cloned());
    }
    before
}

/// The key of a deletion.
pub(crate) fn key(sensor: &SensorId, range: TimeRange) -> Vec<u8> {
    let mut key = keys::key(sensor, range.start());
    keys::push_time(&mut key, range.end());
    key
}

fn decode(key: &[u8], value: &[u8]) -> Option<(SensorId, Deletion)> {
    let end = keys::time_of(key).ok()?;
    let (begin, _) = key.split_at_checked(key.len().checked_sub(keys::TIME_BYTES)?)?;
    let (sensor, start): (SensorId, Timestamp) = keys::parse(begin).ok()?;
    let range = TimeRange::new(start, end)?;
    let (after, is_done) = value.split_first_chunk::<8>()?;
    let deletion = Deletion {
        range,
        after: u64::from_le_bytes(*after),
        is_done: *is_done == [1],
    };
    Some((sensor, deletion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{at, house, reading};

    #[test]
    fn deleted_readings_do_not_come_back() {
        let mut facts = FactMap::default();
        let mut note = |from, to, after| {
            let range = TimeRange::new(at(from), at(to)).unwrap();
            let deletion = Deletion {
                range,
                after,
                is_done: true,
            };
            let changes = noting(&facts, &house(), &[deletion]);
            facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
            facts.of_kind(DELETION).count()
        };
        assert_eq!(note(10, 20, 3), 1);
        assert_eq!(note(15, 30, 5), 2);
        let left = |facts: &FactMap, number| {
            let mut rows: Vec<_> = (8..34).step_by(4).map(|ms| reading(ms, 1.0)).collect();
            Deletions::of(facts).left(&house(), number, &mut rows);
            rows.iter().map(|row| row.time.millis()).collect::<Vec<_>>()
        };
        assert_eq!(note(100, 100, 7), 3);
        assert_eq!(left(&facts, 3), [8, 32]);
        assert_eq!(left(&facts, 5), [8, 12, 32]);
        assert_eq!(left(&facts, 6), [8, 12, 16, 20, 24, 28, 32]);
    }

    #[test]
    fn deletions_within_a_later_one_are_forgotten() {
        let mut facts = FactMap::default();
        for (from, to, after) in [(1, 2, 1), (3, 4, 2), (9, 9, 3), (1, 4, 4)] {
            let range = TimeRange::new(at(from), at(to)).unwrap();
            let deletion = Deletion {
                range,
                after,
                is_done: true,
            };
            let changes = noting(&facts, &house(), &[deletion]);
            facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
        }
        let after: Vec<u64> = Deletions::of(&facts)
            .iter()
            .map(|(_, it)| it.after)
            .collect();
        assert_eq!(after, [4, 3]);
    }
}
