//! `/me`: the signed-in person, their rights, and their password.

use actix_web::web::Data;
use askama::Template;

use crate::domain::{Password, SessionOwner};
use crate::http::pages::frame::response::{ok, see_other, with_cookie};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::pages::people::person::membership_text;
use crate::http::pages::sign_in::Hashing;
use crate::http::pages::sign_in::password::change_own;

#[derive(Template)]
#[template(path = "people/me.html")]
struct MePage {
    layout: Layout,
    name: String,
    /// Each account, and the person's rights there.
    accounts: Vec<(String, String)>,
}

impl MePage {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    /// The page of the signed-in person; `None` for the administrator, whose settings are
    /// elsewhere.
    fn of(visit: &Visit) -> Result<Option<Self>, PageError> {
        let Some(SessionOwner::Person(name)) = visit.visitor.owner() else {
            return Ok(None);
        };
        let language = visit.language();
        let registry = visit.app.store.registry();
        // The person was removed a moment ago.
        let person = registry.person(name).ok_or(PageError::NotFound)?;
        let accounts = person.accounts.iter();
        let accounts = accounts.map(|(account, it)| {
            let text = membership_text(Some(*it), language);
            (account.to_string(), text)
        });
        let is_changed = visit.param("done")? == "password";
        Ok(Some(Self {
            layout: Layout {
                done: is_changed.then(|| language.say("people-done-own-password")),
                ..visit.layout(Tab::Me)
            },
            name: name.to_string(),
            accounts: accounts.collect(),
        }))
    }
}

/// `GET /me`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(match MePage::of(&visit)? {
        Some(page) => ok(&page),
        None => see_other("settings"),
    })
}

/// `POST /me`: sets a new password. Also ends all sessions of the person, and begins one for this
/// browser.
pub(crate) async fn change_password(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    if !matches!(visit.visitor.owner(), Some(SessionOwner::Person(_))) {
        return Err(PageError::NotFound);
    }
    let cookie = change_own(&visit, &hashing).await?;
    Ok(with_cookie(see_other("me?done=password"), &cookie)?)
}
