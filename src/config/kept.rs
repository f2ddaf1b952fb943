//! Sections added by pages: subscriptions, polled devices and price sources. The store keeps the sections of a list
//! as one text, as in the configuration file.

use std::collections::BTreeMap;

use toml::value::Array;
use toml::{Table, Value};

use super::error::ConfigError;
use super::sections;
use crate::domain::{
    AccountName, EnergyUnit, HomeAssistantTokens, PowerUnit, Secret, SensorId, SentReports,
    ServiceSetting, SettingValue,
};
use crate::ingest::devices::{PollPreset, Preset};
use crate::mqtt::intake::Subscription;
use crate::poll::PollSettings;
use crate::price_sources::PriceSourceSettings;

/// The origin of pages' settings, in words for people.
pub(super) const IN_BROWSER: &str = "set in the browser";

/// A section added by a page.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptSection<T> {
    /// Its text, without the header line. It is unique in its list.
    pub section: String,
    /// Its meaning.
    pub parsed: T,
}

/// A subscription to be added by a page.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// The preset.
    pub preset: &'static Preset,
    /// The setting `topic`.
    pub topic: String,
    /// The setting `sensor`.
    pub sensor: String,
    /// The account of its sensors.
    pub account: AccountName,
    /// The setting `watts_unit`, for devices that do not send the unit of their power.
    pub watts_unit: Option<PowerUnit>,
    /// The setting `watthours_unit`, for devices that do not send the unit of their registers.
    pub watthours_unit: Option<EnergyUnit>,
}

/// A polled device to be added by a page. It adds the sensors of its further values.
#[derive(Clone, Debug)]
pub struct NewPolledDevice {
    /// The preset.
    pub preset: &'static PollPreset,
    /// The setting `address`.
    pub address: String,
    /// The sensor of its first channel.
    pub sensor: SensorId,
    /// The account of its sensors.
    pub account: AccountName,
    /// The setting `unit`; `None` for the usual one.
    pub unit: Option<u8>,
    /// Its password, which the store keeps apart from the section.
    pub password: Secret,
}

/// A price source to be added by a page.
#[derive(Clone, Debug)]
pub struct NewPriceSource {
    /// Its section, without the key.
    pub section: Table,
    /// Its key, which the store keeps apart from the section.
    pub key: Secret,
}

/// The passwords of polled devices, by address; the keys of price sources, by server.
pub(super) type KeptSecrets = BTreeMap<String, Secret>;

impl NewSubscription {
    /// Its section.
    pub(super) fn section(&self) -> Table {
        let fields = [
            ("preset", Some(self.preset.id())),
            ("topic", Some(&*self.topic)),
            ("sensor", Some(&*self.sensor)),
            ("account", Some(self.account.as_str())),
            ("watts_unit", self.watts_unit.map(PowerUnit::as_str)),
            (
                "watthours_unit",
                self.watthours_unit.map(EnergyUnit::as_str),
            ),
        ];
        let text = |value: &str| Value::String(value.to_owned());
        let fields = fields.into_iter();
        fields
            .filter_map(|(name, value)| Some((name.to_owned(), text(value?))))
            .collect()
    }
}

impl NewPolledDevice {
    /// Its section, without the password.
    pub(super) fn section(&self) -> Table {
        let text = |value: &str| Some(Value::String(value.to_owned()));
        let unit = self.unit.map(|unit| Value::Integer(unit.into()));
        let fields = [
            ("preset", text(self.preset.id())),
            ("address", text(&self.address)),
            ("sensor", text(self.sensor.as_str())),
            ("account", text(self.account.as_str())),
            ("add_sensors", Some(Value::Boolean(true))),
            ("unit", unit),
        ];
        let fields = fields.into_iter();
        fields
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    /// The device as it would be polled.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the invalid field.
    pub fn settings(&self) -> Result<PollSettings, ConfigError> {
        let list = Value::Array(vec![Value::Table(self.section())]);
        let mut devices = sections::polled(POLL, &list, &|_| place())?;
        // As many as sections.
        let device = devices.pop().ok_or_else(no_section)?;
        Ok(device.with_password(&self.password))
    }
}

impl NewPriceSource {
    /// The source as it would be asked.
    ///
    /// # Errors
    /// A [`ConfigError`] that names the invalid field.
    pub fn settings(&self) -> Result<PriceSourceSettings, ConfigError> {
        let list = Value::Array(vec![Value::Table(self.section.clone())]);
        let mut sources = sections::price_sources(PRICE_SOURCE, &list, &|_| place())?;
        // As many as sections.
        let source = sources.pop().ok_or_else(no_section)?;
        Ok(source.with_key(&self.key))
    }
}

const PRICE_SOURCE: &str = ServiceSetting::PriceSources.as_str();
const POLL: &str = ServiceSetting::PolledDevices.as_str();

fn no_section() -> ConfigError {
    ConfigError::Syntax {
        place: place(),
        message: "there is no section".to_owned(),
    }
}

/// The subscriptions in this text; an empty one has none.
///
/// # Errors
/// A [`ConfigError`] that names the invalid field.
pub(super) fn subscriptions(text: &str) -> Result<Vec<KeptSection<Subscription>>, ConfigError> {
    let list = ServiceSetting::MqttSubscriptions;
    read(list, text, |sections| {
        sections::subscriptions(list.as_str(), sections, &|_| place())
    })
}

/// The polled devices in this text, without their passwords.
///
/// # Errors
/// As [`subscriptions`].
pub(super) fn polled(text: &str) -> Result<Vec<KeptSection<PollSettings>>, ConfigError> {
    read(ServiceSetting::PolledDevices, text, |sections| {
        sections::polled(POLL, sections, &|_| place())
    })
}

/// The price sources in this text, without their keys.
///
/// # Errors
/// As [`subscriptions`].
pub(super) fn price_sources(
    text: &str,
) -> Result<Vec<KeptSection<PriceSourceSettings>>, ConfigError> {
    read(ServiceSetting::PriceSources, text, |sections| {
        sections::price_sources(PRICE_SOURCE, sections, &|_| place())
    })
}

fn read<T>(
    list: ServiceSetting,
    text: &str,
    parse: impl FnOnce(&Value) -> Result<Vec<T>, ConfigError>,
) -> Result<Vec<KeptSection<T>>, ConfigError> {
    let sections = sections_of(list, text)?;
    let parsed = parse(&Value::Array(sections.clone()))?;
    let kept = sections.iter().zip(parsed);
    Ok(kept
        .map(|(section, parsed)| KeptSection {
            section: section_text(section),
            parsed,
        })
        .collect())
}

/// The text of a list with one more section; unchanged if it is already there.
///
/// # Errors
/// [`ConfigError::Syntax`] if the text was not written by [`with`].
pub(super) fn with(
    list: ServiceSetting,
    text: &str,
    section: Table,
) -> Result<String, ConfigError> {
    let mut sections = sections_of(list, text)?;
    let section = Value::Table(section);
    if !sections.contains(&section) {
        sections.push(section);
    }
    Ok(text_of(list, sections))
}

/// The text of a list without this section.
///
/// # Errors
/// As [`with`].
pub(super) fn without(
    list: ServiceSetting,
    text: &str,
    section: &str,
) -> Result<String, ConfigError> {
    let mut sections = sections_of(list, text)?;
    sections.retain(|known| section_text(known) != section);
    Ok(text_of(list, sections))
}

/// The passwords in this text; an empty one has none.
///
/// # Errors
/// [`ConfigError::Syntax`] if the text was not written by [`passwords_text`].
pub(super) fn passwords(text: &str) -> Result<KeptSecrets, ConfigError> {
    // Without the message, which may quote a password.
    let table: BTreeMap<String, String> = toml::from_str(text).map_err(|_| no_section())?;
    Ok(table
        .into_iter()
        .map(|(address, password)| (address, Secret::new(password)))
        .collect())
}

/// The tokens of Home Assistants in this text; an empty one has none.
///
/// # Errors
/// [`ConfigError::Syntax`] if the text was written by something else.
pub(super) fn home_assistant_tokens(text: &str) -> Result<HomeAssistantTokens, ConfigError> {
    HomeAssistantTokens::read(text).ok_or_else(no_section)
}

/// The reports that went out, in this text; an empty one has none.
///
/// # Errors
/// [`ConfigError::Syntax`] if the text was written by something else.
pub(super) fn sent_reports(text: &str) -> Result<SentReports, ConfigError> {
    SentReports::read(text).ok_or_else(no_section)
}

/// The text of these passwords.
pub(super) fn passwords_text(passwords: &KeptSecrets) -> String {
    let entries = passwords.iter();
    let table: Table = entries
        .map(|(address, password)| {
            let password = Value::String(password.reveal().to_owned());
            (address.clone(), password)
        })
        .collect();
    table.to_string()
}

/// The text of a stored setting; empty for one that is missing.
pub(super) fn stored_text(value: Option<&SettingValue>) -> &str {
    match value {
        Some(SettingValue::Text(text)) => text.reveal(),
        _ => "",
    }
}

fn sections_of(list: ServiceSetting, text: &str) -> Result<Array, ConfigError> {
    let table: Table = toml::from_str(text).map_err(|error| ConfigError::Syntax {
        place: place(),
        message: error.message().trim().to_owned(),
    })?;
    let found = list
        .as_str()
        .split('.')
        .try_fold(Value::Table(table), |outer, name| match outer {
            Value::Table(mut outer) => outer.remove(name),
            _ => None,
        });
    Ok(match found {
        Some(Value::Array(sections)) => sections,
        _ => Array::new(),
    })
}

fn section_text(section: &Value) -> String {
    let table = section.as_table();
    table.map(ToString::to_string).unwrap_or_default()
}

fn text_of(list: ServiceSetting, sections: Array) -> String {
    if sections.is_empty() {
        return String::new();
    }
    let names = list.as_str().rsplit('.');
    let text = names.fold(Value::Array(sections), |inner, name| {
        Value::Table(Table::from_iter([(name.to_owned(), inner)]))
    });
    section_text(&text)
}

fn place() -> String {
    IN_BROWSER.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn new(topic: &str, sensor: &str) -> NewSubscription {
        NewSubscription {
            preset: Preset::with_id("tasmota").unwrap(),
            topic: topic.to_owned(),
            sensor: sensor.to_owned(),
            account: AccountName::new("home").unwrap(),
            watts_unit: None,
            watthours_unit: None,
        }
    }

    const LIST: ServiceSetting = ServiceSetting::MqttSubscriptions;

    fn with(text: &str, new: &NewSubscription) -> Result<String, ConfigError> {
        super::with(LIST, text, new.section())
    }

    fn without(text: &str, section: &str) -> Result<String, ConfigError> {
        super::without(LIST, text, section)
    }

    #[test]
    fn polled_devices_are_added_and_removed() {
        const LIST: ServiceSetting = ServiceSetting::PolledDevices;
        let new = NewPolledDevice {
            preset: PollPreset::with_id("kostal").unwrap(),
            address: "192.168.1.40".to_owned(),
            sensor: SensorId::new("roof").unwrap(),
            account: AccountName::new("home").unwrap(),
            unit: Some(72),
            password: Secret::default(),
        };
        let text = super::with(LIST, "", new.section()).unwrap();
        assert!(text.starts_with("[[poll]]"), "{text}");
        let kept = polled(&text).unwrap();
        let device = &kept[0].parsed;
        assert_eq!(*device, new.settings().unwrap());
        assert_eq!(
            (device.address.to_string(), device.unit),
            ("192.168.1.40:1502".to_owned(), 72)
        );
        assert!(device.account.adds_sensors && device.login.is_none());
        assert_eq!(super::without(LIST, &text, &kept[0].section).unwrap(), "");
        let wrong = NewPolledDevice {
            address: "http://192.168.1.40".to_owned(),
            ..new
        };
        let error = wrong.settings().unwrap_err().to_string();
        assert!(error.contains("poll[0].address"), "{error}");
    }

    #[test]
    fn passwords_are_read_as_they_were_written() {
        let odd = "p\"a'ss = [wörd]\\".to_owned();
        let all = KeptSecrets::from([("[fd00::5]:80".to_owned(), Secret::new(odd))]);
        assert_eq!(passwords(&passwords_text(&all)).unwrap(), all);
        assert_eq!(passwords("").unwrap(), KeptSecrets::new());
        let error = passwords("hunter2 = ").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn subscriptions_are_added_and_removed() {
        let one = with("", &new("tele/a/SENSOR", "a")).unwrap();
        assert!(one.contains("[[mqtt.subscriptions]]"), "{one}");
        assert_eq!(with(&one, &new("tele/a/SENSOR", "a")).unwrap(), one);
        let two = with(&one, &new("tele/b/SENSOR", "b")).unwrap();
        let kept = subscriptions(&two).unwrap();
        assert_eq!(kept.len(), 2);
        let topics = kept[1].parsed.mappings[0].filters();
        assert_eq!(topics[0].as_str(), "tele/b/SENSOR");
        assert_eq!(
            kept[1].parsed.account.name.as_ref().unwrap().as_str(),
            "home"
        );
        assert_eq!(without(&two, &kept[1].section).unwrap(), one);
        assert_eq!(without(&two, "another").unwrap(), two);
        assert_eq!(without(&one, &kept[0].section).unwrap(), "");
        assert_eq!(subscriptions("").unwrap(), []);
    }

    #[test]
    fn a_wrong_one_is_named() {
        for (topic, sensor, field) in [
            ("a/#/b", "x", "subscriptions[0].topic"),
            ("tele/a/SENSOR", "{1}", "subscriptions[0].sensor"),
        ] {
            let text = with("", &new(topic, sensor)).unwrap();
            let error = subscriptions(&text).unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
        assert!(subscriptions("[[mqtt.subscriptions]").is_err());
    }

    proptest! {
        #[test]
        fn any_name_of_a_device_is_kept_as_it_is(level in "[^/+#\\p{Cc}]{1,20}", sensor in "[^{}\\p{Cc}]{1,20}") {
            let topic = format!("tele/{level}/SENSOR");
            let text = with("", &new(&topic, &sensor)).unwrap();
            let kept = subscriptions(&text).unwrap();
            let subscription = &kept[0].parsed;
            prop_assert_eq!(subscription.topic.as_ref().unwrap().as_str(), topic);
            prop_assert_eq!(subscription.sensor.as_str(), sensor);
            prop_assert_eq!(without(&text, &kept[0].section).unwrap(), "");
        }
    }
}
