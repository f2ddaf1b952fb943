//! Contracts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::money_rows::contract_row;
use super::names::owner;
use crate::domain::{AccountName, LocalDate, Timestamp, Zone};
use crate::ledger::contract::{
    Contract, ContractChange, Contracts, Label, MoneyContext, MoneyDoubt,
};
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
    /// Lists the doubts about a change, and changes nothing. Answer: rows, each a
    /// [`DoubtRow`] as JSON.
    Doubts {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// The change.
        text: String,
        /// Price series and day lists that will be filled.
        filled: Vec<String>,
        /// Whether it is an offer, which may begin whenever it does.
        is_offer: bool,
    },
}

/// Something in a contract that may not be meant so.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DoubtRow {
    /// In a sentence.
    pub doubt: String,
    /// Whether it is about a number that was typed.
    pub is_number: bool,
}

pub(super) fn run(
    store: &Store,
    request: ContractRequest,
    now: Timestamp,
) -> Result<Vec<String>, AdminError> {
    match request {
        ContractRequest::List { account } => list(store, account.as_deref()),
        ContractRequest::Change { account, text } => {
            let account = owner(&store.registry(), account.as_deref())?;
            let contracts = change_contracts(store, &account, ContractChange::parse(&text)?)?;
            Ok(rows(&account, &contracts))
        }
        ContractRequest::Doubts {
            account,
            text,
            filled,
            is_offer,
        } => {
            let account = owner(&store.registry(), account.as_deref())?;
            let change = ContractChange::parse(&text)?;
            let mut doubts = contract_doubts(store, &account, (&change, &filled), now)?;
            doubts.retain(|doubt| !is_offer || !doubt.is_of_future());
            let row = |doubt: &MoneyDoubt| {
                let row = DoubtRow {
                    doubt: doubt.to_string(),
                    is_number: doubt.is_number(),
                };
                // A text and a flag are written without a failure.
                serde_json::to_string(&row).unwrap_or_default()
            };
            Ok(doubts.iter().map(row).collect())
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

/// Some doubts about a change of contracts. The series and day lists `filled`
/// count as known. Blocks.
///
/// # Errors
/// [`AdminError::Store`].
pub fn contract_doubts(
    store: &Store,
    account: &AccountName,
    (change, filled): (&ContractChange, &[String]),
    now: Timestamp,
) -> Result<Vec<MoneyDoubt>, AdminError> {
    let contracts: Vec<&Contract> = match change {
        ContractChange::Put(contract) => vec![contract],
        ContractChange::Replace(all) => all.all().iter().collect(),
        ContractChange::Remove(_) => return Ok(Vec::new()),
    };
    let registry = store.registry();
    let zone = registry.account(account).map(|one| one.zone.clone());
    let filled = || filled.iter().filter_map(|name| Label::new(name).ok());
    let series = store.series(account)?.into_iter().map(|one| one.name);
    let lists = registry.day_lists(account).map(|list| list.name().clone());
    let context = MoneyContext {
        today: LocalDate::at(now, &zone.unwrap_or(Zone::UTC)),
        series: series.chain(filled()).collect(),
        day_lists: lists.chain(filled()).collect(),
    };
    let mut doubts: Vec<MoneyDoubt> = Vec::new();
    for contract in contracts {
        let new = contract.doubts(&context);
        doubts.extend(
            new.into_iter()
                .filter(|doubt| !doubts.contains(doubt))
                .collect::<Vec<_>>(),
        );
        // So many are enough to look at all of them again.
        if doubts.len() >= MOST_DOUBTS {
            doubts.truncate(MOST_DOUBTS);
            break;
        }
    }
    Ok(doubts)
}

const MOST_DOUBTS: usize = 12;

fn rows(account: &AccountName, contracts: &Contracts) -> Vec<String> {
    let all = contracts.all().iter();
    all.map(|one| contract_row(account, one)).collect()
}
