//! `/settings/backups`: the folder and the schedule.

use askama::Template;

use super::fields::{save_settings, seen_settings, shown};
use crate::config::SettingInForce;
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::http::pages::settings::parts::layout;

/// The settings of the form.
const SETTINGS: [ServiceSetting; 3] = [
    ServiceSetting::BackupDir,
    ServiceSetting::BackupEvery,
    ServiceSetting::BackupKeep,
];

#[derive(Template)]
#[template(path = "service/backups.html")]
struct BackupsPage {
    layout: Layout,
    /// The digest of the values in force.
    seen: String,
    dir: SettingInForce,
    every: SettingInForce,
    keep: SettingInForce,
}

/// `GET /settings/backups`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&BackupsPage {
        layout: layout(&visit)?,
        seen: seen_settings(&visit, &SETTINGS),
        dir: shown(&visit, ServiceSetting::BackupDir)?,
        every: shown(&visit, ServiceSetting::BackupEvery)?,
        keep: shown(&visit, ServiceSetting::BackupKeep)?,
    }))
}

/// `POST /settings/backups`
pub(crate) async fn save(visit: Visit) -> PageResult {
    save_settings(&visit, &SETTINGS, "settings/backups").await
}
