//! What every command has: its flags, its way to the store, and its way to print a result.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgAction, Args};
use serde::Serialize;

use super::connection::StoreConnection;
use super::logging::start_log;
use super::output::{TableRow, note, print_json, print_line, print_table};
use crate::admin::{Request, Response, UnexpectedResponse};
use crate::config::{Flags, Loaded, load};
use crate::store::OpenMode;

// No doc comment: clap would take it for the program's description.
// What every command takes, before or after its name.
#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Global {
    /// The configuration file [default: ./config.toml, or else /etc/wattkeeper/config.toml, if it exists]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder that holds the store
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) data_dir: Option<PathBuf>,
    /// Print the result as JSON, nothing else, on stdout
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Log more; twice, everything
    #[arg(long, short, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Print no messages and log errors only
    #[arg(long, short, global = true)]
    pub(super) quiet: bool,
}

/// Wrong usage of the command line: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Usage(String);

/// A [`Usage`] error.
pub(super) fn usage(text: impl Into<String>) -> anyhow::Error {
    Usage(text.into()).into()
}

impl Global {
    /// The settings in force. `listen` is the flag of that name, if the command has one.
    pub(super) fn load(&self, listen: Option<SocketAddr>) -> Result<Loaded> {
        let flags = Flags {
            config: self.config.clone(),
            data_dir: self.data_dir.clone(),
            listen,
            log_level: self.log_level().map(str::to_owned),
        };
        // Variables that are not UTF-8 are passed over: they belong to other programs.
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Ok(load(&flags, environment)?)
    }

    /// Starts the log of a command other than `serve`: it is silent unless something is wrong or -v is given.
    pub(super) fn start_log(&self) {
        start_log(self.log_level().unwrap_or("warn"));
    }

    /// The level that -v or -q sets.
    pub(super) fn log_level(&self) -> Option<&'static str> {
        match (self.verbose, self.quiet) {
            (_, true) => Some("error"),
            (0, false) => None,
            (1, false) => Some("debug"),
            (_, false) => Some("trace"),
        }
    }

    /// Does `work` on the store that the settings name, through the running server if there is one.
    pub(super) fn with_store<T>(
        &self,
        mode: OpenMode,
        work: impl FnOnce(&StoreConnection) -> Result<T>,
    ) -> Result<T> {
        self.start_log();
        let config = self.load(None)?.config;
        let connection = StoreConnection::open(&config, mode)?;
        let result = work(&connection)?;
        connection.close()?;
        Ok(result)
    }

    /// Has an existing store carry out one request.
    pub(super) fn ask<T>(&self, request: Request) -> Result<T>
    where
        T: TryFrom<Response, Error = UnexpectedResponse>,
    {
        self.with_store(OpenMode::Existing, |store| store.ask(request))
    }

    /// Prints a message for the person at the terminal.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            note(text);
        }
    }

    /// Prints a command's result: `json`, or else `text`.
    pub(super) fn print(&self, json: &impl Serialize, text: &str) -> Result<()> {
        if self.json {
            print_json(json)
        } else {
            print_line(text)
        }
    }

    /// Prints all rows of a kind, and a hint if there are none.
    pub(super) fn print_list<T: TableRow>(&self, rows: &[T], hint: &str) -> Result<()> {
        if rows.is_empty() {
            self.note(hint);
        }
        self.print_rows(rows)
    }

    /// Prints rows: a table, or one array of JSON.
    pub(super) fn print_rows<T: TableRow>(&self, rows: &[T]) -> Result<()> {
        if self.json {
            print_json(&rows)
        } else {
            print_table(rows)
        }
    }

    /// Prints the one row that was added or changed.
    pub(super) fn print_changed<T: TableRow>(&self, rows: &[T]) -> Result<()> {
        // As JSON it is an object, not an array of one.
        if self.json {
            rows.iter().try_for_each(print_json)
        } else {
            print_table(rows)
        }
    }
}
