//! Which settings the file, the environment and flags hold, so that pages do not set them.

use std::collections::BTreeMap;

use super::setting::Setting;
use crate::domain::ServiceSetting;

/// Settings that pages could set, and do not, because they are set elsewhere.
pub type HeldSettings = BTreeMap<ServiceSetting, Setting>;

/// Whoever chooses the address also says what is sent there, so these come from one place: otherwise a page could have the password of
/// the file sent to another broker.
const TOGETHER: [&[ServiceSetting]; 2] = [
    &[
        ServiceSetting::MqttBroker,
        ServiceSetting::MqttUser,
        ServiceSetting::MqttPassword,
        ServiceSetting::MqttCaFile,
    ],
    &[
        ServiceSetting::NoticesWebhook,
        ServiceSetting::NoticesFormat,
        ServiceSetting::NoticesToken,
    ],
];

/// The settings that are held, of all that are in force.
pub(super) fn held(all: &[Setting], default_of: impl Fn(&str) -> String) -> HeldSettings {
    // A line that repeats the default holds nothing, so that a copy of the example leaves all to the pages.
    let is_set = |it: &Setting| it.origin != "default" && it.value != default_of(&it.key);
    let of_key = |key: &str| all.iter().find(|it| it.key == key && is_set(it));
    let own = |setting: ServiceSetting| {
        let file = match setting {
            // Those of the pages are in force beside those of the file.
            ServiceSetting::MqttSubscriptions => return None,
            ServiceSetting::MqttPassword => of_key("mqtt.password_file"),
            ServiceSetting::NoticesToken => of_key("notices.token_file"),
            _ => None,
        };
        file.or_else(|| of_key(setting.as_str()))
    };
    let mut held = HeldSettings::new();
    for setting in ServiceSetting::ALL {
        let together = TOGETHER.iter().find(|group| group.contains(&setting));
        let mut others = together.into_iter().copied().flatten();
        if let Some(its) = own(setting) {
            held.insert(setting, its.clone());
        } else if let Some(other) = others.find_map(|other| own(*other)) {
            let none = Setting {
                value: default_of(setting.as_str()),
                ..other.clone()
            };
            held.insert(setting, none);
        }
    }
    held
}
