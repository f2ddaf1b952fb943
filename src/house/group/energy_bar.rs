//! The energy of a bucket of the calendar, as far as it is known.

use std::collections::BTreeMap;

use crate::domain::{Calendar, MicroWh, Timestamp};
use crate::query::{Point, SlotEnergy};

/// The energy of a bucket of the calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyBar {
    /// The start of the bucket.
    pub start: Timestamp,
    /// Watt-hours; finite.
    pub watthours: f64,
    /// For which share of the time that is known only the sum of a longer time is measured; from 0 to 1.
    pub estimated: f64,
    /// The share of the bucket's time that is known, of all sensors: less than 1 for a bucket that has not ended.
    pub known: f64,
}

impl EnergyBar {
    /// Its start and its watt-hours.
    #[must_use]
    pub const fn point(&self) -> Point {
        Point {
            time: self.start,
            value: self.watthours,
        }
    }
}

/// The energy of several sensors, put together by bucket.
pub(super) struct EnergyBars {
    calendar: Calendar,
    sums: BTreeMap<Timestamp, BarSum>,
    /// How many sensors have any energy.
    sensors: i64,
    has_slots: bool,
}

#[derive(Default)]
struct BarSum {
    energy: MicroWh,
    measured_ms: i64,
    estimated_ms: i64,
    /// How long the bucket is, once for each sensor.
    length_ms: i64,
    /// How many sensors know something of it.
    sensors: i64,
    /// Whether one of them is enough to tell the sum.
    is_told: bool,
}

impl EnergyBars {
    pub(super) const fn new(calendar: Calendar) -> Self {
        Self {
            calendar,
            sums: BTreeMap::new(),
            sensors: 0,
            has_slots: false,
        }
    }

    /// Adds a bucket of one sensor, which counts as `energy`; of a bucket without one that `tells`, the sum is not known.
    pub(super) fn add(&mut self, slot: &SlotEnergy, energy: MicroWh, tells: bool) {
        let start = self.calendar.bucket(slot.start).start();
        let sum = self.sums.entry(start).or_default();
        sum.energy = sum.energy + energy;
        sum.measured_ms = sum.measured_ms.saturating_add(slot.measured_ms);
        sum.estimated_ms = sum.estimated_ms.saturating_add(slot.estimated_ms);
        let length_ms = slot.end.millis().saturating_sub(slot.start.millis());
        sum.length_ms = sum.length_ms.saturating_add(length_ms);
        sum.sensors += 1;
        sum.is_told |= tells;
        self.has_slots = true;
    }

    /// What is added next is of another sensor.
    pub(super) fn end_of_sensor(&mut self) {
        self.sensors += i64::from(std::mem::take(&mut self.has_slots));
    }

    pub(super) fn into_bars(self) -> Vec<EnergyBar> {
        let all = self.sensors;
        let told = self.sums.into_iter().filter(|(_, sum)| sum.is_told);
        let bars = told.map(|(start, sum)| {
            let known_ms = sum.measured_ms + sum.estimated_ms;
            // The sensors of which nothing is known in this bucket count, too.
            let of_all = share(sum.sensors, all);
            EnergyBar {
                start,
                watthours: sum.energy.watthours(),
                estimated: share(sum.estimated_ms, known_ms),
                known: share(known_ms, sum.length_ms) * of_all,
            }
        });
        bars.collect()
    }
}

/// Which share of `whole` a part is, from 0 to 1.
fn share(part: i64, whole: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share is shown in percent")]
    let share = part as f64 / whole.max(1) as f64;
    share.clamp(0.0, 1.0)
}
