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
use serde_json::json;

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
use crate::cli::output::{progress, seconds_since};
use crate::domain::{Timestamp, Zone};
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
pub(super) struct ImportArgs {
    /// CSV or NDJSON, also compressed with gzip or xz; - is standard input
    file: PathBuf,
    /// The sensor
    #[arg(long, value_name = "ID")]
    sensor: String,
    #[command(flatten)]
    wishes: Wishes,
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
    #[arg(long, value_enum, value_name = "dmy|mdy", hide_possible_values = true)]
    dates: Option<DateOrder>,
    /// List bad rows and leave them out, instead of storing nothing
    #[arg(long)]
    skip_bad: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MeasureUnit {
    #[value(name = "W")]
    Watt,
    #[value(name = "kW")]
    Kilowatt,
    #[value(name = "Wh")]
    WattHour,
    #[value(name = "kWh")]
    KilowattHour,
}

impl ImportArgs {
    pub(super) fn run(&self, global: &Global) -> Result<()> {
        let begun = Instant::now();
        let scales = self.scales()?;
        // An unknown sensor is an error before a long file is read. Others can use the store meanwhile.
        let _: Vec<SensorRow> = global.ask(Request::FindSensor {
            id: self.sensor.clone(),
        })?;
        let data_dir = global.load()?.config.data_dir;
        let now = system_clock()().time;
        let source = ImportSource::open(&self.file, global.quiet)?;
        let (tally, spooled) = self.check(source, &data_dir, scales, now)?;
        let stored = global.with_store(OpenMode::Existing, |store| {
            self.store(store, spooled, global.quiet)
        })?;
        if let Some(text) = tally.left_out() {
            global.note(&text);
        }
        let (read, skipped) = (tally.read, tally.read - tally.good);
        let seconds = seconds_since(begun);
        global.print(
            &json!({"read": read, "stored": stored, "skipped": skipped, "seconds": seconds}),
            &format!("read {read} rows, stored {stored}, skipped {skipped}, in {seconds:.1} s"),
        )
    }

    fn scales(&self) -> Result<Scales> {
        let is_energy =
            |unit: &&MeasureUnit| matches!(unit, MeasureUnit::WattHour | MeasureUnit::KilowattHour);
        let energies = self.unit.iter().filter(is_energy).count();
        if energies > 1 || self.unit.len() - energies > 1 {
            return Err(usage(
                "--unit may be given once for power (W or kW) and once for energy (Wh or kWh)",
            ));
        }
        Ok(Scales {
            kilowatts: self.unit.contains(&MeasureUnit::Kilowatt),
            kilowatthours: self.unit.contains(&MeasureUnit::KilowattHour),
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
        let times = TimeReader::new(self.tz.clone(), self.dates, now);
        let mut rows = open_rows(source, self.wishes.clone(), times, scales).with_context(name)?;
        let spooling = || format!("keeping checked readings in {}", data_dir.display());
        // In the data dir: it needs room for the readings anyway, and /tmp may be in memory.
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
        // With --skip-bad, too: if nothing could be read, the options are probably wrong.
        if bad > 0 && tally.good == 0 {
            bail!("{}: it has no good row, nothing was stored", name());
        }
        Ok((tally, spool.finish().with_context(spooling)?))
    }

    /// Stores the checked readings; returns their number.
    fn store(
        &self,
        store: &StoreConnection,
        mut spooled: SpooledReadings,
        quiet: bool,
    ) -> Result<u64> {
        // As wide as the bar of the check before.
        let template = "storing  {wide_bar} {percent}% {eta}";
        let progress = progress(Some(spooled.len()), template, quiet);
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
                format!("{stored} readings are stored, the rest is not; repeat the import")
            })?;
            stored += count;
            progress.inc(count);
        }
        progress.finish_and_clear();
        Ok(stored)
    }
}

/// Opens the file in the format that its first character shows.
fn open_rows(
    source: ImportSource,
    wishes: Wishes,
    times: TimeReader,
    scales: Scales,
) -> Result<Box<dyn ReadRows>> {
    match source.head.trim_ascii_start().first() {
        Some(b'{') => Ok(Box::new(NdjsonRows::open(source, wishes, times, scales))),
        Some(b'[') => {
            bail!("it is a JSON array: convert it to one object per line, as `jq -c '.[]'` does")
        }
        _ => Ok(Box::new(TableRows::open(source, wishes, times, scales)?)),
    }
}

/// The entry point of a fuzzer: reads a file to its end, or to an error.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(bytes: &[u8]) {
    let Ok(source) = ImportSource::of_bytes(bytes.to_vec()) else {
        return;
    };
    let times = TimeReader::new(None, None, Timestamp::MAX);
    if let Ok(mut rows) = open_rows(source, Wishes::default(), times, Scales::default()) {
        while let Ok(Some(_)) = rows.next_row() {}
    }
}
