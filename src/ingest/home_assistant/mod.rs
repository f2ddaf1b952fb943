//! What Home Assistant is told over MQTT, so that it shows every sensor without being configured: that there are power and
//! energy (MQTT discovery), and what they are now.
//!
//! What is retained at the broker outlives this service. So it hears what it announced in earlier runs, and takes back what
//! is of sensors that are gone since.

mod message;

use std::collections::{HashMap, HashSet};

use self::message::{Quantity, config, object_of, slug};
use crate::domain::role::RegisterKind;
use crate::domain::sensor::{Sensor, SensorId};
use crate::domain::time::Timestamp;
use crate::store::{Activity, Store};

/// What Home Assistant says on its topic when it starts.
const BORN: &[u8] = b"online";
/// What is said of this service.
const HERE: &str = "online";
const GONE: &str = "offline";

/// A message to publish, which the broker is to retain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// Where.
    pub topic: String,
    /// What; nothing takes back what is retained there.
    pub payload: String,
}

/// Where Home Assistant listens, and who we are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What topics of discovery begin with; Home Assistant's own is `homeassistant`.
    pub prefix: String,
    /// What tells this service from others at the broker: the client id. Letters, digits, `-` and `_`.
    pub node: String,
}

/// What was heard of Home Assistant, or of ourselves in an earlier run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Home Assistant has started.
    Born,
    /// The object of this name was announced.
    Announced(String),
}

impl Settings {
    /// The topics to listen to.
    #[must_use]
    pub fn filters(&self) -> [String; 2] {
        [self.birth_topic(), self.config_topic("+")]
    }

    /// What a message says, if it is of those topics: `None` where it is not, `Some(None)` where it says nothing new. What
    /// this service publishes says nothing, whoever subscribed to it.
    #[must_use]
    pub fn hear(&self, topic: &str, payload: &[u8]) -> Option<Option<Heard>> {
        if topic == self.birth_topic() {
            return Some((payload == BORN).then_some(Heard::Born));
        }
        if topic == self.availability_topic() || topic.starts_with(&self.state_topic("")) {
            return Some(None);
        }
        let before = format!("{}/sensor/{}/", self.prefix, self.node);
        let object = topic.strip_prefix(&before)?.strip_suffix("/config")?;
        // A longer one was never announced by this service.
        let is_ours = object.len() <= message::LONGEST_OBJECT && !payload.is_empty();
        Some(is_ours.then(|| Heard::Announced(object.to_owned())))
    }

    /// That this service is there.
    #[must_use]
    pub fn here(&self) -> Publication {
        self.availability(HERE)
    }

    /// That it is not: said by itself when it stops, by the broker where it falls.
    #[must_use]
    pub fn gone(&self) -> Publication {
        self.availability(GONE)
    }

    fn availability(&self, payload: &str) -> Publication {
        Publication {
            topic: self.availability_topic(),
            payload: payload.into(),
        }
    }

    fn birth_topic(&self) -> String {
        format!("{}/status", self.prefix)
    }

    fn availability_topic(&self) -> String {
        format!("{}/status", self.node)
    }

    fn config_topic(&self, object: &str) -> String {
        format!("{}/sensor/{}/{object}/config", self.prefix, self.node)
    }

    fn state_topic(&self, object: &str) -> String {
        format!("{}/sensor/{object}", self.node)
    }
}

/// Looks at the store, and finds what is to be published.
pub struct Announcer {
    settings: Settings,
    told: HashMap<SensorId, Told>,
    is_new: bool,
}

/// What was told of a sensor.
#[derive(Default)]
struct Told {
    /// When this was last looked at.
    activity: Option<Activity>,
    /// Its name, kind, power and register, as far as they were told.
    name: String,
    register: RegisterKind,
    watts: Option<f64>,
    watthours: Option<f64>,
}

impl Announcer {
    /// One that has told nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            told: HashMap::new(),
            is_new: true,
        }
    }

    /// What is to be published since the last look, and for what was `heard` since then. Blocks.
    pub fn look(&mut self, store: &Store, heard: Vec<Heard>) -> Vec<Publication> {
        let mut found = Vec::new();
        if self.is_new || heard.contains(&Heard::Born) {
            found.push(self.settings.here());
            self.told.clear();
            self.is_new = false;
        }
        let registry = store.registry();
        let sensors = || registry.sensors().filter(|sensor| sensor.authorized);
        for sensor in sensors() {
            self.look_at(store, sensor, &mut found);
        }
        let ids: HashSet<&SensorId> = sensors().map(|sensor| &sensor.id).collect();
        let left: Vec<SensorId> = self
            .told
            .keys()
            .filter(|id| !ids.contains(id))
            .cloned()
            .collect();
        for id in left {
            self.told.remove(&id);
            self.take_back(&object_of(&id, Quantity::Power), &mut found);
            self.take_back(&object_of(&id, Quantity::Energy), &mut found);
        }
        let slugs: HashSet<String> = ids.into_iter().map(slug).collect();
        for heard in heard {
            if let Heard::Announced(object) = heard
                && !message::slug_of(&object).is_some_and(|slug| slugs.contains(slug))
            {
                self.take_back(&object, &mut found);
            }
        }
        found
    }

    fn look_at(&mut self, store: &Store, sensor: &Sensor, found: &mut Vec<Publication>) {
        let activity = store.activity(&sensor.id);
        let told = self.told.entry(sensor.id.clone()).or_default();
        let is_called_the_same = told.name == sensor.name && told.register == sensor.register;
        if told.activity == activity && is_called_the_same {
            return;
        }
        let power = activity.and_then(|activity| activity.newest_power);
        let watts = power.map(|power| power.watts);
        // Where it can't be read the log says so elsewhere; what was told stays.
        let register = store.register_at(&sensor.id, Timestamp::MAX).ok().flatten();
        let watthours = register.map(|register| register.watthours);
        for (quantity, before, now) in [
            (Quantity::Power, told.watts, watts),
            (Quantity::Energy, told.watthours, watthours),
        ] {
            let Some(number) = now else { continue };
            let object = object_of(&sensor.id, quantity);
            if before.is_none() || !is_called_the_same {
                found.push(config(&self.settings, sensor, quantity));
            }
            if before != now {
                found.push(Publication {
                    topic: self.settings.state_topic(&object),
                    payload: number.to_string(),
                });
            }
        }
        *told = Told {
            activity,
            name: sensor.name.clone(),
            register: sensor.register,
            watts,
            watthours,
        };
    }

    /// Takes back what was announced of an object, and what it was.
    fn take_back(&self, object: &str, found: &mut Vec<Publication>) {
        for topic in [
            self.settings.config_topic(object),
            self.settings.state_topic(object),
        ] {
            found.push(Publication {
                topic,
                payload: String::new(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
