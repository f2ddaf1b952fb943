//! `/repair`: the page and its forms.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::desk::{RepairDesk, RepairKind, RepairState};
use super::upload;
use crate::backups::{self, ExistingBackup};
use crate::domain::Timestamp;
use crate::http::pages::frame::language::{language_of, mark};
use crate::http::pages::frame::response::render;
use crate::http::pages::frame::{Layout, figures};
use crate::http::wire::params::param;
use crate::store::Lost;
use crate::texts::Language;

/// The most backups that the page lists, the newest first.
const MOST_BACKUPS: usize = 20;

#[derive(Template)]
#[template(path = "repair/repair.html")]
struct RepairPage {
    layout: Layout,
    /// The repair; `None` for visitors without the secret.
    shown: Option<ShownRepair>,
}

struct ShownRepair {
    token: String,
    why: Option<String>,
    state: RepairState,
    backups: Vec<BackupChoice>,
    refused: Option<String>,
}

/// A backup that can be put in the place of the store.
struct BackupChoice {
    path: String,
    text: String,
}

impl ShownRepair {
    /// The progress of the repair under way.
    fn progress(&self, language: &Language) -> Option<String> {
        let (kind, count) = self.state.running.as_ref()?;
        let count = count.load(Ordering::Relaxed);
        Some(match kind {
            RepairKind::Salvage => {
                let count = figures::count(count, language);
                language.fill("repair-salvaging", [("count", count.into())])
            }
            RepairKind::Restore => {
                let size = figures::size(count, language);
                language.fill("repair-restoring", [("size", size.into())])
            }
        })
    }

    /// The result of the last repair as a sentence, and whether it succeeded.
    fn result(&self, language: &Language) -> Option<(bool, String)> {
        Some(match self.state.ended.as_ref()? {
            Ok(outcome) => {
                let count = figures::count(outcome.readings, language);
                let count = [("count", count.into())];
                let text = match outcome.kind {
                    RepairKind::Salvage => language.fill("repair-salvaged", count),
                    RepairKind::Restore => language.fill("repair-restored", count),
                };
                (true, text)
            }
            Err(why) => {
                let why = [("why", why.as_str().into())];
                (false, language.fill("repair-failed", why))
            }
        })
    }

    /// Whether the store was replaced since it could not be opened.
    fn is_repaired(&self) -> bool {
        self.state.ended.as_ref().is_some_and(Result::is_ok)
    }

    /// The losses of the last repair, a line each.
    fn losses(&self) -> Vec<String> {
        let outcome = self
            .state
            .ended
            .as_ref()
            .and_then(|ended| ended.as_ref().ok());
        outcome.map_or_else(Vec::new, |outcome| {
            let more = (outcome.not_listed > 0).then(|| format!("… {}", outcome.not_listed));
            outcome
                .losses
                .iter()
                .map(Lost::to_string)
                .chain(more)
                .collect()
        })
    }
}

/// The fields of a form.
#[derive(Deserialize)]
pub(super) struct RepairForm {
    #[serde(default)]
    token: String,
    #[serde(rename = "do", default)]
    action: String,
    #[serde(default)]
    file: String,
}

/// `GET /repair?token=…`
pub(super) async fn show(request: HttpRequest, desk: web::Data<RepairDesk>) -> HttpResponse {
    at(&request, &desk)
}

/// The page, for those whose address has the secret.
pub(super) fn at(request: &HttpRequest, desk: &RepairDesk) -> HttpResponse {
    let token = param(request.query_string(), "token").ok().flatten();
    let is_open = desk.is_token(&token.unwrap_or_default()) || desk.is_ingress(request.head());
    page(request, desk, is_open, None)
}

/// `POST /repair`
pub(super) async fn begin(
    request: HttpRequest,
    desk: web::Data<RepairDesk>,
    form: web::Form<RepairForm>,
) -> HttpResponse {
    let form = form.into_inner();
    // Visitors through Home Assistant have the secret from the page: a page of another site, which
    // could send this form, has not.
    let is_open = desk.is_token(&form.token);
    let begun = is_open.then(|| begun(&desk, &form, language_of(&request)));
    page(&request, &desk, is_open, begun.and_then(Result::err))
}

fn begun(desk: &RepairDesk, form: &RepairForm, language: &Language) -> Result<(), String> {
    let begun = match form.action.as_str() {
        "open" => {
            if desk.open() {
                upload::remove(&desk.place.data_dir);
            }
            Ok(())
        }
        "salvage" => desk.salvage(),
        "restore" => {
            let file = PathBuf::from(form.file.trim());
            // Reading a pipe might never end.
            if !file.is_absolute() || file.exists() && !file.is_file() {
                return Err(language.say("repair-no-file"));
            }
            desk.restore(&file)
        }
        _ => Ok(()),
    };
    begun.map_err(|error| error.to_string())
}

fn page(
    request: &HttpRequest,
    desk: &RepairDesk,
    is_open: bool,
    refused: Option<String>,
) -> HttpResponse {
    let status = match (is_open, &refused) {
        (false, _) => StatusCode::FORBIDDEN,
        (true, Some(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        (true, None) => StatusCode::OK,
    };
    let shown = || ShownRepair {
        token: desk.token().to_owned(),
        why: desk.place.why.clone(),
        state: desk.state(),
        backups: choices(desk, language_of(request)),
        refused,
    };
    let page = RepairPage {
        layout: Layout::alone(request),
        shown: is_open.then(shown),
    };
    render(status, &page)
}

/// The uploaded backup, and those in the folder of backups, the newest first.
fn choices(desk: &RepairDesk, language: &Language) -> Vec<BackupChoice> {
    let uploaded = upload::found(&desk.place.data_dir).map(|(path, bytes)| BackupChoice {
        path: path.display().to_string(),
        text: language.fill(
            "repair-uploaded",
            [("size", figures::size(bytes, language).into())],
        ),
    });
    let of_folder = |backup: ExistingBackup| BackupChoice {
        path: backup.path.display().to_string(),
        text: format!(
            "{}, {}",
            backup.taken,
            figures::size(backup.bytes, language)
        ),
    };
    let dir = desk.place.backups.as_deref();
    let known = dir.and_then(|dir| backups::existing(dir, Timestamp::MAX).ok());
    let known = known
        .unwrap_or_default()
        .into_iter()
        .rev()
        .take(MOST_BACKUPS);
    uploaded.into_iter().chain(known.map(of_folder)).collect()
}

/// Marks answers with the language of their page.
pub(super) async fn in_language(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let language = language_of(request.request());
    let mut response = next.call(request).await?;
    mark(response.headers_mut(), language);
    Ok(response)
}
