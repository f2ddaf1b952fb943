//! `/setup`: a person who sees the output of `wattkeeper serve` sets the administrator password for
//! the first time.

use std::fmt;
use std::io;
use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

use super::link::{LinkChoice, wanted_link};
use super::password::{Hashing, chosen};
use crate::admin::{AdminError, set_first_password};
use crate::domain::{Password, SessionOwner};
use crate::http::gate::peer::came_from;
use crate::http::pages::frame::response::{ok, see_other, with_cookie};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit};
use crate::http::wire::body::in_background;

/// The secret in the setup address: generated at each start and kept in memory only. It cannot be
/// printed by accident: its `Debug` output is blank, and it has no `Display`.
#[derive(Clone)]
pub(crate) struct SetupToken(String);

/// The token that opens the setup; `None` if there already was an administrator at the start.
pub(crate) struct Setup(pub(crate) Option<SetupToken>);

impl Setup {
    /// The address of the setup, for a visitor through Home Assistant's ingress while nobody can
    /// sign in.
    pub(super) fn for_ingress(&self, visit: &Visit) -> Option<String> {
        let app = &visit.app;
        let is_free = app.store.registry().administrator().is_none();
        let token = self.0.as_ref().filter(|_| is_free)?;
        let address = token.address();
        came_from(visit.request.head(), app.ingress)
            .then(|| address.trim_start_matches('/').to_owned())
    }
}

impl SetupToken {
    /// A token of 256 random bits.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub(crate) fn new() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random)?;
        Ok(Self(BASE64_URL_SAFE_NO_PAD.encode(random)))
    }

    /// The path and query of the setup page, to be printed once.
    pub(crate) fn address(&self) -> String {
        self.address_of("setup")
    }

    /// The path and query of a page that this token opens.
    pub(crate) fn address_of(&self, page: &str) -> String {
        format!("/{page}?token={}", self.0)
    }

    /// The secret itself, for forms of the page that it opens.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn is(&self, shown: &str) -> bool {
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
struct SetupPage {
    layout: Layout,
    token: String,
    link: Option<LinkChoice>,
}

impl SetupPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;
}

/// `GET /setup?token=…`
pub(crate) async fn show(visit: Visit, setup: Data<Setup>) -> PageResult {
    let token = visit.param("token")?;
    check_open(&visit, &setup, &token)?;
    let layout = visit.layout(None);
    Ok(ok(&SetupPage {
        layout,
        token,
        link: LinkChoice::of(&visit),
    }))
}

/// `POST /setup`
pub(crate) async fn set_up(visit: Visit, setup: Data<Setup>, hashing: Data<Hashing>) -> PageResult {
    let token = visit.field("token")?;
    check_open(&visit, &setup, &token)?;
    let link = wanted_link(&visit);
    let hash = hashing.hash(chosen(&visit)?).await?;
    // Another visitor may set the password at the same time, so the store decides who is first.
    let (store, first) = (Arc::clone(&visit.app.store), hash.clone());
    let set = in_background(move || set_first_password(&store, first)).await?;
    set.map_err(|error| match error {
        AdminError::Unfit(_) => PageError::SetupClosed,
        other => PageError::of_admin(other, |_| "main"),
    })?;
    log::info!("the administrator password was set");
    let cookie = visit
        .visitor
        .sign_in(&visit.app, (SessionOwner::Administrator, hash), link)
        .await?;
    Ok(with_cookie(see_other("settings/sensor/new"), &cookie)?)
}

/// Checks that `token` allows setting the password: it is the right one, and no password is set
/// yet.
fn check_open(visit: &Visit, setup: &Setup, token: &str) -> Result<(), PageError> {
    // Attempts are not limited: 256 random bits cannot be guessed.
    let is_right = setup.0.as_ref().is_some_and(|setup| setup.is(token));
    if is_right && visit.app.store.registry().administrator().is_none() {
        Ok(())
    } else {
        Err(PageError::SetupClosed)
    }
}
