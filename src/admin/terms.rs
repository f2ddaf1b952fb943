//! The settings of a sensor.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::names::{check_label, sensor_id};
use crate::domain::{
    Between, GridAnswer, MeterKind, PowerLimit, Role, Rollover, Sensor, Sign, SilentAfter,
};

/// Changes of a sensor's settings; `None` leaves a setting unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensorTerms {
    /// Its name, for people.
    pub name: Option<String>,
    /// The part of the house that it measures.
    pub role: Option<Role>,
    /// The kind of its register.
    pub register: Option<MeterKind>,
    /// The value after which its register starts again from 0.
    pub rollover: Option<OrNone<Rollover>>,
    /// The highest plausible power.
    pub plausible: Option<PowerLimit>,
    /// The sign of both measures.
    pub sign: Option<Sign>,
    /// The sign of its power. Takes precedence over `sign`.
    pub power_sign: Option<Sign>,
    /// The sign of its register. Takes precedence over `sign`.
    pub register_sign: Option<Sign>,
    /// Power between two readings.
    pub between: Option<Between>,
    /// The sensor that contains it.
    pub part_of: Option<OrNone<String>>,
    /// How long it may be silent before a notice opens.
    pub silent_after: Option<OrNone<SilentAfter>>,
    /// Whether it is published to Home Assistant.
    pub home_assistant: Option<bool>,
    /// Its kind, if it is not the first one at the grid.
    pub at_grid: Option<GridAnswer>,
}

/// A setting that can be cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrNone<T> {
    /// Clears it.
    None,
    /// Sets it.
    Is(T),
}

/// Parses `none`, or the setting.
impl<T: FromStr> FromStr for OrNone<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text {
            "none" => Ok(Self::None),
            text => text.parse().map(Self::Is),
        }
    }
}

impl<T> From<OrNone<T>> for Option<T> {
    fn from(setting: OrNone<T>) -> Self {
        match setting {
            OrNone::None => None,
            OrNone::Is(value) => Some(value),
        }
    }
}

/// A change of a sensor.
type SensorChange = Box<dyn FnOnce(&mut Sensor) + Send>;

impl SensorTerms {
    /// The change of a sensor that these terms request.
    pub(super) fn into_change(self) -> Result<SensorChange, AdminError> {
        check_label("name", self.name.as_deref().unwrap_or_default())?;
        let part_of = match self.part_of {
            Some(OrNone::Is(id)) => Some(Some(sensor_id(&id)?)),
            Some(OrNone::None) => Some(None),
            None => None,
        };
        Ok(Box::new(move |sensor| {
            sensor.name = match self.name {
                // An empty name resets it to the default, which is the id.
                Some(name) if name.is_empty() => sensor.id.to_string(),
                Some(name) => name,
                None => std::mem::take(&mut sensor.name),
            };
            let meter = &mut sensor.meter;
            sensor.role = self.role.unwrap_or(sensor.role);
            meter.kind = self.register.unwrap_or(meter.kind);
            meter.rollover = self.rollover.map_or(meter.rollover, Option::from);
            meter.limit = self.plausible.unwrap_or(meter.limit);
            let power_sign = self.power_sign.or(self.sign);
            meter.power_sign = power_sign.unwrap_or(meter.power_sign);
            let register_sign = self.register_sign.or(self.sign);
            meter.register_sign = register_sign.unwrap_or(meter.register_sign);
            meter.between = self.between.unwrap_or(meter.between);
            sensor.part_of = part_of.unwrap_or(sensor.part_of.take());
            sensor.silent_after = self.silent_after.map_or(sensor.silent_after, Option::from);
            sensor.is_announced = self.home_assistant.unwrap_or(sensor.is_announced);
        }))
    }
}
