//! The JSON records of entries.

use std::io;

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::domain::{AccountName, HomeAssistantEntry};
use crate::ledger::contract::{Label, Tenancy};
use crate::store::care::backup::frame::{FrameKind, json};
use crate::store::care::backup::record::{BackupContract, contract, parse};
use crate::store::registry::bill_records::BillRecord;
use crate::store::registry::purchase_records::PurchaseRecord;
use crate::store::registry::{AccountEntry, LONGEST_FORMAT};

/// A bill, as the store keeps it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupBill {
    account: AccountName,
    number: u32,
    bill: BillRecord,
}

/// A described format of files: its name, and its text in TOML.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupFormat {
    account: AccountName,
    name: Label,
    text: String,
}

/// A purchase, as the store keeps it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupPurchase {
    account: AccountName,
    name: Label,
    purchase: PurchaseRecord,
}

/// A tenancy, as JSON of its own (docs/MONEY.md).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupTenancy {
    account: AccountName,
    tenancy: Box<RawValue>,
}

/// A Home Assistant, without its token.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BackupHomeAssistant {
    account: AccountName,
    home_assistant: HomeAssistantEntry,
}

/// The frame of an entry.
pub(crate) fn to_frame(
    account: &AccountName,
    entry: &AccountEntry,
) -> io::Result<(FrameKind, Vec<u8>)> {
    let owner = account.clone();
    match entry {
        AccountEntry::Bill(number, bill) => {
            let (account, number, bill) = (owner, *number, bill.into());
            let record = BackupBill {
                account,
                number,
                bill,
            };
            json(FrameKind::Bill, &record)
        }
        AccountEntry::Format(name, text) => {
            let (account, name, text) = (owner, name.clone(), text.to_string());
            let record = BackupFormat {
                account,
                name,
                text,
            };
            json(FrameKind::Format, &record)
        }
        AccountEntry::Offer(one) => json(FrameKind::Offer, &BackupContract::new(account, one)?),
        AccountEntry::Purchase(one) => {
            let record = BackupPurchase {
                account: owner,
                name: one.terms().name.clone(),
                purchase: one.into(),
            };
            json(FrameKind::Purchase, &record)
        }
        AccountEntry::Tenancy(one) => {
            let record = BackupTenancy {
                account: owner,
                tenancy: to_raw_value(one)?,
            };
            json(FrameKind::Tenancy, &record)
        }
        AccountEntry::HomeAssistant(home) => {
            let record = BackupHomeAssistant {
                account: owner,
                home_assistant: (**home).clone(),
            };
            json(FrameKind::HomeAssistant, &record)
        }
    }
}

/// The entry in a frame of its kind, and its account.
pub(crate) fn entry(kind: FrameKind, content: &[u8]) -> Option<(AccountName, AccountEntry)> {
    Some(match kind {
        FrameKind::Bill => {
            let record: BackupBill = parse(content)?;
            let entry = AccountEntry::Bill(record.number, record.bill.parse()?);
            (record.account, entry)
        }
        FrameKind::Format => {
            let record: BackupFormat = parse(content)?;
            (record.text.len() <= LONGEST_FORMAT).then_some(())?;
            let entry = AccountEntry::Format(record.name, record.text.into());
            (record.account, entry)
        }
        FrameKind::Offer => {
            let (account, offer) = contract(content)?;
            (account, AccountEntry::Offer(Box::new(offer)))
        }
        FrameKind::Purchase => {
            let record: BackupPurchase = parse(content)?;
            let purchase = record.purchase.parse(record.name)?;
            (record.account, AccountEntry::Purchase(purchase))
        }
        FrameKind::Tenancy => {
            let record: BackupTenancy = parse(content)?;
            let tenancy = Tenancy::parse(record.tenancy.get()).ok()?;
            (record.account, AccountEntry::Tenancy(tenancy))
        }
        FrameKind::HomeAssistant => {
            let record: BackupHomeAssistant = parse(content)?;
            let home = Box::new(record.home_assistant);
            (record.account, AccountEntry::HomeAssistant(home))
        }
        _ => return None,
    })
}
