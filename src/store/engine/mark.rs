//! How many commits were stored, kept outside of the database.
//!
//! Where sled's log is damaged, sled takes the place for its end, as after a power cut, and goes on as if nothing had ever
//! been behind it: acknowledged readings would be gone without a word. So commits are numbered, in the journal and in the
//! database, and once one is stored its number goes into the file `commits` in the data dir: a store that has fewer was damaged.
//!
//! The file is not synced but at stop. After a power cut it may have an older number, never one that is not stored.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | number of commits stored, u64 little-endian |
//! | 8..12 | CRC-32 of these, little-endian |

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::error::StoreError;

const FILE: &str = "commits";
/// Where the database counts its commits, in `meta`.
pub(crate) const KEY: &str = "commits";
const BYTES: usize = 12;

/// The count, and the file that keeps it.
pub(crate) struct Mark {
    file: File,
    commits: u64,
    /// Whether a failed write of the file was told.
    is_told: bool,
}

impl Mark {
    /// The count of the store in `dir`, whose database has counted `commits`.
    pub(crate) fn open(dir: &Path, commits: u64) -> Result<Self, StoreError> {
        let path = dir.join(FILE);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::io(format!("opening {}", path.display()), &error))?;
        Ok(Self {
            commits,
            file,
            is_told: false,
        })
    }

    /// The number of the commit that comes next.
    pub(crate) const fn next(&self) -> u64 {
        self.commits.wrapping_add(1)
    }

    /// So many commits more were found in the journal. They count, so that no number is given twice, but a process that was
    /// killed before its sync leaves one that can be read and is not stored: it is told once the database has it.
    pub(crate) const fn found(&mut self, commits: u64) {
        self.commits = self.commits.wrapping_add(commits);
    }

    /// The commit of this number is stored. Where this cannot be written nothing is lost but the means to tell a later loss.
    pub(crate) fn stored(&mut self, number: u64) {
        self.commits = number;
        if let Err(error) = self.file.write_all_at(&encode(self.commits), 0)
            && !self.is_told
        {
            self.is_told = true;
            log::warn!("the number of commits could not be written: {error}");
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // As above.
        let _ = self.file.sync_data();
    }
}

/// Checks that the store, which has `counted` commits, has all that were stored.
pub(crate) fn check(dir: &Path, counted: u64) -> Result<(), StoreError> {
    missing(dir, counted)?.map_or(Ok(()), |missing| {
        Err(StoreError::Damaged(format!(
            "{}: {missing}; remove {} to go on without them",
            dir.display(),
            dir.join(FILE).display(),
        )))
    })
}

/// What a store with `counted` commits lacks of those that were stored in the data dir `dir`.
pub(crate) fn missing(dir: &Path, counted: u64) -> Result<Option<String>, StoreError> {
    let path = dir.join(FILE);
    let bytes = match fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => {
            other.map_err(|error| StoreError::io(format!("reading {}", path.display()), &error))?
        }
    };
    // One that is torn or damaged tells nothing; it is written anew.
    let Some(stored) = decode(&bytes) else {
        return Ok(None);
    };
    let missing = stored.saturating_sub(counted);
    Ok((missing > 0).then(|| {
        format!("the last {missing} of {stored} changes that were stored cannot be read any more")
    }))
}

/// How many commits the database has counted.
pub(crate) fn counted(meta: &sled::Tree) -> Result<u64, StoreError> {
    let value = meta.get(KEY)?;
    let number = value.and_then(|value| <[u8; 8]>::try_from(&*value).ok());
    Ok(number.map_or(0, u64::from_le_bytes))
}

fn encode(commits: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let number = commits.to_le_bytes();
    let checksum = crc32fast::hash(&number).to_le_bytes();
    for (byte, value) in bytes.iter_mut().zip(number.into_iter().chain(checksum)) {
        *byte = value;
    }
    bytes
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
    fn a_commit_that_is_gone_is_told() {
        let dir = tempfile::tempdir().unwrap();
        check(dir.path(), 0).unwrap();
        let mut mark = Mark::open(dir.path(), 0).unwrap();
        for number in 1..=3 {
            assert_eq!(mark.next(), number);
            mark.stored(number);
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
    fn a_commit_that_may_not_be_durable_is_not_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut mark = Mark::open(dir.path(), 3).unwrap();
        mark.stored(4);
        mark.found(2);
        assert_eq!(mark.next(), 7);
        check(dir.path(), 4).unwrap();
        mark.stored(7);
        assert!(check(dir.path(), 6).is_err());
    }

    #[test]
    fn a_torn_file_tells_nothing() {
        let whole = encode(77);
        assert_eq!(decode(&whole), Some(77));
        for length in 0..BYTES {
            assert_eq!(decode(&whole[..length]), None);
        }
        assert_eq!(decode(&[0; BYTES]), None);
    }
}
