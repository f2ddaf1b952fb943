//! The account that a page shows: the one in the address, or the first one.

use crate::domain::{Account, AccountName, Membership, Sensor};
use crate::house::sensors_of;
use crate::http::pages::frame::address::address;
use crate::http::pages::frame::{PageError, Visit};
use crate::http::wire::ApiError;
use crate::http::wire::params::param;
use crate::texts::sort_key;

/// The visitor's accounts, and the one that a page shows with its sensors.
pub(crate) struct AccountScope {
    /// The names of all accounts that the visitor sees, sorted.
    pub(crate) accounts: Vec<AccountName>,
    /// The account shown; `None` if there are no accounts.
    pub(crate) account: Option<Account>,
    /// Its authorized sensors, sorted by role and name.
    pub(crate) sensors: Vec<Sensor>,
    /// Whether it also has revoked sensors.
    pub(crate) has_revoked: bool,
}

/// The name and the address of an account, and whether it is shown.
pub(crate) type AccountChip = (String, String, bool);

impl AccountScope {
    /// Reads the scope of the account in the address or the form. Accounts that the visitor does
    /// not see are treated as if they did not exist.
    ///
    /// # Errors
    /// [`PageError::Api`] if the name is invalid; [`PageError::NotFound`] if there is no such
    /// account.
    pub(crate) fn read(visit: &Visit) -> Result<Self, PageError> {
        let name = match named(visit.query())? {
            // In a form that is shown again.
            None => AccountName::new(&visit.field("account")?).ok(),
            named => named,
        };
        Self::new(visit, name, Membership::Viewer)
    }

    /// The same of a page for members: without a name, the first account that the visitor may
    /// change.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn of_member(visit: &Visit) -> Result<Self, PageError> {
        Self::new(visit, named(visit.query())?, Membership::Member)
    }

    /// The links to the page at `path` for each account.
    pub(crate) fn chips(&self, path: &str) -> Vec<AccountChip> {
        let shown = self.account.as_ref().map(|account| &account.name);
        let chip = |name: &AccountName| {
            let to = address(path, &[("account", name.as_str())]);
            (name.to_string(), to, shown == Some(name))
        };
        self.accounts.iter().map(chip).collect()
    }

    fn new(
        visit: &Visit,
        name: Option<AccountName>,
        needed: Membership,
    ) -> Result<Self, PageError> {
        let registry = visit.app.store.registry();
        let rights = &visit.visitor.rights;
        let shown = || {
            registry
                .accounts()
                .filter(|it| rights.allow(&it.name, needed))
        };
        let account = match name {
            Some(name) => {
                let named = shown().find(|it| it.name == name);
                Some(named.ok_or(PageError::NotFound)?)
            }
            None => shown().next(),
        };
        // Cloned, because pages are drawn on another thread, which cannot borrow the registry.
        let account = account.cloned();
        let name = account.as_ref().map(|account| &account.name);
        let of_account = name.map(|name| sensors_of(&registry, name).cloned());
        let mut sensors: Vec<Sensor> = of_account.into_iter().flatten().collect();
        // In the declaration order of roles: the grid first.
        sensors.sort_by_cached_key(|sensor| (sensor.role as u8, sort_key(&sensor.name)));
        let mut all = registry.sensors();
        let has_revoked = all.any(|it| Some(&it.account) == name && !it.authorized);
        Ok(Self {
            accounts: shown().map(|it| it.name.clone()).collect(),
            account,
            sensors,
            has_revoked,
        })
    }
}

/// The account that a query string names, if any.
///
/// # Errors
/// [`ApiError::InvalidField`] if it cannot be an account's name.
pub(crate) fn named(query: &str) -> Result<Option<AccountName>, ApiError> {
    let Some(text) = param(query, "account")? else {
        return Ok(None);
    };
    let name = AccountName::new(&text);
    name.map(Some)
        .map_err(|error| ApiError::invalid("account", error, &text))
}

/// Returns the account with this name.
///
/// # Errors
/// [`PageError::NotFound`] if there is none.
pub(crate) fn known_account(visit: &Visit, name: &str) -> Result<Account, PageError> {
    let name = AccountName::new(name).map_err(|_| PageError::NotFound)?;
    let registry = visit.app.store.registry();
    registry.account(&name).cloned().ok_or(PageError::NotFound)
}
