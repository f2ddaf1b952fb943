//! `/settings/backups`: the folder and the schedule.

use askama::Template;

use super::fields::SettingsForm;
use crate::config::SettingInForce;
use crate::domain::ServiceSetting;
use crate::http::pages::frame::response::ok;
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageResult, Visit};
use crate::http::pages::settings::parts::layout;

#[derive(Template)]
#[template(path = "service/backups.html")]
struct BackupsPage {
    layout: Layout,
    dir: SettingInForce,
    every: SettingInForce,
    keep: SettingInForce,
}

/// `GET /settings/backups`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let in_force = visit.app.settings.in_force();
    Ok(ok(&BackupsPage {
        layout: layout(&visit)?,
        dir: in_force.of(ServiceSetting::BackupDir),
        every: in_force.of(ServiceSetting::BackupEvery),
        keep: in_force.of(ServiceSetting::BackupKeep),
    }))
}

/// `POST /settings/backups`
pub(crate) async fn save(visit: Visit) -> PageResult {
    let mut form = SettingsForm::new(&visit);
    let page = BackupsPage {
        layout: layout(&visit)?,
        dir: form.text(ServiceSetting::BackupDir)?,
        every: form.text(ServiceSetting::BackupEvery)?,
        keep: form.text(ServiceSetting::BackupKeep)?,
    };
    let saved = form.save("settings/backups?done=saved").await;
    or_again(saved, page, |page| &mut page.layout)
}
