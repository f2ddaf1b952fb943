//! The measures of sensors that are read, and where each goes on.

use crate::domain::{
    AccountName, EntityId, FedSensor, Measures, PowerPart, Reading, SensorId, Timestamp,
};
use crate::store::{Registry, Store, StoreError};

/// A measure of a sensor, and the entity that it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReadSeries {
    pub(super) sensor: SensorId,
    pub(super) entity: EntityId,
    pub(super) measure: SeriesMeasure,
}

/// The measure of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeriesMeasure {
    /// A register.
    Register,
    /// Power, and which part of it.
    Power(PowerPart),
}

impl ReadSeries {
    /// All series of a sensor.
    pub(super) fn of(fed: &FedSensor) -> impl Iterator<Item = Self> {
        let series = |entity: &EntityId, measure| Self {
            sensor: fed.sensor.clone(),
            entity: entity.clone(),
            measure,
        };
        let energy = fed.energy.as_ref();
        let energy = energy.map(|entity| series(entity, SeriesMeasure::Register));
        let power = fed.power.as_ref();
        let power = power.map(|it| series(&it.entity, SeriesMeasure::Power(it.part)));
        energy.into_iter().chain(power)
    }

    /// The one whose history is read: power only of a sensor without a register, which has all of
    /// its energy.
    pub(super) fn with_history(fed: &FedSensor) -> Option<Self> {
        Self::of(fed).next()
    }

    /// Whether the account has its sensor, so that readings may be stored.
    pub(super) fn is_open(&self, registry: &Registry, account: &AccountName) -> bool {
        registry.authorized_sensor(account, &self.sensor).is_some()
    }

    /// The time of its newest reading until `now`. Blocks.
    pub(super) fn newest(
        &self,
        store: &Store,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        Ok(match self.measure {
            SeriesMeasure::Register => store.register_at(&self.sensor, now)?.map(|it| it.time),
            SeriesMeasure::Power(_) => store.power_at(&self.sensor, now)?.map(|it| it.time),
        })
    }

    /// A reading of it; `value` is in watt-hours or watts, of the entity.
    pub(super) fn reading(&self, time: Timestamp, value: f64) -> Option<Reading> {
        let measures = self.measures(value)?;
        Some(Reading { time, measures })
    }

    pub(super) fn measures(&self, value: f64) -> Option<Measures> {
        let measures = match self.measure {
            SeriesMeasure::Register => Measures::new(None, Some(value)),
            SeriesMeasure::Power(part) => Measures::new(Some(part.of(value)), None),
        };
        measures.ok()
    }
}
