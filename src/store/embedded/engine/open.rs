//! Opening a store: one process only, and after tidying what a crash left behind.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::store::embedded::engine::panics::{self, caught};
use crate::store::embedded::engine::{modes, watch};
use crate::store::error::{StoreError, unless_missing};
use crate::store::settings::{OpenMode, StoreSettings};

/// The segment size of sled's log. It never changes on a store. Segments stay half empty, so this is as small as the longest
/// values allow (docs/STORAGE.md, "No blobs").
pub(crate) const SEGMENT_BYTES: usize = 128 * 1024;
/// The file in the data dir that the process with the open store has locked.
const LOCK: &str = "lock";
/// Tries for sled's own lock. A store that this process just closed may still hold it for a moment.
const LOCK_TRIES: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// An exclusive lock of a data dir, released on drop.
#[derive(Debug)]
pub struct DataDirHold {
    file: File,
}

impl DataDirHold {
    /// Locks `dir` against other processes, and closes its files to other users. A missing folder is created.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it, [`StoreError::Io`].
    pub fn take(dir: &Path) -> Result<Self, StoreError> {
        create(dir).map_err(|error| not_opened(dir, &error))?;
        // Nobody ever removes the lock file: a process could then hold the removed file, and a second process a new one.
        let mut file = to_write(&dir.join(LOCK)).map_err(|error| not_opened(dir, &error))?;
        lock(&mut file, dir)?;
        // Only now: until it is locked, the file has the pid of another process.
        let write_pid = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        write_pid(&mut file).map_err(|error| not_opened(dir, &error))?;
        modes::close_to_others(dir);
        Ok(Self { file })
    }
}

impl Drop for DataDirHold {
    fn drop(&mut self) {
        // Closing the file is not enough: a program that another thread is just starting may have a copy of it for a moment.
        if let Err(error) = self.file.unlock() {
            log::warn!("unlocking the data dir failed: {error}");
        }
    }
}

/// The last handle of a database. sled syncs once more on drop. If that fails, sled panics or waits for ever; this logs the error
/// instead. Everything acknowledged is stored by then.
#[derive(Debug)]
pub(crate) struct Closing {
    /// `None` if it was not opened.
    db: Option<sled::Db>,
    config: sled::Config,
    /// How many panics there were before it was opened.
    panics: u64,
}

impl Drop for Closing {
    fn drop(&mut self) {
        let Some(db) = self.db.take() else { return };
        let last = db.clone();
        let flushing = move || last.flush().map(drop).map_err(StoreError::from);
        let flushed = watch::unless_stuck(&self.config, self.panics, flushing);
        // It may have been abandoned.
        watch::wake(&self.config, &db);
        let closed = caught(|| drop(db));
        let failed = flushed.err().map(|error| error.to_string());
        if let Some(why) = failed.or(closed.err()) {
            log::error!("closing the store's files failed: {why}");
        }
    }
}

/// Locks `dir` against other processes. Creates the folder if `mode` allows.
pub(crate) fn hold(dir: &Path, mode: OpenMode) -> Result<DataDirHold, StoreError> {
    if mode == OpenMode::Existing {
        check_exists(dir)?;
    }
    DataDirHold::take(dir)
}

/// Locks the store in `dir` without writing anything. Without a lock file, no process has it open: `None`.
pub(crate) fn hold_unchanged(dir: &Path) -> Result<Option<DataDirHold>, StoreError> {
    check_exists(dir)?;
    let path = dir.join(LOCK);
    let Some(mut file) = unless_missing(&path, "opening", File::open(&path))? else {
        return Ok(None);
    };
    lock(&mut file, dir)?;
    Ok(Some(DataDirHold { file }))
}

fn check_exists(dir: &Path) -> Result<(), StoreError> {
    if sled_dir(dir).join("db").is_file() {
        return Ok(());
    }
    Err(StoreError::NoStore(dir.to_owned()))
}

fn not_opened(dir: &Path, cause: &impl Display) -> StoreError {
    StoreError::io(format!("opening the store in {}", dir.display()), cause)
}

/// Locks the lock file of `dir`.
fn lock(file: &mut File, dir: &Path) -> Result<(), StoreError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            // Another process may just be writing its pid: an empty or half-written one is left out of the error.
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

/// Opens or creates the file at `path`, and keeps its content.
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
        sync(above.unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// sled's configuration for the data dir `dir`.
pub(crate) fn config(dir: &Path, settings: &StoreSettings) -> sled::Config {
    sled::Config::new()
        .path(sled_dir(dir))
        .segment_size(SEGMENT_BYTES)
        .cache_capacity(settings.cache_bytes)
        // The committing thread decides when to sync: sled's timer would only add syncs.
        .flush_every_ms(None)
}

/// Opens sled in the data dir `dir`, which this process has locked. Drop the first part of the result last.
pub(crate) fn open_sled(
    dir: &Path,
    config: &sled::Config,
) -> Result<(Closing, sled::Db), StoreError> {
    tidy(&sled_dir(dir))?;
    // Declared before `db`, so dropped after it, also on an early return.
    let mut closing = Closing {
        db: None,
        config: config.clone(),
        panics: panics::noted(),
    };
    let db = open_when_free(config).map_err(|error| match error {
        sled::Error::Corruption { .. } => damaged(dir, "its log or its snapshot is corrupt"),
        sled::Error::ReportableBug(what) => {
            damaged(dir, &format!("its log is inconsistent: {what}"))
        }
        other => not_opened(dir, &other),
    })?;
    closing.db = Some(db.clone());
    sync_files(dir).map_err(|error| not_opened(dir, &error))?;
    Ok((closing, db))
}

/// Syncs the files that sled creates and never syncs, and the folders that have their names.
fn sync_files(dir: &Path) -> io::Result<()> {
    let sled_dir = sled_dir(dir);
    // `blobs` is a folder that stays empty (docs/STORAGE.md, "No blobs").
    for file in ["conf", "db", "blobs"] {
        sync(&sled_dir.join(file))?;
    }
    sync(&sled_dir)?;
    sync(dir)?;
    sync_above(dir)
}

/// The folder of sled's files in the data dir `dir`.
pub(crate) fn sled_dir(dir: &Path) -> PathBuf {
    dir.join("sled")
}

/// The error for a damaged store in `dir`.
pub(crate) fn damaged(dir: &Path, cause: &str) -> StoreError {
    StoreError::Damaged(format!("{}: {cause}", dir.display()))
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Syncs the parent of the data dir. Ignores a parent that this process may not read: then it did not create the data dir
/// there either, but a service manager did.
fn sync_above(dir: &Path) -> io::Result<()> {
    // The text of a relative path, or of a link, may name another parent.
    let dir = fs::canonicalize(dir)?;
    match dir.parent().map_or(Ok(()), sync) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

fn open_when_free(config: &sled::Config) -> sled::Result<sled::Db> {
    // sled gives this error the kind `Other`: only its text distinguishes it.
    let is_locked = |error: &io::Error| error.to_string().contains("could not acquire lock");
    for _ in 1..LOCK_TRIES {
        match config.open() {
            Err(sled::Error::Io(error)) if is_locked(&error) => thread::sleep(LOCK_PAUSE),
            result => return result,
        }
    }
    config.open()
}

/// Removes what a crash may have left in sled's folder and sled does not tolerate.
fn tidy(sled_dir: &Path) -> Result<(), StoreError> {
    let failed = |doing: &str, path: &Path, error| {
        StoreError::io(format!("{doing} {}", path.display()), &error)
    };
    // A new store has no folder of sled's yet.
    let entries = unless_missing(sled_dir, "reading", fs::read_dir(sled_dir))?;
    for entry in entries.into_iter().flatten() {
        let entry = entry.map_err(|error| failed("reading", sled_dir, error))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // An unfinished snapshot: sled 0.34.7 takes it for the newest complete one, and reports corruption.
        if name.starts_with("snap.") && name.ends_with(".generating") {
            let path = entry.path();
            fs::remove_file(&path).map_err(|error| failed("removing", &path, error))?;
        }
    }
    check_conf(&sled_dir.join("conf"))
}

/// Removes a torn `conf`, which sled never syncs and writes again. Refuses one with another segment size.
fn check_conf(path: &Path) -> Result<(), StoreError> {
    let Some(bytes) = unless_missing(path, "reading", fs::read(path))? else {
        return Ok(());
    };
    let whole = bytes
        .split_last_chunk::<4>()
        .filter(|(text, checksum)| crc32fast::hash(text) == u32::from_le_bytes(**checksum));
    let Some((text, _)) = whole else {
        log::warn!(
            "{} is torn, as after a power cut: replacing it",
            path.display()
        );
        return fs::remove_file(path)
            .map_err(|error| StoreError::io(format!("removing {}", path.display()), &error));
    };
    let text = String::from_utf8_lossy(text);
    // Lines such as `segment_size: 131072`: `StorageParameters::serialize` in sled's `src/config.rs`.
    let expected = format!("segment_size: {SEGMENT_BYTES}");
    if text.lines().any(|line| line == expected) {
        return Ok(());
    }
    let found = text
        .lines()
        .find(|line| line.starts_with("segment_size"))
        .unwrap_or("none");
    Err(StoreError::Damaged(format!(
        "{} says {found}, expected {expected}: not a store of wattkeeper",
        path.display()
    )))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::store::embedded::engine::sync::fault;

    /// One thread of sled writes the first part of a batch, another one the rest. If the first write fails after the other has
    /// succeeded, sled wakes nobody: without a watch, the flush at the end waits for ever.
    #[test]
    fn a_write_that_fails_at_the_end_keeps_nobody_waiting() {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path(), &StoreSettings::default());
        let (closing, db) = open_sled(dir.path(), &config).unwrap();
        db.flush().unwrap();
        fault::fail_next_late(dir.path());
        let mut batch = sled::Batch::default();
        batch.insert("key", "value");
        db.apply_batch(batch).unwrap();
        drop(db);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            drop(closing);
            sender.send(())
        });
        let closed = receiver.recv_timeout(Duration::from_mins(2));
        assert_eq!(closed, Ok(()));
        assert!(config.global_error().is_err());
        // The flush was woken: nothing holds the files any more.
        drop(open_sled(dir.path(), &config).unwrap());
    }

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

    #[test]
    fn what_a_crash_leaves_is_put_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        drop(open_sled(dir.path(), &config(dir.path(), &settings)).unwrap());
        let sled_dir = sled_dir(dir.path());
        let conf = sled_dir.join("conf");
        let whole = fs::read(&conf).unwrap();
        for length in 0..whole.len() {
            fs::write(&conf, &whole[..length]).unwrap();
            fs::write(sled_dir.join("snap.0000000000001234.generating"), b"half").unwrap();
            drop(open_sled(dir.path(), &config(dir.path(), &settings)).unwrap());
            assert_eq!(fs::read(&conf).unwrap(), whole);
        }
    }

    #[test]
    fn an_error_says_what_failed() {
        let dir = tempfile::tempdir().unwrap();
        let leftover = sled_dir(dir.path()).join("snap.1.generating");
        // No file, so it cannot be removed as one.
        fs::create_dir_all(&leftover).unwrap();
        let error = tidy(&sled_dir(dir.path())).unwrap_err().to_string();
        let expected = format!("removing {}: ", leftover.display());
        assert!(error.starts_with(&expected), "{error}");
    }

    #[test]
    fn another_segment_size_is_refused_by_name() {
        let dir = tempfile::tempdir().unwrap();
        drop(
            sled::Config::new()
                .path(sled_dir(dir.path()))
                .segment_size(1024 * 1024)
                .open()
                .unwrap(),
        );
        match open_sled(dir.path(), &config(dir.path(), &StoreSettings::default())) {
            Err(StoreError::Damaged(text)) => {
                assert!(text.contains("segment_size: 1048576"), "{text}");
            }
            other => panic!("{other:?}"),
        }
    }
}
