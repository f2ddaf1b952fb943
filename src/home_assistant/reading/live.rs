//! Missed states, and each new one. The connection with the events is opened first, so that nothing
//! is between the two; the events of an entity wait until its missed states are stored.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::base::HomeBase;
use super::feeds::PriceFeeds;
use super::history::HistoryReader;
use super::missed::MissedStates;
use super::progress::ReadStage;
use super::series::{ReadSeries, SeriesMeasure};
use super::states::{SaidValue, each_in_event};
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{EntityId, Secret, Timestamp, UploadedReading};
use crate::home_assistant::asking::{AskedEvents, AskedLink, PassEnd};
use crate::home_assistant::error::HomeAssistantError;
use crate::ingest::table::{ImportMeasure, SeriesUnit};
use crate::ingest::{DeviceAccount, DeviceKind, DeviceReading, IncomingMessage, Protocol, Way};

/// The pause after an event: so many events a second are taken at most.
const PAUSE: Duration = Duration::from_millis(10);
/// A state that stays as it is is stored again so often, because the sensor is not silent.
const AGAIN_MS: i64 = MS_PER_HOUR;

/// Reads the states of one Home Assistant.
pub(super) struct LiveReader<'a> {
    pub(super) base: &'a HomeBase,
    pub(super) events: &'a AskedEvents,
}

/// An entity, and its last state.
struct WatchedEntity {
    series: Vec<ReadSeries>,
    unit: Option<SeriesUnit>,
    value: Option<f64>,
    /// The time of its last stored state.
    stored: Option<Timestamp>,
}

/// A state that is to be stored.
type NewState = (EntityId, Timestamp, f64);

impl LiveReader<'_> {
    /// Reads until the connection ends. `link` answers what was missed.
    pub(super) fn run(&self, link: AskedLink<'_>, token: &Secret) -> Result<(), PassEnd> {
        let mut watched = self.watched();
        let mut feeds = PriceFeeds::new(&self.base.home.settings().prices);
        let mut ids: Vec<EntityId> = watched.keys().chain(feeds.entities()).cloned().collect();
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return self.wait_for_sensors();
        }
        let live = AskedLink::connect(self.events, &self.base.home.settings().link, token.clone())?;
        let subscribe = json!({"type": "subscribe_entities", "entity_ids": ids});
        live.subscribe(subscribe, "subscribe_entities")?;
        let mut event = live.next_event()?;
        while event.is_empty() {
            event = live.next_event()?;
        }
        let bytes = event.len();
        let first = Self::take(&mut watched, &mut feeds, event.as_str())?;
        for (entity, one) in &watched {
            if one.unit.is_none() {
                self.base.note(&format!(
                    "{entity} has no state in W, kW, Wh or kWh; check whether it exists there"
                ));
            }
        }
        for entity in feeds.unknown() {
            self.base.note(&format!(
                "{entity} has no price in a unit such as EUR/kWh; check whether it exists there"
            ));
        }
        let all = watched.values().flat_map(|one| one.series.iter().cloned());
        let mut missed = MissedStates::since_newest(self.base, all)?;
        missed.fill(self.base, &link, |entity| unit_of(&watched, entity))?;
        feeds.fill(self.base, &link)?;
        feeds.store(self.base);
        drop(link);
        self.store(&mut watched, first, bytes)?;
        self.base.home.begin(ReadStage::Live);
        self.base.home.with_last(|last| last.failed = None);
        let mut looked = (self.base.clock)().time;
        loop {
            let event = live.next_event()?;
            let mut states = Self::take(&mut watched, &mut feeds, event.as_str())?;
            let now = (self.base.clock)().time;
            let unit = |entity: &EntityId| unit_of(&watched, entity);
            let is_hour_over = now.millis() - looked.millis() >= AGAIN_MS;
            if is_hour_over || missed.is_due(now, unit) || feeds.is_due() {
                let settings = &self.base.home.settings().link;
                let link = AskedLink::connect(self.events, settings, token.clone())?;
                missed.fill(self.base, &link, unit)?;
                feeds.fill(self.base, &link)?;
                if is_hour_over {
                    HistoryReader::of(self.base, &link, now).run_earlier()?;
                    looked = now;
                }
            }
            feeds.store(self.base);
            states.extend(self.unchanged(&watched));
            self.store(&mut watched, states, event.len())?;
            live.pause(PAUSE)?;
        }
    }

    /// Without a sensor there is nothing to do until the entry changes, which ends this reader.
    fn wait_for_sensors(&self) -> Result<(), PassEnd> {
        self.base.home.begin(ReadStage::Live);
        while self.events.wait(Duration::from_hours(1)) {}
        Err(PassEnd::Stopped)
    }

    fn watched(&self) -> BTreeMap<EntityId, WatchedEntity> {
        let mut watched = BTreeMap::new();
        for series in self
            .base
            .home
            .settings()
            .sensors
            .iter()
            .flat_map(ReadSeries::of)
        {
            let one = watched
                .entry(series.entity.clone())
                .or_insert_with(|| WatchedEntity {
                    series: Vec::new(),
                    unit: None,
                    value: None,
                    stored: None,
                });
            one.series.push(series);
        }
        watched
    }

    /// The new states in an event; an empty one has none.
    fn take(
        watched: &mut BTreeMap<EntityId, WatchedEntity>,
        feeds: &mut PriceFeeds,
        event: &str,
    ) -> Result<Vec<NewState>, PassEnd> {
        let mut states = Vec::new();
        if event.is_empty() {
            return Ok(states);
        }
        let taken = each_in_event(event, |entity, said| {
            feeds.take(entity, &said);
            let Ok(entity) = EntityId::new(entity) else {
                return;
            };
            let Some(one) = watched.get_mut(&entity) else {
                return;
            };
            if let Some(unit) = said.unit {
                one.unit = SeriesUnit::parse(&unit).filter(|unit| one.fits(*unit));
            }
            one.value = match said.value {
                SaidValue::Same => return,
                SaidValue::None => None,
                SaidValue::Number(value) => one.unit.and_then(|unit| unit.convert(value)),
            };
            states.extend(
                said.time
                    .zip(one.value)
                    .map(|(time, value)| (entity, time, value)),
            );
        });
        taken?;
        Ok(states)
    }

    /// States that stay as they are, and were not stored for a while.
    fn unchanged(&self, watched: &BTreeMap<EntityId, WatchedEntity>) -> Vec<NewState> {
        let now = (self.base.clock)().time;
        let old = now.saturating_add_millis(-AGAIN_MS);
        let states = watched.iter().filter_map(|(entity, one)| {
            let value = one
                .value
                .filter(|_| one.stored.is_some_and(|it| it <= old))?;
            Some((entity.clone(), now, value))
        });
        states.collect()
    }

    /// Stores new states, as uploads.
    fn store(
        &self,
        watched: &mut BTreeMap<EntityId, WatchedEntity>,
        states: Vec<NewState>,
        bytes: usize,
    ) -> Result<(), PassEnd> {
        let now = (self.base.clock)();
        let account = &self.base.home.settings().account;
        let registry = self.base.store.registry();
        let mut readings = Vec::new();
        for (entity, time, value) in states {
            let Some(one) = watched.get_mut(&entity) else {
                continue;
            };
            one.stored = Some(one.stored.map_or(time, |stored| stored.max(time)));
            let open = one
                .series
                .iter()
                .filter(|it| it.is_open(&registry, account));
            readings.extend(open.filter_map(|series| {
                let measures = series.measures(value)?;
                let time = Some(time);
                Some(DeviceReading {
                    sensor: series.sensor.clone(),
                    kind: DeviceKind::Unknown,
                    way: Way::Forth,
                    reading: UploadedReading { time, measures },
                })
            }));
        }
        if readings.is_empty() {
            return Ok(());
        }
        let count = readings.len();
        let whose = DeviceAccount {
            name: Some(account.clone()),
            adds_sensors: false,
        };
        let incoming = IncomingMessage::new(Protocol::HomeAssistant, bytes);
        let stored = self
            .base
            .device_ingest
            .store(&whose, readings, &incoming, now);
        let problems = self.base.runtime.block_on(stored);
        let failed = problems.len();
        for problem in problems {
            match problem.passing() {
                // States that are not stored now are asked for again.
                Ok(error) => return Err(HomeAssistantError::Store(error.to_string()).into()),
                Err(lasting) => self.base.note(&lasting.to_string()),
            }
        }
        self.base.home.count_readings(count.saturating_sub(failed));
        self.base
            .home
            .with_last(|last| last.newest = Some(now.time));
        Ok(())
    }
}

fn unit_of(watched: &BTreeMap<EntityId, WatchedEntity>, entity: &EntityId) -> Option<SeriesUnit> {
    watched.get(entity).and_then(|one| one.unit)
}

impl WatchedEntity {
    /// Whether its sensors take values in this unit.
    fn fits(&self, unit: SeriesUnit) -> bool {
        self.series.iter().all(|series| match series.measure {
            SeriesMeasure::Register => unit.measure() == ImportMeasure::Register,
            SeriesMeasure::Power(_) => unit.measure() == ImportMeasure::Power,
        })
    }
}
