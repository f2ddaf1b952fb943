//! The pages to create, rotate, and revoke an API key. The response to the form shows the new
//! api_key once: it is in no address, and only its hash is stored.

use askama::Template;

use super::parts::{KeyView, account_names, layout};
use crate::admin::{NewKey, Request, new_api_id, new_api_key};
use crate::domain::{ApiId, ApiKey, Credential};
use crate::http::gate::AppState;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::once::ShownOnce;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::wire::ApiError;

#[derive(Template)]
#[template(path = "settings/new_key.html")]
struct NewKeyPage {
    layout: Layout,
    accounts: Vec<String>,
}

#[derive(Template)]
#[template(path = "settings/key.html")]
struct KeyPage {
    layout: Layout,
    key: KeyView,
}

#[derive(Template)]
#[template(path = "settings/shown_key.html")]
struct ShownKeyPage<'a> {
    layout: Layout,
    is_new: bool,
    api_id: &'a str,
    api_key: &'a str,
}

/// `GET /settings/key/new`
pub(crate) async fn new(visit: Visit) -> PageResult {
    Ok(ok(&NewKeyPage {
        layout: layout(&visit)?,
        accounts: account_names(&visit.app),
    }))
}

/// `POST /settings/key/new`
pub(crate) async fn add(visit: Visit) -> PageResult {
    let api_id = new_api_id().map_err(no_randomness)?;
    let api_key = new_api_key().map_err(no_randomness)?;
    let request = Request::AddKey(NewKey {
        account: visit.field("account")?,
        api_id: api_id.to_string(),
        key_hash: api_key.hash(),
        scope: visit.choice("scope")?,
        label: visit.field("label")?,
    });
    let added = admin_call(&visit.app, request, |field| match field {
        "label" => "label",
        _ => "account",
    });
    added.await?;
    let mut page = show_once(&visit, true, api_id.as_str(), &api_key)?;
    let without_secret = ShownOnce("settings?done=key-added");
    page.extensions_mut().insert(without_secret);
    Ok(page)
}

fn no_randomness<E>(_: E) -> ApiError {
    ApiError::Internal("the system has no randomness")
}

fn show_once(visit: &Visit, is_new: bool, api_id: &str, api_key: &ApiKey) -> PageResult {
    Ok(ok(&ShownKeyPage {
        layout: layout(visit)?,
        is_new,
        api_id,
        api_key: api_key.reveal(),
    }))
}

/// `GET /settings/key?id=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let app = &visit.app;
    let credential = known(app, &visit.param("id")?)?;
    Ok(ok(&KeyPage {
        layout: layout(&visit)?,
        key: KeyView::new(app, credential, visit.language()),
    }))
}

fn known(app: &AppState, id: &str) -> Result<Credential, PageError> {
    let id = ApiId::new(id).map_err(|_| PageError::NotFound)?;
    let registry = app.store.registry();
    registry.credential(&id).cloned().ok_or(PageError::NotFound)
}

/// `POST /settings/key/rotate`
pub(crate) async fn rotate(visit: Visit) -> PageResult {
    let api_id = known(&visit.app, &visit.field("id")?)?.api_id.to_string();
    let api_key = new_api_key().map_err(no_randomness)?;
    let request = Request::RotateKey {
        api_id: api_id.clone(),
        key_hash: api_key.hash(),
    };
    admin_call(&visit.app, request, |_| "main").await?;
    show_once(&visit, false, &api_id, &api_key)
}

/// `POST /settings/key/revoke`
pub(crate) async fn revoke(visit: Visit) -> PageResult {
    let api_id = known(&visit.app, &visit.field("id")?)?.api_id.to_string();
    admin_call(&visit.app, Request::RevokeKey { api_id }, |_| "main").await?;
    Ok(see_other("settings?done=key-revoked"))
}
