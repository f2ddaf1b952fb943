//! `POST /settings/password`: the administrator's password is changed; and what a new password must be.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};

use super::form::Form;
use super::session::Visitor;
use super::settings::{self, Said};
use super::{PageError, see_other};
use crate::domain::password::Password;
use crate::http::AppState;
use crate::http::body::in_background;

/// What is wrong with a form, and where.
pub(super) struct Problem {
    /// The id of the field.
    pub(super) field: &'static str,
    pub(super) text: String,
}

impl Problem {
    pub(super) fn new(field: &'static str, text: impl Into<String>) -> Self {
        Self {
            field,
            text: text.into(),
        }
    }
}

/// The password that somebody typed twice.
pub(super) fn chosen(password: &str, again: &str) -> Result<Password, Problem> {
    let chosen = Password::new(password)
        .map_err(|error| Problem::new("password", format!("{}.", capital(&error.to_string()))))?;
    if password != again {
        return Err(Problem::new("again", "The two are not the same."));
    }
    Ok(chosen)
}

/// A sentence of a page, made from the message of an error.
fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

/// All other sessions end with the old password.
pub(super) async fn change(
    app: Data<AppState>,
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let wrong = |problem| {
        let said = Said::problem(problem);
        settings::answer(&app, &visitor, StatusCode::UNPROCESSABLE_ENTITY, said)
    };
    let password = match chosen(&form.text("password")?, &form.text("again")?) {
        Ok(password) => password,
        Err(problem) => return wrong(problem),
    };
    // Who found a browser signed in must not guess here either.
    if let Err(wait) = app.failed_sign_ins.count(visitor.client(), None) {
        let text = format!("Too many attempts: wait {} s.", wait.as_secs() + 1);
        return wrong(Problem::new("current", text));
    }
    let known = app.store.registry().administrator().cloned();
    let known = known.ok_or(PageError::FormOutOfDate)?;
    if !app.hashing.verify(known, form.text("current")?).await? {
        return wrong(Problem::new("current", "This is not the password."));
    }
    let hash = app.hashing.hash(password).await?;
    let (store, keeping) = (
        Arc::clone(&app.store),
        visitor.session().map(|session| session.id),
    );
    in_background(move || store.put_administrator_durably(hash, keeping)).await??;
    log::info!("the administrator's password was changed");
    Ok(see_other("/settings?done=password"))
}
