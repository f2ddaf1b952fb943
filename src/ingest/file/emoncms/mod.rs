//! Feeds of Emoncms, in the files of its engines.
//!
//! | files | engine | contents, in little-endian |
//! | --- | --- | --- |
//! | `phpfina/ID.meta` | `PHPFina` | 8 bytes that are not used, then the interval in seconds and the first time in seconds since 1970, 32 bits each |
//! | `phpfina/ID.dat` | | a float of 32 bits for each interval, NaN where there is none |
//! | `phptimeseries/feed_ID.MYD` | `PHPTimeSeries` | records of 9 bytes: 249, the time in seconds since 1970 in 32 bits, a float of 32 bits |
//!
//! The formats are those of the
//! [engines](https://github.com/emoncms/emoncms/tree/master/Modules/feed/engine). Names and units
//! of feeds are in `feeds.json`, which is the answer to `/feed/list.json`, or in the dump of the
//! database in each backup.
//!
//! - `catalog`: names and units, from either; `dump`: tables in a dump
//! - `rows`: turns values into readings

mod catalog;
mod dump;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use self::catalog::{FeedEntry, read_catalog};
pub(super) use self::rows::read_feeds;
use super::listing::FileSeries;
use crate::domain::Timestamp;

/// The maximum number of feeds: a house has dozens.
const FEEDS: usize = 20_000;
/// The size of a value of `PHPFina`, in bytes.
const FINA_BYTES: u64 = 4;
/// The size of a record of `PHPTimeSeries`, in bytes.
const RECORD_BYTES: u64 = 9;

/// Feeds in a folder, or the feed of a file.
pub(crate) struct EmoncmsFeeds {
    feeds: BTreeMap<u64, EmoncmsFeed>,
}

/// A feed.
#[derive(Clone, Debug)]
struct EmoncmsFeed {
    id: u64,
    /// Its entry in the list of feeds.
    entry: FeedEntry,
    data: FeedData,
}

/// The file with a feed's values.
#[derive(Clone, Debug, PartialEq)]
enum FeedData {
    /// `PHPFina`: values at equal intervals.
    Fina {
        path: PathBuf,
        /// In seconds; positive.
        interval: u32,
        /// In seconds since 1970.
        start: u32,
        values: u64,
    },
    /// `PHPTimeSeries`: values with times.
    TimeSeries { path: PathBuf, values: u64 },
    /// Another kind that cannot be read, in words.
    Other(String),
}

impl EmoncmsFeeds {
    /// Whether the path belongs to Emoncms: a folder, or a file with the name of a feed.
    pub(super) fn is_at(path: &Path) -> bool {
        path.is_dir() || FeedFile::of(path).is_some()
    }

    /// Finds the feeds at `path`: the feed of a file, or those in a folder, such as an unpacked
    /// backup.
    ///
    /// # Errors
    /// If there are none, or they cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let mut feeds = BTreeMap::new();
        if path.is_dir() {
            for folder in [
                path.to_owned(),
                path.join("phpfina"),
                path.join("phptimeseries"),
            ] {
                find_files(&folder, &mut feeds)?;
            }
            if feeds.is_empty() {
                bail!(
                    "{} is a folder without feeds of Emoncms: expected phpfina/ID.dat with ID.meta, or phptimeseries/feed_ID.MYD",
                    path.display()
                );
            }
        } else if let Some(file) = FeedFile::of(path) {
            feeds.insert(file.id, file.data()?);
        }
        let absolute = path
            .canonicalize()
            .with_context(|| format!("opening {}", path.display()))?;
        // Next to the folders of a backup, or in them.
        let ancestors = absolute.ancestors().skip(usize::from(!absolute.is_dir()));
        let mut entries = BTreeMap::new();
        for folder in ancestors.take(2) {
            entries = read_catalog(folder)?;
            if !entries.is_empty() {
                break;
            }
        }
        let feeds = feeds.into_iter().map(|(id, data)| {
            let entry: FeedEntry = entries.remove(&id).unwrap_or_default();
            let data = entry.other_kind().map_or(data, FeedData::Other);
            (id, EmoncmsFeed { id, entry, data })
        });
        Ok(Self {
            feeds: feeds.collect(),
        })
    }

    fn describe(&self, feed: &EmoncmsFeed) -> Result<FileSeries> {
        let (values, first, last) = match &feed.data {
            FeedData::Fina {
                interval,
                start,
                values,
                ..
            } => {
                let last = fina_time(*start, *interval, values.saturating_sub(1));
                (*values, Some(i64::from(*start)), last)
            }
            FeedData::TimeSeries { path, values } => {
                let [first, last] = rows::ends(path, *values)
                    .with_context(|| format!("reading {}", path.display()))?;
                (*values, Some(i64::from(first)), Some(i64::from(last)))
            }
            FeedData::Other(_) => (0, None, None),
        };
        let text = |seconds: Option<i64>| {
            let ms = seconds.filter(|_| values > 0)?.checked_mul(1_000)?;
            Some(Timestamp::from_millis(ms)?.to_string())
        };
        Ok(FileSeries {
            series: self.name(feed),
            unit: feed.entry.unit.clone().filter(|unit| !unit.is_empty()),
            values,
            first: text(first),
            last: text(last),
        })
    }

    /// The name of a feed: the shortest one that does not also name another feed.
    fn name(&self, feed: &EmoncmsFeed) -> String {
        let id = feed.id.to_string();
        let names = [feed.entry.name.clone(), feed.entry.tagged()];
        let is_own = |name: &String| {
            let found: Vec<_> = self.feeds.values().filter(|it| it.has_name(name)).collect();
            found.len() == 1
        };
        names.into_iter().flatten().find(is_own).unwrap_or(id)
    }

    /// Whether `wish` names this feed: by name, by tag and name, or by id.
    ///
    /// # Errors
    /// If several feeds have that name.
    fn is_meant(&self, feed: &EmoncmsFeed, wish: &str) -> Result<bool> {
        let named: Vec<_> = self.feeds.values().filter(|it| it.has_name(wish)).collect();
        match named.as_slice() {
            [] => Ok(wish.parse() == Ok(feed.id)),
            [only] => Ok(only.id == feed.id),
            _ => {
                let ids: Vec<_> = named.iter().map(|feed| feed.id.to_string()).collect();
                bail!(
                    "several feeds have the name {wish:?}: give one of the ids {} instead",
                    ids.join(", ")
                );
            }
        }
    }
}

impl EmoncmsFeed {
    fn has_name(&self, name: &str) -> bool {
        self.entry.name.as_deref() == Some(name) || self.entry.tagged().as_deref() == Some(name)
    }
}

/// A file with the name of a feed.
struct FeedFile {
    id: u64,
    path: PathBuf,
    is_fina: bool,
}

impl FeedFile {
    /// Parses the file's name; `None` if it is another file.
    fn of(path: &Path) -> Option<Self> {
        let stem = path.file_stem()?.to_str()?;
        let (id, ending, is_fina) = match path.extension()?.to_str()? {
            "dat" | "meta" => (stem.parse().ok()?, "dat", true),
            "MYD" => (stem.strip_prefix("feed_")?.parse().ok()?, "MYD", false),
            _ => return None,
        };
        let path = path.with_extension(ending);
        Some(Self { id, path, is_fina })
    }

    fn data(self) -> Result<FeedData> {
        let path = self.path;
        let length = |path: &Path| -> Result<u64> {
            let file = fs::metadata(path).with_context(|| format!("opening {}", path.display()))?;
            Ok(file.len())
        };
        if !self.is_fina {
            // An incomplete record was being written.
            let values = length(&path)? / RECORD_BYTES;
            return Ok(FeedData::TimeSeries { path, values });
        }
        let meta = path.with_extension("meta");
        let mut bytes = Vec::new();
        File::open(&meta)
            .and_then(|file| file.take(17).read_to_end(&mut bytes))
            .with_context(|| format!("opening {}", meta.display()))?;
        let Ok(bytes) = <[u8; 16]>::try_from(bytes) else {
            bail!("{}: expected 16 bytes", meta.display());
        };
        let [_, _, interval, start] = words(bytes);
        let values = length(&path)? / FINA_BYTES;
        if values > 0 && (interval == 0 || start == 0) {
            bail!(
                "{}: expected an interval and a first time, got {interval} s and {start}",
                meta.display()
            );
        }
        Ok(FeedData::Fina {
            path,
            interval,
            start,
            values,
        })
    }
}

/// Four numbers of 32 bits.
fn words(bytes: [u8; 16]) -> [u32; 4] {
    let all = u128::from_le_bytes(bytes);
    [0, 32, 64, 96].map(|shift| {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the lower 32 bits are meant"
        )]
        let word = (all >> shift) as u32;
        word
    })
}

/// The time of a value of `PHPFina`, in seconds since 1970.
fn fina_time(start: u32, interval: u32, index: u64) -> Option<i64> {
    let after = i64::try_from(index)
        .ok()?
        .checked_mul(i64::from(interval))?;
    after.checked_add(i64::from(start))
}

/// Finds the files of feeds in a folder, if there is such a folder.
fn find_files(folder: &Path, feeds: &mut BTreeMap<u64, FeedData>) -> Result<()> {
    let reading = || format!("reading {}", folder.display());
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(reading)? {
        let path = entry.with_context(reading)?.path();
        // Each feed of `PHPFina` has two files.
        if path.extension().is_some_and(|ending| ending == "meta") {
            continue;
        }
        if let Some(file) = FeedFile::of(&path) {
            if feeds.len() == FEEDS {
                bail!("{}: it has more than {FEEDS} feeds", folder.display());
            }
            feeds.insert(file.id, file.data()?);
        }
    }
    Ok(())
}

/// The entry point of a fuzzer: parses a dump.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz_dump(bytes: &[u8]) {
    let _ = dump::read_table(bytes, "feeds");
}
