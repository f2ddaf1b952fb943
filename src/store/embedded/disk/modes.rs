//! The modes of the files in the data dir: only their owner may read them.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The modes of folders and files.
const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// The rights of everybody except the owner.
const OF_OTHERS: u32 = 0o077;
const WRITE_OF_OTHERS: u32 = 0o022;

/// The names in a data dir: docs/STORAGE.md, "Files".
const OURS: [&str; 13] = [
    "lock",
    "reserve",
    "journal",
    "facts",
    "log",
    "wattkeeper.sock",
    "wattkeeper.sock.new",
    "blocks",
    "index",
    "restoring",
    "repaired",
    "uploaded.backup",
    "uploaded.part",
];
/// The beginnings of the names of folders there, of stores that are replaced.
const REPLACED: [&str; 2] = ["replacing-", "replaced-"];
/// The folder that file systems have in their top folder.
const LOST: &str = "lost+found";

/// Removes other users' access to the data dir `dir` and the store in it. An earlier version, a
/// copy or a careless `chmod` may have granted it. Readings reveal when nobody is at home, the
/// password can be guessed from its hash, and anyone who can read the lock file can lock it.
///
/// A folder that contains anything else keeps its mode: like `/` or `/tmp`, it may have to be
/// accessible, and the other files are not ours. Files that sled creates later get the mode that
/// the umask leaves, which the commands set.
pub(crate) fn close_to_others(dir: &Path) {
    let (mut found, other) = entries(dir);
    let mut closed = 0_u32;
    let mut failed = None;
    let mut note = |path: &Path, outcome: io::Result<bool>| match outcome {
        Ok(was_open) => closed += u32::from(was_open),
        // Removed meanwhile.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => failed = failed.take().or(Some((path.to_owned(), error))),
    };
    while let Some(path) = found.pop() {
        note(&path, close(&path));
        // Links are not followed: they lead elsewhere.
        if !path.is_symlink() {
            found.extend(within(&path));
        }
    }
    // The data dir itself may be a link to its place.
    let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
    match other {
        None => note(&dir, close(&dir)),
        Some(other) if can_be_changed_by_others(&dir) => log::warn!(
            "other users of this machine can replace files in {}, and its mode stays, because it also contains {}: give the store a folder of its own",
            dir.display(),
            other.display()
        ),
        Some(_) => {}
    }
    if closed > 0 {
        log::warn!(
            "{}: other users of this machine could open {closed} of its files and folders; their modes are now 0600 and 0700",
            dir.display()
        );
    }
    if let Some((path, error)) = failed {
        log::warn!(
            "{} is accessible to other users of this machine, and its mode cannot be changed: {error}",
            path.display()
        );
    }
}

/// The entries of the data dir `dir` that belong to the store, and the name of a foreign one, if
/// there is any.
pub(super) fn entries(dir: &Path) -> (Vec<PathBuf>, Option<OsString>) {
    let all = within(dir).into_iter();
    let (ours, others): (Vec<_>, Vec<_>) =
        all.filter(|path| !path.ends_with(LOST)).partition(|path| {
            let name = path.file_name().and_then(OsStr::to_str);
            name.is_some_and(|name| {
                OURS.contains(&name) || REPLACED.iter().any(|it| name.starts_with(it))
            })
        });
    let other = others.first().and_then(|path| path.file_name());
    (ours, other.map(OsStr::to_owned))
}

/// The entries of a folder; none for a file.
pub(super) fn within(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Removes all rights of others from a file or folder; returns whether they had any. The mode of a
/// link has no meaning.
fn close(path: &Path) -> io::Result<bool> {
    let metadata = fs::symlink_metadata(path)?;
    let is_open = metadata.permissions().mode() & OF_OTHERS != 0;
    if metadata.is_symlink() || !is_open {
        return Ok(false);
    }
    let mode = if metadata.is_dir() { FOLDER } else { FILE };
    fs::set_permissions(path, Permissions::from_mode(mode))?;
    Ok(true)
}

fn can_be_changed_by_others(dir: &Path) -> bool {
    fs::metadata(dir).is_ok_and(|metadata| metadata.permissions().mode() & WRITE_OF_OTHERS != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// Creates a data dir that is open to others, with a link to a file outside, which is open,
    /// too.
    fn open_dir(place: &Path) -> PathBuf {
        let (dir, outside) = (place.join("data"), place.join("outside"));
        fs::create_dir_all(dir.join("log/within")).unwrap();
        for file in [&dir.join("lock"), &dir.join("log/file"), &outside] {
            fs::write(file, "").unwrap();
            set(file, 0o644);
        }
        symlink(&outside, dir.join("log/link")).unwrap();
        symlink(place, dir.join("log/within/link")).unwrap();
        symlink("nowhere", dir.join("journal")).unwrap();
        for folder in [place, &dir, &dir.join("log"), &dir.join("log/within")] {
            set(folder, 0o755);
        }
        dir
    }

    #[test]
    fn a_store_is_closed_and_nothing_outside() {
        let place = tempfile::tempdir().unwrap();
        let dir = open_dir(place.path());
        fs::create_dir(dir.join(LOST)).unwrap();
        // A data dir on another disk may be a link.
        let link = place.path().join("link");
        symlink(&dir, &link).unwrap();
        close_to_others(&link);
        for path in [&dir, &dir.join("log"), &dir.join("log/within")] {
            assert_eq!(mode(path), 0o700, "{}", path.display());
        }
        for path in ["lock", "log/file"] {
            assert_eq!(mode(&dir.join(path)), 0o600, "{path}");
        }
        assert_eq!(mode(place.path()), 0o755);
        assert_eq!(mode(&place.path().join("outside")), 0o644);
        close_to_others(&place.path().join("missing"));
    }

    #[test]
    fn foreign_files_in_the_folder_are_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let dir = open_dir(place.path());
        let stranger = dir.join("stranger");
        fs::write(&stranger, "").unwrap();
        set(&stranger, 0o644);
        close_to_others(&dir);
        assert_eq!([mode(&dir), mode(&stranger)], [0o755, 0o644]);
        assert_eq!(mode(&dir.join("log")), 0o700);
        assert_eq!(
            [mode(&dir.join("lock")), mode(&dir.join("log/file"))],
            [0o600; 2]
        );
    }
}
