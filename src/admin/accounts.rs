//! Accounts.

use super::error::{AdminError, wrong};
use super::message::NewAccount;
use super::names::account_name;
use super::rows::AccountRow;
use crate::domain::{Account, Phases, Plan, Timestamp, Zone};
use crate::store::Store;

pub(super) fn list(store: &Store) -> Vec<AccountRow> {
    store.registry().accounts().map(AccountRow::from).collect()
}

pub(super) fn add(
    store: &Store,
    new: &NewAccount,
    now: Timestamp,
) -> Result<AccountRow, AdminError> {
    let account = Account {
        name: account_name(&new.name)?,
        plan: new.plan,
        zone: parse_zone(&new.zone)?,
        phases: new.phases,
        created: now,
    };
    let row = AccountRow::from(&account);
    if !store.edit(move |edit| edit.add_account(account))? {
        return Err(AdminError::Refused(format!(
            "the account {:?} exists already",
            new.name
        )));
    }
    Ok(row)
}

pub(super) fn set_plan(store: &Store, name: &str, plan: Plan) -> Result<AccountRow, AdminError> {
    update(store, name, move |account| account.plan = plan)
}

pub(super) fn set(
    store: &Store,
    name: &str,
    zone: Option<&str>,
    phases: Option<Phases>,
) -> Result<AccountRow, AdminError> {
    let zone = zone.map(parse_zone).transpose()?;
    update(store, name, move |account| {
        account.zone = zone.unwrap_or_else(|| account.zone.clone());
        account.phases = phases.unwrap_or(account.phases);
    })
}

pub(super) fn remove(store: &Store, name: &str) -> Result<(), AdminError> {
    let name = account_name(name)?;
    Ok(store.edit(move |edit| edit.remove_account(&name))?)
}

fn parse_zone(zone: &str) -> Result<Zone, AdminError> {
    Zone::parse(zone).map_err(|error| wrong("tz", format!("{zone:?}: {error}"), None))
}

fn update(
    store: &Store,
    name: &str,
    update: impl FnOnce(&mut Account) + Send + 'static,
) -> Result<AccountRow, AdminError> {
    let name = account_name(name)?;
    let account = store.edit(move |edit| edit.update_account(&name, update))?;
    Ok(AccountRow::from(&account))
}
