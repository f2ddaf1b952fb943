//! A backup as a file. It gets its name only once it is complete, synced and read back.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::domain::Timestamp;
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame;
use crate::store::care::backup::frame::{DIGEST_BYTES, FrameKind};
use crate::store::care::backup::source::{Verified, read_all};
use crate::store::care::backup::take::{BackupCursor, BackupPage};
use crate::store::care::counts::StoreCounts;

/// The extension of an unfinished file.
const UNFINISHED: &str = ".part";

/// A backup that was written and verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenBackup {
    /// When it was begun.
    pub taken: Timestamp,
    /// Its length.
    pub bytes: u64,
    /// What it holds.
    pub counts: StoreCounts,
}

/// Writes a backup to `target`, which must not exist. `page` returns the page at a cursor. The file is written under another
/// name beside it with mode 0600, synced, read back and verified, and only then renamed. Calls `watch` with the number of
/// bytes written and read back so far; its error aborts the backup. Blocks.
///
/// # Errors
/// Those of `page` and `watch`; [`BackupError::Exists`], [`BackupError::UnderWay`], [`BackupError::NotAsWritten`],
/// [`BackupError::Io`]. Leaves no file behind.
pub fn write_backup<E: From<BackupError>>(
    target: &Path,
    taken: Timestamp,
    page: impl FnMut(BackupCursor) -> Result<BackupPage, E>,
    mut watch: impl FnMut(u64) -> Result<(), E>,
) -> Result<WrittenBackup, E> {
    let mut unfinished = Unfinished::create(target)?;
    let written = unfinished.write(taken, page, &mut watch)?;
    let so_far = written.bytes;
    let read_back = unfinished.read_back(|bytes| watch(so_far.saturating_add(bytes)));
    // A mismatch here is the fault of the medium or of memory, not of the store.
    if read_back? != written {
        return Err(BackupError::NotAsWritten(unfinished.path.clone()).into());
    }
    unfinished.rename(target)?;
    Ok(WrittenBackup {
        taken,
        bytes: written.bytes,
        counts: written.counts,
    })
}

/// Opens the backup `file` for reading.
pub(crate) fn open(file: &Path) -> Result<BufReader<File>, BackupError> {
    let opened = File::open(file).map_err(|error| BackupError::io("opening", file, &error))?;
    Ok(BufReader::new(opened))
}

/// Reads and checks a whole backup.
pub(crate) fn verify<E: From<BackupError>>(
    source: impl io::Read,
    mut watch: impl FnMut(u64) -> Result<(), E>,
) -> Result<Verified, E> {
    read_all(source, |_, bytes| watch(bytes))
}

/// The name of `target` until it is finished.
pub(crate) fn unfinished_name(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(UNFINISHED);
    target.with_file_name(name)
}

/// An unfinished backup. Dropping it removes the file.
struct Unfinished {
    path: PathBuf,
    file: File,
    is_done: bool,
}

impl Unfinished {
    fn create(target: &Path) -> Result<Self, BackupError> {
        check_free(target)?;
        let path = unfinished_name(target);
        let failed = |error: &io::Error| BackupError::io("writing", &path, error);
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path);
        let file = opened.map_err(|error| failed(&error))?;
        // A leftover of a killed process is not locked, and is overwritten.
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(BackupError::UnderWay(target.to_owned()));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        file.set_len(0).map_err(|error| failed(&error))?;
        Ok(Self {
            path,
            file,
            is_done: false,
        })
    }

    fn write<E: From<BackupError>>(
        &mut self,
        taken: Timestamp,
        mut page: impl FnMut(BackupCursor) -> Result<BackupPage, E>,
        mut watch: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Verified, E> {
        let (mut hash, mut bytes, mut counts) = (Sha256::new(), 0, StoreCounts::default());
        let mut put = |piece: &[u8], file: &mut File| {
            hash.update(piece);
            bytes += piece.len() as u64;
            file.write_all(piece)?;
            Ok(bytes)
        };
        let failed = |path: &Path, error: &io::Error| BackupError::io("writing", path, error);
        put(&frame::head(taken), &mut self.file).map_err(|error| failed(&self.path, &error))?;
        let mut cursor = Some(BackupCursor::default());
        while let Some(at) = cursor {
            let piece = page(at)?;
            counts.add(&piece.counts);
            let written = put(&piece.frames, &mut self.file);
            watch(written.map_err(|error| failed(&self.path, &error))?)?;
            cursor = piece.next;
        }
        let end = end(&counts).map_err(|error| failed(&self.path, &error))?;
        put(&end, &mut self.file).map_err(|error| failed(&self.path, &error))?;
        let digest: [u8; DIGEST_BYTES] = hash.finalize().into();
        let finished = self
            .file
            .write_all(&digest)
            .and_then(|()| self.file.sync_all());
        finished.map_err(|error| failed(&self.path, &error))?;
        Ok(Verified {
            taken,
            bytes: bytes + DIGEST_BYTES as u64,
            counts,
            digest,
        })
    }

    fn read_back<E: From<BackupError>>(
        &mut self,
        watch: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<Verified, E> {
        forget_pages(&self.file);
        self.file
            .rewind()
            .map_err(|error| BackupError::io("reading", &self.path, &error))?;
        verify(BufReader::new(&self.file), watch)
    }

    fn rename(mut self, target: &Path) -> Result<(), BackupError> {
        check_free(target)?;
        let failed = |error: &io::Error| BackupError::io("finishing", target, error);
        fs::rename(&self.path, target).map_err(|error| failed(&error))?;
        self.is_done = true;
        sync_folder(target).map_err(|error| failed(&error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.is_done
            && let Err(error) = fs::remove_file(&self.path)
        {
            log::warn!(
                "cannot remove the unfinished backup {}: {error}",
                self.path.display()
            );
        }
    }
}

/// Drops the file from the page cache, so that reading it back reads the medium. Without this, the check is weaker, but
/// the backup is no worse.
fn forget_pages(file: &File) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed) {
        log::debug!("reading the backup back from the page cache: {error}");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

fn end(counts: &StoreCounts) -> io::Result<Vec<u8>> {
    let mut end = Vec::new();
    frame::push(&mut end, FrameKind::End, &serde_json::to_vec(counts)?)?;
    Ok(end)
}

/// Checks that `target` does not exist.
fn check_free(target: &Path) -> Result<(), BackupError> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(BackupError::Exists(target.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BackupError::io("writing", target, &error)),
    }
}

/// Syncs the folder of `file`, which makes its name durable.
fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
