//! The settings of MQTT and of what Home Assistant is told through it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::Secret;
use crate::domain::account::AccountName;
use crate::mqtt::client::{BrokerAddress, ClientSettings};
use crate::mqtt::home_assistant::DiscoverySettings;
use crate::mqtt::intake::Subscription;
use crate::mqtt::intake::mapping::{Channel, ChannelPointers, TopicMapping};
use crate::mqtt::intake::payload::TimeForm;
use crate::mqtt::intake::presets::Preset;
use crate::mqtt::intake::template::SensorTemplate;
use crate::mqtt::intake::topic::TopicFilter;

/// The settings of the broker that readings come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MqttConfig {
    /// Its address; empty for none.
    pub broker: String,
    /// Our name there; empty for none.
    pub user: String,
    /// The password; empty for none.
    pub password: Secret,
    /// A file with the password; empty for none.
    pub password_file: PathBuf,
    /// What the broker knows us by.
    pub client_id: String,
    /// The certificates of whom it is trusted to be; empty for those that the system trusts.
    pub ca_file: PathBuf,
    /// What is listened to.
    pub subscriptions: Vec<SubscriptionConfig>,
}

/// A subscription: a preset, or what stands where in the messages. A text that is empty is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubscriptionConfig {
    /// Devices that are known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub preset: String,
    /// The topic; that of the preset's devices where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub topic: String,
    /// Whose the sensors are; the only account's where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub account: String,
    /// How the sensors are called; `{1}` where nothing is said.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sensor: String,
    /// Whether sensors that are not registered are added.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add_sensors: bool,
    /// Where power stands. An empty pointer is the whole message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watts: Option<String>,
    /// In what unit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub watts_unit: String,
    /// Where the register stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watthours: Option<String>,
    /// In what unit.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub watthours_unit: String,
    /// Where the time stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// What Home Assistant is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeAssistantConfig {
    /// Whether it is told anything.
    pub discovery: bool,
    /// What its topics of discovery begin with.
    pub prefix: String,
}

impl Default for MqttConfig {
    fn default() -> Self {
        Self {
            broker: String::new(),
            user: String::new(),
            password: Secret::default(),
            password_file: PathBuf::new(),
            client_id: "wattkeeper".into(),
            ca_file: PathBuf::new(),
            subscriptions: Vec::new(),
        }
    }
}

impl Default for HomeAssistantConfig {
    fn default() -> Self {
        Self {
            discovery: false,
            prefix: "homeassistant".into(),
        }
    }
}

impl MqttConfig {
    /// The settings as the client takes them; none where there is no broker.
    #[must_use]
    pub fn settings(&self, home_assistant: &HomeAssistantConfig) -> Option<ClientSettings> {
        let is_there = |path: &PathBuf| !path.as_os_str().is_empty();
        let node = self.client_id.clone();
        Some(ClientSettings {
            broker: self.broker.parse().ok()?,
            user: Some(self.user.clone()).filter(|user| !user.is_empty()),
            password: self
                .password
                .is_set()
                .then(|| self.password.reveal().to_owned()),
            password_file: Some(self.password_file.clone()).filter(is_there),
            client_id: self.client_id.clone(),
            ca_file: Some(self.ca_file.clone()).filter(is_there),
            subscriptions: self
                .subscriptions
                .iter()
                .filter_map(|each| each.read().ok())
                .collect(),
            home_assistant: home_assistant.discovery.then(|| DiscoverySettings {
                prefix: home_assistant.prefix.clone(),
                node,
            }),
        })
    }

    pub(super) fn is_right(&self) -> bool {
        let has_broker = self.broker.is_empty() || self.broker.parse::<BrokerAddress>().is_ok();
        has_broker && self.subscriptions.iter().all(|each| each.read().is_ok())
    }
}

/// The settings of a subscription, and what each must be.
pub(super) const FIELDS: [(&str, &str); 10] = [
    (
        "preset",
        "tasmota, shelly-gen1, shelly or zigbee2mqtt; or watts, watthours or both instead",
    ),
    (
        "topic",
        "a topic such as \"tele/+/SENSOR\", where + stands for one level, and a last # for all that follow",
    ),
    ("account", "an account's name"),
    (
        "sensor",
        "a sensor's id, where {1} is what the topic's first + stands for, {2} the second; it must be there where the topic has no +",
    ),
    ("add_sensors", "true or false"),
    ("watts", POINTER),
    ("watts_unit", "W, kW, MW or mW, where there is watts"),
    ("watthours", POINTER),
    (
        "watthours_unit",
        "Wh, kWh, MWh, Wmin or J, where there is watthours",
    ),
    ("time", POINTER),
];

const POINTER: &str = "a JSON pointer such as \"/ENERGY/Power\", or \"\" for a message that is a number alone; and none where there is a preset";

/// Whether a table of the file is a subscription.
///
/// # Errors
/// The setting in it that is wrong.
pub(super) fn check(table: &Table) -> Result<(), &'static str> {
    SubscriptionConfig::from_table(table)?.read().map(drop)
}

impl SubscriptionConfig {
    /// The subscription that a table of the file spells; else the setting that is wrong.
    fn from_table(table: &Table) -> Result<Self, &'static str> {
        for (name, _) in FIELDS {
            let is_right = match table.get(name) {
                None => true,
                Some(value) if name == "add_sensors" => value.is_bool(),
                Some(value) => value.is_str(),
            };
            if !is_right {
                return Err(name);
            }
        }
        Value::Table(table.clone()).try_into().map_err(|_| "preset")
    }

    /// The subscription as the client takes it; else the setting that is wrong.
    pub(super) fn read(&self) -> Result<Subscription, &'static str> {
        let preset = match self.preset.as_str() {
            "" => None,
            text => Some(text.parse::<Preset>().map_err(|_| "preset")?),
        };
        let usual_topic = preset.map_or("", Preset::usual_topic);
        let topic: TopicFilter = or(&self.topic, usual_topic).parse().map_err(|_| "topic")?;
        let sensor: SensorTemplate = or(&self.sensor, "{1}").parse().map_err(|_| "sensor")?;
        if sensor.highest() > topic.wildcards() {
            return Err("sensor");
        }
        let account = match self.account.as_str() {
            "" => None,
            text => Some(AccountName::new(text).map_err(|_| "account")?),
        };
        let point = self.point()?;
        let time = match &self.time {
            Some(text) => Some((text.parse().map_err(|_| "time")?, TimeForm::Utc)),
            None => None,
        };
        let mappings = match (preset, point) {
            (Some(_), Some(ChannelPointers { watts: Some(_), .. })) => return Err("watts"),
            (Some(_), Some(_)) => return Err("watthours"),
            (Some(_), None) if time.is_some() => return Err("time"),
            (Some(preset), None) => preset.mappings(&topic, &sensor).map_err(|_| "topic")?,
            (None, None) => return Err("preset"),
            (None, Some(point)) => vec![TopicMapping {
                filter: topic,
                sensor,
                channels: vec![point],
                time,
            }],
        };
        Ok(Subscription {
            account,
            adds_sensors: self.add_sensors,
            mappings,
        })
    }

    /// Where power and register stand, if anything says so.
    fn point(&self) -> Result<Option<ChannelPointers>, &'static str> {
        let watts = match &self.watts {
            Some(text) => {
                let unit = or(&self.watts_unit, "W")
                    .parse()
                    .map_err(|_| "watts_unit")?;
                Some((text.parse().map_err(|_| "watts")?, unit))
            }
            None if !self.watts_unit.is_empty() => return Err("watts_unit"),
            None => None,
        };
        let watthours = match &self.watthours {
            Some(text) => {
                let unit = or(&self.watthours_unit, "Wh");
                let unit = unit.parse().map_err(|_| "watthours_unit")?;
                Some((text.parse().map_err(|_| "watthours")?, unit))
            }
            None if !self.watthours_unit.is_empty() => return Err("watthours_unit"),
            None => None,
        };
        let is_any = watts.is_some() || watthours.is_some();
        Ok(is_any.then_some(ChannelPointers {
            channel: Channel::Number(0),
            watts,
            watthours,
        }))
    }
}

fn or<'t>(text: &'t str, otherwise: &'t str) -> &'t str {
    if text.is_empty() { otherwise } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Subscription, &'static str> {
        let table: Table = toml::from_str(text).unwrap();
        let config = SubscriptionConfig::from_table(&table)?;
        config.read()
    }

    #[test]
    fn a_preset_needs_nothing_else() {
        for preset in Preset::ALL {
            let subscription = read(&format!("preset = \"{}\"", preset.as_str())).unwrap();
            assert!(!subscription.mappings.is_empty());
            assert_eq!(
                (subscription.account, subscription.adds_sensors),
                (None, false)
            );
        }
        let own = read("preset = \"tasmota\"\ntopic = \"home/tasmota/+/tele/SENSOR\"\naccount = \"home\"\nadd_sensors = true").unwrap();
        assert_eq!(
            own.mappings[0].filter.as_str(),
            "home/tasmota/+/tele/SENSOR"
        );
        assert!(own.adds_sensors);
    }

    #[test]
    fn what_stands_where_is_said_without_a_preset() {
        let meter = read(
            "topic = \"m/+\"\nsensor = \"m-{1}\"\nwatts = \"\"\nwatts_unit = \"kW\"\nwatthours = \"/e\"\nwatthours_unit = \"kWh\"\ntime = \"/t\"",
        );
        let mapping = &meter.unwrap().mappings[0];
        assert!(mapping.channels[0].watts.is_some() && mapping.channels[0].watthours.is_some());
        assert!(mapping.time.is_some());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, field) in [
            ("", "topic"),
            ("preset = \"shelly2\"", "preset"),
            ("preset = 1", "preset"),
            ("topic = \"m/+\"", "preset"),
            ("preset = \"tasmota\"\ntopic = \"a/#/b\"", "topic"),
            ("preset = \"shelly-gen1\"\ntopic = \"#\"", "topic"),
            (
                "preset = \"tasmota\"\ntopic = \"tele/plug/SENSOR\"",
                "sensor",
            ),
            ("preset = \"tasmota\"\nsensor = \"{2}\"", "sensor"),
            ("preset = \"tasmota\"\naccount = \"a\\n\"", "account"),
            ("preset = \"tasmota\"\nadd_sensors = \"yes\"", "add_sensors"),
            ("preset = \"tasmota\"\nwatts = \"/p\"", "watts"),
            ("preset = \"tasmota\"\nwatthours = \"/p\"", "watthours"),
            ("preset = \"tasmota\"\ntime = \"/p\"", "time"),
            ("topic = \"m/+\"\nwatts = \"p\"", "watts"),
            (
                "topic = \"m/+\"\nwatts = \"/p\"\nwatts_unit = \"kw\"",
                "watts_unit",
            ),
            (
                "topic = \"m/+\"\nwatts = \"/p\"\nwatthours_unit = \"kWh\"",
                "watthours_unit",
            ),
            (
                "topic = \"m/+\"\nwatthours = \"/p\"\nwatthours_unit = \"W\"",
                "watthours_unit",
            ),
        ] {
            assert_eq!(read(text).map(drop), Err(field), "{text}");
        }
    }

    #[test]
    fn there_is_no_client_without_a_broker() {
        let home_assistant = HomeAssistantConfig::default();
        let mut config = MqttConfig::default();
        assert_eq!(config.settings(&home_assistant), None);
        config.broker = "mqtt://broker.lan".into();
        config.user = "meter".into();
        config.password = Secret::new("hunter2".into());
        let settings = config.settings(&home_assistant).unwrap();
        assert_eq!(settings.home_assistant, None);
        assert!(!format!("{settings:?} {config:?}").contains("hunter2"));
        let told = HomeAssistantConfig {
            discovery: true,
            ..home_assistant
        };
        assert_eq!(
            config.settings(&told).unwrap().home_assistant.unwrap().node,
            "wattkeeper"
        );
    }
}
