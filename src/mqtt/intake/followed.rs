//! How subscriptions read a message, without storing it: a device is offered only for sensors that
//! it does not feed.

use super::recognition::{PassedMessage, SuggestedSensor};
use super::subscription::Subscription;
use crate::domain::AccountName;
use crate::ingest::devices::mapping::TopicMapping;
use crate::ingest::devices::parts::PartMemory;
use crate::ingest::devices::payload::{self, ArrivedMessage};
use crate::ingest::devices::text_number::TextUnit;
use crate::ingest::wanted::WantedPlaces;

/// The subscriptions in force, with the last values of their sums' parts.
pub struct FollowedSubscriptions {
    mappings: Vec<FollowedMapping>,
    /// The places of messages that any of them reads.
    wanted: WantedPlaces,
}

struct FollowedMapping {
    account: Option<AccountName>,
    mapping: TopicMapping,
    memory: PartMemory,
}

/// The result of subscriptions for a message.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedMessage {
    /// The account named by the first of them.
    pub account: Option<AccountName>,
    /// The sensors that the message has readings for.
    pub sensors: Vec<SuggestedSensor>,
}

impl FollowedSubscriptions {
    /// Follows all these subscriptions.
    #[must_use]
    pub fn new(subscriptions: &[Subscription]) -> Self {
        let mappings = subscriptions.iter().flat_map(|subscription| {
            let mappings = subscription.mappings.iter();
            mappings.map(|mapping| FollowedMapping {
                account: subscription.account.name.clone(),
                mapping: mapping.clone(),
                memory: PartMemory::default(),
            })
        });
        let mappings: Vec<FollowedMapping> = mappings.collect();
        let mut wanted = WantedPlaces::default();
        for followed in &mappings {
            wanted.add_all(&followed.mapping.places());
        }
        Self { mappings, wanted }
    }

    /// Whether any of them reads messages of this topic.
    #[must_use]
    pub fn take(&self, topic: &str) -> bool {
        let mut mappings = self.mappings.iter();
        mappings.any(|followed| followed.mapping.takes(topic))
    }

    /// The sensors that the subscriptions feed with a message; `None` if none of them reads it.
    /// `unit` is the announced unit of its topic.
    pub fn look(
        &mut self,
        at: PassedMessage<'_>,
        unit: Option<TextUnit>,
    ) -> Option<FollowedMessage> {
        let taking = self.mappings.iter_mut();
        let mut taking = taking.filter(|followed| followed.mapping.takes(at.topic));
        let first = taking.next()?;
        let mut found = FollowedMessage {
            account: first.account.clone(),
            sensors: Vec::new(),
        };
        let Ok(message) = payload::parse(at.payload, &self.wanted) else {
            return Some(found);
        };
        let arrival = ArrivedMessage {
            topic: at.topic,
            message: &message,
            is_new: !at.is_retained,
            elapsed: at.elapsed,
            unit,
        };
        for FollowedMapping {
            mapping, memory, ..
        } in std::iter::once(first).chain(taking)
        {
            // Unusable parts of it are logged elsewhere.
            let readings = mapping.read(&arrival, memory).readings;
            found.sensors.extend(SuggestedSensor::all(readings));
        }
        Some(found)
    }
}
