//! The records of settings of the service made on pages.
//!
//! | kind | key | record |
//! | --- | --- | --- |
//! | `settings` | the key of the setting in the configuration file, such as `mqtt.broker` | its value as text; none for a secret that a restore left out |
//!
//! The record of a list, `mqtt.subscriptions`, is stored in pieces (`records/pieces.rs`).

use crate::domain::{ServiceSetting, ServiceSettings, SettingValue};
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, KindChanges, RecordKind, RecordsView, pieces, record};

const VERSION: u8 = 1;

pub(crate) fn encode_setting(value: &SettingValue) -> Result<Vec<u8>, StoreError> {
    let text = match value {
        SettingValue::Text(text) => Some(text.reveal()),
        SettingValue::Missing => None,
    };
    record::encode(VERSION, &text)
}

/// Reads the setting of this key; `None` if it is invalid.
pub(crate) fn setting_of(key: &[u8], value: &[u8]) -> Option<(ServiceSetting, SettingValue)> {
    let setting: ServiceSetting = std::str::from_utf8(key).ok()?.parse().ok()?;
    let text: Option<String> = record::decode(VERSION, value)?;
    let value = text.map_or(SettingValue::Missing, |text| SettingValue::text(&text));
    is_valid(setting, &value).then_some((setting, value))
}

/// A setting by its key, and its value; `None` if that is damaged.
pub(crate) type ReadSetting = (Vec<u8>, Option<(ServiceSetting, SettingValue)>);

/// The settings in records, which come in order of their keys.
pub(crate) fn settings_of(records: Vec<KeyedRecord>) -> Vec<ReadSetting> {
    let (pieces, whole): (Vec<_>, Vec<_>) = records.into_iter().partition(|(key, _)| is_piece(key));
    let whole = whole.into_iter().map(|(key, value)| {
        let setting = setting_of(&key, &value);
        (key, setting)
    });
    let joined = pieces::joined(pieces).into_iter().map(|(key, content)| {
        let setting = content.and_then(|content| setting_of(&key, &content));
        (key, setting)
    });
    whole.chain(joined).collect()
}

/// Whether a record is a piece of a list.
fn is_piece(key: &[u8]) -> bool {
    let of = key.len().checked_sub(2).and_then(|end| key.get(..end));
    let setting = of.and_then(|of| std::str::from_utf8(of).ok()?.parse().ok());
    setting.is_some_and(ServiceSetting::is_list)
}

/// Puts a setting, or removes it.
pub(crate) fn put(
    changes: &mut KindChanges,
    setting: ServiceSetting,
    value: Option<&SettingValue>,
) -> Result<(), StoreError> {
    let key = setting.as_str();
    match (value, setting.is_list()) {
        (Some(value), true) => pieces::put(changes, key, &encode_setting(value)?),
        (Some(value), false) => changes.insert(key, encode_setting(value)?),
        (None, true) => pieces::remove(changes, key),
        (None, false) => changes.remove(key),
    }
    Ok(())
}

/// Whether the store accepts this value: none is too long, and only secrets may be missing.
pub(crate) fn is_valid(setting: ServiceSetting, value: &SettingValue) -> bool {
    match value {
        SettingValue::Text(text) => text.reveal().len() <= setting.max_bytes(),
        SettingValue::Missing => setting.is_secret(),
    }
}

/// All settings.
pub(crate) fn load(view: &dyn RecordsView) -> Result<ServiceSettings, StoreError> {
    let decoded = settings_of(view.all(RecordKind::Settings)?).into_iter();
    let decoded = decoded.map(|(key, setting)| {
        setting.ok_or_else(|| {
            let key = key.escape_ascii();
            StoreError::Damaged(format!("the record of setting {key} is damaged"))
        })
    });
    decoded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_these_bytes() {
        let broker = SettingValue::text("mqtt://a");
        let bytes = encode_setting(&broker).unwrap();
        assert_eq!(bytes, b"\x01\x01\x08mqtt://a");
        let found = setting_of(b"mqtt.broker", &bytes);
        assert_eq!(found, Some((ServiceSetting::MqttBroker, broker)));
        let bytes = encode_setting(&SettingValue::Missing).unwrap();
        assert_eq!(bytes, b"\x01\x00");
        let found = setting_of(b"mqtt.password", &bytes);
        let missing = (ServiceSetting::MqttPassword, SettingValue::Missing);
        assert_eq!(found, Some(missing));
        // No secret, no setting, another version, too long.
        let long = encode_setting(&SettingValue::text(&"x".repeat(1_025))).unwrap();
        for (key, value) in [
            (b"mqtt.broker".as_slice(), &bytes[..]),
            (b"http.listen", b"\x01\x01\x01x"),
            (b"mqtt.user", b"\x02\x01\x01x"),
            (b"mqtt.user", &long),
        ] {
            assert_eq!(setting_of(key, value), None);
        }
    }
}
