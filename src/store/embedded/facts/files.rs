//! Writing the files of facts: `a` and `b`, each with a head (`disk/file_head.rs`), the known
//! positions (`positions.rs`), a snapshot, and the changes after it.
//!
//! A change is appended to `a` with one sync, and then is durable. It is also written to `b`, which
//! is synced later: with the next slice of work, or at stop. The last record is followed by zeros, so that a change needs
//! no new space where files are overwritten in place. Elsewhere a change may find the disk full: then
//! nothing has changed, and the next one is written over its remains.

use std::fs::{self, File};
use std::io;
use std::iter;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::file_head::{FORMAT, FileHead};
use crate::store::embedded::disk::positions::{self, RECORDS_AT};
use crate::store::embedded::disk::{Mark, Positions, is_full, open, sync};
use crate::store::embedded::facts::change::{FactChanges, FactKey, Place, put_record};
use crate::store::embedded::facts::found::GROWTH;
use crate::store::embedded::facts::load::{FILES, LoadedFacts, folder};
use crate::store::embedded::facts::stored::FactMap;
use crate::store::error::StoreError;

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
    /// Nothing was changed, because the disk is full for example.
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
    pub(super) files: [FactFile; 2],
    /// The number of the last change.
    last: u64,
    /// The records that `a` has, and `b` does not have durably.
    behind: Vec<u8>,
    /// Whether these may not even be written.
    must_rewrite: bool,
    /// The positions that both files contain.
    known: Positions,
    /// The length at which a failed compaction is tried again.
    retry_at: usize,
}

/// One of the files.
pub(super) struct FactFile {
    pub(super) file: File,
    /// The offset of the next record.
    end: usize,
    /// The length of the file, in bytes.
    length: usize,
    /// The bytes after `end` that a refused write may have left.
    refused: usize,
}

impl FactFiles {
    /// Creates the files of a new store, durably.
    pub(crate) fn create(dir: &Path, mark: Mark) -> Result<Self, StoreError> {
        let files = Self::write(dir, mark, 0, Positions::default(), &FactMap::default())?;
        open::sync_names(dir).map_err(|error| not_opened(&files.folder, &error))?;
        Ok(files)
    }

    /// Opens the files that were loaded. Rewrites both if they must be repaired.
    pub(crate) fn open(dir: &Path, loaded: &LoadedFacts) -> Result<Self, StoreError> {
        let (mark, last, known) = (loaded.mark, loaded.last, loaded.known);
        if loaded.must_mend {
            return Self::write(dir, mark, last, known, &loaded.facts);
        }
        let folder = folder(dir);
        let [a, b] = FILES;
        let [end_of_a, end_of_b] = loaded.ends;
        let open = || {
            Ok([
                FactFile::open(&folder.join(a), end_of_a)?,
                FactFile::open(&folder.join(b), end_of_b)?,
            ])
        };
        let files = open().map_err(|error: io::Error| not_opened(&folder, &error))?;
        Ok(Self::of(folder, mark, files, last, known))
    }

    /// Writes both files, durably. The one is whole before the other is replaced.
    fn write(
        dir: &Path,
        mark: Mark,
        last: u64,
        known: Positions,
        facts: &FactMap,
    ) -> Result<Self, StoreError> {
        let folder = folder(dir);
        let write = || {
            open::folder(&folder).map_err(FactWriteError::NoRoom)?;
            let write = |name| write_file(&folder, name, (mark, last, known), facts);
            let [a, b] = FILES;
            Ok([write(a)?, write(b)?])
        };
        let files = write();
        let files =
            files.map_err(|error: FactWriteError| not_opened(&folder, &error.into_cause()))?;
        Ok(Self::of(folder, mark, files, last, known))
    }

    const fn of(
        folder: PathBuf,
        mark: Mark,
        files: [FactFile; 2],
        last: u64,
        known: Positions,
    ) -> Self {
        Self {
            folder,
            mark,
            files,
            last,
            behind: Vec::new(),
            must_rewrite: false,
            known,
            retry_at: 0,
        }
    }

    /// The number of the last change.
    pub(crate) const fn last(&self) -> u64 {
        self.last
    }

    /// Writes changes durably. They are refused without room for so many further ones of their length.
    pub(crate) fn append(
        &mut self,
        changes: &FactChanges,
        further: usize,
    ) -> Result<(), FactWriteError> {
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
        self.grow(bytes.len() * (1 + further))?;
        let [a, b] = &mut self.files;
        a.write(&bytes)?;
        self.last = number;
        if !self.must_rewrite {
            let written = b.put(&bytes, b.end + self.behind.len());
            self.must_rewrite |= written.is_err();
            match written {
                Err(error) if !is_full(&error) => return Err(FactWriteError::Failed(error)),
                _ => {}
            }
        }
        self.behind.extend_from_slice(&bytes);
        // In advance: the next change may be a deletion to free space. On a full disk growing
        // fails, and the change may fit nevertheless.
        match self.grow(LEAST_ROOM) {
            Ok(()) | Err(FactWriteError::NoRoom(_)) => Ok(()),
            Err(failed) => Err(failed),
        }
    }

    /// Adds this many bytes of space to both files, durably.
    fn grow(&mut self, more: usize) -> Result<(), FactWriteError> {
        let [a, b] = &mut self.files;
        a.grow(more).map_err(not_written)?;
        let behind = self.behind.len();
        b.grow(behind + more).map_err(|error| {
            // The system may drop what a failed sync was for.
            self.must_rewrite |= behind > 0;
            not_written(error)
        })
    }

    /// Whether there is work besides changes; the facts take about `live` bytes.
    pub(crate) const fn is_due(&self, live: usize) -> bool {
        !self.behind.is_empty() || self.is_compaction_due(live)
    }

    const fn is_compaction_due(&self, live: usize) -> bool {
        let end = self.files[0].end;
        let outdated = end.saturating_sub(RECORDS_AT + GROWTH / 8 + live);
        outdated > TOLERATED && outdated > end / 2 && end > self.retry_at
    }

    /// Brings `b` up to date, durably.
    pub(crate) fn sync(&mut self) -> Result<(), FactWriteError> {
        if self.behind.is_empty() {
            return Ok(());
        }
        let [_, b] = &mut self.files;
        if self.must_rewrite {
            b.put(&self.behind, b.end).map_err(not_written)?;
        }
        // The system may drop what a failed sync was for.
        self.must_rewrite = true;
        sync::data(&b.file).map_err(not_written)?;
        self.must_rewrite = false;
        b.end += self.behind.len();
        self.behind.clear();
        Ok(())
    }

    /// Notes in both files how far the files of the store are durable. No sync is made for it.
    pub(crate) fn note(&mut self, durable: Positions) -> Result<(), FactWriteError> {
        let facts = if self.behind.is_empty() { self.last } else { 0 };
        let known = self.known.and(Positions { facts, ..durable });
        if known == self.known {
            return Ok(());
        }
        for file in &self.files {
            let written = file.put(&known.encode(self.mark), positions::AT);
            written.map_err(not_written)?;
        }
        self.known = known;
        Ok(())
    }

    /// Syncs `b`, and compacts if that is due. If nothing was changed by a failed compaction, it is
    /// tried again later.
    pub(crate) fn work(&mut self, facts: &FactMap) -> Result<(), FactWriteError> {
        self.sync()?;
        if !self.is_compaction_due(facts.bytes()) {
            return Ok(());
        }
        // One file after the other, so that one is always complete.
        let content = (self.mark, self.last, self.known);
        for (name, file) in FILES.into_iter().zip(&mut self.files) {
            match write_file(&self.folder, name, content, facts) {
                Ok(written) => *file = written,
                Err(FactWriteError::NoRoom(error)) => {
                    self.retry_at = self.files[0].end + TOLERATED;
                    log::warn!(
                        "cannot compact {} for now: {error}",
                        self.folder.join(name).display()
                    );
                    break;
                }
                Err(failed) => return Err(failed),
            }
        }
        Ok(())
    }
}

impl FactFile {
    /// Opens a whole file, whose last record ends at `end`.
    fn open(path: &Path, end: usize) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        Ok(Self {
            file,
            end,
            length,
            refused: 0,
        })
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

    /// Appends records durably, over the remains of those that were refused.
    fn write(&mut self, records: &[u8]) -> Result<(), FactWriteError> {
        let mut bytes = records.to_vec();
        bytes.resize(bytes.len().max(self.refused), 0);
        self.refused = bytes.len();
        let written = self.put(&bytes, self.end);
        let written = written.and_then(|()| sync::data(&self.file));
        written.map_err(not_written)?;
        self.end += records.len();
        self.refused = 0;
        Ok(())
    }

    fn put(&self, bytes: &[u8], at: usize) -> io::Result<()> {
        self.file.write_all_at(bytes, at as u64)?;
        sync::count_written(bytes.len());
        Ok(())
    }
}

/// The content of a file besides facts: the mark of the store, the number of the last change, and
/// the known positions.
type FileContent = (Mark, u64, Positions);

/// Writes a file with a snapshot of all facts under another name, reads it back, and replaces the
/// old file, durably.
///
/// # Errors
/// [`FactWriteError::NoRoom`] while the old file is in its place. Once it may be replaced, an error
/// is final: a power cut may bring it back, without later changes.
fn write_file(
    folder: &Path,
    name: &str,
    content: FileContent,
    facts: &FactMap,
) -> Result<FactFile, FactWriteError> {
    let (bytes, end) = snapshot(content, facts);
    let (aside, path) = (folder.join(format!("{name}.new")), folder.join(name));
    let file = write_aside(&aside, &bytes).map_err(FactWriteError::NoRoom)?;
    fs::rename(&aside, &path)
        .and_then(|()| sync::folder(folder))
        .map_err(FactWriteError::Failed)?;
    Ok(FactFile {
        file,
        end,
        length: bytes.len(),
        refused: 0,
    })
}

/// Writes a file durably, and reads it back.
fn write_aside(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let file = open::to_write(path)?;
    file.set_len(0)?;
    file.write_all_at(bytes, 0)?;
    sync::count_written(bytes.len());
    sync::all(&file)?;
    if fs::read(path)? != bytes {
        return Err(io::Error::other(format!(
            "{} was not read back as written",
            path.display()
        )));
    }
    Ok(file)
}

/// The bytes of a file with a snapshot, and the offset of its end. Each fact has a record of its
/// own: if both copies of a record are damaged, no other fact is lost.
fn snapshot((mark, base, known): FileContent, facts: &FactMap) -> (Vec<u8>, usize) {
    let head = FileHead {
        format: FORMAT,
        mark,
        base,
        snapshot: u32::try_from(facts.len()).unwrap_or(u32::MAX),
    };
    let mut bytes = head.encode();
    bytes.resize(positions::AT, 0);
    bytes.extend(known.encode(mark));
    bytes.resize(RECORDS_AT, 0);
    for (number, (key, value)) in (0..).zip(facts.iter()) {
        let fact = iter::once((key, Some(value)));
        put_record(&mut bytes, mark, base, Place::Snapshot(number), fact);
    }
    let end = bytes.len();
    bytes.resize((end + LEAST_ROOM).next_multiple_of(GROWTH), 0);
    (bytes, end)
}

fn not_written(error: io::Error) -> FactWriteError {
    if is_full(&error) {
        FactWriteError::NoRoom(error)
    } else {
        FactWriteError::Failed(error)
    }
}

fn not_opened(folder: &Path, error: &io::Error) -> StoreError {
    StoreError::io(format!("opening {}", folder.display()), error)
}
