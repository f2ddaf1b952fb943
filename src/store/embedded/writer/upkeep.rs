//! Maintenance between two groups of uploads, in slices: finishing what failed on a full disk,
//! replacing a failed index, the second copy
//! of facts and their compaction, cleaning of the log, moves of blocks.
//!
//! Cleaning appends the live data of the log's oldest segment again; then the segment is free. An
//! interruption loses nothing: the segment is used until the tail of a durable record is past it.

use std::collections::{BTreeMap, VecDeque};

use crate::locks::write;
use crate::store::embedded::disk::record;
use crate::store::embedded::disk::reserve::free_bytes;
use crate::store::embedded::disk::{Mark, open};
use crate::store::embedded::index::IndexEntry;
use crate::store::embedded::log::content;
use crate::store::embedded::log::files::{SEGMENT_BYTES, Segment};
use crate::store::embedded::log::{LiveRows, LogChange, LogFiles, LogHead, LogItem};
use crate::store::embedded::writer::database::Database;
use crate::store::error::StoreError;

/// About how many bytes a slice of cleaning appends: uploads wait meanwhile.
const SLICE_BYTES: usize = 32 * 1024;
/// The number of sensors that are considered for a slice.
const SENSORS_AT_ONCE: usize = 64;
/// About how many bytes the log needs for a block.
const BLOCK_BYTES: u64 = 100;
/// The number of segments that are tolerated besides twice the live data.
const TOLERATED: u64 = 4;
/// The free disk space that cleaning leaves for uploads, in bytes.
const LEFT: u64 = 512 * 1024;

/// The progress of the work.
#[derive(Default)]
pub(super) struct Upkeep {
    cleaning: Option<Cleaning>,
    /// The number of segments when cleaning failed: it waits for another one, or for the next
    /// start.
    failed_at: Option<usize>,
}

/// Cleaning of a segment.
struct Cleaning {
    /// The position of the first record after it.
    end: u64,
    /// The blocks that it contains: their keys, and the numbers of the commits that made them.
    puts: VecDeque<(Vec<u8>, u64)>,
    /// The removed blocks that it names, and the positions of the records of their removal.
    removed: Vec<(Vec<u8>, u64)>,
}

impl Upkeep {
    /// Whether there is work to do.
    pub(super) fn is_due(&self, db: &Database) -> bool {
        let shared = db.shared();
        db.is_unfinished()
            || shared.sealed.index.is_failed()
            || db.is_fact_work_due()
            || self.is_cleaning_due(db)
            || db.space.is_move_due()
    }

    /// Does a slice of it. Final failures are recorded where they happen.
    pub(super) fn work(&mut self, db: &mut Database) {
        let shared = db.shared();
        if db.is_unfinished() {
            drop(db.go_on());
        } else if shared.sealed.index.is_failed() {
            let _swapping = write(&shared.swap);
            drop(db.rebuild_index());
        } else if db.is_fact_work_due() {
            drop(db.work_on_facts());
        } else if self.is_cleaning_due(db) {
            self.clean(db);
        } else if db.space.is_move_due() {
            db.move_blocks();
        }
    }

    /// Whether the log is too long for its live data.
    fn is_cleaning_due(&self, db: &Database) -> bool {
        let segments = db.log.count_segments();
        if self
            .failed_at
            .is_some_and(|failed_at| segments <= failed_at)
        {
            return false;
        }
        let segment = SEGMENT_BYTES as u64;
        let rows = db.shared().hot.held().counts().settled;
        let live = db.live.bytes(rows) as u64 + db.blocks * BLOCK_BYTES;
        self.cleaning.is_some() || segments as u64 * segment > 2 * live + TOLERATED * segment
    }

    /// Does a slice. An error that is not final is logged; then the log stays as it is until it has
    /// another segment: there may be disk space by then.
    fn clean(&mut self, db: &mut Database) {
        let cleaned = match self.cleaning.take() {
            None => begin(db).map(Some),
            Some(cleaning) => cleaning.go_on(db),
        };
        match cleaned {
            Ok(cleaning) => {
                self.cleaning = cleaning;
                self.failed_at = None;
            }
            Err(error) if db.check_writable().is_ok() => {
                // It continues with another index.
                let is_failed = db.shared().sealed.index.is_failed();
                self.failed_at = (!is_failed).then(|| db.log.count_segments());
                if !matches!(error, StoreError::NotForNow(_)) {
                    log::error!("cannot clean the log for now: {error}");
                }
            }
            // Already logged.
            Err(_) => {}
        }
    }
}

/// Collects the content of a segment.
fn begin(db: &Database) -> Result<Cleaning, StoreError> {
    let mut segments = db.log.segments();
    let (Some(oldest), Some(next)) = (segments.next(), segments.next()) else {
        let cause = "it has one segment only";
        return Err(StoreError::io("cleaning the log", cause));
    };
    let shared = db.shared();
    let free = free_bytes(&shared.dir).unwrap_or(u64::MAX);
    if free < SEGMENT_BYTES as u64 + LEFT {
        let cause = "the disk is nearly full";
        return Err(StoreError::io("cleaning the log", cause));
    }
    let (mut puts, mut removed) = (VecDeque::new(), Vec::new());
    for (head, item) in items_of(&db.log, oldest, shared.sealed.mark)? {
        match item {
            LogItem::Rows(_) => {}
            LogItem::Put(block) => puts.push_back((block.key, block.number)),
            LogItem::Removed(key) => removed.push((key, head.position)),
        }
    }
    Ok(Cleaning {
        end: next.first,
        puts,
        removed,
    })
}

impl Cleaning {
    /// Does a slice. Returns the remaining work.
    fn go_on(mut self, db: &mut Database) -> Result<Option<Self>, StoreError> {
        let shared = db.shared();
        let index = &shared.sealed.index;
        let mut change = LogChange::new(db.log.next());
        while change.packer.bytes() < SLICE_BYTES
            && let Some((key, number)) = self.puts.pop_front()
        {
            // There is an entry for a removed block, too, until the log has passed the record of
            // its removal.
            let entry = index.get(&key)?;
            let entry = entry.ok_or_else(|| index.failed("a block of the log is missing"))?;
            if entry.number == number
                && let Some(put) = entry.put(&key)
            {
                change.packer.put(&put);
            }
        }
        let sensors = db.live.before(self.end, SENSORS_AT_ONCE);
        for sensor in &sensors {
            if change.packer.bytes() >= SLICE_BYTES {
                break;
            }
            LiveRows::carry(&shared.hot.held(), sensor, &mut change);
        }
        let is_last = self.puts.is_empty() && sensors.is_empty();
        let mut forgotten = Vec::new();
        if is_last {
            for (key, position) in std::mem::take(&mut self.removed) {
                let is_same = |it: &IndexEntry| it.placed.is_none() && it.number <= position;
                if index.get(&key)?.as_ref().is_some_and(is_same) {
                    forgotten.push((key, None));
                }
            }
        }
        let of_head = |head: &mut LogHead| {
            if is_last {
                head.tail = self.end;
            }
        };
        db.commit("cleaning the log", change, of_head, forgotten, |_| {})?;
        if !is_last {
            return Ok(Some(self));
        }
        db.flush()?;
        db.log.prepare();
        Ok(None)
    }
}

/// All items of a segment, with the head of the record of each.
///
/// # Errors
/// [`StoreError::Damaged`] if one of its records is damaged or missing: its live data must not be
/// left behind.
fn items_of(
    log: &LogFiles,
    segment: Segment,
    mark: Mark,
) -> Result<Vec<(LogHead, LogItem)>, StoreError> {
    let path = log.files().path(segment.number);
    let bytes = open::content(&path)?.unwrap_or_default();
    let damaged = |position: u64| {
        let path = path.display();
        StoreError::Damaged(format!(
            "{path}: the record at position {position} is damaged"
        ))
    };
    let mut records = BTreeMap::new();
    for record in record::all(&bytes, mark) {
        records.entry(record.number).or_insert(record);
    }
    // Followed as at a start: each names the one before it.
    let (mut found, mut position) = (Vec::new(), segment.last);
    while position >= segment.first {
        let record = records.get(&position).ok_or_else(|| damaged(position))?;
        let head = LogHead::of(record).ok_or_else(|| damaged(position))?;
        let items = content::items(record).ok_or_else(|| damaged(position))?;
        found.extend(items.into_iter().map(|item| (head, item)));
        if head.previous >= position {
            return Err(damaged(position));
        }
        position = head.previous;
    }
    Ok(found)
}
