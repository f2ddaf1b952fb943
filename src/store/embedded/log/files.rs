//! Writing the log: segments of 256 KiB in the folder `log` of the data dir, each named by a number
//! of eight digits.
//!
//! A segment is filled once before its first use, so that later syncs seldom store anything but
//! content; then it is reused. A segment may be overwritten or removed once the tail of a durable
//! record is behind it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::disk::{Mark, open, sync};
use crate::store::embedded::log::content::LogHead;
use crate::store::embedded::log::load::{LoadedLog, SegmentUse, folder};
use crate::store::embedded::log::packer::PackedRecord;
use crate::store::error::StoreError;

/// A record that would make a segment longer goes into another one. Small in debug builds, which
/// tests use, so that these have several segments, and overwrite some.
pub(crate) const SEGMENT_BYTES: usize = if cfg!(any(test, debug_assertions)) {
    16 * 1024
} else {
    256 * 1024
};
/// The number of segments kept for reuse.
const MOST_SPARE: usize = 2;
/// A start continues at least this far after the greatest position that it found.
const SKIPPED: u64 = 1 << 20;

/// A segment with live records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    /// The position of its first live record.
    pub(crate) first: u64,
    /// The position of its last record, once there is another segment.
    pub(crate) last: u64,
}

/// The log, as the committing thread writes it.
pub(crate) struct LogFiles {
    files: Volumes,
    mark: Mark,
    /// Kept open: without a free descriptor, a new segment could not be made durable.
    folder: File,
    /// In the order of their records. The last one is appended to.
    kept: VecDeque<Segment>,
    /// The numbers of segments for reuse.
    spare: Vec<u32>,
    next_segment: u32,
    newest: File,
    /// The offset of the next record.
    end: usize,
    /// The offset of the first record in this segment of the commit that is being written.
    commit_at: usize,
    /// The bytes before `end` that may not be durable yet. After a failed sync the system may have
    /// dropped them: then they are written again.
    unsynced: Vec<u8>,
    must_rewrite: bool,
    /// The head of the last record of the last whole commit.
    last: LogHead,
    /// The position of the next record.
    next: u64,
    /// The tail in the last durable record.
    durable_tail: u64,
}

impl LogFiles {
    /// Opens the log that was loaded.
    pub(crate) fn open(
        dir: &Path,
        mark: Mark,
        loaded: &LoadedLog,
        is_damaged: bool,
    ) -> Result<Self, StoreError> {
        let files = Volumes::in_folder(folder(dir));
        let (mut kept, end) = kept_of(loaded);
        let last = loaded.last();
        let next = first_of_start(loaded.greatest)?;
        let greatest = loaded.segments.iter().map(|(number, _)| *number).max();
        let mut next_segment = greatest.unwrap_or(0).saturating_add(1);
        // Without damage, all live records are known, and are in the other segments. Else remains of
        // overwritten records could be damaged ones.
        let outdated = loaded.segments.iter().filter(|(_, found)| match found {
            SegmentUse::Live => false,
            SegmentUse::Outdated => true,
            SegmentUse::Unknown => !is_damaged,
        });
        let mut spare: Vec<u32> = outdated.map(|(number, _)| *number).collect();
        let mut prepare = || {
            open::folder(files.folder())?;
            let folder = File::open(files.folder())?;
            for outdated in spare.drain(MOST_SPARE.min(spare.len())..) {
                fs::remove_file(files.path(outdated))?;
            }
            let newest = if let Some(newest) = kept.back() {
                open::to_write(&files.path(newest.number))?
            } else {
                let number = next_segment;
                next_segment += 1;
                kept.push_back(Segment {
                    number,
                    first: next,
                    last: 0,
                });
                new_segment(&files, number)?
            };
            sync::names(&folder, files.folder())?;
            open::sync_names(dir)?;
            Ok((folder, newest))
        };
        let made: io::Result<_> = prepare();
        let (folder, newest) = made.map_err(|error| {
            StoreError::io(format!("opening {}", files.folder().display()), &error)
        })?;
        Ok(Self {
            files,
            mark,
            folder,
            kept,
            spare,
            next_segment,
            newest,
            end,
            commit_at: end,
            unsynced: Vec::new(),
            must_rewrite: false,
            last,
            next,
            durable_tail: last.tail,
        })
    }

    /// The position of the next record.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// The head of the last record of the last whole commit.
    pub(crate) const fn last(&self) -> LogHead {
        self.last
    }

    /// The segments with live records, in order.
    pub(crate) fn segments(&self) -> impl Iterator<Item = Segment> {
        self.kept.iter().copied()
    }

    pub(crate) fn count_segments(&self) -> usize {
        self.kept.len()
    }

    pub(crate) const fn files(&self) -> &Volumes {
        &self.files
    }

    /// Appends the records of a commit; without any, appends one with a head only. They are durable
    /// after [`Self::sync`]. After an error, the log is as it was, but their positions are not used
    /// again.
    pub(crate) fn append(
        &mut self,
        mut records: Vec<PackedRecord>,
        change: impl FnOnce(&mut LogHead),
    ) -> io::Result<()> {
        if records.is_empty() {
            records.push(PackedRecord::default());
        }
        if self.must_rewrite {
            self.sync()?;
        }
        self.commit_at = self.end;
        let appended = self.append_all(records, change);
        if appended.is_err() {
            self.take_back();
        }
        appended
    }

    fn append_all(
        &mut self,
        records: Vec<PackedRecord>,
        change: impl FnOnce(&mut LogHead),
    ) -> io::Result<()> {
        let mut head = LogHead {
            is_closed: false,
            ..self.last
        };
        change(&mut head);
        let count = records.len();
        let mut previous = self.last.position;
        let mut pending = Vec::new();
        for (number, record) in (1..).zip(records) {
            head = LogHead {
                position: self.next,
                previous,
                is_end: number == count,
                ..head
            };
            if head.tail == 0 {
                head.tail = self.kept.front().map_or(head.position, |it| it.first);
            }
            let before = pending.len();
            record.put(&mut pending, self.mark, head);
            if self.end + before > 0 && self.end + pending.len() > SEGMENT_BYTES {
                let record = pending.split_off(before);
                self.write(&pending)?;
                self.begin_segment(previous)?;
                pending = record;
            }
            self.next += 1;
            previous = head.position;
        }
        self.write(&pending)?;
        self.last = head;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.newest.write_all_at(bytes, self.end as u64)?;
        sync::count_written(bytes.len());
        self.end += bytes.len();
        self.unsynced.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes back the records of a commit that could not be written: the next one is written over
    /// them. No record names them as the one before it.
    fn take_back(&mut self) {
        let written = self.end - self.commit_at;
        let left = self.unsynced.len().saturating_sub(written);
        self.unsynced.truncate(left);
        self.end = self.commit_at;
        for segment in &mut self.kept {
            segment.last = segment.last.min(self.last.position);
        }
    }

    /// Continues in another segment, if there can be one. The last record of this one has the
    /// position `last`.
    fn begin_segment(&mut self, last: u64) -> io::Result<()> {
        // Synced first: later syncs only apply to the newest segment.
        self.sync()?;
        self.prepare();
        // Without a spare one, for lack of descriptors or disk space, the segment gets longer,
        // which does no harm.
        let Some(number) = self.spare.last().copied() else {
            return Ok(());
        };
        match open::to_write(&self.files.path(number)) {
            Ok(file) => {
                self.spare.pop();
                if let Some(full) = self.kept.back_mut() {
                    full.last = last;
                }
                self.kept.push_back(Segment {
                    number,
                    first: self.next,
                    last: 0,
                });
                (self.newest, self.end, self.commit_at) = (file, 0, 0);
            }
            Err(error) => {
                log::debug!(
                    "cannot begin a new segment of the log, the current one grows: {error}"
                );
            }
        }
        Ok(())
    }

    /// Makes sure that there is a spare segment.
    pub(crate) fn prepare(&mut self) {
        if !self.spare.is_empty() {
            return;
        }
        let number = self.next_segment;
        let made = new_segment(&self.files, number);
        let made = made.and_then(|_| sync::names(&self.folder, self.files.folder()));
        match made {
            Ok(()) => {
                self.spare.push(number);
                self.next_segment += 1;
            }
            Err(error) => {
                log::debug!("cannot create a segment of the log for now: {error}");
                // An incomplete segment is useless. The file may not even exist.
                let _ = fs::remove_file(self.files.path(number));
            }
        }
    }

    /// Whether a sync failed for lack of space, and is to be tried again.
    pub(crate) const fn must_rewrite(&self) -> bool {
        self.must_rewrite
    }

    /// Makes all records durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.unsynced.is_empty() {
            self.must_rewrite = false;
            return Ok(());
        }
        if self.must_rewrite {
            let at = self.end.saturating_sub(self.unsynced.len());
            self.newest.write_all_at(&self.unsynced, at as u64)?;
            sync::count_written(self.unsynced.len());
        }
        self.must_rewrite = true;
        sync::data(&self.newest)?;
        self.must_rewrite = false;
        self.unsynced.clear();
        // Of whole commits only: a start takes everything up to this position for committed.
        self.last.durable = self.last.position;
        self.durable_tail = self.last.tail;
        Ok(())
    }

    /// Marks segments before the tail for reuse, and removes superfluous ones.
    pub(crate) fn free_outdated(&mut self) {
        while let Some(second) = self.kept.get(1)
            && second.first <= self.durable_tail
            && let Some(outdated) = self.kept.pop_front()
        {
            if self.spare.len() < MOST_SPARE {
                self.spare.push(outdated.number);
                continue;
            }
            let path = self.files.path(outdated.number);
            // The removal need not be durable: the next start repeats it, as it does if this fails.
            if let Err(error) = fs::remove_file(&path) {
                log::warn!(
                    "cannot remove {}, which is no longer needed: {error}",
                    path.display()
                );
            }
        }
    }
}

/// The position of the first record of a start, after the greatest position found. Random, because
/// an earlier start may have written records that a power cut removed: no position is used twice,
/// and blocks in volumes have these numbers.
fn first_of_start(greatest: u64) -> Result<u64, StoreError> {
    if greatest == 0 {
        return Ok(1);
    }
    let mut chance = [0; 4];
    getrandom::fill(&mut chance).map_err(|error| StoreError::io("opening the log", &error))?;
    let more = u64::from(u32::from_le_bytes(chance) >> 12);
    Ok(greatest.saturating_add(SKIPPED).saturating_add(more))
}

/// The segments with live records, and the offset after the last record.
fn kept_of(loaded: &LoadedLog) -> (VecDeque<Segment>, usize) {
    let mut kept = VecDeque::<Segment>::new();
    let mut end = 0;
    for place in &loaded.records {
        end = place.end;
        if kept.back().map(|it| it.number) != Some(place.segment) {
            kept.push_back(Segment {
                number: place.segment,
                first: place.head.position,
                last: 0,
            });
        }
        if let Some(segment) = kept.back_mut() {
            segment.last = place.head.position;
        }
    }
    (kept, end)
}

/// Creates a segment at its full length.
fn new_segment(files: &Volumes, number: u32) -> io::Result<File> {
    let file = open::to_write(&files.path(number))?;
    file.write_all_at(&vec![0; SEGMENT_BYTES], 0)?;
    sync::count_written(SEGMENT_BYTES);
    sync::all(&file)?;
    Ok(file)
}
