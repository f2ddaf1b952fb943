//! The part of the house that each sensor measures, and its position inside others.

use thiserror::Error;

use super::sums::{HouseSum, HouseSums, MeasuredSlot};
use crate::domain::{MicroWh, Role};
use crate::ledger::stretch::Flow;

/// A sensor's place in the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedSensor {
    /// The part that it measures.
    pub role: Role,
    /// Of a sub-meter: the sensor that it lies inside of, by its place in the list; `None` for the
    /// house itself. Of other sensors it means nothing.
    pub inside: Option<usize>,
    /// Whether it ever uploaded. If not, it counts for nothing.
    pub has_uploaded: bool,
}

/// Why a list of sensors is not a house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// A sub-meter lies inside of a sensor that is not in the list.
    #[error(
        "sensor {sensor} is part of sensor {inside}, which is not in the list: expected one from 0 to the last"
    )]
    NoSuchSensor {
        /// The sub-meter.
        sensor: usize,
        /// The parent that it is said to have.
        inside: usize,
    },
    /// A sub-meter lies inside of itself, by way of others perhaps.
    #[error("sensor {sensor} is part of itself: expected a part of the house in the end")]
    Cycle {
        /// The sub-meter.
        sensor: usize,
    },
}

/// The sensors of a house, each at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HousePlan {
    sensors: Vec<CountedSensor>,
}

/// A sensor as it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CountedSensor {
    role: Role,
    has_uploaded: bool,
    /// The sensor that a sub-meter is subtracted from; `None` for the house.
    parent: Option<usize>,
}

impl HousePlan {
    /// The plan of such sensors.
    ///
    /// # Errors
    /// [`PlanError`] if a sub-meter lies inside of itself, or of a sensor that is not in the list.
    pub fn new(sensors: &[PlacedSensor]) -> Result<Self, PlanError> {
        let counted = sensors.iter().enumerate().map(|(index, sensor)| {
            Ok(CountedSensor {
                role: sensor.role,
                has_uploaded: sensor.has_uploaded,
                parent: parent(sensors, index)?,
            })
        });
        let sensors = counted.collect::<Result<_, _>>()?;
        Ok(Self { sensors })
    }

    /// This plan for some of its sensors; then none lies inside another.
    #[must_use]
    pub fn only(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let all = self.sensors.iter().enumerate();
        let kept = all.filter(|(place, _)| is_kept(*place));
        let alone = |sensor: &CountedSensor| CountedSensor {
            parent: None,
            ..*sensor
        };
        let sensors = kept.map(|(_, sensor)| alone(sensor)).collect();
        Self { sensors }
    }

    /// The sub-meter at this place lies inside of the one at that place; `None` if it lies inside
    /// of none.
    #[must_use]
    pub fn parent(&self, place: usize) -> Option<usize> {
        let parent = self.sensors.get(place)?.parent?;
        let is_sub_meter = self.sensors.get(parent)?.role == Role::SubMeter;
        is_sub_meter.then_some(parent)
    }

    /// The sums of the house in a slot of `length_ms`. `slots` has the energy that each sensor
    /// measured in it, in the order of the plan; a sensor beyond its end is not known. `netted` is
    /// the energy that phases measured as both imported and exported, and that their meter nets.
    #[must_use]
    pub fn sums(&self, length_ms: i64, slots: &[MeasuredSlot], netted: MicroWh) -> HouseSums {
        let unknown = MeasuredSlot::unknown(length_ms);
        let slot = |index| slots.get(index).copied().unwrap_or(unknown);
        let mut sums = HouseSums::nothing(self.sensors.len());
        for (index, sensor) in self.uploading() {
            let slot = slot(index);
            sums.count_part(sensor.role, &slot);
            if let Some(own) = sums.sensors.get_mut(index) {
                *own = HouseSum::of(&slot, Flow::net);
            }
        }
        for both in [&mut sums.imported, &mut sums.exported] {
            *both = both.without(netted);
        }
        // Without the grid, the rest is not the consumption of the house.
        sums.used = sums.used.known_with(sums.imported);
        for (index, sensor) in self.uploading() {
            if sensor.role != Role::SubMeter {
                continue;
            }
            let Some(own) = sums.sensors.get(index).copied() else {
                continue;
            };
            let whole = match sensor.parent {
                Some(parent) => sums.sensors.get(parent).copied().unwrap_or_default(),
                None => sums.used,
            };
            let other = match sensor.parent {
                Some(parent) => sums.others.get_mut(parent),
                None => Some(&mut sums.other),
            };
            if let Some(other) = other {
                *other = Some(other.unwrap_or(whole).less(own).known_with(whole));
            }
        }
        sums
    }

    fn uploading(&self) -> impl Iterator<Item = (usize, &CountedSensor)> {
        let all = self.sensors.iter().enumerate();
        all.filter(|(_, sensor)| sensor.has_uploaded)
    }
}

/// The sensor that a sub-meter is subtracted from.
fn parent(sensors: &[PlacedSensor], index: usize) -> Result<Option<usize>, PlanError> {
    let mut at = index;
    // A sensor inside the grid's meter is inside the house; a sensor inside a sub-meter that never
    // uploaded is inside that one's parent.
    let mut parent = None;
    for _ in 0..=sensors.len() {
        let Some(sensor) = sensors.get(at) else { break };
        let Some(inside) = sensor.inside.filter(|_| sensor.role == Role::SubMeter) else {
            return Ok(parent);
        };
        let Some(around) = sensors.get(inside) else {
            return Err(PlanError::NoSuchSensor { sensor: at, inside });
        };
        let is_passed_over =
            around.role.is_at_grid() || around.role == Role::SubMeter && !around.has_uploaded;
        if parent.is_none() && !is_passed_over {
            parent = Some(inside);
        }
        at = inside;
    }
    Err(PlanError::Cycle { sensor: index })
}

impl HouseSums {
    /// Counts a sensor to the sums that it belongs to.
    fn count_part(&mut self, role: Role, slot: &MeasuredSlot) {
        let count = |sum: &mut HouseSum, energy: fn(Flow) -> MicroWh| {
            *sum = sum.and(HouseSum::of(slot, energy));
        };
        let given: fn(Flow) -> MicroWh = |flow| -flow.net();
        match role {
            Role::Grid => {
                count(&mut self.imported, |flow| flow.imported);
                count(&mut self.exported, |flow| flow.exported);
            }
            Role::GridImport => count(&mut self.imported, Flow::net),
            Role::GridExport => count(&mut self.exported, Flow::net),
            Role::Solar => count(&mut self.produced, Flow::net),
            Role::Battery => {
                count(&mut self.charged, |flow| flow.imported);
                count(&mut self.discharged, |flow| flow.exported);
            }
            Role::BatteryCharge => count(&mut self.charged, Flow::net),
            Role::BatteryDischarge => count(&mut self.discharged, Flow::net),
            Role::SubMeter => {}
        }
        match role {
            Role::Grid | Role::GridImport | Role::Solar | Role::BatteryDischarge => {
                count(&mut self.used, Flow::net);
            }
            Role::GridExport | Role::Battery | Role::BatteryCharge => {
                count(&mut self.used, given);
            }
            Role::SubMeter => {}
        }
    }
}
