//! How the messages of a known device are read from a broker.

use serde::Deserialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::mapping::TopicMapping;
use super::message_form::MessageForm;
use super::number_unit::PresetUnits;
use super::payload::PayloadError;
use super::template::SensorTemplate;
use super::topic::{FilterError, TopicFilter};
use crate::ingest::DeviceClock;

/// How the messages of a known device are read from a broker.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a line of the file, which few files have"
)]
pub struct BrokerTerms {
    /// The usual topics of its devices: the common prefix of all topics of a device. The first is
    /// the default, empty if people must choose one; the others are also in use.
    pub topics: Vec<String>,
    /// The default ids of its sensors.
    pub sensor: String,
    /// Whether the same numbers come with and without a time, so that they must stay in order.
    #[serde(default)]
    in_order: bool,
    /// Whether its messages do not contain the units, so that settings may.
    #[serde(default)]
    pub takes_units: bool,
    /// Whether its devices send only on request.
    #[serde(default)]
    pub asks: bool,
    /// Whether it takes precedence over a preset for single channels of the same device.
    #[serde(default)]
    pub is_whole: bool,
    /// Whether another preset knows the same devices, which is offered instead.
    #[serde(default)]
    pub is_hidden: bool,
    /// A text that a message must contain to be recognized, if its topic could be that of anything.
    pub sign: Option<String>,
    /// Messages without readings, and why they have none.
    #[serde(default)]
    pub unusable: Vec<UnusableForm>,
    messages: Vec<MessageForm>,
}

/// Messages of a known device without readings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnusableForm {
    /// Why they have none.
    pub why: Unusable,
    /// Such a message has one of these fields, itself or in a group.
    pub fields: Vec<String>,
    /// The values of that field; empty for any.
    #[serde(default)]
    values: Vec<String>,
}

/// Why a message of a known device gives no readings.
#[derive(Clone, Debug, PartialEq, Eq, Error, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unusable {
    /// People chose the names of its numbers.
    #[error("its numbers do not have the usual names: describe them in a subscription")]
    OwnNames,
    /// It sends a mean power as energy, for an unknown meter.
    #[error(
        "its energy is a mean power over some seconds, for meters of five kinds: it has no register"
    )]
    MeanPower,
    /// It counts in a unit that its messages do not contain.
    #[error("only the meter knows its unit: describe it in a subscription, with a factor")]
    OwnUnit,
    /// There is something else where a number, the time, or a part of the id is expected.
    #[error(transparent)]
    #[serde(skip)]
    Payload(#[from] PayloadError),
}

impl UnusableForm {
    /// Whether a message is one of these.
    pub(crate) fn is(&self, message: &Value) -> bool {
        let groups = message.as_object().into_iter().flat_map(Map::values);
        let mut objects = groups.chain([message]);
        objects.any(|object| {
            let mut values = self.fields.iter().filter_map(|field| object.get(field));
            values.any(|value| {
                let is_known = |text: &str| self.values.iter().any(|known| known == text);
                self.values.is_empty() || value.as_str().is_some_and(is_known)
            })
        })
    }
}

impl BrokerTerms {
    /// The default topic; empty if there is none.
    #[must_use]
    pub fn usual_topic(&self) -> &str {
        self.topics.first().map_or("", String::as_str)
    }

    /// The trusted times of its devices, unless the settings choose others.
    #[must_use]
    pub fn usual_clock(&self) -> DeviceClock {
        if self.in_order {
            DeviceClock::OF_WAITING
        } else {
            DeviceClock::default()
        }
    }

    /// The mappings of messages below `topic` to readings of the sensors that `sensor` names.
    ///
    /// # Errors
    /// [`FilterError`] if there can be no topics below `topic`.
    pub fn mappings(
        &self,
        topic: &TopicFilter,
        sensor: &SensorTemplate,
        units: PresetUnits,
    ) -> Result<Vec<TopicMapping>, FilterError> {
        let mut excepted = self.unusable.iter().filter(|it| !it.values.is_empty());
        let values = excepted
            .next()
            .and_then(|it| Some((it.fields.first()?.clone(), it.values.clone())));
        let mappings = self.messages.iter().map(|message| {
            let mut mapping = message.on(topic, sensor, units)?;
            mapping.except.values.clone_from(&values);
            Ok(mapping)
        });
        mappings.collect()
    }
}
