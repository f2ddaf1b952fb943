//! Events: oddities of sensors' readings, found by the ledger.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::admin::error::AdminError;
use crate::admin::sensors::registered;
use crate::domain::{AccountName, MicroWh, Sensor, SensorId, Timestamp};
use crate::ledger::{Event, EventKind};
use crate::query::ledger_events;
use crate::store::{Store, StoreError};

/// An event, as shown by commands and the API. Times are in the API's form, energies in watt-hours
/// (docs/ENERGY.md).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// The account of its sensor.
    pub account: String,
    /// Its sensor.
    pub sensor_id: String,
    /// Its kind.
    pub kind: EventKind,
    /// The last good reading before it.
    pub since: String,
    /// The first odd reading; distinguishes the events of a sensor.
    pub time: String,
    /// The reading that ends it.
    pub until: String,
    /// The register at `since`.
    pub before: Option<f64>,
    /// The register at `time`.
    pub after: Option<f64>,
    /// The energy that counts; negative if exported.
    pub counted: f64,
    /// Whether a person has to decide.
    pub open: bool,
    /// Whether a person has decided.
    pub decided: bool,
}

/// The first events of a range, by time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPage {
    /// At most [`Self::MOST`] of them.
    pub events: Vec<EventRow>,
    /// Whether there are more, all of them at the time of the last one or later.
    pub more: bool,
}

/// A selection of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventsAsked {
    /// The first millisecond since 1970.
    pub start_ms: i64,
    /// The last millisecond since 1970.
    pub end_ms: i64,
    /// Only events that a person must decide.
    pub only_open: bool,
}

/// The events of sensors by time, one after another. The walk holds a few events of each sensor,
/// however many there are.
pub struct EventWalk {
    sensors: Vec<SensorEvents>,
    end: Timestamp,
    only_open: bool,
}

/// The next events of a sensor.
struct SensorEvents {
    id: SensorId,
    ahead: VecDeque<Event>,
    /// Where later events may be; `None` if there are none.
    from: Option<Timestamp>,
}

/// The number of a sensor's events that are looked for at once.
const MOST_AHEAD: usize = 128;

impl EventPage {
    /// The most events of one answer.
    pub const MOST: usize = 10_000;

    /// Returns the events of these sensors. May block on disk reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of<'a>(
        store: &Store,
        sensors: impl Iterator<Item = &'a Sensor>,
        asked: &EventsAsked,
    ) -> Result<Self, StoreError> {
        let mut walk = EventWalk::new(sensors, asked);
        let mut events = Vec::new();
        while events.len() < Self::MOST
            && let Some(row) = walk.next_row(store)?
        {
            events.push(row);
        }
        let more = events.len() == Self::MOST && walk.next_row(store)?.is_some();
        Ok(Self { events, more })
    }
}

impl EventWalk {
    /// A walk through the events of these sensors.
    #[must_use]
    pub fn new<'a>(sensors: impl Iterator<Item = &'a Sensor>, asked: &EventsAsked) -> Self {
        let [start, end] = [asked.start_ms, asked.end_ms.saturating_add(1)]
            .map(|ms| Timestamp::from_millis(ms).unwrap_or(Timestamp::MAX));
        let sensors = sensors.map(|sensor| SensorEvents {
            id: sensor.id.clone(),
            ahead: VecDeque::new(),
            from: Some(start),
        });
        Self {
            sensors: sensors.collect(),
            end,
            only_open: asked.only_open,
        }
    }

    /// Returns the next event; `None` after the last one. May block on disk reads.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_row(&mut self, store: &Store) -> Result<Option<EventRow>, StoreError> {
        for it in &mut self.sensors {
            it.look_ahead(store, self.end, self.only_open)?;
        }
        let next = self.sensors.iter_mut().filter_map(|it| {
            let time = it.ahead.front()?.time;
            Some((time, it))
        });
        let next = next.min_by(|(one, its), (other, others)| {
            one.cmp(other).then_with(|| its.id.cmp(&others.id))
        });
        let Some((id, event)) = next.and_then(|(_, it)| Some((&it.id, it.ahead.pop_front()?)))
        else {
            return Ok(None);
        };
        let registry = store.registry();
        let account = registry.sensor(id).map(|sensor| &sensor.account);
        Ok(Some(EventRow::new((account, id), &event)))
    }
}

impl SensorEvents {
    fn look_ahead(
        &mut self,
        store: &Store,
        end: Timestamp,
        only_open: bool,
    ) -> Result<(), StoreError> {
        let Some(from) = self.from.filter(|_| self.ahead.is_empty()) else {
            return Ok(());
        };
        let registry = store.registry();
        // The sensor may have been removed since the walk began.
        let Some(sensor) = registry.sensor(&self.id) else {
            self.from = None;
            return Ok(());
        };
        let is_asked = |event: &Event| event.is_open || !only_open;
        let (meter, most) = (registry.metered(sensor), (is_asked, MOST_AHEAD));
        let events = ledger_events(store, &self.id, meter, from..end, most)?;
        let last = events.last().filter(|_| events.len() == MOST_AHEAD);
        // No two events of a sensor have the same time.
        self.from = last.map(|last| last.time.saturating_add_millis(1));
        self.ahead = events.into();
        Ok(())
    }
}

impl EventRow {
    fn new((account, sensor): (Option<&AccountName>, &SensorId), event: &Event) -> Self {
        Self {
            account: account.map(ToString::to_string).unwrap_or_default(),
            sensor_id: sensor.to_string(),
            kind: event.kind,
            since: event.since.to_string(),
            time: event.time.to_string(),
            until: event.until.to_string(),
            before: event.before.map(MicroWh::watthours),
            after: event.after.map(MicroWh::watthours),
            counted: event.counted.watthours(),
            open: event.is_open,
            decided: event.is_decided,
        }
    }
}

pub(super) fn list(
    store: &Store,
    sensor: Option<String>,
    asked: &EventsAsked,
) -> Result<EventPage, AdminError> {
    let registry = store.registry();
    let one = sensor.map(|id| registered(store, &id)).transpose()?;
    let sensors = registry.sensors();
    let sensors = sensors.filter(|it| one.as_ref().is_none_or(|one| it.id == one.id));
    Ok(EventPage::of(store, sensors, asked)?)
}
