//! `/settings/backups`: the folder and the schedule.

use askama::Template;

use super::fields::{SettingField, ShownSettings, save_settings};
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::http::pages::settings::parts::layout;

/// The fields of the form.
static FIELDS: [SettingField; 3] = [
    SettingField::labelled("backups-dir", "dir", ServiceSetting::BackupDir),
    SettingField::labelled("backups-every", "every", ServiceSetting::BackupEvery)
        .mistake("backups-wrong-every"),
    SettingField::labelled("backups-keep", "keep", ServiceSetting::BackupKeep)
        .mistake("backups-wrong-keep"),
];

#[derive(Template)]
#[template(path = "service/backups.html")]
struct BackupsPage {
    layout: Layout,
    settings: ShownSettings,
}

/// `GET /settings/backups`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&BackupsPage {
        layout: layout(&visit)?,
        settings: ShownSettings::new(&visit, &FIELDS)?,
    }))
}

/// `POST /settings/backups`
pub(crate) async fn save(visit: Visit) -> PageResult {
    save_settings(&visit, &FIELDS, "settings/backups").await
}
