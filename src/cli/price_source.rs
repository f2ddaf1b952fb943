//! `wattkeeper price-source`: where prices and types of days are fetched.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, Subcommand};
use toml::{Table, Value};

use super::args::{Global, usage};
use super::input::read_text;
use super::output::TableRow;
use super::owned::OwnerArgs;
use crate::admin::{
    PriceSourceRequest, PriceSourceRow, Request, Response, SourceTrialRow, UnexpectedResponse,
};
use crate::config::LiveSettings;
use crate::http::operate::price_sources::{self, SourcesOf};
use crate::price_sources::PriceSources;
use crate::server::system_clock;

/// The longest file of lines, in bytes.
const LONGEST: usize = 4_096;

/// Price sources: where the service fetches prices and types of days by itself
///
/// docs/PRICE-SOURCES.md describes them. Only a running service asks them, and knows their answers.
#[derive(Subcommand)]
pub(super) enum PriceSourceCommand {
    /// List the price sources, with the last answer of each, and differences from stored prices
    List,
    /// Ask a source once, and print its values; nothing is stored
    Try {
        #[command(flatten)]
        source: SourceArgs,
    },
    /// Add a source that answers; it replaces the one that fills the same series
    Add {
        #[command(flatten)]
        source: SourceArgs,
        /// Add it without asking it first
        #[arg(long)]
        unasked: bool,
    },
    /// Stop fetching a series; its prices stay
    Remove {
        /// The price series or the day list
        series: String,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

/// A source.
#[derive(Args)]
pub(super) struct SourceArgs {
    /// Further lines of its section, as in the configuration file; - is standard input
    file: Option<PathBuf>,
    /// The source, such as energy-charts [default: none; FILE describes one]
    #[arg(long, value_name = "ID")]
    source: Option<String>,
    /// The zone or region, of sources that have some
    #[arg(long, value_name = "TEXT")]
    zone: Option<String>,
    /// The price series or the day list that it fills
    #[arg(long, value_name = "NAME")]
    series: Option<String>,
    /// The first day to fetch [default: today]
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// A file that the service can read, whose first line is the key
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    #[command(flatten)]
    of: OwnerArgs,
}

impl PriceSourceCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::List => {
                let rows: Vec<PriceSourceRow> = ask(global, PriceSourceRequest::List)?;
                let hint = "There are no price sources: `wattkeeper price-source add` adds one.";
                global.print_list(&rows, hint)
            }
            Self::Try { source } => {
                let section = source.section()?;
                let row: SourceTrialRow = ask(global, PriceSourceRequest::Try { section })?;
                global.print(&row, &trial_text(&row))
            }
            Self::Add { source, unasked } => {
                let section = source.section()?;
                let request = PriceSourceRequest::Add { section, unasked };
                global.print_changed(&ask::<Vec<PriceSourceRow>>(global, request)?)
            }
            Self::Remove { series, of } => {
                let account = of.account;
                let request = PriceSourceRequest::Remove {
                    account,
                    series: series.clone(),
                };
                ask::<()>(global, request)?;
                let removed = serde_json::json!({ "removed": series });
                let text = format!("{series} is no longer fetched. Its prices stay.");
                global.print(&removed, &text)
            }
        }
    }
}

impl SourceArgs {
    /// Its section, as in the configuration file.
    fn section(self) -> Result<String> {
        let text = self.file.map(|file| read_text(&file, LONGEST));
        let lines: Result<Table, _> = text.transpose()?.unwrap_or_default().parse();
        let mut section = lines.map_err(|error| usage(format!("FILE: {}", error.message())))?;
        // The service has another working directory.
        let key_file = self.key_file.map(std::path::absolute).transpose()?;
        let fields = [
            ("source", self.source),
            ("zone", self.zone),
            ("series", self.series),
            ("since", self.since),
            ("account", self.of.account),
            ("key_file", key_file.map(|path| path.display().to_string())),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                section.insert(name.to_owned(), Value::String(value));
            }
        }
        Ok(section.to_string())
    }
}

/// Has the running service carry out a request, or this process if there is none.
pub(super) fn ask<T>(global: &Global, request: PriceSourceRequest) -> Result<T>
where
    T: TryFrom<Response, Error = UnexpectedResponse>,
{
    global.ask_running(request, Request::PriceSources, |config, store, request| {
        let of = SourcesOf {
            store,
            settings: &LiveSettings::new(config, store),
            asked: &PriceSources::default(),
        };
        price_sources::run(&of, request, system_clock()().time)
    })
}

fn trial_text(row: &SourceTrialRow) -> String {
    let SourceTrialRow {
        from,
        to,
        count,
        new,
        ..
    } = row;
    let told = format!("It answers with {count} from {from} to {to}, {new} of them new.");
    let conflict = row.conflicts_from.as_ref().map(|first| {
        let count = row.conflicts;
        format!("{count} differ from stored ones, the first at {first}. The stored ones stay.")
    });
    let others = (!row.others.is_empty()).then(|| {
        format!(
            "Other rates, which are not taken: {}.",
            row.others.join("; ")
        )
    });
    let shown = row.first.iter();
    let shown = shown.map(|(time, value)| format!("{time}  {value}"));
    let nothing = "Nothing was stored.".to_owned();
    let lines = [told]
        .into_iter()
        .chain(conflict)
        .chain(others)
        .chain(shown);
    lines.chain([nothing]).collect::<Vec<_>>().join("\n")
}

impl TableRow for PriceSourceRow {
    const HEADER: &[&str] = &[
        "account",
        "series",
        "source",
        "zone",
        "since",
        "set in",
        "last request",
        "last answer",
        "differences",
        "not taken",
        "error",
    ];

    fn cells(&self) -> Vec<String> {
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        let differences = self.conflicts.zip(self.conflicts_from.as_ref());
        let differences = differences.map(|(count, first)| format!("{count} from {first} on"));
        vec![
            or_dash(&self.account),
            self.series.clone(),
            self.source.clone(),
            or_dash(&self.zone),
            or_dash(&self.since),
            if self.in_file { "file" } else { "settings" }.into(),
            or_dash(&self.asked),
            or_dash(&self.answered),
            or_dash(&differences),
            or_dash(&Some(self.others.join("; ")).filter(|it| !it.is_empty())),
            or_dash(&self.error),
        ]
    }
}
