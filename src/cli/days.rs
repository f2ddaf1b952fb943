//! `wattkeeper days`: day lists for contracts.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;

use super::args::Global;
use super::input::read_text;
use super::output::TableRow;
use super::owned::OwnerArgs;
use crate::admin::{DayListRow, DayRange, DayRequest, DayRow, Request};

/// The longest file of days, in bytes.
const LONGEST: usize = 1024 * 1024;

/// Day lists: dates with a type, such as the red days of a tariff, for use in contracts
#[derive(Subcommand)]
pub(super) enum DaysCommand {
    /// Read a file of days into a list; they replace only the days of the same dates
    Import {
        /// Lines of `date,type`, or a JSON list of objects with date and type; - is standard input
        file: PathBuf,
        /// The day list, such as tempo
        #[arg(long, value_name = "NAME")]
        list: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// List the day lists
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Print the days of a list as CSV
    Export {
        #[command(flatten)]
        range: DayRangeArgs,
    },
    /// Remove a list, or the days of a range
    Remove {
        #[command(flatten)]
        range: DayRangeArgs,
    },
}

/// A list and a range
#[derive(Args)]
pub(super) struct DayRangeArgs {
    /// The day list
    list: String,
    /// The first date [default: that of the list]
    #[arg(long, value_name = "DATE")]
    start: Option<String>,
    /// The end, exclusive [default: after the last date]
    #[arg(long, value_name = "DATE")]
    end: Option<String>,
    #[command(flatten)]
    of: OwnerArgs,
}

impl From<DayRangeArgs> for DayRange {
    fn from(range: DayRangeArgs) -> Self {
        Self {
            account: range.of.account,
            list: range.list,
            start: range.start,
            end: range.end,
        }
    }
}

impl DaysCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Import { file, list, of } => import(global, &file, &list, of),
            Self::List { of } => {
                let account = of.account;
                let request = Request::Days(DayRequest::List { account });
                let hint = "There are no day lists: `wattkeeper days import` adds one.";
                global.list::<DayListRow>(request, hint)
            }
            Self::Export { range } => {
                global.check_csv("days export")?;
                let days: Vec<DayRow> =
                    global.ask(Request::Days(DayRequest::Days(range.into())))?;
                Ok(std::io::stdout().write_all(DayRow::table(&days).as_bytes())?)
            }
            Self::Remove { range } => {
                let list = range.list.clone();
                let removed: u64 = global.ask(Request::Days(DayRequest::Remove(range.into())))?;
                global.print(
                    &json!({"list": list, "removed": removed}),
                    &format!("removed {removed} days of {list}"),
                )
            }
        }
    }
}

fn import(global: &Global, file: &Path, list: &str, of: OwnerArgs) -> Result<()> {
    let request = DayRequest::Put {
        account: of.account,
        list: list.to_owned(),
        text: read_text(file, LONGEST)?,
    };
    let stored: u64 = global.ask(Request::Days(request))?;
    global.print(
        &json!({"list": list, "stored": stored}),
        &format!("stored {stored} days in {list}"),
    )
}

impl TableRow for DayListRow {
    const HEADER: &[&str] = &["account", "list", "days", "first", "last", "types"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.account.clone(),
            self.list.clone(),
            self.days.to_string(),
            self.first.clone(),
            self.last.clone(),
            self.types.join(", "),
        ]
    }
}
