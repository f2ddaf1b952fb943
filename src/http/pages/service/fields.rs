//! Fields of settings: from the form to the settings in force.

use std::sync::Arc;

use crate::backups::FolderProblem;
use crate::config::{InForce, SettingInForce, SettingsError, TypedSettings};
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::see_other;
use crate::http::pages::frame::{PageError, PageResult, Visit};
use crate::http::wire::body::in_background;
use crate::texts::Language;

/// A form of settings that was sent.
pub(super) struct SettingsForm<'v> {
    visit: &'v Visit,
    in_force: Arc<InForce>,
    typed: TypedSettings,
}

impl<'v> SettingsForm<'v> {
    pub(super) fn new(visit: &'v Visit) -> Self {
        Self {
            visit,
            in_force: visit.app.settings.in_force(),
            typed: TypedSettings::new(),
        }
    }

    /// Reads the field of a setting; returns what the form shows if it is shown again.
    pub(super) fn text(&mut self, setting: ServiceSetting) -> Result<SettingInForce, PageError> {
        let text = self.visit.field(field_of(setting))?;
        Ok(self.put(setting, text.trim()))
    }

    /// The same for a value that was made of several fields.
    pub(super) fn put(&mut self, setting: ServiceSetting, text: &str) -> SettingInForce {
        let shown = self.in_force.of(setting);
        // The field of a setting that is held cannot be typed in.
        if shown.held_by.is_some() {
            return shown;
        }
        self.typed.insert(setting, Some(text.to_owned()));
        SettingInForce {
            value: text.to_owned(),
            ..shown
        }
    }

    /// Reads the field of a secret, and the box that removes it. An empty field changes nothing.
    pub(super) fn secret(&mut self, setting: ServiceSetting) -> Result<SettingInForce, PageError> {
        let shown = self.in_force.of(setting);
        let field = field_of(setting);
        let text = self.visit.field(field)?;
        if shown.held_by.is_some() {
            return Ok(shown);
        }
        if !text.is_empty() {
            self.typed.insert(setting, Some(text));
        } else if !self.visit.field(&format!("remove-{field}"))?.is_empty() {
            self.typed.insert(setting, None);
        }
        Ok(shown)
    }

    /// Puts the settings in force, and leads to the page at `done`.
    pub(super) async fn save(self, done: &str) -> PageResult {
        let app = &self.visit.app;
        let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
        let typed = self.typed;
        let changed = in_background(move || settings.change(&store, typed)).await?;
        match changed {
            Ok(()) => Ok(see_other(done)),
            Err(error) => Err(problem(error, self.visit.language())),
        }
    }
}

/// The id of the field of a setting.
const fn field_of(setting: ServiceSetting) -> &'static str {
    match setting {
        ServiceSetting::MqttBroker => "address",
        ServiceSetting::MqttUser => "user",
        ServiceSetting::MqttPassword => "password",
        ServiceSetting::MqttCaFile => "ca_file",
        // It has forms of its own.
        ServiceSetting::MqttSubscriptions => "main",
        ServiceSetting::HomeAssistantDiscovery => "discovery",
        ServiceSetting::BackupDir => "dir",
        ServiceSetting::BackupEvery => "every",
        ServiceSetting::BackupKeep => "keep",
        ServiceSetting::NoticesWebhook => "webhook",
        ServiceSetting::NoticesFormat => "format",
        ServiceSetting::NoticesToken => "token",
    }
}

/// Why settings were refused, at their field.
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

/// What a setting may be.
fn expected(setting: ServiceSetting, language: &Language) -> String {
    match setting {
        ServiceSetting::MqttBroker => language.say("broker-wrong-address"),
        ServiceSetting::BackupEvery => language.say("backups-wrong-every"),
        ServiceSetting::BackupKeep => language.say("backups-wrong-keep"),
        ServiceSetting::NoticesWebhook => language.say("messages-wrong-address"),
        ServiceSetting::NoticesToken => language.say("messages-wrong-token"),
        ServiceSetting::MqttUser
        | ServiceSetting::MqttPassword
        | ServiceSetting::MqttCaFile
        | ServiceSetting::MqttSubscriptions
        | ServiceSetting::HomeAssistantDiscovery
        | ServiceSetting::BackupDir
        | ServiceSetting::NoticesFormat => language.say("service-wrong"),
    }
}
