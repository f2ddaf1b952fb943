//! The results of the API as the ledger has them: without wrong readings, and with people's
//! corrections.

use super::column::{Aggregate, PowerFilter, PowerFold};
use super::ledger::{LedgerEnergy, LedgerStretches, SlotEnergy};
use super::point::{Point, next_points};
use super::power::{HeldMeans, PowerBuckets, aggregated, mean_watts};
use super::slots::{Slot, Slots};
use super::walk::Fold as _;
use crate::domain::{Between, Calendar, Interval, Meter, SensorId, TimeRange, Timestamp, Zone};
use crate::ledger::{Calibrations, Facts, Flow, Stretch};
use crate::store::{Digest, Measure, Store, StoreError};

/// Points of the ledger under way.
pub(super) enum CorrectedPoints {
    /// Power readings that the ledger accepts.
    Power(Digest, PowerFilter),
    /// The same by buckets.
    PowerBuckets(PowerBuckets),
    /// Their means by time, where power stays until the next reading.
    HeldMeans(Box<HeldMeans>),
    /// The mean power between each two registers, at the later one.
    MeanPower(MeanPower),
    /// The same by buckets.
    MeanPowerBuckets(MeanPower, Box<MeanPowerFold>),
    /// Imported energy from reading to reading, at the later one or the range's end.
    Imported(LedgerStretches, TimeRange),
    /// Imported energy by buckets.
    ImportedBuckets(Box<LedgerEnergy>, Calendar),
    /// All of a short result.
    Points(Vec<Point>),
}

/// The power of a sensor that has registers alone.
pub(super) struct MeanPower {
    stretches: LedgerStretches,
    range: TimeRange,
}

/// Points of power put together by buckets.
pub(super) struct MeanPowerFold {
    slots: Slots,
    fold: PowerFold,
    aggregate: Aggregate,
    open: Option<Slot>,
}

impl CorrectedPoints {
    /// Power of each reading. Each of these blocks on the disk; `meter` has the facts in effect.
    pub(super) fn power(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        if has_power(store, sensor)? {
            let readings = store.digest(sensor, Measure::Watts, range);
            return Ok(Self::Power(readings, PowerFilter::new(meter)));
        }
        Ok(Self::MeanPower(MeanPower::new(
            store, sensor, meter, range,
        )?))
    }

    /// Power by buckets.
    pub(super) fn power_by(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
        (zone, interval, aggregate): (Zone, Interval, Aggregate),
    ) -> Result<Self, StoreError> {
        if has_power(store, sensor)? {
            if meter.0.between == Between::Hold && aggregate == Aggregate::Mean {
                let by = (zone, interval);
                let means = HeldMeans::new(store, sensor, meter, range, by)?;
                return Ok(Self::HeldMeans(Box::new(means)));
            }
            let fold = PowerFold::new(Some(aggregate)).of(PowerFilter::new(meter));
            let (walked, by) = ((sensor, fold), (zone, interval));
            let buckets = PowerBuckets::of_fold(store, walked, range, by, aggregate);
            return Ok(Self::PowerBuckets(buckets));
        }
        let power = MeanPower::new(store, sensor, meter, range)?;
        let fold = MeanPowerFold {
            slots: Slots::calendar(zone, interval, Measure::Watts),
            fold: PowerFold::new(Some(aggregate)),
            aggregate,
            open: None,
        };
        Ok(Self::MeanPowerBuckets(power, Box::new(fold)))
    }

    /// Imported energy from reading to reading.
    pub(super) fn imported(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        let times = range.start()..range.end();
        let stretches = LedgerStretches::new(store, sensor, meter, times)?;
        Ok(Self::Imported(stretches, range))
    }

    /// Imported energy by buckets.
    pub(super) fn imported_by(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
        by: (Zone, Interval),
    ) -> Result<Self, StoreError> {
        let times = range.start()..range.end();
        let calendar = Calendar::new(by.0.clone(), by.1);
        let energy = LedgerEnergy::by_interval(store, sensor, meter, times, by)?;
        Ok(Self::ImportedBuckets(Box::new(energy), calendar))
    }

    /// Imported less exported energy: one point at the range's end, or none if nothing is known.
    pub(super) fn net(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        let times = [range.start(), range.end()];
        let mut energy = LedgerEnergy::between(store, sensor, meter, &times)?;
        let mut slots = Vec::new();
        // Events may be many, and nobody asks for them here.
        while energy.next_run(&mut slots, &mut Vec::new())? {}
        let flow = slots.iter().map(|slot| slot.flow).sum::<Flow>();
        let net = (!slots.is_empty()).then(|| Point {
            time: range.end(),
            value: flow.net().watthours(),
        });
        Ok(Self::Points(net.into_iter().collect()))
    }

    /// Appends the next points, some thousands at most; false after the last one. Blocks on the
    /// disk.
    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        match self {
            Self::Power(readings, filter) => {
                let next = next_points(readings)?;
                let believed = next.map(|next| {
                    points.extend(next.filter_map(|Point { time, value }| {
                        let value = filter.believed(time, value)?;
                        Some(Point { time, value })
                    }));
                });
                Ok(believed.is_some())
            }
            Self::PowerBuckets(buckets) => buckets.next_run(points),
            Self::HeldMeans(means) => means.next_run(points),
            Self::MeanPower(power) => power.next_run(|point| points.push(point)),
            Self::MeanPowerBuckets(power, fold) => {
                let more = power.next_run(|point| fold.add(point, points))?;
                if !more {
                    fold.close(points);
                }
                Ok(more)
            }
            Self::Imported(stretches, range) => {
                let (start, end) = (range.start(), range.end());
                stretches.next_run(|stretch| {
                    points.push(Point {
                        time: stretch.to.min(end),
                        value: stretch.flow_between(start, end).imported.watthours(),
                    });
                })
            }
            Self::ImportedBuckets(energy, calendar) => {
                let mut slots = Vec::new();
                let more = energy.next_run(&mut slots, &mut Vec::new())?;
                points.extend(slots.iter().map(|slot: &SlotEnergy| Point {
                    // A bucket that the range clips has its own start, too.
                    time: calendar.bucket(slot.start).start(),
                    value: slot.flow.imported.watthours(),
                }));
                Ok(more)
            }
            Self::Points(known) => {
                points.append(known);
                Ok(false)
            }
        }
    }
}

impl MeanPower {
    fn new(
        store: &Store,
        sensor: &SensorId,
        (meter, facts): (Meter, Facts),
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        // Factors are for energy: power stays as in the registers, as it does where the sensor
        // measures it.
        let facts = Facts {
            calibrations: Calibrations::default(),
            ..facts
        };
        // A register at the start counts: the stretch before it ends there.
        let times = range.start().saturating_add_millis(-1)..range.end();
        let stretches = LedgerStretches::new(store, sensor, (meter, facts), times)?;
        Ok(Self { stretches, range })
    }

    fn next_run(&mut self, mut sink: impl FnMut(Point)) -> Result<bool, StoreError> {
        let range = self.range;
        self.stretches.next_run(|stretch| {
            if range.contains(stretch.to) {
                sink(Point {
                    time: stretch.to,
                    value: mean_power(stretch),
                });
            }
        })
    }
}

impl MeanPowerFold {
    fn add(&mut self, point: Point, points: &mut Vec<Point>) {
        if self
            .open
            .is_some_and(|open| !open.times.contains(point.time))
        {
            self.close(points);
        }
        self.open.get_or_insert_with(|| self.slots.slot(point.time));
        self.fold.add_values(&[point.time], &[point.value]);
    }

    fn close(&mut self, points: &mut Vec<Point>) {
        if let Some((slot, so_far)) = self.open.take().zip(self.fold.take()) {
            points.push(Point {
                time: slot.start,
                value: aggregated(&so_far, self.aggregate),
            });
        }
    }
}

/// Whether the sensor ever uploaded power.
fn has_power(store: &Store, sensor: &SensorId) -> Result<bool, StoreError> {
    Ok(store.power_at(sensor, Timestamp::MAX)?.is_some())
}

/// In watts.
fn mean_power(stretch: &Stretch) -> f64 {
    mean_watts(stretch.flow.net(), stretch.length_ms())
}

#[cfg(test)]
mod tests;
