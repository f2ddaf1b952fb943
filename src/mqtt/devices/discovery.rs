//! From a message to a device. Most messages on a broker do not come from devices, so topics are
//! checked first.

use std::sync::Mutex;

use super::heard::{HeardDevices, HeardMessage};
use crate::domain::Moment;
use crate::locks::lock;
use crate::mqtt::intake::{FollowedSubscriptions, PassedMessage, Recognizer, Subscription};

/// The maximum length of a topic, in bytes, and of a message. Those of devices are shorter.
const MAX_TOPIC_BYTES: usize = 256;
const MAX_PAYLOAD_BYTES: usize = 16_384;

/// Looks at all messages, independently of the subscriptions in force. Its memory is bounded.
pub(crate) struct DeviceDiscovery {
    recognizer: Recognizer,
    followed: FollowedSubscriptions,
}

impl DeviceDiscovery {
    /// Keeps those devices in `heard` that `subscriptions` treat the same way as the previous ones
    /// did.
    pub(crate) fn new(subscriptions: &[Subscription], heard: &Mutex<HeardDevices>) -> Self {
        let followed = FollowedSubscriptions::new(subscriptions);
        lock(heard).follow(&followed);
        Self {
            recognizer: Recognizer::default(),
            followed,
        }
    }

    /// The topics of the messages to look at.
    pub(crate) fn filters(&self) -> Vec<String> {
        self.recognizer.filters()
    }

    /// Looks at a message, and remembers its device.
    pub(crate) fn receive(
        &mut self,
        (topic, payload): (&str, &[u8]),
        is_retained: bool,
        heard: &Mutex<HeardDevices>,
        now: Moment,
    ) {
        if topic.len() > MAX_TOPIC_BYTES || payload.len() > MAX_PAYLOAD_BYTES {
            return;
        }
        let at = PassedMessage {
            topic,
            payload,
            is_retained,
            elapsed: now.elapsed,
        };
        let recognized = self.recognizer.look(at);
        if recognized.is_empty() {
            return;
        }
        let message = HeardMessage {
            recognized,
            followed: self.followed.look(at, self.recognizer.units.of(topic)),
            topic,
            is_retained,
        };
        lock(heard).receive(message, now);
    }
}
