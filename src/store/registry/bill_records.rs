//! The records of the utility's bills: stored in pieces (`records/pieces.rs`), and as the same JSON
//! in a backup.
//!
//! | key | content |
//! | --- | --- |
//! | account, 0x00, number as 8 hexadecimal digits | record: range, energy, total, lines |

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, Decimal, MicroWh, TimeRange, Timestamp};
use crate::ledger::contract::Label;
use crate::ledger::utility::{EnteredBill, EnteredLine};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, pieces, record};

const VERSION: u8 = 1;

/// The bills of an account, by number.
pub(crate) type Bills = BTreeMap<u32, EnteredBill>;
/// The bills of each account.
pub(crate) type AllBills = BTreeMap<AccountName, Arc<Bills>>;

/// Times are milliseconds since 1970, the energy is in millionths of a watt-hour, amounts are in
/// millionths of the currency.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BillRecord {
    from: i64,
    to: i64,
    energy: Option<i64>,
    total: i64,
    lines: Vec<(String, i64)>,
}

impl From<&EnteredBill> for BillRecord {
    fn from(bill: &EnteredBill) -> Self {
        let line = |line: &EnteredLine| (line.name.to_string(), line.amount.millionths());
        Self {
            from: bill.range.start().millis(),
            to: bill.range.end().millis(),
            energy: bill.energy.map(MicroWh::millionths),
            total: bill.total.millionths(),
            lines: bill.lines.iter().map(line).collect(),
        }
    }
}

impl BillRecord {
    /// `None` if it is invalid.
    pub(crate) fn parse(self) -> Option<EnteredBill> {
        let [from, to] = [self.from, self.to].map(Timestamp::from_millis);
        let line = |(name, amount): (String, i64)| {
            Some(EnteredLine {
                name: Label::new(&name).ok()?,
                amount: Decimal::from_millionths(amount),
            })
        };
        let (from, to) = from.zip(to).filter(|(from, to)| from < to)?;
        let lines = self.lines.into_iter().map(line).collect::<Option<Vec<_>>>();
        Some(EnteredBill {
            range: TimeRange::new(from, to)?,
            energy: self.energy.map(MicroWh::new),
            total: Decimal::from_millionths(self.total),
            lines: lines.filter(|lines| lines.len() <= EnteredBill::MOST_LINES)?,
        })
    }
}

/// The key of a bill, without the number of a piece.
pub(crate) fn bill_key(account: &AccountName, number: u32) -> String {
    format!("{account}\0{number:08x}")
}

/// The bill in a record, with its account and its number; `None` if the record is damaged.
pub(crate) fn bill_of(
    key: &[u8],
    content: Option<&[u8]>,
) -> Option<(AccountName, u32, EnteredBill)> {
    let (account, digits) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let account = AccountName::new(account).ok()?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    // Only one way to write each key is valid.
    (bill_key(&account, number).as_bytes() == key).then_some(())?;
    let bill = record::decode::<BillRecord>(VERSION, content?)?.parse()?;
    Some((account, number, bill))
}

/// The content of a bill's record. Even with the maximum number of lines, it is shorter than a
/// record in pieces may be.
pub(crate) fn encode_bill(bill: &EnteredBill) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &BillRecord::from(bill))
}

/// All bills.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllBills, StoreError> {
    let mut all = BTreeMap::<AccountName, Bills>::new();
    for (key, content) in pieces::joined(view.all(RecordKind::Bills)?) {
        let (account, number, bill) = bill_of(&key, content.as_deref()).ok_or_else(|| {
            StoreError::Damaged(format!(
                "the record of bill {} is damaged",
                key.escape_ascii()
            ))
        })?;
        all.entry(account).or_default().insert(number, bill);
    }
    let all = all.into_iter();
    Ok(all.map(|(name, bills)| (name, Arc::new(bills))).collect())
}
