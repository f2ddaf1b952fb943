//! The journal: commits that are durable, but not in the database yet.
//!
//! sled syncs twice around a transaction, and rewrites pages for each row. So a commit goes into this file first, with one
//! write and one sync, and into the database later, together with many others.
//!
//! The file is a ring of records, each at a multiple of 4,096 bytes. So no record shares a page with an older one, which was
//! acknowledged: a torn write damages only itself. A record that fits nowhere in the ring goes behind it, one at a time.
//!
//! The database knows the number of the last commit that it has (`engine/mark.rs`), which shows the first record that it does
//! not have. Older records are never read again, and their space is free.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::store::embedded::engine::{open, sync};
use crate::store::embedded::rows::Commit;
use crate::store::embedded::writer::commit_record::{PAGE, Record, encode};
use crate::store::error::{StoreError, unless_missing};

const FILE: &str = "journal";
/// The length of the ring.
const RING_BYTES: usize = 1024 * 1024;
/// The file grows durably by this much at once, so that the syncs that follow need not store a new length. So its length is a
/// multiple of this, unless it was cut off or growing was: then there are only zeros at the end.
const GROWTH: usize = 128 * 1024;
/// Why a commit is not in the journal.
#[derive(Debug)]
pub(crate) enum JournalError {
    /// Nothing was written: there is no room on the disk, say. It may be tried again.
    NotGrown(StoreError),
    /// The state of the medium is unknown.
    Failed(StoreError),
}

/// The journal, open for writing.
pub(crate) struct Journal {
    file: File,
    /// The file's length.
    length: usize,
    /// Where the next record in the ring goes.
    end: usize,
    /// The bytes before `end`, around the ring, that commits without a place in the database take.
    used: usize,
    /// Whether there is a record behind the ring.
    is_overflowing: bool,
}

/// Whether a record may go behind the ring.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BehindRing {
    Allowed,
    Refused,
}

/// Where a record fits.
struct Fitting {
    offset: usize,
    /// The bytes of the ring that it takes, with those that are left out because it would go beyond the end.
    taken: usize,
}

impl Journal {
    /// Opens or creates the journal of the store in `dir`. It is written from its start, so the database must have all its
    /// commits by the first append.
    pub(crate) fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = path(dir);
        let open = || {
            let file = open::to_write(&path)?;
            // The file may be new: its name must be durable, too.
            File::open(dir)?.sync_all()?;
            let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            Ok(Self {
                file,
                length,
                end: 0,
                used: 0,
                is_overflowing: false,
            })
        };
        open().map_err(|error: io::Error| {
            StoreError::io(format!("opening {}", path.display()), &error)
        })
    }

    /// Writes the commit with this number durably. Returns false if there is no room for it until older ones are released.
    pub(crate) fn append(
        &mut self,
        number: u64,
        commit: &Commit,
        behind: BehindRing,
    ) -> Result<bool, JournalError> {
        let record = encode(number, commit).ok_or_else(|| {
            let error = io::Error::other("an upload is too long for the journal");
            JournalError::NotGrown(StoreError::io("writing the journal", &error))
        })?;
        let Some(fitting) = self.fitting(record.len(), behind) else {
            return Ok(false);
        };
        self.grow(fitting.offset + record.len())?;
        self.write(&record, fitting.offset)
            .map_err(|error| JournalError::Failed(StoreError::io("writing the journal", &error)))?;
        if fitting.taken == 0 {
            self.is_overflowing = true;
        } else {
            self.used += fitting.taken;
            self.end = fitting.offset + record.len();
        }
        Ok(true)
    }

    /// Whether a record of `length` bytes, which are whole pages, fits.
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

    /// Makes the file at least this long, durably: the syncs that follow need not store a new length.
    fn grow(&mut self, end: usize) -> Result<(), JournalError> {
        while self.length < end {
            let zeros = vec![0; GROWTH - self.length % GROWTH];
            let doing = "making room in the journal";
            // No record was written over, so a full disk is not the end.
            self.file
                .write_all_at(&zeros, self.length as u64)
                .map_err(|error| JournalError::NotGrown(StoreError::io(doing, &error)))?;
            sync::count_written(zeros.len());
            self.file
                .sync_all()
                .map_err(|error| JournalError::Failed(StoreError::io(doing, &error)))?;
            self.length += zeros.len();
        }
        Ok(())
    }

    fn write(&self, record: &[u8], offset: usize) -> io::Result<()> {
        self.file.write_all_at(record, offset as u64)?;
        sync::count_written(record.len());
        sync::data(&self.file)
    }

    /// How many short records the ring has room for.
    pub(crate) const fn free_pages(&self) -> usize {
        (RING_BYTES - self.used) / PAGE
    }

    /// The bytes of the ring in use, and whether a record lies behind it.
    pub(crate) const fn used(&self) -> JournalUse {
        JournalUse {
            bytes: self.used,
            is_overflowing: self.is_overflowing,
        }
    }

    /// Frees the space of the oldest commits, which took this much when they were the only ones: the database has them.
    pub(crate) fn release(&mut self, oldest: JournalUse) -> Result<(), StoreError> {
        self.used -= oldest.bytes;
        if self.used == 0 {
            // So a journal that is never full stays short.
            self.end = 0;
        }
        if oldest.is_overflowing {
            self.is_overflowing = false;
            self.shorten()?;
        }
        Ok(())
    }

    /// Gives back the space behind the ring. The database must have the record that is there.
    pub(crate) fn shorten(&mut self) -> Result<(), StoreError> {
        if self.length > RING_BYTES {
            // A power cut may undo it: then the next start does it.
            self.file
                .set_len(RING_BYTES as u64)
                .map_err(|error| StoreError::io("shortening the journal", &error))?;
            self.length = RING_BYTES;
        }
        Ok(())
    }
}

/// How much of the journal is in use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JournalUse {
    /// Bytes of the ring.
    bytes: usize,
    /// Whether a record lies behind the ring.
    is_overflowing: bool,
}

impl JournalUse {
    /// Whether so much is in use that it should be released.
    pub(crate) const fn is_much(self) -> bool {
        self.is_overflowing || self.bytes >= RING_BYTES / 4 * 3
    }
}

/// The commits in the journal of `dir` after the one of the number `stored`, in order.
pub(crate) fn read(dir: &Path, stored: u64) -> Result<Vec<Commit>, StoreError> {
    let Readable {
        commits: readable,
        is_cut,
    } = readable(dir, stored)?;
    if is_cut {
        return Err(StoreError::Damaged(format!(
            "{}: {CUT}",
            path(dir).display()
        )));
    }
    let mut commits = Vec::new();
    // A commit is written once the one before it is durable, so only the last one can be torn.
    for (expected, (number, commit)) in (stored.wrapping_add(1)..).zip(readable) {
        if number != expected {
            return Err(StoreError::Damaged(format!(
                "{}: commit {number} is there, but commit {expected}, which was stored before it, is missing, and the database does not have it",
                path(dir).display()
            )));
        }
        commits.push(commit);
    }
    Ok(commits)
}

/// What is wrong with a journal that was cut off.
pub(crate) const CUT: &str =
    "the end of the file is missing, and with it perhaps the last changes that were stored";

/// What can be read of a journal.
pub(crate) struct Readable {
    /// The whole commits, by number, even if others before them are missing.
    pub(crate) commits: Vec<(u64, Commit)>,
    /// Whether the file was cut off, where records had been: which are missing cannot be told.
    pub(crate) is_cut: bool,
}

/// What can be read of the journal of `dir`, of commits after the first `stored`.
pub(crate) fn readable(dir: &Path, stored: u64) -> Result<Readable, StoreError> {
    let path = path(dir);
    let bytes = unless_missing(&path, "reading", fs::read(&path))?.unwrap_or_default();
    let mut commits = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let record = Record::first_of(rest);
        let pages = record.as_ref().map_or(1, |record| record.pages);
        if let Some(record) = record.filter(|record| record.number > stored)
            && let Some(commit) = record.commit()
        {
            commits.push((record.number, commit));
        }
        rest = rest.get(pages * PAGE..).unwrap_or_default();
    }
    // The file is written from its start again, so older records follow newer ones.
    commits.sort_by_key(|(number, _)| *number);
    let (_, grown_in_part) = bytes.split_at(bytes.len() / GROWTH * GROWTH);
    Ok(Readable {
        commits,
        is_cut: grown_in_part.iter().any(|byte| *byte != 0),
    })
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::store::embedded::writer::commit_record::tests::{
        commit, forged, forging, with_content,
    };

    fn written(dir: &Path, first: u64, commits: &[Commit]) -> Journal {
        let mut journal = Journal::open(dir).unwrap();
        for (number, commit) in (first..).zip(commits) {
            assert!(appended(&mut journal, number, commit));
        }
        journal
    }

    fn appended(journal: &mut Journal, number: u64, commit: &Commit) -> bool {
        let appended = journal.append(number, commit, BehindRing::Refused);
        appended.unwrap()
    }

    /// The numbers of the commits that can be read after the first `stored`.
    fn numbers(dir: &Path, stored: u64) -> Vec<u64> {
        let readable = readable(dir, stored).unwrap();
        readable
            .commits
            .into_iter()
            .map(|(number, _)| number)
            .collect()
    }

    #[test]
    fn commits_that_the_database_does_not_have_are_read() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path(), 0).unwrap(), []);
        let commits = [commit(1), commit(300), commit(2)];
        let mut journal = written(dir.path(), 5, &commits);
        assert_eq!(read(dir.path(), 4).unwrap(), commits);
        // The database has them, so the file is written from its start again.
        assert_eq!(read(dir.path(), 7).unwrap(), []);
        journal.release(journal.used()).unwrap();
        assert_eq!(read(dir.path(), 7).unwrap(), []);
        assert!(appended(&mut journal, 8, &commit(3)));
        assert_eq!(read(dir.path(), 7).unwrap(), [commit(3)]);
    }

    #[test]
    fn a_torn_commit_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path(), 1, &[commit(1), commit(1)]));
        let path = path(dir.path());
        let whole = fs::read(&path).unwrap();
        for length in 0..2 * PAGE {
            // What was not written is as it was when the file grew.
            let mut torn = vec![0; GROWTH];
            torn[..length].copy_from_slice(&whole[..length]);
            fs::write(&path, &torn).unwrap();
            let count = read(dir.path(), 0).unwrap().len();
            let first = encode(1, &commit(1)).unwrap();
            let used = first.iter().rposition(|&byte| byte != 0).unwrap();
            assert!(count <= 1 + usize::from(length > PAGE), "{length}");
            assert!(count >= usize::from(length > used + 1), "{length}");
        }
    }

    #[test]
    fn a_file_that_was_cut_off_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path(), 1, &[commit(1), commit(1), commit(1)]));
        let path = path(dir.path());
        let whole = fs::read(&path).unwrap();
        for length in [1, PAGE - 1, PAGE, 2 * PAGE, 2 * PAGE + 5, GROWTH - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            let refused = read(dir.path(), 0).unwrap_err().to_string();
            assert!(refused.contains("the end of the file is missing"));
            assert!(readable(dir.path(), 0).unwrap().is_cut);
            assert!(numbers(dir.path(), 0).len() >= (length / PAGE).min(3));
        }
        // Growing ended early, at a full disk or a kill: no record is there.
        let grown = [&whole[..], &[0; 1_000]].concat();
        fs::write(&path, grown).unwrap();
        assert_eq!(read(dir.path(), 0).unwrap().len(), 3);
        let mut journal = Journal::open(dir.path()).unwrap();
        for number in 4..40 {
            assert!(appended(&mut journal, number, &commit(1)));
        }
        assert_eq!(fs::metadata(&path).unwrap().len() % GROWTH as u64, 0);
    }

    #[test]
    fn a_commit_missing_before_another_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path(), 1, &[commit(1), commit(1), commit(1)]));
        let path = path(dir.path());
        let mut bytes = fs::read(&path).unwrap();
        bytes[PAGE + 30] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let refused = read(dir.path(), 0).unwrap_err().to_string();
        assert!(refused.contains("commit 2"), "{refused}");
        // Nor may the database end before the journal begins.
        drop(written(dir.path(), 5, &[commit(1)]));
        let refused = read(dir.path(), 3).unwrap_err().to_string();
        assert!(refused.contains("commit 4"), "{refused}");
        assert_eq!(read(dir.path(), 4).unwrap(), [commit(1)]);
    }

    /// What is left of a long record is what clients uploaded, not commits.
    #[test]
    fn the_rest_of_a_long_record_that_is_written_over_is_none() {
        for content in forging(&forged(9)) {
            let dir = tempfile::tempdir().unwrap();
            let mut bytes = with_content(5, &content);
            bytes.splice(..PAGE, encode(6, &commit(6)).unwrap());
            bytes.resize(bytes.len().next_multiple_of(GROWTH), 0);
            fs::write(path(dir.path()), &bytes).unwrap();
            assert_eq!(read(dir.path(), 5).unwrap(), [commit(6)]);
        }
    }

    /// The file is a ring, so older records follow newer ones. A database that was set back by damage lacks both.
    #[test]
    fn commits_are_read_in_the_order_of_their_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = written(dir.path(), 1, &[commit(1), commit(2), commit(3)]);
        journal.release(journal.used()).unwrap();
        assert!(appended(&mut journal, 4, &commit(5)));
        assert_eq!(numbers(dir.path(), 0), [2, 3, 4]);
        assert_eq!(numbers(dir.path(), 2), [3, 4]);
        assert_eq!(numbers(dir.path(), 3), [4]);
    }

    #[test]
    fn a_full_journal_takes_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let mut count: u64 = 0;
        while appended(&mut journal, count + 1, &commit(1)) {
            count += 1;
        }
        assert_eq!(count, (RING_BYTES / PAGE) as u64);
        let length = || fs::metadata(path(dir.path())).unwrap().len();
        assert_eq!(length(), RING_BYTES as u64);
        assert!(journal.used().is_much());
        journal.release(journal.used()).unwrap();
        assert!(appended(&mut journal, count + 1, &commit(1)));
    }

    #[test]
    fn a_commit_that_fits_nowhere_goes_behind_the_ring() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = written(dir.path(), 1, &[commit(1)]);
        let long = commit(400_000);
        assert!(!appended(&mut journal, 2, &long));
        let behind = |journal: &mut Journal, number, commit: &Commit| {
            let appended = journal.append(number, commit, BehindRing::Allowed);
            appended.unwrap()
        };
        assert!(behind(&mut journal, 2, &long));
        assert!(journal.used().is_much());
        // There is room for one.
        assert!(!behind(&mut journal, 3, &long));
        assert!(behind(&mut journal, 3, &commit(2)));
        assert_eq!(read(dir.path(), 0).unwrap(), [commit(1), long, commit(2)]);
        journal.release(journal.used()).unwrap();
        assert_eq!(
            fs::metadata(path(dir.path())).unwrap().len(),
            RING_BYTES as u64
        );
        assert!(!journal.used().is_much());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        /// Whatever is appended and released, the commits that were not released are read.
        #[test]
        fn released_space_is_used_again(
            steps in proptest::collection::vec((1_i64..3_000, any::<bool>()), 1..40),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let mut journal = Journal::open(dir.path()).unwrap();
            // Those that may not be written over, as two generations.
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
                            journal.release(used).unwrap();
                            first = until + 1;
                        }
                        None => frozen = Some((journal.used(), last)),
                    }
                }
            }
        }

    }
}
