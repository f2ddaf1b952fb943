//! `/status`: whether all is well.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use askama::Template;

use super::session::Visitor;
use super::{Frame, PageError, Tab, render};
use crate::http::AppState;

#[derive(Template)]
#[template(path = "status.html")]
struct StatusPage {
    frame: Frame,
    /// Why the store takes no changes.
    failure: Option<String>,
}

/// `GET /status`
pub(super) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    let failure = app.store.unavailable();
    let page = StatusPage {
        frame: Frame::new(Tab::Status, &visitor),
        failure: failure.map(|failure| failure.to_string()),
    };
    render(StatusCode::OK, &page)
}
