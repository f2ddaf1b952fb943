//! Turns the values of feeds into readings.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;

use super::{EmoncmsFeed, EmoncmsFeeds, FINA_BYTES, FeedData, RECORD_BYTES, fina_time};
use crate::cli::import::listing::which;
use crate::cli::import::rows::ReadRows;
use crate::cli::import::unit::{ImportMeasure, SeriesUnit, UnitWishes};
use crate::ingest::table::{ParsedRow, TimeReader, Wishes};

/// The first byte of each record of `PHPTimeSeries`.
const RECORD_BEGIN: u8 = 249;

/// The values of the chosen feeds, one feed after another.
pub(in crate::cli::import) struct FeedRows {
    times: TimeReader,
    /// The feeds left to read; the first is being read.
    feeds: VecDeque<OpenFeed>,
    place: String,
    progress: ProgressBar,
}

/// A feed that is being read.
struct OpenFeed {
    file: BufReader<File>,
    data: FeedData,
    unit: SeriesUnit,
    /// The number of values read, and the total.
    read: u64,
    values: u64,
}

impl FeedRows {
    /// Begins to read the feeds named by `wishes`; a file with one feed needs only a measure.
    ///
    /// # Errors
    /// If none is named, or one does not exist, has no readings or another unit.
    pub(in crate::cli::import) fn open(
        feeds: &EmoncmsFeeds,
        wishes: &Wishes,
        times: TimeReader,
        units: UnitWishes,
        progress: ProgressBar,
    ) -> Result<Self> {
        if wishes.time.is_some() || !wishes.filters.is_empty() {
            bail!("feeds have no columns: leave out --time-column and --where");
        }
        let chosen = [
            (&wishes.watts, ImportMeasure::Power),
            (&wishes.watthours, ImportMeasure::Register),
        ];
        let mut open = VecDeque::new();
        for (name, measure) in chosen {
            let Some(name) = name else { continue };
            let feed = feeds.find(name, measure)?;
            if let FeedData::Other(what) = &feed.data {
                bail!("the feed {name} has no readings: {what}");
            }
            let unit = units.of(feed.entry.unit.as_deref(), measure, name);
            open.push_back(OpenFeed::new(feed, unit.map_err(anyhow::Error::msg)?)?);
        }
        if open.is_empty() {
            bail!(which(&feeds.list()?, None));
        }
        progress.set_length(open.iter().map(|feed| feed.values).sum());
        Ok(Self {
            times,
            feeds: open,
            place: String::new(),
            progress,
        })
    }
}

impl OpenFeed {
    fn new(feed: &EmoncmsFeed, unit: SeriesUnit) -> Result<Self> {
        let (path, values) = match &feed.data {
            FeedData::Fina { path, values, .. } | FeedData::TimeSeries { path, values } => {
                (path, *values)
            }
            FeedData::Other(what) => bail!("the feed {} has no readings: {what}", feed.id),
        };
        let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
        Ok(Self {
            file: BufReader::with_capacity(64 * 1024, file),
            data: feed.data.clone(),
            unit,
            read: 0,
            values,
        })
    }

    /// Returns the next time and value; an error in words if the record is damaged. `None` after
    /// the last.
    fn next(&mut self) -> io::Result<Option<Result<(i64, f32), String>>> {
        if self.read == self.values {
            return Ok(None);
        }
        let index = self.read;
        self.read += 1;
        Ok(Some(match &self.data {
            FeedData::Fina {
                start, interval, ..
            } => {
                let mut bytes = [0; 4];
                self.file.read_exact(&mut bytes)?;
                let time = fina_time(*start, *interval, index);
                time.map(|time| (time, f32::from_le_bytes(bytes)))
                    .ok_or_else(|| "its time is out of range".to_owned())
            }
            _ => record(&mut self.file)?,
        }))
    }

    fn place(&self) -> String {
        let path = match &self.data {
            FeedData::Fina { path, .. } | FeedData::TimeSeries { path, .. } => path.display(),
            FeedData::Other(_) => return String::new(),
        };
        format!("value {} of {path}", self.read)
    }
}

/// Reads the next record of `PHPTimeSeries`.
fn record(file: &mut impl io::Read) -> io::Result<Result<(i64, f32), String>> {
    let mut bytes = [0; 9];
    file.read_exact(&mut bytes)?;
    let [begin, a, b, c, d, number @ ..] = bytes;
    if begin != RECORD_BEGIN {
        return Ok(Err(format!(
            "expected a record that begins with {RECORD_BEGIN}, got {begin}: it was deleted or is damaged"
        )));
    }
    let time = i64::from(u32::from_le_bytes([a, b, c, d]));
    Ok(Ok((time, f32::from_le_bytes(number))))
}

/// The first and the last time of a file of `PHPTimeSeries`; zeros if it is empty.
pub(super) fn ends(path: &Path, values: u64) -> io::Result<[u32; 2]> {
    let mut ends = [0; 2];
    if values == 0 {
        return Ok(ends);
    }
    let mut file = File::open(path)?;
    for (end, index) in ends.iter_mut().zip([0, values - 1]) {
        file.seek(SeekFrom::Start(index * RECORD_BYTES + 1))?;
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes)?;
        *end = u32::from_le_bytes(bytes);
    }
    Ok(ends)
}

impl ReadRows for FeedRows {
    fn next_row(&mut self) -> Result<Option<ParsedRow>> {
        while let Some(feed) = self.feeds.front_mut() {
            let Some(value) = feed.next().with_context(|| feed.place())? else {
                self.feeds.pop_front();
                continue;
            };
            // Not for each value, because this takes longer than reading one.
            if feed.read.is_multiple_of(FINA_BYTES * 1_024) {
                self.progress.inc(FINA_BYTES * 1_024);
            }
            let row = match value {
                Ok((_, number)) if number.is_nan() => ParsedRow::NoValue,
                Ok((seconds, number)) => {
                    #[expect(clippy::cast_precision_loss, reason = "seconds have 33 bits")]
                    let time = self.times.seconds(seconds as f64);
                    match time {
                        Ok(time) => feed.unit.row(time, shortest(number)),
                        Err(reason) => ParsedRow::Bad(reason),
                    }
                }
                Err(reason) => ParsedRow::Bad(reason),
            };
            if matches!(row, ParsedRow::Bad(_)) {
                self.place = feed.place();
            }
            return Ok(Some(row));
        }
        Ok(None)
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}

/// The shortest decimal number that gives this float, as somebody entered it: 9410.938, not
/// 9410.9375.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}
