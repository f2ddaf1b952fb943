//! `POST /settings/password`: the administrator's password is changed; and what a new password must be.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};

use super::overview;
use crate::domain::password::Password;
use crate::http::gate::failed::Door;
use crate::http::gate::state::AppState;
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::see_other;
use crate::http::pages::frame::problem::{Problem, sentence};
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::sign_in::hashing::Hashing;
use crate::http::wire::body::in_background;

/// The password that somebody typed twice.
pub(in crate::http::pages) fn chosen(password: &str, again: &str) -> Result<Password, Problem> {
    let chosen = Password::new(password)
        .map_err(|error| Problem::new("password", sentence(&error.to_string())))?;
    if password != again {
        return Err(Problem::new("again", "The passwords do not match."));
    }
    Ok(chosen)
}

/// All other sessions end with the old password.
pub(in crate::http::pages) async fn change(
    app: Data<AppState>,
    hashing: Data<Hashing>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    match try_to_change(&app, &hashing, &visitor, &form).await? {
        Ok(()) => Ok(see_other("/settings?done=password")),
        Err(problem) => {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            overview(&app, &visitor, status, None, Some(problem)).await
        }
    }
}

async fn try_to_change(
    app: &AppState,
    hashing: &Hashing,
    visitor: &Visitor,
    form: &Form,
) -> Result<Result<(), Problem>, PageError> {
    let password = match chosen(&form.text("password")?, &form.text("again")?) {
        Ok(password) => password,
        Err(problem) => return Ok(Err(problem)),
    };
    // Who found a browser signed in must not guess here either.
    if let Err(wait) = app.failed_sign_ins.count(visitor.client(), None) {
        let text = format!("Too many attempts. Try again in {} s.", wait.as_secs() + 1);
        return Ok(Err(Problem::new("current", text)));
    }
    let known = app.store.registry().administrator().cloned();
    let known = known.ok_or(PageError::FormOutOfDate)?;
    if !hashing.verify(known, form.text("current")?).await? {
        app.failed.count(Door::Pages);
        return Ok(Err(Problem::new("current", "Wrong password.")));
    }
    let hash = hashing.hash(password).await?;
    let keeping = visitor.session().map(|session| session.id);
    let store = Arc::clone(&app.store);
    in_background(move || store.put_administrator_durably(hash, keeping)).await??;
    log::info!("the administrator password was changed");
    Ok(Ok(()))
}
