//! `/setup`: the administrator's password is set for the first time, by who sees what `wattkeeper serve` prints.

use std::fmt;
use std::io;
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::{Data, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

use crate::domain::password::Password;
use crate::http::gate::state::AppState;
use crate::http::pages::frame::assets::{Assets, assets};
use crate::http::pages::frame::error::PageError;
use crate::http::pages::frame::form::Form;
use crate::http::pages::frame::layout::{render, see_other, with_cookie};
use crate::http::pages::frame::problem::{Problem, at};
use crate::http::pages::frame::session::Visitor;
use crate::http::pages::settings::password::chosen;
use crate::http::pages::sign_in::hashing::Hashing;
use crate::http::wire::body::in_background;
use crate::http::wire::params::param;
use crate::store::StoreError;

/// What who sets up must show: made anew at each start, held in memory only. It cannot be printed by accident: its
/// `Debug` shows nothing, it has no `Display`.
#[derive(Clone)]
pub(crate) struct SetupToken(String);

/// What the pages of the setup answer from: the token, unless there was an administrator at the start.
pub(crate) struct Setup(pub(crate) Option<SetupToken>);

impl SetupToken {
    /// A token of 256 random bits.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub(crate) fn new() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random)?;
        Ok(Self(BASE64_URL_SAFE_NO_PAD.encode(random)))
    }

    /// Where to set up: path and query, to be printed once.
    pub(crate) fn address(&self) -> String {
        format!("/setup?token={}", self.0)
    }

    fn is(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl fmt::Debug for SetupToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SetupToken(..)")
    }
}

#[derive(Template)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    assets: &'static Assets,
    csrf: String,
    token: &'a str,
    problem: Option<Problem>,
}

impl SetupPage<'_> {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    fn at(&self, field: &str) -> Option<&str> {
        at(self.problem.as_ref(), field)
    }
}

/// `GET /setup?token=…`
pub(crate) async fn show(
    app: Data<AppState>,
    setup: Data<Setup>,
    visitor: ReqData<Visitor>,
    request: HttpRequest,
) -> Result<HttpResponse, PageError> {
    let token = param(request.query_string(), "token")?.unwrap_or_default();
    check(&app, &setup, &token)?;
    let page = SetupPage {
        assets: assets(),
        csrf: visitor.form_token(),
        token: &token,
        problem: None,
    };
    render(StatusCode::OK, &page)
}

/// `POST /setup`
pub(crate) async fn set_up(
    app: Data<AppState>,
    (setup, hashing): (Data<Setup>, Data<Hashing>),
    visitor: ReqData<Visitor>,
    form: ReqData<Form>,
) -> Result<HttpResponse, PageError> {
    let token = form.text("token")?;
    check(&app, &setup, &token)?;
    let password = match chosen(&form.text("password")?, &form.text("again")?) {
        Ok(password) => password,
        Err(problem) => {
            let page = SetupPage {
                assets: assets(),
                csrf: visitor.form_token(),
                token: &token,
                problem: Some(problem),
            };
            return render(StatusCode::UNPROCESSABLE_ENTITY, &page);
        }
    };
    let hash = hashing.hash(password).await?;
    let (store, first) = (Arc::clone(&app.store), hash.clone());
    match in_background(move || store.put_first_administrator_durably(first)).await? {
        Err(StoreError::AdministratorExists) => return Err(PageError::SetupClosed),
        stored => stored?,
    }
    log::info!("the administrator password was set");
    let cookie = visitor.sign_in(&app, hash).await?;
    with_cookie(see_other("/settings/sensor/new"), &cookie)
}

/// Whether this token may set the password: it is the right one, and nobody has set it yet.
fn check(app: &AppState, setup: &Setup, token: &str) -> Result<(), PageError> {
    let is_right = setup.0.as_ref().is_some_and(|right| right.is(token));
    if is_right && app.store.registry().administrator().is_none() {
        Ok(())
    } else {
        Err(PageError::SetupClosed)
    }
}
