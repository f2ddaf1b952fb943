//! The commands, one file each: they parse arguments, ask a store or a server, and print. The work
//! is done elsewhere. Results go to stdout, everything else to stderr.
//!
//! - `args`: flags of every command, requests and printing
//! - `connection`, `exchange`: the access to the store, or to the server that has it
//! - `owner`: runs commands of root as the owner of the store; `arenas`: bounds the memory of the service
//! - `output`, `input`, `logging`: tables and progress, questions and secrets, the log;
//!   `line_limit`: limits of the log
//! - `serve`, `health`, `config`, `password`: the service; `person`, `wall`: access to its pages
//! - `account`, `key`, `sensor`, `correct`, `contract`, `prices`, `price_source`, `days`, `utility`, `notices`,
//!   `formats`, `offer`, `purchase`, `tenancy`, `home_assistant`, `readings`, `clock`: registered and stored items; `tariff`: contracts
//!   from tariffs of countries; `entries`, `owned`: the parts that commands about entries share
//! - `energy` (with `statement`), `sensor_statement`, `sides` (`compare` and `savings`), `what_if`, `forecast`,
//!   `peak`, `events`: energy and its cost, so far and likely, and as it would have been; oddities of readings
//! - `import`, `export`, `check`, `backup`, `restore`: data in and out
//! - `demo`, `completions`, `man`: trial, and help

mod account;
mod arenas;
mod args;
mod backup;
mod check;
mod clock;
mod completions;
mod config;
mod connection;
mod contract;
mod correct;
mod days;
mod demo;
mod energy;
mod entries;
mod events;
mod exchange;
mod export;
mod forecast;
mod formats;
mod health;
mod home_assistant;
mod import;
mod input;
mod key;
mod line_limit;
mod logging;
mod man;
mod notices;
mod offer;
mod output;
mod owned;
mod owner;
mod password;
mod peak;
mod person;
mod price_source;
mod prices;
mod purchase;
mod readings;
mod restore;
mod sensor;
mod sensor_statement;
mod serve;
mod sides;
mod tariff;
mod tenancy;
mod utility;
mod wall;
mod what_if;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use rustix::fs::Mode;
use rustix::process::umask;

use self::args::{Global, Usage};
use self::output::note;
use crate::domain::ZoneData;

/// Keeps a household's energy readings.
///
/// One binary, no database server, every acknowledged reading safe. Start with `wattkeeper demo`,
/// or with `wattkeeper account add home` and `wattkeeper serve`.
#[derive(Parser)]
#[command(name = "wattkeeper", version, verbatim_doc_comment)]
struct CommandLine {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// The commands. The help text of each is its type's doc comment.
#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    /// Set the password of the administrator, who sees the web pages; also if it was forgotten
    ///
    /// Asks for it twice on a terminal, without showing it; otherwise reads one line from standard
    /// input: `wattkeeper password < file-with-the-password`. Signs the administrator out of all
    /// browsers.
    #[command(verbatim_doc_comment)]
    Password,
    #[command(subcommand)]
    Person(person::PersonCommand),
    #[command(subcommand)]
    Wall(wall::WallCommand),
    Demo(demo::Demo),
    #[command(subcommand)]
    Account(account::AccountCommand),
    #[command(subcommand)]
    Key(key::KeyCommand),
    #[command(subcommand)]
    Sensor(sensor::SensorCommand),
    #[command(subcommand)]
    Correct(correct::CorrectCommand),
    Events(events::Events),
    #[command(subcommand)]
    Contract(contract::ContractCommand),
    Energy(energy::EnergyArgs),
    Statement(energy::StatementArgs),
    Forecast(forecast::ForecastArgs),
    Peak(peak::PeakArgs),
    Compare(sides::CompareArgs),
    // Boxed, as `Import`.
    WhatIf(Box<what_if::WhatIfArgs>),
    #[command(subcommand)]
    Offer(offer::OfferCommand),
    Savings(sides::SavingsArgs),
    #[command(subcommand)]
    Purchase(purchase::PurchaseCommand),
    #[command(subcommand)]
    Tenancy(tenancy::TenancyCommand),
    #[command(subcommand)]
    Prices(prices::PricesCommand),
    #[command(subcommand)]
    PriceSource(price_source::PriceSourceCommand),
    #[command(subcommand, name = "ha")]
    HomeAssistant(home_assistant::HomeAssistantCommand),
    #[command(subcommand)]
    Days(days::DaysCommand),
    #[command(subcommand)]
    Formats(formats::FormatsCommand),
    #[command(subcommand)]
    Utility(utility::UtilityCommand),
    Notices(notices::Notices),
    #[command(subcommand)]
    Readings(readings::ReadingsCommand),
    #[command(subcommand)]
    Clock(clock::ClockCommand),
    // Boxed, because its many options would make every command as large.
    Import(Box<import::ImportArgs>),
    Export(export::Export),
    Check(check::Check),
    Backup(backup::Backup),
    Restore(restore::Restore),
    /// Ask the running service whether it is healthy
    ///
    /// The exit status is 0 if its store accepts readings, and 1 if it does not, or if no service
    /// runs on the data dir.
    Health,
    /// Print the settings in force and where each came from
    Config,
    Completions(completions::Completions),
    Man(man::ManPages),
}

/// The usual folders of time zones, besides the one in `TZDIR`.
const ZONE_FOLDERS: [&str; 3] = [
    "/usr/share/zoneinfo",
    "/usr/share/lib/zoneinfo",
    "/etc/zoneinfo",
];

/// Runs the command line `arguments`, the program's name first. The exit status is 0 on success, 1
/// on failure, 2 for wrong usage.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    // Before the first argument that is a zone is parsed.
    let own = std::env::var_os("TZDIR").map(PathBuf::from);
    ZoneData::prefer_newer(own.into_iter().chain(ZONE_FOLDERS.map(PathBuf::from)));
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let line = match CommandLine::try_parse_from(&arguments) {
        Ok(line) => line,
        Err(error) => {
            // Help and version are errors too. If they cannot be printed, nothing can.
            let _ = error.print();
            let asked = !error.use_stderr();
            return ExitCode::from(if asked { 0 } else { 2 });
        }
    };
    // Man pages are for everybody. Files of the other commands are for their user only, including
    // the files of the index.
    if !matches!(line.command, Command::Man(_)) {
        umask(Mode::RWXG | Mode::RWXO);
    }
    let owned = line.command.become_owner(&line.global, &arguments);
    if owned.is_ok() && matches!(line.command, Command::Serve(_) | Command::Demo(_)) {
        arenas::limit(&arguments);
    }
    match owned.and_then(|()| line.command.run(&line.global)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if reader_is_gone(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // A single line, as docs/CLI.md promises, even if a cause has several.
            let text = format!("{error:#}").replace('\n', " ");
            let user = owner::explain(&text).unwrap_or_default();
            let priority = if logging::is_read_by_journal() {
                logging::ERROR_PRIORITY
            } else {
                ""
            };
            note(&format!("{priority}error: {text}{user}"));
            ExitCode::from(if error.is::<Usage>() { 2 } else { 1 })
        }
    }
}

/// Whether it failed only because nobody reads its output any more, as in `wattkeeper export |
/// head`.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

impl Command {
    /// Restarts a command of root as the owner of the data dir, if it opens that: see [`owner`].
    fn become_owner(&self, global: &Global, arguments: &[OsString]) -> Result<()> {
        let config = match self {
            Self::Demo(_) | Self::Health | Self::Config | Self::Completions(_) | Self::Man(_) => {
                None
            }
            other => global.config_if_opened(matches!(other, Self::Serve(_))),
        };
        // Errors of the settings are reported by the command itself.
        config.map_or(Ok(()), |config| owner::become_owner(&config, arguments))
    }

    fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Serve(command) => command.run(global),
            Self::Password => password::run(global),
            Self::Person(command) => command.run(global),
            Self::Wall(command) => command.run(global),
            Self::Demo(command) => command.run(global),
            Self::Account(command) => command.run(global),
            Self::Key(command) => command.run(global),
            Self::Sensor(command) => command.run(global),
            Self::Correct(command) => command.run(global),
            Self::Contract(command) => command.run(global),
            Self::Energy(command) => command.run(global),
            Self::Statement(command) => command.run(global),
            Self::Forecast(command) => command.run(global),
            Self::Peak(command) => command.run(global),
            Self::Compare(command) => command.run(global),
            Self::WhatIf(command) => command.run(global),
            Self::Offer(command) => command.run(global),
            Self::Savings(command) => command.run(global),
            Self::Purchase(command) => command.run(global),
            Self::Tenancy(command) => command.run(global),
            Self::Prices(command) => command.run(global),
            Self::PriceSource(command) => command.run(global),
            Self::HomeAssistant(command) => command.run(global),
            Self::Days(command) => command.run(global),
            Self::Formats(command) => command.run(global),
            Self::Utility(command) => command.run(global),
            Self::Events(command) => command.run(global),
            Self::Notices(command) => command.run(global),
            Self::Readings(command) => command.run(global),
            Self::Clock(command) => command.run(global),
            Self::Import(command) => command.run(global),
            Self::Export(command) => command.run(global),
            Self::Check(command) => command.run(global),
            Self::Backup(command) => command.run(global),
            Self::Restore(command) => command.run(global),
            Self::Health => health::run(global),
            Self::Config => config::run(global),
            Self::Completions(command) => command.run(&mut CommandLine::command()),
            Self::Man(command) => command.run(CommandLine::command()),
        }
    }
}

/// The entry points of fuzzers.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    /// Parses a file to import.
    pub fn import(bytes: &[u8]) {
        super::import::fuzz(bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

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
