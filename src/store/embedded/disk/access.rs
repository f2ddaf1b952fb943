//! Checks whether this process may open the files of a store, and says how to fix it if not.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use crate::store::embedded::disk::modes;
use crate::store::error::StoreError;

/// The file with the names of users.
const USERS: &str = "/etc/passwd";
/// The map of the users that this process can distinguish.
const USER_MAP: &str = "/proc/self/uid_map";
/// The owner that a sandbox shows for the files of hidden users: "nobody".
const HIDDEN: u32 = 65_534;
/// Folders that systemd's `ProtectHome=` replaces by an empty folder of root with mode 0.
const SHIELDED: [&str; 3] = ["/home", "/root", "/run/user"];

/// The name of the user with the id `id`; for a user without a name `#id`, which sudo understands,
/// too.
#[must_use]
pub fn user_name(id: u32) -> String {
    find_user(2, id).unwrap_or_else(|| format!("#{id}"))
}

/// The first user with `id` in the field number `field`, counted from 0.
fn find_user(field: usize, id: u32) -> Option<String> {
    let users = fs::read_to_string(USERS).unwrap_or_default();
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(field.checked_sub(1)?)? == id.to_string()).then(|| name.to_owned())
    })
}

/// The user of the group that root gave a file to, as the Debian package does with its settings.
fn whom_it_is_for(metadata: &Metadata) -> Option<String> {
    let is_left = metadata.uid() == 0 && metadata.gid() != 0 && metadata.mode() & 0o040 != 0;
    is_left.then(|| find_user(3, metadata.gid())).flatten()
}

/// Whether `id` is the placeholder for all users hidden by the sandbox of a service (systemd's
/// `PrivateUsers=`), according to its `uid_map`.
fn is_hidden(id: u32, map: &str) -> bool {
    let is_shown = |line: &str| {
        let mut numbers = line.split_whitespace().map_while(|it| it.parse().ok());
        let (first, count): (u32, u32) = (numbers.next()?, numbers.nth(1)?);
        Some(id.checked_sub(first)? < count)
    };
    id == HIDDEN && !map.is_empty() && !map.lines().any(|line| is_shown(line) == Some(true))
}

/// The owner of a file, for messages. A sandbox may hide the owner.
fn owner_of(metadata: &Metadata) -> String {
    let id = metadata.uid();
    if is_hidden(id, &fs::read_to_string(USER_MAP).unwrap_or_default()) {
        "a user hidden by the sandbox of this service".to_owned()
    } else {
        user_name(id)
    }
}

/// Why this process may not read the file at `path`, and the remedy: the file, or a folder above
/// it, is not accessible. `None` if it may, or if that is unknown.
fn closed(path: &Path) -> Option<String> {
    let above: Vec<&Path> = path.ancestors().collect();
    let (place, metadata) = above.into_iter().rev().find_map(|place| {
        let wanted = if place == path {
            Access::READ_OK
        } else {
            Access::EXEC_OK
        };
        let metadata = fs::metadata(place).ok()?;
        (access(place, wanted) == Err(Errno::ACCESS)).then_some((place, metadata))
    })?;
    let mode = metadata.mode() & 0o7777;
    let shown = place.display();
    if SHIELDED.iter().any(|shielded| place == Path::new(shielded)) && mode == 0 {
        return Some(format!(
            "{shown} is hidden from the service: move the file elsewhere, or set ProtectHome=read-only with `systemctl edit wattkeeper`"
        ));
    }
    let right = if place == path { 'r' } else { 'x' };
    let user = geteuid().as_raw();
    let repair = if metadata.uid() == user {
        format!("`chmod u+{right} {shown}`")
    } else if let Some(meant) = whom_it_is_for(&metadata) {
        format!("run it as {meant}: `sudo -u {meant} wattkeeper ..`")
    } else {
        let group = getegid().as_raw();
        format!("as root: `chgrp {group} {shown} && chmod g+{right} {shown}`")
    };
    Some(format!(
        "{shown} belongs to {} and has mode {mode:04o}, but wattkeeper runs as {}: {repair}",
        owner_of(&metadata),
        user_name(user)
    ))
}

/// The error of a file at `path` that could not be read; with the owner and the remedy if this
/// process lacks the right.
#[must_use]
pub fn explain_denied(path: &Path, error: io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::PermissionDenied => {
            closed(path).map_or(error, |cause| io::Error::new(kind, cause))
        }
        _ => error,
    }
}

/// The error of a store in `dir` that could not be opened; with the file that its owner closed to
/// everybody, if that is the reason.
pub(crate) fn explain_closed(dir: &Path, error: StoreError) -> StoreError {
    let denied = io::Error::from(Errno::ACCESS).to_string();
    if !matches!(&error, StoreError::Io { cause, .. } if *cause == denied) {
        return error;
    }
    let wanted = Access::READ_OK | Access::WRITE_OK;
    let found = find(dir, |path, metadata| is_denied(path, metadata, wanted));
    found.map_or(error, |(path, metadata)| not_ours(dir, path, &metadata))
}

/// The data dir `dir` if `is_it` accepts it, else the first accepted file of its store.
fn find(dir: &Path, is_it: impl Fn(&Path, &Metadata) -> bool) -> Option<(PathBuf, Metadata)> {
    let found = |path: &Path| {
        // A missing file was removed meanwhile.
        let metadata = fs::metadata(path).ok()?;
        is_it(path, &metadata).then(|| (path.to_owned(), metadata))
    };
    if let Some(found) = found(dir) {
        return Some(found);
    }
    let (mut paths, _) = modes::entries(dir);
    while let Some(path) = paths.pop() {
        // Links are not followed: they lead elsewhere.
        if !path.is_symlink() {
            if let Some(found) = found(&path) {
                return Some(found);
            }
            paths.extend(modes::within(&path));
        }
    }
    None
}

fn is_denied(path: &Path, metadata: &Metadata, wanted: Access) -> bool {
    let entered = if metadata.is_dir() {
        Access::EXEC_OK
    } else {
        Access::empty()
    };
    access(path, wanted | entered) == Err(Errno::ACCESS)
}

/// Checks that this process has the rights `wanted` on all existing files of the store in `dir`. So
/// files that a command left as root, for example, are found when the store is opened, not when one
/// of them is needed.
///
/// # Errors
/// [`StoreError::NotOurs`]; [`StoreError::Io`] if it may not even see the folder.
pub(crate) fn check(dir: &Path, wanted: Access) -> Result<(), StoreError> {
    if let Err(error) = fs::metadata(dir)
        && error.kind() == io::ErrorKind::PermissionDenied
    {
        let what = format!("opening the store in {}", dir.display());
        return Err(StoreError::io(what, &explain_denied(dir, error)));
    }
    let user = geteuid().as_raw();
    // Our own inaccessible files may not be needed: see `explain_closed`.
    let found = find(dir, |path, metadata| {
        (metadata.uid() != user || path == dir) && is_denied(path, metadata, wanted)
    });
    found.map_or(Ok(()), |(path, metadata)| {
        Err(not_ours(dir, path, &metadata))
    })
}

fn not_ours(dir: &Path, path: PathBuf, metadata: &Metadata) -> StoreError {
    let user = geteuid().as_raw();
    let owner = owner_of(metadata);
    let give = format!(
        "as root: `chown -R {user}:{} {}`",
        getegid().as_raw(),
        dir.display()
    );
    let of_dir = fs::metadata(dir).map_or(user, |metadata| metadata.uid());
    let remedy = if metadata.uid() == user {
        format!(
            "its mode {:04o} denies access to that user, too; restore the rights: `chmod -R u+rwX {}`",
            metadata.mode() & 0o7777,
            dir.display()
        )
    } else if of_dir == user {
        format!("give everything there to that user, {give}")
    } else if of_dir == HIDDEN {
        format!("run it as the owner of the folder; or, if the service should own it, {give}")
    } else {
        let quoted = if owner.starts_with('#') { "'" } else { "" };
        let run_as = format!("run it as {owner}: `sudo -u {quoted}{owner}{quoted} wattkeeper ..`");
        match of_dir {
            0 => format!("{run_as}; or, if the service should run as this user, {give}"),
            _ => run_as,
        }
    };
    StoreError::NotOurs {
        path,
        owner,
        user: user_name(user),
        remedy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names() {
        assert_eq!(user_name(0), "root");
        assert_eq!(user_name(4_000_000_000), "#4000000000");
    }

    #[test]
    fn a_sandbox_hides_users() {
        let all = "         0          0 4294967295\n";
        let sandbox = "         0          0          1\n       101        101          1\n";
        let container = "0 100000 65536\n";
        for (map, expected) in [
            (all, false),
            (sandbox, true),
            (container, false),
            ("", false),
        ] {
            assert_eq!(is_hidden(HIDDEN, map), expected, "{map}");
            assert!(!is_hidden(101, map), "{map}");
        }
    }

    #[test]
    fn our_own_files_may_be_opened() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("log")).unwrap();
        fs::write(dir.path().join("log/file"), "").unwrap();
        check(dir.path(), Access::READ_OK | Access::WRITE_OK).unwrap();
        check(&dir.path().join("missing"), Access::READ_OK).unwrap();
    }
}
