//! Writing the files of facts: `a` and `b`, each with a head (`disk/file_head.rs`), a snapshot, and
//! the changes after it.
//!
//! A change is appended to `a` with one sync, and then is durable. It is also written to `b`, which
//! is synced later: with the next slice of work, or at stop. The last record is followed by zeros,
//! so that a change needs no new space.

use std::fs::{self, File};
use std::io;
use std::iter;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::file_head::{self, FORMAT, FileHead};
use crate::store::embedded::disk::{Mark, open, sync};
use crate::store::embedded::facts::change::{FactChanges, FactKey, Place, put_record};
use crate::store::embedded::facts::load::{FILES, LoadedFacts, folder};
use crate::store::embedded::facts::stored::FactMap;
use crate::store::error::StoreError;

/// The files grow by this many bytes at once.
const GROWTH: usize = 16 * 1024;
/// With less free space in a file than this, it grows before the next change.
const LEAST_ROOM: usize = 4 * 1024;
/// The number of outdated bytes that are tolerated.
const TOLERATED: usize = if cfg!(any(test, debug_assertions)) {
    8 * 1024
} else {
    256 * 1024
};

/// Reasons why a change was not written.
#[derive(Debug)]
pub(crate) enum FactWriteError {
    /// The disk is full. Nothing was written.
    NoRoom(io::Error),
    /// The state of the medium is unknown.
    Failed(io::Error),
}

impl FactWriteError {
    /// The system's error.
    pub(crate) fn into_cause(self) -> io::Error {
        match self {
            Self::NoRoom(cause) | Self::Failed(cause) => cause,
        }
    }
}

/// The files, as the committing thread writes them.
pub(crate) struct FactFiles {
    folder: PathBuf,
    mark: Mark,
    files: [FactFile; 2],
    /// The number of the last change.
    last: u64,
    is_b_unsynced: bool,
    /// The length at which a failed compaction is tried again.
    retry_at: usize,
}

/// One of the files.
struct FactFile {
    file: File,
    /// The offset of the next record.
    end: usize,
    /// The length of the file, in bytes.
    length: usize,
}

impl FactFiles {
    /// Creates the files of a new store, durably.
    pub(crate) fn create(dir: &Path, mark: Mark) -> Result<Self, StoreError> {
        let folder = folder(dir);
        let make = || {
            open::folder(&folder)?;
            let files = [
                write_file(&folder, FILES[0], mark, 0, &FactMap::default())?,
                write_file(&folder, FILES[1], mark, 0, &FactMap::default())?,
            ];
            open::sync_names(dir)?;
            Ok(files)
        };
        let failed = |error: io::Error| not_opened(&folder, &error);
        let files = make().map_err(failed)?;
        Ok(Self::of(folder, mark, files, 0))
    }

    /// Opens the files that were loaded. Rewrites both if they must be repaired.
    pub(crate) fn open(dir: &Path, loaded: &LoadedFacts) -> Result<Self, StoreError> {
        let folder = folder(dir);
        let [a, b] = FILES;
        let write = || {
            // Both may be missing, in the copy of a salvage.
            open::folder(&folder)?;
            let write = |name| write_file(&folder, name, loaded.mark, loaded.last, &loaded.facts);
            Ok([write(a)?, write(b)?])
        };
        let [end_of_a, end_of_b] = loaded.ends;
        let open = || {
            Ok([
                FactFile::open(&folder.join(a), end_of_a)?,
                FactFile::open(&folder.join(b), end_of_b)?,
            ])
        };
        let opened = if loaded.must_mend { write() } else { open() };
        let files = opened.map_err(|error: io::Error| not_opened(&folder, &error))?;
        Ok(Self::of(folder, loaded.mark, files, loaded.last))
    }

    const fn of(folder: PathBuf, mark: Mark, files: [FactFile; 2], last: u64) -> Self {
        Self {
            folder,
            mark,
            files,
            last,
            is_b_unsynced: false,
            retry_at: 0,
        }
    }

    /// Writes changes durably.
    pub(crate) fn append(&mut self, changes: &FactChanges) -> Result<(), FactWriteError> {
        let number = self.last + 1;
        let mut bytes = Vec::new();
        let changes = changes.0.iter();
        let changes = changes.map(|(key, value): (&FactKey, _)| (key, value.as_ref()));
        put_record(
            &mut bytes,
            self.mark,
            number,
            Place::After(self.last),
            changes,
        );
        for file in &mut self.files {
            file.grow(bytes.len()).map_err(FactWriteError::NoRoom)?;
        }
        let [a, b] = &mut self.files;
        a.write(&bytes).map_err(FactWriteError::Failed)?;
        sync::data(&a.file).map_err(FactWriteError::Failed)?;
        self.last = number;
        b.write(&bytes).map_err(FactWriteError::Failed)?;
        self.is_b_unsynced = true;
        // In advance: the next change may be a deletion to free space. On a full disk growing
        // fails, and the change may fit nevertheless.
        for file in &mut self.files {
            if file.grow(LEAST_ROOM).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Whether there is work besides changes.
    pub(crate) fn is_due(&self, facts: &FactMap) -> bool {
        self.is_b_unsynced || self.is_compaction_due(facts)
    }

    fn is_compaction_due(&self, facts: &FactMap) -> bool {
        let end = self.files[0].end;
        let outdated = end.saturating_sub(file_head::BYTES + GROWTH / 8);
        // Cheap first: facts are counted only once the file is long enough.
        outdated > TOLERATED && end > self.retry_at && {
            let outdated = outdated.saturating_sub(facts.bytes());
            outdated > TOLERATED && outdated > end / 2
        }
    }

    /// Makes `b` durable.
    pub(crate) fn sync(&mut self) -> Result<(), FactWriteError> {
        if self.is_b_unsynced {
            sync::data(&self.files[1].file).map_err(FactWriteError::Failed)?;
            self.is_b_unsynced = false;
        }
        Ok(())
    }

    /// Syncs `b`, and compacts if that is due. On a full disk, compaction is tried again later.
    pub(crate) fn work(&mut self, facts: &FactMap) -> Result<(), FactWriteError> {
        self.sync()?;
        if !self.is_compaction_due(facts) {
            return Ok(());
        }
        // One file after the other, so that one is always complete.
        for (name, file) in FILES.into_iter().zip(&mut self.files) {
            match write_file(&self.folder, name, self.mark, self.last, facts) {
                Ok(written) => *file = written,
                Err(error) => {
                    self.retry_at = self.files[0].end + TOLERATED;
                    log::warn!(
                        "cannot compact {} for now: {error}",
                        self.folder.join(name).display()
                    );
                    break;
                }
            }
        }
        Ok(())
    }
}

impl FactFile {
    /// Opens a file whose last record ends at `end`. A torn record after it is cut off: it would
    /// look like damage once another record follows.
    fn open(path: &Path, end: usize) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        let mut opened = Self { file, end, length };
        let mut rest = vec![0; length.saturating_sub(end)];
        opened.file.read_exact_at(&mut rest, end as u64)?;
        if rest.iter().any(|byte| *byte != 0) {
            opened.file.set_len(end as u64)?;
            sync::all(&opened.file)?;
            opened.length = end;
        }
        Ok(opened)
    }

    /// Adds this many bytes of space, durably.
    fn grow(&mut self, more: usize) -> io::Result<()> {
        let needed = (self.end + more).next_multiple_of(GROWTH);
        if self.end + more > self.length {
            let zeros = vec![0; needed - self.length];
            self.file.write_all_at(&zeros, self.length as u64)?;
            sync::count_written(zeros.len());
            sync::all(&self.file)?;
            self.length = needed;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.end as u64)?;
        sync::count_written(bytes.len());
        self.end += bytes.len();
        Ok(())
    }
}

/// Writes a file with a snapshot of all facts under another name, reads it back, and replaces the
/// old file, durably.
fn write_file(
    folder: &Path,
    name: &str,
    mark: Mark,
    base: u64,
    facts: &FactMap,
) -> io::Result<FactFile> {
    let (bytes, end) = snapshot(mark, base, facts);
    let (aside, path) = (folder.join(format!("{name}.new")), folder.join(name));
    let file = open::to_write(&aside)?;
    file.set_len(0)?;
    file.write_all_at(&bytes, 0)?;
    sync::count_written(bytes.len());
    sync::all(&file)?;
    if fs::read(&aside)? != bytes {
        return Err(io::Error::other(format!(
            "{} was not read back as written",
            aside.display()
        )));
    }
    fs::rename(&aside, &path)?;
    sync::folder(folder)?;
    Ok(FactFile {
        file,
        end,
        length: bytes.len(),
    })
}

/// The bytes of a file with a snapshot, and the offset of its end. Each fact has a record of its
/// own: if both copies of a record are damaged, no other fact is lost.
fn snapshot(mark: Mark, base: u64, facts: &FactMap) -> (Vec<u8>, usize) {
    let head = FileHead {
        format: FORMAT,
        mark,
        base,
        snapshot: u32::try_from(facts.0.len()).unwrap_or(u32::MAX),
    };
    let mut bytes = head.encode();
    for (number, (key, value)) in (0..).zip(&facts.0) {
        let fact = iter::once((key, Some(value)));
        put_record(&mut bytes, mark, base, Place::Snapshot(number), fact);
    }
    let end = bytes.len();
    bytes.resize((end + LEAST_ROOM).next_multiple_of(GROWTH), 0);
    (bytes, end)
}

fn not_opened(folder: &Path, error: &io::Error) -> StoreError {
    StoreError::io(format!("opening {}", folder.display()), error)
}
