//! What a view selects: sensors, a range, and of energy the interval of its bars.

use crate::chart::{ChartData, ChartKind};
use crate::domain::{Interval, Role, Sensor, Timestamp, Zone};
use crate::http::pages::charts::range::{RangeChoice, ShownRange};
use crate::http::pages::charts::view::View;
use crate::http::pages::frame::PageError;
use crate::http::wire::ApiError;
use crate::query::{SensorGroup, first_reading};
use crate::store::{Store, StoreError};

/// The columns of a picture of power.
pub(crate) const COLUMNS: u32 = 400;
/// The most bars of a picture of energy.
pub(crate) const MAX_BARS: i64 = 800;
/// The width and the height of a picture for wide windows, in pixels.
pub(crate) const WIDE: (u16, u16) = (1_040, 340);

/// What a view selects.
pub(crate) struct Selection {
    /// The sensor's name, or that of the house.
    pub(crate) name: String,
    /// The sensors that the view shows together.
    pub(crate) sensors: Vec<Sensor>,
    pub(crate) range: ShownRange,
    /// The length of a bar; of no meaning for power.
    pub(crate) interval: Interval,
}

/// The name and the sensors of `view`: one sensor, or all at the grid. If none is at the grid, it is the first of `sensors`; `None`
/// if there are no sensors at all.
fn subject(view: &View, sensors: &[Sensor]) -> Result<Option<(String, Vec<Sensor>)>, PageError> {
    let alone = |sensor: &Sensor| (sensor.name.clone(), vec![sensor.clone()]);
    if let Some(id) = &view.sensor {
        let sensor = sensors.iter().find(|sensor| sensor.id == *id);
        return sensor.map(alone).map(Some).ok_or(PageError::NotFound);
    }
    let at_grid = sensors.iter().filter(|sensor| sensor.role == Role::Grid);
    let at_grid: Vec<Sensor> = at_grid.cloned().collect();
    if at_grid.is_empty() {
        return Ok(sensors.first().map(alone));
    }
    Ok(Some(("House".into(), at_grid)))
}

impl Selection {
    /// What `view` selects; `None` if there are no sensors. Blocks on the disk.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if the view's sensor is none of `sensors`; [`PageError::Api`] for an interval that makes too many
    /// bars, or if the store could not be read.
    pub(crate) fn of(
        store: &Store,
        sensors: &[Sensor],
        view: &View,
        (zone, now): (&Zone, Timestamp),
    ) -> Result<Option<Self>, PageError> {
        let Some((name, sensors)) = subject(view, sensors)? else {
            return Ok(None);
        };
        let first = match view.range {
            RangeChoice::All => first_reading(store, &sensors).map_err(ApiError::from)?,
            _ => None,
        };
        let range = view.range.shown(now, first, zone);
        let (range, interval) = match view.kind {
            // Any interval: power has no bars.
            ChartKind::Power => (range, Interval::Hour),
            ChartKind::Energy => {
                // A cut bar would look like a day of little use.
                let interval = bar_length(&range, view.by)?;
                (range.in_whole(interval, zone), interval)
            }
        };
        Ok(Some(Self {
            name,
            sensors,
            range,
            interval,
        }))
    }

    pub(crate) fn group<'a>(&'a self, store: &'a Store, zone: &'a Zone) -> SensorGroup<'a> {
        SensorGroup {
            store,
            sensors: &self.sensors,
            zone,
        }
    }

    /// The data of its chart. Blocks on the disk.
    pub(crate) fn data(
        &self,
        kind: ChartKind,
        group: &SensorGroup<'_>,
    ) -> Result<ChartData, StoreError> {
        let of_energy = self.range.of_energy();
        match kind {
            ChartKind::Power => ChartData::power(group, self.range.of_power(), of_energy, COLUMNS),
            ChartKind::Energy => ChartData::energy(group, of_energy, self.interval),
        }
    }
}

/// The interval that was asked for, or else one that suits the range.
fn bar_length(range: &ShownRange, by: Option<Interval>) -> Result<Interval, ApiError> {
    let (width, _) = WIDE;
    match by {
        Some(by) if bars(range, by) <= MAX_BARS => Ok(by),
        Some(_) => Err(ApiError::InvalidField {
            name: "by".into(),
            problem: format!(
                "expected an interval that divides the range into at most {MAX_BARS} bars"
            ),
        }),
        None => Ok(ChartData::interval_for(range.of_energy(), width)),
    }
}

/// How many bars a range has, or a few more.
pub(crate) fn bars(range: &ShownRange, by: Interval) -> i64 {
    const MS_PER_HOUR: i64 = 3_600_000;
    let length_ms = match by {
        // The shortest day.
        Interval::Day => 23 * MS_PER_HOUR,
        _ => by.length_ms(),
    };
    range.of_energy().length_ms() / length_ms
}
