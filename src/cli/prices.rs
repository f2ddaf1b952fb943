//! `wattkeeper prices`: price series for contracts.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand};
use serde_json::json;

use super::args::Global;
use super::input::read_bytes;
use super::output::{TableRow, aligned, parsed, print_json, print_line};
use super::owned::{OwnerArgs, ShownContract};
use crate::admin::{
    AccountRow, ContractRequest, LedgerRequest, PriceRequest, PriceRow, Request, SeriesRow,
};
use crate::domain::{Timestamp, Zone};
use crate::export::write_series;
use crate::house::{CheapestAnswer, CheapestForm};
use crate::ingest::table::{DateOrder, DecimalMark};
use crate::ingest::{FilePrices, PriceFile};
use crate::ledger::contract::{Holes, Label, PriceLength, PriceUnit};
use crate::store::{OpenMode, Store};

/// The longest file of prices, in bytes, as for an upload.
const LONGEST: usize = 16 * 1024 * 1024;

/// Price series: prices by the hour or quarter of an hour, for use in contracts
///
/// Times are YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC unless they have an offset.
/// Ends of ranges are exclusive.
#[derive(Subcommand)]
pub(super) enum PricesCommand {
    /// Read a file of prices into a series; they replace only the prices at the same times
    Import {
        /// A table with times and prices, such as lines of `time,price`, or a JSON list of objects with
        /// time and price; - is standard input
        file: PathBuf,
        /// The series, such as day-ahead
        #[arg(long, value_name = "NAME")]
        series: String,
        /// How long a price applies: it always ends where the next one begins. `spacing` is as long
        /// as prices usually are apart, `until-next` is for prices that hold until they change, such
        /// as one a day or a month
        #[arg(
            long,
            value_name = "spacing|hour|quarter|until-next",
            default_value = "spacing"
        )]
        length: PriceLength,
        /// The currency of the prices [default: that of the series or of the contracts]
        #[arg(long, value_name = "EUR")]
        currency: Option<String>,
        #[command(flatten)]
        table: PriceTableArgs,
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// List the series
    List {
        #[command(flatten)]
        of: OwnerArgs,
    },
    /// Print the prices of a series as CSV
    Export {
        #[command(flatten)]
        range: PriceRangeArgs,
    },
    /// Remove a series, or the prices of a range
    Remove {
        #[command(flatten)]
        range: PriceRangeArgs,
    },
    /// Print when a kilowatt-hour is cheapest, by all components of the contracts
    ///
    /// Only prices that are stored count. A date alone is its start in the account's time zone.
    Cheapest {
        /// How many hours it takes, 0.25 to 24 [default: 3]
        #[arg(long, value_name = "NUMBER")]
        hours: Option<String>,
        /// When it is to be over: a clock time in the account's time zone, such as 07:00, or a time
        /// [default: the end of the day after the start]
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        /// The first time [default: now]
        #[arg(long, value_name = "TIME")]
        start: Option<String>,
        /// The cheapest quarters of an hour, also apart
        #[arg(long)]
        split: bool,
        #[command(flatten)]
        of: OwnerArgs,
    },
}

/// The form of a table of prices, where it does not say it itself
#[derive(Args)]
pub(super) struct PriceTableArgs {
    /// The unit of the prices, such as EUR/kWh, ct/kWh or EUR/MWh [default: that in the file, or of a
    /// kilowatt-hour]
    #[arg(long, value_name = "MONEY/ENERGY")]
    unit: Option<PriceUnit>,
    /// The column of prices, by its name or its number from 1 [default: the only one]
    #[arg(long, value_name = "COLUMN")]
    column: Option<String>,
    /// The zone of times without one, such as Europe/Berlin [default: that of the account]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    tz: Option<Zone>,
    /// Whether the day or the month comes first in dates such as 03/04/2026
    #[arg(long, value_name = "dmy|mdy")]
    dates: Option<DateOrder>,
    /// Whether decimals follow a point or a comma, where the file does not show it
    #[arg(long, value_name = "point|comma")]
    decimals: Option<DecimalMark>,
}

impl PriceTableArgs {
    fn file(
        self,
        length: PriceLength,
        account: Option<&str>,
        global: &Global,
    ) -> Result<PriceFile> {
        let zone = if let Some(zone) = self.tz {
            zone
        } else {
            let rows: Vec<AccountRow> = global.ask(Request::ListAccounts)?;
            let is_own = |row: &&AccountRow| account.is_none_or(|account| row.account == account);
            let row = rows.iter().find(is_own);
            let zone = row.and_then(|row| Zone::parse(&row.tz).ok());
            zone.unwrap_or(Zone::UTC)
        };
        Ok(PriceFile {
            zone,
            column: self.column,
            unit: self.unit,
            dates: self.dates,
            decimals: self.decimals,
            length,
        })
    }
}

/// A series and a range
#[derive(Args)]
pub(super) struct PriceRangeArgs {
    /// The series
    series: String,
    /// The first time [default: from the first price]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    start: Option<Timestamp>,
    /// The end, exclusive [default: to the last price]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    end: Option<Timestamp>,
    #[command(flatten)]
    of: OwnerArgs,
}

impl PriceRangeArgs {
    fn start_ms(&self) -> i64 {
        self.start.unwrap_or(Timestamp::MIN).millis()
    }

    fn end_ms(&self) -> i64 {
        self.end.unwrap_or(Timestamp::MAX).millis()
    }
}

impl PricesCommand {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        match self {
            Self::Import {
                file,
                series,
                length,
                currency,
                table,
                of,
            } => {
                let form = table.file(length, of.account.as_deref(), global)?;
                import(global, &file, (&series, form, currency), &of)
            }
            Self::List { of } => {
                let account = of.account;
                let request = Request::Prices(PriceRequest::List { account });
                let hint = "There are no price series: `wattkeeper prices import` adds one.";
                global.list::<SeriesRow>(request, hint)
            }
            Self::Export { range } => export(global, &range),
            Self::Remove { range } => {
                let series = &range.series;
                let () = global.ask(Request::Prices(PriceRequest::Remove {
                    account: range.of.account.clone(),
                    series: series.clone(),
                    from_ms: range.start_ms(),
                    end_ms: range.end_ms(),
                }))?;
                global.print(
                    &json!({"series": series, "removed": true}),
                    &format!("removed prices of {series}"),
                )
            }
            Self::Cheapest {
                hours,
                before,
                start,
                split,
                of,
            } => {
                let form = CheapestForm {
                    hours,
                    before,
                    start,
                    is_split: split,
                };
                cheapest(global, form, of)
            }
        }
    }
}

fn cheapest(global: &Global, form: CheapestForm, of: OwnerArgs) -> Result<()> {
    let request = Request::Ledger(LedgerRequest::Cheapest(of.account, form));
    let found: Box<CheapestAnswer> = global.ask(request)?;
    if global.json {
        return print_json(&found);
    }
    let head = ["start", "end", "price"].map(str::to_owned);
    let pieces = found.pieces.iter();
    let lines = pieces.map(|it| vec![it.start.clone(), it.end.clone(), it.price.clone()]);
    print_line(&aligned(&head, lines.collect()))?;
    let CheapestAnswer {
        currency,
        price,
        window_start,
        window_end,
        window_price,
        ..
    } = &*found;
    print_line(&format!(
        "{price} {currency} per kWh on average; {window_price} from {window_start} to {window_end}"
    ))?;
    if found.all_equal {
        print_line("all prices of this time are equal")?;
    }
    if let Some(until) = &found.known_until {
        let missing = found.missing_minutes;
        print_line(&format!(
            "prices are known until {until}; {missing} minutes have none"
        ))?;
    }
    print_line(&found.assumption)
}

fn import(
    global: &Global,
    file: &Path,
    (series, form, currency): (&str, PriceFile, Option<String>),
    of: &OwnerArgs,
) -> Result<()> {
    let name = Label::new(series).context("series")?;
    let (name_of, length) = (name.clone(), form.length);
    let read = form.read(name, read_bytes(file, LONGEST)?);
    let FilePrices {
        series: prices,
        has_unit,
    } = read.with_context(|| file.display().to_string())?;
    let of_unit = prices.currency().map(|it| it.as_str().to_owned());
    let currency = currency.or(of_unit);
    let (all, contracts) = global.with_store(OpenMode::Existing, |store| {
        for slice in prices.prices().chunks(Store::IMPORT_CHUNK) {
            let () = store.ask(Request::Prices(PriceRequest::Put {
                account: of.account.clone(),
                series: series.to_owned(),
                currency: currency.clone().unwrap_or_default(),
                has_unit,
                prices: slice.iter().copied().map(PriceRow::from).collect(),
            }))?;
        }
        let account = of.account.clone();
        let all: Vec<SeriesRow> = store.ask(Request::Prices(PriceRequest::List { account }))?;
        let account = of.account.clone();
        let contracts = Request::Contracts(ContractRequest::List { account });
        let contracts: Vec<String> = store.ask(contracts)?;
        Ok((all, parsed::<ShownContract>(&contracts)?))
    })?;
    let stored = prices.prices().len();
    let known = all.into_iter().find(|one| {
        let known = Label::new(&one.series);
        known.is_ok_and(|known| known.is_same(&name_of))
    });
    // Its stored name may have other capitals.
    let (series, currency) = known.map_or((name_of.to_string(), None), |known| {
        (known.series, known.currency)
    });
    if currency.is_none() {
        global.note(&match contracts.first() {
            Some(contract) => format!(
                "The prices count as prices in {}, the currency of the contracts.",
                contract.currency
            ),
            None => "The prices count as prices in the currency of the contracts, once there are some. --currency names the currency of the prices.".to_owned(),
        });
    }
    let holes = prices.holes();
    if let Some(told) = told(holes, length) {
        global.note(&told);
    }
    let (gaps, gap_minutes) = (holes.count, holes.minutes());
    global.print(
        &json!({"series": series, "stored": stored, "currency": currency, "gaps": gaps, "gap_minutes": gap_minutes}),
        &format!("stored {stored} prices in {series}"),
    )
}

/// Where prices are missing between the imported ones, and what to do about it.
fn told(holes: Holes, length: PriceLength) -> Option<String> {
    let count = match holes.count {
        0 => return None,
        1 => "is 1 gap".to_owned(),
        count => format!("are {count} gaps"),
    };
    let hours = holes.hours();
    let remedy = match length {
        PriceLength::UntilNext => "",
        _ => " If each price holds until the next one, import them again with --length until-next.",
    };
    Some(format!(
        "There {count} without a price between the imported ones, {hours} hours in all.{remedy}"
    ))
}

fn export(global: &Global, range: &PriceRangeArgs) -> Result<()> {
    global.check_csv("prices export")?;
    let series = &range.series;
    global.with_store(OpenMode::Existing, |store| {
        let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
        let account = range.of.account.clone();
        let all: Vec<SeriesRow> = store.ask(Request::Prices(PriceRequest::List { account }))?;
        let asked = Label::new(series).context("series")?;
        let mut known = all.iter().filter_map(|it| Label::new(&it.series).ok());
        if !known.any(|known| known.is_same(&asked)) {
            bail!("there is no price series {series:?}: `wattkeeper prices list` shows them");
        }
        let (of, asked) = (&range.of.account, (range.start_ms(), range.end_ms()));
        write_series(store, (of.as_deref(), series), asked, &mut out)?;
        Ok(out.flush()?)
    })
}

impl TableRow for SeriesRow {
    const HEADER: &[&str] = &["account", "series", "currency", "prices", "first", "end"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.account.clone(),
            self.series.clone(),
            self.currency.clone().unwrap_or_else(|| "-".to_owned()),
            self.prices.to_string(),
            self.first.clone(),
            self.end.clone(),
        ]
    }
}
