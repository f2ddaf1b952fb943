//! Scheduled backups of the store, taken by their own thread.
//!
//! The names of existing backups determine when the next one is due, so a restart changes nothing.
//! The oldest backup is removed only after a newer one was read back and verified, so the last good
//! one survives every failure.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use thiserror::Error;
use time::macros::format_description;

use crate::domain::{Moment, Timestamp};
use crate::store::{BackupError, KEPT_FREE, Store, free_bytes, write_backup};

/// Backups are named `wattkeeper-20260105T100000Z.backup`, in UTC.
const BEFORE_STAMP: &str = "wattkeeper-";
const AFTER_STAMP: &str = ".backup";
/// An unfinished backup has this suffix and a dot before its name.
const UNFINISHED: &str = ".part";
/// The longest wait before a retry after a failure.
const RETRY_AFTER: Duration = Duration::from_hours(1);
/// The longest wait between two looks at the clock, which may jump.
const LOOK_EVERY: Duration = Duration::from_hours(1);

/// The folder and interval of backups, and the number kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSettings {
    /// The folder. It must exist, because creating it would fill the system disk while the backup
    /// disk is not mounted.
    pub dir: PathBuf,
    /// The time from one backup to the next.
    pub every: Duration,
    /// The number of backups kept, at least 1.
    pub keep: usize,
}

/// The thread that takes backups; stops when dropped.
pub struct BackupThread {
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl BackupThread {
    /// Starts taking backups of `store`.
    ///
    /// # Errors
    /// The error of the operating system if it cannot start a thread.
    pub fn start(
        store: Arc<Store>,
        settings: BackupSettings,
        clock: Arc<dyn Fn() -> Moment + Send + Sync>,
    ) -> io::Result<Self> {
        let is_stopping = Arc::new(AtomicBool::new(false));
        let schedule = Schedule {
            store,
            settings,
            is_stopping: Arc::clone(&is_stopping),
            free_bytes,
        };
        let thread = thread::Builder::new()
            .name("backups".into())
            .spawn(move || {
                while !schedule.is_stopping() {
                    let wait = schedule.run(clock().time);
                    if !schedule.is_stopping() {
                        // May return early, which is harmless: nothing is due yet then.
                        thread::park_timeout(wait);
                    }
                }
            })?;
        Ok(Self {
            is_stopping,
            thread: Some(thread),
        })
    }
}

impl Drop for BackupThread {
    /// Aborts a backup in progress.
    fn drop(&mut self) {
        // First the flag, then `unpark`, which is remembered: if the thread parks only later, it
        // returns at once.
        self.is_stopping.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The panic hook has already logged a panic of the thread.
            let _ = thread.join();
        }
    }
}

/// Why a folder cannot hold backups.
#[derive(Debug, Error)]
pub enum FolderProblem {
    /// Its path is not absolute.
    #[error("expected the absolute path of a folder, such as /mnt/backups")]
    NotAbsolute,
    /// It is in the folder of the store.
    #[error("expected a folder outside of the data dir, preferably on another disk")]
    InStore,
    /// It does not exist, and cannot be created.
    #[error("cannot create the folder: {0}")]
    NotMade(io::Error),
    /// It is not writable.
    #[error("cannot write to the folder: {0}")]
    NotWritable(io::Error),
}

/// Checks that backups of the store in `data_dir` can be written to `dir`, and creates that folder
/// if it does not exist. Blocks.
///
/// # Errors
/// A [`FolderProblem`].
pub fn prepare_folder(dir: &Path, data_dir: &Path) -> Result<(), FolderProblem> {
    if !dir.is_absolute() || dir.components().any(|part| part == Component::ParentDir) {
        return Err(FolderProblem::NotAbsolute);
    }
    // Before it is created, by its existing part, so that nothing is created in the store.
    let existing = dir.ancestors().find_map(|part| part.canonicalize().ok());
    let store = data_dir.canonicalize().map_err(FolderProblem::NotMade)?;
    if existing.is_some_and(|part| part.starts_with(store)) {
        return Err(FolderProblem::InStore);
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(FolderProblem::NotMade)?;
    // Permissions alone are not enough: the file system may be read-only for this service.
    let probe = dir.join(format!(".{BEFORE_STAMP}probe"));
    // Left by a crash. Only a new file is written: another user's file, such as a link, is not
    // followed.
    let _ = fs::remove_file(&probe);
    let written = File::create_new(&probe).and_then(|_| fs::remove_file(&probe));
    written.map_err(FolderProblem::NotWritable)
}

/// An existing backup, verified when it was taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExistingBackup {
    /// The time when it was taken, to the second.
    pub taken: Timestamp,
    /// Its path.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
}

/// The newest backup in the folder of `settings` that was not taken after `now`. Blocks.
///
/// # Errors
/// The error of the operating system if the folder cannot be read.
pub fn newest(settings: &BackupSettings, now: Timestamp) -> io::Result<Option<ExistingBackup>> {
    Ok(existing(&settings.dir, now)?.pop())
}

/// Decides when a backup is due, and takes it.
struct Schedule {
    store: Arc<Store>,
    settings: BackupSettings,
    is_stopping: Arc<AtomicBool>,
    /// The free space on the disk of a folder, in bytes; a field for tests.
    free_bytes: fn(&Path) -> io::Result<u64>,
}

impl Schedule {
    /// Takes a backup if one is due. Returns the wait until the next check. Logs failures, which
    /// are retried.
    fn run(&self, now: Timestamp) -> Duration {
        // A panic must not end scheduled backups.
        let tried = catch_unwind(AssertUnwindSafe(|| self.run_if_due(now)));
        let retry = self.settings.every.min(RETRY_AFTER);
        let wait = match tried {
            Ok(Ok(wait)) => wait,
            // Not a failure: the thread checks `is_stopping` next, and ends.
            Ok(Err(BackupError::Stopped)) => Duration::ZERO,
            Ok(Err(error)) => {
                log::error!("scheduled backup failed: {error}");
                retry
            }
            Err(_) => {
                log::error!("scheduled backup failed: reading the store panicked");
                retry
            }
        };
        wait.clamp(Duration::from_secs(1), LOOK_EVERY)
    }

    fn run_if_due(&self, now: Timestamp) -> Result<Duration, BackupError> {
        let past = self.existing(now)?;
        if let Some(newest) = past.last() {
            let due = newest.taken.saturating_add(self.settings.every);
            if now < due {
                let wait_ms = due.millis().saturating_sub(now.millis());
                return Ok(Duration::from_millis(u64::try_from(wait_ms).unwrap_or(0)));
            }
        }
        // Unfinished copies take space that the next one needs.
        self.sweep();
        // Also before the backup, because each kill between taking one and rotating leaves one too
        // many.
        self.rotate(now);
        self.take(now, past.last())?;
        self.rotate(now);
        Ok(self.settings.every)
    }

    fn existing(&self, now: Timestamp) -> Result<Vec<ExistingBackup>, BackupError> {
        let dir = &self.settings.dir;
        existing(dir, now).map_err(|error| BackupError::io("listing backups in", dir, &error))
    }

    fn take(&self, now: Timestamp, before: Option<&ExistingBackup>) -> Result<(), BackupError> {
        // Expects slightly more than the previous backup. The first one has no estimate, but every
        // page checks the space again.
        let expected = before.map_or(0, |it| it.bytes.saturating_add(it.bytes / 4));
        self.check_space(expected)?;
        let target = self.settings.dir.join(name_of(now));
        let page = |cursor| {
            // Before each page, because other programs fill the disk too, and the backup may
            // outgrow the estimate.
            self.check_space(0)?;
            self.store.backup_page(&cursor)
        };
        let go_on = |_| {
            let may_go_on = !self.is_stopping();
            may_go_on.then_some(()).ok_or(BackupError::Stopped)
        };
        let written = write_backup(&target, now, page, go_on)?;
        log::info!(
            "backed up {} readings to {} ({} bytes, verified)",
            written.counts.readings,
            target.display(),
            written.bytes
        );
        Ok(())
    }

    /// Checks that writing `bytes` more leaves the reserve free.
    fn check_space(&self, bytes: u64) -> Result<(), BackupError> {
        let dir = &self.settings.dir;
        let free = (self.free_bytes)(dir)
            .map_err(|error| BackupError::io("reading the free space of", dir, &error))?;
        let needed = bytes.saturating_add(KEPT_FREE);
        if free >= needed {
            return Ok(());
        }
        Err(BackupError::NoSpace {
            dir: dir.clone(),
            free,
            needed,
        })
    }

    /// Removes the oldest backups beyond the number to keep. The others are good, because a backup
    /// gets its name only once verified.
    fn rotate(&self, now: Timestamp) {
        if let Err(error) = self.remove_oldest(now) {
            log::error!("cannot remove an old backup: {error}");
        }
    }

    fn remove_oldest(&self, now: Timestamp) -> Result<(), BackupError> {
        let past = self.existing(now)?;
        // At least one is kept even with 0, which the settings refuse: it would remove the backup
        // just taken.
        let beyond = past.len().saturating_sub(self.settings.keep.max(1));
        // Sorted by time: the oldest come first.
        for ExistingBackup { path, .. } in past.iter().take(beyond) {
            fs::remove_file(path).map_err(|error| BackupError::io("removing", path, &error))?;
            log::info!("removed {}, the oldest backup", path.display());
        }
        Ok(())
    }

    /// Removes the unfinished backups of killed processes. A backup being written is locked.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.settings.dir).into_iter().flatten();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let unfinished = name.to_str().and_then(|name| name.strip_prefix('.'));
            let unfinished = unfinished.and_then(|name| name.strip_suffix(UNFINISHED));
            let is_unfinished = unfinished.and_then(stamp_of).is_some();
            let is_abandoned =
                || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
            if is_unfinished
                && is_abandoned()
                && let Err(error) = fs::remove_file(entry.path())
            {
                log::warn!(
                    "cannot remove the unfinished backup {}: {error}",
                    entry.path().display()
                );
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }
}

/// The backups in `dir`, oldest first. Leaves out those taken after `now`: the clock was wrong then
/// or is wrong now, so they neither delay the next backup nor are removed. Blocks.
///
/// # Errors
/// The error of the operating system if the folder cannot be read.
pub fn existing(dir: &Path, now: Timestamp) -> io::Result<Vec<ExistingBackup>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let taken = entry.file_name().to_str().and_then(stamp_of);
        // The status page also lists the folder, while the thread may `rotate`: a file that is gone
        // by now does not count.
        if let Some(taken) = taken
            && let Ok(metadata) = entry.metadata()
        {
            all.push(ExistingBackup {
                taken,
                path: entry.path(),
                bytes: metadata.len(),
            });
        }
    }
    all.retain(|backup| backup.taken <= now);
    all.sort_unstable();
    Ok(all)
}

/// The name of a backup taken at `time`.
fn name_of(time: Timestamp) -> String {
    let stamp = time.format(format_description!(
        "[year][month][day]T[hour][minute][second]Z"
    ));
    format!("{BEFORE_STAMP}{stamp}{AFTER_STAMP}")
}

/// The time in the name of a backup, to the second; `None` for other names.
fn stamp_of(name: &str) -> Option<Timestamp> {
    let stamp = name.strip_prefix(BEFORE_STAMP)?.strip_suffix(AFTER_STAMP)?;
    let (date, time) = stamp.strip_suffix('Z')?.split_once('T')?;
    let (year, month, day) = (date.get(..4)?, date.get(4..6)?, date.get(6..)?);
    let (hour, minute, second) = (time.get(..2)?, time.get(2..4)?, time.get(4..)?);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    let taken = Timestamp::parse(&text).ok()?;
    // The parser accepts more forms than this module writes.
    (name_of(taken) == name).then_some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Zone;
    use crate::domain::time::at;
    use crate::domain::{Account, AccountName, Phases, Plan};
    use crate::store::{OpenMode, StoreSettings, restore};

    const DAY: Duration = Duration::from_hours(24);

    /// A schedule with a new store and an empty backup folder in `dir`.
    fn scheduled(dir: &Path, keep: usize) -> Schedule {
        let (data, copies) = (dir.join("data"), dir.join("copies"));
        let settings = StoreSettings::default();
        let store = Store::open(&data, settings, OpenMode::CreateIfMissing).unwrap();
        fs::create_dir_all(&copies).unwrap();
        let account = Account {
            name: AccountName::new("home").unwrap(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: at("2026-01-01T00:00:00"),
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
        Schedule {
            store: Arc::new(store),
            settings: BackupSettings {
                dir: copies,
                every: DAY,
                keep,
            },
            is_stopping: Arc::default(),
            free_bytes: |_| Ok(u64::MAX),
        }
    }

    #[test]
    fn surplus_backups_are_removed_before_the_next_one() {
        let dir = tempfile::tempdir().unwrap();
        let mut schedule = scheduled(dir.path(), 2);
        for day in 1..=5 {
            let name = name_of(at(format!("2026-01-0{day}T10:00:00").as_str()));
            fs::write(schedule.settings.dir.join(name), b"a copy").unwrap();
        }
        schedule.free_bytes = |_| Ok(0);
        schedule.run(at("2026-01-07T10:00:00"));
        assert_eq!(
            names(&schedule),
            [
                "wattkeeper-20260104T100000Z.backup",
                "wattkeeper-20260105T100000Z.backup"
            ]
        );
    }

    fn assert_good(copy: &Path) {
        let dir = tempfile::tempdir().unwrap();
        let restored = restore(copy, dir.path(), StoreSettings::default(), |_| {});
        assert_eq!(restored.unwrap().backup.counts.accounts, 1);
    }

    fn names(schedule: &Schedule) -> Vec<String> {
        let entries = fs::read_dir(&schedule.settings.dir).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn copies(days: &[u8]) -> Vec<String> {
        let name = |day| format!("wattkeeper-202603{day:02}T100000Z.backup");
        days.iter().map(name).collect()
    }

    fn morning(day: u8) -> Timestamp {
        at(format!("2026-03-{day:02}T10:00:00").as_str())
    }

    #[test]
    fn names_hold_the_time() {
        let time = at("2026-01-05T10:00:07.250");
        let name = name_of(time);
        assert_eq!(name, "wattkeeper-20260105T100007Z.backup");
        assert_eq!(stamp_of(&name), Some(at("2026-01-05T10:00:07")));
        for other in [
            "wattkeeper-.backup",
            "wattkeeper-20260105T100007Z.backup.part",
            "wattkeeper-20261305T100007Z.backup",
            "wattkeeper-20260105T100007.5Z.backup",
            "wattkeeper-2026010\u{e4}T100007Z.backup",
            "mine.backup",
        ] {
            assert_eq!(stamp_of(other), None, "{other}");
        }
    }

    #[test]
    fn due_backups_are_taken_and_the_oldest_removed() {
        let dir = tempfile::tempdir().unwrap();
        let schedule = scheduled(dir.path(), 3);
        fs::write(schedule.settings.dir.join("mine.backup"), "mine").unwrap();
        let mine = |days: &[u8]| [vec!["mine.backup".to_owned()], copies(days)].concat();
        schedule.run(morning(1));
        assert_eq!(names(&schedule), mine(&[1]));
        let early = at("2026-03-02T09:30:00");
        assert_eq!(schedule.run(early), Duration::from_mins(30));
        assert_eq!(names(&schedule), mine(&[1]));
        schedule.run(morning(2));
        schedule.run(morning(3));
        assert_eq!(names(&schedule), mine(&[1, 2, 3]));
        // A restart changes nothing: a new schedule continues from the existing files.
        let Schedule {
            store, settings, ..
        } = schedule;
        let schedule = Schedule {
            store,
            settings,
            is_stopping: Arc::default(),
            free_bytes: |_| Ok(u64::MAX),
        };
        assert_eq!(schedule.run(morning(3)), LOOK_EVERY);
        assert_eq!(names(&schedule), mine(&[1, 2, 3]));
        schedule.run(morning(9));
        assert_eq!(names(&schedule), mine(&[2, 3, 9]));
        let newest = schedule.settings.dir.join(&copies(&[9])[0]);
        assert_good(&newest);
    }

    #[test]
    fn a_folder_is_made_outside_of_the_store() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("data")).unwrap();
        let prepared = |folder: &Path| prepare_folder(folder, &path("data"));
        prepared(&path("a/b")).unwrap();
        prepared(&path("a/b")).unwrap();
        assert_eq!(fs::read_dir(path("a/b")).unwrap().count(), 0);
        std::os::unix::fs::symlink(path("data"), path("link")).unwrap();
        for inside in ["data", "data/copies", "link/copies"] {
            let refused = prepared(&path(inside));
            assert!(matches!(refused, Err(FolderProblem::InStore)), "{inside}");
        }
        assert_eq!(fs::read_dir(path("data")).unwrap().count(), 0);
        for relative in [Path::new("copies"), &path("a/../data/x"), Path::new("")] {
            let refused = prepared(relative);
            assert!(matches!(refused, Err(FolderProblem::NotAbsolute)));
        }
        fs::write(path("file"), "").unwrap();
        for unusable in [path("file"), path("file/x"), "/proc/x".into()] {
            let refused = prepared(&unusable);
            assert!(
                matches!(refused, Err(FolderProblem::NotMade(_))),
                "{refused:?}"
            );
        }
        let refused = prepared(Path::new("/proc"));
        assert!(matches!(refused, Err(FolderProblem::NotWritable(_))));
    }

    #[test]
    fn a_clock_jump_costs_no_backup() {
        let dir = tempfile::tempdir().unwrap();
        let schedule = scheduled(dir.path(), 2);
        for day in [10, 11, 12] {
            schedule.run(morning(day));
        }
        // Backwards: later backups neither delay the next one nor are removed.
        for day in [1, 2, 3] {
            schedule.run(morning(day));
        }
        assert_eq!(names(&schedule), copies(&[2, 3, 11, 12]));
        schedule.run(morning(13));
        assert_eq!(names(&schedule), copies(&[12, 13]));
    }

    #[test]
    fn the_disk_is_never_filled() {
        let dir = tempfile::tempdir().unwrap();
        let mut schedule = scheduled(dir.path(), 1);
        schedule.run(morning(1));
        schedule.free_bytes = |_| Ok(KEPT_FREE + 10);
        let error = schedule.run_if_due(morning(2)).unwrap_err();
        assert!(matches!(&error, BackupError::NoSpace { needed, .. } if *needed > KEPT_FREE + 10));
        assert_eq!(schedule.run(morning(2)), RETRY_AFTER);
        // The first backup is stopped while it is written.
        fs::remove_file(schedule.settings.dir.join(&copies(&[1])[0])).unwrap();
        schedule.free_bytes = |_| Ok(KEPT_FREE - 1);
        assert!(schedule.run_if_due(morning(2)).is_err());
        assert!(names(&schedule).is_empty());
        schedule.free_bytes = free_bytes;
        assert!(free_bytes(dir.path()).unwrap() > 0);
    }

    #[test]
    fn a_failure_removes_no_backup() {
        let dir = tempfile::tempdir().unwrap();
        let schedule = scheduled(dir.path(), 1);
        schedule.run(morning(1));
        schedule.is_stopping.store(true, Ordering::Relaxed);
        let stopped = schedule.run_if_due(morning(2));
        assert!(matches!(stopped, Err(BackupError::Stopped)));
        assert_eq!(names(&schedule), copies(&[1]));
        // A missing folder, as of an unmounted disk, is not created.
        fs::remove_dir_all(&schedule.settings.dir).unwrap();
        assert!(schedule.run_if_due(morning(2)).is_err());
        assert!(!schedule.settings.dir.exists());
    }

    #[test]
    fn unfinished_backups_are_swept_unless_locked() {
        let dir = tempfile::tempdir().unwrap();
        let schedule = scheduled(dir.path(), 1);
        let part = |day| {
            schedule
                .settings
                .dir
                .join(format!(".{}.part", copies(&[day])[0]))
        };
        fs::write(part(1), "cut short").unwrap();
        let held = File::create(part(2)).unwrap();
        held.lock().unwrap();
        schedule.run(morning(3));
        assert!(!part(1).exists() && part(2).exists());
    }

    #[test]
    fn the_thread_takes_a_backup_and_stops() {
        let dir = tempfile::tempdir().unwrap();
        let Schedule {
            store, settings, ..
        } = scheduled(dir.path(), 1);
        let copies = settings.dir.clone();
        let thread = BackupThread::start(
            store,
            settings,
            Arc::new(|| Moment {
                time: morning(1),
                elapsed: Duration::ZERO,
            }),
        )
        .unwrap();
        let copy = copies.join("wattkeeper-20260301T100000Z.backup");
        for _ in 0..1_000 {
            if copy.exists() {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        drop(thread);
        assert_good(&copy);
    }
}
