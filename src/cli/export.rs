//! `wattkeeper export`: a sensor's readings, in a format that `import` reads, or everything.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde_json::json;

use super::args::{Global, usage};
use super::connection::StoreConnection;
use super::output::{progress, seconds_since};
use super::price_source;
use crate::admin::{PriceSourceRequest, ReadingRange};
use crate::domain::{AccountName, TimeRange, Timestamp};
use crate::export::{ExportFolder, ExportFormat, Exported, Wanted, export, write_readings};
use crate::server::system_clock;
use crate::store::OpenMode;

/// Print a sensor's readings, in a format that `import` reads; or write everything for other programs
///
/// With --all, everything that the store has becomes files of CSV and JSON in a new folder: readings,
/// energy and costs by the hour, statements by the month, contracts, prices and all other entries. The
/// README.md there describes each file. Secrets stay out. For another wattkeeper, use `backup`.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Export {
    /// The sensor
    #[arg(long, value_name = "ID", required_unless_present = "all")]
    sensor: Option<String>,
    /// Write everything into this new folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["sensor", "start", "end", "format"])]
    all: Option<PathBuf>,
    /// With --all: only this account, without the settings of the service
    #[arg(long, value_name = "NAME", requires = "all", value_parser = AccountName::new)]
    account: Option<AccountName>,
    /// The first time, included: YYYY-MM-DDTHH:MM:SS, or a date for its midnight, in UTC unless it
    /// has an offset [default: from the first reading]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    start: Option<Timestamp>,
    /// The last time, included [default: to the last reading]
    #[arg(long, value_name = "TIME", value_parser = Timestamp::parse_or_date)]
    end: Option<Timestamp>,
    /// The format
    #[arg(long, value_enum, default_value_t = ExportFormat::Csv)]
    format: ExportFormat,
}

impl Export {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        if let Some(folder) = &self.all {
            return self.everything(global, folder);
        }
        if global.json {
            return Err(usage(
                "export prints readings, not a result: for JSON, use --format ndjson instead of --json",
            ));
        }
        let range = TimeRange::new(
            self.start.unwrap_or(TimeRange::ALL.start()),
            self.end.unwrap_or(TimeRange::ALL.end()),
        )
        .ok_or_else(|| usage("--start is after --end"))?;
        global.with_store(OpenMode::Existing, |store| self.write(store, range))
    }

    fn write(&self, store: &StoreConnection, range: TimeRange) -> Result<()> {
        let mut out = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
        let range = ReadingRange {
            sensor: self.sensor.clone().unwrap_or_default(),
            start_ms: range.start().millis(),
            end_ms: range.end().millis(),
        };
        write_readings(store, range, self.format, &mut out, |_| ())?;
        Ok(out.flush()?)
    }

    fn everything(&self, global: &Global, target: &Path) -> Result<()> {
        let begun = Instant::now();
        let wanted = Wanted {
            account: self.account.as_ref(),
            price_sources: price_source::ask(global, PriceSourceRequest::List)?,
            now: system_clock()().time,
        };
        let bar = progress(None, "{human_pos} readings written", global.quiet);
        let exported = global.with_store(OpenMode::Existing, |store| {
            let mut folder = ExportFolder::create(target)?;
            let exported = export(store, wanted, &mut folder, &|seen| bar.set_position(seen))?;
            folder.finish()?;
            Ok(exported)
        })?;
        bar.finish_and_clear();
        let Exported {
            files,
            sensors,
            readings,
        } = exported;
        let (folder, seconds) = (target.display().to_string(), seconds_since(begun));
        global.print(
            &json!({ "folder": folder, "files": files, "sensors": sensors, "readings": readings, "seconds": seconds }),
            &format!(
                "wrote {readings} readings of {sensors} sensors, and everything else, to {files} files in {folder}, in {seconds:.1} s. README.md there describes them."
            ),
        )
    }
}
