//! Several sensors together: power and energy over a range, added up.
//!
//! - `energy_bar`: the energy of a bucket, as far as it is known

mod energy_bar;

use std::collections::BTreeMap;

pub use self::energy_bar::EnergyBar;
use super::flows::SensorFlows;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::number::finite;
use crate::domain::{Calendar, Interval, MicroWh, Role, TimeRange, Timestamp, Zone};
use crate::ledger::{Event, EventKind, Flow};
use crate::query::{MAX_COLUMNS, Point, PowerProfile, mean_by_interval, power};
use crate::store::{Store, StoreError};

/// Sensors without overlap: a single one, those at the grid, or all that determine the consumption
/// of a house. Among several, energy that is fed into the grid or stored counts negatively. All
/// methods block on the disk.
#[derive(Clone, Copy)]
pub struct SensorGroup<'a> {
    /// The store that has their readings.
    pub store: &'a Store,
    /// The sensors.
    pub house: &'a HouseSensors,
    /// The zone of the buckets for the sums of several sensors.
    pub zone: &'a Zone,
}

impl SensorGroup<'_> {
    /// Power in `range`, both ends included, for a picture with at most so many `columns`; `None`
    /// if there are no readings.
    ///
    /// One sensor's power is that of its readings, with its sign. The power of several is the sum
    /// of their means by an interval that makes at most `columns` points (or is a year), of the
    /// buckets with readings of all sensors. `columns` is limited as in [`power`].
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn power(
        &self,
        range: TimeRange,
        columns: u32,
    ) -> Result<Option<PowerProfile>, StoreError> {
        // Nothing to add up, so the readings themselves can be shown.
        if let [it] = self.house.sensors.as_slice() {
            return power(self.store, &it.sensor.id, it.meter(), range, columns);
        }
        let points = self.mean_power(range, interval_for(range, columns))?;
        Ok(PowerProfile::of_readings(points))
    }

    /// The sum of the means of power by `interval`, of the buckets with readings of all sensors.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn mean_power(
        &self,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Vec<Point>, StoreError> {
        let mut sums = Sums::default();
        for it in &self.house.sensors {
            let by = (self.zone.clone(), interval);
            let points = mean_by_interval(self.store, &it.sensor.id, it.meter(), range, by)?;
            sums.add(points, self.sign_of(it.sensor.role));
        }
        // A sum without one of the sensors would look like a fall of power.
        sums.0
            .retain(|_, (_, count)| *count == self.house.sensors.len());
        Ok(sums.into_points())
    }

    /// Watt-hours in `range`, drawn less fed back; `None` if nothing is known.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energy(&self, range: TimeRange) -> Result<Option<f64>, StoreError> {
        let (mut sum, mut is_known) = (MicroWh::ZERO, false);
        for it in &self.house.sensors {
            let ends = [range.start(), range.end()];
            let slots = it.between(self.store, &ends)?.all_slots()?;
            for slot in slots {
                sum = sum + self.signed(it.sensor.role, slot.flow.net());
                is_known |= self.is_telling(it.sensor.role);
            }
        }
        Ok(is_known.then_some(sum.watthours()))
    }

    /// Energy by `interval`, drawn less fed back, of each bucket with known energy, ascending. And
    /// the resets of all counters: all are counted, and the first `max` listed, ascending.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energy_by(
        &self,
        range: TimeRange,
        interval: Interval,
        max: usize,
    ) -> Result<(Vec<EnergyBar>, Resets), StoreError> {
        let sensors = &self.house.sensors;
        let within = range.start()..range.end();
        let by = (self.zone, interval);
        // Only differences of import and export are shown: netting would not change them.
        let each = |it: &HouseSensor| it.by_interval(self.store, within.clone(), by);
        let flows = SensorFlows::new(sensors, each)?;
        let mut resets = Resets::default();
        let slots = flows.all(|event| resets.add(&event, max))?;
        resets.first.sort_by_key(|reset| reset.time);
        resets.first.truncate(max);
        let role = |place: usize| sensors.get(place).map(|it| it.sensor.role);
        let energy = |place, flow: Flow| {
            let signed = role(place).map(|role| self.signed(role, flow.net()));
            signed.unwrap_or_default()
        };
        let tells = |place| role(place).is_some_and(|role| self.is_telling(role));
        let calendar = Calendar::new(self.zone.clone(), interval);
        Ok((EnergyBar::all(&slots, calendar, energy, tells), resets))
    }

    /// Whether a sensor's energy is enough for a sum: without the grid, the consumption of a house
    /// is unknown.
    fn is_telling(&self, role: Role) -> bool {
        let is_of_grid = |it: &HouseSensor| it.sensor.role.is_at_grid();
        let of_house = self.house.sensors.len() > 1 && !self.house.sensors.iter().all(is_of_grid);
        !of_house || matches!(role, Role::Grid | Role::GridImport)
    }

    /// An energy as it counts in the sum.
    fn signed(&self, role: Role, energy: MicroWh) -> MicroWh {
        if self.sign_of(role) < 0.0 {
            -energy
        } else {
            energy
        }
    }

    /// Shown alone, all count as they are.
    fn sign_of(&self, role: Role) -> f64 {
        let is_taken_off = role.is_taken_off() && self.house.sensors.len() > 1;
        if is_taken_off { -1.0 } else { 1.0 }
    }
}

/// A counter that restarted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reset {
    /// The time of the first register after it.
    pub time: Timestamp,
    /// The last register before it, in watt-hours.
    pub before: f64,
    /// The first register after it, in watt-hours.
    pub after: f64,
}

/// The resets of counters in a range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resets {
    /// The first of them.
    pub first: Vec<Reset>,
    /// Their number.
    pub count: u64,
}

impl Resets {
    /// Adds an event if it is a reset; of each sensor at most `max` are listed.
    fn add(&mut self, event: &Event, max: usize) {
        if event.kind != EventKind::Reset {
            return;
        }
        self.count += 1;
        let shown = |register: Option<MicroWh>| register.unwrap_or_default().watthours();
        // A chart has a handful of sensors.
        if self.first.len() < max.saturating_mul(8) {
            self.first.push(Reset {
                time: event.time,
                before: shown(event.before),
                after: shown(event.after),
            });
        }
    }
}

/// Sums by time, and of how many sensors each is.
#[derive(Default)]
struct Sums(BTreeMap<Timestamp, (f64, usize)>);

impl Sums {
    fn add(&mut self, points: Vec<Point>, sign: f64) {
        for point in points {
            let (sum, count) = self.0.entry(point.time).or_default();
            *sum = finite(*sum + sign * point.value);
            *count += 1;
        }
    }

    fn into_points(self) -> Vec<Point> {
        let sums = self.0.into_iter();
        sums.map(|(time, (value, _))| Point { time, value })
            .collect()
    }
}

/// The shortest interval, up to a year, that fits into the range at most `columns` times, which are
/// limited as in [`power`].
#[must_use]
pub fn interval_for(range: TimeRange, columns: u32) -> Interval {
    let most = i64::from(columns.clamp(1, MAX_COLUMNS));
    let fits = |interval: &Interval| range.length_ms() / interval.length_ms() <= most;
    // The intervals are in ascending order. Nothing is longer than a year, and all supported years
    // are no more than the limit.
    Interval::ALL
        .into_iter()
        .find(fits)
        .unwrap_or(Interval::Year)
}

#[cfg(test)]
mod tests;
