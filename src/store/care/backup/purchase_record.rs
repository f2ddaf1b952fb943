//! The JSON record of a purchase.

use serde::{Deserialize, Serialize};

use crate::domain::AccountName;
use crate::ledger::Purchase;
use crate::ledger::contract::Label;
use crate::store::care::backup::record::parse;
use crate::store::registry::purchase_records::PurchaseRecord;

/// A purchase, as the store keeps it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupPurchase {
    account: String,
    name: String,
    purchase: PurchaseRecord,
}

impl BackupPurchase {
    pub(crate) fn new(account: &AccountName, purchase: &Purchase) -> Self {
        Self {
            account: account.to_string(),
            name: purchase.terms().name.to_string(),
            purchase: purchase.into(),
        }
    }
}

/// Reads a purchase, and its account.
pub(crate) fn purchase(content: &[u8]) -> Option<(AccountName, Purchase)> {
    let record: BackupPurchase = parse(content)?;
    let purchase = record.purchase.parse(Label::new(&record.name).ok()?)?;
    Some((AccountName::new(&record.account).ok()?, purchase))
}
