//! `wattkeeper formats`: described formats of files, which `wattkeeper import` recognises.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use serde_json::json;

use super::args::Global;
use super::contract::OwnerArgs;
use super::input::read_text;
use super::output::TableRow;
use crate::admin::{FormatRequest, FormatRow, Request};
use crate::store::{LONGEST_FORMAT, StoreError};

/// Described formats of files: which columns a supplier's file has, and how they are read
#[derive(Subcommand)]
pub(super) enum FormatsCommand {
    /// List the formats of an account
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Print a format
    Show {
        /// The name of the format
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Add a format from a file; it replaces the one of the same name
    Add {
        /// A TOML file, described in docs/MOVING.md; - is standard input
        file: PathBuf,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Remove a format
    Remove {
        /// The name of the format
        name: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

impl FormatsCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::List { of } => {
                let account = of.account;
                let request = Request::Formats(FormatRequest::List { account });
                let hint = "There are no formats: `wattkeeper formats add` adds one.";
                global.list::<FormatRow>(request, hint)
            }
            Self::Show { name, of } => {
                let account = of.account;
                let request = Request::Formats(FormatRequest::List { account });
                let rows: Vec<FormatRow> = global.ask(request)?;
                let row = rows.into_iter().find(|row| row.name == name);
                let row = row.ok_or(StoreError::UnknownFormat(name))?;
                global.print(&row, row.text.trim_end())
            }
            Self::Add { file, of } => {
                let text = read_text(&file, LONGEST_FORMAT)?;
                let account = of.account;
                let request = Request::Formats(FormatRequest::Put { account, text });
                let name: String = global.ask(request)?;
                global.print(&json!({"name": name}), &format!("added the format {name}"))
            }
            Self::Remove { name, of } => {
                let account = of.account;
                let removed = name.clone();
                let request = Request::Formats(FormatRequest::Remove { account, name });
                global.ask::<()>(request)?;
                global.print(
                    &json!({"removed": removed}),
                    &format!("removed the format {removed}"),
                )
            }
        }
    }
}

impl TableRow for FormatRow {
    const HEADER: &[&str] = &["account", "name", "columns"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.account.clone(),
            self.name.clone(),
            self.columns.join(", "),
        ]
    }
}
