//! Offers: contracts that are not in force, to compare with those that are.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::money_rows::ContractRow;
use super::names::owner;
use crate::domain::AccountName;
use crate::ledger::contract::{Contract, Label};
use crate::store::{Registry, Store};

/// A request about offers. The account is `None` if there is only one. Answer: its offers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum OfferRequest {
    /// The offers of an account.
    List {
        /// The account.
        account: Option<String>,
    },
    /// Adds an offer, replacing the one of the same name.
    Put {
        /// The account.
        account: Option<String>,
        /// The offer: a contract as JSON.
        text: String,
        /// The name of the offer that it takes the place of, if that is another one.
        old: Option<String>,
    },
    /// Removes an offer.
    Remove {
        /// The account.
        account: Option<String>,
        /// Its name.
        name: String,
    },
}

pub(super) fn run(store: &Store, request: OfferRequest) -> Result<Vec<ContractRow>, AdminError> {
    let owner = |account: Option<String>| owner(&store.registry(), account.as_deref());
    let account = match request {
        OfferRequest::List { account } => owner(account)?,
        OfferRequest::Put { account, text, old } => {
            let account = owner(account)?;
            let offer = Contract::parse(&text)?;
            put_offer(store, &account, offer, old.as_deref())?;
            account
        }
        OfferRequest::Remove { account, name } => {
            let account = owner(account)?;
            remove_offer(store, &account, &name)?;
            account
        }
    };
    Ok(ContractRow::offers(&store.registry(), &account))
}

/// Adds an offer, replacing the one of the same name, and the one named `old`. Blocks.
///
/// # Errors
/// [`AdminError::Field`] if the contracts have another currency; [`AdminError::Unfit`] if there is
/// no `old`, or there would be too many; [`AdminError::Store`].
pub fn put_offer(
    store: &Store,
    account: &AccountName,
    offer: Contract,
    old: Option<&str>,
) -> Result<(), AdminError> {
    let account = account.clone();
    let old = old.map(label).transpose()?;
    Ok(store.edit(move |edit| edit.add_offer(&account, offer, old.as_ref()))?)
}

/// Removes an offer. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is no such offer, [`AdminError::Store`].
pub fn remove_offer(store: &Store, account: &AccountName, name: &str) -> Result<(), AdminError> {
    let (account, name) = (account.clone(), label(name)?);
    Ok(store.edit(move |edit| edit.remove_offer(&account, &name))?)
}

impl ContractRow {
    /// The offers of an account, by name.
    #[must_use]
    pub(super) fn offers(registry: &Registry, account: &AccountName) -> Vec<Self> {
        let offers = registry.offers(account);
        offers.map(|offer| Self::new(account, offer)).collect()
    }
}

fn label(text: &str) -> Result<Label, AdminError> {
    Label::new(text).map_err(|error| wrong("name", error, None))
}
