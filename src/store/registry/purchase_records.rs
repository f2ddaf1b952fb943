//! The records of purchases, and the same as JSON in a backup.
//!
//! | key | record |
//! | --- | --- |
//! | account, 0x00, name | kind, date, amount, subsidy, costs per year |

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::named_facts::NamedFacts;
use crate::domain::{AccountName, Decimal, LocalDate};
use crate::ledger::contract::Label;
use crate::ledger::{Purchase, PurchaseTerms};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;

/// The purchases of an account, by name.
pub(crate) type Purchases = BTreeMap<Label, Purchase>;
/// The purchases of each account.
pub(crate) type AllPurchases = NamedFacts<Purchase>;

/// Amounts are in millionths of the currency.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PurchaseRecord {
    kind: String,
    date: String,
    amount: i64,
    subsidy: i64,
    costs_per_year: i64,
}

impl From<&Purchase> for PurchaseRecord {
    fn from(purchase: &Purchase) -> Self {
        let terms = purchase.terms();
        Self {
            kind: terms.kind.as_str().to_owned(),
            date: terms.date.to_string(),
            amount: terms.amount.millionths(),
            subsidy: terms.subsidy.millionths(),
            costs_per_year: terms.costs_per_year.millionths(),
        }
    }
}

impl PurchaseRecord {
    /// The purchase of this name; `None` if it is invalid.
    pub(crate) fn parse(self, name: Label) -> Option<Purchase> {
        let terms = PurchaseTerms {
            name,
            kind: self.kind.parse().ok()?,
            date: LocalDate::parse(&self.date).ok()?,
            amount: Decimal::from_millionths(self.amount),
            subsidy: Decimal::from_millionths(self.subsidy),
            costs_per_year: Decimal::from_millionths(self.costs_per_year),
        };
        Purchase::new(terms).ok()
    }
}

/// The key of a purchase.
pub(crate) fn purchase_key(account: &AccountName, name: &Label) -> String {
    format!("{account}\0{name}")
}

/// The purchase in a record, and its account; `None` if the record is damaged.
pub(crate) fn purchase_of(key: &[u8], value: &[u8]) -> Option<(AccountName, Purchase)> {
    let (account, name) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let name = Label::new(name).ok()?;
    let purchase = record::decode::<PurchaseRecord>(VERSION, value)?.parse(name)?;
    Some((AccountName::new(account).ok()?, purchase))
}

/// The value of a purchase's record.
pub(crate) fn encode_purchase(purchase: &Purchase) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &PurchaseRecord::from(purchase))
}

/// All purchases. Stores of older versions have none.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllPurchases, StoreError> {
    let mut all = BTreeMap::<AccountName, Purchases>::new();
    for (key, value) in view.all(RecordKind::Purchases)? {
        let (account, purchase) = purchase_of(&key, &value).ok_or_else(|| {
            let shown = key.escape_ascii();
            StoreError::Damaged(format!("the record of the purchase {shown} is damaged"))
        })?;
        let own = all.entry(account).or_default();
        own.insert(purchase.terms().name.clone(), purchase);
    }
    let all = all.into_iter();
    Ok(all.map(|(name, own)| (name, Arc::new(own))).collect())
}
