//! A copy of a damaged store's database. sled writes wherever it opens, and the damaged store must not change.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

use crate::store::embedded::blocks::volumes;
use crate::store::embedded::care::build::remove;
use crate::store::embedded::care::salvage::log;
use crate::store::embedded::care::salvage::log::{DamagedBytes, PageRepair};
use crate::store::embedded::care::salvage::readable::copy_readable;
use crate::store::embedded::care::salvage::report::Salvaged;
use crate::store::embedded::engine::mark::{self, CommitCounts};
use crate::store::embedded::engine::panics::{self, caught_as_damage};
use crate::store::embedded::engine::reserve::free_bytes;
use crate::store::embedded::engine::{format, open, watch};
use crate::store::embedded::rows::{Commit, log_files};
use crate::store::embedded::state::{Trees, trees};
use crate::store::embedded::writer::journal::{self, Readable};
use crate::store::error::StoreError;
use crate::store::settings::StoreSettings;

/// Bytes to leave free on the disk.
const RESERVE_BYTES: u64 = 16 * 1024 * 1024;

/// The prefix of sled's snapshots. The rest of the name is the log position that they include, in hexadecimal digits.
const SNAPSHOT: &str = "snap.";

/// An open copy of a damaged store.
pub(crate) struct StoreCopy {
    pub(crate) config: sled::Config,
    pub(crate) trees: Trees,
    /// The commits that only the journal has.
    pub(crate) commits: Vec<Commit>,
    /// Dropped after the trees.
    _closing: open::Closing,
}

/// The ways to copy the database, in order of increasing loss; the first that works is taken. Each is whether snapshots are
/// copied, and what replaces a damaged page in sled's log; `None` leaves the log unchanged.
const METHODS: [(bool, Option<PageRepair>); 5] = [
    (true, Some(PageRepair::Outdated)),
    (true, Some(PageRepair::Freed)),
    // A snapshot says where in the log each page is. Without one, sled reads the log from its beginning.
    (false, Some(PageRepair::Outdated)),
    (false, Some(PageRepair::Freed)),
    // sled skips whole segments after damage, which sometimes opens a log that no repair could.
    (true, None),
];

/// Opens a copy, made in `place`, of what is readable of the store in `dir`. Also returns what is lost already.
pub(crate) fn open(
    dir: &Path,
    place: &Path,
    settings: &StoreSettings,
) -> Result<(StoreCopy, Salvaged), StoreError> {
    check_space(dir, place)?;
    let mut first_error = None;
    for (nth, (has_snapshots, page)) in METHODS.into_iter().enumerate() {
        // Each in a folder of its own: a sled that got stuck may still write to the one before.
        let copied = place.join(format!("copy-{nth}"));
        match open_one(dir, &copied, settings, has_snapshots, page) {
            Ok((copy, mut report)) => {
                if let Some(error) = first_error.filter(|_| !has_snapshots || page.is_none()) {
                    report.lose(format!(
                        "it could only be read in part ({error}): damaged data may be missing or outdated without being listed"
                    ));
                }
                return Ok((copy, report));
            }
            // Not damage: the other methods would find the same format.
            Err(newer @ StoreError::NewerFormat { .. }) => return Err(newer),
            Err(error) => {
                // The first one is reported, because its method would have lost least.
                first_error.get_or_insert(error.damage());
                remove(&copied)?;
            }
        }
    }
    Err(StoreError::Io {
        what: format!("nothing of the store in {} can be read", dir.display()),
        cause: format!(
            "{}; it was left unchanged: restore a backup with `wattkeeper restore BACKUP --data-dir NEW_DIR`",
            first_error.unwrap_or_default()
        ),
    })
}

/// Opens one copy, made in `place`.
fn open_one(
    dir: &Path,
    place: &Path,
    settings: &StoreSettings,
    has_snapshots: bool,
    page: Option<PageRepair>,
) -> Result<(StoreCopy, Salvaged), StoreError> {
    let mut report = Salvaged::default();
    copy_files(dir, place, &mut report, has_snapshots)?;
    if let Some(page) = page {
        repair_log(place, page, &mut report)?;
    }
    let config = open::config(place, settings);
    let (dir, place, own) = (dir.to_owned(), place.to_owned(), config.clone());
    watch::unless_stuck(&config, panics::noted(), move || {
        caught_as_damage(|| {
            let (closing, db) = open::open_sled(&place, &own)?;
            let is_new = trees::is_empty(&db)?;
            // `dir`, not `place`: blocks are read from the damaged store, and are not copied.
            let trees = Trees::open(db, &dir)?;
            match caught_as_damage(|| format::check(&trees.meta, is_new)) {
                Ok(()) => {}
                Err(newer @ StoreError::NewerFormat { .. }) => return Err(newer),
                Err(error) => report.lose(format!("its format version: {}", error.damage())),
            }
            let copy = StoreCopy {
                config: own,
                commits: newest_commits(&dir, &trees.meta, &mut report),
                trees,
                _closing: closing,
            };
            Ok((copy, report))
        })
    })
}

/// Repairs sled's log in the copy, from where sled will read it.
pub(crate) fn repair_log(
    place: &Path,
    page: PageRepair,
    report: &mut Salvaged,
) -> Result<(), StoreError> {
    let sled_dir = open::sled_dir(place);
    let failed = |error| StoreError::io(format!("reading {}", sled_dir.display()), &error);
    let entries = fs::read_dir(&sled_dir).map_err(failed)?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let read_from = names.filter_map(|name| {
        let place = name.to_str()?.strip_prefix(SNAPSHOT)?;
        u64::from_str_radix(place, 16).ok()
    });
    // sled reads from the newest snapshot on, or else the whole log.
    let from = read_from.max().unwrap_or(0);
    let damaged = log::repair(&sled_dir.join("db"), from, page).map_err(failed)?;
    for DamagedBytes { offset, bytes } in damaged {
        report.lose(format!(
            "{bytes} bytes of its log at {offset}: what they changed is missing or outdated"
        ));
    }
    Ok(())
}

/// The commits that only the journal has. Reports those that neither has.
fn newest_commits(dir: &Path, meta: &sled::Tree, report: &mut Salvaged) -> Vec<Commit> {
    let read = || {
        let counted = CommitCounts::of(meta)?;
        let Readable {
            commits: numbered,
            is_cut,
        } = journal::readable(dir, counted.landed)?;
        let mut last = counted.landed;
        let (mut commits, mut missing) = (Vec::new(), Vec::new());
        for (number, commit) in numbered {
            if number > last.saturating_add(1) {
                missing.push(format!("the changes {} to {}", last + 1, number - 1));
            }
            last = last.max(number);
            commits.push(commit);
        }
        missing.extend(mark::missing(dir, counted.with_journal(last))?);
        if is_cut {
            missing.push(format!("what the journal had last: {}", journal::CUT));
        }
        Ok::<_, StoreError>((commits, missing))
    };
    let (commits, missing) = caught_as_damage(read).unwrap_or_else(|error| {
        let why = format!("the newest changes: {}", error.damage());
        (Vec::new(), vec![why])
    });
    for what in missing {
        report.lose(what);
    }
    commits
}

/// Checks for space for a copy of the database and for a new store of the old one's size.
fn check_space(dir: &Path, place: &Path) -> Result<(), StoreError> {
    let new_dir = place.parent().unwrap_or(place);
    let what = format!("salvaging the store in {}", dir.display());
    let failed = |error| StoreError::io(&what, &error);
    let free = free_bytes(new_dir).map_err(failed)?;
    let length_of = |folder: &Path| -> io::Result<u64> {
        let lengths = fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len()));
        lengths.sum()
    };
    let database = length_of(&open::sled_dir(dir)).map_err(failed)?;
    // If a folder cannot be listed, nothing of it gets into the new store.
    let beside = [volumes::folder(dir), log_files::folder(dir)];
    let beside: u64 = beside.iter().map(|part| length_of(part).unwrap_or(0)).sum();
    let needed = database
        // Once for the copy, and once for the database of the new store.
        .saturating_mul(2)
        .saturating_add(beside)
        .saturating_add(RESERVE_BYTES);
    if free >= needed {
        return Ok(());
    }
    Err(StoreError::Io {
        what,
        cause: format!(
            "{} has {free} bytes free, and a copy of the database and the new store need {needed}: choose a folder on another disk",
            new_dir.display()
        ),
    })
}

/// Copies sled's files, with or without its snapshots, as far as they are readable.
fn copy_files(
    dir: &Path,
    place: &Path,
    report: &mut Salvaged,
    has_snapshots: bool,
) -> Result<(), StoreError> {
    let (from, to) = (open::sled_dir(dir), open::sled_dir(place));
    let failed = |path: &Path, error: &io::Error| {
        StoreError::io(format!("copying {}", path.display()), error)
    };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&to);
    made.map_err(|error| failed(&to, &error))?;
    for entry in fs::read_dir(&from).map_err(|error| failed(&from, &error))? {
        let path = entry.map_err(|error| failed(&from, &error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // `blobs` is a folder, and empty in a store of ours (docs/STORAGE.md, "No blobs").
        if !path.is_file() || (!has_snapshots && name.starts_with(SNAPSHOT)) {
            continue;
        }
        let copied = copy_file(&path, &to.join(&*name));
        let unread = copied.map_err(|error| failed(&path, &error))?;
        if unread > 0 {
            report.lose(format!(
                "{unread} bytes of {} cannot be read from the disk",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Returns how many bytes cannot be read; they are 0 in the copy.
fn copy_file(from: &Path, to: &Path) -> io::Result<u64> {
    let source = File::open(from)?;
    let length = source.metadata()?.len();
    let mut target = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(to)?;
    copy_readable(
        |bytes, offset| source.read_at(bytes, offset),
        length,
        &mut target,
    )
}
