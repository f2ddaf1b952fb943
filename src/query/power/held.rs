//! Power that stays until the next reading: its means are by time, not by the number of readings.

use std::ops::Range;
use std::slice;

use super::{Course, PowerProfile, mean_watts};
use crate::domain::number::finite;
use crate::domain::{
    Between, Calendar, Interval, Meter, MicroWh, SensorId, TimeRange, Timestamp, Zone,
};
use crate::ledger::{Calibrations, Facts};
use crate::query::column::Column;
use crate::query::ends::{first_in, newest};
use crate::query::ledger::{LedgerEnergy, SlotEnergy};
use crate::query::point::Point;
use crate::query::slots::Slots;
use crate::store::{Measure, Store, StoreError};

/// The mean power of each bucket with known power, also of one without readings: a result under
/// way.
pub(in crate::query) struct HeldMeans {
    energy: LedgerEnergy,
    calendar: Calendar,
}

impl HeldMeans {
    /// Those of a sensor whose power stays; `facts` are those in effect. Blocks on the disk.
    pub(in crate::query) fn new(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: TimeRange,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        let slots = Slots::flows(zone.clone(), interval);
        Ok(Self {
            energy: energy(store, sensor, meter, times(range), slots)?,
            calendar: Calendar::new(zone, interval),
        })
    }

    /// Appends the points of the next buckets; false after the last one. Blocks on the disk.
    pub(in crate::query) fn next_run(
        &mut self,
        points: &mut Vec<Point>,
    ) -> Result<bool, StoreError> {
        let mut slots = Vec::new();
        let is_more = self.energy.next_run(&mut slots, &mut Vec::new())?;
        let calendar = &mut self.calendar;
        points.extend(slots.iter().filter_map(|slot| {
            let value = mean_of(slice::from_ref(slot))?;
            // A bucket that the range clips has its own start, too.
            let time = calendar.bucket(slot.start).start();
            Some(Point { time, value })
        }));
        Ok(is_more)
    }
}

/// The profile of a few readings, and of the power at the ends of the range if the nearest readings
/// outside it are known.
pub(super) fn profile_of_readings(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    readings: Vec<Point>,
) -> Result<Option<PowerProfile>, StoreError> {
    let (start, end) = (range.start(), range.end());
    let before = newest(
        store,
        sensor,
        Measure::Watts,
        start.saturating_add_millis(-1),
    )?;
    let later = TimeRange::new(end, end.saturating_add_millis(Between::STAYS_MS));
    let later = later.and_then(TimeRange::after_start);
    let after = later.map(|later| first_in(store, sensor, Measure::Watts, later));
    let after = after.transpose()?.flatten();

    let stays_until = |point: &Point, time| apart_ms(point.time, time) <= Between::STAYS_MS;
    let at = |time, point: Point| Point { time, ..point };
    let first = readings.first().map(|first| first.time).or(after);
    let known = before
        .zip(first)
        .filter(|(point, first)| start < *first && stays_until(point, *first));
    let known = known.map(|(point, _)| at(start, point));
    // Without readings in the range, the one before it also gives the power at its end.
    let last = readings
        .last()
        .copied()
        .or(before.filter(|_| known.is_some()));
    let lasts = last
        .zip(after)
        .filter(|(point, after)| point.time < end && stays_until(point, *after));
    let lasts = lasts
        .map(|(point, _)| at(end, point))
        .filter(|_| start < end);
    let all: Vec<Point> = known.into_iter().chain(readings).chain(lasts).collect();

    let mean = mean_of_readings(&all);
    Ok(PowerProfile::of_readings(all).map(|profile| PowerProfile {
        mean: mean.unwrap_or(profile.mean),
        between: Between::Hold,
        ..profile
    }))
}

/// A profile of columns that are slots of the range, with means by time. `starts` are those of the
/// slots.
pub(super) fn profile_of_columns(
    store: &Store,
    sensor: &SensorId,
    meter: (Meter, Facts),
    range: TimeRange,
    (slots, starts): (Slots, &[Timestamp]),
    profile: PowerProfile,
) -> Result<PowerProfile, StoreError> {
    let slots = energy(store, sensor, meter, times(range), slots)?.all_slots()?;
    let mean_at = |start: &Timestamp| {
        let place = slots.binary_search_by_key(start, |slot| slot.start).ok()?;
        mean_of(slots.get(place..=place)?)
    };
    let course = match profile.course {
        Course::Readings(readings) => Course::Readings(readings),
        Course::Columns(columns) => {
            let each = columns.into_iter().zip(starts);
            let each = each.map(|(column, start)| match mean_at(start) {
                None => column,
                // The power at the beginning of the column may be outside of its readings.
                Some(mean) => Column {
                    mean,
                    min: column.min.min(mean),
                    max: column.max.max(mean),
                    ..column
                },
            });
            Course::Columns(each.collect())
        }
    };
    Ok(PowerProfile {
        mean: mean_of(&slots).unwrap_or(profile.mean),
        course,
        between: Between::Hold,
        ..profile
    })
}

/// Power as energy, by slots.
fn energy(
    store: &Store,
    sensor: &SensorId,
    (meter, facts): (Meter, Facts),
    times: Range<Timestamp>,
    slots: Slots,
) -> Result<LedgerEnergy, StoreError> {
    // Corrections of energy do not act on power.
    let facts = Facts {
        calibrations: Calibrations::default(),
        energies: Vec::new(),
        ..facts
    };
    LedgerEnergy::of_power_by(store, sensor, (meter, facts), times, slots)
}

/// The times of a range. Its end has no length.
fn times(range: TimeRange) -> Range<Timestamp> {
    range.start()..range.end()
}

/// The mean power of slots, as far as it is known.
fn mean_of(slots: &[SlotEnergy]) -> Option<f64> {
    let energy: MicroWh = slots.iter().map(|slot| slot.flow.net()).sum();
    let ms: i64 = slots.iter().map(|slot| slot.measured_ms).sum();
    (ms > 0).then(|| mean_watts(energy, ms))
}

/// The mean of readings that each stay until the next one; `None` if none of them does.
fn mean_of_readings(readings: &[Point]) -> Option<f64> {
    let neighbours = readings.iter().zip(readings.iter().skip(1));
    let spans = neighbours.map(|(before, after)| (before.value, apart_ms(before.time, after.time)));
    let spans: Vec<(f64, i64)> = spans.filter(|(_, ms)| *ms <= Between::STAYS_MS).collect();
    let all_ms: i64 = spans.iter().map(|(_, ms)| ms).sum();
    #[expect(
        clippy::cast_precision_loss,
        reason = "below 2^53: the supported years have fewer milliseconds"
    )]
    let share = |ms: i64| ms as f64 / all_ms as f64;
    // Shares are added up, so that the sum cannot be infinite.
    let parts = spans.iter().map(|(watts, ms)| watts * share(*ms));
    (all_ms > 0).then(|| finite(parts.sum()))
}

fn apart_ms(before: Timestamp, after: Timestamp) -> i64 {
    after.millis() - before.millis()
}
