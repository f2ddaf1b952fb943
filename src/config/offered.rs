//! The broker that Home Assistant offers to its add-ons, as settings.

use super::error::ConfigError;
use super::in_force::copy;
use super::layers::with_one;
use super::setting::Setting;
use super::settings::Config;
use crate::domain::secret::HIDDEN;
use crate::domain::{Secret, ServiceSetting};

/// The origin of an offered broker's settings, in words for people.
pub(super) const OFFERED_BY: &str = "Home Assistant";

/// A broker that Home Assistant offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedBroker {
    /// Its address, as in `mqtt.broker`.
    pub address: String,
    /// The user name there; empty for none.
    pub user: String,
    /// The password there; empty for none.
    pub password: Secret,
}

impl OfferedBroker {
    /// Applies the broker's settings. Pages cannot change them.
    ///
    /// # Errors
    /// A [`ConfigError`] without values that names the invalid setting. `config` may be partly
    /// changed then.
    pub(super) fn lay(&self, config: &mut Config) -> Result<(), ConfigError> {
        let password = self.password.reveal();
        for (setting, text, shown) in [
            (
                ServiceSetting::MqttBroker,
                self.address.as_str(),
                self.address.as_str(),
            ),
            (ServiceSetting::MqttUser, &self.user, &self.user),
            (
                ServiceSetting::MqttPassword,
                password,
                if password.is_empty() { "" } else { HIDDEN },
            ),
            (ServiceSetting::MqttCaFile, "", ""),
        ] {
            copy(
                setting,
                with_one(setting.as_str(), text, OFFERED_BY)?,
                config,
            );
            let held = Setting {
                key: setting.as_str().to_owned(),
                value: shown.to_owned(),
                origin: OFFERED_BY.to_owned(),
            };
            config.held.insert(setting, held);
        }
        Ok(())
    }
}

/// Removes the settings that [`OfferedBroker::lay`] applied. Does nothing if they have another
/// origin.
pub(super) fn take_back(config: &mut Config) {
    for setting in [
        ServiceSetting::MqttBroker,
        ServiceSetting::MqttUser,
        ServiceSetting::MqttPassword,
        ServiceSetting::MqttCaFile,
    ] {
        let held = config.held.get(&setting);
        if held.is_some_and(|held| held.origin == OFFERED_BY) {
            config.held.remove(&setting);
            copy(setting, Config::default(), config);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_offered_is_held() {
        let mut config = Config::default();
        let mut offered = OfferedBroker {
            address: "mqtt://core-mosquitto:1883".into(),
            user: "addons".into(),
            password: Secret::new("hunter2".into()),
        };
        offered.lay(&mut config).unwrap();
        assert_eq!(config.mqtt.user, "addons");
        assert_eq!(config.mqtt.password.reveal(), "hunter2");
        let held = &config.held[&ServiceSetting::MqttBroker];
        assert_eq!(
            (&*held.value, &*held.origin),
            ("mqtt://core-mosquitto:1883", "Home Assistant")
        );
        assert!(!format!("{:?}", config.held).contains("hunter2"));
        offered.address = "mqtt://".into();
        let error = offered.lay(&mut config).unwrap_err().to_string();
        assert!(error.contains("mqtt.broker"), "{error}");
    }
}
