//! The form at the foot of each page that chooses its language.

use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::cookie::{Cookie, SameSite};

use super::address::local;
use super::error::{PageError, PageResult};
use super::language::COOKIE;
use super::response::{see_other, with_cookie};
use super::visit::Visit;
use crate::texts::Language;

/// `POST /language`: chooses the language of this browser for a year, and returns to the page `to`.
pub(crate) async fn choose(visit: Visit) -> PageResult {
    let language = Language::of_tag(&visit.field("language")?).ok_or(PageError::NotFound)?;
    let cookie = Cookie::build(COOKIE, language.tag())
        .path("/")
        .http_only(true)
        // Not strict, so that a link from elsewhere also leads to a page in this language.
        .same_site(SameSite::Lax)
        .secure(visit.visitor.by_tls)
        .max_age(CookieDuration::days(365))
        .finish();
    let to = visit.field("to")?;
    Ok(with_cookie(see_other(local(&to)), &cookie)?)
}
