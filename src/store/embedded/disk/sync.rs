//! Syncs, and a count of written bytes.

use std::fs::File;
use std::io;
#[cfg(test)]
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Returns how many bytes this process has written to stores' files, without the overhead of the
/// file system.
pub(crate) fn written() -> u64 {
    WRITTEN.load(Ordering::Relaxed)
}

/// Counts bytes written to a store's file.
pub(crate) fn count_written(bytes: usize) {
    // Relaxed: only a metric reads it, and nothing is ordered by it.
    WRITTEN.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// Makes the content of `file` durable.
pub(crate) fn data(file: &File) -> io::Result<()> {
    #[cfg(test)]
    fault::check(file.as_raw_fd())?;
    file.sync_data()
}

/// Makes the content of `file` durable, and its length.
pub(crate) fn all(file: &File) -> io::Result<()> {
    #[cfg(test)]
    fault::check(file.as_raw_fd())?;
    file.sync_all()
}

/// Makes the names in a folder durable.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    names(&File::open(path)?, path)
}

/// The same, of a folder that is open.
pub(crate) fn names(folder: &File, path: &Path) -> io::Result<()> {
    all(folder).map_err(|error| match Errno::from_io_error(&error) {
        // Without it, a file may be gone after a power cut, with everything acknowledged in it.
        Some(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS | Errno::BADF) => io::Error::other(format!(
            "the file system of {} cannot sync folders, so a power cut could lose whole files: {error}; move the data dir to ext4, xfs, btrfs or f2fs",
            path.display()
        )),
        _ => error,
    })
}

/// Makes syncs fail or wait in tests, and counts them. Only in chosen folders, because tests run in
/// parallel.
#[cfg(test)]
pub(crate) mod fault {
    use std::io::ErrorKind;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    /// Receives a sender for each held sync; sending on it lets the sync continue.
    type Holder = mpsc::Sender<mpsc::Sender<()>>;

    static FAILING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    static FAILING_FOLDERS: Mutex<Vec<(PathBuf, ErrorKind)>> = Mutex::new(Vec::new());
    /// The folders where syncs are counted, with the counts.
    static COUNTED: Mutex<Vec<(PathBuf, u64)>> = Mutex::new(Vec::new());
    /// The folders where the next sync waits.
    static HOLDING: Mutex<Vec<(PathBuf, Holder)>> = Mutex::new(Vec::new());
    /// The longest time that a sync is held: a test that cannot release it must end, too.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// Makes every sync of a file below `folder` fail.
    pub(crate) fn fail_below(folder: &Path) {
        FAILING.lock().unwrap().push(folder.canonicalize().unwrap());
    }

    /// Makes every sync of the folder itself fail in this way, and none of the files in it.
    pub(crate) fn fail_at(folder: &Path, kind: ErrorKind) {
        let folder = folder.canonicalize().unwrap();
        FAILING_FOLDERS.lock().unwrap().push((folder, kind));
    }

    /// Makes syncs of files below `folder` succeed again, and of itself.
    pub(crate) fn heal(folder: &Path) {
        let folder = folder.canonicalize().unwrap();
        FAILING.lock().unwrap().retain(|failing| *failing != folder);
        let mut folders = FAILING_FOLDERS.lock().unwrap();
        folders.retain(|(failing, _)| *failing != folder);
    }

    /// Counts the syncs of files below `folder` from now on, without those of the folder itself.
    pub(crate) fn count_below(folder: &Path) {
        let folder = folder.canonicalize().unwrap();
        COUNTED.lock().unwrap().push((folder, 0));
    }

    /// The number of syncs since counting began, or since the last call.
    pub(crate) fn counted(folder: &Path) -> u64 {
        let folder = folder.canonicalize().unwrap();
        let mut counted = COUNTED.lock().unwrap();
        let count = counted.iter_mut().find(|(counted, _)| *counted == folder);
        std::mem::take(&mut count.unwrap().1)
    }

    /// Makes the next sync of a file below `folder` wait. It sends a sender, which releases the
    /// sync. Sending on that fails if the sync has waited for too long.
    pub(crate) fn hold_next(folder: &Path) -> mpsc::Receiver<mpsc::Sender<()>> {
        let (holder, held) = mpsc::channel();
        let folder = folder.canonicalize().unwrap();
        HOLDING.lock().unwrap().push((folder, holder));
        held
    }

    /// Counts, holds or fails the sync of this descriptor.
    pub(crate) fn check(fd: i32) -> std::io::Result<()> {
        let (failing, folders) = (FAILING.lock().unwrap(), FAILING_FOLDERS.lock().unwrap());
        let (mut counted, mut holding) = (COUNTED.lock().unwrap(), HOLDING.lock().unwrap());
        if failing.is_empty() && folders.is_empty() && counted.is_empty() && holding.is_empty() {
            return Ok(());
        }
        let path = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap_or_default();
        let is_in = |folder: &PathBuf| path.starts_with(folder);
        for (folder, count) in &mut *counted {
            *count += u64::from(is_in(folder) && path != *folder);
        }
        drop(counted);
        if let Some(first) = holding.iter().position(|(folder, _)| is_in(folder)) {
            let (_, holder) = holding.remove(first);
            drop((failing, folders, holding));
            let (release, released) = mpsc::channel();
            holder.send(release).unwrap();
            // Without an answer, the test fails when it sends one.
            let _ = released.recv_timeout(PATIENCE);
            return Ok(());
        }
        if failing.iter().any(is_in) {
            return Err(std::io::Error::other("this sync is to fail"));
        }
        match folders.iter().find(|(folder, _)| *folder == path) {
            Some((_, kind)) => Err((*kind).into()),
            None => Ok(()),
        }
    }
}
