//! Messages of well-known devices, as tables: a preset needs only a topic. Each file names the
//! documents of its devices.
//!
//! - `row`: a row of these tables, and the mapping made of them
//! - `tasmota`, `shelly`: the names of their numbers
//! - `meters`: meters of the utility, and their readers
//! - `plants`: inverters, batteries, chargers, and their managers
//! - `bridges`: programs that pass on the messages of other devices

mod bridges;
mod meters;
mod plants;
mod row;
mod shelly;
mod tasmota;

pub use self::row::PresetUnits;
use self::row::{Base, Sheet};
use crate::domain::words::words;
use crate::ingest::DeviceClock;
use crate::ingest::devices::mapping::TopicMapping;
use crate::ingest::devices::template::SensorTemplate;
use crate::ingest::devices::topic::{FilterError, TopicFilter};

/// Well-known devices, and programs that pass on their messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Preset {
    /// Tasmota: the group `ENERGY` of plugs and of its meters.
    Tasmota,
    /// Tasmota: meters read by a script, with the usual names.
    TasmotaSml,
    /// Shelly, first generation: plain numbers, a sensor for each channel.
    ShellyGen1,
    /// Shelly 3EM of the first generation: its three phases as one sensor.
    ShellyGen1ThreePhases,
    /// Shelly, later generations: notifications and the status of each component.
    Shelly,
    /// Zigbee2MQTT.
    Zigbee2mqtt,
    /// Zigbee2MQTT, for meters with three phases whose `power` is that of the first phase.
    Zigbee2mqttPhases,
    /// ESPHome, where the names of its sensors end with `power` and `energy`.
    Esphome,
    /// OpenDTU, by inverter.
    Opendtu,
    /// AhoyDTU, by inverter.
    Ahoydtu,
    /// evcc: its grid meter, panels, battery and chargers.
    Evcc,
    /// Victron's Venus OS.
    Victron,
    /// DSMR-reader, both as JSON and in topics of their own.
    DsmrReader,
    /// The bridge dsmr2mqtt.
    Dsmr2mqtt,
    /// The bridge homewizard-p1-mqtt.
    HomewizardP1Mqtt,
    /// The AMS reader of amsleser.no, once `AmsToMqttBridge`.
    Amsreader,
    /// The bridge tibber-pulse-bot.
    TibberPulseBot,
    /// Glow: displays of smart meters by Hildebrand.
    Glow,
    /// IAMMETER.
    Iammeter,
    /// SolarAssistant.
    SolarAssistant,
    /// `rtl_433`.
    Rtl433,
    /// openHAB's event bus: numbers with their unit.
    Openhab,
}

words! {
    Preset: Tasmota "tasmota", TasmotaSml "tasmota-sml", ShellyGen1 "shelly-gen1", ShellyGen1ThreePhases "shelly-gen1-3em",
        Shelly "shelly", Zigbee2mqtt "zigbee2mqtt", Zigbee2mqttPhases "zigbee2mqtt-phases", Esphome "esphome", Opendtu "opendtu", Ahoydtu "ahoydtu", Evcc "evcc",
        Victron "victron", DsmrReader "dsmr-reader", Dsmr2mqtt "dsmr2mqtt", HomewizardP1Mqtt "homewizard-p1-mqtt",
        Amsreader "amsreader", TibberPulseBot "tibber-pulse-bot", Glow "glow", Iammeter "iammeter",
        SolarAssistant "solar-assistant", Rtl433 "rtl_433", Openhab "openhab";
    "the name of a preset, such as shelly (docs/MQTT.md lists them)"
}

impl Preset {
    /// The usual topics of its devices: the common prefix of all topics of a device. The first is
    /// the default, empty if people must choose one; the others are also in use.
    #[must_use]
    pub const fn topics(self) -> &'static [&'static str] {
        match self {
            Self::Tasmota | Self::TasmotaSml => &["tele/+/SENSOR", "+/tele/SENSOR"],
            Self::ShellyGen1 | Self::ShellyGen1ThreePhases => &["shellies/+"],
            Self::Shelly => &["+", "+/+", "+/+/+"],
            Self::Zigbee2mqtt | Self::Zigbee2mqttPhases => &["zigbee2mqtt/#"],
            Self::Esphome => &["+/sensor", "esphome/+/sensor"],
            Self::Opendtu => &["solar/+"],
            Self::Ahoydtu => &["inverter/+"],
            Self::Evcc => &["evcc"],
            Self::Victron => &["N/+"],
            Self::DsmrReader => &["dsmr"],
            Self::Dsmr2mqtt => &["dsmr/el"],
            Self::HomewizardP1Mqtt => &["homewizard/energy"],
            Self::Amsreader => &["", "+", "+/+"],
            Self::TibberPulseBot => &["tibber/pulse"],
            Self::Glow => &["glow/+", "energy/+"],
            Self::Iammeter => &["device/+/realtime"],
            Self::SolarAssistant => &["solar_assistant"],
            Self::Rtl433 => &["rtl_433/+/events"],
            Self::Openhab => &["openhab/out/+/state", "openHAB/out/+/state"],
        }
    }

    /// The default topic; empty if there is none.
    #[must_use]
    pub fn usual_topic(self) -> &'static str {
        self.topics().first().copied().unwrap_or_default()
    }

    /// The default ids of its sensors.
    #[must_use]
    pub const fn usual_sensor(self) -> &'static str {
        match self {
            Self::Tasmota
            | Self::TasmotaSml
            | Self::ShellyGen1
            | Self::ShellyGen1ThreePhases
            | Self::Shelly
            | Self::Zigbee2mqtt
            | Self::Zigbee2mqttPhases
            | Self::Esphome
            | Self::Opendtu
            | Self::Ahoydtu
            | Self::Glow
            | Self::Iammeter
            | Self::Openhab => "{1}",
            Self::Evcc => "evcc",
            Self::Victron => "victron",
            Self::DsmrReader | Self::Dsmr2mqtt => "dsmr",
            Self::HomewizardP1Mqtt => "homewizard",
            Self::Amsreader => "ams",
            Self::TibberPulseBot => "tibber",
            Self::SolarAssistant => "solar-assistant",
            Self::Rtl433 => "{/model}-{/id}",
        }
    }

    /// The trusted times of its devices, unless the settings choose others.
    #[must_use]
    pub fn usual_clock(self) -> DeviceClock {
        match self {
            // The same numbers come with and without a time.
            Self::Shelly => DeviceClock::OF_WAITING,
            _ => DeviceClock::default(),
        }
    }

    /// Whether its messages do not contain the units, so that settings may.
    #[must_use]
    pub const fn takes_units(self) -> bool {
        matches!(self, Self::TasmotaSml | Self::Esphome)
    }

    /// Whether its devices send only on request.
    #[must_use]
    pub const fn asks(self) -> bool {
        matches!(self, Self::Victron)
    }

    /// The mappings of messages below `topic` to readings of the sensors that `sensor` names.
    ///
    /// # Errors
    /// [`FilterError`] if there can be no topics below `topic`.
    pub fn mappings(
        self,
        topic: &TopicFilter,
        sensor: &SensorTemplate,
        units: PresetUnits,
    ) -> Result<Vec<TopicMapping>, FilterError> {
        let base = Base { topic, sensor };
        let sheets = self.sheets(units);
        sheets.into_iter().map(|sheet| sheet.on(base)).collect()
    }

    fn sheets(self, units: PresetUnits) -> Vec<Sheet> {
        match self {
            Self::Tasmota => tasmota::plugs(),
            Self::TasmotaSml => tasmota::scripts(units),
            Self::ShellyGen1 => shelly::first_generation(),
            Self::ShellyGen1ThreePhases => shelly::three_phases(),
            Self::Shelly => shelly::later(),
            Self::Zigbee2mqtt => bridges::zigbee2mqtt("/power"),
            Self::Zigbee2mqttPhases => {
                bridges::zigbee2mqtt("/power + /power_phase_b? + /power_phase_c?")
            }
            Self::Esphome => bridges::esphome(units),
            Self::Opendtu => plants::opendtu(),
            Self::Ahoydtu => plants::ahoydtu(),
            Self::Evcc => plants::evcc(),
            Self::Victron => plants::victron(),
            Self::DsmrReader => meters::dsmr_reader(),
            Self::Dsmr2mqtt => meters::dsmr2mqtt(),
            Self::HomewizardP1Mqtt => meters::homewizard_p1_mqtt(),
            Self::Amsreader => meters::amsreader(),
            Self::TibberPulseBot => meters::tibber_pulse_bot(),
            Self::Glow => meters::glow(),
            Self::Iammeter => meters::iammeter(),
            Self::SolarAssistant => plants::solar_assistant(),
            Self::Rtl433 => bridges::rtl_433(),
            Self::Openhab => bridges::openhab(),
        }
    }
}

#[cfg(test)]
mod tests;
