//! Commands about entries: lists, changes, and their tables.

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::args::Global;
use super::output::{aligned, parsed, print_json, print_line};
use super::owned::OwnerArgs;
use crate::admin::{EntryForm, EntryRequest, Request};
use crate::domain::EntryKind;
use crate::store::StoreError;

/// A column of a table: its name, and the member with its values.
pub(super) type EntryColumn = (&'static str, &'static str);

/// The entry that was added or removed, and all that the account has then.
type ChangedEntries = (Value, Vec<String>);

/// A command about entries of a kind.
pub(super) struct EntryCommand<'a> {
    kind: EntryKind,
    global: &'a Global,
}

impl Global {
    /// A command about entries of this kind.
    pub(super) const fn entries(&self, kind: EntryKind) -> EntryCommand<'_> {
        EntryCommand { kind, global: self }
    }
}

impl EntryCommand<'_> {
    /// The entries of an account, as JSON.
    pub(super) fn list(&self, of: OwnerArgs) -> Result<Vec<String>> {
        let (kind, account) = (self.kind, of.account);
        let request = EntryRequest::List { kind, account };
        self.global.ask(Request::Entries(request))
    }

    /// The entry of this name.
    pub(super) fn named<T: DeserializeOwned>(&self, of: OwnerArgs, name: &str) -> Result<T> {
        let rows = self.list(of)?;
        let values: Vec<Value> = parsed(&rows)?;
        let is_its = |value: &Value| value["name"] == name;
        let row = values.iter().position(is_its).and_then(|at| rows.get(at));
        let row = row.ok_or_else(|| StoreError::unknown(self.kind, name))?;
        Ok(serde_json::from_str(row)?)
    }

    /// Adds an entry. Returns it, and then all of the account.
    pub(super) fn put(&self, of: OwnerArgs, form: EntryForm) -> Result<ChangedEntries> {
        let account = of.account;
        self.changed(EntryRequest::Put { account, form })
    }

    /// Removes an entry. Returns it, and those that are left.
    pub(super) fn remove(&self, of: OwnerArgs, name: String) -> Result<ChangedEntries> {
        let (kind, account) = (self.kind, of.account);
        self.changed(EntryRequest::Remove {
            kind,
            account,
            name,
        })
    }

    fn changed(&self, request: EntryRequest) -> Result<ChangedEntries> {
        let mut rows: Vec<String> = self.global.ask(Request::Entries(request))?;
        let all = rows.split_off(rows.len().min(1));
        let row = rows.first().context("the answer has no entry")?;
        Ok((serde_json::from_str(row)?, all))
    }

    /// Prints all rows of a list, and a hint if there are none.
    pub(super) fn print(&self, rows: &[String], columns: &[EntryColumn], hint: &str) -> Result<()> {
        if rows.is_empty() {
            self.global.note(hint);
        }
        let rows: Vec<Value> = parsed(rows)?;
        if self.global.json {
            return print_json(&rows);
        }
        if rows.is_empty() {
            return Ok(());
        }
        print_line(&table(&rows, columns))
    }

    /// Prints the one entry that was added or removed.
    pub(super) fn print_one(&self, row: &Value, columns: &[EntryColumn]) -> Result<()> {
        let text = table(std::slice::from_ref(row), columns);
        self.global.print(row, &text)
    }
}

fn table(rows: &[Value], columns: &[EntryColumn]) -> String {
    let head: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
    let cells = |row: &Value| {
        columns
            .iter()
            .map(|(_, member)| cell(&row[*member]))
            .collect()
    };
    aligned(&head, rows.iter().map(cells).collect())
}

/// A value in a few words: `-` for none, lists with commas, and values of an object side by side.
fn cell(value: &Value) -> String {
    let cells = |values: Vec<&Value>, between: &str| {
        let cells: Vec<String> = values.into_iter().map(cell).collect();
        cells.join(between)
    };
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) => cells(all.iter().collect(), ", "),
        Value::Object(members) => cells(members.values().collect(), " "),
        other => other.to_string(),
    }
}
