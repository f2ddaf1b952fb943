//! The newest value of a field, which tells a writer where to resume.

use crate::domain::{SensorId, Timestamp};
use crate::http::gate::AppState;
use crate::ingest::Quantity;
use crate::ingest::influx::FieldMapping;
use crate::query::{Point, newest};
use crate::store::{Grant, Store, StoreError};

/// A field of a measurement with these tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldSeries {
    pub(crate) measurement: String,
    pub(crate) tags: Vec<(String, String)>,
    pub(crate) field: String,
}

/// The sensor and the quantity that a series maps to, if the sensor belongs to the account of
/// `grant`.
pub(crate) fn target(
    app: &AppState,
    mapping: &FieldMapping,
    grant: &Grant,
    series: &FieldSeries,
) -> Option<(SensorId, Quantity)> {
    let tag = |name: &str| {
        let found = series.tags.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    };
    let target = mapping.target(&series.measurement, tag, &series.field);
    let registry = app.store.registry();
    let is_theirs =
        |sensor: &SensorId| registry.authorized_sensor(&grant.account, sensor).is_some();
    // A sensor of another account is answered like a series without values, so that its existence
    // is not revealed.
    target.ok().filter(|(sensor, _)| is_theirs(sensor))
}

/// The newest value up to `end`, in the field's own unit. May block on disk reads.
pub(crate) fn last(
    store: &Store,
    (sensor, quantity): &(SensorId, Quantity),
    end: Timestamp,
) -> Result<Option<Point>, StoreError> {
    let newest = newest(store, sensor, quantity.measure(), end)?;
    Ok(newest.map(|point| Point {
        value: quantity.number_of(point.value),
        ..point
    }))
}
