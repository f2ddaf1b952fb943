//! Entries that people make in an account, each under a name or a number of its own. A kind is
//! described here and in `domain/entry_kind.rs`, and all the rest follows: loading, changes, the
//! end of an account, checks, salvage, backups.
//!
//! | kind | key | content |
//! | --- | --- | --- |
//! | bill | account, 0x00, number as 8 hexadecimal digits | see `bill_records.rs` |
//! | format of files | account, 0x00, name, 0x00 | record: the text, in TOML, which the store does not read |
//! | offer | account, 0x00, name, 0x00 | the offer as JSON (docs/MONEY.md): a contract that is not in force |
//! | purchase | account, 0x00, name | see `purchase_records.rs` |
//! | tenancy | account, 0x00, name, 0x00 | JSON (docs/MONEY.md) |
//! | Home Assistant | account, 0x00 | JSON: `address`; `token_file`, if there is one |
//!
//! All but purchases are stored in pieces (`records/pieces.rs`). Without the second 0x00, pieces of
//! a name would be between those of a shorter one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::bill_records::BillRecord;
use super::contract_records::encode_contract;
use super::purchase_records::PurchaseRecord;
use crate::domain::{AccountName, EntryKind, HomeAssistantEntry};
use crate::ledger::Purchase;
use crate::ledger::contract::{Contract, Label, Tenancy};
use crate::ledger::utility::EnteredBill;
use crate::store::error::StoreError;
use crate::store::records::{KindChanges, RecordKind, RecordsView, pieces, record};

const VERSION: u8 = 1;
/// The maximum length of a format, in bytes: each import reads all of an account.
pub const LONGEST_FORMAT: usize = 16_000;
/// The maximum length of the description of a Home Assistant, in bytes: it fits into a record.
const LONGEST_HOME_ASSISTANT: usize = 16_000;

/// An entry of an account.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AccountEntry {
    /// A bill of the utility, and its number.
    Bill(u32, EnteredBill),
    /// The name of a format of files, and its text.
    Format(Label, Arc<str>),
    Offer(Box<Contract>),
    Purchase(Purchase),
    Tenancy(Tenancy),
    HomeAssistant(Box<HomeAssistantEntry>),
}

/// The name or number of an entry: no other one of its kind in the account has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryName {
    Number(u32),
    Name(Label),
    /// That of the one entry of a kind without names.
    Only,
}

/// The entries of an account of one kind, by name.
type NamedEntries = BTreeMap<EntryName, AccountEntry>;

/// The entries of all accounts of one kind. Shared, because each change copies the registry.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindEntries(BTreeMap<AccountName, Arc<NamedEntries>>);

impl EntryName {
    /// The key of its record, without the number of a piece.
    pub(super) fn key(&self, kind: EntryKind, account: &AccountName) -> String {
        match self {
            Self::Number(number) => format!("{account}\0{number:08x}"),
            Self::Name(name) if kind == EntryKind::Purchase => format!("{account}\0{name}"),
            Self::Name(name) => format!("{account}\0{name}\0"),
            Self::Only => format!("{account}\0"),
        }
    }
}

// As in errors.
impl fmt::Debug for EntryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Name(name) => fmt::Debug::fmt(name, formatter),
            Self::Only => formatter.write_str("of the account"),
        }
    }
}

impl From<&Label> for EntryName {
    fn from(name: &Label) -> Self {
        Self::Name(name.clone())
    }
}

impl AccountEntry {
    pub(crate) const fn kind(&self) -> EntryKind {
        match self {
            Self::Bill(..) => EntryKind::Bill,
            Self::Format(..) => EntryKind::Format,
            Self::Offer(_) => EntryKind::Offer,
            Self::Purchase(_) => EntryKind::Purchase,
            Self::Tenancy(_) => EntryKind::Tenancy,
            Self::HomeAssistant(_) => EntryKind::HomeAssistant,
        }
    }

    pub(crate) fn name(&self) -> EntryName {
        match self {
            Self::Bill(number, _) => EntryName::Number(*number),
            Self::Format(name, _) => name.into(),
            Self::Offer(offer) => offer.name().into(),
            Self::Purchase(purchase) => (&purchase.terms().name).into(),
            Self::Tenancy(tenancy) => (&tenancy.name).into(),
            Self::HomeAssistant(_) => EntryName::Only,
        }
    }

    /// The content of its record.
    ///
    /// # Errors
    /// [`StoreError::TextTooLong`].
    pub(crate) fn encode(&self) -> Result<Vec<u8>, StoreError> {
        match self {
            Self::Bill(_, bill) => record::encode(VERSION, &BillRecord::from(bill)),
            Self::Format(_, text) => {
                check_format_length(text)?;
                record::encode(VERSION, &text.as_ref())
            }
            Self::Offer(offer) => encode_contract(offer),
            Self::Purchase(purchase) => record::encode(VERSION, &PurchaseRecord::from(purchase)),
            // Texts alone, and writing to memory does not fail.
            Self::Tenancy(tenancy) => Ok(serde_json::to_vec(tenancy).unwrap_or_default()),
            Self::HomeAssistant(home) => {
                // Texts alone, and writing to memory does not fail.
                let text = serde_json::to_vec(home).unwrap_or_default();
                if text.len() > LONGEST_HOME_ASSISTANT {
                    return Err(StoreError::TextTooLong {
                        what: "the description of a Home Assistant",
                        longest: LONGEST_HOME_ASSISTANT,
                    });
                }
                Ok(text)
            }
        }
    }

    /// The entry in a record, and its account; `None` if the record is damaged.
    pub(crate) fn of_record(
        kind: EntryKind,
        key: &[u8],
        content: Option<&[u8]>,
    ) -> Option<(AccountName, Self)> {
        let (account, of) = std::str::from_utf8(key).ok()?.split_once('\0')?;
        let (account, content) = (AccountName::new(account).ok()?, content?);
        let name = || Label::new(of.strip_suffix('\0').unwrap_or(of)).ok();
        let entry = match kind {
            EntryKind::Bill => {
                let bill = record::decode::<BillRecord>(VERSION, content)?.parse()?;
                Self::Bill(u32::from_str_radix(of, 16).ok()?, bill)
            }
            EntryKind::Format => {
                Self::Format(name()?, record::decode::<String>(VERSION, content)?.into())
            }
            EntryKind::Offer => {
                let offer = Contract::parse(std::str::from_utf8(content).ok()?);
                Self::Offer(Box::new(offer.ok()?))
            }
            EntryKind::Purchase => {
                let record = record::decode::<PurchaseRecord>(VERSION, content)?;
                Self::Purchase(record.parse(name()?)?)
            }
            EntryKind::Tenancy => {
                let text = std::str::from_utf8(content).ok()?;
                Self::Tenancy(Tenancy::parse(text).ok()?)
            }
            EntryKind::HomeAssistant => Self::HomeAssistant(serde_json::from_slice(content).ok()?),
        };
        // Only one way to write each key is valid.
        let is_its_key = entry.name().key(kind, &account).as_bytes() == key;
        is_its_key.then_some((account, entry))
    }
}

/// Checks that a format may be so long.
///
/// # Errors
/// [`StoreError::TextTooLong`].
pub fn check_format_length(text: &str) -> Result<(), StoreError> {
    if text.len() > LONGEST_FORMAT {
        return Err(StoreError::TextTooLong {
            what: "a format of files",
            longest: LONGEST_FORMAT,
        });
    }
    Ok(())
}

/// The kind of the records of a kind of entries.
pub(crate) const fn records_of(kind: EntryKind) -> RecordKind {
    match kind {
        EntryKind::Bill => RecordKind::Bills,
        EntryKind::Format => RecordKind::Formats,
        EntryKind::Offer => RecordKind::Offers,
        EntryKind::Purchase => RecordKind::Purchases,
        EntryKind::Tenancy => RecordKind::Tenancies,
        EntryKind::HomeAssistant => RecordKind::HomeAssistants,
    }
}

/// Puts the content of a record, or removes the record.
pub(super) fn write(
    records: &mut KindChanges,
    (kind, key): (EntryKind, &str),
    content: Option<Vec<u8>>,
) {
    match (content, kind) {
        (Some(content), EntryKind::Purchase) => records.insert(key, content),
        (None, EntryKind::Purchase) => records.remove(key),
        (Some(content), _) => pieces::put(records, key, &content),
        (None, _) => pieces::remove(records, key),
    }
}

impl KindEntries {
    /// All entries of a kind. Stores of older versions have none of some.
    pub(super) fn load(kind: EntryKind, view: &dyn RecordsView) -> Result<Self, StoreError> {
        let records = view.all(records_of(kind))?;
        let records = match kind {
            EntryKind::Purchase => {
                let whole = records.into_iter();
                whole.map(|(key, value)| (key, Some(value))).collect()
            }
            _ => pieces::joined(records),
        };
        let mut all = BTreeMap::<AccountName, NamedEntries>::new();
        for (key, content) in records {
            let entry = AccountEntry::of_record(kind, &key, content.as_deref());
            let (account, entry) = entry.ok_or_else(|| {
                let (what, key) = (kind.as_str(), key.escape_ascii());
                StoreError::Damaged(format!("the record of the {what} {key} is damaged"))
            })?;
            all.entry(account).or_default().insert(entry.name(), entry);
        }
        let all = all.into_iter();
        Ok(Self(all.map(|(name, own)| (name, own.into())).collect()))
    }

    /// The entries of an account, by name.
    pub(crate) fn of(&self, account: &AccountName) -> impl Iterator<Item = &AccountEntry> {
        let all = self.0.get(account).into_iter();
        all.flat_map(|all| all.values())
    }

    /// All entries, each with its account.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&AccountName, &AccountEntry)> {
        let all = self.0.iter();
        all.flat_map(|(account, all)| all.values().map(move |one| (account, one)))
    }

    /// The accounts that have some.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &AccountName> {
        self.0.keys()
    }

    /// Puts an entry in the place of the one of the same name. Returns how many the account has.
    pub(super) fn put(&mut self, account: &AccountName, entry: AccountEntry) -> usize {
        let own = Arc::make_mut(self.0.entry(account.clone()).or_default());
        own.insert(entry.name(), entry);
        own.len()
    }

    /// Removes an entry; returns whether there was one.
    pub(super) fn remove(&mut self, account: &AccountName, name: &EntryName) -> bool {
        let Some(own) = self.0.get_mut(account) else {
            return false;
        };
        let is_known = Arc::make_mut(own).remove(name).is_some();
        if own.is_empty() {
            self.0.remove(account);
        }
        is_known
    }
}
