//! The records of contracts: stored in pieces (`records/pieces.rs`).
//!
//! | key | content |
//! | --- | --- |
//! | account, 0x00, first day as in `2026-01-01` | the contract as JSON (docs/MONEY.md) |

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{Contract, Contracts};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, pieces};

/// The contracts of each account.
pub(crate) type AllContracts = BTreeMap<AccountName, Arc<Contracts>>;

/// The key of a contract, without the number of a piece.
pub(crate) fn contract_key(account: &AccountName, from: LocalDate) -> String {
    format!("{account}\0{from}")
}

/// The contract in a record, and its account; `None` if the record is damaged.
pub(crate) fn contract_of(key: &[u8], content: Option<&[u8]>) -> Option<(AccountName, Contract)> {
    let (account, from) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let contract = Contract::parse(std::str::from_utf8(content?).ok()?).ok()?;
    let is_its_day = contract.from().to_string() == from;
    Some((AccountName::new(account).ok()?, contract)).filter(|_| is_its_day)
}

/// The content of a contract's record.
pub(crate) fn encode_contract(contract: &Contract) -> Result<Vec<u8>, StoreError> {
    let text = contract.to_string().into_bytes();
    if text.len() > pieces::MOST_BYTES {
        return Err(StoreError::TextTooLong {
            what: "a contract",
            longest: pieces::MOST_BYTES,
        });
    }
    Ok(text)
}

/// All contracts.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllContracts, StoreError> {
    let mut all = BTreeMap::<AccountName, Vec<Contract>>::new();
    for (key, content) in pieces::joined(view.all(RecordKind::Contracts)?) {
        let (account, contract) =
            contract_of(&key, content.as_deref()).ok_or_else(|| damaged(&key.escape_ascii()))?;
        all.entry(account).or_default().push(contract);
    }
    let contracts = all.into_iter().map(|(account, contracts)| {
        let contracts = Contracts::new(contracts);
        let contracts = contracts.map_err(|error| damaged(&format_args!("{account}: {error}")))?;
        Ok((account, Arc::new(contracts)))
    });
    contracts.collect()
}

fn damaged(what: &impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(format!("the record of contract {what} is damaged"))
}
