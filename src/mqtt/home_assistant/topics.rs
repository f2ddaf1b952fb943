//! The topics of Home Assistant and of this service, and their incoming messages.

use crate::domain::{AccountName, SensorId};

/// The message that Home Assistant publishes on its status topic when it starts.
const BIRTH: &[u8] = b"online";
/// The kinds of entities.
const SENSOR: &str = "sensor";
const BINARY_SENSOR: &str = "binary_sensor";
/// The availability of this service.
const ONLINE: &str = "online";
const OFFLINE: &str = "offline";
/// The longest object name, in bytes: a fully escaped name, the mark of an account, and the entity.
const MAX_OBJECT_BYTES: usize =
    3 * longest(SensorId::MAX_BYTES, AccountName::MAX_BYTES) + 2 + "_cheapest".len();
/// The suffixes of objects that are on or off: of problems, and of cheap times.
pub(super) const PROBLEM: &str = "_problem";
pub(super) const CHEAP: &str = "_cheap";

const fn longest(a: usize, b: usize) -> usize {
    if a > b { a } else { b }
}

/// A message to publish, to be retained by the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The topic.
    pub topic: String,
    /// The message. An empty one removes the retained message of the topic.
    pub payload: String,
}

/// The topics of Home Assistant, and the name of this service there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoverySettings {
    /// The first levels of discovery topics; Home Assistant's default is `homeassistant`.
    pub prefix: String,
    /// The name that distinguishes this service from others on the broker: the client id. Letters,
    /// digits, `-` and `_`.
    pub node: String,
    /// The address at which browsers in the network find the pages, if they can: a valid http or
    /// https URL.
    pub pages: Option<String>,
}

/// A message from Home Assistant, or from an earlier run of this service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// Home Assistant has started.
    Birth,
    /// The object of this name is announced.
    Announced(String),
}

impl DiscoverySettings {
    /// The topics to subscribe to.
    #[must_use]
    pub fn filters(&self) -> [String; 3] {
        [
            self.birth_topic(),
            self.config_of(SENSOR, "+"),
            self.config_of(BINARY_SENSOR, "+"),
        ]
    }

    /// Reads a message: `None` if its topic does not belong to discovery, `Some(None)` if it needs
    /// no reaction. That includes everything this service publishes itself, which a wide
    /// subscription brings back.
    #[must_use]
    #[expect(clippy::option_option, reason = "said above")]
    pub fn read(&self, topic: &str, payload: &[u8]) -> Option<Option<Incoming>> {
        if topic == self.birth_topic() {
            return Some((payload == BIRTH).then_some(Incoming::Birth));
        }
        // An empty object gives the prefix that all states share.
        if topic == self.availability_topic() || topic.starts_with(&self.state_topic("")) {
            return Some(None);
        }
        let object_in = |component| {
            let before = format!("{}/{component}/{}/", self.prefix, self.node);
            topic.strip_prefix(&before)?.strip_suffix("/config")
        };
        let object = object_in(SENSOR).or_else(|| object_in(BINARY_SENSOR))?;
        // This service never announces a longer one.
        let is_ours = object.len() <= MAX_OBJECT_BYTES
            && !payload.is_empty()
            && topic == self.config_topic(object);
        Some(is_ours.then(|| Incoming::Announced(object.to_owned())))
    }

    /// The message that this service is running.
    #[must_use]
    pub fn online(&self) -> Publication {
        self.availability(ONLINE)
    }

    /// The message that it is not: published by the service when it stops, and by the broker if it
    /// dies.
    #[must_use]
    pub fn offline(&self) -> Publication {
        self.availability(OFFLINE)
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

    pub(super) fn availability_topic(&self) -> String {
        format!("{}/status", self.node)
    }

    /// The topic of a sensor's availability. Together with [`Self::availability_topic`] it makes
    /// the sensor's entities available. No object has this name: `_av` is not an escaped byte.
    pub(super) fn sensor_availability_topic(&self, slug: &str) -> String {
        self.state_topic(&format!("{slug}_available"))
    }

    /// The message whether a sensor uploads.
    pub(super) fn sensor_availability(&self, slug: &str, is_available: bool) -> Publication {
        Publication {
            topic: self.sensor_availability_topic(slug),
            payload: if is_available { ONLINE } else { OFFLINE }.to_owned(),
        }
    }

    pub(super) fn config_topic(&self, object: &str) -> String {
        let is_binary = object.ends_with(PROBLEM) || object.ends_with(CHEAP);
        self.config_of(if is_binary { BINARY_SENSOR } else { SENSOR }, object)
    }

    fn config_of(&self, component: &str, object: &str) -> String {
        format!("{}/{component}/{}/{object}/config", self.prefix, self.node)
    }

    pub(super) fn state_topic(&self, object: &str) -> String {
        format!("{}/sensor/{object}", self.node)
    }
}
