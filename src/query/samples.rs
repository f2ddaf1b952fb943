//! Values of a sensor at given times, for clients that draw them: power as means, registers as they
//! were.

use super::column::{Aggregate, PowerFold};
use super::energy::RegisterFold;
use super::point::Point;
use super::power::aggregated;
use super::slots::Slots;
use super::walk::SlotWalk;
use crate::domain::reading::register_difference;
use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::{Measure, Store, StoreError};

/// The value at each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// The unweighted mean of the power readings from this time until the next one; watts.
    MeanPower,
    /// The newest register after the time before, up to this time; watt-hours.
    Register,
    /// The difference of registers from this time until the next one; watt-hours. It counts where
    /// the later register lies.
    Difference,
}

/// Values at given times: a result under way. Times without a value have no point.
pub struct Samples(SampleWalk);

enum SampleWalk {
    Power(SlotWalk<PowerFold>),
    /// Slots that end at the times.
    Registers(SlotWalk<RegisterFold>),
    /// The same; the value counts at the time before.
    Differences(SlotWalk<RegisterFold>),
}

impl Samples {
    /// The values at these ascending times, each from the one `before` all of them to the one
    /// `after` them. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn new(
        store: &Store,
        sensor: &SensorId,
        sampling: Sampling,
        times: &[Timestamp],
        (before, after): (Timestamp, Timestamp),
    ) -> Result<Self, StoreError> {
        let ends = times.first().zip(times.last());
        let (first, last) = ends.map_or((before, before), |(first, last)| (*first, *last));
        let registers = |start: Timestamp, end, slots| {
            let range = TimeRange::new(start, end).and_then(TimeRange::after_start);
            let fold = RegisterFold::from(store.register_at(sensor, start)?);
            let measure = (sensor, Measure::Watthours);
            Ok::<_, StoreError>(SlotWalk::new(store, measure, range, slots, fold))
        };
        Ok(Self(match sampling {
            Sampling::MeanPower => {
                let range = TimeRange::new(first, after.saturating_add_millis(-1));
                let fold = PowerFold::new(Some(Aggregate::Mean));
                let measure = (sensor, Measure::Watts);
                let slots = Slots::from_each(times);
                SampleWalk::Power(SlotWalk::new(store, measure, range, slots, fold))
            }
            Sampling::Register => {
                let slots = Slots::until(times.to_vec());
                SampleWalk::Registers(registers(before, last, slots)?)
            }
            Sampling::Difference => {
                let slots = Slots::until([times, &[after]].concat());
                SampleWalk::Differences(registers(first, after, slots)?)
            }
        }))
    }

    /// Appends the next points; false after the last one. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        match &mut self.0 {
            SampleWalk::Power(walk) => walk.next_run(|slot, so_far| {
                points.push(Point {
                    time: slot.start,
                    value: aggregated(&so_far, Aggregate::Mean),
                });
            }),
            SampleWalk::Registers(walk) => walk.next_run(|slot, (_, end)| {
                points.push(Point {
                    time: slot.times.end(),
                    value: end.watthours,
                });
            }),
            SampleWalk::Differences(walk) => walk.next_run(|slot, (start, end)| {
                // A sensor's first register alone is no energy, not even zero.
                if start.seen < end.seen {
                    points.push(Point {
                        time: slot.start.saturating_add_millis(-1),
                        value: register_difference(start.watthours, end.watthours),
                    });
                }
            }),
        }
    }
}
