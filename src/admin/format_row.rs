//! Described formats of files, in the form of answers and of commands' JSON.

use serde::{Deserialize, Serialize};

use crate::domain::AccountName;
use crate::ingest::table::KnownFormat;
use crate::ledger::contract::Label;
use crate::store::Registry;

/// A described format of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatRow {
    /// Its account.
    pub account: String,
    /// Its name.
    pub name: String,
    /// Names of columns that such files have.
    pub columns: Vec<String>,
    /// The format, in TOML.
    pub text: String,
}

impl FormatRow {
    /// The formats of an account, by name.
    #[must_use]
    pub fn all(registry: &Registry, account: &AccountName) -> Vec<Self> {
        let all = registry.formats(account);
        all.map(|format| Self::new(account, format)).collect()
    }

    /// The next format of an account after this name; the first one without a name.
    pub(crate) fn after(
        registry: &Registry,
        account: &AccountName,
        last: Option<&str>,
    ) -> Option<Self> {
        let mut all = registry.formats(account);
        let next = all.find(|(name, _)| last.is_none_or(|last| name.as_str() > last))?;
        Some(Self::new(account, next))
    }

    fn new(account: &AccountName, (name, text): (&Label, &str)) -> Self {
        Self {
            account: account.to_string(),
            name: name.to_string(),
            columns: KnownFormat::parse(text).map_or_else(|_| Vec::new(), |format| format.columns),
            text: text.to_owned(),
        }
    }

    /// The formats for an import. One that a later version wrote may not be known here.
    pub(crate) fn parsed(rows: &[Self]) -> Vec<KnownFormat> {
        let parse = |row: &Self| KnownFormat::parse(&row.text).ok();
        rows.iter().filter_map(parse).collect()
    }
}
