//! The format of a file, and its readers.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, bail};
use indicatif::ProgressBar;

use super::archive::no_workbook;
use super::emoncms::{EmoncmsFeeds, read_feeds};
use super::grid_operator::{
    begins_with_ebutilities, begins_with_edifact, read_ebutilities, read_mscons,
};
use super::home_assistant::{MAGIC, RecorderDb, read_recorder};
use super::intake::{FileIntake, Purpose};
use super::intervals::read_green_button;
use super::json_records::read_records;
use super::line_protocol::{ProtocolLines, read_protocol};
use super::listing::FileSeries;
use super::markup::begins_with_markup;
use super::metrics::{begins_with_metric, read_metrics};
use super::ndjson::read_ndjson;
use super::nem12::{begins_with_nem12, read_nem12};
use super::options::ImportOptions;
use super::source::ImportSource;
use super::tables::{count_columns, read_table, upright};
use crate::ingest::table::Wishes;
use crate::ingest::wanted::WantedPlaces;

/// An opened file or folder.
pub(crate) enum ImportFile {
    /// Home Assistant's database.
    Recorder(RecorderDb),
    /// Feeds of Emoncms.
    Feeds(EmoncmsFeeds, ProgressBar),
    /// A stream, which can be read only once.
    Stream(ImportSource),
}

impl ImportFile {
    /// Opens the file at `path`; `-` is standard input. `sheet` names one of a workbook. Calls
    /// `progress` with the length, if it is known.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(crate) fn open(
        path: &Path,
        sheet: Option<&str>,
        progress: impl FnOnce(Option<u64>) -> ProgressBar,
    ) -> Result<Self> {
        let is_feeds = EmoncmsFeeds::is_at(path);
        if let Some(sheet) = sheet.filter(|_| is_feeds || begins_with(path, MAGIC)) {
            bail!("{}: {}", path.display(), no_workbook(sheet));
        }
        if begins_with(path, MAGIC) {
            return Ok(Self::Recorder(RecorderDb::open(path)?));
        }
        if is_feeds {
            return Ok(Self::Feeds(EmoncmsFeeds::open(path)?, progress(Some(0))));
        }
        ImportSource::open(path, sheet, progress).map(Self::Stream)
    }

    /// The progress bar of this file.
    pub(crate) fn progress(&self) -> ProgressBar {
        match self {
            Self::Recorder(_) => ProgressBar::hidden(),
            Self::Feeds(_, progress) => progress.clone(),
            Self::Stream(source) => source.progress.clone(),
        }
    }

    /// Reads the whole file, for `purpose`.
    ///
    /// # Errors
    /// If the file cannot be read, or a choice is unclear; the error then names the remedy.
    pub(crate) fn read(self, options: &ImportOptions, purpose: Purpose) -> Result<FileIntake> {
        let ImportOptions { wishes, units, .. } = options;
        let mut intake = FileIntake::new(wishes, *units, purpose);
        intake.sensor.clone_from(&options.sensor);
        intake.rules.plausible = options.sensor.as_ref().map(|sensor| sensor.plausible);
        intake.rules.zone = options.times.zone().or(options.zone.as_ref()).cloned();
        let times = options.times.clone();
        match self {
            Self::Recorder(db) => {
                let what = "a database has no columns";
                check_series(wishes, false, what)?;
                read_recorder(&db, wishes, times, options.registers, &mut intake)?;
            }
            Self::Feeds(feeds, progress) => {
                check_series(wishes, false, "feeds have no columns")?;
                read_feeds(&feeds, wishes, &times, &progress, &mut intake)?;
            }
            Self::Stream(source) => read_stream(source, options, &mut intake)?,
        }
        Ok(intake)
    }
}

/// A file for display.
pub(crate) struct ReadableFile {
    pub(crate) text: Vec<u8>,
    /// Its series, if it is not a table.
    pub(crate) series: Option<Vec<FileSeries>>,
    /// Sheets of the workbook that have times, too.
    pub(crate) other_sheets: Vec<String>,
}

/// Prepares a file for display: a table as text, any other file as a list of its series. `sheet` names
/// one of a workbook.
///
/// # Errors
/// If the file cannot be read, or has more than `most` bytes.
pub(crate) fn readable(
    bytes: Vec<u8>,
    sheet: Option<&str>,
    options: &ImportOptions,
    most: usize,
) -> Result<ReadableFile> {
    let mut source = ImportSource::of_small(bytes, sheet, most)?;
    let other_sheets = std::mem::take(&mut source.other_sheets);
    let of_table = |text| ReadableFile {
        text,
        series: None,
        other_sheets,
    };
    let format = StreamFormat::of(&source.head, &options.wishes)?;
    if matches!(format, StreamFormat::Json | StreamFormat::Ndjson) {
        return Ok(of_table(read_records(source)?.text));
    }
    let is_table = matches!(format, StreamFormat::Table | StreamFormat::Markup);
    let source = if is_table { upright(source)? } else { source };
    let mut text = Vec::new();
    source.lines().read_to_end(&mut text)?;
    if is_table {
        return Ok(of_table(text));
    }
    let listed = ImportSource::of_small(text.clone(), None, most).map(ImportFile::Stream)?;
    let (series, _) = listed.read(options, Purpose::List)?.listed();
    Ok(ReadableFile {
        text,
        series: Some(series),
        other_sheets: Vec::new(),
    })
}

/// Refuses `--time-column`, and `--where` without labels, for a file that has no columns.
fn check_series(wishes: &Wishes, has_labels: bool, what: &str) -> Result<()> {
    if wishes.time.is_some() || (!has_labels && !wishes.filters.is_empty()) {
        let both = if has_labels { "" } else { " and --where" };
        bail!("{what}: leave out --time-column{both}");
    }
    Ok(())
}

fn read_stream(
    mut source: ImportSource,
    options: &ImportOptions,
    intake: &mut FileIntake,
) -> Result<()> {
    let ImportOptions { wishes, units, .. } = options;
    let times = options.times.clone();
    intake.other_sheets = std::mem::take(&mut source.other_sheets);
    let own = "the series of this file have their own times";
    match StreamFormat::of(&source.head, wishes)? {
        StreamFormat::Metrics => {
            check_series(wishes, true, own)?;
            read_metrics(source, &times, intake)
        }
        StreamFormat::Protocol => {
            check_series(wishes, true, own)?;
            read_protocol(source, times, intake)
        }
        StreamFormat::GreenButton => {
            check_series(wishes, false, own)?;
            read_green_button(source, &times, intake)
        }
        StreamFormat::Nem12 => {
            check_series(wishes, true, own)?;
            read_nem12(source, &times, intake)
        }
        StreamFormat::Edifact => {
            check_series(wishes, true, own)?;
            let mut times = times;
            times.or_zone(options.zone.clone());
            read_mscons(source, times, wishes.times, intake)
        }
        StreamFormat::EbUtilities => {
            check_series(wishes, true, own)?;
            read_ebutilities(source, times, intake)
        }
        StreamFormat::Ndjson => {
            let mut times = times;
            times.or_zone(options.zone.clone());
            read_ndjson(source, wishes, times, *units, intake)
        }
        StreamFormat::Json => {
            let (progress, limits) = (source.progress.clone(), source.limits);
            let table = read_records(source)?;
            if table.has_next {
                intake.remarks.push(
                    "it is one page of several: the address in its `next` has more data".to_owned(),
                );
            }
            intake.place_word = "record";
            let source = ImportSource::of_table(table.text, progress, limits);
            if intake.lists() {
                return count_columns(source, options, intake);
            }
            read_table(source, options, true, intake)
        }
        StreamFormat::Table | StreamFormat::Markup => {
            let source = upright(source)?;
            if intake.lists() {
                return count_columns(source, options, intake);
            }
            read_table(source, options, false, intake)
        }
    }
}

/// The formats that are read from beginning to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamFormat {
    Metrics,
    Protocol,
    GreenButton,
    Markup,
    Nem12,
    Edifact,
    EbUtilities,
    Ndjson,
    Json,
    Table,
}

impl StreamFormat {
    /// The format of a stream that begins with `head`.
    ///
    /// # Errors
    /// If a stream cannot have this format.
    fn of(head: &[u8], wishes: &Wishes) -> Result<Self> {
        let head_text = head.trim_ascii_start();
        Ok(match head_text.first() {
            _ if head.starts_with(MAGIC) => {
                bail!(
                    "a database cannot be read from a pipe or compressed: decompress it, and name the file"
                )
            }
            _ if head.starts_with(b"RRD\0") => {
                bail!(
                    "it is a database of RRDtool, as Toon and other programs have it: export its readings as CSV in that program"
                )
            }
            _ if head_text.starts_with(b"%PDF") => {
                bail!("it is a PDF, which has no table to read: ask for the same readings as CSV")
            }
            Some(b'{') if begins_with_metric(head) => Self::Metrics,
            Some(b'{') if is_line(head_text, wishes) => Self::Ndjson,
            Some(b'{' | b'[') => Self::Json,
            Some(b'<') if begins_with_markup(head) => Self::Markup,
            Some(b'<') if begins_with_ebutilities(head) => Self::EbUtilities,
            Some(b'<') => Self::GreenButton,
            _ if begins_with_edifact(head) => Self::Edifact,
            _ if begins_with_nem12(head) => Self::Nem12,
            _ if ProtocolLines::begin_so(head) => Self::Protocol,
            _ => Self::Table,
        })
    }
}

/// Whether a JSON text has an object on each line, with the keys that `wishes` name or the default
/// ones.
fn is_line(head: &[u8], wishes: &Wishes) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let key = wishes.time.as_deref().unwrap_or("time");
    // A name inside of another object is none of the line.
    let value = WantedPlaces::members([key]).read(line);
    let is_named = || String::from_utf8_lossy(line).contains(&format!("\"{key}\""));
    match value.as_ref().map(serde_json::Value::as_object) {
        Ok(Some(object)) => object.contains_key(key),
        Ok(None) | Err(_) => line.trim_ascii_end().ends_with(b"}") && is_named(),
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    // Only a regular file: a pipe would lose the bytes read here.
    let Ok(file) = path.metadata().and_then(|it| {
        if it.is_file() {
            File::open(path)
        } else {
            Err(std::io::ErrorKind::Other.into())
        }
    }) else {
        return false;
    };
    let length = u64::try_from(magic.len()).unwrap_or_default();
    let mut head = Vec::new();
    file.take(length).read_to_end(&mut head).is_ok() && head == magic
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use std::sync::Arc;

    use super::*;
    use crate::domain::Timestamp;
    use crate::ingest::file::home_assistant::RegisterColumn;
    use crate::ingest::file::spool::Spool;
    use crate::ingest::table::{TimeReader, UnitWishes};

    const PROTOCOL: &str = "# INFLUXDB EXPORT: x\n# DDL\nCREATE DATABASE home WITH NAME autogen\n# DML\n# CONTEXT-DATABASE:home\n\
        W,a=b\\ c watts=1.5,text=\"x\ny\" 1767607200000000000\nkWh watthours=2i 1767607200000000000\n";
    const METRICS: &str = "{\"metric\":{\"__name__\":\"watts\",\"a\":\"b\"},\"values\":[1,null,\"NaN\"],\
        \"timestamps\":[1767607200000,2,3]}\n{\"metric\":{\"__name__\":\"watthours\"},\"values\":[[1767607200,\"1\"]]}\n";
    const ESPI: &str = "<feed><entry><link rel=\"self\" href=\"M/1\"/><content><MeterReading/></content></entry><entry>\
        <link rel=\"up\" href=\"M/1/I\"/><content><IntervalBlock><interval><start>1767607200</start></interval><IntervalReading>\
        <timePeriod><duration>3600</duration><start>1767607200</start></timePeriod><value>12</value></IntervalReading>\
        <IntervalReading><value>5</value></IntervalReading></IntervalBlock></content></entry><entry><content><ReadingType>\
        <uom>72</uom><powerOfTenMultiplier>3</powerOfTenMultiplier><intervalLength>3600</intervalLength></ReadingType></content>\
        </entry></feed>";
    const JSON: &str = "[{\"interval_start\":\"2026-01-05T10:00:00Z\",\"interval_end\":\"2026-01-05T11:00:00Z\",\"consumption\":1.5},\
        {\"results\":[{\"interval_start\":\"2026-01-05T12:00:00Z\",\"interval_end\":\"2026-01-05T13:00:00Z\",\"consumption\":null}]}]";
    const SHEET: &str =
        "Consumption (kWh), Start, End\n 0E-20, 2026-01-05T09:00:00+01:00, 2026-01-05T10:00:00Z\n";
    const NEM12: &str = "100,NEM12,202601060000,A,B\n200,6001,E1B1,,E1,,1,kWh,720,\n300,20260105,1.5,2,A,,,20260106,\n900\n";
    const MSCONS: &str = "UNA:+.? 'UNB+UNOC:3+1+2+260106:0500+1'UNH+1+MSCONS:D:04B:UN:2.4c'BGM+7+1+9'LOC+172+A?'B'LIN+1'PIA+5+1-1?:1.29.0:SRW'\
        QTY+220:0.25'DTM+163:202601050000?+00:303'DTM+164:202601050015?+00:303'QTY+67:1,5:KWH'DTM+163:202601050115:203'DTM+164:202601050130:203'UNT+9+1'";
    const RECORD: &str = "<ConsumptionRecord><ProcessDirectory><MeteringPoint>AT1</MeteringPoint><Energy><MeteringIntervall>QH</MeteringIntervall>\
        <EnergyData MeterCode=\"1-1:1.9.0 G.01\" UOM=\"KWH\"><EP><DTF>2026-01-05T00:00:00+01:00</DTF><DTT>2026-01-05T00:15:00+01:00</DTT>\
        <MM>L1</MM><BQ>0.25</BQ></EP></EnergyData></Energy></ProcessDirectory></ConsumptionRecord>";
    const SAMPLES: [(&str, StreamFormat); 8] = [
        (MSCONS, StreamFormat::Edifact),
        (RECORD, StreamFormat::EbUtilities),
        (NEM12, StreamFormat::Nem12),
        (PROTOCOL, StreamFormat::Protocol),
        (METRICS, StreamFormat::Metrics),
        (ESPI, StreamFormat::GreenButton),
        (JSON, StreamFormat::Json),
        (SHEET, StreamFormat::Table),
    ];

    #[test]
    fn a_small_file_stays_small_when_it_is_unpacked() {
        let most = 1024 * 1024;
        let table = format!("time,watts\n{}", "\n".repeat(2 * most));
        let json = format!("[{}]", " ".repeat(2 * most));
        for text in [table, json] {
            let mut packed =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            std::io::Write::write_all(&mut packed, text.as_bytes()).unwrap();
            let error = readable(packed.finish().unwrap(), None, &options(), most)
                .err()
                .unwrap();
            assert!(
                format!("{error:#}").contains("too large for the page"),
                "{error:#}"
            );
        }
    }

    fn options() -> ImportOptions {
        ImportOptions {
            wishes: Wishes::default(),
            times: TimeReader::new(None, None, Timestamp::MAX),
            units: UnitWishes::default(),
            registers: RegisterColumn::Sum,
            sensor: None,
            zone: None,
            formats: Arc::default(),
        }
    }

    /// The number of rows; `None` if the file is refused.
    fn read(bytes: &[u8]) -> Option<u64> {
        let dir = tempfile::tempdir().unwrap();
        let file = || ImportSource::of_bytes(bytes.to_vec()).map(ImportFile::Stream);
        let _ = file()
            .ok()?
            .read(&options(), Purpose::List)
            .map(FileIntake::listed);
        let spool = Spool::new(dir.path());
        let intake = file().ok()?.read(&options(), Purpose::Take(spool)).ok()?;
        let rows = intake.tally.read;
        let _ = intake.finish(true);
        Some(rows)
    }

    #[test]
    fn the_beginning_shows_the_format() {
        for (text, format) in SAMPLES {
            assert_eq!(
                StreamFormat::of(text.as_bytes(), &Wishes::default()).unwrap(),
                format
            );
            assert!(read(text.as_bytes()).unwrap() > 0, "{text}");
        }
        for text in [
            "time,watts\n",
            "1767607200,5\n",
            "a b\nc=d 5\n",
            "start,end,x\n",
        ] {
            let format = StreamFormat::of(text.as_bytes(), &Wishes::default()).unwrap();
            assert_eq!(format, StreamFormat::Table, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_damaged_file_has_no_more_rows_than_bytes(
            sample in 0..SAMPLES.len(),
            damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<proptest::sample::Index>(),
            doubled in any::<bool>(),
        ) {
            let mut bytes = SAMPLES[sample].0.as_bytes().to_vec();
            for (place, byte) in damage {
                let place = place.index(bytes.len());
                bytes[place] = byte;
            }
            let cut = cut.index(bytes.len());
            let part = bytes[cut..].to_vec();
            bytes.extend(part);
            if doubled {
                bytes.truncate(cut.max(1));
            }
            let rows = read(&bytes).unwrap_or_default();
            prop_assert!(rows <= u64::try_from(bytes.len()).unwrap());
        }
    }
}
