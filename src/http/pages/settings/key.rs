//! Credentials: made, given a new key, revoked. A key is shown in the answer to the form that made it, and never again: it stands
//! in no address, and nothing keeps it.

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::{last_used, zone_of};
use crate::admin::{AdminError, NewKey, Request, new_api_id, new_api_key};
use crate::domain::account::{ApiId, ApiKey, Credential, Scope};
use crate::http::gate::state::AppState;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::figures;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::{Frame, Tab, render, see_other};
use crate::http::pages::frame::problem::{Problem, at};
use crate::http::pages::frame::session::Visitor;
use crate::http::wire::error::ApiError;
use crate::http::wire::params::param;

#[derive(Template)]
#[template(path = "settings/new_key.html")]
struct NewKeyPage {
    frame: Frame,
    problem: Option<Problem>,
    accounts: Vec<String>,
    account: String,
    scope: String,
    label: String,
}

impl NewKeyPage {
    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

#[derive(Template)]
#[template(path = "settings/key.html")]
struct KeyPage {
    frame: Frame,
    problem: Option<Problem>,
    api_id: String,
    label: String,
    account: String,
    scope: &'static str,
    created: String,
    last_used: Option<String>,
}

#[derive(Template)]
#[template(path = "settings/shown_key.html")]
struct ShownKeyPage<'a> {
    frame: Frame,
    is_new: bool,
    api_id: &'a str,
    api_key: &'a str,
}

/// What a credential allows, as people say it.
pub(super) const fn scope_in_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Full => "upload and download",
        Scope::Read => "download only",
        Scope::Write => "upload only",
    }
}

/// `GET /settings/key/new`
pub(in crate::http::pages) async fn new(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
) -> Result<HttpResponse, PageError> {
    render(StatusCode::OK, &new_page(&app, &visitor))
}

fn new_page(app: &AppState, visitor: &Visitor) -> NewKeyPage {
    let registry = app.store.registry();
    let accounts = registry.accounts().map(|account| account.name.to_string());
    NewKeyPage {
        frame: Frame::new(Tab::Settings, visitor),
        problem: None,
        accounts: accounts.collect(),
        account: String::new(),
        scope: Scope::Full.as_str().to_owned(),
        label: String::new(),
    }
}

/// `POST /settings/key/new`
pub(in crate::http::pages) async fn add(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let (account, scope) = (form.text("account")?, form.text("scope")?);
    let label = form.text("label")?;
    let made = match scope.parse() {
        Ok(scope) => make(&app, &account, scope, &label).await?,
        Err(error) => Err(AdminError::Invalid(format!("scope: {error}"))),
    };
    let fields = [
        ("account", "account"),
        ("label", "label"),
        ("scope", "scope"),
    ];
    match made {
        Ok((api_id, api_key)) => shown_once(&visitor, true, api_id.as_str(), &api_key),
        Err(error) => {
            let page = NewKeyPage {
                problem: Some(Problem::of(&error, &fields)),
                account,
                scope,
                label,
                ..new_page(&app, &visitor)
            };
            render(StatusCode::UNPROCESSABLE_ENTITY, &page)
        }
    }
}

/// Makes a credential.
pub(super) async fn make(
    app: &AppState,
    account: &str,
    scope: Scope,
    label: &str,
) -> Result<Result<(ApiId, ApiKey), AdminError>, PageError> {
    let api_id = new_api_id().map_err(|_| ApiError::Internal("there is no randomness"))?;
    let api_key = new_key()?;
    let request = Request::AddKey(NewKey {
        account: account.to_owned(),
        api_id: api_id.to_string(),
        key_hash: api_key.hash(),
        scope,
        label: label.to_owned(),
    });
    let added = admin_call(app, request).await?;
    Ok(added.map(|_| (api_id, api_key)))
}

fn new_key() -> Result<ApiKey, ApiError> {
    new_api_key().map_err(|_| ApiError::Internal("there is no randomness"))
}

fn shown_once(
    visitor: &Visitor,
    is_new: bool,
    api_id: &str,
    api_key: &ApiKey,
) -> Result<HttpResponse, PageError> {
    let page = ShownKeyPage {
        frame: Frame::new(Tab::Settings, visitor),
        is_new,
        api_id,
        api_key: api_key.reveal(),
    };
    render(StatusCode::OK, &page)
}

/// `GET /settings/key?id=…`
pub(in crate::http::pages) async fn show(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let id = param(request.query_string(), "id")?.unwrap_or_default();
    render(StatusCode::OK, &page_of(&app, &visitor, &id)?)
}

fn page_of(app: &AppState, visitor: &Visitor, id: &str) -> Result<KeyPage, PageError> {
    let credential = known(app, id)?;
    let zone = zone_of(app, credential.account.as_str());
    Ok(KeyPage {
        frame: Frame::new(Tab::Settings, visitor),
        problem: None,
        last_used: last_used(app, &credential.api_id, &credential.account),
        api_id: credential.api_id.to_string(),
        account: credential.account.to_string(),
        scope: scope_in_words(credential.scope),
        created: figures::date_and_clock(credential.created, &zone),
        label: credential.label,
    })
}

fn known(app: &AppState, id: &str) -> Result<Credential, PageError> {
    let known = ApiId::new(id)
        .ok()
        .and_then(|id| app.store.registry().credential(&id).cloned());
    known.ok_or(PageError::NotFound)
}

/// `POST /settings/key/rotate`
pub(in crate::http::pages) async fn rotate(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let api_id = form.text("id")?;
    known(&app, &api_id)?;
    let api_key = new_key()?;
    let request = Request::RotateKey {
        api_id: api_id.clone(),
        key_hash: api_key.hash(),
    };
    match admin_call(&app, request).await? {
        Ok(_) => shown_once(&visitor, false, &api_id, &api_key),
        Err(error) => refused(&app, &visitor, &api_id, &error),
    }
}

/// `POST /settings/key/revoke`
pub(in crate::http::pages) async fn revoke(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let api_id = form.text("id")?;
    known(&app, &api_id)?;
    let request = Request::RevokeKey {
        api_id: api_id.clone(),
    };
    match admin_call(&app, request).await? {
        Ok(_) => Ok(see_other("/settings?done=key-revoked")),
        Err(error) => refused(&app, &visitor, &api_id, &error),
    }
}

fn refused(
    app: &AppState,
    visitor: &Visitor,
    api_id: &str,
    error: &AdminError,
) -> Result<HttpResponse, PageError> {
    let page = KeyPage {
        problem: Some(Problem::of(error, &[])),
        ..page_of(app, visitor, api_id)?
    };
    render(StatusCode::UNPROCESSABLE_ENTITY, &page)
}
