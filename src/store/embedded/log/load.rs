//! Finds the live records of the log. Writes nothing.
//!
//! Each record names the one before it. So they are followed from the last one back to the tail;
//! records off that path were never durable, or are outdated. A record missing on the path was
//! damaged. After the last durable record, only an unbroken sequence of records is live, up to the
//! end of a commit: the others were being written when the process ended.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::domain::SensorId;
use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::disk::record::{self, StoredRecord};
use crate::store::embedded::disk::{Mark, open};
use crate::store::embedded::log::content::{self, LogHead, LogItem};
use crate::store::error::StoreError;

/// The folder in the data dir `dir`.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("log")
}

/// The location of a record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogPlace {
    pub(crate) head: LogHead,
    /// The number of its segment.
    pub(crate) segment: u32,
    at: usize,
    pub(crate) end: usize,
    is_whole: bool,
}

/// The log as it was found.
#[derive(Debug, Default)]
pub(crate) struct LoadedLog {
    /// The live records, in order. Their values may be damaged.
    pub(crate) records: Vec<LogPlace>,
    /// The live records that are missing.
    pub(crate) lost: Vec<LostRecord>,
    /// The greatest position found.
    pub(crate) greatest: u64,
    /// Everything up to this position was committed, or was taken back.
    pub(crate) committed: u64,
    pub(crate) segments: Vec<(u32, SegmentUse)>,
}

/// The purpose of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentUse {
    /// It has live records.
    Live,
    /// None of its records is live.
    Outdated,
    /// The same, as far as its records can be read: there are other bytes, too.
    Unknown,
}

/// A part of the log that cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LostRecord {
    pub(crate) what: String,
    /// The affected sensors; `None` if it may be any.
    pub(crate) sensors: Option<BTreeSet<SensorId>>,
    /// Whether it is about the journal, which the log does not contain.
    pub(crate) is_of_journal: bool,
}

impl LostRecord {
    /// The loss, in a sentence.
    pub(crate) fn text(&self) -> String {
        let Some(sensors) = &self.sensors else {
            return format!("{}: readings of any sensor may be missing", self.what);
        };
        let ids: Vec<&str> = sensors.iter().map(SensorId::as_str).collect();
        let ids = ids.join(", ");
        format!(
            "{}: readings of these sensors may be missing: {ids}",
            self.what
        )
    }
}

/// Reads the log in the data dir `dir`. Records up to the position `durable` were durable, and
/// maybe later ones.
///
/// # Errors
/// [`StoreError::Io`] if the disk cannot return a part of it.
pub(crate) fn load(dir: &Path, mark: Mark, durable: u64) -> Result<LoadedLog, StoreError> {
    let found = find(dir, mark)?;
    Ok(found.log(durable))
}

/// Reads the log as it was when the record at this position was the last one. Others may be written
/// meanwhile.
///
/// # Errors
/// As [`load`].
pub(crate) fn load_up_to(dir: &Path, mark: Mark, last: u64) -> Result<LoadedLog, StoreError> {
    let mut found = find(dir, mark)?;
    // Removed before following the records: a later one may have another tail.
    found.records.retain(|position, _| *position <= last);
    Ok(found.log(last))
}

/// All records in the segments.
struct Found {
    records: BTreeMap<u64, LogPlace>,
    segments: Vec<u32>,
    /// The segments that contain anything but records.
    unknown: BTreeSet<u32>,
}

fn find(dir: &Path, mark: Mark) -> Result<Found, StoreError> {
    let files = Volumes::in_folder(folder(dir));
    let failed = |error| StoreError::io(format!("reading {}", files.folder().display()), &error);
    let mut found = BTreeMap::new();
    let mut unknown = BTreeSet::new();
    let numbers = files.numbers().map_err(failed)?;
    for &segment in &numbers {
        let bytes = open::content(&files.path(segment))?.unwrap_or_default();
        let places = found_in(&bytes, mark, segment);
        let ranges = places.iter().map(|place| place.at..place.end);
        if record::has_others(&bytes, 0, ranges) {
            unknown.insert(segment);
        }
        for place in places {
            // A reused segment may have outdated records after the new ones.
            found.entry(place.head.position).or_insert(place);
        }
    }
    Ok(Found {
        records: found,
        segments: numbers,
        unknown,
    })
}

impl Found {
    /// The log, in which the records up to the position `durable` were durable.
    fn log(self, durable: u64) -> LoadedLog {
        let mut log = LoadedLog {
            greatest: self.records.keys().next_back().copied().unwrap_or(0),
            ..LoadedLog::default()
        };
        log.follow(&self.records, durable);
        let used: BTreeSet<u32> = log.records.iter().map(|place| place.segment).collect();
        let use_of = |number: u32| match used.contains(&number) {
            true => SegmentUse::Live,
            false if self.unknown.contains(&number) => SegmentUse::Unknown,
            false => SegmentUse::Outdated,
        };
        let segments = self.segments.iter();
        log.segments = segments.map(|it| (*it, use_of(*it))).collect();
        log
    }
}

fn found_in(bytes: &[u8], mark: Mark, segment: u32) -> Vec<LogPlace> {
    let records = record::all(bytes, mark);
    let places = records.filter_map(|record| {
        Some(LogPlace {
            head: LogHead::of(&record)?,
            segment,
            at: record.at,
            end: record.at + record.length,
            is_whole: record.values.is_some(),
        })
    });
    places.collect()
}

impl LoadedLog {
    /// The last live record.
    pub(crate) fn last(&self) -> LogHead {
        self.records
            .last()
            .map_or_else(LogHead::default, |it| it.head)
    }

    /// The number of the last change of facts that it knows.
    pub(crate) fn facts(&self) -> u64 {
        let known = self.records.iter().map(|place| place.head.facts);
        known.max().unwrap_or(0)
    }

    /// Finds the live records.
    fn follow(&mut self, found: &BTreeMap<u64, LogPlace>, durable: u64) {
        let of_records = found.values().map(|place| place.head.durable).max();
        let durable = durable.max(of_records.unwrap_or(0));
        let newer = found.range(durable.saturating_add(1)..).rev();
        let unbroken = newer.map(|(_, place)| place).find(|place| {
            let mut at = **place;
            place.head.is_end
                && loop {
                    if !at.is_whole {
                        break false;
                    }
                    if at.head.previous <= durable {
                        break true;
                    }
                    match found.get(&at.head.previous) {
                        Some(before) => at = *before,
                        None => break false,
                    }
                }
        });
        let mut next = unbroken.map_or(durable, |place| place.head.position);
        self.committed = next;
        let mut tail = None;
        while tail.is_none_or(|tail| next >= tail) {
            let place = found.get(&next).copied();
            let place = place.or_else(|| {
                // The path is broken here: continue with the records before.
                let before = found.range(..next).next_back();
                let before = before.map(|(_, place)| *place);
                let before = before.filter(|it| tail.is_none_or(|tail| it.head.position >= tail));
                let is_begin = next == 0 || tail == Some(next);
                if !(is_begin && before.is_none()) {
                    let is_end = self.records.is_empty() && found.range(next..).next().is_none();
                    let why = if is_end {
                        ", which other files know: it is older than they are, or its end was cut off"
                    } else {
                        ""
                    };
                    self.lost.push(LostRecord {
                        what: format!("the log has no readable record at position {next}{why}"),
                        sensors: None,
                        is_of_journal: false,
                    });
                }
                before
            });
            let Some(place) = place else { break };
            // The tail of the newest record applies.
            let tail = *tail.get_or_insert(place.head.tail);
            self.records.push(place);
            if place.head.position <= tail || place.head.previous < tail {
                break;
            }
            next = place.head.previous;
        }
        self.records.reverse();
    }

    /// Calls `each` with the items of the live records, in order, and the head of each. Returns
    /// further damage, besides the missing records.
    ///
    /// # Errors
    /// The errors of `each`, and [`StoreError::Io`].
    pub(crate) fn read(
        &self,
        dir: &Path,
        mark: Mark,
        mut each: impl FnMut(LogHead, LogItem) -> Result<(), StoreError>,
    ) -> Result<Vec<LostRecord>, StoreError> {
        let files = Volumes::in_folder(folder(dir));
        let (mut bytes, mut of, mut lost) = (Vec::new(), None, Vec::new());
        for place in &self.records {
            if of != Some(place.segment) {
                bytes = open::content(&files.path(place.segment))?.unwrap_or_default();
                of = Some(place.segment);
            }
            let record = record::at(&bytes, place.at, mark);
            match record.as_ref().and_then(content::items) {
                Some(items) => {
                    for item in items {
                        each(place.head, item)?;
                    }
                }
                None => lost.push(damaged(&files, place, record.as_ref())),
            }
        }
        Ok(lost)
    }
}

fn damaged(files: &Volumes, place: &LogPlace, record: Option<&StoredRecord<'_>>) -> LostRecord {
    let path = files.path(place.segment);
    LostRecord {
        what: format!("{} at {}: a record is damaged", path.display(), place.at),
        sensors: record.and_then(content::sensors),
        is_of_journal: false,
    }
}
