//! `wattkeeper formats`: described formats of files, which `wattkeeper import` recognises.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use super::args::Global;
use super::input::read_text;
use super::owned::OwnerArgs;
use crate::admin::EntryForm;
use crate::domain::EntryKind;
use crate::store::LONGEST_FORMAT;

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
        let entries = global.entries(EntryKind::Format);
        match self {
            Self::List { of } => {
                let columns = ["account", "name", "columns"].map(|name| (name, name));
                let hint = "There are no formats: `wattkeeper formats add` adds one.";
                entries.print(&entries.list(of)?, &columns, hint)
            }
            Self::Show { name, of } => {
                let row: Value = entries.named(of, &name)?;
                let text = row.get("text").and_then(Value::as_str).unwrap_or_default();
                global.print(&row, text.trim_end())
            }
            Self::Add { file, of } => {
                let text = read_text(&file, LONGEST_FORMAT)?;
                let (added, _) = entries.put(of, EntryForm::Format(text))?;
                let name = added
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                global.print(&json!({"name": name}), &format!("added the format {name}"))
            }
            Self::Remove { name, of } => {
                entries.remove(of, name.clone())?;
                global.print(
                    &json!({"removed": name}),
                    &format!("removed the format {name}"),
                )
            }
        }
    }
}
