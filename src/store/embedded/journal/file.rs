//! The journal: commits of uploads that are durable, but not in the log yet.
//!
//! A commit is first appended to this file, with one write and one sync; later it is written to the
//! log, together with many others.
//!
//! The file is a ring of records, each at a multiple of 4,096 bytes. So no record shares a page
//! with an older, acknowledged one: a torn write damages only itself. A record that does not fit
//! into the free part of the ring is written after the ring, one at a time. The ring has its full
//! length from the start, so a shorter file was truncated. The newest record is not overwritten
//! before there is another one: a store that was not closed has at least the last one that is also
//! in the log.
//!
//! The log contains the number of its last commit (`log/content.rs`), which tells the first record
//! that is not in the log. Older records are never read again, and their space is free.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::{Positions, is_full, open, sync};
use crate::store::embedded::journal::record::{PAGE, Record, encode};
use crate::store::embedded::rows::Commit;
use crate::store::error::StoreError;

const FILE: &str = "journal";
/// The length of the ring.
const RING_BYTES: usize = 1024 * 1024;
/// The file grows durably by this much at once, so that the next syncs need not store a new length.
const GROWTH: usize = 128 * 1024;
/// Reasons why a commit is not in the journal.
#[derive(Debug)]
pub(crate) enum JournalError {
    /// Nothing was written, because the disk is full for example. The caller may try again.
    NotGrown(StoreError),
    /// The state of the medium is unknown.
    Failed(StoreError),
}

/// The journal, open for writing.
pub(crate) struct Journal {
    file: File,
    /// The file's length.
    length: usize,
    /// The offset of the next record in the ring.
    end: usize,
    /// The bytes before `end`, around the ring, of commits that are not in the log yet.
    used: usize,
    /// Whether there is a record after the ring.
    is_overflowing: bool,
    /// The offset of a write that failed on a full disk. The record there may be complete, but its
    /// number will be used again.
    refused: Vec<usize>,
}

/// Whether a record may be written after the ring.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BehindRing {
    Allowed,
    Refused,
}

/// A place that a record fits into.
struct Fitting {
    offset: usize,
    /// The bytes that it takes from the ring, including those skipped because it would cross the
    /// end.
    taken: usize,
}

impl Journal {
    /// Opens or creates the journal of the store in `dir`, which continues after the records in
    /// `found`.
    pub(crate) fn open(dir: &Path, found: &FoundJournal) -> Result<Self, StoreError> {
        let path = path(dir);
        let failed =
            |error: io::Error| StoreError::io(format!("opening {}", path.display()), &error);
        let open = || {
            let file = open::to_write(&path)?;
            // The file may be new: its name must be durable, too.
            sync::folder(dir)?;
            let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            Ok((file, length))
        };
        let (file, length) = open().map_err(failed)?;
        let mut journal = Self {
            file,
            length,
            end: found.end % RING_BYTES,
            used: 0,
            is_overflowing: false,
            refused: Vec::new(),
        };
        journal.grow(RING_BYTES).map_err(|error| match error {
            JournalError::NotGrown(error) | JournalError::Failed(error) => error,
        })?;
        Ok(journal)
    }

    /// Writes the commit with this number durably; the other files are durable up to `durable`.
    /// Returns false if there is no space for it until older ones are released.
    pub(crate) fn append(
        &mut self,
        number: u64,
        durable: Positions,
        commit: &Commit,
        behind: BehindRing,
    ) -> Result<bool, JournalError> {
        let record = encode(number, durable, commit).ok_or_else(|| {
            let error = io::Error::other("an upload is too long for the journal");
            JournalError::NotGrown(StoreError::io("writing the journal", &error))
        })?;
        let Some(fitting) = self.fitting(record.len(), behind) else {
            return Ok(false);
        };
        self.grow(fitting.offset + record.len())?;
        self.erase_refused()?;
        self.write(&record, fitting.offset)?;
        if fitting.taken == 0 {
            self.is_overflowing = true;
        } else {
            self.used += fitting.taken;
            self.end = fitting.offset + record.len();
        }
        Ok(true)
    }

    /// Whether a record of `length` bytes, in whole pages, fits.
    pub(crate) fn fits(&self, length: usize, behind: BehindRing) -> bool {
        self.fitting(length, behind).is_some()
    }

    fn fitting(&self, length: usize, behind_ring: BehindRing) -> Option<Fitting> {
        let left_out = RING_BYTES - self.end;
        let (offset, taken) = if length <= left_out {
            (self.end, length)
        } else {
            (0, left_out + length)
        };
        let in_ring = Fitting { offset, taken };
        if self.used + in_ring.taken <= RING_BYTES {
            return Some(in_ring);
        }
        let behind = Fitting {
            offset: RING_BYTES,
            taken: 0,
        };
        (behind_ring == BehindRing::Allowed && !self.is_overflowing).then_some(behind)
    }

    /// Makes the file at least this long, durably: the next syncs need not store a new length.
    fn grow(&mut self, end: usize) -> Result<(), JournalError> {
        while self.length < end {
            let zeros = vec![0; GROWTH - self.length % GROWTH];
            let doing = "writing the journal";
            // No record was overwritten, so a full disk is no permanent failure.
            self.file
                .write_all_at(&zeros, self.length as u64)
                .map_err(|error| JournalError::NotGrown(StoreError::io(doing, &error)))?;
            sync::count_written(zeros.len());
            sync::all(&self.file).map_err(|error| of(doing, &error))?;
            self.length += zeros.len();
        }
        Ok(())
    }

    fn write(&mut self, record: &[u8], offset: usize) -> Result<(), JournalError> {
        let synced = |()| sync::data(&self.file).map_err(|error| of("writing the journal", &error));
        let written = self.write_at(record, offset).and_then(synced);
        match &written {
            // The sync covers the erasure of those that were refused before.
            Ok(()) => self.refused.clear(),
            Err(JournalError::NotGrown(_)) if !self.refused.contains(&offset) => {
                self.refused.push(offset);
            }
            Err(_) => {}
        }
        written
    }

    /// Erases the heads of refused records, which may be complete. The next record has the same
    /// number, and may be written elsewhere. The sync of that record covers the erasure.
    fn erase_refused(&self) -> Result<(), JournalError> {
        let mut refused = self.refused.iter();
        refused.try_for_each(|offset| self.write_at(&[0; PAGE], *offset))
    }

    fn write_at(&self, bytes: &[u8], offset: usize) -> Result<(), JournalError> {
        let written = self.file.write_all_at(bytes, offset as u64);
        written.map_err(|error| of("writing the journal", &error))?;
        sync::count_written(bytes.len());
        Ok(())
    }

    /// The number of short records that fit into the ring.
    pub(crate) const fn free_pages(&self) -> usize {
        (RING_BYTES - self.used) / PAGE
    }

    /// The bytes of the ring in use, and whether there is a record after it.
    pub(crate) const fn used(&self) -> JournalUse {
        JournalUse {
            bytes: self.used,
            is_overflowing: self.is_overflowing,
        }
    }

    /// Frees the space of the oldest commits, which are in the log now; `oldest` was the space in
    /// use when they were the only ones. The space of a record after the ring is freed by
    /// [`Self::shorten`], once there is a newer record.
    pub(crate) fn release(&mut self, oldest: JournalUse) {
        self.used -= oldest.bytes;
    }

    /// Cuts off the record after the ring, which must be in the log.
    pub(crate) fn shorten(&mut self) -> io::Result<()> {
        if self.length > RING_BYTES {
            // A power cut may undo it: then the next start repeats it.
            self.file.set_len(RING_BYTES as u64)?;
            self.length = RING_BYTES;
        }
        self.is_overflowing = false;
        Ok(())
    }
}

/// The space of the journal in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JournalUse {
    /// Bytes of the ring.
    bytes: usize,
    /// Whether there is a record after the ring.
    is_overflowing: bool,
}

impl JournalUse {
    /// Whether there is a record after the ring.
    pub(crate) const fn is_behind_ring(self) -> bool {
        self.is_overflowing
    }

    /// Whether so much is in use that it should be released.
    pub(crate) const fn is_much(self) -> bool {
        self.is_overflowing || self.bytes >= RING_BYTES / 4 * 3
    }
}

/// The content of a journal.
#[derive(Debug, Default)]
pub(crate) struct FoundJournal {
    /// The commits by number, each with the position up to which the log was durable then.
    pub(crate) commits: BTreeMap<u64, (u64, Commit)>,
    /// The number of the last change of facts that it knows.
    pub(crate) facts: u64,
    /// The end of the newest record.
    end: usize,
    /// Whether the file was truncated, or is missing.
    pub(crate) is_cut: bool,
}

impl FoundJournal {
    /// The number of the newest record.
    pub(crate) fn last(&self) -> Option<u64> {
        self.commits.keys().next_back().copied()
    }

    /// The position up to which the log is known to be durable.
    pub(crate) fn durable(&self) -> u64 {
        let durable = self.commits.values().map(|(durable, _)| *durable);
        durable.max().unwrap_or(0)
    }
}

/// Reads the journal of the store in `dir`.
///
/// # Errors
/// [`StoreError::Io`] if the disk cannot return a part of it.
pub(crate) fn load(dir: &Path) -> Result<FoundJournal, StoreError> {
    let bytes = open::content(&path(dir))?.unwrap_or_default();
    Ok(found_in(&bytes))
}

fn found_in(bytes: &[u8]) -> FoundJournal {
    let mut found = FoundJournal {
        is_cut: bytes.len() < RING_BYTES,
        ..FoundJournal::default()
    };
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && !rest.is_empty()
    {
        let record = Record::first_of(rest);
        let pages = record.as_ref().map_or(1, |record| record.pages);
        at += pages * PAGE;
        if let Some(record) = record
            && let Some(commit) = record.commit()
        {
            if found.last().is_none_or(|last| last < record.number) {
                found.end = at;
            }
            found.facts = found.facts.max(record.durable.facts);
            let known = (record.durable.log, commit);
            found.commits.insert(record.number, known);
        }
    }
    found
}

/// A failed write or sync. A part of a record may be written, but only to free space, so a full disk
/// is no permanent failure.
fn of(doing: &str, error: &io::Error) -> JournalError {
    let is_full = is_full(error);
    let error = StoreError::io(doing, error);
    if is_full {
        JournalError::NotGrown(error)
    } else {
        JournalError::Failed(error)
    }
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::store::embedded::journal::record::tests::{commit, forged, forging, with_content};

    const DURABLE: Positions = Positions {
        facts: 5,
        log: 7,
        journal: 0,
    };

    fn opened(dir: &Path) -> Journal {
        Journal::open(dir, &load(dir).unwrap()).unwrap()
    }

    fn written(dir: &Path, first: u64, commits: &[Commit]) -> Journal {
        let mut journal = opened(dir);
        for (number, commit) in (first..).zip(commits) {
            assert!(appended(&mut journal, number, commit));
        }
        journal
    }

    fn appended(journal: &mut Journal, number: u64, commit: &Commit) -> bool {
        let appended = journal.append(number, DURABLE, commit, BehindRing::Refused);
        appended.unwrap()
    }

    /// The numbers of the commits that can be read after the first `stored`.
    fn numbers(dir: &Path, stored: u64) -> Vec<u64> {
        let found = load(dir).unwrap();
        found
            .commits
            .into_keys()
            .filter(|it| *it > stored)
            .collect()
    }

    /// The commits after the first `stored`.
    fn read(dir: &Path, stored: u64) -> Vec<Commit> {
        let found = load(dir).unwrap().commits.into_iter();
        let newer = found.filter(|(number, _)| *number > stored);
        newer.map(|(_, (_, commit))| commit).collect()
    }

    #[test]
    fn commits_that_the_log_does_not_have_are_read() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path(), 0), []);
        let commits = [commit(1), commit(300), commit(2)];
        let mut journal = written(dir.path(), 5, &commits);
        assert_eq!(read(dir.path(), 4), commits);
        let found = load(dir.path()).unwrap();
        assert_eq!((found.durable(), found.facts), (7, 5));
        journal.release(journal.used());
        assert_eq!(read(dir.path(), 7), []);
        // The newest record stays until there is another one.
        assert!(appended(&mut journal, 8, &commit(3)));
        assert_eq!(numbers(dir.path(), 6), [7, 8]);
        drop(journal);
        // A start continues after it.
        drop(written(dir.path(), 9, &[commit(4)]));
        assert_eq!(numbers(dir.path(), 6), [7, 8, 9]);
    }

    #[test]
    fn a_torn_commit_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path(), 1, &[commit(1), commit(1)]));
        let path = path(dir.path());
        let whole = fs::read(&path).unwrap();
        for length in 0..2 * PAGE {
            // Parts that were not written are as they were when the file grew.
            let mut torn = vec![0; RING_BYTES];
            torn[..length].copy_from_slice(&whole[..length]);
            let count = found_in(&torn).commits.len();
            let first = encode(1, DURABLE, &commit(1)).unwrap();
            let used = first.iter().rposition(|&byte| byte != 0).unwrap();
            assert!(count <= 1 + usize::from(length > PAGE), "{length}");
            assert!(count >= usize::from(length > used + 1), "{length}");
        }
    }

    #[test]
    fn a_file_that_was_cut_off_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        assert!(load(dir.path()).unwrap().is_cut);
        drop(written(dir.path(), 1, &[commit(1), commit(1), commit(1)]));
        assert!(!load(dir.path()).unwrap().is_cut);
        let whole = fs::read(path(dir.path())).unwrap();
        for length in [1, PAGE - 1, PAGE, 2 * PAGE, GROWTH, RING_BYTES - 1] {
            let found = found_in(&whole[..length]);
            assert!(found.is_cut);
            assert!(found.commits.len() >= (length / PAGE).min(3));
        }
    }

    /// The remains of a long record consist of clients' bytes, and are no commits.
    #[test]
    fn the_rest_of_a_long_record_that_is_written_over_is_none() {
        for content in forging(&forged(9)) {
            let dir = tempfile::tempdir().unwrap();
            let mut bytes = with_content(5, &content);
            bytes.splice(..PAGE, encode(6, DURABLE, &commit(6)).unwrap());
            bytes.resize(bytes.len().next_multiple_of(GROWTH), 0);
            fs::write(path(dir.path()), &bytes).unwrap();
            assert_eq!(read(dir.path(), 5), [commit(6)]);
        }
    }

    #[test]
    fn a_full_journal_takes_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = opened(dir.path());
        let mut count: u64 = 0;
        while appended(&mut journal, count + 1, &commit(1)) {
            count += 1;
        }
        assert_eq!(count, (RING_BYTES / PAGE) as u64);
        let length = || fs::metadata(path(dir.path())).unwrap().len();
        assert_eq!(length(), RING_BYTES as u64);
        assert!(journal.used().is_much());
        journal.release(journal.used());
        assert!(appended(&mut journal, count + 1, &commit(1)));
    }

    #[test]
    fn a_commit_that_fits_nowhere_goes_behind_the_ring() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = written(dir.path(), 1, &[commit(1)]);
        let long = commit(400_000);
        assert!(!appended(&mut journal, 2, &long));
        let behind = |journal: &mut Journal, number, commit: &Commit| {
            let appended = journal.append(number, DURABLE, commit, BehindRing::Allowed);
            appended.unwrap()
        };
        assert!(behind(&mut journal, 2, &long));
        assert!(journal.used().is_much());
        // There is space for one.
        assert!(!behind(&mut journal, 3, &long));
        assert!(behind(&mut journal, 3, &commit(2)));
        assert_eq!(read(dir.path(), 0), [commit(1), long, commit(2)]);
        journal.release(journal.used());
        journal.shorten().unwrap();
        assert_eq!(
            fs::metadata(path(dir.path())).unwrap().len(),
            RING_BYTES as u64
        );
        assert!(!journal.used().is_much());
    }

    /// A full disk can stop a write after the whole record: the next one has its number, and may be
    /// written elsewhere.
    #[test]
    fn a_refused_record_is_erased_before_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = opened(dir.path());
        let pages = RING_BYTES / PAGE - 1;
        for number in 1..=pages {
            assert!(appended(&mut journal, number as u64, &commit(1)));
        }
        journal.release(journal.used());
        let number = pages as u64 + 1;
        let refused = encode(number, DURABLE, &commit(2)).unwrap();
        journal.write(&refused, journal.end).unwrap();
        assert_eq!(read(dir.path(), number - 1), [commit(2)]);
        journal.refused = vec![journal.end];
        let next = commit(3_000);
        assert!(appended(&mut journal, number, &next));
        assert_eq!(journal.end, encode(number, DURABLE, &next).unwrap().len());
        assert_eq!(read(dir.path(), number - 1), [next]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        /// After any appends and releases, the unreleased commits are read.
        #[test]
        fn released_space_is_used_again(
            steps in proptest::collection::vec((1_i64..3_000, any::<bool>()), 1..40),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut journal = opened(dir.path());
            // The commits that may not be overwritten, as two generations.
            let (mut first, mut last) = (1, 0);
            let mut frozen = None;
            for (readings, releases) in steps {
                if appended(&mut journal, last + 1, &commit(readings)) {
                    last += 1;
                }
                prop_assert_eq!(numbers(dir.path(), first - 1), (first..=last).collect::<Vec<_>>());
                if releases {
                    match frozen.take() {
                        Some((used, until)) => {
                            journal.release(used);
                            first = until + 1;
                        }
                        None => frozen = Some((journal.used(), last)),
                    }
                }
            }
        }

    }
}
