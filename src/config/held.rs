//! Settings fixed by the file, the environment or flags, which pages do not change.

use std::collections::BTreeMap;

use super::setting::Setting;
use crate::domain::ServiceSetting;

/// Settings that pages could change, but do not, because they are set elsewhere.
pub type HeldSettings = BTreeMap<ServiceSetting, Setting>;

/// Settings that must come from the same place. An address determines who receives the secret next
/// to it: otherwise a page could send the file's password to another broker.
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
        ServiceSetting::NoticesMailTo,
        ServiceSetting::NoticesMailFrom,
    ],
];

/// The fixed settings among all settings in force.
pub(super) fn held(all: &[Setting], default_of: impl Fn(&str) -> String) -> HeldSettings {
    // A line that repeats the default fixes nothing, so that a copy of the example leaves all
    // settings to the pages.
    let is_set = |it: &Setting| it.origin != "default" && it.value != default_of(&it.key);
    let of_key = |key: &str| all.iter().find(|it| it.key == key && is_set(it));
    let own = |setting: ServiceSetting| {
        let file = match setting {
            // The pages' lists are in force in addition to the file's.
            list if list.is_list() => return None,
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
