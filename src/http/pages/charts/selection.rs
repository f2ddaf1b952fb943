//! The selection of a view: sensors, a range, and for energy the interval of its bars.

use crate::chart::{ChartData, ChartKind, PictureSize};
use crate::domain::{Interval, Role, Sensor, Timestamp, Zone};
use crate::house::{HouseSensors, SensorGroup};
use crate::http::pages::charts::view::{ChartSubject, View};
use crate::http::pages::frame::PageError;
use crate::http::pages::frame::range::{RangeCalendar, RangeChoice, RangeWord, ShownRange};
use crate::http::wire::ApiError;
use crate::query::{first_reading, newest};
use crate::store::{Measure, Store, StoreError};
use crate::texts::Language;

/// The number of columns in a picture of power.
pub(crate) const COLUMNS: u32 = 400;
/// The maximum number of bars in a picture of energy.
pub(crate) const MAX_BARS: i64 = 800;

/// The selection of a view.
pub(crate) struct Selection {
    /// The sensor's name, `Grid` or `House`.
    pub(crate) name: String,
    /// The sensors that the view shows together.
    pub(crate) house: HouseSensors,
    pub(crate) range: ShownRange,
    /// The calendar that the range was computed with.
    pub(crate) calendar: RangeCalendar,
    /// The shown view: the requested one, or the same view around the newest reading.
    pub(crate) view: View,
    /// The time of the newest reading, if there is none in the requested range.
    pub(crate) newest: Option<Timestamp>,
}

/// Whether the use of these sensors' house is known, and differs from its draw from the grid.
pub(crate) fn is_use_known(sensors: &[Sensor]) -> bool {
    let is = |of: fn(Role) -> bool| sensors.iter().any(|it| of(it.role));
    is(|role| matches!(role, Role::Grid | Role::GridImport))
        && is(|role| !role.is_at_grid() && role != Role::SubMeter)
}

/// The name and the sensors of `view`: one sensor, all at the grid, or all that determine the use
/// of the house. If none is at the grid, it is the first of `sensors`; `None` if there are no
/// sensors at all.
fn subject(
    view: &View,
    sensors: &[Sensor],
    language: &Language,
) -> Result<Option<(String, Vec<Sensor>)>, PageError> {
    let alone = |sensor: &Sensor| (sensor.name.clone(), vec![sensor.clone()]);
    let all = |of: fn(Role) -> bool| -> Vec<Sensor> {
        let these = sensors.iter().filter(|it| of(it.role));
        these.cloned().collect()
    };
    match &view.subject {
        ChartSubject::Sensor(id) => {
            let sensor = sensors.iter().find(|sensor| sensor.id == *id);
            sensor.map(alone).map(Some).ok_or(PageError::NotFound)
        }
        ChartSubject::House if is_use_known(sensors) => Ok(Some((
            language.say("chart-house"),
            all(|role| role != Role::SubMeter),
        ))),
        ChartSubject::House => Err(PageError::NotFound),
        ChartSubject::Grid => {
            let at_grid = all(Role::is_at_grid);
            if at_grid.is_empty() {
                return Ok(sensors.first().map(alone));
            }
            Ok(Some((language.say("chart-grid"), at_grid)))
        }
    }
}

impl Selection {
    /// Returns the selection of `view`; `None` if there are no sensors. May block on disk reads.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if the view's sensor is not in `sensors`, or if these do not
    /// determine the use of the house; [`PageError::Api`] for an interval that makes too many bars,
    /// or if the store could not be read.
    pub(crate) fn of(
        store: &Store,
        sensors: &[Sensor],
        view: &View,
        mut calendar: RangeCalendar,
    ) -> Result<Option<Self>, PageError> {
        let Some((name, sensors)) = subject(view, sensors, calendar.wording().language)? else {
            return Ok(None);
        };
        let newest = newest_outside(store, &sensors, view.range, &calendar);
        let newest = newest.map_err(ApiError::from)?;
        let view = match newest {
            Some(newest) => view.with_range(view.range.at_newest(newest)),
            None => view.clone(),
        };
        if view.range.word() == Some(RangeWord::All) {
            calendar.first = first_reading(store, &sensors).map_err(ApiError::from)?;
        }
        let range = calendar.shown(view.range);
        let range = match view.kind {
            ChartKind::Power => range,
            // A cut bar would look like a day with little use.
            ChartKind::Energy => calendar.in_whole(view.range, bar_length(&range, view.by)?),
        };
        Ok(Some(Self {
            name,
            house: HouseSensors::these(store, sensors.iter(), calendar.now())
                .map_err(ApiError::from)?,
            range,
            calendar,
            view,
            newest,
        }))
    }

    /// The dates of its range, for a file name.
    pub(crate) fn dates(&self) -> String {
        let [from, to] = self.calendar.dates(&self.range.range);
        if from == to {
            from.to_string()
        } else {
            format!("{from}-to-{to}")
        }
    }

    pub(crate) fn group<'a>(&'a self, store: &'a Store, zone: &'a Zone) -> SensorGroup<'a> {
        SensorGroup {
            store,
            house: &self.house,
            zone,
        }
    }

    /// The data of its chart. May block on disk reads.
    pub(crate) fn data(
        &self,
        kind: ChartKind,
        group: &SensorGroup<'_>,
    ) -> Result<ChartData, StoreError> {
        let of_energy = self.range.of_energy();
        match kind {
            ChartKind::Power => ChartData::power(group, self.range.of_power(), of_energy, COLUMNS),
            ChartKind::Energy => ChartData::energy(group, of_energy, self.range.interval),
        }
    }
}

/// The time of the newest reading, if `choice` ends now and the reading is before it. A reading in
/// the last hour counts as now.
fn newest_outside(
    store: &Store,
    sensors: &[Sensor],
    choice: RangeChoice,
    calendar: &RangeCalendar,
) -> Result<Option<Timestamp>, StoreError> {
    if !choice.is_now() {
        return Ok(None);
    }
    let mut last: Option<Timestamp> = None;
    for sensor in sensors {
        for measure in [Measure::Watts, Measure::Watthours] {
            let point = newest(store, &sensor.id, measure, calendar.now())?;
            last = last.max(point.map(|point| point.time));
        }
    }
    let an_hour_ago = calendar
        .now()
        .saturating_add_millis(-Interval::Hour.length_ms());
    let begin = calendar.shown(choice).range.start.min(an_hour_ago);
    Ok(last.filter(|time| *time < begin))
}

/// The requested interval, or else one that suits the range.
fn bar_length(range: &ShownRange, by: Option<Interval>) -> Result<Interval, ApiError> {
    match by {
        Some(by) if bars(range, by) <= MAX_BARS => Ok(by),
        Some(_) => Err(ApiError::InvalidField {
            name: "by".into(),
            problem: format!(
                "expected an interval that divides the range into at most {MAX_BARS} bars"
            ),
        }),
        None => Ok(ChartData::interval_for(
            range.of_energy(),
            PictureSize::WIDE.width(),
        )),
    }
}

/// The number of bars in a range, or slightly more.
pub(crate) fn bars(range: &ShownRange, by: Interval) -> i64 {
    const MS_PER_HOUR: i64 = 3_600_000;
    let length_ms = match by {
        // The shortest day.
        Interval::Day => 23 * MS_PER_HOUR,
        _ => by.length_ms(),
    };
    range.of_energy().length_ms() / length_ms
}
