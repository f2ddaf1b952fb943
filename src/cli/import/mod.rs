//! `wattkeeper import`: turns a file of readings into a sensor's history. Storing it is left to the
//! store.
//!
//! All rows are checked before the first is stored. Meanwhile the readings wait on disk, so memory
//! stays bounded, and a pipe, which can be read only once, works like a file.
//!
//! - `source`: opening and decompressing; `rows`: the interface of all formats; `formats`: the
//!   format of a file
//! - `ndjson`: lines of any system; tables are read by `ingest/table`; `column_args`: the options
//!   that choose columns
//! - `home_assistant`, `emoncms`: their databases and files
//! - `line_protocol`, `metrics`: series of InfluxDB, Prometheus and `VictoriaMetrics`; `selection`
//!   chooses among them
//! - `intervals`: files of suppliers
//! - `remote`: readings of another server, without a file
//! - `listing`, `counts`: the series of a file, to choose from
//! - `unit`: units of series
//! - `tally`, `summary`, `spool`: counting rows, and keeping readings until they are stored;
//!   `storing`: storing them

mod column_args;
mod counts;
mod emoncms;
mod formats;
mod home_assistant;
mod intervals;
mod line_protocol;
mod listing;
mod metrics;
mod ndjson;
mod remote;
mod rows;
mod selection;
mod source;
mod spool;
mod storing;
mod summary;
mod tally;
#[cfg(test)]
mod tests;
mod unit;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;

use self::column_args::ColumnArgs;
use self::formats::{ImportFile, ImportOptions};
use self::home_assistant::RegisterColumn;
use self::remote::RemoteArgs;
use self::spool::{Spool, SpooledReadings};
use self::storing::{store_readings, store_starts};
use self::summary::ImportSummary;
use self::tally::RowTally;
use self::unit::{MeasureUnit, UnitWishes};
use crate::admin::{Request, SensorRow};
use crate::cli::args::Global;
use crate::cli::output::seconds_since;
use crate::domain::{MeterKind, Timestamp, Zone};
use crate::ingest::table::{DateOrder, TimeReader};
use crate::server::system_clock;
use crate::store::OpenMode;

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
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    remote: RemoteArgs,
    /// The unit of a measure in the file, if it is not W or Wh; once for power, once for energy
    #[arg(
        long,
        value_enum,
        value_name = "kW|kWh|W|Wh",
        hide_possible_values = true
    )]
    unit: Vec<MeasureUnit>,
    /// The zone of times without one, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    tz: Option<Zone>,
    /// Whether the day or the month comes first in dates such as 03/04/2026
    #[arg(long, value_name = "dmy|mdy")]
    dates: Option<DateOrder>,
    /// The register to take from Home Assistant's database
    #[arg(long, value_enum, value_name = "sum|state", default_value = "sum")]
    registers: RegisterColumn,
    /// List bad rows and leave them out, instead of storing nothing
    #[arg(long)]
    skip_bad: bool,
}

/// The contents of a checked file.
struct CheckedFile {
    tally: RowTally,
    summary: ImportSummary,
    remarks: Vec<String>,
    /// The starts of intervals that do not follow another one.
    starts: Vec<Timestamp>,
    /// `None` in a dry run.
    spooled: Option<SpooledReadings>,
}

impl ImportArgs {
    pub(super) fn run(&self, global: &Global) -> Result<()> {
        // Wrong usage is reported before errors of the sensor or the file.
        let options = self.options(system_clock()().time)?;
        if self.list {
            return self.print_series(options, global);
        }
        let begun = Instant::now();
        let mut sensor = None;
        if let Some(id) = &self.sensor {
            // An unknown sensor is an error before a long file is read. Others can use the store
            // meanwhile.
            let found: Vec<SensorRow> = global.ask(Request::FindSensor { id: id.clone() })?;
            sensor = found.into_iter().next();
        }
        if let (Some(sensor), true) = (&sensor, self.remote.is_given()) {
            return self.remote.run(global, sensor, self.dry_run);
        }
        let register = sensor.map(|sensor| sensor.register);
        let config = global.load()?.config;
        let file = ImportFile::open(self.path(), global.quiet)?;
        let spool_dir = match config.store.engine {
            // In the data dir, because it needs space for the readings anyway, and /tmp may be in
            // memory.
            None => config.data_dir,
            // There may be no data dir.
            Some(_) => std::env::temp_dir(),
        };
        let spool_dir = (!self.dry_run).then_some(spool_dir.as_path());
        let checked = self.check(file, options, spool_dir, register)?;
        let mut stored = 0;
        if let (Some(sensor), Some(spooled)) = (&self.sensor, checked.spooled) {
            stored = global.with_store(OpenMode::Existing, |store| {
                let readings = store_readings(store, sensor, spooled, global.quiet)?;
                Ok(readings + store_starts(store, sensor, &checked.starts)?)
            })?;
        }
        let tally = checked.tally;
        for text in tally.left_out().into_iter().chain(checked.remarks) {
            global.note(&text);
        }
        let (read, skipped) = (tally.read, tally.read - tally.good);
        let seconds = seconds_since(begun);
        if self.dry_run {
            let mut outcome = checked.summary.json();
            if let Some(outcome) = outcome.as_object_mut() {
                outcome.insert("skipped".to_owned(), skipped.into());
                outcome.insert("stored".to_owned(), 0.into());
            }
            let text = format!(
                "{}\nThis was a dry run, and nothing was stored.",
                checked.summary.text()
            );
            return global.print(&outcome, &text);
        }
        global.print(
            &json!({"read": read, "stored": stored, "skipped": skipped, "seconds": seconds}),
            &format!("read {read} rows, stored {stored}, skipped {skipped}, in {seconds:.1} s"),
        )
    }

    /// Lists the series of the file.
    fn print_series(&self, options: ImportOptions, global: &Global) -> Result<()> {
        let file = ImportFile::open(self.path(), global.quiet)?;
        let progress = file.progress();
        let listed = file.list(options);
        progress.finish_and_clear();
        let (series, more) = listed.with_context(|| self.path().display().to_string())?;
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
            units: UnitWishes::new(&self.unit)?,
            registers: self.registers,
        })
    }

    /// Checks that energies of intervals do not go into a continuous register.
    fn check_register(&self, register: Option<MeterKind>) -> Result<()> {
        if let (Some(sensor), Some(kind)) = (&self.sensor, register)
            && kind != MeterKind::Interval
        {
            bail!(
                "its values are energies of intervals, but the register of {sensor} is {}: add a sensor for them, with --register interval",
                kind.as_str()
            );
        }
        Ok(())
    }

    /// Reads and checks all rows, for a sensor with that register. Good rows are kept in
    /// `spool_dir`, if given.
    fn check(
        &self,
        file: ImportFile,
        options: ImportOptions,
        spool_dir: Option<&Path>,
        register: Option<MeterKind>,
    ) -> Result<CheckedFile> {
        let progress = file.progress();
        let name = || self.path().display().to_string();
        let mut rows = file.rows(options).with_context(name)?;
        let starts = rows.starts();
        if starts.is_some() {
            self.check_register(register).with_context(name)?;
        }
        let spooling = || match spool_dir {
            Some(dir) => format!("keeping checked readings in {}", dir.display()),
            None => String::new(),
        };
        let mut spool = spool_dir
            .map(Spool::create)
            .transpose()
            .with_context(spooling)?;
        let (mut tally, mut summary) = (RowTally::default(), ImportSummary::new(starts.is_some()));
        while let Some(row) = rows.next_row().with_context(name)? {
            if let Some(reading) = tally.count(row, || rows.place()) {
                summary.count(reading);
                if let Some(spool) = &mut spool {
                    spool.push(reading).with_context(spooling)?;
                }
            }
        }
        progress.finish_and_clear();
        tally.list_bad();
        let (bad, read) = (tally.bad, tally.read);
        if bad > 0 && !self.skip_bad {
            bail!(
                "{}: {bad} of {read} rows are bad, nothing was stored: correct them, or leave them out with --skip-bad",
                name()
            );
        }
        if let Some(missing) = rows.missing() {
            bail!("{}: {missing}", name());
        }
        // With --skip-bad too: if nothing could be read, the options are probably wrong.
        if bad > 0 && tally.good == 0 {
            bail!("{}: it has no good row, nothing was stored", name());
        }
        Ok(CheckedFile {
            tally,
            summary,
            remarks: rows.remarks(),
            starts: starts.unwrap_or_default(),
            spooled: spool
                .map(Spool::finish)
                .transpose()
                .with_context(spooling)?,
        })
    }
}

/// The entry point of a fuzzer: reads a file to its end, or to an error.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(bytes: &[u8]) {
    emoncms::fuzz_dump(bytes);
    let options = || ImportOptions {
        wishes: ColumnArgs::default().wishes(),
        times: TimeReader::new(None, None, Timestamp::MAX),
        units: UnitWishes::default(),
        registers: RegisterColumn::Sum,
    };
    let file = || source::ImportSource::of_bytes(bytes.to_vec()).map(ImportFile::Stream);
    let _ = file().and_then(|file| file.list(options()));
    let Ok(mut rows) = file().and_then(|file| file.rows(options())) else {
        return;
    };
    while let Ok(Some(_)) = rows.next_row() {}
}
