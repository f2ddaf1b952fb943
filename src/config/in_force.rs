//! The settings in force: those from pages, unless they are fixed elsewhere.

use std::collections::BTreeMap;

use super::error::ConfigError;
use super::kept::{self, IN_BROWSER, KeptSubscription};
use super::layers::{default_of, with_one};
use super::settings::Config;
use crate::domain::{ServiceSetting, ServiceSettings, SettingValue};

/// The settings in force.
#[derive(Clone, Debug)]
pub struct InForce {
    /// All settings.
    pub config: Config,
    /// The pages' subscriptions. They are also in `config`, after the file's.
    pub kept: Vec<KeptSubscription>,
    pages: BTreeMap<ServiceSetting, SettingInForce>,
}

/// A setting in force, as shown on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingInForce {
    /// Its value as written; for a secret, only its public part.
    pub value: String,
    /// Whether it differs from the default.
    pub is_set: bool,
    /// The file, the variable or the flag that fixes it; `None` if the page may change it.
    pub held_by: Option<String>,
    /// Whether it is a secret that was missing in the backup that the store was restored from.
    pub is_missing: bool,
}

impl InForce {
    /// Applies `stored` below the settings of file, environment and flags.
    #[must_use]
    pub fn new(config: &Config, stored: &ServiceSettings) -> Self {
        let mut new = Self {
            config: config.clone(),
            kept: Vec::new(),
            pages: BTreeMap::new(),
        };
        for setting in ServiceSetting::ALL {
            let shown = match (config.held.get(&setting), stored.get(&setting)) {
                (Some(held), _) => SettingInForce {
                    value: held.value.clone(),
                    is_set: held.value != default_of(setting.as_str()),
                    held_by: Some(held.origin.clone()),
                    is_missing: false,
                },
                (None, Some(SettingValue::Text(text))) if setting.is_list() => {
                    new.keep(text.reveal())
                }
                (None, Some(SettingValue::Text(text))) => new.set(setting, text.reveal()),
                (None, Some(SettingValue::Missing)) => SettingInForce {
                    is_missing: true,
                    ..SettingInForce::default()
                },
                (None, None) => SettingInForce::default_of(setting),
            };
            new.pages.insert(setting, shown);
        }
        // Without its secret, a broker would count attempts with a wrong password, and the receiver
        // of a webhook would get unauthenticated messages.
        if new.of(ServiceSetting::MqttPassword).is_missing {
            new.config.mqtt.broker = None;
        }
        if new.of(ServiceSetting::NoticesToken).is_missing {
            new.config.notices.webhook = None;
        }
        new
    }

    /// A setting, as shown on its page.
    #[must_use]
    pub fn of(&self, setting: ServiceSetting) -> SettingInForce {
        self.pages.get(&setting).cloned().unwrap_or_default()
    }

    /// The secrets that a restore left out, and that have not been set since.
    pub fn missing(&self) -> impl Iterator<Item = ServiceSetting> {
        let missing = self.pages.iter().filter(|(_, shown)| shown.is_missing);
        missing.map(|(setting, _)| *setting)
    }

    /// Adds the stored subscriptions to the file's, if this version understands them.
    fn keep(&mut self, text: &str) -> SettingInForce {
        match kept::read(text) {
            Ok(kept) => {
                let subscriptions = kept.iter().map(|one| one.subscription.clone());
                self.config.mqtt.subscriptions.extend(subscriptions);
                self.kept = kept;
            }
            Err(error) => log::warn!("ignoring the subscriptions of the pages: {error}"),
        }
        SettingInForce {
            is_set: !self.kept.is_empty(),
            ..SettingInForce::default()
        }
    }

    /// Applies a stored value, if this version understands it.
    fn set(&mut self, setting: ServiceSetting, text: &str) -> SettingInForce {
        match with_one(setting.as_str(), text, IN_BROWSER) {
            Ok(with) => {
                let shown = match (setting.is_secret(), &with.notices.webhook) {
                    (false, _) => text.to_owned(),
                    (true, Some(webhook)) if setting == ServiceSetting::NoticesWebhook => {
                        webhook.host()
                    }
                    (true, _) => String::new(),
                };
                copy(setting, with, &mut self.config);
                SettingInForce {
                    value: shown,
                    is_set: true,
                    ..SettingInForce::default()
                }
            }
            Err(error) => {
                log::warn!("ignoring a setting: {error}");
                SettingInForce::default_of(setting)
            }
        }
    }
}

impl SettingInForce {
    fn default_of(setting: ServiceSetting) -> Self {
        Self {
            value: default_of(setting.as_str()),
            ..Self::default()
        }
    }
}

/// Checks that a setting may have this value.
///
/// # Errors
/// A [`ConfigError`] with the expected value.
pub(super) fn check(setting: ServiceSetting, text: &str) -> Result<(), ConfigError> {
    if setting.is_list() {
        return kept::read(text).map(drop);
    }
    with_one(setting.as_str(), text, IN_BROWSER).map(drop)
}

/// Copies one setting from `with`.
pub(super) fn copy(setting: ServiceSetting, with: Config, to: &mut Config) {
    match setting {
        ServiceSetting::MqttBroker => to.mqtt.broker = with.mqtt.broker,
        ServiceSetting::MqttUser => to.mqtt.user = with.mqtt.user,
        ServiceSetting::MqttPassword => to.mqtt.password = with.mqtt.password,
        ServiceSetting::MqttCaFile => to.mqtt.ca_file = with.mqtt.ca_file,
        // This list is added to the file's.
        ServiceSetting::MqttSubscriptions => {}
        ServiceSetting::HomeAssistantDiscovery => {
            to.home_assistant.discovery = with.home_assistant.discovery;
        }
        ServiceSetting::BackupDir => to.backup.dir = with.backup.dir,
        ServiceSetting::BackupEvery => to.backup.every = with.backup.every,
        ServiceSetting::BackupKeep => to.backup.keep = with.backup.keep,
        ServiceSetting::NoticesWebhook => to.notices.webhook = with.notices.webhook,
        ServiceSetting::NoticesFormat => to.notices.format = with.notices.format,
        ServiceSetting::NoticesToken => to.notices.token = with.notices.token,
        ServiceSetting::NoticesLanguage => to.notices.language = with.notices.language,
        ServiceSetting::NoticesMailTo => to.notices.mail_to = with.notices.mail_to,
        ServiceSetting::NoticesMailFrom => to.notices.mail_from = with.notices.mail_from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flags, load};
    use crate::mqtt::intake::Preset;

    fn stored(all: &[(ServiceSetting, &str)]) -> ServiceSettings {
        let all = all.iter();
        all.map(|(setting, text)| (*setting, SettingValue::text(text)))
            .collect()
    }

    /// The settings of a file with this text.
    fn of_file(text: &str, variables: &[(&str, &str)]) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        let flags = Flags {
            config: Some(path),
            ..Flags::default()
        };
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        load(&flags, variables).unwrap().config
    }

    const BROKER: (ServiceSetting, &str) = (ServiceSetting::MqttBroker, "mqtt://browser");
    const PASSWORD: (ServiceSetting, &str) = (ServiceSetting::MqttPassword, "hunter2");

    #[test]
    fn what_pages_set_is_in_force_where_nothing_holds_it() {
        let all = [
            BROKER,
            PASSWORD,
            (ServiceSetting::MqttUser, "meter"),
            (ServiceSetting::MqttCaFile, "/ca.pem"),
            (ServiceSetting::HomeAssistantDiscovery, "true"),
            (ServiceSetting::BackupDir, "/copies"),
            (ServiceSetting::BackupEvery, "2h"),
            (ServiceSetting::BackupKeep, "3"),
            (ServiceSetting::NoticesWebhook, "https://ntfy.sh/s3cret"),
            (ServiceSetting::NoticesFormat, "ntfy"),
            (ServiceSetting::NoticesToken, "t0ken"),
            (ServiceSetting::NoticesLanguage, "de"),
        ];
        let in_force = InForce::new(&Config::default(), &stored(&all));
        let same = "[mqtt]\nbroker = \"mqtt://browser\"\nuser = \"meter\"\npassword = \"hunter2\"\nca_file = \"/ca.pem\"\n\
                    [home_assistant]\ndiscovery = true\n[backup]\ndir = \"/copies\"\nevery = \"2h\"\nkeep = 3\n\
                    [notices]\nwebhook = \"https://ntfy.sh/s3cret\"\nformat = \"ntfy\"\nlanguage = \"de\"\ntoken = \"t0ken\"";
        let by_file = of_file(same, &[]);
        // All except the list of subscriptions.
        assert_eq!(by_file.held.len() + 1, ServiceSetting::ALL.len());
        let expected = Config {
            held: in_force.config.held.clone(),
            ..by_file
        };
        assert_eq!(in_force.config, expected);
        for (setting, text) in all {
            let shown = in_force.of(setting);
            assert!(shown.is_set && shown.held_by.is_none(), "{setting:?}");
            assert_eq!(shown.value == text, !setting.is_secret(), "{setting:?}");
        }
        let webhook = in_force.of(ServiceSetting::NoticesWebhook);
        assert_eq!(webhook.value, "https://ntfy.sh");
        let text = format!("{in_force:?}");
        for secret in ["hunter2", "s3cret", "t0ken"] {
            assert!(!text.contains(secret), "{text}");
        }
        // Without stored settings, all are defaults.
        let none = InForce::new(&Config::default(), &ServiceSettings::new());
        assert_eq!(none.config, Config::default());
        assert_eq!(none.of(ServiceSetting::BackupEvery).value, "24h");
    }

    #[test]
    fn subscriptions_of_file_and_pages_are_in_force_together() {
        let file = "[[mqtt.subscriptions]]\npreset = \"shelly\"";
        let section = "[[mqtt.subscriptions]]\npreset = \"tasmota\"\ntopic = \"tele/plug/SENSOR\"\nsensor = \"plug\"";
        let list = |text| stored(&[(ServiceSetting::MqttSubscriptions, text), BROKER]);
        let in_force = InForce::new(&of_file(file, &[]), &list(section));
        let presets = in_force.config.mqtt.subscriptions.iter();
        let presets: Vec<_> = presets.filter_map(|it| it.preset).collect();
        assert_eq!(presets, [Preset::Shelly, Preset::Tasmota]);
        assert_eq!(in_force.kept.len(), 1);
        let list_held = in_force.of(ServiceSetting::MqttSubscriptions).held_by;
        assert_eq!(list_held, None);
        // A list stored by another version is ignored, and nothing else.
        let in_force = InForce::new(
            &of_file(file, &[]),
            &list("[[mqtt.subscriptions]]\npreset = \"x\""),
        );
        assert_eq!(in_force.config.mqtt.subscriptions.len(), 1);
        assert!(in_force.kept.is_empty() && in_force.config.mqtt.broker.is_some());
    }

    #[test]
    fn the_address_and_what_is_sent_there_come_from_one_place() {
        let stored = stored(&[BROKER, PASSWORD]);
        for (text, variables) in [
            ("[mqtt]\npassword = \"of the file\"", &[][..]),
            ("[mqtt]\npassword_file = \"/run/secret\"", &[]),
            ("", &[("WATTKEEPER_MQTT_PASSWORD", "of the file")]),
            ("[mqtt]\nca_file = \"/ca.pem\"", &[]),
        ] {
            let config = of_file(text, variables);
            let in_force = InForce::new(&config, &stored);
            assert_eq!(in_force.config, config, "{text}");
            let broker = in_force.of(ServiceSetting::MqttBroker);
            assert!(broker.held_by.is_some() && !broker.is_set);
            assert!(in_force.of(ServiceSetting::NoticesToken).held_by.is_none());
        }
        let file = "[mqtt]\nbroker = \"mqtt://file\"\n[backup]\nkeep = 3";
        let in_force = InForce::new(&of_file(file, &[]), &stored);
        let mqtt = &in_force.config.mqtt;
        assert_eq!(mqtt.broker, Some("mqtt://file".parse().unwrap()));
        assert!(!mqtt.password.is_set());
        assert!(in_force.of(ServiceSetting::BackupKeep).held_by.is_some());
        assert!(in_force.of(ServiceSetting::BackupDir).held_by.is_none());
        // A copy of the example fixes nothing.
        let example = of_file(crate::config::settings::EXAMPLE, &[]);
        assert!(example.held.is_empty());
    }

    #[test]
    fn without_its_secret_nothing_is_sent() {
        let mut all = stored(&[
            BROKER,
            (ServiceSetting::NoticesWebhook, "https://a/b"),
            (ServiceSetting::MqttUser, "meter"),
        ]);
        for secret in [ServiceSetting::MqttPassword, ServiceSetting::NoticesToken] {
            all.insert(secret, SettingValue::Missing);
        }
        let in_force = InForce::new(&Config::default(), &all);
        assert_eq!(in_force.config.mqtt.broker, None);
        assert_eq!(in_force.config.notices.webhook, None);
        assert_eq!(in_force.missing().count(), 2);
        assert_eq!(in_force.of(ServiceSetting::MqttUser).value, "meter");
    }

    #[test]
    fn a_value_of_another_version_is_left_out() {
        let all = stored(&[(ServiceSetting::BackupEvery, "never"), BROKER]);
        let in_force = InForce::new(&Config::default(), &all);
        assert!(!in_force.of(ServiceSetting::BackupEvery).is_set);
        assert!(in_force.config.mqtt.broker.is_some());
    }
}
