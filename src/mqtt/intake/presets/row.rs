//! The rows of the tables: the name of a number, its unit, and the direction of its flow.

use crate::domain::{EnergyUnit, PowerUnit};
use crate::ingest::devices::channel::Channel;
use crate::ingest::devices::mapping::{Exceptions, TopicMapping};
use crate::ingest::devices::number::MappedNumber;
use crate::ingest::devices::number_unit::NumberUnit;
use crate::ingest::devices::payload::TimeForm;
use crate::ingest::devices::sum::Sum;
use crate::ingest::devices::template::SensorTemplate;
use crate::ingest::devices::topic::{FilterError, TopicFilter};
use crate::ingest::{DeviceKind, Quantity, Way};
use crate::store::Measure;

pub(super) const W: PowerUnit = PowerUnit::Watts;
pub(super) const KW: PowerUnit = PowerUnit::Kilowatts;
pub(super) const WH: EnergyUnit = EnergyUnit::WattHours;
pub(super) const KWH: EnergyUnit = EnergyUnit::KilowattHours;
/// Forward flow, reverse flow, and both in one number.
pub(super) const FORTH: Way = Way::Forth;
pub(super) const BACK: Way = Way::Back;
pub(super) const BOTH: Way = Way::Both;

/// The units of devices whose messages do not contain them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PresetUnits {
    /// The unit of power; `None` for the usual one.
    pub watts: Option<PowerUnit>,
    /// The unit of registers; `None` for the usual one.
    pub watthours: Option<EnergyUnit>,
}

/// The place where a preset is used.
#[derive(Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) topic: &'a TopicFilter,
    pub(super) sensor: &'a SensorTemplate,
}

/// A number of a device.
pub(super) struct NumberRow {
    channel: Channel,
    way: Way,
    unit: NumberUnit,
    /// The pointer to the direction; `None` if the number has a sign, or only one direction.
    direction: Option<String>,
    /// Sums as text; their topics are below that of the sheet.
    sums: Vec<String>,
    above: Option<f64>,
}

/// The numbers of a device that are in the same messages, or have the same kind of meaning.
pub(super) struct Sheet {
    /// The levels below the topic of the device; empty for that topic.
    levels: String,
    rows: Vec<NumberRow>,
    /// The places of a battery's state of charge as text, and its channel.
    charges: Vec<(&'static str, Channel)>,
    /// The pointer to the time; empty for none.
    time: &'static str,
    kind: DeviceKind,
    first_group: Option<&'static str>,
    except: Exceptions,
}

/// Power, as the sum `of`.
pub(super) fn power(way: Way, unit: PowerUnit, of: impl Into<String>) -> NumberRow {
    row(way, NumberUnit::Known(Quantity::Power(unit)), of.into())
}

/// A register, as the sum `of`. Registers have no sign.
pub(super) fn register(way: Way, unit: EnergyUnit, of: impl Into<String>) -> NumberRow {
    row(way, NumberUnit::Known(Quantity::Register(unit)), of.into())
}

/// Power or a register, according to the unit in its text.
pub(super) fn with_unit(of: impl Into<String>) -> NumberRow {
    row(FORTH, NumberUnit::InText, of.into())
}

/// A number whose unit the device announces.
pub(super) fn announced(
    way: Way,
    measure: Measure,
    set: Option<Quantity>,
    of: impl Into<String>,
) -> NumberRow {
    row(way, NumberUnit::Announced(measure, set), of.into())
}

fn row(way: Way, unit: NumberUnit, sum: String) -> NumberRow {
    NumberRow {
        channel: Channel::Number(0),
        way,
        unit,
        direction: None,
        sums: vec![sum],
        above: None,
    }
}

impl NumberRow {
    /// Adds another sum, for devices that lack the one before.
    pub(super) fn or(mut self, sum: impl Into<String>) -> Self {
        self.sums.push(sum.into());
        self
    }

    /// Sets the channel. Its wildcards count from 0 below the topic of the device.
    pub(super) fn of(mut self, channel: Channel) -> Self {
        self.channel = channel;
        self
    }

    /// Takes the direction from this field.
    pub(super) fn turned_by(mut self, pointer: impl Into<String>) -> Self {
        self.direction = Some(pointer.into());
        self
    }

    /// Ignores values up to this limit, in watts or watt-hours.
    pub(super) fn above(mut self, limit: f64) -> Self {
        self.above = Some(limit);
        self
    }

    fn number(self, wildcards: usize) -> Result<MappedNumber, FilterError> {
        let sums = self.sums.iter().map(|text| text.parse::<Sum>());
        let direction = self.direction.as_deref().map(str::parse);
        Ok(MappedNumber {
            channel: self.channel.behind(wildcards),
            way: self.way,
            unit: self.unit,
            direction: direction.transpose().map_err(|_| FilterError)?,
            // A test checks that the sums of the tables are valid.
            sums: sums.collect::<Result<_, _>>().map_err(|_| FilterError)?,
            above: self.above,
        })
    }
}

/// The rows in the messages below the topic of the device.
pub(super) fn sheet(kind: DeviceKind, levels: impl Into<String>, rows: Vec<NumberRow>) -> Sheet {
    Sheet {
        levels: levels.into(),
        rows,
        charges: Vec::new(),
        time: "",
        kind,
        first_group: None,
        except: Exceptions::default(),
    }
}

impl Sheet {
    /// Takes the time from this place.
    pub(super) fn at(mut self, time: &'static str) -> Self {
        self.time = time;
        self
    }

    /// Also reads the state of charge of the battery that is this channel.
    pub(super) fn charged_at(mut self, place: &'static str, channel: Channel) -> Self {
        self.charges.push((place, channel));
        self
    }

    /// Reads groups; this one has the id of the device.
    pub(super) fn grouped(mut self, first: &'static str) -> Self {
        self.first_group = Some(first);
        self
    }

    /// Excludes messages whose topics have such prefixes or suffixes.
    pub(super) fn without_topics(mut self, topics: &'static [&'static str]) -> Self {
        self.except.topics = topics;
        self
    }

    /// Excludes messages whose field of this name has one of these values.
    pub(super) fn without(mut self, field: &'static str, values: &'static [&'static str]) -> Self {
        self.except.values = Some((field, values));
        self
    }

    /// The mapping of a device.
    pub(super) fn on(self, base: Base<'_>) -> Result<TopicMapping, FilterError> {
        let own = match &*self.levels {
            "" => base.topic.clone(),
            levels => base.topic.below(levels)?,
        };
        let wildcards = base.topic.wildcards();
        let rows = self.rows.into_iter().map(|row| row.number(wildcards));
        let rows = rows.collect::<Result<_, _>>()?;
        let below = |levels: &TopicFilter| own.below(levels.as_str());
        let mut mapping = TopicMapping::new(Some(&own), base.sensor.clone(), rows, below)?;
        for (place, channel) in self.charges {
            let place: Sum = place.parse().map_err(|_| FilterError)?;
            let part = place.parts.into_iter().next().ok_or(FilterError)?;
            let topic = below(part.topic.as_ref().ok_or(FilterError)?)?;
            mapping.charged_at(topic, part.pointer, channel.behind(wildcards));
        }
        if !self.time.is_empty() {
            let time = self.time.parse().map_err(|_| FilterError)?;
            mapping.time = Some((time, TimeForm::Zoned));
        }
        mapping.kind = self.kind;
        mapping.first_group = self.first_group;
        mapping.except = self.except;
        Ok(mapping)
    }
}
