//! `/me`: the signed-in person, their rights, and their password.

use actix_web::web::Data;
use askama::Template;

use crate::admin::{PeopleRequest, Request};
use crate::domain::{Password, SessionOwner};
use crate::http::pages::frame::admin_call::admin_call;
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
    /// The id and the name of each linked user of Home Assistant.
    linked: Vec<(String, String)>,
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
        let done = match visit.param("done")?.as_str() {
            "password" => Some(language.say("people-done-own-password")),
            "unlinked" => Some(language.say("people-done-unlinked")),
            _ => None,
        };
        let linked = registry
            .linked_users()
            .filter(|it| it.owner.name() == Some(name.as_str()));
        let linked = linked.map(|it| (it.user.id.to_string(), it.user.name.to_string()));
        Ok(Some(Self {
            layout: Layout {
                done,
                ..visit.layout(Tab::Me)
            },
            name: name.to_string(),
            accounts: accounts.collect(),
            linked: linked.collect(),
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

/// `POST /me/unlink`: a user of Home Assistant signs in by password from now on. Also ends the
/// sessions that their visits began, perhaps this one.
pub(crate) async fn unlink(visit: Visit) -> PageResult {
    let Some(SessionOwner::Person(name)) = visit.visitor.owner() else {
        return Err(PageError::NotFound);
    };
    let unlink = PeopleRequest::Unlink {
        user: visit.field("user")?,
        name: Some(name.to_string()),
    };
    admin_call(&visit.app, Request::People(unlink), |_| "main").await?;
    Ok(see_other("me?done=unlinked"))
}
