//! Whose house is looked at: the account that the address names, or the first one.

use super::PageError;
use super::view;
use crate::domain::account::{Account, AccountName};
use crate::domain::sensor::Sensor;
use crate::house::sensors_of;
use crate::http::AppState;

/// The accounts that there are, and the one that is looked at.
pub(super) struct Whose {
    /// All accounts, by name.
    pub(super) accounts: Vec<AccountName>,
    /// None where there are none.
    pub(super) account: Option<Account>,
    /// Its authorized sensors, by role and name.
    pub(super) sensors: Vec<Sensor>,
    /// Whether it has others, which are not authorized.
    pub(super) has_others: bool,
}

impl Whose {
    /// Reads it from a query string.
    ///
    /// # Errors
    /// [`PageError::Api`] for what is no account's name; [`PageError::NotFound`] where there is none of that name.
    pub(super) fn read(app: &AppState, query: &str) -> Result<Self, PageError> {
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
