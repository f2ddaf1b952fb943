//! The messages of a device, as a file of the folder `devices` describes them.

use serde::Deserialize;

use super::channel::Channel;
use super::mapping::{Exceptions, TopicMapping};
use super::number::MappedNumber;
use super::number_unit::{NumberUnit, PresetUnits};
use super::payload::{Pointer, TimeForm};
use super::sum::{Sum, SumError, SumPart};
use super::template::SensorTemplate;
use super::topic::{FilterError, TopicFilter};
use crate::ingest::{DeviceKind, Quantity, Way};
use crate::store::Measure;

/// The word for a unit that the device announces to Home Assistant.
const ANNOUNCED: &str = "announced";
const POWER_UNIT: &str = "watts_unit: expected W, kW, MW, mW or announced";
const ENERGY_UNIT: &str = "watthours_unit: expected Wh, kWh, MWh, Wmin, J or announced";
const CHARGE: &str = "charge: expected places with a topic, such as \"battery/soc#\"";

/// The numbers of a device that are in the same messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageForm {
    /// The levels below the topic of the device; empty for that topic.
    #[serde(default)]
    below: String,
    kind: DeviceKind,
    /// The place of the time.
    time: Option<Pointer>,
    /// The group of numbers that has the id of the device, if they are in groups.
    first_group: Option<String>,
    /// Prefixes and suffixes of topics that do not come from a device.
    #[serde(default)]
    without_topics: Vec<String>,
    /// A place that a message must have a value at.
    with: Option<Pointer>,
    /// A place that a message must have no value at.
    without: Option<Pointer>,
    numbers: Vec<ChannelNumbers>,
}

/// The numbers of a channel.
#[derive(Debug, Deserialize)]
#[serde(try_from = "NumbersForm")]
struct ChannelNumbers {
    channel: Channel,
    numbers: Vec<MappedNumber>,
    /// The places of the state of charge of the battery that is this channel.
    charges: Vec<SumPart>,
}

/// The numbers of a channel, as a file has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NumbersForm {
    channel: Channel,
    watts: Alternatives,
    signed_watts: Alternatives,
    export_watts: Alternatives,
    watthours: Alternatives,
    export_watthours: Alternatives,
    with_unit: Alternatives,
    watts_unit: Option<String>,
    watthours_unit: Option<String>,
    watts_above: Option<f64>,
    watthours_above: Option<f64>,
    flow: Option<Pointer>,
    valid: Vec<Pointer>,
    charge: Alternatives,
}

/// A sum, or a list of sums for devices that lack the ones before.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "OneOrMore")]
struct Alternatives(Vec<Sum>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl TryFrom<OneOrMore> for Alternatives {
    type Error = SumError;

    fn try_from(texts: OneOrMore) -> Result<Self, SumError> {
        let texts = match texts {
            OneOrMore::One(text) => vec![text],
            OneOrMore::More(texts) => texts,
        };
        let sums = texts.iter().map(|text| text.parse());
        sums.collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<NumbersForm> for ChannelNumbers {
    type Error = &'static str;

    fn try_from(form: NumbersForm) -> Result<Self, &'static str> {
        let unit = |measure: Measure, name: &str, text: Option<&str>| match text {
            Some(ANNOUNCED) => Some(NumberUnit::Announced(measure, None)),
            text => Quantity::new(name, text).map(NumberUnit::Known),
        };
        let watts = unit(Measure::Watts, "watts", form.watts_unit.as_deref()).ok_or(POWER_UNIT)?;
        let watthours = form.watthours_unit.as_deref();
        let watthours = unit(Measure::Watthours, "watthours", watthours).ok_or(ENERGY_UNIT)?;
        let power = |way, sums| (way, watts, sums, form.flow.clone(), form.watts_above);
        let register = |way, sums| (way, watthours, sums, None, form.watthours_above);
        let numbers = [
            power(Way::Forth, form.watts),
            power(Way::Both, form.signed_watts),
            power(Way::Back, form.export_watts),
            register(Way::Forth, form.watthours),
            register(Way::Back, form.export_watthours),
            (Way::Forth, NumberUnit::InText, form.with_unit, None, None),
        ];
        let numbers = numbers.into_iter();
        let numbers = numbers.map(|(way, unit, Alternatives(sums), direction, above)| {
            let (channel, valid) = (form.channel.clone(), form.valid.clone());
            MappedNumber {
                channel,
                way,
                unit,
                direction,
                sums,
                above,
                valid,
            }
        });
        let numbers = numbers.filter(|number| !number.sums.is_empty()).collect();
        let Alternatives(charges) = form.charge;
        let charges: Vec<SumPart> = charges.into_iter().flat_map(|sum| sum.parts).collect();
        if charges.iter().any(|place| place.topic.is_none()) {
            return Err(CHARGE);
        }
        Ok(Self {
            channel: form.channel,
            numbers,
            charges,
        })
    }
}

impl MessageForm {
    /// The mapping of the messages below `topic` to readings of the sensors that `sensor` names.
    ///
    /// # Errors
    /// [`FilterError`] if there can be no topics below `topic`.
    pub(super) fn on(
        &self,
        topic: &TopicFilter,
        sensor: &SensorTemplate,
        units: PresetUnits,
    ) -> Result<TopicMapping, FilterError> {
        let own = match &*self.below {
            "" => topic.clone(),
            levels => topic.below(levels)?,
        };
        let wildcards = topic.wildcards();
        let below = |levels: &TopicFilter| own.below(levels.as_str());
        let numbers = self.numbers.iter().flat_map(|it| &it.numbers);
        let numbers = numbers.map(|number| MappedNumber {
            channel: number.channel.clone().behind(wildcards),
            unit: number.unit.set_by(units),
            ..number.clone()
        });
        let mut mapping = TopicMapping::new(Some(&own), sensor.clone(), numbers.collect(), below)?;
        for of_channel in &self.numbers {
            for place in &of_channel.charges {
                let topic = below(place.topic.as_ref().ok_or(FilterError)?)?;
                let channel = of_channel.channel.clone().behind(wildcards);
                mapping.charged_at(topic, place.pointer.clone(), channel);
            }
        }
        mapping.time = self.time.clone().map(|place| (place, TimeForm::Zoned));
        mapping.kind = self.kind;
        mapping.first_group.clone_from(&self.first_group);
        mapping.except = Exceptions {
            topics: self.without_topics.clone(),
            values: None,
            with: self.with.clone(),
            without: self.without.clone(),
        };
        Ok(mapping)
    }
}
