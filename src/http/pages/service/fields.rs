//! Fields of settings: from the form to the settings in force.

use std::sync::Arc;

use crate::backups::FolderProblem;
use crate::config::{SettingInForce, SettingsError, TypedSettings};
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::leads_to;
use crate::http::pages::frame::seen::seen_text;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::body::in_background;
use crate::texts::Language;

/// The value that a setting's field shows: the one in force, or the typed one if the form is shown
/// again.
pub(super) fn shown(visit: &Visit, setting: ServiceSetting) -> Result<SettingInForce, PageError> {
    let in_force = visit.app.settings.in_force().of(setting);
    // The field of a fixed setting is read-only, and no secret is sent back.
    if !visit.is_again() || in_force.held_by.is_some() || is_secret(setting) {
        return Ok(in_force);
    }
    Ok(SettingInForce {
        value: typed(visit, setting)?,
        ..in_force
    })
}

/// The digest of the values in force of these settings, without secrets.
pub(super) fn seen_settings(visit: &Visit, settings: &[ServiceSetting]) -> String {
    let in_force = visit.app.settings.in_force();
    let shown = settings.iter().filter(|it| !is_secret(**it));
    let shown = shown.map(|it| (it.as_str(), in_force.of(*it).value));
    seen_text(&format!("{:?}", shown.collect::<Vec<_>>()))
}

/// Refuses to replace settings that were changed meanwhile, with both values of each.
fn check_meanwhile(visit: &Visit, settings: &[ServiceSetting]) -> Result<(), PageError> {
    if !visit.is_outdated(&seen_settings(visit, settings))? {
        return Ok(());
    }
    let in_force = visit.app.settings.in_force();
    let mut both = Vec::new();
    for setting in settings.iter().copied().filter(|it| !is_secret(*it)) {
        let stored = in_force.of(setting);
        let typed = typed(visit, setting)?;
        let label = label_of(setting).map(|name| visit.language().say(name));
        if let Some(label) = label.filter(|_| stored.held_by.is_none() && stored.value != typed) {
            both.push(visit.both_values(&label, [stored.value, typed]));
        }
    }
    if both.is_empty() {
        return Ok(());
    }
    Err(visit.changed_meanwhile(&both))
}

/// The name of the text beside a setting's field; `None` for one without a field, or a secret.
const fn label_of(setting: ServiceSetting) -> Option<&'static str> {
    Some(match setting {
        ServiceSetting::MqttBroker => "broker-address",
        ServiceSetting::MqttUser => "broker-user",
        ServiceSetting::MqttCaFile => "broker-ca-file",
        ServiceSetting::HomeAssistantDiscovery => "broker-discovery",
        ServiceSetting::BackupDir => "backups-dir",
        ServiceSetting::BackupEvery => "backups-every",
        ServiceSetting::BackupKeep => "backups-keep",
        ServiceSetting::NoticesFormat => "messages-format",
        ServiceSetting::NoticesMailTo => "messages-mail-to",
        ServiceSetting::NoticesMailFrom => "messages-mail-from",
        _ => return None,
    })
}

/// Applies the settings of a form, and leads back to its page. A secret without text stays
/// unchanged, unless its box removes it.
pub(super) async fn save_settings(
    visit: &Visit,
    settings: &[ServiceSetting],
    page: &str,
) -> PageResult {
    check_meanwhile(visit, settings)?;
    let app = &visit.app;
    let in_force = app.settings.in_force();
    let mut changes = TypedSettings::new();
    let free = settings.iter().copied();
    for setting in free.filter(|it| in_force.of(*it).held_by.is_none()) {
        let field = field_of(setting);
        if !is_secret(setting) {
            changes.insert(setting, Some(typed(visit, setting)?));
        } else if let secret = visit.field(field)?
            && !secret.is_empty()
        {
            changes.insert(setting, Some(secret));
        } else if !visit.field(&format!("remove-{field}"))?.is_empty() {
            changes.insert(setting, None);
        }
    }
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let saved = in_background(move || settings.change(&store, changes)).await?;
    saved.map_err(|error| problem(error, visit.language()))?;
    Ok(leads_to(page, &[("done", "saved")]))
}

const fn is_secret(setting: ServiceSetting) -> bool {
    use ServiceSetting::{MqttPassword, NoticesToken, NoticesWebhook};
    matches!(setting, MqttPassword | NoticesToken | NoticesWebhook)
}

/// The value of a setting in the form, for settings that are not secret.
fn typed(visit: &Visit, setting: ServiceSetting) -> Result<String, PageError> {
    let text = visit.trimmed(field_of(setting))?;
    Ok(match setting {
        ServiceSetting::MqttBroker => match address_parts(&text) {
            (_, "") => String::new(),
            // If either asks for TLS, because a password must not be sent unencrypted by mistake.
            (true, host) => format!("mqtts://{host}"),
            (_, host) if !visit.field("tls")?.is_empty() => format!("mqtts://{host}"),
            (_, host) => format!("mqtt://{host}"),
        },
        ServiceSetting::HomeAssistantDiscovery => (!text.is_empty()).to_string(),
        // That of the page, without a field.
        ServiceSetting::NoticesLanguage => visit.language().tag().to_owned(),
        _ => text,
    })
}

/// Whether an address asks for TLS, and its part after the scheme.
pub(super) fn address_parts(address: &str) -> (bool, &str) {
    if let Some(host) = address.strip_prefix("mqtts://") {
        return (true, host);
    }
    (false, address.strip_prefix("mqtt://").unwrap_or(address))
}

/// The id of the field of a setting.
const fn field_of(setting: ServiceSetting) -> &'static str {
    match setting {
        ServiceSetting::MqttBroker => "address",
        ServiceSetting::MqttUser => "user",
        ServiceSetting::MqttPassword => "password",
        ServiceSetting::MqttCaFile => "ca_file",
        // Subscriptions have forms of their own; messages have the language of the page of their
        // form.
        ServiceSetting::MqttSubscriptions
        | ServiceSetting::PolledDevices
        | ServiceSetting::PollPasswords
        | ServiceSetting::PriceSources
        | ServiceSetting::PriceKeys
        | ServiceSetting::NoticesLanguage => "main",
        ServiceSetting::HomeAssistantDiscovery => "discovery",
        ServiceSetting::BackupDir => "dir",
        ServiceSetting::BackupEvery => "every",
        ServiceSetting::BackupKeep => "keep",
        ServiceSetting::NoticesWebhook => "webhook",
        ServiceSetting::NoticesFormat => "format",
        ServiceSetting::NoticesToken => "token",
        ServiceSetting::NoticesMailTo => "mail_to",
        ServiceSetting::NoticesMailFrom => "mail_from",
    }
}

/// The reason why settings were refused, at their field.
fn problem(error: SettingsError, language: &Language) -> PageError {
    match error {
        SettingsError::Store(error) => error.into(),
        SettingsError::Held { setting, by } => {
            let text = language.fill("service-held", [("by", by.into())]);
            PageError::form(field_of(setting), text)
        }
        SettingsError::Folder(problem) => {
            let field = field_of(ServiceSetting::BackupDir);
            PageError::form(field, folder_text(&problem, language))
        }
        SettingsError::Invalid { setting, .. } => {
            PageError::form(field_of(setting), expected(setting, language))
        }
    }
}

fn folder_text(problem: &FolderProblem, language: &Language) -> String {
    match problem {
        FolderProblem::NotAbsolute => language.say("backups-not-absolute"),
        FolderProblem::InStore => language.say("backups-in-store"),
        FolderProblem::NotMade(why) => {
            language.fill("backups-not-made", [("why", why.to_string().into())])
        }
        FolderProblem::NotWritable(why) => {
            language.fill("backups-not-writable", [("why", why.to_string().into())])
        }
    }
}

/// The values that a setting accepts.
fn expected(setting: ServiceSetting, language: &Language) -> String {
    match setting {
        ServiceSetting::MqttBroker => language.say("broker-wrong-address"),
        ServiceSetting::BackupEvery => language.say("backups-wrong-every"),
        ServiceSetting::BackupKeep => language.say("backups-wrong-keep"),
        ServiceSetting::NoticesWebhook => language.say("messages-wrong-address"),
        ServiceSetting::NoticesToken => language.say("messages-wrong-token"),
        ServiceSetting::NoticesMailTo | ServiceSetting::NoticesMailFrom => {
            language.say("messages-wrong-mail")
        }
        ServiceSetting::MqttUser
        | ServiceSetting::MqttPassword
        | ServiceSetting::MqttCaFile
        | ServiceSetting::MqttSubscriptions
        | ServiceSetting::PolledDevices
        | ServiceSetting::PollPasswords
        | ServiceSetting::PriceSources
        | ServiceSetting::PriceKeys
        | ServiceSetting::HomeAssistantDiscovery
        | ServiceSetting::BackupDir
        | ServiceSetting::NoticesFormat
        | ServiceSetting::NoticesLanguage => language.say("service-wrong"),
    }
}
