//! Compares the store with the published state, and finds the next publications.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::forecasts::Forecasts;
use super::houses::{Houses, is_of_account};
use super::message::{
    Entity, announcement, is_total, object_of, slug, slug_of, total_state, unknown_state,
};
use super::peaks::Peaks;
use super::prices::Prices;
use super::problems::Problems;
use super::resets::last_reset;
use super::topics::{DiscoverySettings, Incoming, Publication};
use crate::domain::{MeterKind, Register, Role, Sensor, SensorId, Timestamp};
use crate::house::silence_of;
use crate::ledger::notice::SilenceState;
use crate::store::{Activity, Registry, Store};

/// The state that one connection has published.
pub struct Announcer {
    settings: DiscoverySettings,
    published: HashMap<SensorId, Published>,
    problems: Problems,
    houses: Houses,
    prices: Prices,
    forecasts: Forecasts,
    peaks: Peaks,
    /// [`Store::history_edits`] before the last update.
    history_edits: u64,
    is_first: bool,
}

/// The state published for a sensor.
#[derive(Default)]
struct Published {
    /// Its activity at the last update.
    activity: Option<Activity>,
    /// Whether its history may have changed since.
    is_stale: bool,
    name: String,
    role: Role,
    register: MeterKind,
    is_available: Option<bool>,
    /// The states of its power and its energy; none if it never had a value.
    power: Option<String>,
    energy: Option<String>,
    newest: Option<Register>,
    /// The time when a register that may fall last restarted.
    last_reset: Option<Timestamp>,
}

impl Published {
    /// The states of a sensor's power and energy. May block on disk reads.
    fn states(
        &mut self,
        store: &Store,
        sensor: &Sensor,
        activity: Option<Activity>,
    ) -> (Option<String>, Option<String>) {
        let power = activity.and_then(|activity| activity.newest_power);
        let power = power.map(|power| power.watts.to_string());
        // After an edit of history, all of it is examined, and also after the register became a net
        // register.
        let is_known = !self.is_stale && self.register == sensor.meter.kind;
        let before = self.newest.filter(|_| is_known);
        // A failed read is logged by the store; the published value stays.
        if let Ok(register) = store.register_at(&sensor.id, Timestamp::MAX) {
            self.newest = register;
        }
        let energy = self.newest.map(|newest| {
            if !is_total(sensor, Entity::Energy) {
                return newest.watthours.to_string();
            }
            self.last_reset = last_reset(store, sensor, self.last_reset, (before, newest));
            total_state(Some(newest.watthours), self.last_reset)
        });
        (power, energy)
    }
}

impl Announcer {
    /// An announcer that has published nothing.
    #[must_use]
    pub fn new(settings: DiscoverySettings) -> Self {
        Self {
            settings,
            published: HashMap::new(),
            problems: Problems::default(),
            houses: Houses::default(),
            prices: Prices::default(),
            forecasts: Forecasts::default(),
            peaks: Peaks::default(),
            history_edits: 0,
            is_first: true,
        }
    }

    /// Returns the publications due at `now`; `incoming` arrived since the last update. May block
    /// on disk reads.
    pub fn update(
        &mut self,
        store: &Arc<Store>,
        incoming: Vec<Incoming>,
        now: Timestamp,
    ) -> Vec<Publication> {
        let mut found = Vec::new();
        // Home Assistant's documentation asks for everything to be sent again after its birth
        // message.
        if self.is_first || incoming.contains(&Incoming::Birth) {
            found.push(self.settings.online());
            self.published.clear();
            self.problems = Problems::default();
            self.houses = Houses::default();
            self.prices = Prices::default();
            self.forecasts = Forecasts::default();
            self.peaks = Peaks::default();
            self.is_first = false;
        }
        // Before the registers are read, so that the next update sees an edit made meanwhile.
        let edits = store.history_edits();
        if std::mem::replace(&mut self.history_edits, edits) != edits {
            for published in self.published.values_mut() {
                published.is_stale = true;
            }
        }
        let registry = store.registry();
        let sensors = || {
            registry
                .sensors()
                .filter(|sensor| sensor.authorized && sensor.is_announced)
        };
        for sensor in sensors() {
            self.update_sensor(store, sensor, now, &mut found);
        }
        let ids: HashSet<&SensorId> = sensors().map(|sensor| &sensor.id).collect();
        let gone = self.published.extract_if(|id, _| !ids.contains(id));
        // Collected first, because `remove` borrows all of `self`.
        for (id, _) in gone.collect::<Vec<_>>() {
            self.remove(&object_of(&id, Entity::Power), &mut found);
            self.remove(&object_of(&id, Entity::Energy), &mut found);
        }
        let (problems, gone) = self.problems.update(&registry, &self.settings);
        found.extend(problems);
        let (sums, gone_sums) = self.houses.update(store, &self.settings, now);
        found.extend(sums);
        let (prices, gone_prices) = self.prices.update(store, &self.settings, now);
        found.extend(prices);
        let (forecasts, gone_forecasts) = self.forecasts.update(store, &self.settings, now);
        found.extend(forecasts);
        let (peaks, gone_peaks) = self.peaks.update(store, &self.settings, now);
        found.extend(peaks);
        let gone_objects = [gone, gone_sums, gone_prices, gone_forecasts, gone_peaks];
        for object in gone_objects.concat() {
            self.remove(&object, &mut found);
        }
        let slugs: HashMap<String, &Sensor> = sensors().map(|it| (slug(&it.id), it)).collect();
        for incoming in incoming {
            let Incoming::Announced(object) = incoming else {
                continue;
            };
            if let Some(sensor) = slug_of(&object).and_then(|slug| slugs.get(slug)) {
                self.clear_unknown(&object, sensor, &mut found);
            } else if !self.is_announced(&registry, &object) {
                self.remove(&object, &mut found);
            }
        }
        found
    }

    /// Whether an object that belongs to no sensor is announced.
    fn is_announced(&self, registry: &Registry, object: &str) -> bool {
        let is_known =
            self.prices.has(object) || self.forecasts.has(object) || self.peaks.has(object);
        self.problems.has(object) || is_known || is_of_account(registry, object)
    }

    /// Clears states that an earlier run announced and that have no value any more, because the
    /// readings were deleted meanwhile.
    fn clear_unknown(&self, object: &str, sensor: &Sensor, found: &mut Vec<Publication>) {
        let known = self.published.get(&sensor.id);
        let is_power = object == object_of(&sensor.id, Entity::Power);
        let (entity, state) = if is_power {
            (Entity::Power, known.and_then(|known| known.power.as_ref()))
        } else {
            (
                Entity::Energy,
                known.and_then(|known| known.energy.as_ref()),
            )
        };
        if state.is_none() {
            found.push(Publication {
                topic: self.settings.state_topic(object),
                payload: unknown_state(sensor, entity),
            });
        }
    }

    fn update_sensor(
        &mut self,
        store: &Store,
        sensor: &Sensor,
        now: Timestamp,
        found: &mut Vec<Publication>,
    ) {
        // A failed read is logged by the store; the published state stays.
        let Ok(activity) = store.activity(&sensor.id) else {
            return;
        };
        let published = self.published.entry(sensor.id.clone()).or_default();
        // On each update, because it changes without any upload.
        let arrivals = activity.and_then(|activity| activity.arrivals);
        let is_available = silence_of(store, sensor, arrivals, now) != Some(SilenceState::Silent);
        let was_available = published.is_available;
        let slug = slug(&sensor.id);
        // Before the announcement, because until then Home Assistant considers the sensor
        // unavailable.
        let available = |found: &mut Vec<Publication>| {
            found.push(self.settings.sensor_availability(&slug, is_available));
        };
        let is_described = published.name == sensor.name
            && published.role == sensor.role
            && published.register == sensor.meter.kind;
        // The register may be on disk, so it is read only after an upload, or after a change of the
        // sensor or of history.
        if published.activity == activity && is_described && !published.is_stale {
            if was_available.is_some_and(|before| before != is_available) {
                available(found);
                published.is_available = Some(is_available);
            }
            return;
        }
        let (power, energy) = published.states(store, sensor, activity);
        let is_known = power.is_some() || energy.is_some();
        if (is_known || was_available.is_some()) && was_available != Some(is_available) {
            available(found);
            published.is_available = Some(is_available);
        }
        for (entity, before, now) in [
            (Entity::Power, &mut published.power, power),
            (Entity::Energy, &mut published.energy, energy),
        ] {
            // Its readings were deleted, so the state is cleared.
            let now = match (&before, now) {
                (None, None) => continue,
                (Some(_), None) => unknown_state(sensor, entity),
                (_, Some(now)) => now,
            };
            if before.is_none() || !is_described {
                found.push(announcement(&self.settings, sensor, entity));
            }
            if before.as_ref() != Some(&now) {
                let topic = self.settings.state_topic(&object_of(&sensor.id, entity));
                let payload = now.clone();
                found.push(Publication { topic, payload });
            }
            *before = Some(now);
        }
        published.activity = activity;
        published.is_stale = false;
        published.name.clone_from(&sensor.name);
        published.role = sensor.role;
        published.register = sensor.meter.kind;
    }

    /// Removes the value of an object, the availability of its sensor if nothing else needs it, and
    /// the announcement. The announcement comes last, because the next connection finds unremoved
    /// objects by their announcements.
    fn remove(&self, object: &str, found: &mut Vec<Publication>) {
        let mut topics = vec![self.settings.state_topic(object)];
        let slug = slug_of(object);
        let is_used = |slug| self.published.keys().any(|id| self::slug(id) == slug);
        topics.extend(
            slug.filter(|slug| !is_used(*slug))
                .map(|slug| self.settings.sensor_availability_topic(slug)),
        );
        topics.push(self.settings.config_topic(object));
        found.extend(topics.into_iter().map(|topic| Publication {
            topic,
            payload: String::new(),
        }));
    }
}
