//! Accounts.

use super::{AccountRow, AdminError, account_name};
use crate::domain::account::{Account, Plan};
use crate::domain::calendar::Zone;
use crate::domain::time::Timestamp;
use crate::store::{Store, StoreError};

pub(super) fn list(store: &Store) -> Vec<AccountRow> {
    store.registry().accounts().map(AccountRow::from).collect()
}

pub(super) fn add(
    store: &Store,
    name: &str,
    plan: Plan,
    zone: &str,
    now: Timestamp,
) -> Result<AccountRow, AdminError> {
    let name = account_name(name)?;
    if store.registry().account(&name).is_some() {
        let text = format!("there is an account {:?} already", name.as_str());
        return Err(AdminError::Exists(text));
    }
    let zone = Zone::parse(zone)
        .map_err(|error| AdminError::Invalid(format!("time zone {zone:?}: {error}")))?;
    put(
        store,
        Account {
            name,
            plan,
            zone,
            created: now,
        },
    )
}

pub(super) fn set_plan(store: &Store, name: &str, plan: Plan) -> Result<AccountRow, AdminError> {
    let known = store.registry().account(&account_name(name)?).cloned();
    let account = known.ok_or_else(|| StoreError::UnknownAccount(name.to_owned()))?;
    put(store, Account { plan, ..account })
}

pub(super) fn remove(store: &Store, name: &str) -> Result<(), AdminError> {
    Ok(store.remove_account_durably(&account_name(name)?)?)
}

fn put(store: &Store, account: Account) -> Result<AccountRow, AdminError> {
    let row = AccountRow::from(&account);
    store.put_account_durably(account)?;
    Ok(row)
}
