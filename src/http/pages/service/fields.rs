//! Fields of settings: from the form to the settings in force.

use std::sync::Arc;

use crate::backups::FolderProblem;
use crate::config::{InForce, SettingInForce, SettingsError, TypedSettings};
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::leads_to;
use crate::http::pages::frame::seen::StoredField;
use crate::http::pages::frame::{PageError, PageResult, ShownFields, Visit};
use crate::http::wire::body::in_background;
use crate::texts::Language;

/// A field of a form of settings.
pub(super) struct SettingField {
    setting: ServiceSetting,
    /// Its name and its id on the page.
    name: &'static str,
    /// The name of the text beside it; `None` for a setting that has no field.
    label: Option<&'static str>,
    /// The name of the text about the values that it accepts.
    expected: &'static str,
    /// The value of a typed text.
    typed: fn(&Visit, &str) -> Result<String, PageError>,
}

impl SettingField {
    /// A setting that the form sets without a field.
    pub(super) const fn hidden(setting: ServiceSetting) -> Self {
        Self {
            setting,
            name: "main",
            label: None,
            expected: "service-wrong",
            typed: |_, text| Ok(text.to_owned()),
        }
    }

    /// A field by the name of the text beside it, and by its own.
    pub(super) const fn labelled(
        label: &'static str,
        name: &'static str,
        setting: ServiceSetting,
    ) -> Self {
        Self {
            name,
            label: Some(label),
            ..Self::hidden(setting)
        }
    }

    /// The field, with the name of the text about the values that it accepts.
    pub(super) const fn mistake(self, expected: &'static str) -> Self {
        Self { expected, ..self }
    }

    /// The field, whose typed text has another value.
    pub(super) const fn typed(self, typed: fn(&Visit, &str) -> Result<String, PageError>) -> Self {
        Self { typed, ..self }
    }

    /// The value in the form, for settings that are not secret.
    fn value(&self, visit: &Visit) -> Result<String, PageError> {
        (self.typed)(visit, &visit.trimmed(self.name)?)
    }
}

/// The settings of a form, as its page shows them.
pub(super) struct ShownSettings {
    /// The values in force, or the typed ones if the form is shown again.
    pub(super) fields: ShownFields,
    declared: &'static [SettingField],
    in_force: Arc<InForce>,
}

impl ShownSettings {
    pub(super) fn new(visit: &Visit, declared: &'static [SettingField]) -> Result<Self, PageError> {
        Ok(Self {
            fields: visit.shown_fields(stored(visit, declared)?, visit.is_again()),
            declared,
            in_force: visit.app.settings.in_force(),
        })
    }

    /// The setting in force of a field.
    pub(super) fn of(&self, name: &str) -> SettingInForce {
        let field = self.declared.iter().find(|it| it.name == name);
        let found = field.map(|it| self.in_force.of(it.setting));
        found.unwrap_or_default()
    }
}

/// The fields with the values in force.
fn stored(visit: &Visit, fields: &[SettingField]) -> Result<Vec<StoredField>, PageError> {
    let in_force = visit.app.settings.in_force();
    let labelled = fields.iter().filter_map(|it| Some((it, it.label?)));
    let stored = labelled.map(|(field, label)| {
        let known = in_force.of(field.setting);
        // The field of a fixed setting is read-only, and no secret is sent back.
        let typed = if known.held_by.is_some() || field.setting.is_secret() {
            known.value.clone()
        } else {
            field.value(visit)?
        };
        let label = visit.language().say(label);
        Ok(StoredField {
            typed,
            ..visit.stored_field(field.name, label, known.value)?
        })
    });
    stored.collect()
}

/// Applies the settings of a form, and leads back to its page. A secret without text stays
/// unchanged, unless its box removes it.
pub(super) async fn save_settings(
    visit: &Visit,
    fields: &[SettingField],
    page: &str,
) -> PageResult {
    visit.check_seen(&stored(visit, fields)?)?;
    let app = &visit.app;
    let in_force = app.settings.in_force();
    let mut changes = TypedSettings::new();
    for field in fields {
        let setting = field.setting;
        if in_force.of(setting).held_by.is_some() {
            continue;
        }
        if !setting.is_secret() {
            changes.insert(setting, Some(field.value(visit)?));
        } else if let secret = visit.field(field.name)?
            && !secret.is_empty()
        {
            changes.insert(setting, Some(secret));
        } else if !visit.field(&format!("remove-{}", field.name))?.is_empty() {
            changes.insert(setting, None);
        }
    }
    let (store, settings) = (Arc::clone(&app.store), Arc::clone(&app.settings));
    let saved = in_background(move || settings.change(&store, changes)).await?;
    saved.map_err(|error| problem(error, fields, visit.language()))?;
    Ok(leads_to(page, &[("done", "saved")]))
}

/// The reason why settings were refused, at their field.
fn problem(error: SettingsError, fields: &[SettingField], language: &Language) -> PageError {
    let of = |setting| fields.iter().find(|it| it.setting == setting);
    let at = |setting| of(setting).map_or("main", |it| it.name);
    match error {
        SettingsError::Store(error) => error.into(),
        SettingsError::Held { setting, by } => {
            let text = language.fill("service-held", [("by", by.into())]);
            PageError::form(at(setting), text)
        }
        SettingsError::Folder(problem) => PageError::form(
            at(ServiceSetting::BackupDir),
            folder_text(&problem, language),
        ),
        SettingsError::Invalid { setting, .. } => match of(setting) {
            Some(field) => PageError::mistake(field.expected, field.name),
            None => PageError::mistake("service-wrong", "main"),
        },
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
