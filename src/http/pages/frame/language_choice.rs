//! The form at the foot of each page that chooses its language and its region.

use actix_web::cookie::time::Duration as CookieDuration;
use actix_web::cookie::{Cookie, SameSite};

use super::address::local;
use super::error::{PageError, PageResult};
use super::language::{COOKIE, REGION_COOKIE};
use super::response::{see_other, with_cookie};
use super::visit::Visit;
use crate::texts::{Language, Region};

/// `POST /language`: chooses the language and the region of this browser for a year, and returns to the page `to`.
pub(crate) async fn choose(visit: Visit) -> PageResult {
    let language = Language::of_tag(&visit.field("language")?).ok_or(PageError::NotFound)?;
    let region = visit.field("region")?;
    let cookie = |name, value| {
        Cookie::build(name, value)
            .path("/")
            .http_only(true)
            // Not strict, so that a link from elsewhere also leads to a page in this language.
            .same_site(SameSite::Lax)
            .secure(visit.visitor.by_tls)
            .max_age(CookieDuration::days(365))
            .finish()
    };
    let to = visit.field("to")?;
    let answer = with_cookie(see_other(local(&to)), &cookie(COOKIE, language.tag()))?;
    let known = region.parse::<Region>().map(Region::as_str);
    match known {
        Ok(code) => Ok(with_cookie(answer, &cookie(REGION_COOKIE, code))?),
        Err(_) if region == "none" => Ok(with_cookie(answer, &cookie(REGION_COOKIE, "none"))?),
        Err(_) => Ok(answer),
    }
}
