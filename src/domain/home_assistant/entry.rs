//! The Home Assistant of an account, as people enter it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::address::HomeAssistantAddress;
use crate::domain::SensorId;
use crate::domain::name::name;
use crate::domain::words::words;

name! {
    /// The id of an entity or a statistic of Home Assistant: 1 to 255 bytes of UTF-8 without control
    /// characters.
    EntityId, 255
}

/// The Home Assistant of an account. An account has one at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HomeAssistantEntry {
    /// Its address.
    pub address: HomeAssistantAddress,
    /// A file of the service with the token in its first line; `None` if the store keeps the token.
    #[serde(default)]
    pub token_file: Option<String>,
    /// The sensors that it feeds.
    #[serde(default)]
    pub sensors: Vec<FedSensor>,
    /// Whether the history of the account is sent to it.
    #[serde(default)]
    pub send: bool,
    /// The entities whose states are prices: each feeds the price series with its name.
    #[serde(default)]
    pub prices: Vec<EntityId>,
}

/// A sensor that Home Assistant feeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FedSensor {
    /// The sensor.
    pub sensor: SensorId,
    /// The entity with its register.
    #[serde(default)]
    pub energy: Option<EntityId>,
    /// The entity with its power.
    #[serde(default)]
    pub power: Option<FedPower>,
}

/// An entity with the power of a sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FedPower {
    /// The entity.
    pub entity: EntityId,
    /// The part of its value that is meant.
    pub part: PowerPart,
}

/// The part of an entity's power that a sensor gets. Home Assistant often has one entity for both
/// directions, and a sensor here has one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PowerPart {
    /// All of it, as it is.
    Whole,
    /// Its value if that is above 0, else 0.
    Positive,
    /// Its value without the sign if that is below 0, else 0.
    Negative,
}

words! { PowerPart: Whole "whole", Positive "positive", Negative "negative"; "whole, positive or negative" }

/// Why sensors cannot be fed together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FedError {
    /// There are too many.
    #[error("expected at most {} sensors", HomeAssistantEntry::MOST_SENSORS)]
    TooMany,
    /// There are too many prices.
    #[error(
        "expected at most {} entities with prices",
        HomeAssistantEntry::MOST_PRICES
    )]
    TooManyPrices,
    /// Two have the same id.
    #[error("two of them feed the sensor {0:?}; expected one entity for each")]
    SensorTwice(SensorId),
    /// One has no entity.
    #[error("the sensor {0:?} has no entity; expected one for its energy or for its power")]
    NoEntity(SensorId),
}

impl HomeAssistantEntry {
    /// The most of a service: each has connections of its own, and their tokens are one setting.
    pub const MOST_IN_ALL: usize = 50;
    /// The most sensors that one feeds: their description fits into a record.
    pub const MOST_SENSORS: usize = 60;

    /// The most entities with prices: of drawn energy, and of energy that is fed back.
    pub const MOST_PRICES: usize = 2;

    /// It with these entities of prices, unless there are none.
    #[must_use]
    pub fn with_prices<'a>(self, entities: impl Iterator<Item = &'a EntityId>) -> Self {
        let entities: BTreeSet<EntityId> = entities.cloned().collect();
        if entities.is_empty() {
            return self;
        }
        Self {
            prices: entities.into_iter().collect(),
            ..self
        }
    }

    /// Checks that its sensors can be fed together.
    ///
    /// # Errors
    /// A [`FedError`].
    pub fn check(&self) -> Result<(), FedError> {
        if self.sensors.len() > Self::MOST_SENSORS {
            return Err(FedError::TooMany);
        }
        if self.prices.len() > Self::MOST_PRICES {
            return Err(FedError::TooManyPrices);
        }
        let mut known = BTreeSet::new();
        for one in &self.sensors {
            if one.energy.is_none() && one.power.is_none() {
                return Err(FedError::NoEntity(one.sensor.clone()));
            }
            if !known.insert(&one.sensor) {
                return Err(FedError::SensorTwice(one.sensor.clone()));
            }
        }
        Ok(())
    }
}

impl FedSensor {
    /// Its entities.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        let power = self.power.as_ref().map(|power| &power.entity);
        self.energy.iter().chain(power)
    }
}

impl PowerPart {
    /// The part of a value. Adding 0 turns -0 into 0.
    #[must_use]
    pub fn of(self, watts: f64) -> f64 {
        match self {
            Self::Whole => watts + 0.0,
            Self::Positive => watts.max(0.0) + 0.0,
            Self::Negative => (-watts).max(0.0) + 0.0,
        }
    }

    /// The same of the reverse direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Whole => Self::Whole,
            Self::Positive => Self::Negative,
            Self::Negative => Self::Positive,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(sensor: &str, energy: Option<&str>) -> FedSensor {
        FedSensor {
            sensor: SensorId::new(sensor).unwrap(),
            energy: energy.map(|it| EntityId::new(it).unwrap()),
            power: None,
        }
    }

    #[test]
    fn each_sensor_has_an_entity_of_its_own() {
        let entry = |sensors| HomeAssistantEntry {
            address: "http://ha.lan:8123".parse().unwrap(),
            token_file: None,
            sensors,
            send: false,
            prices: Vec::new(),
        };
        let good = entry(vec![fed("a", Some("sensor.a")), fed("b", Some("sensor.a"))]);
        assert_eq!(good.check(), Ok(()));
        let text = serde_json::to_string(&good).unwrap();
        assert_eq!(
            serde_json::from_str::<HomeAssistantEntry>(&text).unwrap(),
            good
        );
        // An entry of before there were sensors.
        let old = r#"{"address":"http://ha.lan:8123","token_file":null}"#;
        assert_eq!(
            serde_json::from_str::<HomeAssistantEntry>(old).unwrap(),
            entry(Vec::new())
        );
        let twice = entry(vec![fed("a", Some("x")), fed("a", Some("y"))]);
        assert!(matches!(twice.check(), Err(FedError::SensorTwice(_))));
        assert!(matches!(
            entry(vec![fed("a", None)]).check(),
            Err(FedError::NoEntity(_))
        ));
        let many = (0..=HomeAssistantEntry::MOST_SENSORS).map(|it| fed(&it.to_string(), Some("x")));
        assert_eq!(entry(many.collect()).check(), Err(FedError::TooMany));
    }

    #[test]
    fn a_power_has_parts() {
        for (watts, positive, negative) in [(5.0, 5.0, 0.0), (-3.0, 0.0, 3.0), (0.0, 0.0, 0.0)] {
            assert_eq!(PowerPart::Whole.of(watts), watts);
            assert_eq!(PowerPart::Positive.of(watts), positive);
            assert_eq!(PowerPart::Negative.of(watts), negative);
        }
        assert!(PowerPart::Whole.of(-0.0).is_sign_positive());
        assert_eq!(PowerPart::Positive.reversed(), PowerPart::Negative);
    }
}
