//! A backup as a file. It gets its name only once it is complete, synced and read back.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Seek, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::domain::Timestamp;
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::frame;
use crate::store::care::backup::frame::{DIGEST_BYTES, FrameKind};
use crate::store::care::backup::source::{WrittenBackup, read_all};
use crate::store::care::backup::take::{BackupCursor, BackupPage};
use crate::store::embedded::disk::open::to_write;
use crate::store::handle::counts::StoreCounts;

/// The extension of an unfinished file.
const UNFINISHED: &str = ".part";

/// Writes a backup to `target`, which must not exist. `page` returns the page at a cursor. The file
/// is written under another name beside it with mode 0600, synced, read back and verified, and only
/// then renamed. Calls `watch` with the number of bytes written and read back so far; its error
/// aborts the backup. Blocks.
///
/// # Errors
/// The errors of `page` and `watch`; [`BackupError::Exists`], [`BackupError::UnderWay`],
/// [`BackupError::NotAsWritten`], [`BackupError::Io`]. Leaves no file behind.
pub fn write_backup<E: From<BackupError>>(
    target: &Path,
    taken: Timestamp,
    page: impl FnMut(BackupCursor) -> Result<BackupPage, E>,
    mut watch: impl FnMut(u64) -> Result<(), E>,
) -> Result<WrittenBackup, E> {
    let unfinished = Unfinished::create(target)?;
    let written = unfinished.write(taken, page, &mut watch)?;
    let so_far = written.bytes;
    let read_back = unfinished.read_back(|bytes| watch(so_far.saturating_add(bytes)));
    // A mismatch here is the fault of the medium or of memory, not of the store.
    if read_back? != written {
        return Err(BackupError::NotAsWritten(unfinished.path.clone()).into());
    }
    unfinished.rename(target)?;
    Ok(written)
}

/// The name of `target` until it is finished.
fn unfinished_name(target: &Path) -> PathBuf {
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
        let path = unfinished_name(target);
        let failed = |error| BackupError::io("writing", &path, &error);
        loop {
            check_free(target)?;
            // Truncated only once it is locked: another process may be writing it.
            let file = to_write(&path).map_err(failed)?;
            match lock(&file, &path) {
                Ok(true) => {
                    file.set_len(0).map_err(failed)?;
                    return Ok(Self {
                        path,
                        file,
                        is_done: false,
                    });
                }
                // Each time, another process has finished or given up, so this terminates.
                Ok(false) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(BackupError::UnderWay(target.to_owned()));
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    fn write<E: From<BackupError>>(
        &self,
        taken: Timestamp,
        mut page: impl FnMut(BackupCursor) -> Result<BackupPage, E>,
        mut watch: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<WrittenBackup, E> {
        let failed = |error| BackupError::io("writing", &self.path, &error);
        let (mut hash, mut bytes, mut counts) = (Sha256::new(), 0, StoreCounts::default());
        let mut put = |piece: &[u8]| {
            hash.update(piece);
            bytes += piece.len() as u64;
            (&self.file).write_all(piece).map_err(failed)?;
            Ok::<u64, BackupError>(bytes)
        };
        put(&frame::head(taken))?;
        let mut cursor = Some(BackupCursor::default());
        while let Some(at) = cursor {
            let piece = page(at)?;
            counts.add(&piece.counts);
            watch(put(&piece.frames)?)?;
            cursor = piece.next;
        }
        put(&end(&counts).map_err(failed)?)?;
        // The digest covers all but itself, so it does not go through `put`.
        let digest: [u8; DIGEST_BYTES] = hash.finalize().into();
        (&self.file).write_all(&digest).map_err(failed)?;
        self.file.sync_all().map_err(failed)?;
        Ok(WrittenBackup {
            taken,
            bytes: bytes + DIGEST_BYTES as u64,
            counts,
            digest,
        })
    }

    fn read_back<E: From<BackupError>>(
        &self,
        mut watch: impl FnMut(u64) -> Result<(), E>,
    ) -> Result<WrittenBackup, E> {
        // After the sync: unwritten pages cannot be dropped.
        forget_pages(&self.file);
        let mut source = BufReader::new(&self.file);
        source
            .rewind()
            .map_err(|error| BackupError::io("reading", &self.path, &error))?;
        read_all(source, |_, bytes| watch(bytes))
    }

    fn rename(mut self, target: &Path) -> Result<(), BackupError> {
        // Again: the name may have been taken since the start, and `rename` would replace that
        // file.
        check_free(target)?;
        let failed = |error| BackupError::io("finishing", target, &error);
        fs::rename(&self.path, target).map_err(failed)?;
        // Before the sync, which may fail: the unfinished name is gone, so there is nothing to
        // remove.
        self.is_done = true;
        sync_folder(target).map_err(failed)
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

/// Locks `file`, opened at `path`. The remains of a killed process are not locked. `false` if the
/// file is no longer at `path`: between the opening and the lock, another process finished and
/// renamed it, or removed it.
fn lock(file: &File, path: &Path) -> Result<bool, TryLockError> {
    file.try_lock()?;
    let opened = file.metadata().map_err(TryLockError::Error)?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((there.dev(), there.ino()) == (opened.dev(), opened.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(TryLockError::Error(error)),
    }
}

/// Drops the file from the page cache, so that reading it back reads the medium. Without this, the
/// check is weaker, but the backup is no worse.
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
    // Not `metadata`: a dangling link counts as taken as well, and `rename` would replace it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_process_finished_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("backup");
        let path = unfinished_name(&target);
        let first = Unfinished::create(&target).unwrap();
        (&first.file).write_all(b"whole").unwrap();
        // The second process opens it before the first renames it, and locks it afterwards.
        let second = to_write(&path).unwrap();
        assert!(matches!(
            lock(&second, &path),
            Err(TryLockError::WouldBlock)
        ));
        first.rename(&target).unwrap();
        assert!(!lock(&second, &path).unwrap());
        assert!(matches!(
            Unfinished::create(&target),
            Err(BackupError::Exists(_))
        ));
        assert_eq!(fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn a_file_that_another_process_gave_up_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("backup");
        let path = unfinished_name(&target);
        let first = Unfinished::create(&target).unwrap();
        let second = to_write(&path).unwrap();
        drop(first);
        let third = Unfinished::create(&target).unwrap();
        assert!(!lock(&second, &path).unwrap());
        drop((second, third));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
