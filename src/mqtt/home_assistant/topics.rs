//! The topics of Home Assistant and of this service, and what arrives on them.

use crate::domain::SensorId;

/// What Home Assistant publishes on its status topic when it starts.
const BIRTH: &[u8] = b"online";
/// The availability of this service.
const ONLINE: &str = "online";
const OFFLINE: &str = "offline";
/// The longest object name, in bytes: an id of which each byte is escaped, and the entity.
const MAX_OBJECT_BYTES: usize = 3 * SensorId::MAX_BYTES + "_energy".len();

/// A message to publish, which the broker is to retain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The topic.
    pub topic: String,
    /// The message. An empty one removes what was retained under the topic.
    pub payload: String,
}

/// Where Home Assistant listens, and the name of this service there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoverySettings {
    /// The first levels of discovery topics; Home Assistant's default is `homeassistant`.
    pub prefix: String,
    /// What distinguishes this service from others at the broker: the client id. Letters, digits, `-` and `_`.
    pub node: String,
}

/// What arrives from Home Assistant, or from an earlier run of this service.
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
    pub fn filters(&self) -> [String; 2] {
        [self.birth_topic(), self.config_topic("+")]
    }

    /// Reads a message: `None` if its topic is not one of discovery, `Some(None)` if it needs no reaction. That includes
    /// everything this service publishes itself, which a wide subscription brings back.
    #[must_use]
    pub fn read(&self, topic: &str, payload: &[u8]) -> Option<Option<Incoming>> {
        if topic == self.birth_topic() {
            return Some((payload == BIRTH).then_some(Incoming::Birth));
        }
        // An empty object gives the beginning that all states share.
        if topic == self.availability_topic() || topic.starts_with(&self.state_topic("")) {
            return Some(None);
        }
        let before = format!("{}/sensor/{}/", self.prefix, self.node);
        let object = topic.strip_prefix(&before)?.strip_suffix("/config")?;
        // This service never announces a longer one.
        let is_ours = object.len() <= MAX_OBJECT_BYTES && !payload.is_empty();
        Some(is_ours.then(|| Incoming::Announced(object.to_owned())))
    }

    /// Says that this service is running.
    #[must_use]
    pub fn online(&self) -> Publication {
        self.availability(ONLINE)
    }

    /// Says that it is not: published by itself when it stops, by the broker if it dies.
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

    pub(super) fn config_topic(&self, object: &str) -> String {
        format!("{}/sensor/{}/{object}/config", self.prefix, self.node)
    }

    pub(super) fn state_topic(&self, object: &str) -> String {
        format!("{}/sensor/{object}", self.node)
    }
}
