//! One number of a device: power or register, from one or several fields of its messages.

use serde_json::Value;

use super::channel::Channel;
use super::direction;
use super::number_unit::NumberUnit;
use super::parts::PartMemory;
use super::payload::{ArrivedMessage, PayloadError, PlacedNumber, Pointer};
use super::readings::MessageReadings;
use super::sum::{Sum, SumPart};
use super::topic::{FilterError, TopicFilter};
use crate::domain::Measures;
use crate::domain::SentParts;
use crate::domain::number::to_millionth;
use crate::ingest::{Quantity, Way};
use crate::store::Measure;

/// Where a number is in the messages of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct MappedNumber {
    /// The channel.
    pub channel: Channel,
    /// The direction of its flow.
    pub way: Way,
    /// Whether it is power or a register, and its unit.
    pub unit: NumberUnit,
    /// The place of the direction in the message.
    pub direction: Option<Pointer>,
    /// The sums; the first one whose parts are all present counts.
    pub sums: Vec<Sum>,
    /// A number counts only above this limit, in watts or watt-hours: devices send 0, or worse,
    /// while the value is unknown.
    pub above: Option<f64>,
    /// Places where `false` means that the number is not measured.
    pub valid: Vec<Pointer>,
}

/// A [`MappedNumber`] whose parts know their topics.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReadyNumber {
    pub(super) channel: Channel,
    way: Way,
    unit: NumberUnit,
    direction: Option<Pointer>,
    sums: Vec<Vec<ReadyPart>>,
    above: Option<f64>,
    valid: Vec<Pointer>,
}

#[derive(Clone, Debug, PartialEq)]
struct ReadyPart {
    /// The index of its filter.
    filter: usize,
    /// Its number in the mapping, for the memory.
    slot: usize,
    pointer: Pointer,
    factor: f64,
    /// For a part that a device may lack: its bit in [`SentParts`].
    optional: Option<SentParts>,
    /// Whether its last value counts for messages without it.
    is_kept: bool,
}

/// A part's numbers in a message.
enum PartNumbers {
    /// The message has them.
    Here(Vec<PlacedNumber>),
    /// The message has them, but not all can be read.
    Unreadable,
    /// An earlier message has them, or the device does not have the part.
    Earlier(f64),
    Missing,
    /// It is missing, although it had time to arrive on its own topic.
    Silent,
}

impl MappedNumber {
    /// The number in the field at `pointer`, of the device's first channel.
    #[must_use]
    pub fn plain(way: Way, quantity: Quantity, sum: Sum) -> Self {
        Self {
            channel: Channel::Number(0),
            way,
            unit: NumberUnit::Known(quantity),
            direction: None,
            sums: vec![sum],
            above: None,
            valid: Vec::new(),
        }
    }

    /// Gives each part the index of its filter, from `index_of`, and a slot.
    pub(super) fn ready(
        self,
        slots: &mut impl Iterator<Item = usize>,
        index_of: &mut impl FnMut(Option<&TopicFilter>) -> Result<usize, FilterError>,
    ) -> Result<ReadyNumber, FilterError> {
        let sums = self.sums.into_iter().map(|Sum { parts }| {
            let first = parts.first().and_then(|part| part.topic.clone());
            let has_topics = parts.iter().any(|part| part.topic != first);
            let parts = parts.into_iter().zip(&mut *slots).map(|(part, slot)| {
                let SumPart {
                    topic,
                    pointer,
                    factor,
                    is_optional,
                } = part;
                Ok(ReadyPart {
                    filter: index_of(topic.as_ref())?,
                    slot,
                    pointer,
                    factor,
                    optional: is_optional.then(|| SentParts::of(slot)),
                    is_kept: has_topics || is_optional,
                })
            });
            parts.collect()
        });
        Ok(ReadyNumber {
            channel: self.channel,
            way: self.way,
            unit: self.unit,
            direction: self.direction,
            sums: sums.collect::<Result<_, _>>()?,
            above: self.above,
            valid: self.valid,
        })
    }
}

impl ReadyNumber {
    pub(super) const fn has_announced_unit(&self) -> bool {
        matches!(self.unit, NumberUnit::Announced(..))
    }

    /// The places of its parts, of its direction, and of its validity.
    pub(super) fn places(&self) -> impl Iterator<Item = &Pointer> {
        let parts = self.sums.iter().flatten().map(|part| &part.pointer);
        parts.chain(&self.direction).chain(&self.valid)
    }

    /// Whether a message under the filter of this index contains a part of it, which is measured.
    pub(super) fn is_in(&self, filter: usize, message: &Value) -> bool {
        let mut parts = self.sums.iter().flatten();
        parts.any(|part| part.filter == filter && part.pointer.is_in(message))
            && !self.valid.iter().any(|place| place.is_false(message))
    }

    /// The numbers of a message that arrived under the filter of this index: one, or those of a
    /// list. Problems, and missing parts of a sum, are added to `found`.
    pub(super) fn read(
        &self,
        filter: usize,
        arrival: &ArrivedMessage<'_>,
        device: &str,
        memory: &mut PartMemory,
        found: &mut MessageReadings,
    ) -> Vec<PlacedNumber> {
        let quantity = match self.unit.quantity(arrival.unit) {
            Ok(quantity) => quantity,
            Err(problem) => {
                found.problems.extend(problem);
                return Vec::new();
            }
        };
        let mut silent = Vec::new();
        for sum in &self.sums {
            if !sum.iter().any(|part| part.filter == filter) {
                continue;
            }
            // To the end, even if one part is missing, because the others are remembered.
            let parts = sum.iter();
            let parts = parts.map(|part| {
                part.numbers(
                    filter,
                    quantity,
                    arrival,
                    device,
                    memory,
                    &mut found.problems,
                )
            });
            let parts: Vec<PartNumbers> = parts.collect();
            if parts.iter().any(|it| matches!(it, PartNumbers::Unreadable)) {
                // Another sum may be of a different register.
                return Vec::new();
            }
            let mut added = added(&parts);
            if added.is_empty() {
                let is_here = parts
                    .iter()
                    .any(|it| matches!(it, PartNumbers::Here(here) if !here.is_empty()));
                let missing = sum.iter().zip(&parts).filter(|_| is_here);
                let missing = missing.filter(|(_, it)| matches!(it, PartNumbers::Silent));
                silent.extend(missing.map(|(part, _)| (device.to_owned(), part.filter)));
                continue;
            }
            if sum.len() > 1 || sum.iter().any(|part| part.factor != 1.0) {
                for number in &mut added {
                    // Hides the rounding noise of binary fractions.
                    number.value = to_millionth(number.value);
                }
            }
            let counts =
                |number: &PlacedNumber| self.above.is_none_or(|above| number.value > above);
            added.retain(counts);
            if let Some(direction) = &self.direction {
                direction::turn(direction, arrival.message, &mut added);
            }
            return added;
        }
        found.silent.extend(silent);
        Vec::new()
    }

    /// The directions of a value.
    pub(super) fn ways(&self, value: f64) -> Vec<(Way, f64)> {
        match self.way {
            // Adding zero turns -0.0 into 0.0.
            Way::Both => vec![
                (Way::Forth, value.max(0.0) + 0.0),
                (Way::Back, (-value).max(0.0) + 0.0),
            ],
            way => vec![(way, value)],
        }
    }

    /// A value as measures.
    pub(super) fn measures(&self, measure: Measure, value: f64) -> Result<Measures, PayloadError> {
        let measures = match measure {
            Measure::Watts => Measures::new(Some(value), None),
            Measure::Watthours => Measures::new(None, Some(value)),
        };
        let place = || {
            let part = self.sums.iter().flatten().next();
            part.map_or_else(|| PayloadError::NotJson, |part| part.pointer.not_number())
        };
        // A sum may exceed the range of a float.
        measures.map_err(|_| place())
    }
}

impl ReadyPart {
    /// The numbers in the message; `None` if one of them cannot be read.
    fn here(
        &self,
        message: &Value,
        quantity: Option<Quantity>,
        problems: &mut Vec<PayloadError>,
    ) -> Option<Vec<PlacedNumber>> {
        let mut numbers = Vec::new();
        let is_list = matches!(
            message.pointer(self.pointer.as_str()),
            Some(Value::Array(_))
        );
        for read in self.pointer.numbers(message, quantity) {
            match read {
                Ok(number) => numbers.push(PlacedNumber {
                    value: number.value * self.factor,
                    ..number
                }),
                Err(problem) => {
                    problems.push(problem);
                    // Of a list, the other numbers belong to other channels.
                    if !is_list {
                        return None;
                    }
                }
            }
        }
        Some(numbers)
    }

    fn numbers(
        &self,
        filter: usize,
        quantity: Option<Quantity>,
        arrival: &ArrivedMessage<'_>,
        device: &str,
        memory: &mut PartMemory,
        problems: &mut Vec<PayloadError>,
    ) -> PartNumbers {
        let elapsed = arrival.elapsed;
        let earlier = |memory: &PartMemory| memory.value(device, self.slot, elapsed);
        if filter != self.filter {
            if let Some(value) = earlier(memory) {
                return PartNumbers::Earlier(value);
            }
            let is_needed = match self.optional {
                Some(part) => memory.expects(device, part, elapsed),
                None => true,
            };
            return match (memory.has_waited(device, elapsed), is_needed) {
                (false, _) => PartNumbers::Missing,
                (true, false) => PartNumbers::Earlier(0.0),
                (true, true) => PartNumbers::Silent,
            };
        }
        let Some(numbers) = self.here(arrival.message, quantity, problems) else {
            return PartNumbers::Unreadable;
        };
        if self.is_kept
            && let [PlacedNumber { place: None, measure, value }] = numbers[..]
            // The power in a message that waited at the broker may be years old. A register does
            // not change if nothing was sent after it.
            && (arrival.is_new || measure == Measure::Watthours)
        {
            memory.keep(device, self.slot, measure, value, elapsed);
            if let Some(part) = self.optional.filter(|_| value != 0.0)
                && measure == Measure::Watthours
            {
                memory.sent(device, part);
            }
        }
        if !numbers.is_empty() {
            return PartNumbers::Here(numbers);
        }
        let Some(part) = self.optional else {
            return PartNumbers::Missing;
        };
        if self.pointer.is_null(arrival.message) {
            // The device reports that it has no such part.
            let measure = quantity.map_or(Measure::Watts, Quantity::measure);
            memory.keep(device, self.slot, measure, 0.0, elapsed);
            return PartNumbers::Earlier(0.0);
        }
        // Devices leave out unchanged parts. A part that was sent before this run may have any
        // value by now.
        match earlier(memory) {
            Some(value) => PartNumbers::Earlier(value),
            None if memory.expects(device, part, elapsed) => PartNumbers::Silent,
            None => PartNumbers::Earlier(0.0),
        }
    }
}

/// The sum of the parts; nothing if one is missing, or if none is in the message. Lists of the same
/// length are added element by element.
fn added(parts: &[PartNumbers]) -> Vec<PlacedNumber> {
    let mut lists: Vec<&[PlacedNumber]> = Vec::new();
    let mut earlier = 0.0;
    for part in parts {
        match part {
            PartNumbers::Here(numbers) => lists.push(numbers),
            PartNumbers::Earlier(value) => earlier += value,
            PartNumbers::Missing | PartNumbers::Silent | PartNumbers::Unreadable => {
                return Vec::new();
            }
        }
    }
    let Some((first, rest)) = lists.split_first() else {
        return Vec::new();
    };
    let places = |list: &[PlacedNumber]| list.iter().map(|number| number.place).collect::<Vec<_>>();
    if earlier == 0.0 && rest.iter().all(|list| places(list) == places(first)) {
        let mut sums = first.to_vec();
        for list in rest {
            for (sum, number) in sums.iter_mut().zip(*list) {
                sum.value += number.value;
            }
        }
        return sums;
    }
    let here = lists.iter().flat_map(|list| list.iter());
    let value = here.map(|number| number.value).sum::<f64>() + earlier;
    let measure = first.first().map(|number| number.measure);
    let sum = measure.map(|measure| PlacedNumber {
        place: None,
        measure,
        value,
    });
    sum.into_iter().collect()
}
