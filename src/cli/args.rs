//! Parts of every command: its flags, its access to the store, and the printing of its result.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Once};

use anyhow::Result;
use clap::{ArgAction, Args};
use log::Level;
use serde::Serialize;

use super::connection::StoreConnection;
use super::logging::start_log;
use super::output::{TableRow, note, print_json, print_line, print_table};
use crate::admin::{AdminError, Request, Response, UnexpectedResponse};
use crate::config::{Config, Flags, Loaded, load};
use crate::store::{OpenMode, Store};

// No doc comment, because clap would take it for the program's description. The options of every
// command, before or after its name.
#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Global {
    /// The configuration file [default: /etc/wattkeeper/config.toml, if it exists; `serve` prefers
    /// ./config.toml]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder that contains the store
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

/// Logs which file was read, and which variables were ignored.
fn log_sources(loaded: &Loaded, level: Level) {
    if let Some(path) = &loaded.file {
        log::log!(level, "reading settings from {}", path.display());
    }
    for name in &loaded.ignored {
        log::debug!("ignoring {name}, which Kubernetes or Docker set");
    }
}

impl Global {
    /// The settings in force.
    pub(super) fn load(&self) -> Result<Loaded> {
        /// A command may load the settings more than once.
        static NOTE: Once = Once::new();
        let loaded = load(&self.flags(), std::env::vars_os())?;
        if let Some(path) = &loaded.file_not_read {
            let path = path.display();
            NOTE.call_once(|| {
                self.note(&format!(
                    "{path} is not used: only `serve` reads it by default. To use it, add --config {path}"
                ));
            });
        }
        log_sources(&loaded, Level::Debug);
        Ok(loaded)
    }

    /// The settings of a command that opens the data dir; `None` if they are invalid, or if the
    /// store is in PostgreSQL. Logs nothing.
    pub(super) fn config_if_opened(&self, is_service: bool) -> Option<Config> {
        let flags = Flags {
            in_current_folder: is_service,
            ..self.flags()
        };
        let config = load(&flags, std::env::vars_os()).ok()?.config;
        // A service always has its socket in the data dir.
        (is_service || config.store.engine.is_none()).then_some(config)
    }

    /// The settings of `serve`, which may also come from `./config.toml`. `listen` is its flag of
    /// that name. Starts the log.
    pub(super) fn load_for_service(&self, listen: Option<SocketAddr>) -> Result<Loaded> {
        let flags = Flags {
            in_current_folder: true,
            listen,
            ..self.flags()
        };
        let loaded = load(&flags, std::env::vars_os())?;
        start_log(&loaded.config.log.filter());
        log_sources(&loaded, Level::Info);
        Ok(loaded)
    }

    fn flags(&self) -> Flags {
        Flags {
            config: self.config.clone(),
            in_current_folder: false,
            data_dir: self.data_dir.clone(),
            listen: None,
            log_level: self.log_level().map(str::to_owned),
        }
    }

    /// Starts the log of a command other than `serve`: only warnings and errors are shown, unless
    /// -v is given.
    pub(super) fn start_log(&self) {
        let level = self.log_level().unwrap_or("warn");
        // The HTTP client comes last, because its most detailed messages contain credentials.
        start_log(&format!("{level},ureq=error"));
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

    /// Does `work` on the store of the settings, through the running server if there is one.
    pub(super) fn with_store<T>(
        &self,
        mode: OpenMode,
        work: impl FnOnce(&StoreConnection) -> Result<T>,
    ) -> Result<T> {
        self.start_log();
        let config = self.load()?.config;
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

    /// Has the running service carry out a request, which `wrap` makes one of the store; or `direct`,
    /// in this process, if there is none.
    pub(super) fn ask_running<R, T>(
        &self,
        request: R,
        wrap: fn(R) -> Request,
        direct: impl FnOnce(&Config, &Arc<Store>, R) -> Result<Response, AdminError>,
    ) -> Result<T>
    where
        T: TryFrom<Response, Error = UnexpectedResponse>,
    {
        self.start_log();
        let config = self.load()?.config;
        let connection = StoreConnection::running_or_opened(&config, OpenMode::Existing)?;
        let answer = match &connection {
            StoreConnection::Server(_) => connection.ask(wrap(request))?,
            StoreConnection::Direct(store) => direct(&config, store, request)?.try_into()?,
        };
        connection.close()?;
        Ok(answer)
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

    /// Asks for all rows of a kind, and prints them.
    pub(super) fn list<T: TableRow>(&self, request: Request, hint: &str) -> Result<()>
    where
        Vec<T>: TryFrom<Response, Error = UnexpectedResponse>,
    {
        let rows: Vec<T> = self.ask(request)?;
        self.print_list(&rows, hint)
    }

    /// Refuses `--json` for a command that prints CSV.
    pub(super) fn check_csv(&self, command: &str) -> Result<()> {
        if self.json {
            return Err(usage(format!(
                "{command} prints CSV, not a result: leave out --json"
            )));
        }
        Ok(())
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
        // In JSON it is an object, not an array with one element.
        if self.json {
            rows.iter().try_for_each(print_json)
        } else {
            print_table(rows)
        }
    }
}
