//! Who a page is shown to: the session that the browser's cookie names, and the cookies themselves.
//!
//! Written here rather than taken from `actix-session`: that one keeps a map of values per session and writes it back when a
//! request used it, decides at build time whether cookies are `Secure`, and signs or encrypts them. Here a session is a random
//! token, the store has its hash; whether it came by TLS is known of a request only, behind a proxy; last uses are written once a day;
//! sessions are bounded in number, and end together with the password, from the command line too.

use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::cookie::{Cookie, SameSite};
use subtle::ConstantTimeEq as _;

use crate::domain::password::PasswordHash;
use crate::domain::session::{LASTS, Session, SessionId, SessionToken};
use crate::http::gate::peer::{came_by_tls, client_address};
use crate::http::gate::state::AppState;
use crate::http::pages::frame::error::PageError;
use crate::http::wire::error::ApiError;

/// The cookie of a session.
const SESSION: &str = "wattkeeper_session";
/// The cookie of a browser without one, for the forms that it may send. It is another one, since a browser keeps back the
/// cookie of a session (`SameSite=Strict`) when it follows a link from elsewhere: the answer must not replace it then.
const VISIT: &str = "wattkeeper_visit";

/// A browser that asks for a page.
#[derive(Clone)]
pub(crate) struct Visitor {
    token: SessionToken,
    session: Option<Session>,
    /// Whether the token was made just now.
    is_new: bool,
    by_tls: bool,
    client: IpAddr,
}

impl Visitor {
    /// The browser that a request comes from.
    ///
    /// # Errors
    /// [`ApiError::Internal`], where the system has no randomness.
    pub(crate) fn of(request: &HttpRequest, app: &AppState) -> Result<Self, ApiError> {
        let shown = |name| {
            let cookie = request.cookie(name)?;
            SessionToken::parse(cookie.value())
        };
        let signed_in = shown(SESSION).and_then(|token| {
            let registry = app.store.registry();
            let session = registry.session(&token.id(), app.now().time).copied()?;
            Some((token, session))
        });
        let head = request.head();
        let visitor = |token, session, is_new| Self {
            token,
            session,
            is_new,
            by_tls: came_by_tls(request, &app.trusted_proxies),
            client: client_address(head, &app.trusted_proxies),
        };
        if let Some((token, session)) = signed_in {
            return Ok(visitor(token, Some(session), false));
        }
        match shown(VISIT) {
            Some(token) => Ok(visitor(token, None, false)),
            None => Ok(visitor(new_token()?, None, true)),
        }
    }

    /// What the forms that it is given carry.
    pub(crate) fn form_token(&self) -> String {
        self.token.form_token()
    }

    /// Whether `shown` is what its forms carry.
    pub(crate) fn gave(&self, shown: &str) -> bool {
        let expected = self.form_token();
        expected.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// Its session, where it is signed in.
    pub(crate) const fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Whether it speaks TLS, to this service or to a proxy before it.
    pub(crate) const fn came_by_tls(&self) -> bool {
        self.by_tls
    }

    /// Its address.
    pub(crate) const fn client(&self) -> IpAddr {
        self.client
    }

    /// The cookie that it should be given along with the next answer, so that its forms are known again.
    pub(crate) fn cookie_of_visit(&self) -> Option<Cookie<'static>> {
        self.is_new
            .then(|| cookie(VISIT, self.token.reveal(), None, self.by_tls))
    }

    /// Notes that the session was used, and gives its cookie to be kept for longer; at most once a day. Where the store
    /// takes no changes, pages can be seen all the same.
    pub(crate) async fn use_session(&self, app: &AppState) -> Option<Cookie<'static>> {
        let used = self.session?.used(app.now().time)?;
        if let Err(error) = app.store.use_session_durably(used).await {
            log::warn!("the use of a session was not written: {error}");
            return None;
        }
        Some(session_cookie(&self.token, self.by_tls))
    }

    /// Begins a session for who proved `password`, in the place of the one that there may be: a token that was known
    /// before is never signed in. Gives its cookie.
    ///
    /// # Errors
    /// [`PageError::Api`] where the store fails.
    pub(crate) async fn sign_in(
        &self,
        app: &AppState,
        password: PasswordHash,
    ) -> Result<Cookie<'static>, PageError> {
        let token = new_token()?;
        let session = Session::begun(token.id(), app.now().time);
        app.store.begin_session_durably(session, password).await?;
        if let Some(before) = self.session {
            self.end(app, before.id).await?;
        }
        Ok(session_cookie(&token, self.by_tls))
    }

    /// Ends its session, and gives the cookie that takes the place of the session's.
    ///
    /// # Errors
    /// [`PageError::Api`] where the store fails: then the session goes on.
    pub(crate) async fn sign_out(&self, app: &AppState) -> Result<Cookie<'static>, PageError> {
        if let Some(session) = self.session {
            self.end(app, session.id).await?;
        }
        let mut gone = cookie(SESSION, "", None, self.by_tls);
        gone.make_removal();
        Ok(gone)
    }

    async fn end(&self, app: &AppState, id: SessionId) -> Result<(), PageError> {
        Ok(app.store.end_session_durably(id).await?)
    }
}

fn new_token() -> Result<SessionToken, ApiError> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| ApiError::Internal("there is no randomness"))?;
    Ok(SessionToken::from_random(random))
}

fn session_cookie(token: &SessionToken, by_tls: bool) -> Cookie<'static> {
    let lasts = CookieDuration::seconds(i64::try_from(LASTS.as_secs()).unwrap_or(i64::MAX));
    cookie(SESSION, token.reveal(), Some(lasts), by_tls)
}

/// A cookie that no script sees and no other site's page makes the browser send.
fn cookie(
    name: &'static str,
    value: &str,
    lasts: Option<CookieDuration>,
    by_tls: bool,
) -> Cookie<'static> {
    let mut cookie = Cookie::build(name, value.to_owned())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .secure(by_tls)
        .finish();
    cookie.set_max_age(lasts);
    cookie
}
