//! `wattkeeper import`: turns a file of readings into a sensor's history. Storing it is left to the
//! store.
//!
//! All rows are checked before the first is stored. Meanwhile the readings wait on disk, so memory
//! stays bounded, and a pipe, which can be read only once, works like a file. `ingest/file` reads
//! the files.
//!
//! - `column_args`: the options that choose columns
//! - `remote`: readings of another server, without a file
//! - `storing`: storing and deleting checked readings

mod column_args;
mod remote;
mod storing;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::column_args::ColumnArgs;
use self::remote::RemoteArgs;
use self::storing::store_values;
use crate::admin::{AccountRow, Request, SensorRow};
use crate::cli::args::{Global, usage};
use crate::cli::output::{TableRow, note, parsed, progress, seconds_since};
use crate::cli::owned::OwnerArgs;
use crate::domain::{EntryKind, Timestamp, Zone};
use crate::ingest::file::{
    BadRows, FileSeries, ImportFile, ImportOptions, ImportTarget, Purpose, RegisterColumn,
    RowTally, Spool, TakenFile,
};
use crate::ingest::table::{DateOrder, KnownFormat, MeasureUnit, TimeReader, UnitWishes};
use crate::server::system_clock;
use crate::store::OpenMode;
use crate::texts::Language;

/// The end of the help text. No doc comment, because rustdoc would take the commands for Rust.
const EXAMPLES: &str = "\
Examples:
  wattkeeper import household.csv.xz --sensor house
  wattkeeper import emoncms-feed.csv --sensor house --watts-column 2
  wattkeeper import history.csv --sensor house --watts-column sensor.house_power \\
      --watthours-column sensor.house_energy --unit kWh
  wattkeeper import home-assistant_v2.db --list
  wattkeeper import home-assistant_v2.db --sensor house --watthours-column sensor.house_energy --dry-run
  influx -format csv ... | wattkeeper import - --sensor house --watts-column mean";

/// Read a file of readings into a sensor's history
///
/// Reads the output of `wattkeeper export`, and the exports and databases of other systems. If
/// the columns or series are unclear, it lists them and asks. It is safe to repeat: a reading
/// replaces the one at the same time.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[derive(Args)]
#[command(after_long_help = EXAMPLES, verbatim_doc_comment)]
pub(super) struct ImportArgs {
    /// CSV, NDJSON or an export of another system, optionally compressed with gzip or xz; - is
    /// standard input. Or Home Assistant's database, or a folder or file with feeds of Emoncms
    #[arg(required_unless_present = "from")]
    file: Option<PathBuf>,
    /// The sensor
    #[arg(long, value_name = "ID", required_unless_present_any = ["list", "dry_run"])]
    sensor: Option<String>,
    /// List the series of the file with their units and times, and store nothing
    #[arg(long)]
    list: bool,
    /// Read and check everything, report what would be stored, and store nothing
    #[arg(long)]
    dry_run: bool,
    /// Undo an import of the same file with the same options: delete its readings, where they are
    /// stored as they are in it
    #[arg(long, conflicts_with_all = ["list", "dry_run", "from"])]
    undo: bool,
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    remote: RemoteArgs,
    /// The unit of a measure, if the file does not say it; once for power, once for energy
    #[arg(long, value_name = "kW|kWh|W|Wh")]
    unit: Vec<MeasureUnit>,
    /// The zone of times without one, such as Europe/Berlin [default: that of the sensor's account]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    tz: Option<Zone>,
    /// Whether the day or the month comes first in dates such as 03/04/2026
    #[arg(long, value_name = "dmy|mdy")]
    dates: Option<DateOrder>,
    /// The register to take from Home Assistant's database
    #[arg(long, value_enum, value_name = "sum|state", default_value = "sum")]
    registers: RegisterArg,
    /// List bad rows and leave them out, instead of storing nothing. At most a tenth of the rows
    #[arg(long)]
    skip_bad: bool,
}

/// The register to take from Home Assistant's database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RegisterArg {
    /// The energy counted through all resets, as Home Assistant shows it
    Sum,
    /// The register as shown by the meter
    State,
}

impl TableRow for FileSeries {
    const HEADER: &[&str] = &["series", "unit", "values", "first", "last"];

    fn cells(&self) -> Vec<String> {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        vec![
            self.series.clone(),
            text(&self.unit),
            self.values.to_string(),
            text(&self.first),
            text(&self.last),
        ]
    }
}

impl ImportArgs {
    pub(super) fn run(&self, global: &Global) -> Result<()> {
        // Wrong usage is reported before errors of the sensor or the file.
        let mut options = self.options(system_clock()().time)?;
        if self.list {
            return self.print_series(&options, global);
        }
        let begun = Instant::now();
        let mut sensor = None;
        if let Some(id) = &self.sensor {
            // An unknown sensor is an error before a long file is read.
            let found: Vec<SensorRow> = global.ask(Request::FindSensor { id: id.clone() })?;
            sensor = found.into_iter().next();
        }
        if let (Some(sensor), true) = (&sensor, self.remote.is_given()) {
            return self.remote.run(global, sensor, self.dry_run);
        }
        if let Some(sensor) = &sensor {
            options.formats = described(&sensor.account, global)?;
            options.zone = zone_of(&sensor.account, global)?;
        }
        options.sensor = sensor.map(|sensor| ImportTarget {
            sensor: sensor.sensor_id,
            register: sensor.register,
            role: sensor.role,
            plausible: sensor.plausible,
        });
        global.start_log();
        let config = global.load()?.config;
        let file = self.open(global.quiet)?;
        let spool_dir = match config.store.engine {
            // In the data dir, because it needs space for the readings anyway, and /tmp may be in
            // memory.
            None if !self.dry_run => config.data_dir,
            // There may be no data dir.
            _ => std::env::temp_dir(),
        };
        let checked = self.check(file, &options, &spool_dir)?;
        let (tally, summary) = (&checked.tally, &checked.values.summary);
        let format = checked.format.as_ref();
        let format = format.map(|name| format!("it was read as a file of {name}"));
        let left_out = tally.left_out(summary.duplicates);
        for text in format.iter().chain(&left_out).chain(&checked.remarks) {
            global.note(text);
        }
        let too_many = tally.too_many_bad().filter(|_| self.skip_bad);
        if let Some(why) = too_many.or_else(|| checked.nothing()) {
            bail!("{}: {why}", self.path().display());
        }
        let (read, skipped) = (tally.read, tally.read - tally.good);
        let sensor = self.sensor.as_ref().filter(|_| !self.dry_run);
        let Some(sensor) = sensor else {
            return print_dry(&checked, skipped, global);
        };
        let stored = global.with_store(OpenMode::Existing, |store| {
            store_values(store, sensor, &checked.values, (self.undo, global.quiet))
        })?;
        if self.undo {
            let text = format!("deleted {stored} readings");
            return global.print(&json!({"deleted": stored}), &text);
        }
        let seconds = seconds_since(begun);
        let text =
            format!("read {read} rows, stored {stored}, skipped {skipped}, in {seconds:.1} s");
        global.print(&outcome(tally, stored, seconds), &text)
    }

    fn open(&self, quiet: bool) -> Result<ImportFile> {
        ImportFile::open(self.path(), self.columns.sheet(), |length| {
            // The length of standard input is known only at its end.
            let template = match length {
                Some(_) => "checking {wide_bar} {percent}% {eta}",
                None => "checking {decimal_bytes}",
            };
            progress(length, template, quiet)
        })
    }

    /// Lists the series of the file.
    fn print_series(&self, options: &ImportOptions, global: &Global) -> Result<()> {
        let file = self.open(global.quiet)?;
        let progress = file.progress();
        let intake = file.read(options, Purpose::List);
        progress.finish_and_clear();
        let (series, more) = intake
            .with_context(|| self.path().display().to_string())?
            .listed();
        if more {
            global.note("it has more series than listed");
        }
        global.print_list(&series, "it has no series of power or energy")
    }

    /// The file; without one, readings come from a server.
    fn path(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new("-"))
    }

    fn options(&self, now: Timestamp) -> Result<ImportOptions> {
        Ok(ImportOptions {
            wishes: self.columns.wishes(),
            times: TimeReader::new(self.tz.clone(), self.dates, now),
            units: UnitWishes::new(&self.unit).map_err(usage)?,
            registers: match self.registers {
                RegisterArg::Sum => RegisterColumn::Sum,
                RegisterArg::State => RegisterColumn::State,
            },
            sensor: None,
            zone: None,
            formats: Arc::default(),
        })
    }

    /// Reads and checks all rows. Values wait in `spool_dir`.
    fn check(
        &self,
        file: ImportFile,
        options: &ImportOptions,
        spool_dir: &Path,
    ) -> Result<TakenFile> {
        let progress = file.progress();
        let name = || self.path().display().to_string();
        let spool = Spool::new(spool_dir);
        let intake = file
            .read(options, Purpose::Take(spool))
            .with_context(name)?;
        progress.finish_and_clear();
        for text in intake.tally.bad_rows() {
            note(&text);
        }
        // Even when bad rows are skipped: if nothing could be read, the options are probably wrong.
        if self.skip_bad && intake.tally.bad > 0 && intake.tally.good == 0 {
            bail!("{}: it has no good row, nothing was stored", name());
        }
        match intake.finish(self.skip_bad) {
            Err(error) if error.is::<BadRows>() => bail!("{}: {error}", name()),
            other => other.with_context(name),
        }
    }
}

/// The outcome of an import as JSON.
fn outcome(tally: &RowTally, stored: u64, seconds: f64) -> Value {
    let (read, skipped) = (tally.read, tally.read - tally.good);
    let mut outcome =
        json!({"read": read, "stored": stored, "skipped": skipped, "seconds": seconds});
    if let (Some(outcome), 1..) = (outcome.as_object_mut(), tally.bad_energy.rows) {
        let energy = tally.bad_energy.watthours;
        outcome.insert("skipped_watthours".to_owned(), energy.into());
    }
    outcome
}

/// Prints what would be stored.
fn print_dry(checked: &TakenFile, skipped: u64, global: &Global) -> Result<()> {
    let summary = &checked.values.summary;
    let mut outcome = summary.json();
    if let Some(outcome) = outcome.as_object_mut() {
        if summary.duplicates > 0 {
            outcome.insert("duplicates".to_owned(), summary.duplicates.into());
        }
        outcome.insert("skipped".to_owned(), skipped.into());
        outcome.insert("stored".to_owned(), 0.into());
        if !checked.plan.is_empty() {
            outcome.insert("plan".to_owned(), json!(checked.plan));
        }
    }
    let plan = checked.plan.iter();
    let plan = plan.map(|part| format!("{}\n", part.text(Language::english())));
    let text = format!(
        "{}{}\nThis was a dry run, and nothing was stored.",
        plan.collect::<String>(),
        summary.text()
    );
    global.print(&outcome, &text)
}

/// The zone of an account.
fn zone_of(account: &str, global: &Global) -> Result<Option<Zone>> {
    let rows: Vec<AccountRow> = global.ask(Request::ListAccounts)?;
    let row = rows.into_iter().find(|row| row.account == account);
    Ok(row.and_then(|row| Zone::parse(&row.tz).ok()))
}

/// The formats that an account described.
fn described(account: &str, global: &Global) -> Result<Arc<[KnownFormat]>> {
    let entries = global.entries(EntryKind::Format);
    let account = Some(account.to_owned());
    let rows: Vec<Value> = parsed(&entries.list(OwnerArgs { account })?)?;
    // One that a later version wrote may not be known here.
    let known = rows.iter().filter_map(|row| row["text"].as_str());
    let known = known.filter_map(|text| KnownFormat::parse(text).ok());
    Ok(known.collect())
}

/// The entry point of a fuzzer: reads a file to its end, or to an error.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(bytes: &[u8]) {
    use crate::ingest::file::{ImportSource, fuzz_dump};
    fuzz_dump(bytes);
    let options = ImportOptions {
        wishes: ColumnArgs::default().wishes(),
        times: TimeReader::new(None, None, Timestamp::MAX),
        units: UnitWishes::default(),
        registers: RegisterColumn::Sum,
        sensor: None,
        zone: None,
        formats: std::sync::Arc::default(),
    };
    let file = || ImportSource::of_bytes(bytes.to_vec()).map(ImportFile::Stream);
    let _ = file().and_then(|file| file.read(&options, Purpose::List));
    let spool = Spool::new(&std::env::temp_dir());
    let taken = file().and_then(|file| file.read(&options, Purpose::Take(spool)));
    let _ = taken.and_then(|intake| intake.finish(true));
}
