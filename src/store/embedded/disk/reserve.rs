//! A file that reserves disk space: on a full disk a store cannot be opened, so nothing could be
//! deleted either. Removing the file makes space.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use crate::store::embedded::disk::{open, says_full};
use crate::store::error::StoreError;

/// The file in the data dir.
const NAME: &str = "reserve";
const BYTES: usize = 1024 * 1024;
/// With less free space than this, no reserve is made: the store itself needs the space.
const LEAST_FREE: u64 = 16 * 1024 * 1024;

/// The free space that backups and the files of an import leave on a store's disk.
pub const KEPT_FREE: u64 = 64 * 1024 * 1024;

/// Creates the reserve of the data dir `dir`, if it has none and there is space. A failure is only
/// logged.
pub(crate) fn keep(dir: &Path) {
    let path = dir.join(NAME);
    let is_there = || fs::metadata(&path).is_ok_and(|file| file.len() == BYTES as u64);
    let make = || -> io::Result<()> {
        if is_there() || free_bytes(dir)? < LEAST_FREE {
            return Ok(());
        }
        // A file system may compress anything but random bytes.
        let mut bytes = vec![0; BYTES];
        getrandom::fill(&mut bytes)?;
        let mut file = open::to_write(&path)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        File::open(dir)?.sync_all()
    };
    if let Err(error) = make() {
        // A partial reserve is of little use. The file may not even exist.
        let _ = fs::remove_file(&path);
        log::warn!("cannot reserve disk space in {}: {error}", dir.display());
    }
}

/// Removes the reserve of the data dir `dir` if `error` is about a full disk. Returns whether there
/// is more space now.
pub(crate) fn release(dir: &Path, error: &StoreError) -> bool {
    if !says_full(&error.to_string()) || fs::remove_file(dir.join(NAME)).is_err() {
        return false;
    }
    log::warn!(
        "{} has no space left ({error}): its reserve of 1 MiB was removed. Free up space now: remove other files from this disk, or old readings with `wattkeeper readings delete`. With enough free space, the next start makes a new reserve",
        dir.display()
    );
    true
}

/// The number of bytes that are free for this process on the disk of `dir`.
///
/// # Errors
/// The system's error.
pub fn free_bytes(dir: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(dir)?;
    // `f_bavail`, not `f_bfree`, which includes space for root only.
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_reserve_is_given_back_once_the_disk_is_full() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        let error = |code| StoreError::io("writing", &io::Error::from_raw_os_error(code));
        let full = error(rustix::io::Errno::NOSPC.raw_os_error());
        assert!(!release(dir.path(), &full));
        // An interrupted start.
        fs::write(&path, "half").unwrap();
        for _ in 0..2 {
            keep(dir.path());
            let file = fs::metadata(&path).unwrap();
            assert_eq!(file.len(), BYTES as u64);
        }
        assert!(!release(
            dir.path(),
            &error(rustix::io::Errno::IO.raw_os_error())
        ));
        assert!(path.exists());
        assert!(release(dir.path(), &full));
        assert!(!path.exists());
        keep(dir.path());
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        keep(&dir.path().join("missing"));
    }
}
