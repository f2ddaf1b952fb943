//! The format of a file, and its readers.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Result, bail};
use indicatif::ProgressBar;

use super::emoncms::{EmoncmsFeeds, FeedRows};
use super::home_assistant::{MAGIC, RecorderDb, RecorderRows, RegisterColumn};
use super::intervals::{
    GreenButton, has_json_intervals, has_sheet_intervals, list_json, read_json, read_sheet,
};
use super::line_protocol::{ProtocolLines, ProtocolRows, count_series};
use super::listing::FileSeries;
use super::metrics::{MetricRows, count_metrics};
use super::ndjson::NdjsonRows;
use super::rows::ReadRows;
use super::source::ImportSource;
use super::unit::UnitWishes;
use crate::cli::output::progress;
use crate::ingest::table::{TableRows, TimeReader, Wishes};

/// An opened file or folder.
pub(super) enum ImportFile {
    /// Home Assistant's database.
    Recorder(RecorderDb),
    /// Feeds of Emoncms.
    Feeds(EmoncmsFeeds, ProgressBar),
    /// A stream, which can be read only once.
    Stream(ImportSource),
}

/// The user's options for a file.
pub(super) struct ImportOptions {
    pub wishes: Wishes,
    pub times: TimeReader,
    pub units: UnitWishes,
    pub registers: RegisterColumn,
}

impl ImportFile {
    /// Opens the file at `path`; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn open(path: &Path, quiet: bool) -> Result<Self> {
        if begins_with(path, MAGIC) {
            return Ok(Self::Recorder(RecorderDb::open(path)?));
        }
        if EmoncmsFeeds::is_at(path) {
            let progress = progress(Some(0), "checking {wide_bar} {percent}% {eta}", quiet);
            return Ok(Self::Feeds(EmoncmsFeeds::open(path)?, progress));
        }
        ImportSource::open(path, quiet).map(Self::Stream)
    }

    /// The display of the progress of reading.
    pub(super) fn progress(&self) -> ProgressBar {
        match self {
            Self::Recorder(_) => ProgressBar::hidden(),
            Self::Feeds(_, progress) => progress.clone(),
            Self::Stream(source) => source.progress.clone(),
        }
    }

    /// Begins to read the rows chosen by `options`.
    pub(super) fn rows(self, options: ImportOptions) -> Result<Box<dyn ReadRows>> {
        let ImportOptions {
            wishes,
            times,
            units,
            registers,
        } = options;
        Ok(match self {
            Self::Recorder(db) => {
                Box::new(RecorderRows::open(db, &wishes, times, units, registers)?)
            }
            Self::Feeds(feeds, progress) => {
                Box::new(FeedRows::open(&feeds, &wishes, times, units, progress)?)
            }
            Self::Stream(source) => match StreamFormat::of(&source.head, &wishes)? {
                StreamFormat::Metrics => Box::new(MetricRows::open(source, &wishes, times, units)?),
                StreamFormat::Protocol => {
                    Box::new(ProtocolRows::open(source, &wishes, times, units)?)
                }
                StreamFormat::GreenButton => {
                    Box::new(GreenButton::read(source, times)?.rows(&wishes, units)?)
                }
                StreamFormat::JsonIntervals => Box::new(read_json(source, &wishes, times, units)?),
                StreamFormat::Sheet => Box::new(read_sheet(source, &wishes, times, units)?),
                StreamFormat::Ndjson => {
                    Box::new(NdjsonRows::open(source, wishes, times, units.scales()))
                }
                StreamFormat::Table => {
                    let head = source.head.clone();
                    Box::new(TableRows::open(
                        source.rows(),
                        &head,
                        wishes,
                        times,
                        units.scales(),
                    )?)
                }
            },
        })
    }

    /// The series in it, and whether there are more.
    pub(super) fn list(self, options: ImportOptions) -> Result<(Vec<FileSeries>, bool)> {
        let ImportOptions {
            wishes,
            times,
            units,
            ..
        } = options;
        let all = |series| (series, false);
        match self {
            Self::Recorder(db) => db.list().map(all),
            Self::Feeds(feeds, _) => feeds.list().map(all),
            Self::Stream(source) => match StreamFormat::of(&source.head, &wishes)? {
                StreamFormat::Metrics => Ok(count_metrics(source, times)?.finish()),
                StreamFormat::Protocol => Ok(count_series(source, times)?.finish()),
                StreamFormat::GreenButton => GreenButton::read(source, times)?.list().map(all),
                StreamFormat::JsonIntervals => list_json(source, times, units).map(all),
                StreamFormat::Sheet | StreamFormat::Ndjson | StreamFormat::Table => bail!(
                    "a table has columns, not series: import it without --list to be asked for the columns"
                ),
            },
        }
    }
}

/// The formats that are read from beginning to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamFormat {
    Metrics,
    Protocol,
    GreenButton,
    JsonIntervals,
    Sheet,
    Ndjson,
    Table,
}

impl StreamFormat {
    /// The format of a stream that begins with `head`.
    ///
    /// # Errors
    /// If it is not the format of a stream.
    fn of(head: &[u8], wishes: &Wishes) -> Result<Self> {
        let first = head.trim_ascii_start().first();
        // With the column of times given, the objects are rows.
        let has_intervals = || wishes.time.is_none() && has_json_intervals(head);
        Ok(match first {
            _ if head.starts_with(MAGIC) => {
                bail!(
                    "a database cannot be read from a pipe or compressed: decompress it, and name the file"
                )
            }
            Some(b'{') if MetricRows::begin_so(head) => Self::Metrics,
            Some(b'{' | b'[') if has_intervals() => Self::JsonIntervals,
            Some(b'{') => Self::Ndjson,
            Some(b'[') => {
                bail!(
                    "it is a JSON array: convert it to one object per line, as `jq -c '.[]'` does"
                )
            }
            Some(b'<') => Self::GreenButton,
            _ if ProtocolLines::begin_so(head) => Self::Protocol,
            _ if has_sheet_intervals(head, wishes) => Self::Sheet,
            _ => Self::Table,
        })
    }
}

fn begins_with(path: &Path, magic: &[u8]) -> bool {
    // Only a file, because a pipe would lose the bytes read here.
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

    use super::*;
    use crate::domain::Timestamp;

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
    const JSON: &str = "[{\"from\":\"2026-01-05T10:00:00Z\",\"to\":\"2026-01-05T11:00:00Z\",\"consumption\":1.5},\
        {\"results\":[{\"interval_start\":\"2026-01-05T12:00:00Z\",\"interval_end\":\"2026-01-05T13:00:00Z\",\"consumption\":null}]}]";
    const SHEET: &str =
        "Consumption (kWh), Start, End\n 0E-20, 2026-01-05T10:00:00+01:00, 2026-01-05T10:00:00Z\n";
    const SAMPLES: [(&str, StreamFormat); 5] = [
        (PROTOCOL, StreamFormat::Protocol),
        (METRICS, StreamFormat::Metrics),
        (ESPI, StreamFormat::GreenButton),
        (JSON, StreamFormat::JsonIntervals),
        (SHEET, StreamFormat::Sheet),
    ];

    fn options() -> ImportOptions {
        ImportOptions {
            wishes: Wishes::default(),
            times: TimeReader::new(None, None, Timestamp::MAX),
            units: UnitWishes::default(),
            registers: RegisterColumn::Sum,
        }
    }

    /// The number of its rows; `None` if it is refused.
    fn read(bytes: &[u8]) -> Option<usize> {
        let file = || ImportSource::of_bytes(bytes.to_vec()).map(ImportFile::Stream);
        let _ = file().ok()?.list(options());
        let mut rows = file().ok()?.rows(options()).ok()?;
        let mut count = 0;
        while rows.next_row().ok()?.is_some() {
            rows.place();
            count += 1;
        }
        rows.missing();
        rows.starts();
        Some(count)
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
        fn damage_never_panics(
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
            read(&bytes);
        }
    }
}
