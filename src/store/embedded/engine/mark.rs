//! The number of stored commits, kept outside of the database to detect a truncated log.
//!
//! sled takes damage in its log for the end, as after a power cut, and silently drops what follows: acknowledged readings
//! would be lost unnoticed. So commits are counted: those of the database in `meta`, those of the journal by their numbers. The
//! sum is written to the file `commits` in the data dir. A store with fewer commits is damaged.
//!
//! Where uploads wait until they are durable, one in 64 of their commits writes the file, so that an upload alone is one write. Every
//! other commit writes it. So it lags by 63 commits at most. After a power cut it may lag by more, since it is
//! synced only at stop. It never exceeds what is stored.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | number of commits stored, u64 little-endian |
//! | 8..12 | CRC-32 of these, little-endian |

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::embedded::engine::open;
use crate::store::error::{StoreError, unless_missing};

const FILE: &str = "commits";
/// One of so many commits of uploads writes the file.
pub(crate) const EVERY: u64 = 64;
/// The key in `meta` of the number of commits that the database made by itself, such as a change of the registry.
pub(crate) const CHANGES: &str = "changes";
/// The key in `meta` of the number of the last commit of the journal that the database has.
pub(crate) const LANDED: &str = "landed";

/// The commits that the database has, as `meta` counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommitCounts {
    pub(crate) changes: u64,
    pub(crate) landed: u64,
}

impl CommitCounts {
    pub(crate) fn of(meta: &sled::Tree) -> Result<Self, StoreError> {
        let number = |key| -> Result<u64, StoreError> {
            let value = meta.get(key)?;
            let number = value.and_then(|value| <[u8; 8]>::try_from(&*value).ok());
            // A new store has no number. A damaged one counts as 0: the file then shows that commits are missing.
            Ok(number.map_or(0, u64::from_le_bytes))
        };
        Ok(Self {
            changes: number(CHANGES)?,
            landed: number(LANDED)?,
        })
    }

    /// How many commits the store has, if the journal ends with the commit of the number `last`.
    pub(crate) const fn with_journal(self, last: u64) -> u64 {
        self.changes.wrapping_add(last)
    }
}

/// The count of all commits, and the file that keeps it.
pub(crate) struct CommitMark {
    file: File,
    commits: u64,
    /// Whether a failed write of the file was logged.
    is_logged: bool,
}

impl CommitMark {
    /// Opens the file of the store in `dir`, which has `commits`. The file is not updated yet: a commit of a process killed
    /// before its sync can be read, but is not stored until the database has it.
    pub(crate) fn open(dir: &Path, commits: u64) -> Result<Self, StoreError> {
        let path = dir.join(FILE);
        let file = open::to_write(&path)
            .map_err(|error| StoreError::io(format!("opening {}", path.display()), &error))?;
        Ok(Self {
            commits,
            file,
            is_logged: false,
        })
    }

    /// Counts one more commit, which is stored.
    pub(crate) fn count(&mut self) {
        self.commits = self.commits.wrapping_add(1);
        self.write();
    }

    /// The same for uploads that wait for it.
    pub(crate) fn count_uploads(&mut self) {
        self.commits = self.commits.wrapping_add(1);
        if self.commits.is_multiple_of(EVERY) {
            self.write();
        }
    }

    /// If this fails, only the detection of a later loss suffers.
    fn write(&mut self) {
        // Callers have synced what they counted, so the file never claims more than is stored.
        if let Err(error) = self.file.write_all_at(&encode(self.commits), 0)
            // Once: each commit would fail for the same reason, such as a full disk.
            && !self.is_logged
        {
            self.is_logged = true;
            log::warn!("cannot write the number of commits: {error}");
        }
    }
}

impl Drop for CommitMark {
    fn drop(&mut self) {
        // Best effort, like the write.
        let _ = self.file.sync_data();
    }
}

/// Checks that a store with `counted` commits has all that were stored.
pub(crate) fn check(dir: &Path, counted: u64) -> Result<(), StoreError> {
    missing(dir, counted)?.map_or(Ok(()), |missing| {
        Err(StoreError::Damaged(format!(
            "{}: {missing}; remove {} to go on without them",
            dir.display(),
            dir.join(FILE).display(),
        )))
    })
}

/// What a store with `counted` commits lacks, according to the file in the data dir `dir`.
pub(crate) fn missing(dir: &Path, counted: u64) -> Result<Option<String>, StoreError> {
    let path = dir.join(FILE);
    let bytes = unless_missing(&path, "reading", fs::read(&path))?;
    // A torn or damaged file proves nothing; the next commit overwrites it.
    let Some(stored) = bytes.and_then(|bytes| decode(&bytes)) else {
        return Ok(None);
    };
    // More commits than the file says are normal: it is synced only at stop.
    let missing = stored.saturating_sub(counted);
    Ok((missing > 0).then(|| {
        format!("the last {missing} of {stored} changes that were stored cannot be read any more")
    }))
}

fn encode(commits: u64) -> Vec<u8> {
    let number = commits.to_le_bytes();
    let checksum = crc32fast::hash(&number).to_le_bytes();
    [&number[..], &checksum].concat()
}

fn decode(bytes: &[u8]) -> Option<u64> {
    let (number, checksum) = bytes.split_first_chunk::<8>()?;
    let is_whole = crc32fast::hash(number).to_le_bytes() == *checksum;
    is_whole.then(|| u64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_is_gone_is_logged() {
        let dir = tempfile::tempdir().unwrap();
        check(dir.path(), 0).unwrap();
        let mut mark = CommitMark::open(dir.path(), 0).unwrap();
        for _ in 0..3 {
            mark.count();
        }
        check(dir.path(), 4).unwrap();
        check(dir.path(), 3).unwrap();
        match check(dir.path(), 1) {
            Err(StoreError::Damaged(text)) => assert!(text.contains("the last 2 of 3"), "{text}"),
            other => panic!("{other:?}"),
        }
        fs::remove_file(dir.path().join(FILE)).unwrap();
        check(dir.path(), 1).unwrap();
    }

    #[test]
    fn one_of_many_commits_of_uploads_writes_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let recorded = || decode(&fs::read(dir.path().join(FILE)).unwrap());
        let mut mark = CommitMark::open(dir.path(), 0).unwrap();
        for commits in 1..=3 * EVERY {
            mark.count_uploads();
            let written = commits / EVERY * EVERY;
            assert_eq!(recorded(), (written > 0).then_some(written));
        }
        mark.count_uploads();
        mark.count();
        assert_eq!(recorded(), Some(3 * EVERY + 2));
    }

    #[test]
    fn a_commit_that_may_not_be_durable_is_not_recorded() {
        let dir = tempfile::tempdir().unwrap();
        CommitMark::open(dir.path(), 3).unwrap().count();
        // Two more are found in the journal.
        let mut mark = CommitMark::open(dir.path(), 6).unwrap();
        check(dir.path(), 4).unwrap();
        mark.count();
        assert!(check(dir.path(), 6).is_err());
    }

    #[test]
    fn a_torn_file_proves_nothing() {
        let whole = encode(77);
        assert_eq!(decode(&whole), Some(77));
        for length in 0..whole.len() {
            assert_eq!(decode(&whole[..length]), None);
        }
        assert_eq!(decode(&[0; 12]), None);
    }
}
