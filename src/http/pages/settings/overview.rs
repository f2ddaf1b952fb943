//! `/settings`: all sensors, keys, and accounts, and the form to change the password.

use actix_web::web::Data;
use askama::Template;

use super::parts::{KeyView, SensorView, layout};
use crate::domain::{Account, AccountName, Membership, Password, Plan};
use crate::http::pages::frame::response::{ok, see_other, with_cookie};
use crate::http::pages::frame::{Layout, PageError, PageResult, Visit, admin_call};
use crate::http::pages::sign_in::Hashing;
use crate::http::pages::sign_in::password::change_own;

#[derive(Template)]
#[template(path = "settings/overview.html")]
struct SettingsPage {
    layout: Layout,
    sensors: Vec<SensorView>,
    /// Each account, its plan in words if any account has another, and the number of its sensors.
    accounts: Vec<(Account, Option<String>, usize)>,
    keys: Vec<KeyView>,
}

impl SettingsPage {
    const MIN_CHARS: usize = Password::MIN_CHARS;

    async fn new(visit: &Visit) -> Result<Self, PageError> {
        let (app, language) = (&visit.app, visit.language());
        let sensors = admin_call::sensors(app).await?.into_iter();
        let registry = app.store.registry();
        // Members see only the items of their own accounts.
        let is_shown = |account: &AccountName| {
            let rights = &visit.visitor.rights;
            rights.allow(account, Membership::Member)
        };
        let sensors =
            sensors.filter(|row| AccountName::new(&row.account).is_ok_and(|it| is_shown(&it)));
        let has_plans = registry.accounts().any(|it| it.plan == Plan::Free);
        let accounts = registry.accounts().filter(|it| is_shown(&it.name));
        let accounts = accounts.map(|account| {
            let sensors = registry.sensors();
            let of_account = sensors.filter(|sensor| sensor.account == account.name);
            let plan = || language.word("account-plan", Plan::as_str(account.plan));
            (account.clone(), has_plans.then(plan), of_account.count())
        });
        let keys = registry.credentials().filter(|it| is_shown(&it.account));
        Ok(Self {
            layout: layout(visit)?,
            sensors: sensors
                .map(|row| SensorView::new(app, row, language))
                .collect(),
            accounts: accounts.collect(),
            keys: keys
                .map(|key| KeyView::new(app, key.clone(), language))
                .collect(),
        })
    }
}

/// `GET /settings`
pub(crate) async fn show(visit: Visit) -> PageResult {
    Ok(ok(&SettingsPage::new(&visit).await?))
}

/// `POST /settings/password`: sets a new password. Also ends all sessions of the administrator, and
/// begins one for this browser.
pub(crate) async fn change_password(visit: Visit, hashing: Data<Hashing>) -> PageResult {
    // No field is filled in again, because passwords are never sent back.
    let cookie = change_own(&visit, &hashing).await?;
    Ok(with_cookie(see_other("settings?done=password"), &cookie)?)
}
