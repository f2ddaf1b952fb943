//! The account that a page shows: the one that the address names, or the first one.

use crate::domain::{Account, AccountName, Sensor};
use crate::house::sensors_of;
use crate::http::gate::AppState;
use crate::http::pages::charts::view;
use crate::http::pages::frame::PageError;

/// All accounts, and the one that a page shows with its sensors.
pub(crate) struct AccountScope {
    /// The names of all accounts, sorted.
    pub(crate) accounts: Vec<AccountName>,
    /// The account shown; `None` if there are no accounts.
    pub(crate) account: Option<Account>,
    /// Its authorized sensors, sorted by role and name.
    pub(crate) sensors: Vec<Sensor>,
    /// Whether it has revoked sensors, too.
    pub(crate) has_revoked: bool,
}

impl AccountScope {
    /// The scope of the account that a query string names.
    ///
    /// # Errors
    /// [`PageError::Api`] if the name is invalid; [`PageError::NotFound`] if there is no such account.
    pub(crate) fn read(app: &AppState, query: &str) -> Result<Self, PageError> {
        let registry = app.store.registry();
        let account = match view::account(query)? {
            Some(name) => Some(registry.account(&name).ok_or(PageError::NotFound)?),
            None => registry.accounts().next(),
        };
        // Cloned, because pages are drawn on another thread, which cannot borrow the registry.
        let account = account.cloned();
        let name = account.as_ref().map(|account| &account.name);
        let of_account = name.map(|name| sensors_of(&registry, name).cloned());
        let mut sensors: Vec<Sensor> = of_account.into_iter().flatten().collect();
        sensors.sort_by(|a, b| {
            // By the order of the roles' declaration: the grid first.
            let key = |sensor: &Sensor| (sensor.role as u8, sensor.name.to_lowercase());
            key(a).cmp(&key(b))
        });
        let mut all = registry.sensors();
        let has_revoked = all.any(|it| Some(&it.account) == name && !it.authorized);
        Ok(Self {
            accounts: registry.accounts().map(|it| it.name.clone()).collect(),
            account,
            sensors,
            has_revoked,
        })
    }
}
