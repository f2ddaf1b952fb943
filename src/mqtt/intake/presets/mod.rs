//! What well-known devices send, as mappings: a preset needs only a topic.
//!
//! Formats: Tasmota, `tele/.../SENSOR` (tasmota.github.io/docs); Shelly, first generation (shelly-api-docs.shelly.cloud/gen1,
//! MQTT) and later ones (shelly-api-docs.shelly.cloud/gen2, notifications and the status of each component); Zigbee2MQTT
//! (www.zigbee2mqtt.io, MQTT topics and messages, and `advanced.last_seen`).

use std::str::FromStr;

use thiserror::Error;

use crate::domain::EnergyUnit;
use crate::ingest::Quantity;
use crate::mqtt::intake::mapping::{Channel, TopicMapping};
use crate::mqtt::intake::payload::{Pointer, TimeForm};
use crate::mqtt::intake::template::SensorTemplate;
use crate::mqtt::intake::topic::{FilterError, TopicFilter};

/// Where a channel's number is in a message.
type ChannelNumber = (Channel, Pointer, Quantity);

/// The most channels of a Shelly.
const SHELLY_CHANNELS: u32 = 4;

/// Well-known devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Tasmota: `ENERGY.Power` in W and `ENERGY.Total` in kWh, each a number, or a list with one for each channel. Its time
    /// counts only with an offset (`SetOption52 1`).
    Tasmota,
    /// Shelly, first generation: plain numbers, power in W, the registers of relays in watt-minutes and of meters in Wh.
    ShellyGen1,
    /// Shelly, later generations: notifications under `.../events/rpc`, with their time.
    Shelly,
    /// Zigbee2MQTT: `power` in W, `energy` in kWh, `last_seen` if it is on.
    Zigbee2mqtt,
}

/// There is no preset of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected tasmota, shelly-gen1, shelly or zigbee2mqtt")]
pub struct UnknownPreset;

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        let preset = Self::ALL.into_iter().find(|preset| preset.as_str() == text);
        preset.ok_or(UnknownPreset)
    }
}

impl Preset {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Tasmota,
        Self::ShellyGen1,
        Self::Shelly,
        Self::Zigbee2mqtt,
    ];

    /// Its name in settings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tasmota => "tasmota",
            Self::ShellyGen1 => "shelly-gen1",
            Self::Shelly => "shelly",
            Self::Zigbee2mqtt => "zigbee2mqtt",
        }
    }

    /// The default topic of its devices. For [`Self::ShellyGen1`] it is the beginning of all topics of a device, for the
    /// others the topic of its messages.
    #[must_use]
    pub const fn usual_topic(self) -> &'static str {
        match self {
            Self::Tasmota => "tele/+/SENSOR",
            Self::ShellyGen1 => "shellies/+",
            Self::Shelly => "+/events/rpc",
            Self::Zigbee2mqtt => "zigbee2mqtt/+",
        }
    }

    /// How messages under `topic` become readings of the sensors that `sensor` names.
    ///
    /// # Errors
    /// [`FilterError`] if nothing can be below `topic`; only for [`Self::ShellyGen1`].
    pub fn mappings(
        self,
        topic: &TopicFilter,
        sensor: &SensorTemplate,
    ) -> Result<Vec<TopicMapping>, FilterError> {
        let one = |numbers: Vec<ChannelNumber>, time: &str| TopicMapping {
            filter: topic.clone(),
            sensor: sensor.clone(),
            numbers,
            time: pointer(time).map(|time| (time, TimeForm::Zoned)),
        };
        let kilowatthours = |watts: &str, register: &str| {
            let kilowatthours = Quantity::Register(EnergyUnit::KilowattHours);
            let numbers = [(watts, Quantity::WATTS), (register, kilowatthours)];
            let numbers =
                numbers.map(|(text, quantity)| number(Channel::Number(0), text, quantity));
            numbers.into_iter().flatten().collect()
        };
        Ok(match self {
            Self::Tasmota => vec![one(
                kilowatthours("/ENERGY/Power", "/ENERGY/Total"),
                "/Time",
            )],
            Self::Zigbee2mqtt => vec![one(kilowatthours("/power", "/energy"), "/last_seen")],
            Self::Shelly => vec![one(shelly_numbers(), "/params/ts")],
            Self::ShellyGen1 => return shelly_gen1(topic, sensor),
        })
    }
}

/// Components of later Shellys: where their power in W is, and their register in Wh.
const SHELLY_COMPONENTS: [(&str, &str, &str, &str); 7] = [
    ("switch", "apower", "switch", "aenergy/total"),
    ("cover", "apower", "cover", "aenergy/total"),
    ("light", "apower", "light", "aenergy/total"),
    ("pm1", "apower", "pm1", "aenergy/total"),
    ("em1", "act_power", "em1data", "total_act_energy"),
    ("em", "total_act_power", "emdata", "total_act"),
    ("rgbw", "apower", "rgbw", "aenergy/total"),
];

fn shelly_numbers() -> Vec<ChannelNumber> {
    let numbers = (0..SHELLY_CHANNELS).flat_map(|index| {
        SHELLY_COMPONENTS.map(|(power_of, power, register_of, register)| {
            let watts = format!("/params/{power_of}:{index}/{power}");
            let watthours = format!("/params/{register_of}:{index}/{register}");
            let channel = Channel::Number(index);
            [
                number(channel, &watts, Quantity::WATTS),
                number(channel, &watthours, Quantity::WATTHOURS),
            ]
        })
    });
    numbers.flatten().flatten().collect()
}

/// Parts of a Shelly of the first generation: the last level of the topic of their register, and its unit.
const SHELLY_GEN1_PARTS: [(&str, &str, EnergyUnit); 4] = [
    ("relay", "energy", EnergyUnit::WattMinutes),
    ("roller", "energy", EnergyUnit::WattMinutes),
    ("light", "energy", EnergyUnit::WattMinutes),
    ("emeter", "total", EnergyUnit::WattHours),
];

fn shelly_gen1(
    device: &TopicFilter,
    sensor: &SensorTemplate,
) -> Result<Vec<TopicMapping>, FilterError> {
    // The wildcard of the channel comes after those of the device, and wildcards count from 0.
    let channel = Channel::Wildcard(device.wildcards());
    // Each number has a topic of its own, and is the whole message.
    let mapping = |levels: String, quantity: Quantity| {
        Ok(TopicMapping {
            filter: device.below(&levels)?,
            sensor: sensor.clone(),
            numbers: number(channel, "", quantity).into_iter().collect(),
            time: None,
        })
    };
    let parts = SHELLY_GEN1_PARTS.iter().flat_map(|(part, register, unit)| {
        [
            mapping(format!("{part}/+/power"), Quantity::WATTS),
            mapping(format!("{part}/+/{register}"), Quantity::Register(*unit)),
        ]
    });
    parts.collect()
}

fn number(channel: Channel, text: &str, quantity: Quantity) -> Option<ChannelNumber> {
    Some((channel, pointer(text)?, quantity))
}

/// Parses a pointer. A test shows that those of the tables above are valid.
fn pointer(text: &str) -> Option<Pointer> {
    text.parse().ok()
}

#[cfg(test)]
mod tests;
