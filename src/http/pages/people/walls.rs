//! `/settings/walls`: the links of wall tablets. The response to the form shows a new link once: it
//! is in no address of these pages, and only the hash of its token is stored.

use askama::Template;

use crate::admin::{Request, WallRequest, random};
use crate::chart::Wording;
use crate::domain::SessionToken;
use crate::http::pages::frame::admin_call::admin_call;
use crate::http::pages::frame::once::ShownOnce;
use crate::http::pages::frame::own_address::OwnAddress;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::wire::ApiError;

#[derive(Template)]
#[template(path = "people/walls.html")]
struct WallsPage {
    layout: Layout,
    tablets: Vec<TabletView>,
    accounts: Vec<String>,
}

/// A wall tablet.
struct TabletView {
    name: String,
    account: String,
    /// In the time zone of its account.
    last_used: Option<String>,
}

#[derive(Template)]
#[template(path = "people/wall_link.html")]
struct WallLinkPage {
    layout: Layout,
    link: String,
}

impl WallsPage {
    fn new(visit: &Visit) -> Result<Self, PageError> {
        let language = visit.language();
        let registry = visit.app.store.registry();
        let tablets = registry.tablets().map(|tablet| {
            // A tablet is removed with its account.
            let account = registry.account(&tablet.account);
            let used = tablet.last_used.zip(account);
            TabletView {
                name: tablet.name.to_string(),
                account: tablet.account.to_string(),
                last_used: used.map(|(at, it)| Wording::new(&it.zone, language).date_and_clock(at)),
            }
        });
        let is_revoked = visit.param("done")? == "revoked";
        let accounts = registry.accounts().map(|account| account.name.to_string());
        Ok(Self {
            layout: Layout {
                done: is_revoked.then(|| language.say("wall-done-revoked")),
                ..visit.layout(Tab::Settings)
            },
            tablets: tablets.collect(),
            accounts: accounts.collect(),
        })
    }
}

/// `GET /settings/walls`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&WallsPage::new(&visit)?))
}

/// `POST /settings/walls`: makes a link.
pub(crate) async fn add(visit: Visit) -> PageResult {
    let token = random().map_err(|_| ApiError::Internal("the system has no randomness"))?;
    let token = SessionToken::from_random(token);
    let add = WallRequest::Add {
        name: visit.field("name")?,
        account: visit.field("account")?,
        session: token.id().0,
    };
    let added = admin_call(&visit.app, Request::Walls(add), |field| match field {
        "account" => "account",
        _ => "name",
    });
    added.await?;
    let mut page = ok(&WallLinkPage {
        layout: visit.layout(Tab::Settings),
        link: OwnAddress::of(&visit).url + &token.wall_path(),
    });
    let without_secret = ShownOnce("settings/walls");
    page.extensions_mut().insert(without_secret);
    Ok(page)
}

/// `POST /settings/wall/revoke`
pub(crate) async fn revoke(visit: Visit) -> PageResult {
    let name = visit.field("name")?;
    let revoke = Request::Walls(WallRequest::Revoke { name });
    admin_call(&visit.app, revoke, |_| "main").await?;
    Ok(see_other("settings/walls?done=revoked"))
}
