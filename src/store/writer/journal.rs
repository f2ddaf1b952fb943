//! The journal: commits that are durable, but not in the database yet.
//!
//! sled syncs twice around a transaction, and rewrites pages for each row. So a commit goes into this file first, with one
//! write and one sync. When the journal is full, all its commits go into the database in one transaction.
//!
//! It is a file of records, each at a multiple of 4,096 bytes. So no record shares a page with an older one, which was
//! acknowledged: a torn write damages only itself.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..4 | CRC-32 of all that follows, up to the end of the rows, little-endian |
//! | 4..8 | number of bytes after the first 16, u32 little-endian |
//! | 8..16 | number of the commit, u64 little-endian: one more than that of the record before |
//! | 16..18 | number of activities, u16 little-endian |
//! | | activities: length of the sensor's id (1 byte), the id, length of the value (1 byte), the value (`rows/activity.rs`) |
//! | | rows, up to the end: length of the key (1 byte), the key, length of the value (1 byte), the value (`rows/hot.rs`) |
//!
//! The database counts its commits (`engine/mark.rs`), which shows the first record that it does not have. Once it has all
//! of them, the file is written from its start again. Records that the database has are never read again.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::domain::SensorId;
use crate::store::engine::{open, sync};
use crate::store::error::{StoreError, unless_missing};
use crate::store::rows::{Activities, Rows, activity, hot};

const FILE: &str = "journal";
/// Records begin at multiples of the unit in which the system writes files.
const PAGE: usize = 4_096;
/// The greatest length of the file.
const MAX_BYTES: usize = 512 * 1024;
/// The file grows durably by this much at once, so that the syncs that follow need not store a new length.
const GROWTH: usize = 128 * 1024;
const CHECKSUM_BYTES: usize = 4;
const HEAD_BYTES: usize = 16;

/// What one commit stores.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Commit {
    /// Hot rows, each with all of its measures.
    pub(crate) rows: Rows,
    /// The activities of their sensors.
    pub(crate) activities: Activities,
}

/// The journal, open for writing.
pub(crate) struct Journal {
    file: File,
    /// The file's length.
    length: usize,
    /// Where the next record goes.
    end: usize,
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
            })
        };
        open().map_err(|error: io::Error| {
            StoreError::io(format!("opening {}", path.display()), &error)
        })
    }

    /// Writes the commit with this number durably. Returns false if there is no room for it: then all commits have to go
    /// into the database first.
    pub(crate) fn append(&mut self, number: u64, commit: &Commit) -> Result<bool, StoreError> {
        let Some(record) = encode(number, commit) else {
            return Ok(false);
        };
        let end = self.end.saturating_add(record.len());
        if end > MAX_BYTES {
            return Ok(false);
        }
        self.write(&record, end)
            .map_err(|error| StoreError::io("writing the journal", &error))?;
        self.end = end;
        Ok(true)
    }

    fn write(&mut self, record: &[u8], end: usize) -> io::Result<()> {
        while self.length < end {
            let zeros = vec![0; GROWTH - self.length % GROWTH];
            self.file.write_all_at(&zeros, self.length as u64)?;
            sync::count_written(zeros.len());
            self.file.sync_all()?;
            self.length += zeros.len();
        }
        self.file.write_all_at(record, self.end as u64)?;
        sync::count_written(record.len());
        sync::data(&self.file)
    }

    /// Goes back to the start of the file, because the database has all that was written.
    pub(crate) const fn restart(&mut self) {
        self.end = 0;
    }
}

/// The commits in the journal of `dir` that a database with `stored` commits does not have, in order.
pub(crate) fn read(dir: &Path, stored: u64) -> Result<Vec<Commit>, StoreError> {
    let mut commits = Vec::new();
    // A commit is written once the one before it is durable, so only the last one can be torn.
    for (expected, (number, commit)) in (stored.wrapping_add(1)..).zip(readable(dir, stored)?) {
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

/// The whole commits after the first `stored`, by number, even if others before them are missing.
pub(crate) fn readable(dir: &Path, stored: u64) -> Result<Vec<(u64, Commit)>, StoreError> {
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
    Ok(commits)
}

fn path(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

/// A record with the right checksum.
struct Record<'a> {
    number: u64,
    content: &'a [u8],
    /// Its length in pages.
    pages: usize,
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`.
    fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let (checksum, checked) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
        let (length, rest) = checked.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let content = rest.get(..length)?;
        let bytes = HEAD_BYTES + length;
        let checked = checked.get(..bytes - CHECKSUM_BYTES)?;
        (crc32fast::hash(checked) == u32::from_le_bytes(*checksum)).then(|| Self {
            number: u64::from_le_bytes(*number),
            content,
            pages: bytes.div_ceil(PAGE),
        })
    }

    fn commit(&self) -> Option<Commit> {
        let (count, mut rest) = self.content.split_first_chunk::<2>()?;
        let mut commit = Commit::default();
        for _ in 0..u16::from_le_bytes(*count) {
            let sensor = SensorId::new(std::str::from_utf8(take(&mut rest)?).ok()?).ok()?;
            let activity = activity::decode(take(&mut rest)?)?;
            commit.activities.insert(sensor, activity);
        }
        while !rest.is_empty() {
            let key = take(&mut rest)?.to_vec();
            let measures = hot::decode(take(&mut rest)?).ok()?;
            commit.rows.insert(key, measures);
        }
        Some(commit)
    }
}

/// The record of a commit, padded to whole pages; `None` if it is too long for one.
fn encode(number: u64, commit: &Commit) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let activities = u16::try_from(commit.activities.len()).ok()?;
    content.extend(activities.to_le_bytes());
    for (sensor, activity) in &commit.activities {
        put(&mut content, sensor.as_str().as_bytes())?;
        put(&mut content, &activity::encode(activity).ok()?)?;
    }
    for (key, measures) in &commit.rows {
        put(&mut content, key)?;
        put(&mut content, &hot::encode(*measures))?;
    }
    let length = u32::try_from(content.len()).ok()?;
    let checked = [&length.to_le_bytes()[..], &number.to_le_bytes(), &content].concat();
    let checksum = crc32fast::hash(&checked);
    let mut record = [&checksum.to_le_bytes()[..], &checked].concat();
    record.resize(record.len().next_multiple_of(PAGE), 0);
    Some(record)
}

/// Appends the length of `bytes`, then `bytes`.
fn put(record: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    record.push(u8::try_from(bytes.len()).ok()?);
    record.extend_from_slice(bytes);
    Some(())
}

/// Removes what [`put`] appended.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first()?;
    let (bytes, behind) = behind.split_at_checked(usize::from(*length))?;
    *rest = behind;
    Some(bytes)
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{CHECKSUM_BYTES, Commit, HEAD_BYTES, Record, encode};

    /// A record that can be decoded round-trips. Its length and checksum are corrected first, or few inputs would get past
    /// them.
    ///
    /// # Panics
    /// If it does not.
    pub fn journal(bytes: &[u8]) {
        let mut record = bytes.to_vec();
        if let Some(length) = record.len().checked_sub(HEAD_BYTES) {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            record
                .splice(CHECKSUM_BYTES..8, length.to_le_bytes())
                .for_each(drop);
            let checksum = crc32fast::hash(record.get(CHECKSUM_BYTES..).unwrap_or_default());
            record
                .splice(..CHECKSUM_BYTES, checksum.to_le_bytes())
                .for_each(drop);
        }
        if let Some((number, commit)) = decode(&record)
            && let Some(anew) = encode(number, &commit)
        {
            assert_eq!(decode(&anew), Some((number, commit)));
        }
    }

    fn decode(bytes: &[u8]) -> Option<(u64, Commit)> {
        let record = Record::first_of(bytes)?;
        Some((record.number, record.commit()?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Measures, Timestamp};
    use crate::store::engine::keys;
    use crate::store::rows::Activity;

    fn commit(readings: i64) -> Commit {
        let sensor = SensorId::new("house").unwrap();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let row = |ms: i64| {
            let measures = Measures::new(Some(1.5), (ms % 2 == 0).then_some(2.0)).unwrap();
            (keys::key(&sensor, at(ms)), measures)
        };
        Commit {
            rows: (0..readings).map(row).collect(),
            activities: [(sensor.clone(), Activity::default().arrived(at(7)))].into(),
        }
    }

    fn written(dir: &Path, first: u64, commits: &[Commit]) -> Journal {
        let mut journal = Journal::open(dir).unwrap();
        for (number, commit) in (first..).zip(commits) {
            assert!(journal.append(number, commit).unwrap());
        }
        journal
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
        journal.restart();
        assert_eq!(read(dir.path(), 8).unwrap(), []);
        assert!(journal.append(9, &commit(3)).unwrap());
        assert_eq!(read(dir.path(), 8).unwrap(), [commit(3)]);
    }

    #[test]
    fn a_torn_commit_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path(), 1, &[commit(1), commit(1)]));
        let path = path(dir.path());
        let whole = fs::read(&path).unwrap();
        for length in 0..2 * PAGE {
            fs::write(&path, &whole[..length]).unwrap();
            let count = read(dir.path(), 0).unwrap().len();
            let first = encode(1, &commit(1)).unwrap();
            let used = first.iter().rposition(|&byte| byte != 0).unwrap();
            assert!(count <= 1 + usize::from(length > PAGE), "{length}");
            assert!(count >= usize::from(length > used + 1), "{length}");
        }
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

    /// The file is written from its start again, so older records follow newer ones. A database that was set back by damage
    /// lacks both.
    #[test]
    fn commits_are_read_in_the_order_of_their_numbers() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = written(dir.path(), 1, &[commit(1), commit(2), commit(3)]);
        journal.restart();
        assert!(journal.append(5, &commit(5)).unwrap());
        let numbers = |stored| {
            let readable = readable(dir.path(), stored).unwrap();
            readable
                .into_iter()
                .map(|(number, _)| number)
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(0), [2, 3, 5]);
        assert_eq!(numbers(2), [3, 5]);
        assert_eq!(numbers(4), [5]);
    }

    #[test]
    fn a_full_journal_takes_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(dir.path()).unwrap();
        let mut count: u64 = 0;
        while journal.append(count + 1, &commit(1)).unwrap() {
            count += 1;
        }
        assert_eq!(count, (MAX_BYTES / PAGE) as u64);
        assert_eq!(
            fs::metadata(path(dir.path())).unwrap().len(),
            MAX_BYTES as u64
        );
        journal.restart();
        assert!(journal.append(count + 2, &commit(1)).unwrap());
        assert!(!journal.append(count + 3, &commit(60_000)).unwrap());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 16..200)) {
            fuzz::journal(&bytes);
        }

        #[test]
        fn changed_bytes_round_trip_if_they_decode(
            readings in 1_i64..20,
            changes in proptest::collection::vec((16_usize..200, any::<u8>()), 0..3),
        ) {
            let mut record = encode(7, &commit(readings)).unwrap();
            for (place, byte) in changes {
                record[place] = byte;
            }
            fuzz::journal(&record);
        }
    }
}
