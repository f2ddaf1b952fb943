//! From a message to a device. Most messages of a broker are no device's, so their topics decide first.

use std::sync::Mutex;

use super::heard::{HeardDevices, HeardMessage};
use crate::domain::Moment;
use crate::locks::lock;
use crate::mqtt::intake::{FollowedSubscriptions, PassedMessage, Recognizer, Subscription};

/// The longest topic looked at, in bytes, and the longest message. Those of devices are shorter.
const MAX_TOPIC_BYTES: usize = 256;
const MAX_PAYLOAD_BYTES: usize = 16_384;

/// Looks at messages, beside the subscriptions in force. What it remembers is bounded.
pub(crate) struct DeviceEar {
    recognizer: Recognizer,
    followed: FollowedSubscriptions,
}

impl DeviceEar {
    /// Of the devices in `heard`, those stay of which `subscriptions` make the same as others did before.
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
    pub(crate) fn hear(
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
        lock(heard).hear(message, now);
    }
}
