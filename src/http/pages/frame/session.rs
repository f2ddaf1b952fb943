//! The visitor of a page: its session and its cookies.
//!
//! `actix-session` is not used because it stores a map of values per session, rewrites it on every
//! use, and fixes at startup whether cookies are `Secure`. Here a session is a random token, and
//! the store has only its hash. Behind a proxy only the request shows whether the browser uses TLS.
//! Last uses are written once a day. The number of sessions is bounded, and changing the password
//! ends them, also from the command line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::cookie::{Cookie, SameSite};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

use super::error::PageError;
use super::layout::{Offered, SeenAccounts};
use crate::domain::session::LASTS;
use crate::domain::{
    AccountName, HomeUser, LinkedUser, Membership, PasswordHash, Rights, Session, SessionId,
    SessionOwner, SessionToken, WallTablet,
};
use crate::http::gate::AppState;
use crate::http::gate::peer::{came_by_tls, client_address, home_user};
use crate::http::wire::ApiError;
use crate::store::StoreError;

/// The cookie of a session.
const SESSION: &str = "wattkeeper_session";
/// The cookie of a browser without a session, for the forms to sign in. It has its own name because
/// a browser that follows a link from another site withholds the session cookie
/// (`SameSite=Strict`), and the response must not overwrite that cookie.
const VISIT: &str = "wattkeeper_visit";
/// The cookie of a wall tablet. It has its own name, so that a person who opens a tablet's link
/// stays signed in.
const WALL: &str = "wattkeeper_wall";
/// How long a browser keeps a wall tablet's cookie after its last use: the longest that browsers
/// allow.
const WALL_LASTS: CookieDuration = CookieDuration::days(400);

/// The browser that sent a request.
#[derive(Clone)]
pub(crate) struct Visitor {
    token: SessionToken,
    /// The session, if the visitor is signed in.
    pub(crate) session: Option<Session>,
    /// The wall tablet, at addresses for tablets.
    pub(crate) tablet: Option<WallTablet>,
    /// The visitor's rights, looked up for this request.
    pub(crate) rights: Rights,
    /// Whether the token was generated for this request.
    is_new: bool,
    /// Whether the browser uses TLS, to this service or to a proxy in front of it.
    pub(crate) by_tls: bool,
    /// The address of the client.
    pub(crate) client: IpAddr,
    /// The user of Home Assistant who sent the request through its ingress.
    pub(crate) home_user: Option<HomeUser>,
    /// Whether the browser sent a cookie of ours. Pages of other sites cannot make it do that.
    pub(crate) is_from_here: bool,
}

impl Visitor {
    /// The visitor that sent `request`.
    ///
    /// # Errors
    /// [`ApiError::Internal`] if the system has no randomness.
    pub(crate) fn of(request: &HttpRequest, app: &AppState) -> Result<Self, ApiError> {
        let by_tls = came_by_tls(request, &app.trusted_proxies);
        let shown = |name| {
            let cookie = request.cookie(&full_name(name, by_tls))?;
            SessionToken::parse(cookie.value())
        };
        let home_user = home_user(request.head(), app.ingress);
        let is_from_here = [SESSION, VISIT].into_iter().any(|it| shown(it).is_some());
        let signed_in = shown(SESSION).and_then(|token| {
            let registry = app.store.registry();
            let session = registry.session(&token.id(), app.now().time).cloned()?;
            // A browser that several people use may have the cookie of another one.
            let by = home_user.as_ref().map(|user| &user.id);
            let is_theirs = session.by.is_none() || session.by.as_ref() == by;
            is_theirs.then_some((token, session))
        });
        let (token, session, is_new) = match (signed_in, shown(VISIT)) {
            (Some((token, session)), _) => (token, Some(session), false),
            (None, Some(token)) => (token, None, false),
            (None, None) => (new_token()?, None, true),
        };
        let owner = session.as_ref().map(|session| &session.owner);
        let rights = owner.map(|owner| app.store.registry().rights_of(owner));
        Ok(Self {
            token,
            session,
            tablet: None,
            rights: rights.unwrap_or(Rights::Accounts(BTreeMap::new())),
            is_new,
            is_from_here,
            by_tls,
            client: client_address(request.head(), &app.trusted_proxies),
            home_user,
        })
    }

    /// The wall tablet that sent `request`; `None` if its link is unknown or revoked. A sign-in in
    /// the same browser makes no difference.
    pub(crate) fn of_tablet(request: &HttpRequest, app: &AppState) -> Option<Self> {
        let by_tls = came_by_tls(request, &app.trusted_proxies);
        let cookie = request.cookie(&full_name(WALL, by_tls))?;
        let token = SessionToken::parse(cookie.value())?;
        let tablet = app.store.registry().tablet(&token.id()).cloned()?;
        let account = (tablet.account.clone(), Membership::Viewer);
        Some(Self {
            token,
            session: None,
            tablet: Some(tablet),
            rights: Rights::Accounts(BTreeMap::from([account])),
            is_new: false,
            is_from_here: false,
            by_tls,
            client: client_address(request.head(), &app.trusted_proxies),
            home_user: None,
        })
    }

    /// The person who has signed in.
    pub(crate) fn owner(&self) -> Option<&SessionOwner> {
        self.session.as_ref().map(|session| &session.owner)
    }

    /// The id of the session or the wall tablet; `None` for a stranger.
    pub(crate) fn id(&self) -> Option<SessionId> {
        let tablet = self.tablet.as_ref().map(|tablet| tablet.session);
        tablet.or(self.session.as_ref().map(|session| session.id))
    }

    /// The actions that pages offer to the visitor.
    pub(crate) fn offered(&self) -> Offered {
        let owner = self.owner();
        Offered {
            everything: self.rights == Rights::Everything,
            sees: if self.rights.are_of_tenant() {
                SeenAccounts::Tenancies
            } else if self.rights.have_tenancies() {
                SeenAccounts::Both
            } else {
                SeenAccounts::Houses
            },
            change: self.rights.allow_any(Membership::Member),
            me: matches!(owner, Some(SessionOwner::Person(_))),
        }
    }

    /// Whether the visitor still sees `account`, some time after the request.
    pub(crate) fn still_sees(&self, app: &AppState, account: &AccountName) -> bool {
        let registry = app.store.registry();
        if let Some(tablet) = &self.tablet {
            return registry.tablet(&tablet.session).is_some();
        }
        let session = self.session.as_ref();
        let session = session.and_then(|it| registry.session(&it.id, app.now().time));
        session.is_some_and(|session| registry.rights_of(&session.owner).show(account))
    }

    /// The cookie that makes a browser the wall tablet with this token.
    pub(crate) fn wall_cookie(&self, token: &SessionToken) -> Cookie<'static> {
        cookie(WALL, token.reveal(), Some(WALL_LASTS), self.by_tls)
    }

    /// The token in the forms of a page for this visitor, against cross-site request forgery. Behind
    /// it is a mark of the page, by which a form that is sent twice is told from an equal one of
    /// another look at its page.
    pub(crate) fn form_token(&self) -> String {
        let mut mark = [0; 9];
        // Without randomness, equal forms count as one.
        let _ = getrandom::fill(&mut mark);
        let mark = BASE64_URL_SAFE_NO_PAD.encode(mark);
        format!("{}.{mark}", self.token.form_token())
    }

    /// Whether `shown` is a form token of this visitor.
    pub(crate) fn has_form_token(&self, shown: &str) -> bool {
        let expected = self.token.form_token();
        let shown = without_mark(shown);
        // In constant time, because the duration must not reveal how much of a guess is right.
        expected.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// The cookie to send with the next response, without which the forms in it would not be
    /// accepted.
    pub(crate) fn visit_cookie(&self) -> Option<Cookie<'static>> {
        self.is_new
            .then(|| cookie(VISIT, self.token.reveal(), None, self.by_tls))
    }

    /// Records the use of the session or of the wall tablet, and returns its cookie with a new
    /// expiry, at most once a day. Pages can be read even if the store refuses changes.
    pub(crate) async fn use_session(&self, app: &AppState) -> Option<Cookie<'static>> {
        if let Some(tablet) = &self.tablet {
            let used = tablet.used(app.now().time)?;
            if let Err(error) = app
                .store
                .edit_async(move |edit| edit.use_tablet(used))
                .await
            {
                log::warn!("cannot record the use of a wall tablet: {error}");
                return None;
            }
            return Some(self.wall_cookie(&self.token));
        }
        let used = self.session.as_ref()?.used(app.now().time)?;
        if let Err(error) = app
            .store
            .edit_async(move |edit| edit.use_session(&used))
            .await
        {
            log::warn!("cannot record the use of a session: {error}");
            return None;
        }
        Some(session_cookie(&self.token, self.by_tls))
    }

    /// Starts a session after a successful check of `password`, and returns its cookie. Always
    /// generates a new token: an attacker may have planted the old one (session fixation). `link`
    /// is the user of Home Assistant whose visits begin such sessions from now on.
    ///
    /// # Errors
    /// [`PageError::Form`] if the owner has too many linked users; [`PageError::Api`] if the store
    /// fails.
    pub(crate) async fn sign_in(
        &self,
        app: &AppState,
        (owner, password): (SessionOwner, PasswordHash),
        link: Option<HomeUser>,
    ) -> Result<Cookie<'static>, PageError> {
        let (token, now) = (new_token()?, app.now().time);
        let session = Session {
            by: link.as_ref().map(|user| user.id.clone()),
            ..Session::begun(token.id(), owner.clone(), now)
        };
        let link = link.map(|user| LinkedUser {
            user,
            owner,
            linked: now,
        });
        // The store compares the hash again, because the password may have been changed since the
        // check.
        let begun = app.store.edit_async(move |edit| {
            if let Some(link) = link {
                edit.link_user(link, &password)?;
            }
            edit.begin_session(session, &password)
        });
        begun.await.map_err(|error| match error {
            StoreError::TooManyLinkedUsers => PageError::mistake("sign-in-link-too-many", "link"),
            other => other.into(),
        })?;
        // The old session ends last: until the new one is stored, the browser needs it.
        if let Some(before) = &self.session {
            end(app, before.id).await?;
        }
        Ok(session_cookie(&token, self.by_tls))
    }

    /// The person whom the visiting user of Home Assistant is linked to.
    pub(crate) fn linked_to(&self, app: &AppState) -> Option<SessionOwner> {
        let user = self.home_user.as_ref()?;
        let registry = app.store.registry();
        registry.linked_user(&user.id).map(|it| it.owner.clone())
    }

    /// Starts a session for the linked user of Home Assistant who visits, and returns its cookie;
    /// `None` if they are not linked, or too many were started.
    ///
    /// # Errors
    /// [`PageError::Api`] if the store fails.
    pub(crate) async fn sign_in_linked(
        &mut self,
        app: &AppState,
    ) -> Result<Option<Cookie<'static>>, PageError> {
        let Some((owner, user)) = self.linked_to(app).zip(self.home_user.as_ref()) else {
            return Ok(None);
        };
        let now = app.now();
        if app
            .linked_visits
            .count(now.elapsed, self.client, None)
            .is_err()
        {
            return Ok(None);
        }
        let token = new_token()?;
        let session = Session {
            by: Some(user.id.clone()),
            ..Session::begun(token.id(), owner, now.time)
        };
        let begun = session.clone();
        // The store looks for the link again, because it may have been removed meanwhile.
        app.store
            .edit_async(move |edit| edit.begin_linked_session(begun))
            .await?;
        if let Some(before) = &self.session {
            end(app, before.id).await?;
        }
        self.rights = app.store.registry().rights_of(&session.owner);
        self.session = Some(session);
        self.token = token;
        self.is_new = false;
        Ok(Some(session_cookie(&self.token, self.by_tls)))
    }

    /// Ends the session and returns a cookie that deletes the session cookie.
    ///
    /// # Errors
    /// [`PageError::Api`] if the store fails; the session then continues.
    pub(crate) async fn sign_out(&self, app: &AppState) -> Result<Cookie<'static>, PageError> {
        if let Some(session) = &self.session {
            end(app, session.id).await?;
        }
        let mut gone = cookie(SESSION, "", None, self.by_tls);
        // Includes the path of the cookie to delete, because a browser would otherwise keep it.
        gone.make_removal();
        Ok(gone)
    }
}

/// A form token without the mark of its page.
pub(crate) fn without_mark(token: &str) -> &str {
    token.split_once('.').map_or(token, |(token, _)| token)
}

async fn end(app: &AppState, id: SessionId) -> Result<(), StoreError> {
    let end = app.store.edit_async(move |edit| {
        edit.end_session(id);
        Ok(())
    });
    end.await
}

fn new_token() -> Result<SessionToken, ApiError> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|_| ApiError::Internal("the system has no randomness"))?;
    Ok(SessionToken::from_random(random))
}

fn session_cookie(token: &SessionToken, by_tls: bool) -> Cookie<'static> {
    let lasts = CookieDuration::seconds(i64::try_from(LASTS.as_secs()).unwrap_or(i64::MAX));
    cookie(SESSION, token.reveal(), Some(lasts), by_tls)
}

/// The name of a cookie. With this prefix a browser accepts it only over TLS and from this very
/// host, so no one else, such as another service of the same machine without TLS, can plant a
/// session.
fn full_name(name: &'static str, by_tls: bool) -> Cow<'static, str> {
    if by_tls {
        format!("__Host-{name}").into()
    } else {
        name.into()
    }
}

/// A cookie that scripts cannot read and that requests from other sites do not carry.
fn cookie(
    name: &'static str,
    value: &str,
    lasts: Option<CookieDuration>,
    by_tls: bool,
) -> Cookie<'static> {
    let mut cookie = Cookie::build(full_name(name, by_tls), value.to_owned())
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        // Not always: over plain HTTP a browser would neither keep nor send a secure cookie.
        .secure(by_tls)
        .finish();
    cookie.set_max_age(lasts);
    cookie
}
