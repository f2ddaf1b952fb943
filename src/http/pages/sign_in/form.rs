//! `/sign-in` and `/sign-out`.

use actix_web::HttpResponse;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::web::Data;
use askama::Template;

use super::link::{LinkChoice, wanted_link};
use super::password::{Checked, Hashing, check};
use super::setup::Setup;
use crate::admin::ADMINISTRATOR;
use crate::domain::{PersonName, SessionOwner, SessionToken};
use crate::http::pages::frame::address::{HOME, local};
use crate::http::pages::frame::kept::KeptForm;
use crate::http::pages::frame::response::{ok, render, see_other, with_cookie};
use crate::http::pages::frame::{FormProblem, Layout, PageError, PageResult, Visit};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    layout: Layout,
    /// The page to open afterwards.
    to: &'a str,
    /// The typed name.
    name: String,
    is_set_up: bool,
    link: Option<LinkChoice>,
    /// The person whom the visiting user of Home Assistant is linked to.
    linked_to: Option<SessionOwner>,
    /// The form to come back to.
    kept: KeptForm,
}

#[derive(Template)]
#[template(path = "kept.html")]
struct KeptPage {
    layout: Layout,
    action: String,
    csrf: String,
    fields: Vec<(String, String)>,
}

impl<'a> SignInPage<'a> {
    fn new(visit: &Visit, to: &'a str) -> Self {
        let registry = visit.app.store.registry();
        Self {
            layout: visit.layout(None),
            to,
            name: String::new(),
            kept: KeptForm::default(),
            is_set_up: registry.administrator().is_some() || registry.people().next().is_some(),
            link: LinkChoice::of(visit),
            linked_to: visit.visitor.linked_to(&visit.app),
        }
    }
}

/// `GET /sign-in?to=…`
pub(crate) async fn show(visit: Visit, setup: Data<Setup>) -> PageResult {
    // A visitor who is signed in to Home Assistant needs no proof from its log.
    if let Some(address) = setup.for_ingress(&visit) {
        return Ok(see_other(&address));
    }
    let to = visit.param("to")?;
    let to = local(&to);
    if visit.visitor.session.is_some() {
        return Ok(see_other(to));
    }
    Ok(ok(&SignInPage::new(&visit, to)))
}

/// The page to sign in, which keeps a form.
pub(crate) fn keep(visit: &Visit, kept: KeptForm) -> HttpResponse {
    let mut page = SignInPage::new(visit, HOME);
    page.layout.has_languages = false;
    page.layout.problem = Some(FormProblem::new(
        "password",
        visit.language().say("sign-in-kept"),
    ));
    page.kept = kept;
    render(StatusCode::FORBIDDEN, &page)
}

/// `POST /sign-in`
pub(crate) async fn sign_in(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    let to = visit.field("to")?;
    let to = local(&to);
    let language = visit.language();
    let mut page = SignInPage::new(&visit, to);
    page.name = visit.field("name")?;
    page.kept = KeptForm::carried(&visit)?;
    if !visit.field("linked")?.is_empty() {
        let mut visitor = visit.visitor.clone();
        if let Some(cookie) = visitor.sign_in_linked(&visit.app).await? {
            return signed_in(&visit, to, page.kept, &cookie);
        }
        page.layout.problem = Some(FormProblem::new("name", language.say("sign-in-unlinked")));
        return Ok(render(StatusCode::FORBIDDEN, &page));
    }
    let owner = owner_of(&page.name);
    match check(&visit, &hashing, owner.as_ref(), visit.field("password")?).await? {
        Checked::Right(owner, password) => {
            let (proved, link) = ((owner, password), wanted_link(&visit));
            match visit.visitor.sign_in(&visit.app, proved, link).await {
                Ok(cookie) => return signed_in(&visit, to, page.kept, &cookie),
                Err(PageError::Form(problem)) => page.layout.problem = Some(problem),
                Err(error) => return Err(error),
            }
        }
        Checked::TooMany(wait) => {
            // Rounded up, because a client that returns a fraction of a second early would be
            // refused again.
            let secs = wait.as_millis().div_ceil(1000).max(1);
            let values = [("seconds", secs.to_string().into())];
            let problem = language.fill("sign-in-too-many-here", values);
            page.layout.problem = Some(FormProblem::new("password", problem));
            let mut response = render(StatusCode::TOO_MANY_REQUESTS, &page);
            if let Ok(secs) = HeaderValue::try_from(secs.to_string()) {
                response.headers_mut().insert(RETRY_AFTER, secs);
            }
            return Ok(response);
        }
        Checked::Wrong => {
            let what = if owner == Some(SessionOwner::Administrator) {
                language.say("sign-in-wrong")
            } else {
                language.say("people-wrong")
            };
            page.layout.problem = Some(FormProblem::new("password", what));
        }
        // The page itself explains how to set one.
        Checked::NotSet => {}
    }
    Ok(render(StatusCode::FORBIDDEN, &page))
}

/// The answer to somebody who just signed in: the form that was kept, or the page that they wanted.
fn signed_in(visit: &Visit, to: &str, kept: KeptForm, cookie: &Cookie<'static>) -> PageResult {
    let fields = kept.pairs()?;
    let answer = match SessionToken::parse(cookie.value()) {
        Some(token) if !fields.is_empty() => ok(&KeptPage {
            layout: visit.layout(None),
            action: kept.address,
            csrf: token.form_token(),
            fields,
        }),
        _ => see_other(to),
    };
    Ok(with_cookie(answer, cookie)?)
}

/// The person or administrator with this name; `None` for a name that nobody can have.
fn owner_of(name: &str) -> Option<SessionOwner> {
    let name = name.trim();
    if name.is_empty() || name.eq_ignore_ascii_case(ADMINISTRATOR) {
        return Some(SessionOwner::Administrator);
    }
    PersonName::new(name).ok().map(SessionOwner::Person)
}

/// `POST /sign-out`
pub(crate) async fn sign_out(visit: Visit) -> PageResult {
    let cookie = visit.visitor.sign_out(&visit.app).await?;
    Ok(with_cookie(see_other("sign-in"), &cookie)?)
}
