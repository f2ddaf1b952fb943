//! Contracts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::money_rows::contract_row;
use super::names::owner;
use crate::domain::AccountName;
use crate::ledger::contract::{ContractChange, Contracts};
use crate::store::Store;

/// A request about contracts.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ContractRequest {
    /// All contracts, or those of an account.
    List {
        /// The account.
        account: Option<String>,
    },
    /// Changes the contracts of an account, and lists them.
    Change {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// The change, as [`ContractChange::parse`] reads it.
        text: String,
    },
}

pub(super) fn run(store: &Store, request: ContractRequest) -> Result<Vec<String>, AdminError> {
    match request {
        ContractRequest::List { account } => list(store, account.as_deref()),
        ContractRequest::Change { account, text } => {
            let account = owner(&store.registry(), account.as_deref())?;
            let contracts = change_contracts(store, &account, ContractChange::parse(&text)?)?;
            Ok(rows(&account, &contracts))
        }
    }
}

/// The contracts of an account, or of all.
fn list(store: &Store, account: Option<&str>) -> Result<Vec<String>, AdminError> {
    let registry = store.registry();
    let account = account.map(|name| owner(&registry, Some(name)));
    let account = account.transpose()?;
    let asked = registry
        .accounts()
        .filter(|one| account.as_ref().is_none_or(|name| one.name == *name));
    let rows = asked.filter_map(|one| Some(rows(&one.name, registry.contracts(&one.name)?)));
    Ok(rows.flatten().collect())
}

/// Changes the contracts of an account, and returns the changed list. Blocks.
///
/// # Errors
/// [`AdminError::Field`] if the contracts would not be consistent, or there is none to remove;
/// [`AdminError::Unfit`], [`AdminError::Store`].
pub fn change_contracts(
    store: &Store,
    account: &AccountName,
    change: ContractChange,
) -> Result<Arc<Contracts>, AdminError> {
    let account = account.clone();
    Ok(store.edit(move |edit| edit.change_contracts(&account, change))?)
}

fn rows(account: &AccountName, contracts: &Contracts) -> Vec<String> {
    let all = contracts.all().iter();
    all.map(|one| contract_row(account, one)).collect()
}
