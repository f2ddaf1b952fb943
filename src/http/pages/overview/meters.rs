//! The meters of a house, as rows of the dashboard: the sensors at the grid, the panels and the
//! batteries. Devices are in the list of uses instead.

use super::power_text::{PowerText, PowerTexts, key_of};
use crate::chart::Wording;
use crate::domain::{Role, Sensor, Timestamp};
use crate::house::last_reading_of;
use crate::http::pages::charts::View;
use crate::store::{Store, StoreError};

/// A meter.
pub(super) struct MeterRow {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) role: String,
    pub(super) power: PowerText,
    /// The time of the last reading, if nothing was uploaded because the readings were imported.
    pub(super) last_reading: Option<String>,
    pub(super) chart: String,
}

impl MeterRow {
    /// The rows of those sensors that are meters, each with the result of [`imported_until`].
    pub(super) fn all<'a>(
        sensors: impl Iterator<Item = (&'a Sensor, Option<Timestamp>)>,
        power: &PowerTexts,
        (view, wording): (&View, Wording<'_>),
    ) -> Vec<Self> {
        let language = wording.language;
        let meters = sensors.filter(|(it, _)| it.role != Role::SubMeter);
        let rows = meters.filter_map(|(sensor, last)| {
            let key = key_of(sensor.id.as_str());
            // The sensor may have been removed a moment ago.
            let power = power.get(&key).cloned()?;
            let its = view.of_sensor(&sensor.id);
            Some(Self {
                key,
                name: sensor.name.clone(),
                role: language.word("dashboard-role", Role::as_str(sensor.role)),
                power,
                last_reading: last.map(|time| {
                    let date = wording.date(time);
                    language.fill("dashboard-last-reading", [("date", date.into())])
                }),
                chart: format!("chart{}", its.query_string(wording.zone)),
            })
        });
        rows.collect()
    }
}

/// The time of the last reading of a sensor that never uploaded; `None` if it did, or if it has no
/// reading. May block on disk reads.
pub(super) fn imported_until(
    store: &Store,
    sensor: &Sensor,
) -> Result<Option<Timestamp>, StoreError> {
    let arrivals = store.activity(&sensor.id)?.and_then(|it| it.arrivals);
    match arrivals {
        Some(_) => Ok(None),
        None => last_reading_of(store, sensor),
    }
}
