//! The last state of charge that each battery sent. It is kept in memory only, because batteries
//! repeat it, and only the present one is shown.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::domain::{Arrivals, SensorId, StateOfCharge, Timestamp};
use crate::locks::lock;

/// The maximum number of sensors. Beyond it, the oldest values make room.
const MOST: usize = 1_024;

/// The last states of charge.
#[derive(Debug, Default)]
pub(crate) struct Charges(Mutex<HashMap<SensorId, (Timestamp, StateOfCharge)>>);

impl Charges {
    /// Notes the state of charge of a sensor's battery at `time`, unless a newer one is known.
    pub(super) fn note(&self, sensor: &SensorId, charge: StateOfCharge, time: Timestamp) {
        let mut all = lock(&self.0);
        if let Some(known) = all.get_mut(sensor) {
            if known.0 <= time {
                *known = (time, charge);
            }
            return;
        }
        if all.len() >= MOST {
            let oldest = all.iter().min_by_key(|(_, (time, _))| *time);
            let oldest = oldest.map(|(sensor, _)| sensor.clone());
            oldest.and_then(|sensor| all.remove(&sensor));
        }
        all.insert(sensor.clone(), (time, charge));
    }

    /// The state of charge at `now`; `None` if it is as old as power that is not shown any more.
    pub(crate) fn of(&self, sensor: &SensorId, now: Timestamp) -> Option<StateOfCharge> {
        let (time, charge) = *lock(&self.0).get(sensor)?;
        Arrivals::first(time).recent(now).then_some(charge)
    }
}
