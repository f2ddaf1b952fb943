//! Settings of the service that the store keeps, because pages change them. Their values are texts,
//! as in the configuration file; their meaning is not decided here.

use std::collections::BTreeMap;

use super::secret::Secret;
use super::words::words;

/// A setting that the store can keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServiceSetting {
    /// The address of the MQTT broker.
    MqttBroker,
    /// The user name there.
    MqttUser,
    /// The password there.
    MqttPassword,
    /// The file with the certificates trusted for the broker.
    MqttCaFile,
    /// The subscriptions that pages add to the file's.
    MqttSubscriptions,
    /// The polled devices that pages add to the file's.
    PolledDevices,
    /// The passwords of those, by address.
    PollPasswords,
    /// The price sources that pages add to the file's.
    PriceSources,
    /// The keys of those, by the server that they are sent to.
    PriceKeys,
    /// The tokens of the accounts' Home Assistants.
    HomeAssistantTokens,
    /// Whether sensors are announced to Home Assistant.
    HomeAssistantDiscovery,
    /// The folder of scheduled backups.
    BackupDir,
    /// The time between two backups.
    BackupEvery,
    /// The number of backups kept.
    BackupKeep,
    /// The address that messages about notices are posted to.
    NoticesWebhook,
    /// The format of messages.
    NoticesFormat,
    /// The token for that address.
    NoticesToken,
    /// In which language.
    NoticesLanguage,
    /// The recipient of messages by e-mail.
    NoticesMailTo,
    /// Their sender.
    NoticesMailFrom,
    /// When the weekly message goes out.
    NoticesWeekly,
    /// What the monthly statement is of.
    NoticesStatement,
    /// The weekly messages and monthly statements that went out. No person sets it.
    NoticesReported,
}

// The keys of the configuration file, except for `poll.passwords`, `price_source.keys` and `home_assistant.tokens`: there, each device,
// source or Home Assistant names its own place. Nor is `notices.reported` in the file.
words! { ServiceSetting: MqttBroker "mqtt.broker", MqttUser "mqtt.user", MqttPassword "mqtt.password", MqttCaFile "mqtt.ca_file",
MqttSubscriptions "mqtt.subscriptions", PolledDevices "poll", PollPasswords "poll.passwords", PriceSources "price_source", PriceKeys "price_source.keys", HomeAssistantTokens "home_assistant.tokens", HomeAssistantDiscovery "home_assistant.discovery", BackupDir "backup.dir", BackupEvery "backup.every", BackupKeep "backup.keep",
NoticesWebhook "notices.webhook", NoticesFormat "notices.format", NoticesToken "notices.token", NoticesLanguage "notices.language",
NoticesMailTo "notices.mail_to", NoticesMailFrom "notices.mail_from",
NoticesWeekly "notices.weekly", NoticesStatement "notices.statement", NoticesReported "notices.reported"; "a setting that the pages can set" }

/// The value of a setting in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// This text. Some are passwords, so none is ever shown by accident.
    Text(Secret),
    /// It was set, but as a secret it was not in the backup that the store was restored from.
    Missing,
}

/// The settings kept by a store: those that were set.
pub type ServiceSettings = BTreeMap<ServiceSetting, SettingValue>;

impl ServiceSetting {
    /// Whether it is a list, which is longer than other values.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Self::MqttSubscriptions
                | Self::PolledDevices
                | Self::PollPasswords
                | Self::PriceSources
                | Self::PriceKeys
                | Self::HomeAssistantTokens
                | Self::NoticesReported
        )
    }

    /// The longest value, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        if self.is_list() { 16_000 } else { 1_024 }
    }

    /// Whether its value is a secret. The path of a webhook's address often is.
    #[must_use]
    pub const fn is_secret(self) -> bool {
        matches!(
            self,
            Self::MqttPassword
                | Self::PollPasswords
                | Self::PriceKeys
                | Self::HomeAssistantTokens
                | Self::NoticesWebhook
                | Self::NoticesToken
        )
    }

    /// The setting with the address that this secret is sent to.
    #[must_use]
    pub const fn sent_to(self) -> Option<Self> {
        match self {
            Self::MqttPassword => Some(Self::MqttBroker),
            Self::NoticesToken => Some(Self::NoticesWebhook),
            _ => None,
        }
    }
}

impl SettingValue {
    /// A value with this text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Text(Secret::new(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_shown() {
        let value = SettingValue::text("hunter2");
        assert!(!format!("{value:?}").contains("hunter2"));
    }

    #[test]
    fn what_is_sent_somewhere_is_a_secret() {
        for setting in ServiceSetting::ALL {
            assert!(setting.sent_to().is_none() || setting.is_secret());
            assert_eq!(setting.as_str().parse(), Ok(setting));
        }
    }
}
