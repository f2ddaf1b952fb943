//! Whose house is looked at: the account that the address names, or the first one.

use crate::domain::account::{Account, AccountName};
use crate::domain::sensor::Sensor;
use crate::house::sensors_of;
use crate::http::pages::charts::view;
use crate::http::pages::frame::error::PageError;
use crate::http::state::AppState;

/// The accounts that there are, and the one that is looked at.
pub(crate) struct Whose {
    /// All accounts, by name.
    pub(crate) accounts: Vec<AccountName>,
    /// None where there are none.
    pub(crate) account: Option<Account>,
    /// Its authorized sensors, by role and name.
    pub(crate) sensors: Vec<Sensor>,
    /// Whether it has others, which are not authorized.
    pub(crate) has_others: bool,
}

impl Whose {
    /// Reads it from a query string.
    ///
    /// # Errors
    /// [`PageError::Api`] for what is no account's name; [`PageError::NotFound`] where there is none of that name.
    pub(crate) fn read(app: &AppState, query: &str) -> Result<Self, PageError> {
        let registry = app.store.registry();
        let account = match view::account(query)? {
            Some(name) => Some(registry.account(&name).ok_or(PageError::NotFound)?),
            None => registry.accounts().next(),
        };
        let account = account.cloned();
        let name = account.as_ref().map(|account| &account.name);
        let of_account = name.map(|name| sensors_of(&registry, name).cloned());
        let mut sensors: Vec<Sensor> = of_account.into_iter().flatten().collect();
        sensors.sort_by(|a, b| {
            let key = |sensor: &Sensor| (sensor.role as u8, sensor.name.to_lowercase());
            key(a).cmp(&key(b))
        });
        let mut all = registry.sensors();
        let has_others = all.any(|it| Some(&it.account) == name && !it.authorized);
        Ok(Self {
            accounts: registry.accounts().map(|it| it.name.clone()).collect(),
            account,
            sensors,
            has_others,
        })
    }
}
