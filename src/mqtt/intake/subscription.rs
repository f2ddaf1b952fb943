//! A subscription: some topics, and the mappings of their messages.

use crate::ingest::devices::{Preset, SensorTemplate, TopicFilter, TopicMapping};
use crate::ingest::{DeviceAccount, DeviceClock};

/// A subscription: some topics, and the mappings of their messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// The account of its readings.
    pub account: DeviceAccount,
    /// The preset; `None` if the settings describe the messages.
    pub preset: Option<&'static Preset>,
    /// The topic; `None` if only its numbers have topics.
    pub topic: Option<TopicFilter>,
    /// The ids of its sensors.
    pub sensor: SensorTemplate,
    /// The mappings from messages to readings.
    pub mappings: Vec<TopicMapping>,
    /// The trusted times of its devices.
    pub clock: DeviceClock,
}

impl Subscription {
    /// The topic, if its devices send only on request.
    #[must_use]
    pub fn asked(&self) -> Option<&TopicFilter> {
        let asks = self.preset.is_some_and(|preset| preset.terms.asks);
        self.topic.as_ref().filter(|_| asks)
    }
}
