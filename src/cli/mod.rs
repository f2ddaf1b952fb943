//! The commands: one file each. Results go to stdout, everything else to stderr.

mod account;
mod backup;
mod check;
mod clock;
mod completions;
mod config;
mod confirm;
mod connection;
mod demo;
mod exchange;
mod export;
mod health;
mod import;
mod key;
mod logging;
mod man;
mod output;
mod password;
mod readings;
mod restore;
mod sensor;
mod serve;

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

use self::connection::Connection;
use self::logging::start_log;
use self::output::note;
use crate::config::{Flags, Loaded, load};
use crate::store::OpenMode;

/// Keeps a household's energy readings.
///
/// One binary, no database server, every acknowledged reading safe. Start with `wattkeeper demo`, or
/// with `wattkeeper account add home` and `wattkeeper serve`.
#[derive(Parser)]
#[command(name = "wattkeeper", version, verbatim_doc_comment)]
struct CommandLine {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

// No doc comment: clap would take it for the program's description.
// What every command takes, before or after its name.
#[derive(Args)]
#[command(next_help_heading = "Options of every command")]
struct Global {
    /// The configuration file [default: ./config.toml, else /etc/wattkeeper/config.toml, if there]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder that holds the store
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Print the result as JSON, nothing else, on stdout
    #[arg(long, global = true)]
    json: bool,
    /// Log more; twice, everything
    #[arg(long, short, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Print no messages and log errors only
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// The commands; what help says of each stands with it.
#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Password(password::SetPassword),
    Demo(demo::Demo),
    #[command(subcommand)]
    Account(account::AccountCommand),
    #[command(subcommand)]
    Key(key::KeyCommand),
    #[command(subcommand)]
    Sensor(sensor::SensorCommand),
    #[command(subcommand)]
    Readings(readings::ReadingsCommand),
    #[command(subcommand)]
    Clock(clock::ClockCommand),
    Import(Box<import::Import>),
    Export(export::Export),
    Check(check::Check),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Health(health::Health),
    /// Print the settings in force and where each came from
    Config,
    Completions(completions::Completions),
    Man(man::ManPages),
}

/// An error that is the command line's own: exit status 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Runs the command line `arguments`, the program's name first. The exit status is 0 where it was
/// done, 1 where it failed, 2 for a command line that is wrong.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => {
            // Help, too, comes as an error. Where it cannot be printed nothing can.
            let _ = error.print();
            let asked = !error.use_stderr();
            return ExitCode::from(if asked { 0 } else { 2 });
        }
    };
    match line.command.run(&line.global) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("{error:#}").replace('\n', " ");
            note(&format!("error: {text}"));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Whether it failed only since nobody reads its output any more, as in `wattkeeper export | head`.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl Command {
    fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Serve(command) => command.run(global),
            Self::Password(command) => command.run(global),
            Self::Demo(command) => command.run(global),
            Self::Account(command) => command.run(global),
            Self::Key(command) => command.run(global),
            Self::Sensor(command) => command.run(global),
            Self::Readings(command) => command.run(global),
            Self::Clock(command) => command.run(global),
            Self::Import(command) => command.run(global),
            Self::Export(command) => command.run(global),
            Self::Check(command) => command.run(global),
            Self::Backup(command) => command.run(global),
            Self::Restore(command) => command.run(global),
            Self::Health(command) => command.run(global),
            Self::Config => config::run(global),
            Self::Completions(command) => command.run(&mut CommandLine::command()),
            Self::Man(command) => command.run(CommandLine::command()),
        }
    }
}

impl Global {
    /// The settings in force. `listen` is the flag of that name, where the command has one.
    fn load(&self, listen: Option<SocketAddr>) -> Result<Loaded> {
        let flags = Flags {
            config: self.config.clone(),
            data_dir: self.data_dir.clone(),
            listen,
            log_level: self.log_level().map(str::to_owned),
        };
        // A variable that is no text cannot be a setting of ours.
        let environment = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Ok(load(&flags, environment)?)
    }

    /// The level that -v or -q asks for.
    fn log_level(&self) -> Option<&'static str> {
        match (self.verbose, self.quiet) {
            (_, true) => Some("error"),
            (0, false) => None,
            (1, false) => Some("debug"),
            (_, false) => Some("trace"),
        }
    }

    /// Does `work` on the store that the settings name, through the server that has it where one runs.
    fn with_store<T>(
        &self,
        mode: OpenMode,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        // Only a service tells what it is doing; a command is silent unless asked or in trouble.
        start_log(self.log_level().unwrap_or("warn"));
        let config = self.load(None)?.config;
        let connection = Connection::open(&config, mode)?;
        let result = work(&connection)?;
        connection.close()?;
        Ok(result)
    }

    /// Says something to the person at the terminal.
    fn note(&self, text: &str) {
        if !self.quiet {
            note(text);
        }
    }
}

/// The error of clap's own kind for a value that is not accepted.
fn usage(text: impl Into<String>) -> anyhow::Error {
    Usage(text.into()).into()
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    /// A file to be imported, its rows understood or refused.
    pub fn import(bytes: &[u8]) {
        super::import::fuzz(bytes);
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn global_flags_stand_before_or_after() {
        for arguments in [
            ["wattkeeper", "--json", "--data-dir", "x", "account", "list"],
            ["wattkeeper", "account", "list", "--json", "--data-dir", "x"],
        ] {
            let line = CommandLine::try_parse_from(arguments).unwrap();
            assert!(line.global.json);
            assert_eq!(line.global.data_dir, Some(PathBuf::from("x")));
        }
    }

    #[test]
    fn verbosity_becomes_a_level() {
        let level = |arguments: &[&str]| {
            let line = CommandLine::try_parse_from(arguments).unwrap();
            line.global.log_level()
        };
        assert_eq!(level(&["wattkeeper", "config"]), None);
        assert_eq!(level(&["wattkeeper", "-v", "config"]), Some("debug"));
        assert_eq!(level(&["wattkeeper", "config", "-vv"]), Some("trace"));
        assert_eq!(level(&["wattkeeper", "config", "-q"]), Some("error"));
        let both = CommandLine::try_parse_from(["wattkeeper", "-q", "-v", "config"]);
        assert_eq!(both.err().unwrap().kind(), ErrorKind::ArgumentConflict);
    }
}
