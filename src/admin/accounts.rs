//! Accounts.

use super::error::AdminError;
use super::message::PriceRow;
use super::names::account_name;
use super::rows::AccountRow;
use crate::domain::{Account, Plan, Price, Timestamp, Zone};
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
        let text = format!("the account {:?} exists already", name.as_str());
        return Err(AdminError(text));
    }
    let zone = parse_zone(zone)?;
    put(
        store,
        Account {
            name,
            plan,
            zone,
            price: None,
            created: now,
        },
    )
}

pub(super) fn set_plan(store: &Store, name: &str, plan: Plan) -> Result<AccountRow, AdminError> {
    let account = registered(store, name)?;
    put(store, Account { plan, ..account })
}

pub(super) fn set(
    store: &Store,
    name: &str,
    zone: Option<&str>,
    price: Option<PriceRow>,
) -> Result<AccountRow, AdminError> {
    let mut account = registered(store, name)?;
    if let Some(zone) = zone {
        account.zone = parse_zone(zone)?;
    }
    match price {
        Some(PriceRow::Per { kwh, currency }) => {
            let price = Price::parse(&kwh, &currency)
                .map_err(|error| AdminError(format!("price: {error}")))?;
            account.price = Some(price);
        }
        Some(PriceRow::None) => account.price = None,
        None => {}
    }
    put(store, account)
}

pub(super) fn remove(store: &Store, name: &str) -> Result<(), AdminError> {
    Ok(store.remove_account_durably(&account_name(name)?)?)
}

fn registered(store: &Store, name: &str) -> Result<Account, AdminError> {
    let known = store.registry().account(&account_name(name)?).cloned();
    known.ok_or_else(|| StoreError::UnknownAccount(name.to_owned()).into())
}

fn parse_zone(zone: &str) -> Result<Zone, AdminError> {
    Zone::parse(zone).map_err(|error| AdminError(format!("time zone {zone:?}: {error}")))
}

fn put(store: &Store, account: Account) -> Result<AccountRow, AdminError> {
    let row = AccountRow::from(&account);
    store.put_account_durably(account)?;
    Ok(row)
}
