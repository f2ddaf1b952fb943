//! Turns facts from forms into corrections, in the name of the administrator.

use std::sync::Arc;

use actix_web::HttpResponse;
use askama::Template;

use crate::admin::{add_correction, revoke_correction};
use crate::domain::{Account, AccountName, Sensor, SensorId};
use crate::http::gate::AppState;
use crate::http::pages::frame::address::local;
use crate::http::pages::frame::error::FieldOf;
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::{Layout, PageError, PageResult, Tab, Visit};
use crate::http::wire::body::in_background;
use crate::ledger::{Correction, Fact, Made};
use crate::store::Store;

/// A sensor, and the account that it belongs to.
#[derive(Clone)]
pub(super) struct OwnedSensor {
    pub(super) account: Account,
    pub(super) sensor: Sensor,
}

impl OwnedSensor {
    /// The sensor with this id.
    ///
    /// # Errors
    /// [`PageError::NotFound`] if there is none.
    pub(super) fn find(app: &AppState, id: &str) -> Result<Self, PageError> {
        let registry = app.store.registry();
        let id = SensorId::new(id).map_err(|_| PageError::NotFound)?;
        let sensor = registry.sensor(&id).ok_or(PageError::NotFound)?;
        let account = registry.account(&sensor.account);
        Ok(Self {
            account: account.ok_or(PageError::NotFound)?.clone(),
            sensor: sensor.clone(),
        })
    }
}

/// Adds `facts` about a sensor one by one, each with the same note.
///
/// # Errors
/// [`PageError::Form`] if one of them is refused: those before it are kept.
pub(super) async fn add(
    visit: &Visit,
    owned: &OwnedSensor,
    (facts, note): (Vec<Fact>, &str),
    field_of: FieldOf,
) -> Result<(), PageError> {
    let now = visit.app.now().time;
    let refused = |error| PageError::of_admin(error, field_of);
    let made = Made::new(now, visit.author(), note);
    let made = made.map_err(|error| refused(error.into()))?;
    let id = &owned.sensor.id;
    // All are checked as far as possible before the first one is kept.
    let corrections = facts
        .into_iter()
        .map(|fact| Correction::new(1, id.clone(), made.clone(), fact))
        .collect::<Result<Vec<_>, _>>();
    // A fact can only be refused for a time in the future.
    let corrections = corrections.map_err(|_| PageError::mistake("meter-future", field_of("")))?;
    let account = owned.account.name.clone();
    let change = move |store: &Store| {
        let mut all = corrections.into_iter();
        all.try_for_each(|one| add_correction(store, &account, one).map(drop))
    };
    // Weeks of readings may be read to check it.
    let added = visit.report(&owned.account.name, change).await?;
    added.map_err(refused)
}

/// Revokes the correction named by the form's `account` and `number`.
///
/// # Errors
/// [`PageError::Form`] if it is not in effect.
pub(super) async fn revoke(visit: &Visit) -> Result<(), PageError> {
    let account = AccountName::new(&visit.field("account")?).map_err(|_| PageError::NotFound)?;
    let number = visit.field("number")?.parse::<u32>();
    let number = number.map_err(|_| PageError::NotFound)?;
    let refused = |error| PageError::of_admin(error, |_| "note");
    let made = Made::new(visit.app.now().time, visit.author(), "");
    let made = made.map_err(|error| refused(error.into()))?;
    let store = Arc::clone(&visit.app.store);
    let change = move || revoke_correction(&store, &account, number, made).map(drop);
    in_background(change).await?.map_err(refused)
}

/// Leads back to the page that a form came from, which reports what was `done` at `place`, such as
/// `#events`.
pub(super) fn back(visit: &Visit, done: &str, place: &str) -> PageResult {
    let wanted = visit.field("back")?;
    let page = local(&wanted);
    let mark = if page.contains('?') { '&' } else { '?' };
    Ok(see_other(&format!("{page}{mark}done={done}{place}")))
}

#[derive(Template)]
#[template(path = "meters/none.html")]
struct NoAccountPage {
    layout: Layout,
    title: String,
}

/// One of these pages while there is no account.
pub(super) fn no_account(visit: &Visit, layout: Layout, title: &str) -> HttpResponse {
    ok(&NoAccountPage {
        layout,
        title: visit.language().say(title),
    })
}

/// The layout of one of these pages. The parameter `done` in its address names the change that led
/// to it.
pub(crate) fn layout(visit: &Visit) -> Result<Layout, PageError> {
    layout_in(visit, Tab::Meters)
}

/// The same of a page in this part of the navigation.
pub(super) fn layout_in(visit: &Visit, tab: Tab) -> Result<Layout, PageError> {
    Ok(Layout {
        done: done(visit)?,
        ..visit.layout(tab)
    })
}

/// The change that led to a page, as a sentence.
pub(crate) fn done(visit: &Visit) -> Result<Option<String>, PageError> {
    let language = visit.language();
    Ok(match visit.param("done")?.as_str() {
        "decided" => Some(language.say("events-done-decided")),
        "corrected" => Some(language.say("events-done-corrected")),
        "revoked" => Some(language.say("events-done-revoked")),
        "changed" => Some(language.say("events-done-changed")),
        "typed" => Some(language.say("meter-done-typed")),
        "calibrated" => Some(language.say("meter-done-calibrated")),
        "untyped" => Some(language.say("meter-done-untyped")),
        "bill-added" => Some(language.say("bills-done-added")),
        "bill-removed" => Some(language.say("bills-done-removed")),
        // Anyone can write an address; unknown words show nothing.
        _ => None,
    })
}
