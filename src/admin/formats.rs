//! Described formats of files: a supplier's columns, in TOML, to import such files without options.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::format_row::FormatRow;
use super::names::owner;
use super::response::Response;
use crate::domain::AccountName;
use crate::ingest::table::KnownFormat;
use crate::ledger::contract::Label;
use crate::store::{Store, check_format_length};

/// A request about described formats. The account is `None` if there is only one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum FormatRequest {
    /// The formats of an account. Answer: [`Response::Formats`].
    List {
        /// The account.
        account: Option<String>,
    },
    /// Adds a format, replacing the one of the same name. Answer: [`Response::Text`], its name.
    Put {
        /// The account.
        account: Option<String>,
        /// The format, in TOML.
        text: String,
    },
    /// Removes a format. Answer: [`Response::Done`].
    Remove {
        /// The account.
        account: Option<String>,
        /// The name of the format.
        name: String,
    },
}

pub(super) fn run(store: &Store, request: FormatRequest) -> Result<Response, AdminError> {
    let registry = store.registry();
    let owner = |account: Option<String>| owner(&registry, account.as_deref());
    match request {
        FormatRequest::List { account } => {
            let rows = FormatRow::all(&registry, &owner(account)?);
            Ok(Response::Formats(rows))
        }
        FormatRequest::Put { account, text } => {
            let name = put_format(store, &owner(account)?, text)?;
            Ok(Response::Text(name))
        }
        FormatRequest::Remove { account, name } => {
            remove_format(store, &owner(account)?, &name)?;
            Ok(Response::Done)
        }
    }
}

/// Adds a format, replacing the one of the same name, and returns its name. Blocks.
///
/// # Errors
/// [`AdminError::Refused`] names the line at fault; [`AdminError::Unfit`] if it is too long or
/// there would be too many; [`AdminError::Store`].
pub fn put_format(
    store: &Store,
    account: &AccountName,
    text: String,
) -> Result<String, AdminError> {
    // Before it is parsed: a table of TOML takes a hundred times the memory of its text.
    check_format_length(&text)?;
    let format = KnownFormat::parse(&text).map_err(AdminError::Refused)?;
    let name = label(&format.name)?;
    let account = account.clone();
    store.edit(move |edit| edit.put_format(&account, &name, &text))?;
    Ok(format.name)
}

/// Removes a format. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is no such format, [`AdminError::Store`].
pub fn remove_format(store: &Store, account: &AccountName, name: &str) -> Result<(), AdminError> {
    let (account, name) = (account.clone(), label(name)?);
    Ok(store.edit(move |edit| edit.remove_format(&account, &name))?)
}

fn label(text: &str) -> Result<Label, AdminError> {
    Label::new(text).map_err(|error| wrong("name", error, None))
}
