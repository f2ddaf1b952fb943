//! The records of offers: stored in pieces (`records/pieces.rs`).
//!
//! | key | content |
//! | --- | --- |
//! | account, 0x00, name, 0x00 | the offer as JSON (docs/MONEY.md): a contract that is not in force |
//!
//! Without the second 0x00, pieces of a name would be between those of a shorter one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::named_facts::NamedFacts;
use crate::domain::AccountName;
use crate::ledger::contract::{Contract, Label};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, pieces};

/// The offers of an account, by name.
pub(crate) type Offers = BTreeMap<Label, Contract>;
/// The offers of each account.
pub(crate) type AllOffers = NamedFacts<Contract>;

/// The key of an offer, without the number of a piece.
pub(crate) fn offer_key(account: &AccountName, name: &Label) -> String {
    format!("{account}\0{name}\0")
}

/// The offer in a record, and its account; `None` if the record is damaged.
pub(crate) fn offer_of(key: &[u8], content: Option<&[u8]>) -> Option<(AccountName, Contract)> {
    let names = std::str::from_utf8(key).ok()?.strip_suffix('\0')?;
    let (account, name) = names.split_once('\0')?;
    let offer = Contract::parse(std::str::from_utf8(content?).ok()?).ok()?;
    let is_its_name = offer.name().as_str() == name;
    Some((AccountName::new(account).ok()?, offer)).filter(|_| is_its_name)
}

/// All offers. Stores of older versions have none.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllOffers, StoreError> {
    let mut all = BTreeMap::<AccountName, Offers>::new();
    for (key, content) in pieces::joined(view.all(RecordKind::Offers)?) {
        let (account, offer) = offer_of(&key, content.as_deref()).ok_or_else(|| {
            let shown = key.escape_ascii();
            StoreError::Damaged(format!("the record of the offer {shown} is damaged"))
        })?;
        let own = all.entry(account).or_default();
        own.insert(offer.name().clone(), offer);
    }
    let all = all.into_iter();
    Ok(all.map(|(name, own)| (name, Arc::new(own))).collect())
}
