//! Turns the values of feeds into readings.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use indicatif::ProgressBar;

use super::{EmoncmsFeed, EmoncmsFeeds, FINA_BYTES, FeedData, RECORD_BYTES, fina_time};
use crate::ingest::file::intake::FileIntake;
use crate::ingest::file::selection::LabeledSeries;
use crate::ingest::table::{ParsedRow, SeriesUnit, TimeReader, When, Wishes};

/// The first byte of each record of `PHPTimeSeries`.
const RECORD_BEGIN: u8 = 249;

/// A feed that is being read.
struct OpenFeed {
    file: BufReader<File>,
    data: FeedData,
    unit: SeriesUnit,
    /// The number of values read, and the total.
    read: u64,
    values: u64,
}

/// Reads the feeds that are wanted, one after another.
///
/// # Errors
/// If one cannot be read, has no readings, or another unit.
pub(in crate::ingest::file) fn read_feeds(
    feeds: &EmoncmsFeeds,
    wishes: &Wishes,
    times: &TimeReader,
    progress: &ProgressBar,
    intake: &mut FileIntake,
) -> Result<()> {
    let mut open = Vec::new();
    for feed in feeds.feeds.values() {
        let name = feeds.name(feed);
        // A feed keeps the name that the user chose it by.
        let mut called = None;
        for wish in [&wishes.watts, &wishes.watthours].into_iter().flatten() {
            if feeds.is_meant(feed, wish)? {
                called = Some(wish);
            }
        }
        let full = if intake.lists() {
            &name
        } else {
            called.unwrap_or(&name)
        };
        let labeled = LabeledSeries {
            name: full,
            labels: &[],
            full: full.clone(),
            unit: feed.entry.unit.as_deref(),
            is_only_energy: false,
        };
        let extent = || feeds.describe(feed);
        if let Some(unit) = intake.offer_known(&labeled, extent)? {
            if let FeedData::Other(what) = &feed.data {
                bail!("the feed {full} has no readings: {what}");
            }
            open.push(OpenFeed::new(feed, unit)?);
        }
    }
    progress.set_length(open.iter().map(|feed| feed.values).sum());
    intake.place_word = "value";
    for mut feed in open {
        take_feed(&mut feed, times, progress, intake)?;
    }
    Ok(())
}

fn take_feed(
    feed: &mut OpenFeed,
    times: &TimeReader,
    progress: &ProgressBar,
    intake: &mut FileIntake,
) -> Result<()> {
    while let Some(value) = feed.next().with_context(|| feed.place())? {
        // Not for each value, which would take longer than reading it.
        if feed.read.is_multiple_of(FINA_BYTES * 1_024) {
            progress.inc(FINA_BYTES * 1_024);
        }
        let row = match value {
            Ok((_, number)) if number.is_nan() => ParsedRow::NoValue,
            Ok((seconds, number)) => {
                #[expect(clippy::cast_precision_loss, reason = "seconds have 33 bits")]
                let time = times.seconds(seconds as f64);
                match time {
                    Ok(time) => feed.unit.row(When::At(time), shortest(number)),
                    Err(reason) => ParsedRow::Bad(reason),
                }
            }
            Err(reason) => ParsedRow::Bad(reason),
        };
        intake.take_at(row, feed.read, || feed.place())?;
    }
    Ok(())
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

/// The shortest decimal number that gives this float, as somebody entered it: 9410.938, not
/// 9410.9375.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::NAN)
}
