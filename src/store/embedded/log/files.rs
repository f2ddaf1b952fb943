//! Writing the log: segments of 256 KiB in the folder `log` of the data dir, each named by a number of eight digits.
//!
//! A segment is filled once before its first use, so that a sync seldom stores more than content; later it is written over. That, or
//! its removal, is allowed once a durable record has a tail behind it.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::disk::{Mark, open, sync};
use crate::store::embedded::log::content::LogHead;
use crate::store::embedded::log::load::{LoadedLog, folder};
use crate::store::embedded::log::packer::PackedRecord;
use crate::store::error::StoreError;

/// A record that would make a segment longer goes into another one. Little in debug builds, which tests run, so that these have
/// several segments, and write over some.
pub(crate) const SEGMENT_BYTES: usize = if cfg!(any(test, debug_assertions)) {
    16 * 1024
} else {
    256 * 1024
};
/// So many segments are kept to be written over.
const MOST_SPARE: usize = 2;
/// A start goes on at least so far behind the last position that it saw.
const SKIPPED: u64 = 1 << 20;

/// A segment with records that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) number: u32,
    /// The position of its first record that counts.
    pub(crate) first: u64,
    /// That of its last one, once there is another segment.
    pub(crate) last: u64,
}

/// The log, being written by the committing thread.
pub(crate) struct LogFiles {
    files: Volumes,
    mark: Mark,
    /// It stays open: without a descriptor left, a new segment could not be made durable.
    folder: File,
    /// In the order of their records. The last one is written to.
    kept: VecDeque<Segment>,
    /// The numbers of those that may be written over.
    spare: Vec<u32>,
    next_segment: u32,
    newest: File,
    /// Where the next record goes.
    end: usize,
    /// What the last record says.
    last: LogHead,
    /// The position of the next record.
    next: u64,
    /// The tail that the last durable record names.
    durable_tail: u64,
    is_unsynced: bool,
}

impl LogFiles {
    /// Opens the log that was loaded.
    pub(crate) fn open(dir: &Path, mark: Mark, loaded: &LoadedLog) -> Result<Self, StoreError> {
        let files = Volumes::in_folder(folder(dir));
        let (mut kept, end) = kept_of(loaded);
        let last = loaded.last();
        let next = first_of_start(loaded.greatest)?;
        let greatest = loaded.segments.iter().map(|(number, _)| *number).max();
        let mut next_segment = greatest.unwrap_or(0).saturating_add(1);
        let outdated = loaded
            .segments
            .iter()
            .filter(|(_, is_outdated)| *is_outdated);
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
            sync::all(&folder)?;
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
            last,
            next,
            durable_tail: last.tail,
            is_unsynced: false,
        })
    }

    /// The position of the next record.
    pub(crate) const fn next(&self) -> u64 {
        self.next
    }

    /// What the last record says.
    pub(crate) const fn last(&self) -> LogHead {
        self.last
    }

    /// The segments with records that count, in order.
    pub(crate) fn segments(&self) -> impl Iterator<Item = Segment> {
        self.kept.iter().copied()
    }

    pub(crate) fn count_segments(&self) -> usize {
        self.kept.len()
    }

    pub(crate) const fn files(&self) -> &Volumes {
        &self.files
    }

    /// Appends the records of a commit; without any, one that only says what each says. They are durable after [`Self::sync`].
    pub(crate) fn append(
        &mut self,
        mut records: Vec<PackedRecord>,
        change: impl FnOnce(&mut LogHead),
    ) -> io::Result<()> {
        if records.is_empty() {
            records.push(PackedRecord::default());
        }
        let mut head = LogHead {
            is_closed: false,
            ..self.last
        };
        change(&mut head);
        let count = records.len();
        // Before the first one, because a part of a write may succeed.
        self.is_unsynced = true;
        let mut pending = Vec::new();
        for (number, record) in (1..).zip(records) {
            head = LogHead {
                position: self.next,
                previous: self.last.position,
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
                self.begin_segment()?;
                pending = record;
            }
            self.next += 1;
            self.last = head;
        }
        self.write(&pending)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.newest.write_all_at(bytes, self.end as u64)?;
        sync::count_written(bytes.len());
        self.end += bytes.len();
        Ok(())
    }

    /// Goes on in another segment, if there can be one.
    fn begin_segment(&mut self) -> io::Result<()> {
        // First: a sync goes to the newest one only.
        self.sync()?;
        self.is_unsynced = true;
        self.prepare();
        // Without one, for want of descriptors or room, the segment gets longer, which does no harm.
        let Some(number) = self.spare.last().copied() else {
            return Ok(());
        };
        match open::to_write(&self.files.path(number)) {
            Ok(file) => {
                self.spare.pop();
                if let Some(full) = self.kept.back_mut() {
                    full.last = self.last.position;
                }
                self.kept.push_back(Segment {
                    number,
                    first: self.next,
                    last: 0,
                });
                (self.newest, self.end) = (file, 0);
            }
            Err(error) => log::debug!("a segment of the log gets longer than usual: {error}"),
        }
        Ok(())
    }

    /// Sees to it that there is a segment to go on with.
    pub(crate) fn prepare(&mut self) {
        if !self.spare.is_empty() {
            return;
        }
        let number = self.next_segment;
        let made = new_segment(&self.files, number).and_then(|_| sync::all(&self.folder));
        match made {
            Ok(()) => {
                self.spare.push(number);
                self.next_segment += 1;
            }
            Err(error) => {
                log::debug!("no segment of the log can be made for now: {error}");
                // A part of one is of no use. It may not even be there.
                let _ = fs::remove_file(self.files.path(number));
            }
        }
    }

    /// Makes all records durable.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        if self.is_unsynced {
            sync::data(&self.newest)?;
            self.is_unsynced = false;
            self.last.durable = self.last.position;
            self.durable_tail = self.last.tail;
        }
        Ok(())
    }

    /// Lets the segments be written over that lie before the tail, and removes those that are too many.
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

/// The position of the first record of a start, behind the greatest one that it saw. By chance, because a start before may have written
/// records that a power cut took: no position is used twice, and volumes have blocks under these numbers.
fn first_of_start(greatest: u64) -> Result<u64, StoreError> {
    if greatest == 0 {
        return Ok(1);
    }
    let mut chance = [0; 4];
    getrandom::fill(&mut chance).map_err(|error| StoreError::io("opening the log", &error))?;
    let more = u64::from(u32::from_le_bytes(chance) >> 12);
    Ok(greatest.saturating_add(SKIPPED).saturating_add(more))
}

/// The segments with records that count, and where the last record ends.
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

/// Makes a segment, which has its length already.
fn new_segment(files: &Volumes, number: u32) -> io::Result<File> {
    let file = open::to_write(&files.path(number))?;
    file.write_all_at(&vec![0; SEGMENT_BYTES], 0)?;
    sync::count_written(SEGMENT_BYTES);
    sync::all(&file)?;
    Ok(file)
}
