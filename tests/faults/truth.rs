//! Compares sent and acknowledged readings with the stored ones.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard};

/// Readings of one sensor: milliseconds since 1970 -> watts.
pub(crate) type Readings = BTreeMap<i64, f64>;

/// An upload that was sent.
struct Sent {
    readings: Vec<(i64, f64)>,
    /// Whether it must be stored completely or not at all before it is acknowledged.
    is_whole: bool,
    /// The record of the disk's history before which it was acknowledged, if it was.
    acknowledged: Option<u64>,
}

/// Everything that was sent. Each pair of sensor and time occurs once.
#[derive(Default)]
pub(crate) struct Truth {
    uploads: Mutex<HashMap<String, Vec<Sent>>>,
    /// The number of corrections made, each with the records by then.
    entered: Mutex<Vec<u64>>,
}

/// An upload under way.
pub(crate) struct Ticket {
    sensor: String,
    index: usize,
}

impl Truth {
    fn uploads(&self) -> MutexGuard<'_, HashMap<String, Vec<Sent>>> {
        self.uploads.lock().unwrap()
    }

    /// Records an upload before it is sent.
    pub(crate) fn sending(&self, sensor: &str, readings: &[(i64, f64)]) -> Ticket {
        self.note(sensor, readings, true)
    }

    /// The same for an import, which may be stored in part if it fails.
    pub(crate) fn importing(&self, sensor: &str, readings: &[(i64, f64)]) -> Ticket {
        self.note(sensor, readings, false)
    }

    fn note(&self, sensor: &str, readings: &[(i64, f64)], is_whole: bool) -> Ticket {
        let mut uploads = self.uploads();
        let of_sensor = uploads.entry(sensor.to_owned()).or_default();
        of_sensor.push(Sent {
            readings: readings.to_vec(),
            is_whole,
            acknowledged: None,
        });
        Ticket {
            sensor: sensor.to_owned(),
            index: of_sensor.len() - 1,
        }
    }

    /// Records that an upload was acknowledged, after at most `record` records of the disk's
    /// history.
    pub(crate) fn acknowledged(&self, ticket: &Ticket, record: u64) {
        let mut uploads = self.uploads();
        uploads.get_mut(&ticket.sensor).unwrap()[ticket.index].acknowledged = Some(record);
    }

    /// After a power cut at `records`: uploads acknowledged by then are stored, others may be.
    pub(crate) fn cut(&self, records: u64) {
        for sent in self.uploads().values_mut().flatten() {
            let is_stored = sent.acknowledged.is_some_and(|record| record <= records);
            sent.acknowledged = is_stored.then_some(0);
        }
        let mut entered = self.entered.lock().unwrap();
        entered.retain(|by| *by <= records);
        entered.fill(0);
    }

    /// With uploads answered before they are stored: an upload acknowledged after a number of
    /// records is stored after the first of `syncs` (ascending) at or after it.
    pub(crate) fn stored_by(&self, syncs: &[u64]) {
        for sent in self.uploads().values_mut().flatten() {
            let acknowledged = sent.acknowledged.take();
            sent.acknowledged =
                acknowledged.and_then(|record| syncs.iter().find(|&&sync| sync > record).copied());
        }
    }

    /// The number of acknowledged readings.
    pub(crate) fn count(&self) -> usize {
        let uploads = self.uploads();
        let sent = uploads.values().flatten();
        sent.filter(|sent| sent.acknowledged.is_some())
            .map(|sent| sent.readings.len())
            .sum()
    }

    /// The number of records at each acknowledgement.
    pub(crate) fn records(&self) -> Vec<u64> {
        let uploads = self.uploads();
        let mut records: Vec<u64> = uploads
            .values()
            .flatten()
            .filter_map(|sent| sent.acknowledged)
            .collect();
        records.sort_unstable();
        records
    }

    /// Records that one more correction was acknowledged, with a contract whose price is their
    /// number.
    pub(crate) fn entered(&self, records: u64) {
        self.entered.lock().unwrap().push(records);
    }

    /// The number of corrections acknowledged within the first `records`.
    pub(crate) fn entered_by(&self, records: u64) -> usize {
        let entered = self.entered.lock().unwrap();
        entered.iter().filter(|by| **by <= records).count()
    }

    /// The problems of the stored readings: a missing upload that was acknowledged within the first
    /// `records`, a partial one, a reading that was not sent or has another value. `there` returns
    /// the readings of a sensor.
    pub(crate) fn breaches(
        &self,
        records: u64,
        there: impl FnMut(&str) -> Readings,
    ) -> Vec<String> {
        self.differences(records, true, there)
    }

    /// The same for a backup begun after `records`: later uploads may be partial.
    pub(crate) fn breaches_of_copy(
        &self,
        records: u64,
        there: impl FnMut(&str) -> Readings,
    ) -> Vec<String> {
        self.differences(records, false, there)
    }

    fn differences(
        &self,
        records: u64,
        is_moment: bool,
        mut there: impl FnMut(&str) -> Readings,
    ) -> Vec<String> {
        let mut breaches = Vec::new();
        for (sensor, sent) in &*self.uploads() {
            let found = there(sensor);
            let mut known = HashSet::new();
            for Sent {
                readings,
                is_whole,
                acknowledged,
            } in sent
            {
                let same = |(time, watts): &(i64, f64)| found.get(time) == Some(watts);
                let stored = readings.iter().filter(|reading| same(reading)).count();
                known.extend(readings.iter().map(|(time, _)| *time));
                let must = acknowledged.is_some_and(|record| record <= records);
                let is_torn = is_moment
                    && *is_whole
                    && readings.iter().any(|(time, _)| found.contains_key(time));
                let is_wrong = readings
                    .iter()
                    .any(|(time, watts)| found.get(time).is_some_and(|there| there != watts));
                if stored != readings.len() && (must || is_torn || is_wrong) {
                    breaches.push(format!(
                        "{sensor}: {stored} of {} readings from {} on are there, acknowledged: {acknowledged:?}",
                        readings.len(),
                        readings[0].0,
                    ));
                }
            }
            let made_up = found.keys().filter(|time| !known.contains(time));
            breaches.extend(
                made_up.map(|time| format!("{sensor}: a reading at {time} that was never sent")),
            );
        }
        breaches
    }
}

#[test]
fn problems_are_noticed() {
    let truth = Truth::default();
    let first = truth.sending("a", &[(1, 1.0), (2, 2.0)]);
    truth.acknowledged(&first, 10);
    truth.sending("a", &[(3, 3.0), (4, 4.0)]);
    let breaches = |records, there: &[(i64, f64)]| {
        let there: Readings = there.iter().copied().collect();
        truth.breaches(records, |_| there.clone()).len()
    };
    assert_eq!(breaches(10, &[(1, 1.0), (2, 2.0)]), 0);
    assert_eq!(breaches(9, &[]), 0);
    assert_eq!(breaches(10, &[]), 1);
    assert_eq!(breaches(9, &[(1, 1.0)]), 1);
    assert_eq!(breaches(10, &[(1, 1.0), (2, 2.5)]), 1);
    assert_eq!(breaches(10, &[(1, 1.0), (2, 2.0), (3, 3.0)]), 1);
    assert_eq!(breaches(10, &[(1, 1.0), (2, 2.0), (9, 3.0)]), 1);
    let part: Readings = [(1, 1.0), (2, 2.0), (3, 3.0)].into();
    assert_eq!(truth.breaches_of_copy(10, |_| part.clone()).len(), 0);
    assert_eq!(truth.breaches_of_copy(10, |_| Readings::new()).len(), 1);
    truth.importing("a", &[(5, 5.0), (6, 6.0)]);
    assert_eq!(breaches(9, &[(5, 5.0)]), 0);
    assert_eq!(breaches(9, &[(5, 5.5)]), 1);
    assert_eq!((truth.count(), truth.records()), (2, vec![10]));
    truth.stored_by(&[3, 10, 15, 20]);
    assert_eq!(truth.records(), [15]);
    truth.stored_by(&[3]);
    assert_eq!(truth.count(), 0);
}
