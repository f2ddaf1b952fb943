//! What the files need between two groups of uploads, in slices: another index in the place of one that failed, the second copy of
//! facts and their compaction, cleaning of the log, moves of blocks.
//!
//! Cleaning appends again what still counts of the oldest segment of the log; then the segment is free. Cut short anywhere, nothing is
//! lost: the segment counts until a durable record has a tail behind it.

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
/// So many sensors are looked at for a slice.
const SENSORS_AT_ONCE: usize = 64;
/// About how many bytes the log needs for a block.
const BLOCK_BYTES: u64 = 100;
/// So many segments are tolerated besides twice what counts.
const TOLERATED: u64 = 4;
/// Cleaning leaves so many bytes of the disk to uploads.
const LEFT: u64 = 512 * 1024;

/// How far the work is.
#[derive(Default)]
pub(super) struct Upkeep {
    cleaning: Option<Cleaning>,
    /// How many segments there were when cleaning failed: it waits for another one, or for the next start.
    failed_at: Option<usize>,
}

/// Cleaning of a segment.
struct Cleaning {
    /// The position of the first record behind it.
    end: u64,
    /// The blocks that it has: their keys, and the numbers of the commits that made them.
    puts: VecDeque<(Vec<u8>, u64)>,
    /// The blocks that it says are gone, and the positions of the records that do.
    removed: Vec<(Vec<u8>, u64)>,
}

impl Upkeep {
    /// Whether there is something to do.
    pub(super) fn is_due(&self, db: &Database) -> bool {
        let shared = db.shared();
        shared.sealed.index.is_failed()
            || shared.facts.read(|facts| db.facts.is_due(facts))
            || self.is_cleaning_due(db)
            || db.space.is_move_due()
    }

    /// Does a slice of it. What fails for good is recorded where it happens.
    pub(super) fn work(&mut self, db: &mut Database) {
        let shared = db.shared();
        if shared.sealed.index.is_failed() {
            let _swapping = write(&shared.swap);
            drop(db.rebuild_index());
        } else if shared.facts.read(|facts| db.facts.is_due(facts)) {
            let facts = &mut db.facts;
            if let Err(error) = shared.facts.read(|stored| facts.work(stored)) {
                drop(db.fact_failed("syncing", error));
            }
        } else if self.is_cleaning_due(db) {
            self.clean(db);
        } else if db.space.is_move_due() {
            db.move_blocks();
        }
    }

    /// Whether the log is too long for what counts in it.
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

    /// Does a slice. An error that is not final is logged; then the log stays as it is until it has another segment: there may be room
    /// on the disk by then.
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
                // With another index, it goes on.
                let is_failed = db.shared().sealed.index.is_failed();
                self.failed_at = (!is_failed).then(|| db.log.count_segments());
                log::error!("the log can't be cleaned, it stays as it is: {error}");
            }
            // That was logged.
            Err(_) => {}
        }
    }
}

/// Finds what a segment has.
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
    /// Does a slice. Returns what is left to do.
    fn go_on(mut self, db: &mut Database) -> Result<Option<Self>, StoreError> {
        let shared = db.shared();
        let index = &shared.sealed.index;
        let mut change = LogChange::new(db.log.next());
        while change.packer.bytes() < SLICE_BYTES
            && let Some((key, number)) = self.puts.pop_front()
        {
            // Also of a block that is gone, there is an entry until the log has passed the record that said so.
            let entry = index.get(&key)?;
            let entry = entry.ok_or_else(|| index.failed("it lacks a block that the log has"))?;
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
/// [`StoreError::Damaged`] if one of its records is damaged or missing: what counts of it must not be left behind.
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
    // As a start follows them: each names the one before it.
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
