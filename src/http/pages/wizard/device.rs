//! The devices that people have.

use crate::domain::words::words;
use crate::domain::{MeterKind, Role};
use crate::ingest::devices::{PollPreset, Preset};

/// A device or other source that uploads the readings of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Device {
    Shelly,
    /// Tasmota's own MQTT.
    TasmotaMqtt,
    /// Tasmota without a broker: a rule of the device uploads.
    Tasmota,
    Zigbee2mqtt,
    Esphome,
    P1,
    Homewizard,
    Fronius,
    /// Inverters and meters that answer by Modbus with SunSpec.
    Sunspec,
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
    Device: Shelly "shelly", TasmotaMqtt "tasmota-mqtt", Tasmota "tasmota", Zigbee2mqtt "zigbee2mqtt", Esphome "esphome", P1 "p1", Homewizard "homewizard",
        Fronius "fronius", Sunspec "sunspec", Iotawatt "iotawatt", Emonpi "emonpi", HomeAssistant "home-assistant", Script "script", File "file", Person "person";
    "the word of a device, such as shelly"
}

impl Device {
    /// The presets that may match its messages on a broker.
    pub(super) fn presets(self) -> Vec<&'static Preset> {
        let presets = Preset::all().iter();
        presets.filter(|it| it.is_of(self.as_str())).collect()
    }

    /// The preset of a device that can be named by its topic, before it was heard.
    pub(super) fn by_topic(self) -> Option<&'static Preset> {
        match self {
            Self::TasmotaMqtt => Preset::with_id("tasmota"),
            _ => None,
        }
    }

    /// The presets that may poll it as a sensor of this role; empty if it answers no requests.
    pub(super) fn polled_as(self, role: Role) -> Vec<&'static PollPreset> {
        let presets = PollPreset::all().iter();
        let own = presets.filter(|it| it.is_of(self.as_str()));
        let with = |role| own.clone().filter(move |it| it.role() == role);
        let for_role: Vec<_> = with(Some(role)).collect();
        if for_role.is_empty() {
            with(None).collect()
        } else {
            for_role
        }
    }

    /// Whether it can be polled.
    pub(super) fn is_polled(self) -> bool {
        !self.polled_as(Role::Grid).is_empty()
    }

    /// Whether it sends its readings to a broker, not to us.
    pub(super) fn sends_to_broker(self) -> bool {
        !self.presets().is_empty() && !self.has_key()
    }

    /// Whether its readings only come through a broker.
    pub(super) fn needs_broker(self) -> bool {
        self.sends_to_broker() && !self.is_polled()
    }

    /// Whether it signs in with its own key.
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

    /// Whether Home Assistant already has its values, from the broker or by itself.
    pub(super) const fn is_in_home_assistant(self) -> bool {
        matches!(
            self,
            Self::Shelly
                | Self::TasmotaMqtt
                | Self::Zigbee2mqtt
                | Self::P1
                | Self::Homewizard
                | Self::Fronius
                | Self::HomeAssistant
        )
    }

    /// The kind of its register, as far as the device and its role determine it.
    pub(super) const fn register(self, role: Role) -> MeterKind {
        match (self, role) {
            // These meters count imports and exports separately, and a plug only counts up.
            (
                Self::Shelly
                | Self::TasmotaMqtt
                | Self::Tasmota
                | Self::Zigbee2mqtt
                | Self::P1
                | Self::Homewizard
                | Self::Fronius
                | Self::Sunspec,
                _,
            ) => MeterKind::Counter,
            _ => MeterKind::usual(role),
        }
    }
}
