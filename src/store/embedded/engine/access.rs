//! Whether this process may open the files of a store, and what to do where it may not.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use crate::store::embedded::engine::modes;
use crate::store::error::StoreError;

/// Where the names of users are.
const USERS: &str = "/etc/passwd";

/// The name of the user with the id `id`; `#id`, which sudo understands, too, if it has none.
#[must_use]
pub fn user_name(id: u32) -> String {
    let users = fs::read_to_string(USERS).unwrap_or_default();
    let named = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id.to_string()).then(|| name.to_owned())
    });
    named.unwrap_or_else(|| format!("#{id}"))
}

/// Checks that this process may `wanted` all files of the store in `dir`, as far as there are any: the files that a command of
/// root left, say, are found when the store is opened, and not when one of them is needed.
///
/// # Errors
/// [`StoreError::NotOurs`]; [`StoreError::Io`] if it may not even see the folder.
pub(crate) fn check(dir: &Path, wanted: Access) -> Result<(), StoreError> {
    match fs::metadata(dir) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let what = format!("opening the store in {}", dir.display());
            return Err(StoreError::io(what, &error));
        }
        _ => check_file(dir, dir, wanted)?,
    }
    let (mut found, _) = modes::entries(dir);
    while let Some(path) = found.pop() {
        // Not through links: they lead elsewhere.
        if !path.is_symlink() {
            check_file(dir, &path, wanted)?;
            found.extend(modes::within(&path));
        }
    }
    Ok(())
}

fn check_file(dir: &Path, path: &Path, wanted: Access) -> Result<(), StoreError> {
    // Removed meanwhile.
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    let user = geteuid().as_raw();
    let entered = if metadata.is_dir() {
        Access::EXEC_OK
    } else {
        Access::empty()
    };
    if metadata.uid() == user || access(path, wanted | entered) != Err(Errno::ACCESS) {
        return Ok(());
    }
    let owner = user_name(metadata.uid());
    let give = format!(
        "as root: `chown -R {user}:{} {}`",
        getegid().as_raw(),
        dir.display()
    );
    let of_dir = fs::metadata(dir).map_or(user, |metadata| metadata.uid());
    let remedy = if of_dir == user {
        format!("give everything there to that user, {give}")
    } else {
        let quoted = if owner.starts_with('#') { "'" } else { "" };
        let run_as = format!("run it as {owner}: `sudo -u {quoted}{owner}{quoted} wattkeeper ..`");
        match of_dir {
            0 => format!("{run_as}; or, if the service is to run as that user, {give}"),
            _ => run_as,
        }
    };
    Err(StoreError::NotOurs {
        path: PathBuf::from(path),
        owner,
        user: user_name(user),
        remedy,
    })
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
    fn what_is_ours_may_be_opened() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("log")).unwrap();
        fs::write(dir.path().join("log/file"), "").unwrap();
        check(dir.path(), Access::READ_OK | Access::WRITE_OK).unwrap();
        check(&dir.path().join("missing"), Access::READ_OK).unwrap();
    }
}
