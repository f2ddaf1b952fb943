//! `/settings`: all sensors, keys, and accounts, and the form to change the password.

use std::sync::Arc;

use actix_web::web::Data;
use askama::Template;

use super::parts::{KeyView, SensorView, layout};
use crate::domain::{Account, Password};
use crate::http::pages::frame::response::{ok, see_other};
use crate::http::pages::frame::visit::or_again;
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, admin_call};
use crate::http::pages::sign_in::password::{check, chosen};
use crate::http::pages::sign_in::{Checked, Hashing};
use crate::http::wire::body::in_background;

#[derive(Template)]
#[template(path = "settings/overview.html")]
struct SettingsPage {
    layout: Layout,
    sensors: Vec<SensorView>,
    /// Each account, and how many sensors it has.
    accounts: Vec<(Account, usize)>,
    keys: Vec<KeyView>,
}

impl SettingsPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    async fn new(visit: &Visit) -> Result<Self, PageError> {
        let app = &visit.app;
        let sensors = admin_call::sensors(app).await?.into_iter();
        let registry = app.store.registry();
        let accounts = registry.accounts().map(|account| {
            let sensors = registry.sensors();
            let of_account = sensors.filter(|sensor| sensor.account == account.name);
            (account.clone(), of_account.count())
        });
        let keys = registry.credentials().cloned();
        Ok(Self {
            layout: layout(visit)?,
            sensors: sensors.map(|row| SensorView::new(app, row)).collect(),
            accounts: accounts.collect(),
            keys: keys.map(|key| KeyView::new(app, key)).collect(),
        })
    }
}

/// `GET /settings`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&SettingsPage::new(&visit).await?))
}

/// `POST /settings/password`: also ends all other sessions.
pub(crate) async fn change_password(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    // No field is filled in again: passwords are never sent back.
    let changed = try_to_change(&visit, &hashing).await;
    let page = SettingsPage::new(&visit).await?;
    or_again(changed, page, |page| &mut page.layout)
}

async fn try_to_change(visit: &Visit, hashing: &Hashing) -> PageResult {
    // Before the current password is checked: a mistake in the new one costs no attempt.
    let password = chosen(visit)?;
    let problem = |text: &str| Err(PageError::form("current", text));
    // Limited like signing in: somebody may try to guess the password at a browser that was left signed in.
    match check(visit, hashing, visit.field("current")?).await? {
        Checked::Right(_) => {}
        Checked::Wrong => return problem("Wrong password"),
        Checked::NotSet => return Err(PageError::FormExpired),
        Checked::TooMany(wait) => {
            let secs = wait.as_secs() + 1;
            return problem(&format!("Too many attempts. Try again in {secs} s"));
        }
    }
    let hash = hashing.hash(password).await?;
    // This browser stays signed in.
    let kept = visit.visitor.session.map(|session| session.id);
    let store = Arc::clone(&visit.app.store);
    in_background(move || store.put_administrator_durably(hash, kept)).await??;
    log::info!("the administrator password was changed");
    Ok(see_other("/settings?done=password"))
}
