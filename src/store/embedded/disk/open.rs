//! Opens a store, for one process only, and tidies up after a crash.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::Access;

use crate::store::embedded::disk::{access, file_head, modes, replace, sync};
use crate::store::error::{StoreError, unless_missing};
use crate::store::settings::OpenMode;

/// The file in the data dir that is locked by the process with the open store.
const LOCK: &str = "lock";
/// The parts of a store in its data dir.
pub(crate) const PARTS: [&str; 4] = ["facts", "log", "blocks", "journal"];
/// The folder of a store before format 6.
const OLD: &str = "sled";

/// An exclusive lock of a data dir, released on drop.
#[derive(Debug)]
pub struct DataDirHold {
    file: File,
}

impl DataDirHold {
    /// Locks `dir` against other processes, and removes other users' access to its files. Creates a
    /// missing folder.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it, [`StoreError::NotOurs`],
    /// [`StoreError::Io`].
    pub fn take(dir: &Path) -> Result<Self, StoreError> {
        access::check(dir, Access::READ_OK | Access::WRITE_OK)?;
        Self::take_ours(dir)
    }

    /// As [`Self::take`], once all files are accessible.
    fn take_ours(dir: &Path) -> Result<Self, StoreError> {
        create(dir).map_err(|error| not_opened(dir, &with_remedy(dir, error)))?;
        // The lock file is never removed: otherwise one process could hold the removed file, and
        // another one a new file.
        let opened = to_write(&dir.join(LOCK));
        let mut file = opened.map_err(|error| not_opened(dir, &with_remedy(dir, error)))?;
        lock(&mut file, dir)?;
        // Only now: until it is locked, the file contains the pid of another process.
        let write_pid = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        write_pid(&mut file).map_err(|error| not_opened(dir, &error))?;
        modes::close_to_others(dir);
        let held = Self { file };
        replace::finish(dir)?;
        Ok(held)
    }
}

impl Drop for DataDirHold {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that another thread is just starting may have a
        // copy of it for a moment.
        if let Err(error) = self.file.unlock() {
            log::warn!("unlocking the data dir failed: {error}");
        }
    }
}

/// Locks `dir` against other processes. Creates the folder if `mode` allows.
pub(crate) fn hold(dir: &Path, mode: OpenMode) -> Result<DataDirHold, StoreError> {
    // First of all: inaccessible files would look like missing ones.
    access::check(dir, Access::READ_OK | Access::WRITE_OK)?;
    if mode == OpenMode::Existing {
        check_exists(dir)?;
    }
    check_format(dir)?;
    DataDirHold::take_ours(dir)
}

/// Locks the store in `dir` without writing anything. `None` without a lock file: then no process
/// has it open.
pub(crate) fn hold_unchanged(dir: &Path) -> Result<Option<DataDirHold>, StoreError> {
    access::check(dir, Access::READ_OK)?;
    check_exists(dir)?;
    if replace::is_under_way(dir) {
        return Err(not_opened(
            dir,
            &"a repair of it was interrupted: start the service, which finishes that",
        ));
    }
    let path = dir.join(LOCK);
    let Some(mut file) = unless_missing(&path, "opening", File::open(&path))? else {
        return Ok(None);
    };
    lock(&mut file, dir)?;
    Ok(Some(DataDirHold { file }))
}

fn check_exists(dir: &Path) -> Result<(), StoreError> {
    check_format(dir)?;
    // The next process that locks it finishes an interrupted repair.
    if PARTS.iter().any(|part| dir.join(part).exists()) || replace::is_under_way(dir) {
        return Ok(());
    }
    Err(StoreError::NoStore(dir.to_owned()))
}

/// Refuses a store of an older format.
fn check_format(dir: &Path) -> Result<(), StoreError> {
    if dir.join(OLD).exists() && !replace::is_under_way(dir) {
        return Err(StoreError::OlderFormat {
            dir: dir.to_owned(),
            known: file_head::FORMAT,
        });
    }
    Ok(())
}

/// The error of a write in `dir`, with the remedy.
fn with_remedy(dir: &Path, error: io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::ReadOnlyFilesystem => {
            let dir = dir.display();
            let cause = format!(
                "{error}; if systemd runs it, add ReadWritePaths={dir} under [Service] with `systemctl edit wattkeeper`"
            );
            io::Error::new(kind, cause)
        }
        _ => error,
    }
}

fn not_opened(dir: &Path, cause: &impl Display) -> StoreError {
    StoreError::io(format!("opening the store in {}", dir.display()), cause)
}

/// Locks the lock file of `dir`.
fn lock(file: &mut File, dir: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            // Another process may just be writing its pid: the error omits an empty or half-written
            // one.
            let mut holder = String::new();
            // The pid is optional in the error.
            let _ = file.read_to_string(&mut holder);
            Err(StoreError::Locked {
                dir: dir.to_owned(),
                pid: holder.trim().parse().ok(),
            })
        }
        Err(TryLockError::Error(error)) => Err(not_opened(dir, &error)),
    }
}

/// Opens or creates the file at `path`, keeping its content.
pub(crate) fn to_write(path: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// Creates the folder and its missing ancestors, and syncs the names of all.
fn create(dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir
        .ancestors()
        .take_while(|above| !above.as_os_str().is_empty() && !above.exists())
        .collect();
    // Readings reveal when nobody is at home: keep them private.
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)?;
    for made in missing {
        // The parent of a relative path such as `data` is the empty path, which cannot be opened.
        let above = made.parent().filter(|above| !above.as_os_str().is_empty());
        sync::folder(above.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// Creates a folder in the data dir, unless it is there.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The error for a damaged store in `dir`.
pub(crate) fn damaged(dir: &Path, cause: &str) -> StoreError {
    StoreError::Damaged(format!("{}: {cause}", dir.display()))
}

/// Syncs the names in the data dir, and its own name in its parent. Ignores a parent that this
/// process may not read: then a service manager created the data dir there, not this process.
pub(crate) fn sync_names(dir: &Path) -> io::Result<()> {
    sync::folder(dir)?;
    // The text of a relative path, or of a link, may name another parent.
    let dir = fs::canonicalize(dir)?;
    match dir.parent().map_or(Ok(()), sync::folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// The content of a file; `None` if there is none.
///
/// # Errors
/// [`StoreError::Io`], also if the disk cannot return a part of it.
pub(crate) fn content(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    unless_missing(path, "reading", fs::read(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_once() {
        let dir = tempfile::tempdir().unwrap();
        let held = hold(dir.path(), OpenMode::CreateIfMissing).unwrap();
        match hold(dir.path(), OpenMode::CreateIfMissing) {
            Err(StoreError::Locked { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other:?}"),
        }
        drop(held);
        hold(dir.path(), OpenMode::CreateIfMissing).unwrap();
    }

    #[test]
    fn no_store_is_made_where_one_must_be() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("missing");
        assert!(
            matches!(hold(&missing, OpenMode::Existing), Err(StoreError::NoStore(named)) if named == missing)
        );
        assert!(!missing.exists());
        assert!(matches!(
            hold(dir.path(), OpenMode::Existing),
            Err(StoreError::NoStore(_))
        ));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_above_are_made_too() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        hold(&deep, OpenMode::CreateIfMissing).unwrap();
        assert!(deep.join("lock").is_file());
    }
}
