//! `/settings/store`: checks the store, confirms damage, and closes the store for a repair.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::Trials;
use crate::admin::{FindingsRow, Request};
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::response::{leads_to, ok};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, figures};
use crate::http::pages::repair::RepairSwitch;
use crate::http::pages::settings::parts::layout;
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::store::{ReplacedStore, remove_replaced, replaced_stores};
use crate::texts::Language;

/// The faults that the page lists.
const MOST_PROBLEMS: usize = 200;

#[derive(Template)]
#[template(path = "service/store.html")]
struct StorePage {
    layout: Layout,
    /// The faults that were noted earlier.
    noted: Vec<String>,
    /// Whether it is in a data dir, where it can be repaired.
    is_embedded: bool,
    replaced: Vec<ReplacedStore>,
    found: Option<FindingsRow>,
}

#[derive(Template)]
#[template(path = "service/store_closed.html")]
struct StoreClosedPage {
    layout: Layout,
    address: String,
}

impl StorePage {
    async fn of(visit: &Visit, found: Option<FindingsRow>) -> Result<Self, PageError> {
        let config = &visit.app.settings.in_force().config;
        let (store, dir) = (Arc::clone(&visit.app.store), config.data_dir.clone());
        let look = move || (store.damage(), replaced_stores(&dir));
        let (mut noted, replaced) = in_background(look).await?;
        noted.truncate(MOST_PROBLEMS);
        Ok(Self {
            layout: layout(visit)?,
            noted,
            is_embedded: config.store.engine.is_none(),
            replaced,
            found,
        })
    }

    /// The result of the check in a sentence.
    fn result(found: &FindingsRow, language: &Language) -> String {
        let problems = found.problems.len() as u64 + found.not_listed;
        let counts = [
            ("readings", figures::count(found.readings, language).into()),
            ("problems", problems.into()),
        ];
        language.fill("store-found", counts)
    }

    fn size(bytes: u64, language: &Language) -> String {
        figures::size(bytes, language)
    }
}

/// `GET /settings/store`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&StorePage::of(&visit, None).await?))
}

/// `POST /settings/store/check`
pub(crate) async fn check(visit: Visit, trials: Data<Trials>) -> PageResult {
    let store = Arc::clone(&visit.app.store);
    // One at a time, because it reads all of the disk.
    let found = trials.run(move || FindingsRow::from(store.check())).await?;
    let busy = || PageError::refused("main", &visit.language().say("store-busy"));
    let mut found = found.ok_or_else(busy)?;
    let beyond = found.problems.len().saturating_sub(MOST_PROBLEMS);
    found.not_listed = found.not_listed.saturating_add(beyond as u64);
    found.problems.truncate(MOST_PROBLEMS);
    Ok(ok(&StorePage::of(&visit, Some(found)).await?))
}

/// `POST /settings/store/confirm`
pub(crate) async fn confirm(visit: Visit) -> PageResult {
    admin_call(&visit.app, Request::ConfirmDamage, |_| "main").await?;
    Ok(leads_to("settings/store", &[("done", "saved")]))
}

/// `POST /settings/store/close`
pub(crate) async fn close(visit: Visit, repair: Data<RepairSwitch>) -> PageResult {
    let config = &visit.app.settings.in_force().config;
    if visit.field("confirm")?.is_empty() {
        let why = visit.language().say("store-close-unconfirmed");
        return Err(PageError::refused("main", &why));
    }
    if config.store.engine.is_some() {
        return Err(PageError::NotFound);
    }
    let backups = config.backup.settings().map(|settings| settings.dir);
    let address = repair.close(backups);
    let address = address.map_err(|_| ApiError::Internal("the system has no randomness"))?;
    log::warn!("the administrator closed the store for a repair");
    Ok(ok(&StoreClosedPage {
        layout: visit.layout(None),
        address: address.trim_start_matches('/').to_owned(),
    }))
}

/// `POST /settings/store/remove`
pub(crate) async fn remove(visit: Visit) -> PageResult {
    let dir = visit.app.settings.in_force().config.data_dir.clone();
    let name = visit.field("name")?;
    let removed = in_background(move || remove_replaced(&dir, &name)).await??;
    if !removed {
        return Err(PageError::NotFound);
    }
    Ok(leads_to("settings/store", &[("done", "saved")]))
}
