//! The JSON record of the settings of the service in a backup, as in `record.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::domain::{ServiceSetting, ServiceSettings, SettingValue};
use crate::store::care::backup::record::parse;
use crate::store::registry::setting_records::is_valid;

/// A backup may be stored where others can read it, so it only lists which secrets were set.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupServiceSettings {
    values: BTreeMap<String, String>,
    secrets: BTreeSet<String>,
}

impl From<&ServiceSettings> for BackupServiceSettings {
    fn from(settings: &ServiceSettings) -> Self {
        let mut record = Self {
            values: BTreeMap::new(),
            secrets: BTreeSet::new(),
        };
        for (setting, value) in settings {
            let key = setting.as_str().to_owned();
            match value {
                SettingValue::Text(text) if !setting.is_secret() => {
                    record.values.insert(key, text.reveal().to_owned());
                }
                _ => drop(record.secrets.insert(key)),
            }
        }
        record
    }
}

/// Reads the settings, with the missing secrets.
pub(crate) fn settings(content: &[u8]) -> Option<ServiceSettings> {
    let BackupServiceSettings { values, secrets } = parse(content)?;
    let values = values
        .iter()
        .map(|(key, text)| (key, SettingValue::text(text)));
    let secrets = secrets.iter().map(|key| (key, SettingValue::Missing));
    let all = values.chain(secrets).map(|(key, value)| {
        let setting: ServiceSetting = key.parse().ok()?;
        let is_secret = value == SettingValue::Missing;
        let fits = is_secret == setting.is_secret() && is_valid(setting, &value);
        fits.then_some((setting, value))
    });
    // A backup without settings has no record of them, so a second record is noticed by the count.
    let all: Option<ServiceSettings> = all.collect();
    all.filter(|all| !all.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_named_and_left_out() {
        let of = |values: &[(ServiceSetting, SettingValue)]| -> ServiceSettings {
            values.iter().cloned().collect()
        };
        let broker = (ServiceSetting::MqttBroker, SettingValue::text("mqtt://a"));
        let written = of(&[
            broker.clone(),
            (ServiceSetting::MqttPassword, SettingValue::text("hunter2")),
            (ServiceSetting::NoticesToken, SettingValue::Missing),
        ]);
        let json = serde_json::to_string(&BackupServiceSettings::from(&written)).unwrap();
        assert_eq!(
            json,
            r#"{"values":{"mqtt.broker":"mqtt://a"},"secrets":["mqtt.password","notices.token"]}"#
        );
        let missing = |setting| (setting, SettingValue::Missing);
        let read = of(&[
            broker,
            missing(ServiceSetting::MqttPassword),
            missing(ServiceSetting::NoticesToken),
        ]);
        assert_eq!(settings(json.as_bytes()), Some(read));
        for wrong in [
            r#"{"values":{"mqtt.password":"hunter2"},"secrets":[]}"#,
            r#"{"values":{},"secrets":["mqtt.broker"]}"#,
            r#"{"values":{"http.listen":"x"},"secrets":[]}"#,
            r#"{"values":{}}"#,
            r#"{"values":{},"secrets":[]}"#,
        ] {
            assert_eq!(settings(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
