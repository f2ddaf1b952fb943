//! From a message to readings: by topic, the numbers with their units, and the sensors.

use serde_json::Value;

use super::channel::Channel;
use super::number::{MappedNumber, ReadyNumber};
use super::parts::PartMemory;
use super::payload::{ArrivedMessage, Pointer, TimeForm};
use super::readings::MessageReadings;
use super::template::SensorTemplate;
use super::topic::{FilterError, TopicFilter};
use crate::domain::StateOfCharge;
use crate::ingest::DeviceKind;
use crate::ingest::wanted::WantedPlaces;

/// The maximum number of groups of numbers in a message that are examined.
const MAX_GROUPS: usize = 16;

/// How the messages of some topics become readings.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicMapping {
    filters: Vec<TopicFilter>,
    sensor: SensorTemplate,
    numbers: Vec<ReadyNumber>,
    charges: Vec<ChargePlace>,
    /// The place of the time, if the device sends one.
    pub time: Option<(Pointer, TimeForm)>,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The group without a suffix, if the numbers are in groups: objects at the top of the message,
    /// each a separate meter. The sensor of this group has the device's id; for the others, `-` and
    /// the name of the group is added.
    pub(crate) first_group: Option<String>,
    /// Messages that are not of this device although their topics match.
    pub(crate) except: Exceptions,
}

/// Where messages have the state of charge of a battery, in percent.
#[derive(Clone, Debug, PartialEq)]
struct ChargePlace {
    /// The index of its filter.
    filter: usize,
    pointer: Pointer,
    channel: Channel,
}

/// Messages that are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Exceptions {
    /// Prefixes (`bridge/`) or suffixes (`/set`) of the levels that the last wildcard matches.
    pub(super) topics: Vec<String>,
    /// The name of a top-level field, and its values.
    pub(super) values: Option<(String, Vec<String>)>,
    /// A place without a value.
    pub(super) with: Option<Pointer>,
    /// A place with a value.
    pub(super) without: Option<Pointer>,
}

impl TopicMapping {
    /// A mapping of `numbers`. A part of a sum without its own topic is under `topic`; `resolve`
    /// makes filters of the parts' topics.
    ///
    /// # Errors
    /// [`FilterError`] if a part has no topic, or if `resolve` refuses one.
    pub fn new(
        topic: Option<&TopicFilter>,
        sensor: SensorTemplate,
        numbers: Vec<MappedNumber>,
        resolve: impl Fn(&TopicFilter) -> Result<TopicFilter, FilterError>,
    ) -> Result<Self, FilterError> {
        let mut filters = Vec::new();
        let mut slots = 0..;
        let numbers = numbers.into_iter().map(|number| {
            number.ready(&mut slots, &mut |part| {
                let filter = match part {
                    Some(part) => resolve(part)?,
                    None => topic.cloned().ok_or(FilterError)?,
                };
                let known = filters.iter().position(|other| *other == filter);
                Ok(known.unwrap_or_else(|| {
                    filters.push(filter);
                    filters.len() - 1
                }))
            })
        });
        let numbers = numbers.collect::<Result<_, FilterError>>()?;
        Ok(Self {
            filters,
            sensor,
            numbers,
            charges: Vec::new(),
            time: None,
            kind: DeviceKind::Unknown,
            first_group: None,
            except: Exceptions::default(),
        })
    }

    /// Also reads the state of charge of the battery that is this channel.
    pub(crate) fn charged_at(&mut self, topic: TopicFilter, pointer: Pointer, channel: Channel) {
        self.charges.push(ChargePlace {
            filter: self.filters.len(),
            pointer,
            channel,
        });
        self.filters.push(topic);
    }

    /// The topics.
    #[must_use]
    pub fn filters(&self) -> &[TopicFilter] {
        &self.filters
    }

    /// The places of a message that it reads.
    pub(crate) fn places(&self) -> WantedPlaces {
        let numbers = self.numbers.iter().flat_map(ReadyNumber::places);
        let mut places = WantedPlaces::at(numbers.map(Pointer::as_str));
        if self.first_group.is_some() {
            places.add_in_members(&places.clone());
        }
        let charges = self.charges.iter().map(|place| &place.pointer);
        let time = self.time.iter().map(|(pointer, _)| pointer);
        let Exceptions { with, without, .. } = &self.except;
        let others = time.chain(self.sensor.fields()).chain(with).chain(without);
        for pointer in charges.chain(others) {
            places.add(pointer.as_str());
        }
        let excepted = self.except.values.iter().map(|(field, _)| field);
        places.add_all(&WantedPlaces::members(excepted));
        places
    }

    /// Whether the units of its numbers are those announced to Home Assistant.
    #[must_use]
    pub fn has_announced_units(&self) -> bool {
        self.numbers.iter().any(ReadyNumber::has_announced_unit)
    }

    /// Whether it reads messages of this topic.
    #[must_use]
    pub fn takes(&self, topic: &str) -> bool {
        let mut filters = self.filters.iter();
        filters.any(|filter| filter.matches(topic) && !self.except.has_topic(filter, topic))
    }

    /// The readings in a message. There are none if the topic does not match, or if the message
    /// contains none of the numbers.
    ///
    /// A list of numbers has a sensor for each number. Their ids end with `-1`, `-2` and so on.
    /// `memory` contains the parts from earlier messages of this mapping; a sum over several topics
    /// is known once all of them have arrived.
    pub fn read(&self, arrival: &ArrivedMessage<'_>, memory: &mut PartMemory) -> MessageReadings {
        let mut found = MessageReadings::default();
        if self.except.has(arrival.message) {
            return found;
        }
        for (index, filter) in self.filters.iter().enumerate() {
            if let Some(captures) = filter.captures(arrival.topic)
                && !self.except.has_topic(filter, arrival.topic)
            {
                self.find(index, &captures, arrival, memory, &mut found);
            }
        }
        if found.readings.is_empty() {
            return found;
        }
        // Only for messages with numbers: other messages may have anything at its place.
        let time = self.time.as_ref();
        let time = time.map(|(pointer, form)| pointer.time(arrival.message, *form));
        match time.transpose() {
            Ok(time) => {
                for one in &mut found.readings {
                    one.reading.time = time.flatten();
                }
            }
            Err(problem) => {
                found.readings.clear();
                found.problems.push(problem);
            }
        }
        found
    }

    /// The sums that a message did not complete: the id of the sensor, and the topics without
    /// messages.
    pub(crate) fn silent<'m>(
        &'m self,
        found: &'m MessageReadings,
    ) -> impl Iterator<Item = (&'m str, &'m TopicFilter)> {
        let silent = found.silent.iter();
        silent.filter_map(|(device, filter)| Some((device.as_str(), self.filters.get(*filter)?)))
    }

    /// Adds the numbers of a message that arrived under the filter of this index.
    fn find(
        &self,
        filter: usize,
        captures: &[&str],
        arrival: &ArrivedMessage<'_>,
        memory: &mut PartMemory,
        found: &mut MessageReadings,
    ) {
        let device = self.sensor.text(captures, arrival.message);
        let charges = self.charges.iter().filter(|it| it.filter == filter);
        found.charges.extend(charges.filter_map(|place| {
            let suffix = place.channel.suffix(captures)?;
            let percent = place.pointer.plain_number(arrival.message)?;
            let charge = StateOfCharge::new(percent)?;
            Some((format!("{}{suffix}", device.as_ref().ok()?), charge))
        }));
        for (group, root) in self.roots(arrival.message) {
            let of_group = ArrivedMessage {
                message: root,
                ..*arrival
            };
            for number in &self.numbers {
                let Some(suffix) = number.channel.suffix(captures) else {
                    continue;
                };
                if !number.is_in(filter, root) {
                    continue;
                }
                // A message without any of the numbers may have anything at the place of its id.
                let device = match &device {
                    Ok(device) => device,
                    Err(problem) => {
                        found.problems.push(problem.clone());
                        return;
                    }
                };
                let id = format!("{device}{group}{suffix}");
                for placed in number.read(filter, &of_group, &id, memory, found) {
                    let place = placed.place.map(|place| format!("-{place}"));
                    let id = format!("{id}{}", place.unwrap_or_default());
                    for (way, value) in number.ways(placed.value) {
                        let added = number
                            .measures(placed.measure, value)
                            .and_then(|measures| found.add(&id, self.kind, way, measures));
                        if let Err(problem) = added {
                            found.problems.push(problem);
                        }
                    }
                }
            }
        }
    }

    /// The objects with the numbers, each with the suffix for its id.
    fn roots<'m>(&self, message: &'m Value) -> Vec<(String, &'m Value)> {
        let mut roots = vec![(String::new(), message)];
        let Some(first) = &self.first_group else {
            return roots;
        };
        let members = message.as_object().into_iter().flatten();
        // A plug's own measurements are in this group.
        let groups = members.filter(|(name, value)| value.is_object() && *name != "ENERGY");
        roots.extend(groups.take(MAX_GROUPS).map(|(name, value)| {
            let suffix = if name == first {
                String::new()
            } else {
                format!("-{name}")
            };
            (suffix, value)
        }));
        roots
    }
}

impl Exceptions {
    fn has_topic(&self, filter: &TopicFilter, topic: &str) -> bool {
        if self.topics.is_empty() {
            return false;
        }
        let captures = filter.captures(topic).unwrap_or_default();
        let last = captures.last().copied().unwrap_or_default();
        self.topics.iter().any(|text| {
            if text.ends_with('/') {
                last.starts_with(text.as_str())
            } else {
                last.ends_with(text.as_str())
            }
        })
    }

    fn has(&self, message: &Value) -> bool {
        let has_value = self.values.as_ref().is_some_and(|(field, values)| {
            let value = message.get(field).and_then(Value::as_str);
            value.is_some_and(|value| values.iter().any(|it| it == value))
        });
        let lacks = self.with.as_ref().is_some_and(|it| !it.is_in(message));
        let has_other = self.without.as_ref().is_some_and(|it| it.is_in(message));
        has_value || lacks || has_other
    }
}

#[cfg(test)]
mod tests;
