//! `/sign-in` and `/sign-out`.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::http::gate::failed::Door;
use crate::http::gate::state::AppState;
use crate::http::pages::frame::address::local;
use crate::http::pages::frame::assets::{Assets, assets};
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::{render, see_other, with_cookie};
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::sign_in::hashing::Hashing;
use crate::http::wire::params::param;

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    assets: &'static Assets,
    csrf: String,
    /// The page that was wanted.
    to: &'a str,
    is_set_up: bool,
    problem: Option<String>,
}

/// `GET /sign-in?to=…`
pub(crate) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let to = param(request.query_string(), "to")?.unwrap_or_default();
    let to = local(&to);
    if visitor.session().is_some() {
        return Ok(see_other(to));
    }
    form_again(&app, &visitor, to, StatusCode::OK, None)
}

/// `POST /sign-in`
///
/// Each attempt counts, a right one too, and is refused before the password is looked at where there were too many: a
/// limit that lets right passwords through would not keep anyone from trying them all.
pub(crate) async fn sign_in(
    app: Data<AppState>,
    hashing: Data<Hashing>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let to = form.text("to")?;
    let to = local(&to);
    if let Err(wait) = app.failed_sign_ins.count(visitor.client(), None) {
        return too_many(&app, &visitor, to, wait);
    }
    let Some(password) = app.store.registry().administrator().cloned() else {
        return form_again(&app, &visitor, to, StatusCode::FORBIDDEN, None);
    };
    let candidate = form.text("password")?;
    if !hashing.verify(password.clone(), candidate).await? {
        app.failed.count(Door::Pages);
        log::warn!("wrong administrator password from {}", visitor.client());
        let problem = "Wrong password.".to_owned();
        return form_again(&app, &visitor, to, StatusCode::FORBIDDEN, Some(problem));
    }
    let cookie = visitor.sign_in(&app, password).await?;
    with_cookie(see_other(to), &cookie)
}

/// `POST /sign-out`
pub(crate) async fn sign_out(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    let cookie = visitor.sign_out(&app).await?;
    with_cookie(see_other("/sign-in"), &cookie)
}

fn too_many(
    app: &AppState,
    visitor: &Visitor,
    to: &str,
    wait: Duration,
) -> Result<HttpResponse, PageError> {
    // Rounded up: who comes back a fraction of a second early is refused again.
    let secs = wait.as_millis().div_ceil(1000).max(1);
    let problem = format!("Too many attempts from this address. Try again in {secs} s.");
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut response = form_again(app, visitor, to, status, Some(problem))?;
    if let Ok(secs) = HeaderValue::try_from(secs.to_string()) {
        response.headers_mut().insert(RETRY_AFTER, secs);
    }
    Ok(response)
}

fn form_again(
    app: &AppState,
    visitor: &Visitor,
    to: &str,
    status: StatusCode,
    problem: Option<String>,
) -> Result<HttpResponse, PageError> {
    let page = SignInPage {
        assets: assets(),
        csrf: visitor.form_token(),
        to,
        is_set_up: app.store.registry().administrator().is_some(),
        problem,
    };
    render(status, &page)
}
