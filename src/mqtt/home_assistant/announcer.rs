//! Compares the store with what was published, and finds what to publish next.

use std::collections::{HashMap, HashSet};

use super::message::{Entity, announcement, object_of, slug, slug_of};
use super::topics::{DiscoverySettings, Incoming, Publication};
use crate::domain::{MeterKind, Sensor, SensorId, Timestamp};
use crate::store::{Activity, Store};

/// What was published in one connection.
pub struct Announcer {
    settings: DiscoverySettings,
    published: HashMap<SensorId, Published>,
    /// [`Store::history_edits`] before the last update.
    history_edits: u64,
    is_first: bool,
}

/// What was published of a sensor.
#[derive(Default)]
struct Published {
    /// Its activity at the last update.
    activity: Option<Activity>,
    /// Whether its history may have changed since.
    is_stale: bool,
    name: String,
    register: MeterKind,
    watts: Option<f64>,
    watthours: Option<f64>,
}

impl Announcer {
    /// An announcer that has published nothing.
    #[must_use]
    pub fn new(settings: DiscoverySettings) -> Self {
        Self {
            settings,
            published: HashMap::new(),
            history_edits: 0,
            is_first: true,
        }
    }

    /// What to publish since the last update, with `incoming` having arrived meanwhile. Blocks.
    pub fn update(&mut self, store: &Store, incoming: Vec<Incoming>) -> Vec<Publication> {
        let mut found = Vec::new();
        // Home Assistant's documentation asks for everything to be sent again after its birth message.
        if self.is_first || incoming.contains(&Incoming::Birth) {
            found.push(self.settings.online());
            self.published.clear();
            self.is_first = false;
        }
        // Before the registers are read: an edit meanwhile is seen by the next update.
        let edits = store.history_edits();
        if std::mem::replace(&mut self.history_edits, edits) != edits {
            for published in self.published.values_mut() {
                published.is_stale = true;
            }
        }
        let registry = store.registry();
        let sensors = || registry.sensors().filter(|sensor| sensor.authorized);
        for sensor in sensors() {
            self.update_sensor(store, sensor, &mut found);
        }
        let ids: HashSet<&SensorId> = sensors().map(|sensor| &sensor.id).collect();
        let gone = self.published.extract_if(|id, _| !ids.contains(id));
        // Collected first, because `remove` borrows all of `self`.
        for (id, _) in gone.collect::<Vec<_>>() {
            self.remove(&object_of(&id, Entity::Power), &mut found);
            self.remove(&object_of(&id, Entity::Energy), &mut found);
        }
        let slugs: HashSet<String> = ids.into_iter().map(slug).collect();
        for incoming in incoming {
            if let Incoming::Announced(object) = incoming
                && !slug_of(&object).is_some_and(|slug| slugs.contains(slug))
            {
                self.remove(&object, &mut found);
            }
        }
        found
    }

    fn update_sensor(&mut self, store: &Store, sensor: &Sensor, found: &mut Vec<Publication>) {
        let activity = store.activity(&sensor.id);
        let published = self.published.entry(sensor.id.clone()).or_default();
        let is_described = published.name == sensor.name && published.register == sensor.meter.kind;
        // The register may be on disk, so it is read only after an upload, or a change of the sensor or of history.
        if published.activity == activity && is_described && !published.is_stale {
            return;
        }
        let power = activity.and_then(|activity| activity.newest_power);
        let watts = power.map(|power| power.watts);
        // A failed read is logged by the store; the published value stays.
        let register = store.register_at(&sensor.id, Timestamp::MAX).ok().flatten();
        let watthours = register.map(|register| register.watthours);
        for (entity, before, now) in [
            (Entity::Power, published.watts, watts),
            (Entity::Energy, published.watthours, watthours),
        ] {
            let Some(number) = now else { continue };
            if before.is_none() || !is_described {
                found.push(announcement(&self.settings, sensor, entity));
            }
            if before != now {
                found.push(Publication {
                    topic: self.settings.state_topic(&object_of(&sensor.id, entity)),
                    payload: number.to_string(),
                });
            }
        }
        *published = Published {
            activity,
            is_stale: false,
            name: sensor.name.clone(),
            register: sensor.meter.kind,
            watts,
            watthours,
        };
    }

    /// Removes the announcement of an object, and its value.
    fn remove(&self, object: &str, found: &mut Vec<Publication>) {
        let topics = [
            self.settings.config_topic(object),
            self.settings.state_topic(object),
        ];
        found.extend(topics.map(|topic| Publication {
            topic,
            payload: String::new(),
        }));
    }
}
