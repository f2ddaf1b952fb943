//! Oddities of uploads that are stored nevertheless: a wrong clock, a misnamed field. `notices`
//! reports them while they last. They are kept in memory only, because the next such upload repeats
//! them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;

use crate::domain::{SensorId, Timestamp, Upload};
use crate::ledger::notice::{
    ClockFault, MisnamedField, Notice, NoticeKind, sensor_clock, unknown_field,
};
use crate::locks::lock;

/// How long a remark lasts after its last upload: more than a day, because some devices upload once
/// a day.
pub(crate) const REMARK_LASTS_MS: i64 = 26 * 3_600_000;
/// The maximum number of remarks kept. Beyond it, new ones are not noticed.
const MOST: usize = 1_024;

/// The remarks about all sensors.
#[derive(Debug, Default)]
pub(super) struct Remarks(Mutex<HashMap<(NoticeKind, SensorId), Remark>>);

/// An oddity of a sensor, and when it was last seen.
#[derive(Clone, Debug)]
pub(crate) struct Remark {
    /// The notice as first worded.
    pub(crate) notice: Notice,
    /// The arrival of the last such upload.
    pub(crate) newest: Timestamp,
}

impl Remark {
    fn is_fresh(&self, now: Timestamp) -> bool {
        // The clock may have been set back.
        now.millis().abs_diff(self.newest.millis()) < REMARK_LASTS_MS.unsigned_abs()
    }
}

impl Remarks {
    /// Notes at `now` that the clock of a sensor's device is wrong.
    pub(super) fn clock(&self, sensor: &SensorId, fault: ClockFault, now: Timestamp) {
        self.note(NoticeKind::SensorClock, sensor, now, || {
            sensor_clock(sensor, fault, now)
        });
    }

    /// Notes at `now` that a field is misnamed.
    pub(super) fn field(&self, sensor: &SensorId, field: &MisnamedField, now: Timestamp) {
        self.note(NoticeKind::UnknownField, sensor, now, || {
            unknown_field(sensor, field, now)
        });
    }

    /// The remarks about uploads that came shortly before `now`.
    pub(super) fn fresh(&self, now: Timestamp) -> Vec<Remark> {
        let all = lock(&self.0);
        let fresh = all.values().filter(|remark| remark.is_fresh(now));
        fresh.cloned().collect()
    }

    fn note(
        &self,
        kind: NoticeKind,
        sensor: &SensorId,
        newest: Timestamp,
        notice: impl FnOnce() -> Notice,
    ) {
        let mut all = lock(&self.0);
        if all.len() >= MOST {
            all.retain(|_, remark| remark.is_fresh(newest));
        }
        let is_full = all.len() >= MOST;
        match all.entry((kind, sensor.clone())) {
            Entry::Occupied(mut known) if known.get().is_fresh(newest) => {
                known.get_mut().newest = newest;
            }
            Entry::Vacant(_) if is_full => {}
            entry => {
                let notice = notice();
                entry.insert_entry(Remark { notice, newest });
            }
        }
    }
}

/// Whether the times of an upload that arrives at `now` are local times sent as UTC.
pub(super) fn local_time(upload: &Upload, now: Timestamp) -> Option<ClockFault> {
    let times = upload.readings().iter().filter_map(|reading| reading.time);
    ClockFault::of_local_time(times.max()?, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_millis(hours * 3_600_000).unwrap()
    }

    fn id(text: &str) -> SensorId {
        SensorId::new(text).unwrap()
    }

    #[test]
    fn a_remark_lasts_while_such_uploads_come() {
        let remarks = Remarks::default();
        let fresh = |hours| -> Vec<(String, i64)> {
            let fresh = remarks.fresh(at(hours)).into_iter();
            let mut fresh: Vec<_> = fresh
                .map(|it| (it.notice.id(), it.notice.since.millis() / 3_600_000))
                .collect();
            fresh.sort();
            fresh
        };
        remarks.clock(&id("house"), ClockFault::ahead(3_600_000), at(0));
        remarks.clock(&id("house"), ClockFault::ahead(7_200_000), at(20));
        assert_eq!(fresh(45), [("sensor-clock:house".into(), 0)]);
        assert!(fresh(46).is_empty());
        let field = MisnamedField {
            sent: "power".into(),
            meant: "watts".into(),
        };
        remarks.clock(&id("house"), ClockFault::ahead(7_200_000), at(50));
        remarks.field(&id("house"), &field, at(51));
        let both = [
            ("sensor-clock:house".into(), 50),
            ("unknown-field:house".into(), 51),
        ];
        assert_eq!(fresh(52), both);
        let said = remarks.fresh(at(52));
        let said = said
            .iter()
            .find(|it| it.notice.kind == NoticeKind::SensorClock);
        assert_eq!(
            said.unwrap().notice.happened,
            "The clock of house is 2 h ahead."
        );
    }

    #[test]
    fn remarks_take_bounded_room() {
        let remarks = Remarks::default();
        for n in 0..2 * MOST {
            let sensor = id(&n.to_string());
            remarks.clock(&sensor, ClockFault::ahead(3_600_000), at(0));
        }
        assert_eq!(remarks.fresh(at(0)).len(), MOST);
        remarks.clock(&id("new"), ClockFault::ahead(3_600_000), at(27));
        assert_eq!(remarks.fresh(at(27)).len(), 1);
        assert_eq!(remarks.0.lock().unwrap().len(), 1);
    }
}
