//! `/sign-in` and `/sign-out`.

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::web::Data;
use askama::Template;

use super::password::{Checked, Hashing, check};
use crate::http::pages::frame::address::local;
use crate::http::pages::frame::response::{ok, render, see_other, with_cookie};
use crate::http::pages::frame::{FormProblem, Layout, PageResult, Visit};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    layout: Layout,
    /// The page to open afterwards.
    to: &'a str,
    is_set_up: bool,
}

impl<'a> SignInPage<'a> {
    fn new(visit: &Visit, to: &'a str) -> Self {
        Self {
            layout: visit.layout(None),
            to,
            is_set_up: visit.app.store.registry().administrator().is_some(),
        }
    }
}

/// `GET /sign-in?to=…`
pub(crate) async fn show(visit: Visit) -> PageResult {
    let to = visit.param("to")?;
    let to = local(&to);
    if visit.visitor.session.is_some() {
        return Ok(see_other(to));
    }
    Ok(ok(&SignInPage::new(&visit, to)))
}

/// `POST /sign-in`
pub(crate) async fn sign_in(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    let to = visit.field("to")?;
    let to = local(&to);
    let mut page = SignInPage::new(&visit, to);
    match check(&visit, &hashing, visit.field("password")?).await? {
        Checked::Right(password) => {
            let cookie = visit.visitor.sign_in(&visit.app, password).await?;
            return Ok(with_cookie(see_other(to), &cookie)?);
        }
        Checked::TooMany(wait) => {
            // Rounded up: a client that returns a fraction of a second early would be refused again.
            let secs = wait.as_millis().div_ceil(1000).max(1);
            let problem = format!("Too many attempts from this address. Try again in {secs} s");
            page.layout.problem = Some(FormProblem::new("password", &problem));
            let mut response = render(StatusCode::TOO_MANY_REQUESTS, &page);
            if let Ok(secs) = HeaderValue::try_from(secs.to_string()) {
                response.headers_mut().insert(RETRY_AFTER, secs);
            }
            return Ok(response);
        }
        Checked::Wrong => {
            page.layout.problem = Some(FormProblem::new("password", "Wrong password"));
        }
        // The page itself says how to set one.
        Checked::NotSet => {}
    }
    Ok(render(StatusCode::FORBIDDEN, &page))
}

/// `POST /sign-out`
pub(crate) async fn sign_out(visit: Visit) -> PageResult {
    let cookie = visit.visitor.sign_out(&visit.app).await?;
    Ok(with_cookie(see_other("/sign-in"), &cookie)?)
}
