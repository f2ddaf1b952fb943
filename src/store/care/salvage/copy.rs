//! A copy of a damaged store's files, as the store itself is not to be changed, and sled writes wherever it opens.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::Path;

use crate::store::blocks::volumes;
use crate::store::care::build::{free_bytes, remove};
use crate::store::care::salvage::Report;
use crate::store::care::salvage::log;
use crate::store::care::salvage::log::{Damaged, Page};
use crate::store::engine::panics::caught;
use crate::store::engine::watch;
use crate::store::engine::{format, mark, open};
use crate::store::error::StoreError;
use crate::store::settings::StoreSettings;
use crate::store::state::trees;
use crate::store::state::trees::Trees;
use crate::store::writer::journal;
use crate::store::writer::journal::Commit;

/// How much is copied at once, in bytes, and how little of it where some can't be read: a page of most systems' memory.
const PIECE: usize = 128 * 1024;
const SMALL_PIECE: usize = 4 * 1024;
/// What is left free on the disk at least, in bytes.
const RESERVE_BYTES: u64 = 16 * 1024 * 1024;

/// How the names of sled's snapshots begin; behind it is the place in the log that is in them, in hexadecimal digits.
const SNAPSHOT: &str = "snap.";

/// An open copy of a damaged store.
pub(crate) struct Copy {
    pub(crate) config: sled::Config,
    pub(crate) trees: Trees,
    /// What the journal has and the database has not.
    pub(crate) commits: Vec<Commit>,
    /// After the trees.
    _closing: open::Closing,
}

/// How a copy is made.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    /// sled's snapshots tell where in its log each page is; without them it reads the log from its beginning.
    has_snapshots: bool,
    /// What takes the place of a damaged page in the log; none where the log is left as it is.
    page: Option<Page>,
}

/// From what loses the least on.
const WAYS: [Way; 5] = [
    Way {
        name: "copy",
        has_snapshots: true,
        page: Some(Page::AsBefore),
    },
    Way {
        name: "copy-without-pages",
        has_snapshots: true,
        page: Some(Page::Gone),
    },
    Way {
        name: "copy-of-log",
        has_snapshots: false,
        page: Some(Page::AsBefore),
    },
    Way {
        name: "copy-of-log-without-pages",
        has_snapshots: false,
        page: Some(Page::Gone),
    },
    // sled skips much that is behind damage; it can be all the better for that.
    Way {
        name: "copy-as-it-is",
        has_snapshots: true,
        page: None,
    },
];

/// Opens a copy, made in `place`, of what is readable of the store in `dir`.
pub(crate) fn open(
    dir: &Path,
    place: &Path,
    settings: &StoreSettings,
    report: &mut Report,
) -> Result<Copy, StoreError> {
    check_space(dir, place)?;
    let mut first_error = None;
    for way in WAYS {
        let mut told = Report::default();
        let copied = place.join(way.name);
        match open_one(dir, &copied, settings, &mut told, way) {
            Ok(copy) => {
                if let Some(error) =
                    first_error.filter(|_| !way.has_snapshots || way.page.is_none())
                {
                    told.lose(format!(
                        "it could only be read in part ({error}): what was damaged of that may be missing, or as it was before, without being listed"
                    ));
                }
                *report = told;
                return Ok(copy);
            }
            Err(newer @ StoreError::NewerFormat { .. }) => return Err(newer),
            Err(error) => {
                first_error.get_or_insert(error.damage());
                remove(&copied)?;
            }
        }
    }
    Err(unreadable(dir, &first_error.unwrap_or_default()))
}

fn unreadable(dir: &Path, why: &str) -> StoreError {
    StoreError::Io {
        what: format!("nothing of the store in {} can be read", dir.display()),
        cause: format!(
            "{why}; it was left as it is: make a backup a store again with `wattkeeper restore BACKUP --data-dir NEW_DIR`"
        ),
    }
}

fn open_one(
    dir: &Path,
    place: &Path,
    settings: &StoreSettings,
    report: &mut Report,
    way: Way,
) -> Result<Copy, StoreError> {
    copy_files(dir, place, report, |name| {
        way.has_snapshots || !name.starts_with(SNAPSHOT)
    })?;
    if let Some(page) = way.page {
        repair_log(place, page, report)?;
    }
    let config = open::config(place, settings);
    let (dir, place, own) = (dir.to_owned(), place.to_owned(), config.clone());
    let (copy, missing) = watch::unless_stuck(&config, move || {
        let open = || {
            let (closing, db) = open::open_sled(&place, &own)?;
            let is_new = trees::is_empty(&db)?;
            let trees = Trees::open(db, &dir)?;
            let mut missing = what_is_missing(&trees.meta, is_new)?;
            let copy = Copy {
                config: own,
                commits: newest_commits(&dir, &trees.meta, &mut missing),
                trees,
                _closing: closing,
            };
            Ok((copy, missing))
        };
        caught(open).unwrap_or_else(|panic| {
            Err(StoreError::Damaged(format!(
                "sled gave up reading it: {panic}"
            )))
        })
    })?;
    for missing in missing {
        report.lose(missing);
    }
    Ok(copy)
}

/// Puts sled's log in the copy in order, as far as it is read.
pub(crate) fn repair_log(place: &Path, page: Page, report: &mut Report) -> Result<(), StoreError> {
    let sled_dir = open::sled_dir(place);
    let failed =
        |error: &io::Error| StoreError::io(format!("reading {}", sled_dir.display()), error);
    let entries = fs::read_dir(&sled_dir).map_err(|error| failed(&error))?;
    let names = entries.flatten().map(|entry| entry.file_name());
    let read_from = names.filter_map(|name| {
        let place = name.to_str()?.strip_prefix(SNAPSHOT)?;
        u64::from_str_radix(place, 16).ok()
    });
    let from = read_from.max().unwrap_or(0);
    let damaged = log::repair(&sled_dir.join("db"), from, page).map_err(|error| failed(&error))?;
    for Damaged { offset, bytes } in damaged {
        report.lose(format!(
            "the {bytes} bytes of its log at {offset}: what they changed is missing, or as it was before"
        ));
    }
    Ok(())
}

/// What the tree `meta` of the copy tells of the whole store; an error where it is of a newer format.
fn what_is_missing(meta: &sled::Tree, is_new: bool) -> Result<Vec<String>, StoreError> {
    let mut missing = Vec::new();
    match caught(|| format::check(meta, is_new)) {
        Ok(Ok(())) => {}
        Ok(Err(error @ StoreError::NewerFormat { .. })) => return Err(error),
        Ok(Err(error)) => missing.push(format!("its format version: {}", error.damage())),
        Err(panic) => missing.push(format!("its format version: sled gave up: {panic}")),
    }
    Ok(missing)
}

/// What the journal has behind what the database has; which commits are in neither goes to `missing`.
fn newest_commits(dir: &Path, meta: &sled::Tree, missing: &mut Vec<String>) -> Vec<Commit> {
    let read = || {
        let counted = mark::counted(meta)?;
        let numbered = journal::readable(dir, counted)?;
        let mut last = counted;
        let (mut commits, mut lacks) = (Vec::new(), Vec::new());
        for (number, commit) in numbered {
            if number > last.saturating_add(1) {
                lacks.push(format!("the changes {} to {}", last + 1, number - 1));
            }
            last = last.max(number);
            commits.push(commit);
        }
        lacks.extend(mark::missing(dir, last)?);
        Ok::<_, StoreError>((commits, lacks))
    };
    let why = match caught(read) {
        Ok(Ok((commits, lacks))) => {
            missing.extend(lacks);
            return commits;
        }
        Ok(Err(error)) => error.damage(),
        Err(panic) => panic,
    };
    missing.push(format!("the newest changes: {why}"));
    Vec::new()
}

/// Checks that there is space for a copy of the database, and for a new store as long as the old one.
fn check_space(dir: &Path, place: &Path) -> Result<(), StoreError> {
    let new_dir = place.parent().unwrap_or(place);
    let failed = |error: &io::Error| StoreError::io(salvaging(dir), error);
    let free = free_bytes(new_dir).map_err(|error| failed(&error))?;
    let length_of = |folder: &Path| -> io::Result<u64> {
        let lengths = fs::read_dir(folder)?.map(|entry| Ok(entry?.metadata()?.len()));
        lengths.sum()
    };
    let database = length_of(&open::sled_dir(dir)).map_err(|error| failed(&error))?;
    // Where they can't be found the new store has none of them.
    let blocks = length_of(&volumes::folder(dir)).unwrap_or(0);
    let needed = database
        .saturating_mul(2)
        .saturating_add(blocks)
        .saturating_add(RESERVE_BYTES);
    if free >= needed {
        return Ok(());
    }
    Err(StoreError::Io {
        what: salvaging(dir),
        cause: format!(
            "{} has {free} bytes free, and {needed} are needed, for a copy of the database and the new store: name a folder on another disk",
            new_dir.display()
        ),
    })
}

fn salvaging(dir: &Path) -> String {
    format!("salvaging the store in {}", dir.display())
}

/// Copies sled's files, those whose names are wanted, as far as they can be read.
fn copy_files(
    dir: &Path,
    place: &Path,
    report: &mut Report,
    is_wanted: impl Fn(&str) -> bool,
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
        if !path.is_file() || !is_wanted(&name) {
            continue;
        }
        let copied = copy_file(&path, &to.join(&*name));
        let unread = copied.map_err(|error| failed(&path, &error))?;
        if unread > 0 {
            report.lose(format!(
                "{unread} bytes of {} can't be read from the disk",
                path.display()
            ));
        }
    }
    Ok(())
}

/// How many bytes could not be read; they are 0 in the copy.
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

/// Copies what can be read, in pieces; gives how many bytes can't be, which are 0 in `target`.
pub(crate) fn copy_readable(
    mut read_at: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
    length: u64,
    target: &mut impl Write,
) -> io::Result<u64> {
    let mut buffer = vec![0; PIECE];
    let (mut offset, mut unread) = (0, 0);
    // Until then, pieces are small.
    let mut small_until = 0;
    while offset < length {
        let most = if offset < small_until {
            SMALL_PIECE
        } else {
            PIECE
        };
        let left = usize::try_from(length - offset).unwrap_or(PIECE);
        let piece = buffer.get_mut(..most.min(left)).unwrap_or_default();
        let read = match read_at(piece, offset) {
            Ok(0) => return Ok(unread),
            Ok(read) => read,
            Err(_) if most > SMALL_PIECE => {
                small_until = offset + PIECE as u64;
                continue;
            }
            Err(_) => {
                piece.fill(0);
                unread += piece.len() as u64;
                piece.len()
            }
        };
        target.write_all(piece.get(..read).unwrap_or_default())?;
        offset += read as u64;
    }
    Ok(unread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_disk_does_not_give_is_left_out_and_counted() {
        let whole: Vec<u8> = (1..=251).cycle().take(3 * PIECE + 100).collect();
        let bad = PIECE + 5 * SMALL_PIECE..PIECE + 7 * SMALL_PIECE;
        let read_at = |bytes: &mut [u8], offset: u64| {
            let start = usize::try_from(offset).unwrap();
            let end = (start + bytes.len()).min(whole.len());
            if start < bad.end && bad.start < end {
                return Err(io::Error::other("a bad sector"));
            }
            bytes[..end - start].copy_from_slice(&whole[start..end]);
            Ok(end - start)
        };
        let mut copied = Vec::new();
        let unread = copy_readable(read_at, whole.len() as u64, &mut copied).unwrap();
        assert_eq!(unread, 2 * SMALL_PIECE as u64);
        let mut expected = whole.clone();
        expected[bad.clone()].fill(0);
        assert_eq!(copied, expected);
    }
}
