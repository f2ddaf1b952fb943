//! `wattkeeper import`: a file of readings becomes a sensor's history. Storing it is the store's business.
//!
//! All rows are checked before the first is stored. Meanwhile the readings wait on disk, so that memory stays bounded, and a
//! pipe, which can be read only once, works like a file.
//!
//! - `source`: opening and unpacking; `rows`: what is common to all formats
//! - `ndjson`; `table`, with `header`, `columns`, `series`, `table_row`: the two formats
//! - `number`, `times`: cells
//! - `tally`, `spool`: counting rows, and keeping readings until they are stored

mod columns;
mod header;
mod ndjson;
mod number;
mod rows;
mod series;
mod source;
mod spool;
mod table;
mod table_row;
mod tally;
#[cfg(test)]
mod tests;
mod times;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;

use self::columns::Wishes;
use self::ndjson::NdjsonRows;
use self::rows::{ReadRows, Scales};
use self::source::ImportSource;
use self::spool::{Spool, SpooledReadings};
use self::table::TableRows;
use self::tally::RowTally;
use self::times::{DateOrder, TimeReader};
use crate::admin::{Request, SensorRow};
use crate::cli::args::{Global, usage};
use crate::cli::connection::StoreConnection;
use crate::cli::output::seconds_since;
use crate::domain::calendar::Zone;
use crate::domain::time::Timestamp;
use crate::server::system_clock;
use crate::store::{OpenMode, Store};

/// The end of the help text. No doc comment: rustdoc would take the commands for Rust.
const EXAMPLES: &str = "\
Examples:
  wattkeeper import household.csv.xz --sensor house
  wattkeeper import emoncms-feed.csv --sensor house --watts-column 2
  wattkeeper import history.csv --sensor house --watts-column sensor.house_power \\
      --watthours-column sensor.house_energy --unit kWh
  influx -format csv ... | wattkeeper import - --sensor house --watts-column mean";

/// Read a file of readings into a sensor's history
///
/// Reads what `wattkeeper export` prints, and the exports of other systems as they are. If the columns
/// are unclear, it lists them and asks. It is safe to repeat: a reading replaces the one of the same time.
#[derive(Args)]
#[command(after_long_help = EXAMPLES, verbatim_doc_comment)]
pub(super) struct Import {
    /// CSV or NDJSON, also compressed with gzip or xz; - is standard input
    file: PathBuf,
    /// The sensor
    #[arg(long, value_name = "ID")]
    sensor: String,
    /// The column of times, by name or number [default: time, or its name in other systems]
    #[arg(long, value_name = "COLUMN")]
    time_column: Option<String>,
    /// The column of power; in a history of Home Assistant the entity, in one of Flux the field
    #[arg(long, value_name = "COLUMN")]
    watts_column: Option<String>,
    /// The column of the meter's register; likewise
    #[arg(long, value_name = "COLUMN")]
    watthours_column: Option<String>,
    /// The unit of a measure in the file, if it is not W or Wh; once for power, once for energy
    #[arg(
        long,
        value_enum,
        value_name = "kW|kWh|W|Wh",
        hide_possible_values = true
    )]
    unit: Vec<Unit>,
    /// Take only rows with this value in this column
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = filter)]
    filters: Vec<(String, String)>,
    /// The zone of times without one, such as Europe/Berlin [default: UTC]
    #[arg(long, value_name = "ZONE", value_parser = Zone::parse)]
    tz: Option<Zone>,
    /// Whether the day or the month comes first in dates such as 03/04/2026
    #[arg(long, value_enum, value_name = "dmy|mdy", hide_possible_values = true)]
    dates: Option<DateOrder>,
    /// List bad rows and leave them out, instead of storing nothing
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    #[value(name = "W")]
    Watt,
    #[value(name = "kW")]
    Kilowatt,
    #[value(name = "Wh")]
    WattHour,
    #[value(name = "kWh")]
    KilowattHour,
}

/// What came of it.
#[derive(Serialize)]
struct ImportOutcome {
    read: u64,
    stored: u64,
    skipped: u64,
    seconds: f64,
}

impl Import {
    pub(super) fn run(&self, global: &Global) -> Result<()> {
        let begun = Instant::now();
        let scales = self.scales()?;
        // Before a long file is read for nothing. The store is let go of meanwhile.
        let _: Vec<SensorRow> = global.ask(Request::FindSensor {
            id: self.sensor.clone(),
        })?;
        let data_dir = global.load(None)?.config.data_dir;
        let now = system_clock()().time;
        let source = ImportSource::open(&self.file, global.quiet)?;
        let (tally, spooled) = self.check(source, &data_dir, scales, now)?;
        let stored = global.with_store(OpenMode::Existing, |store| {
            self.store(store, spooled, global.quiet)
        })?;
        let outcome = ImportOutcome {
            read: tally.read,
            stored,
            skipped: tally.read - tally.good,
            seconds: seconds_since(begun),
        };
        if let Some(text) = tally.left_out() {
            global.note(&text);
        }
        let text = format!(
            "read {} rows, stored {}, skipped {}, in {:.1} s",
            outcome.read, outcome.stored, outcome.skipped, outcome.seconds
        );
        global.print(&outcome, &text)
    }

    fn scales(&self) -> Result<Scales> {
        let is_energy = |unit: &&Unit| matches!(unit, Unit::WattHour | Unit::KilowattHour);
        let energies = self.unit.iter().filter(is_energy).count();
        if energies > 1 || self.unit.len() - energies > 1 {
            return Err(usage(
                "--unit may be given once for power (W or kW) and once for energy (Wh or kWh)",
            ));
        }
        Ok(Scales {
            kilowatts: self.unit.contains(&Unit::Kilowatt),
            kilowatthours: self.unit.contains(&Unit::KilowattHour),
        })
    }

    /// Reads and checks all rows.
    fn check(
        &self,
        source: ImportSource,
        data_dir: &Path,
        scales: Scales,
        now: Timestamp,
    ) -> Result<(RowTally, SpooledReadings)> {
        let progress = source.progress.clone();
        let name = || self.file.display().to_string();
        let mut rows = self.rows(source, scales, now).with_context(name)?;
        let spooling = || format!("keeping checked readings in {}", data_dir.display());
        let mut spool = Spool::create(data_dir).with_context(spooling)?;
        let mut tally = RowTally::default();
        while let Some(row) = rows.next_row().with_context(name)? {
            if let Some(reading) = tally.count(row, || rows.line()) {
                spool.push(reading).with_context(spooling)?;
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
        if bad > 0 && tally.good == 0 {
            bail!("{}: there is no good row in it, nothing was stored", name());
        }
        Ok((tally, spool.finish().with_context(spooling)?))
    }

    /// The file as what its first character tells it is.
    fn rows(
        &self,
        source: ImportSource,
        scales: Scales,
        now: Timestamp,
    ) -> Result<Box<dyn ReadRows>> {
        let wishes = Wishes {
            time: self.time_column.clone(),
            watts: self.watts_column.clone(),
            watthours: self.watthours_column.clone(),
            filters: self.filters.clone(),
        };
        let times = TimeReader::new(self.tz.clone(), self.dates, now);
        match source.head.trim_ascii_start().first() {
            Some(b'{') => Ok(Box::new(NdjsonRows::open(source, wishes, times, scales))),
            Some(b'[') => {
                bail!("it is one JSON array: make it one object a line, as `jq -c '.[]'` does")
            }
            _ => Ok(Box::new(TableRows::open(source, wishes, times, scales)?)),
        }
    }

    /// Stores the checked readings; gives their number.
    fn store(
        &self,
        store: &StoreConnection,
        mut spooled: SpooledReadings,
        quiet: bool,
    ) -> Result<u64> {
        let progress = source::storing(spooled.len(), quiet);
        let mut stored = 0;
        while spooled.len() > 0 {
            let readings = spooled
                .next_chunk(Store::IMPORT_CHUNK)
                .context("reading checked readings back")?;
            let request = Request::Import {
                sensor: self.sensor.clone(),
                readings,
            };
            let count: u64 = store.ask(request).with_context(|| {
                format!("{stored} readings are stored, the rest is not; the import may be repeated")
            })?;
            stored += count;
            progress.inc(count);
        }
        progress.finish_and_clear();
        Ok(stored)
    }
}

/// What a fuzzer calls: a file, its rows understood or refused.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(bytes: &[u8]) {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        import: Import,
    }
    let line = <Line as clap::Parser>::try_parse_from(["import", "file", "--sensor", "a"]);
    let (Ok(line), Ok(source)) = (line, ImportSource::of_bytes(bytes.to_vec())) else {
        return;
    };
    if let Ok(mut rows) = line.import.rows(source, Scales::default(), Timestamp::MAX) {
        while let Ok(Some(_)) = rows.next_row() {}
    }
}

fn filter(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(column, _)| !column.is_empty())
        .map(|(column, value)| (column.to_owned(), value.to_owned()))
        .ok_or_else(|| "expected COLUMN=VALUE".into())
}
