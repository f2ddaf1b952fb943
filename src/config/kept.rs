//! Subscriptions added by pages. The store keeps them as one text, with the same sections as in the
//! configuration file.

use toml::value::Array;
use toml::{Table, Value};

use super::error::ConfigError;
use super::sections::subscriptions;
use crate::domain::{AccountName, EnergyUnit, PowerUnit, ServiceSetting};
use crate::mqtt::intake::{Preset, Subscription};

const KEY: &str = ServiceSetting::MqttSubscriptions.as_str();
/// The origin of pages' settings, in words for people.
pub(super) const IN_BROWSER: &str = "set in the browser";

/// A subscription added by a page.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptSubscription {
    /// Its section, without the header line. It is unique.
    pub section: String,
    /// The parsed subscription.
    pub subscription: Subscription,
}

/// A subscription to be added by a page.
#[derive(Clone, Debug)]
pub struct NewSubscription {
    /// The preset.
    pub preset: Preset,
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

/// Parses the text; an empty one has no subscriptions.
///
/// # Errors
/// A [`ConfigError`] that names the invalid field.
pub(super) fn read(text: &str) -> Result<Vec<KeptSubscription>, ConfigError> {
    let sections = sections(text)?;
    let read = subscriptions(KEY, &Value::Array(sections.clone()), &|_| place())?;
    let kept = sections.iter().zip(read);
    Ok(kept
        .map(|(section, subscription)| KeptSubscription {
            section: section_text(section),
            subscription,
        })
        .collect())
}

/// The text with one more subscription; unchanged if it is already there.
///
/// # Errors
/// [`ConfigError::Syntax`] if the text was not written by [`with`].
pub(super) fn with(text: &str, new: &NewSubscription) -> Result<String, ConfigError> {
    let mut sections = sections(text)?;
    let fields = [
        ("preset", Some(new.preset.as_str())),
        ("topic", Some(&*new.topic)),
        ("sensor", Some(&*new.sensor)),
        ("account", Some(new.account.as_str())),
        ("watts_unit", new.watts_unit.map(PowerUnit::as_str)),
        ("watthours_unit", new.watthours_unit.map(EnergyUnit::as_str)),
    ];
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?.to_owned()))));
    let section = Value::Table(fields.collect());
    if !sections.contains(&section) {
        sections.push(section);
    }
    Ok(text_of(sections))
}

/// The text without this section.
///
/// # Errors
/// As [`with`].
pub(super) fn without(text: &str, section: &str) -> Result<String, ConfigError> {
    let mut sections = sections(text)?;
    sections.retain(|known| section_text(known) != section);
    Ok(text_of(sections))
}

fn sections(text: &str) -> Result<Array, ConfigError> {
    let mut table: Table = toml::from_str(text).map_err(|error| ConfigError::Syntax {
        place: place(),
        message: error.message().trim().to_owned(),
    })?;
    let list = table.remove("mqtt").and_then(|mqtt| match mqtt {
        Value::Table(mut mqtt) => mqtt.remove("subscriptions"),
        _ => None,
    });
    Ok(match list {
        Some(Value::Array(sections)) => sections,
        _ => Array::new(),
    })
}

fn section_text(section: &Value) -> String {
    let table = section.as_table();
    table.map(ToString::to_string).unwrap_or_default()
}

fn text_of(sections: Array) -> String {
    if sections.is_empty() {
        return String::new();
    }
    let list = Table::from_iter([("subscriptions".to_owned(), Value::Array(sections))]);
    Table::from_iter([("mqtt".to_owned(), Value::Table(list))]).to_string()
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
            preset: Preset::Tasmota,
            topic: topic.to_owned(),
            sensor: sensor.to_owned(),
            account: AccountName::new("home").unwrap(),
            watts_unit: None,
            watthours_unit: None,
        }
    }

    #[test]
    fn subscriptions_are_added_and_removed() {
        let one = with("", &new("tele/a/SENSOR", "a")).unwrap();
        assert!(one.contains("[[mqtt.subscriptions]]"), "{one}");
        assert_eq!(with(&one, &new("tele/a/SENSOR", "a")).unwrap(), one);
        let two = with(&one, &new("tele/b/SENSOR", "b")).unwrap();
        let kept = read(&two).unwrap();
        assert_eq!(kept.len(), 2);
        let topics = kept[1].subscription.mappings[0].filters();
        assert_eq!(topics[0].as_str(), "tele/b/SENSOR");
        assert_eq!(
            kept[1].subscription.account.name.as_ref().unwrap().as_str(),
            "home"
        );
        assert_eq!(without(&two, &kept[1].section).unwrap(), one);
        assert_eq!(without(&two, "another").unwrap(), two);
        assert_eq!(without(&one, &kept[0].section).unwrap(), "");
        assert_eq!(read("").unwrap(), []);
    }

    #[test]
    fn a_wrong_one_is_named() {
        for (topic, sensor, field) in [
            ("a/#/b", "x", "subscriptions[0].topic"),
            ("tele/a/SENSOR", "{1}", "subscriptions[0].sensor"),
        ] {
            let text = with("", &new(topic, sensor)).unwrap();
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(field), "{error}");
        }
        assert!(read("[[mqtt.subscriptions]").is_err());
    }

    proptest! {
        #[test]
        fn any_name_of_a_device_is_kept_as_it_is(level in "[^/+#\\p{Cc}]{1,20}", sensor in "[^{}\\p{Cc}]{1,20}") {
            let topic = format!("tele/{level}/SENSOR");
            let text = with("", &new(&topic, &sensor)).unwrap();
            let kept = read(&text).unwrap();
            let subscription = &kept[0].subscription;
            prop_assert_eq!(subscription.topic.as_ref().unwrap().as_str(), topic);
            prop_assert_eq!(subscription.sensor.as_str(), sensor);
            prop_assert_eq!(without(&text, &kept[0].section).unwrap(), "");
        }
    }
}
