//! `/settings`.

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::password::Problem;
use super::session::Visitor;
use super::{Frame, PageError, Tab, render};
use crate::domain::password::Password;
use crate::http::AppState;
use crate::http::params::param;

#[derive(Template)]
#[template(path = "settings.html")]
struct SettingsPage {
    frame: Frame,
    said: Said,
}

impl SettingsPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;
}

/// What came of the form before.
#[derive(Default)]
pub(super) struct Said {
    done: Option<&'static str>,
    problem: Option<Problem>,
}

impl Said {
    /// That something is wrong with it.
    pub(super) fn problem(problem: Problem) -> Self {
        Self {
            done: None,
            problem: Some(problem),
        }
    }

    fn is_wrong(&self, field: &str) -> bool {
        self.problem
            .as_ref()
            .is_some_and(|problem| problem.field == field)
    }
}

/// `GET /settings`
pub(super) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let done = match param(request.query_string(), "done")?.as_deref() {
        Some("password") => Some("The password was changed. All other browsers were signed out."),
        _ => None,
    };
    let said = Said {
        done,
        ..Said::default()
    };
    answer(&app, &visitor, StatusCode::OK, said)
}

/// The page.
pub(super) fn answer(
    _app: &AppState,
    visitor: &Visitor,
    status: StatusCode,
    said: Said,
) -> Result<HttpResponse, PageError> {
    let page = SettingsPage {
        frame: Frame::new(Tab::Settings, visitor),
        said,
    };
    render(status, &page)
}
