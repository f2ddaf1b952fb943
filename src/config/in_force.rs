//! The settings in force: those from pages, unless they are fixed elsewhere.

use std::collections::BTreeMap;

use super::error::ConfigError;
use super::kept::{self, IN_BROWSER, KeptSection};
use super::layers::{default_of, with_one};
use super::sections::{check_polled_together, check_sources_together};
use super::settings::Config;
use crate::domain::{ServiceSetting, ServiceSettings, SettingValue};
use crate::mqtt::intake::Subscription;
use crate::poll::PollSettings;
use crate::price_sources::PriceSourceSettings;

/// The settings in force.
#[derive(Clone, Debug)]
pub struct InForce {
    /// All settings.
    pub config: Config,
    /// The pages' subscriptions. They are also in `config`, after the file's.
    pub subscriptions: Vec<KeptSection<Subscription>>,
    /// The pages' polled devices. They are also in `config`, after the file's, with their
    /// passwords.
    pub polled: Vec<KeptSection<PollSettings>>,
    /// The pages' price sources. They are also in `config`, after the file's, with their keys.
    pub price_sources: Vec<KeptSection<PriceSourceSettings>>,
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
            subscriptions: Vec::new(),
            polled: Vec::new(),
            price_sources: Vec::new(),
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
                    new.keep(setting, text.reveal())
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

    /// A source with the key that pages keep for its server, if it has none.
    #[must_use]
    pub fn with_kept_key(&self, source: PriceSourceSettings) -> PriceSourceSettings {
        let of_file = self.config.price_sources.len() - self.price_sources.len();
        let mut of_pages = self.config.price_sources.iter().skip(of_file);
        let same = of_pages.find(|it| it.needs_key() && it.key_server() == source.key_server());
        let key = same.and_then(|same| same.key.clone());
        let key = source.key.clone().or(key.filter(|_| source.needs_key()));
        PriceSourceSettings { key, ..source }
    }

    /// Adds a stored list to the file's, if this version understands it.
    fn keep(&mut self, list: ServiceSetting, text: &str) -> SettingInForce {
        let kept = match list {
            ServiceSetting::PolledDevices => self.keep_polled(text),
            ServiceSetting::PollPasswords => self.keep_passwords(text),
            ServiceSetting::PriceSources => self.keep_price_sources(text),
            ServiceSetting::PriceKeys => self.keep_price_keys(text),
            // The readers of Home Assistants take them from the store.
            ServiceSetting::HomeAssistantTokens => kept::home_assistant_tokens(text).map(drop),
            // The sender of reports takes them from the store.
            ServiceSetting::NoticesReported => kept::sent_reports(text).map(drop),
            _ => self.keep_subscriptions(text),
        };
        if let Err(error) = &kept {
            log::warn!("ignoring {} of the pages: {error}", list.as_str());
        }
        SettingInForce {
            is_set: kept.is_ok() && !text.is_empty(),
            ..SettingInForce::default()
        }
    }

    fn keep_subscriptions(&mut self, text: &str) -> Result<(), ConfigError> {
        self.subscriptions = kept::subscriptions(text)?;
        let parsed = self.subscriptions.iter().map(|one| one.parsed.clone());
        self.config.mqtt.subscriptions.extend(parsed);
        Ok(())
    }

    fn keep_polled(&mut self, text: &str) -> Result<(), ConfigError> {
        let kept = kept::polled(text)?;
        let all = self
            .config
            .poll
            .iter()
            .chain(kept.iter().map(|one| &one.parsed));
        let all: Vec<_> = all.cloned().collect();
        // The file may have got the same sensor since.
        check_polled_together(&all, &|_| IN_BROWSER.to_owned())?;
        self.config.poll = all;
        self.polled = kept;
        Ok(())
    }

    /// Gives the pages' devices their passwords. Those of the file have their own.
    fn keep_passwords(&mut self, text: &str) -> Result<(), ConfigError> {
        let passwords = kept::passwords(text)?;
        let of_file = self.config.poll.len() - self.polled.len();
        for device in self.config.poll.iter_mut().skip(of_file) {
            if let Some(password) = passwords.get(&device.address.to_string()) {
                *device = device.clone().with_password(password);
            }
        }
        Ok(())
    }

    fn keep_price_sources(&mut self, text: &str) -> Result<(), ConfigError> {
        let kept = kept::price_sources(text)?;
        let mut all = self.config.price_sources.clone();
        all.extend(kept.iter().map(|one| one.parsed.clone()));
        // The file may have got the same series since.
        check_sources_together(&all, &|_| IN_BROWSER.to_owned())?;
        self.config.price_sources = all;
        self.price_sources = kept;
        Ok(())
    }

    /// Gives the pages' sources their keys. Those of the file have their own.
    fn keep_price_keys(&mut self, text: &str) -> Result<(), ConfigError> {
        let keys = kept::passwords(text)?;
        let of_file = self.config.price_sources.len() - self.price_sources.len();
        for source in self.config.price_sources.iter_mut().skip(of_file) {
            let key = keys.get(source.key_server());
            if let Some(key) = key.filter(|_| source.needs_key()) {
                *source = source.clone().with_key(key);
            }
        }
        Ok(())
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
    match setting {
        ServiceSetting::MqttSubscriptions => kept::subscriptions(text).map(drop),
        ServiceSetting::PolledDevices => kept::polled(text).map(drop),
        ServiceSetting::PriceSources => kept::price_sources(text).map(drop),
        ServiceSetting::PollPasswords | ServiceSetting::PriceKeys => {
            kept::passwords(text).map(drop)
        }
        ServiceSetting::HomeAssistantTokens => kept::home_assistant_tokens(text).map(drop),
        ServiceSetting::NoticesReported => kept::sent_reports(text).map(drop),
        _ => with_one(setting.as_str(), text, IN_BROWSER).map(drop),
    }
}

/// Copies one setting from `with`.
pub(super) fn copy(setting: ServiceSetting, with: Config, to: &mut Config) {
    match setting {
        ServiceSetting::MqttBroker => to.mqtt.broker = with.mqtt.broker,
        ServiceSetting::MqttUser => to.mqtt.user = with.mqtt.user,
        ServiceSetting::MqttPassword => to.mqtt.password = with.mqtt.password,
        ServiceSetting::MqttCaFile => to.mqtt.ca_file = with.mqtt.ca_file,
        // These lists are added to the file's.
        ServiceSetting::MqttSubscriptions
        | ServiceSetting::PolledDevices
        | ServiceSetting::PollPasswords
        | ServiceSetting::PriceSources
        | ServiceSetting::PriceKeys
        | ServiceSetting::HomeAssistantTokens
        | ServiceSetting::NoticesReported => {}
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
        ServiceSetting::NoticesWeekly => to.notices.weekly = with.notices.weekly,
        ServiceSetting::NoticesStatement => to.notices.statement = with.notices.statement,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Flags, load};

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
            (ServiceSetting::NoticesWeekly, "sunday"),
            (ServiceSetting::NoticesStatement, "house"),
        ];
        let in_force = InForce::new(&Config::default(), &stored(&all));
        let same = "[mqtt]\nbroker = \"mqtt://browser\"\nuser = \"meter\"\npassword = \"hunter2\"\nca_file = \"/ca.pem\"\n\
                    [home_assistant]\ndiscovery = true\n[backup]\ndir = \"/copies\"\nevery = \"2h\"\nkeep = 3\n\
                    [notices]\nwebhook = \"https://ntfy.sh/s3cret\"\nformat = \"ntfy\"\nlanguage = \"de\"\ntoken = \"t0ken\"\nweekly = \"sunday\"\nstatement = \"house\"";
        let by_file = of_file(same, &[]);
        // All except the lists.
        let lists = ServiceSetting::ALL.iter().filter(|it| it.is_list());
        assert_eq!(
            by_file.held.len() + lists.count(),
            ServiceSetting::ALL.len()
        );
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
        let presets: Vec<_> = presets.filter_map(|it| Some(it.preset?.id())).collect();
        assert_eq!(presets, ["shelly", "tasmota"]);
        assert_eq!(in_force.subscriptions.len(), 1);
        let list_held = in_force.of(ServiceSetting::MqttSubscriptions).held_by;
        assert_eq!(list_held, None);
        // A list stored by another version is ignored, and nothing else.
        let in_force = InForce::new(
            &of_file(file, &[]),
            &list("[[mqtt.subscriptions]]\npreset = \"x\""),
        );
        assert_eq!(in_force.config.mqtt.subscriptions.len(), 1);
        assert!(in_force.subscriptions.is_empty() && in_force.config.mqtt.broker.is_some());
    }

    #[test]
    fn polled_devices_of_file_and_pages_are_in_force_together() {
        let section = |sensor: &str, address: &str| {
            format!(
                "[[poll]]\npreset = \"shelly\"\naddress = \"{address}\"\nsensor = \"{sensor}\"\n"
            )
        };
        let file = of_file(&section("a", "10.0.0.1"), &[]);
        let passwords = "\"10.0.0.1:80\" = \"of another\"\n\"10.0.0.2:80\" = \"hunter2\"";
        let list = |text: &str| {
            let devices = (ServiceSetting::PolledDevices, text);
            stored(&[devices, (ServiceSetting::PollPasswords, passwords), BROKER])
        };
        let in_force = InForce::new(&file, &list(&section("b", "10.0.0.2")));
        let logins = in_force.config.poll.iter().map(|device| &device.login);
        let is_set: Vec<bool> = logins.map(Option::is_some).collect();
        // A page's password is for a page's device.
        assert_eq!(is_set, [false, true]);
        assert!(!format!("{in_force:?}").contains("hunter2"));
        // A device that the file has got since, or that another version wrote, and nothing else.
        for text in [
            section("a", "10.0.0.3"),
            "[[poll]]\npreset = \"x\"".to_owned(),
        ] {
            let in_force = InForce::new(&file, &list(&text));
            assert_eq!((in_force.config.poll.len(), in_force.polled.len()), (1, 0));
            assert!(in_force.config.mqtt.broker.is_some());
        }
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
