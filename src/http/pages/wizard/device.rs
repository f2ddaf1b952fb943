//! The devices that people have.

use crate::domain::words::words;
use crate::domain::{MeterKind, Role};
use crate::mqtt::intake::Preset;

/// What uploads the readings of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Device {
    Shelly,
    ShellyGen1,
    Tasmota,
    Zigbee2mqtt,
    Esphome,
    P1,
    Iotawatt,
    Emonpi,
    HomeAssistant,
    Script,
    /// A file with history.
    File,
    /// A person, who reads the meter.
    Person,
}

words! {
    Device: Shelly "shelly", ShellyGen1 "shelly-gen1", Tasmota "tasmota", Zigbee2mqtt "zigbee2mqtt", Esphome "esphome", P1 "p1",
        Iotawatt "iotawatt", Emonpi "emonpi", HomeAssistant "home-assistant", Script "script", File "file", Person "person";
    "the word of a device, such as shelly"
}

impl Device {
    /// The presets that may read its messages from a broker.
    pub(super) const fn presets(self) -> &'static [Preset] {
        match self {
            Self::Shelly => &[Preset::Shelly],
            Self::ShellyGen1 => &[Preset::ShellyGen1, Preset::ShellyGen1ThreePhases],
            Self::Tasmota => &[Preset::Tasmota, Preset::TasmotaSml],
            Self::Zigbee2mqtt => &[Preset::Zigbee2mqtt],
            Self::Esphome => &[Preset::Esphome],
            Self::P1 => &[
                Preset::DsmrReader,
                Preset::Dsmr2mqtt,
                Preset::HomewizardP1Mqtt,
            ],
            _ => &[],
        }
    }

    /// Whether its readings come by way of a broker alone.
    pub(super) const fn needs_broker(self) -> bool {
        !self.presets().is_empty() && !self.has_key()
    }

    /// Whether it signs in with a key of its own.
    pub(super) const fn has_key(self) -> bool {
        matches!(
            self,
            Self::Tasmota
                | Self::Esphome
                | Self::Iotawatt
                | Self::Emonpi
                | Self::HomeAssistant
                | Self::Script
        )
    }

    /// Whether Home Assistant has its values before they come here: from the broker, or its own.
    pub(super) const fn is_in_home_assistant(self) -> bool {
        matches!(
            self,
            Self::Shelly | Self::ShellyGen1 | Self::Zigbee2mqtt | Self::P1 | Self::HomeAssistant
        )
    }

    /// What its register says, as far as the device and what it measures tell.
    pub(super) const fn register(self, role: Role) -> MeterKind {
        match (self, role) {
            // Their meters count what comes and what goes apart, and a plug only counts up.
            (Self::Shelly | Self::ShellyGen1 | Self::Tasmota | Self::Zigbee2mqtt | Self::P1, _) => {
                MeterKind::Counter
            }
            _ => MeterKind::usual(role),
        }
    }
}
