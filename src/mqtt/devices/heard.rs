//! The devices heard recently: a bounded number, for a bounded time, for any messages.

use std::time::Duration;

use crate::domain::{AccountName, Moment, Timestamp};
use crate::ingest::devices::{Preset, SensorTemplate, Unusable};
use crate::mqtt::intake::{FollowedMessage, FollowedSubscriptions, Recognized, SuggestedSensor};

/// The maximum number of devices. Beyond it, the one that has been silent longest is forgotten.
pub(super) const MAX_DEVICES: usize = 100;
/// The maximum number of sensors of a device.
pub(super) const MAX_SENSORS: usize = 32;
/// How long a device is remembered after its last message.
const REMEMBERED_FOR: Duration = Duration::from_hours(6);

/// Devices of known kinds whose messages were heard.
#[derive(Debug, Default)]
pub struct HeardDevices {
    devices: Vec<HeardDevice>,
}

/// A device. No two have the same topic and name.
#[derive(Clone, Debug, PartialEq)]
pub struct HeardDevice {
    /// The preset that reads it.
    pub preset: &'static Preset,
    /// The setting `topic` that matches it, with the preset.
    pub topic: String,
    /// The name that distinguishes devices on one topic.
    pub device: String,
    /// The time of the last message; `None` if the broker had retained all of them, so that the
    /// time is unknown.
    pub heard: Option<Timestamp>,
    /// How subscriptions treat it.
    pub subscribed: SubscribedAs,
    /// The sensors that it would feed; with a subscription, the sensors that it feeds, or would
    /// feed if they existed.
    pub sensors: Vec<SuggestedSensor>,
    /// Why it can feed none; it then has no sensors.
    pub problem: Option<Unusable>,
    /// The topic of its last message.
    last_topic: String,
    /// The time of that message, since the start of this run.
    last: Duration,
}

/// Whether a subscription covers a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubscribedAs {
    /// None does, so a new one may choose any ids for its sensors.
    Nothing,
    /// One does, and determines their ids.
    Sensors {
        /// The account named by the subscription.
        account: Option<AccountName>,
    },
}

/// The content of a message about a device.
pub(super) struct HeardMessage<'m> {
    /// The result of each preset that knows it; the first ones take precedence.
    pub(super) recognized: Vec<Recognized>,
    pub(super) followed: Option<FollowedMessage>,
    pub(super) topic: &'m str,
    pub(super) is_retained: bool,
}

impl HeardDevice {
    /// Whether the messages contain the ids of its sensors.
    #[must_use]
    pub fn has_own_ids(&self) -> bool {
        let template = self.preset.terms.sensor.parse();
        template.is_ok_and(|template: SensorTemplate| template.has_fields())
    }

    /// A usable device ranks above an unusable one, and one made of all phases above single phases.
    fn rank(&self) -> (bool, bool) {
        (self.problem.is_none(), self.preset.terms.is_whole)
    }

    fn is(&self, topic: &str, device: &str) -> bool {
        self.topic == topic && self.device == device
    }

    /// Merges a message of the same device.
    fn receive(&mut self, message: Self) {
        let has_changed = self.subscribed != message.subscribed;
        self.heard = message.heard.or(self.heard);
        self.last = message.last;
        // Of two reasons, the newer one counts.
        let was_unusable = self.problem.is_some() && message.rank() == self.rank();
        if has_changed || was_unusable || message.rank() > self.rank() {
            let heard = self.heard;
            *self = Self { heard, ..message };
        } else if self.preset == message.preset && message.rank() == self.rank() {
            self.last_topic = message.last_topic;
            self.problem = message.problem;
            for sensor in message.sensors {
                self.update(sensor);
            }
        }
    }

    fn update(&mut self, sensor: SuggestedSensor) {
        let has_room = self.sensors.len() < MAX_SENSORS;
        match self.sensors.iter_mut().find(|known| known.id == sensor.id) {
            Some(known) => {
                let newest = known.newest.overlaid_by(sensor.newest);
                *known = SuggestedSensor { newest, ..sensor };
            }
            None if has_room => self.sensors.push(sensor),
            None => {}
        }
    }
}

impl HeardDevices {
    /// All remembered devices, the one heard last first.
    #[must_use]
    pub fn list(&self, elapsed: Duration) -> Vec<HeardDevice> {
        let fresh = self.devices.iter().filter(|it| is_fresh(it, elapsed));
        let mut list: Vec<HeardDevice> = fresh.cloned().collect();
        list.sort_by_key(|it| std::cmp::Reverse((it.heard, it.last)));
        list
    }

    /// The device with this topic and name.
    #[must_use]
    pub fn find(&self, topic: &str, device: &str) -> Option<&HeardDevice> {
        self.devices.iter().find(|it| it.is(topic, device))
    }

    /// Forgets a device until its next message.
    pub fn forget(&mut self, topic: &str, device: &str) {
        self.devices.retain(|it| !it.is(topic, device));
    }

    /// Forgets the devices that these subscriptions treat differently from the previous ones.
    pub(super) fn follow(&mut self, followed: &FollowedSubscriptions) {
        let is_subscribed = |it: &HeardDevice| it.subscribed != SubscribedAs::Nothing;
        self.devices
            .retain(|it| followed.take(&it.last_topic) == is_subscribed(it));
    }

    /// Remembers the content of a message.
    pub(super) fn receive(&mut self, message: HeardMessage<'_>, now: Moment) {
        let HeardMessage {
            recognized,
            followed,
            topic,
            is_retained,
        } = message;
        self.devices.retain(|it| is_fresh(it, now.elapsed));
        let devices = recognized.into_iter().map(|one| {
            let (sensors, problem) = match one.sensors {
                Ok(sensors) => (sensors, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            HeardDevice {
                preset: one.preset,
                topic: one.topic,
                device: one.device,
                heard: (!is_retained).then_some(now.time),
                subscribed: SubscribedAs::Nothing,
                sensors,
                problem,
                last_topic: topic.to_owned(),
                last: now.elapsed,
            }
        });
        // The first of those with the highest rank.
        let best = devices.reduce(|best, next| {
            if next.rank() > best.rank() {
                next
            } else {
                best
            }
        });
        let Some(mut device) = best else { return };
        if let Some(FollowedMessage { account, sensors }) = followed {
            device.subscribed = SubscribedAs::Sensors { account };
            device.sensors = sensors;
            device.problem = None;
        }
        device.sensors.truncate(MAX_SENSORS);
        match self
            .devices
            .iter_mut()
            .find(|it| it.is(&device.topic, &device.device))
        {
            // A subscription covers some of its messages, and determines how it is read.
            Some(known)
                if known.subscribed != SubscribedAs::Nothing
                    && device.subscribed == SubscribedAs::Nothing => {}
            Some(known) => known.receive(device),
            None => self.add(device),
        }
    }

    fn add(&mut self, device: HeardDevice) {
        if self.devices.len() >= MAX_DEVICES {
            let oldest = self
                .devices
                .iter()
                .enumerate()
                .min_by_key(|(_, it)| it.last);
            if let Some(at) = oldest.map(|(at, _)| at) {
                self.devices.remove(at);
            }
        }
        self.devices.push(device);
    }
}

fn is_fresh(device: &HeardDevice, elapsed: Duration) -> bool {
    elapsed < device.last.saturating_add(REMEMBERED_FOR)
}
