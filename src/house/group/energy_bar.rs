//! The energy of a bucket of the calendar, as far as it is known.

use std::ops::Add;

use crate::domain::{Calendar, MicroWh, Timestamp};
use crate::house::flows::FlowSlot;
use crate::ledger::Flow;
use crate::ledger::house::MeasuredSlot;
use crate::query::Point;

/// The energy of a bucket of the calendar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyBar {
    /// The start of the bucket.
    pub start: Timestamp,
    /// Watt-hours; finite.
    pub watthours: f64,
    /// The share of the known time that is estimated, from 0 to 1: only the energy of a longer time
    /// is measured there.
    pub estimated: f64,
    /// The share of the bucket's time that all sensors cover: less than 1 for a bucket that has not
    /// ended.
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

impl EnergyBar {
    /// Builds the bars of these slots. `energy` returns the part of a sensor's flow that counts, by
    /// the sensor's place; `tells` returns whether the sum needs that sensor's energy.
    pub(super) fn all(
        slots: &[FlowSlot],
        mut calendar: Calendar,
        energy: impl Fn(usize, Flow) -> MicroWh,
        tells: impl Fn(usize) -> bool,
    ) -> Vec<Self> {
        let is_known = |slot: &FlowSlot, place: usize| {
            let measured = slot.measured.get(place);
            measured.is_some_and(|it| it.flow.is_some())
        };
        let places = 0..slots.first().map_or(0, |slot| slot.measured.len());
        // A sensor that is unknown in one bucket counts there, too, if it is known in another.
        let all = places.clone();
        let all = all.filter(|place| slots.iter().any(|slot| is_known(slot, *place)));
        let all = i64::try_from(all.count()).unwrap_or(i64::MAX);
        let told = |slot: &&FlowSlot| {
            let mut places = places.clone();
            places.any(|place| tells(place) && is_known(slot, place))
        };
        let bar = |slot: &FlowSlot| {
            let flows = slot.measured.iter().enumerate();
            let flows = flows.filter_map(|(place, it)| Some(energy(place, it.flow?)));
            let sum = |of: fn(&MeasuredSlot) -> i64| slot.measured.iter().map(of).sum();
            let known_ms = sum(|it| it.known_ms);
            Self {
                start: calendar.bucket(slot.start).start(),
                watthours: flows.fold(MicroWh::ZERO, Add::add).watthours(),
                estimated: share(sum(|it| it.estimated_ms), known_ms),
                known: share(known_ms, slot.length_ms().saturating_mul(all)),
            }
        };
        slots.iter().filter(told).map(bar).collect()
    }
}

/// The share of `whole` that a part is, from 0 to 1.
fn share(part: i64, whole: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a share is shown in percent")]
    let share = part as f64 / whole.max(1) as f64;
    share.clamp(0.0, 1.0)
}
