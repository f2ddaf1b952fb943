//! Puts a new store in the place of the one in a data dir. The replaced store stays, in a folder of
//! its own.
//!
//! The new store is complete, synced and checked in the folder `repaired` first. Renaming that
//! folder to `replacing-TIME` is the decision: after an interruption, the next process that locks
//! the data dir finishes. Until then nothing of the present store has changed.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use time::macros::format_description;

use super::sync;
use crate::domain::Timestamp;
use crate::store::error::StoreError;

/// The folder for building the new store.
const NEW: &str = "repaired";
/// The beginnings of the names of a new store that is being moved into place, and of a replaced one.
const REPLACING: &str = "replacing-";
const REPLACED: &str = "replaced-";
/// The parts of a closed store. The facts come last: they make it a store.
const PARTS: [&str; 3] = ["blocks", "log", FACTS];
const FACTS: &str = "facts";
/// The parts of the present store, which may be of an older version; the facts go first.
const OLD_PARTS: [&str; 5] = [FACTS, "log", "blocks", "journal", "sled"];
/// Made by each start.
const INDEX: &str = "index";

/// A store that was replaced, and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplacedStore {
    /// The name of its folder in the data dir.
    pub name: String,
    /// The size of its files in bytes.
    pub bytes: u64,
}

/// The folder for building a new store, without the remains of an earlier attempt.
pub(crate) fn new_place(dir: &Path) -> Result<PathBuf, StoreError> {
    let place = dir.join(NEW);
    match fs::remove_dir_all(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(
            format!("removing {}", place.display()),
            &error,
        )),
        _ => Ok(place),
    }
}

/// Puts the store in [`new_place`] in the place of the one in `dir`, which this process has locked.
pub(crate) fn commit(dir: &Path, now: Timestamp) -> Result<(), StoreError> {
    let stamp = now.format(format_description!(
        "[year][month][day]T[hour][minute][second][subsecond digits:3]Z"
    ));
    let decide = || {
        sync::folder(&dir.join(NEW))?;
        fs::rename(dir.join(NEW), dir.join(format!("{REPLACING}{stamp}")))?;
        sync::folder(dir)
    };
    decide().map_err(|error| failed(dir, &error))?;
    finish(dir)
}

/// Whether a store in `dir` is being replaced.
pub(crate) fn is_under_way(dir: &Path) -> bool {
    !named(dir, REPLACING).is_empty()
}

/// Finishes replacing the store in `dir`, which this process has locked, if that was decided. Can be
/// interrupted and repeated at any step.
pub(crate) fn finish(dir: &Path) -> Result<(), StoreError> {
    for name in named(dir, REPLACING) {
        let stamp = name.strip_prefix(REPLACING).unwrap_or_default();
        let aside = dir.join(format!("{REPLACED}{stamp}"));
        replace(dir, &dir.join(&name), &aside).map_err(|error| failed(dir, &error))?;
        log::warn!(
            "the store in {} was replaced; the one before is in {}",
            dir.display(),
            aside.display()
        );
    }
    Ok(())
}

fn replace(dir: &Path, new: &Path, aside: &Path) -> io::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(aside)?;
    let has_facts = new.join(FACTS).exists();
    // The facts of the present store go first, and those of the new one come last: in between there
    // is no store.
    for part in OLD_PARTS {
        // Of a part that the new store no longer holds, the one in `dir` is the new one.
        let is_old = has_facts && (new.join(part).exists() || !PARTS.contains(&part));
        if is_old && dir.join(part).exists() {
            fs::rename(dir.join(part), aside.join(part))?;
            sync::folder(aside)?;
            sync::folder(dir)?;
        }
    }
    if has_facts && dir.join(INDEX).exists() {
        fs::remove_dir_all(dir.join(INDEX))?;
    }
    for part in PARTS {
        if new.join(part).exists() {
            fs::rename(new.join(part), dir.join(part))?;
            // One by one: after a power cut, the facts must not be in place without the rest.
            sync::folder(dir)?;
        }
    }
    fs::remove_dir_all(new)?;
    sync::folder(dir)
}

/// The stores in `dir` that were replaced, the newest last.
pub fn replaced_stores(dir: &Path) -> Vec<ReplacedStore> {
    let stores = named(dir, REPLACED).into_iter().map(|name| ReplacedStore {
        bytes: size_of(&dir.join(&name)),
        name,
    });
    stores.collect()
}

/// Removes a store that was replaced. Returns whether there was one of this name.
///
/// # Errors
/// [`StoreError::Io`].
pub fn remove_replaced(dir: &Path, name: &str) -> Result<bool, StoreError> {
    let known = named(dir, REPLACED);
    let Some(known) = known.iter().find(|known| *known == name) else {
        return Ok(false);
    };
    let path = dir.join(known);
    let removed = fs::remove_dir_all(&path).and_then(|()| sync::folder(dir));
    removed.map_err(|error| StoreError::io(format!("removing {}", path.display()), &error))?;
    Ok(true)
}

/// The names of the folders in `dir` that begin so, in order.
fn named(dir: &Path, beginning: &str) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(beginning)).collect();
    names.sort();
    names
}

fn size_of(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.metadata() {
        Ok(data) if data.is_dir() => size_of(&entry.path()),
        Ok(data) => data.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}

fn failed(dir: &Path, error: &io::Error) -> StoreError {
    StoreError::io(format!("replacing the store in {}", dir.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    /// A data dir with a present store of `old` and a new one of `new`, whose parts say so.
    fn prepare(old: &[&str], new: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let place = new_place(dir.path()).unwrap();
        for (folder, parts, text) in [(dir.path(), old, "old"), (&place, new, "new")] {
            for part in parts {
                fs::create_dir_all(folder.join(part)).unwrap();
                fs::write(folder.join(part).join("file"), text).unwrap();
            }
        }
        fs::write(dir.path().join("lock"), "").unwrap();
        dir
    }

    fn content(dir: &Path, part: &str) -> Option<String> {
        fs::read_to_string(dir.join(part).join("file")).ok()
    }

    const WHOLE: [&str; 5] = ["facts", "log", "blocks", "journal", "index"];

    fn assert_replaced(dir: &Path, old: &[&str]) {
        for part in PARTS {
            assert_eq!(content(dir, part).as_deref(), Some("new"), "{part}");
        }
        for part in ["journal", "index", "sled"] {
            assert!(!dir.join(part).exists(), "{part}");
        }
        let stores = replaced_stores(dir);
        let [aside] = stores.as_slice() else {
            panic!("{stores:?}");
        };
        assert_eq!(aside.name, "replaced-20261127T203000000Z");
        let kept: Vec<_> = old.iter().filter(|part| **part != INDEX).collect();
        assert_eq!(aside.bytes, 3 * kept.len() as u64);
        for part in kept {
            assert_eq!(
                content(&dir.join(&aside.name), part).as_deref(),
                Some("old"),
                "{part}"
            );
        }
        assert!(!is_under_way(dir) && !dir.join(NEW).exists());
    }

    #[test]
    fn a_store_is_replaced_and_kept() {
        for old in [&WHOLE[..], &["log", "journal"], &["sled"], &[]] {
            let dir = prepare(old, &PARTS);
            commit(dir.path(), at("2026-11-27T20:30:00")).unwrap();
            assert_replaced(dir.path(), old);
            finish(dir.path()).unwrap();
            assert_replaced(dir.path(), old);
        }
        let dir = prepare(&WHOLE, &PARTS);
        commit(dir.path(), at("2026-11-27T20:30:00")).unwrap();
        assert!(!remove_replaced(dir.path(), "../data").unwrap());
        assert!(remove_replaced(dir.path(), "replaced-20261127T203000000Z").unwrap());
        assert_eq!(replaced_stores(dir.path()), []);
        assert_eq!(content(dir.path(), "facts").as_deref(), Some("new"));
    }

    /// After a power cut at any step the next start finishes.
    #[test]
    fn any_interruption_is_finished() {
        let moves = [
            ("", "facts"),
            ("", "log"),
            ("", "blocks"),
            ("", "journal"),
            ("replacing-20261127T203000000Z", "blocks"),
            ("replacing-20261127T203000000Z", "log"),
            ("replacing-20261127T203000000Z", "facts"),
        ];
        for done in 0..=moves.len() {
            let dir = prepare(&WHOLE, &PARTS);
            let new = dir.path().join("replacing-20261127T203000000Z");
            fs::rename(dir.path().join(NEW), new).unwrap();
            let aside = dir.path().join("replaced-20261127T203000000Z");
            fs::create_dir(&aside).unwrap();
            for (from, part) in moves.iter().take(done) {
                let to = if from.is_empty() { &aside } else { dir.path() };
                fs::rename(dir.path().join(from).join(part), to.join(part)).unwrap();
            }
            if done == moves.len() {
                fs::remove_dir_all(dir.path().join(INDEX)).unwrap();
            }
            assert!(is_under_way(dir.path()));
            finish(dir.path()).unwrap();
            assert_replaced(dir.path(), &WHOLE);
        }
    }

    #[test]
    fn nothing_changes_before_the_decision() {
        let dir = prepare(&WHOLE, &PARTS);
        sync::fault::fail_below(dir.path());
        commit(dir.path(), at("2026-11-27T20:30:00")).unwrap_err();
        sync::fault::heal(dir.path());
        for part in WHOLE {
            assert_eq!(content(dir.path(), part).as_deref(), Some("old"), "{part}");
        }
        finish(dir.path()).unwrap();
        assert_eq!(content(dir.path(), "facts").as_deref(), Some("old"));
    }
}
