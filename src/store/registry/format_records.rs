//! The records of described formats of files: stored in pieces (`records/pieces.rs`).
//!
//! | key | content |
//! | --- | --- |
//! | account, 0x00, name, 0x00 | record: the text, in TOML, which the store does not read |
//!
//! Without the second 0x00, pieces of a name would be between those of a shorter one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::named_facts::NamedFacts;
use crate::domain::AccountName;
use crate::ledger::contract::Label;
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, pieces, record};

const VERSION: u8 = 1;

/// The texts of the formats of an account, by name.
pub(crate) type Formats = BTreeMap<Label, Arc<str>>;
/// The formats of each account.
pub(crate) type AllFormats = NamedFacts<Arc<str>>;

/// The key of a format, without the number of a piece.
pub(crate) fn format_key(account: &AccountName, name: &Label) -> String {
    format!("{account}\0{name}\0")
}

/// The account, the name and the text in a record; `None` if it is damaged.
pub(crate) fn format_of(
    key: &[u8],
    content: Option<&[u8]>,
) -> Option<(AccountName, Label, String)> {
    let names = std::str::from_utf8(key).ok()?.strip_suffix('\0')?;
    let (account, name) = names.split_once('\0')?;
    let (account, name) = (AccountName::new(account).ok()?, Label::new(name).ok()?);
    Some((account, name, record::decode(VERSION, content?)?))
}

/// The content of a format's record.
pub(crate) fn encode_format(text: &str) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &text)
}

/// All formats.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllFormats, StoreError> {
    let mut all = BTreeMap::<AccountName, Formats>::new();
    for (key, content) in pieces::joined(view.all(RecordKind::Formats)?) {
        let (account, name, text) = format_of(&key, content.as_deref()).ok_or_else(|| {
            let shown = key.escape_ascii();
            StoreError::Damaged(format!("the record of the format {shown} is damaged"))
        })?;
        all.entry(account).or_default().insert(name, text.into());
    }
    let all = all.into_iter();
    Ok(all.map(|(name, own)| (name, Arc::new(own))).collect())
}
