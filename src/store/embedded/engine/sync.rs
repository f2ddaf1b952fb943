//! Syncs, and the only unsafe code, which makes sled's syncs real.
//!
//! sled 0.34 on Linux calls `sync_file_range` to make bytes stable (`src/pagecache/iobuf.rs`). That call flushes neither the
//! device's cache nor the file's size and extents; its manual page says that it "does not provide any guarantees" after a
//! crash. sled acknowledges flushes and reuses segments after it, so a power cut can lose new and old rows.
//!
//! The function below replaces libc's at link time and calls `fdatasync`, which does what sled needs. Each start checks with
//! [`count`] that sled calls it: see `format.rs`.

use std::fs::File;
use std::io;
#[cfg(test)]
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicU64, Ordering};

static SYNCS: AtomicU64 = AtomicU64::new(0);
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// How many times sled has synced its file in this process.
pub(crate) fn count() -> u64 {
    SYNCS.load(Ordering::SeqCst)
}

/// How many bytes this process has written to stores' files, without the overhead of the file system.
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
    if fault::descriptor(file.as_raw_fd()) == -1 {
        return Err(io::Error::other("this sync is to fail"));
    }
    file.sync_data()
}

/// Replaces libc's function of that name and signature. Syncs the whole file, and counts the range, which sled has just
/// written.
///
/// Returns 0, or -1 with the error in `errno`, as both calls do.
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "the symbol that sled's call binds to at link time, and the system call that it makes instead"
)]
mod symbol {
    use super::{Ordering, SYNCS, WRITTEN};

    // SAFETY: the name and the signature are those of libc's function, which this replaces for the whole process. Only
    // sled calls it (nothing in std or in this crate does), with a descriptor that it owns.
    #[unsafe(no_mangle)]
    extern "C" fn sync_file_range(
        fd: libc::c_int,
        _offset: libc::off64_t,
        length: libc::off64_t,
        _flags: libc::c_uint,
    ) -> libc::c_int {
        SYNCS.fetch_add(1, Ordering::SeqCst);
        WRITTEN.fetch_add(u64::try_from(length).unwrap_or(0), Ordering::Relaxed);
        #[cfg(test)]
        let fd = super::fault::descriptor(fd);
        loop {
            // SAFETY: fdatasync takes any integer and touches no memory; a descriptor that is not open makes it fail.
            let result = unsafe { libc::fdatasync(fd) };
            // An interrupted call is repeated: sled would take it for a failed write, after which it writes nothing more.
            if result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return result;
            }
        }
    }
}

/// Makes syncs fail or wait in tests, and counts them. Only in chosen folders, because tests run in parallel.
#[cfg(test)]
pub(crate) mod fault {
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, mpsc};
    use std::thread;
    use std::time::Duration;

    /// Who holds a sync: whoever gets this sender lets it go on.
    type Holder = mpsc::Sender<mpsc::Sender<()>>;

    static FAILING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    /// Where the next sync fails.
    static LATE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    /// Where syncs are counted, and how many there were.
    static COUNTED: Mutex<Vec<(PathBuf, u64)>> = Mutex::new(Vec::new());
    /// Where the next sync waits.
    static HOLDING: Mutex<Vec<(PathBuf, Holder)>> = Mutex::new(Vec::new());
    const LATER: Duration = Duration::from_millis(200);
    /// So long a sync is held at most: a test that can't let it go on must end, too.
    const PATIENCE: Duration = Duration::from_mins(1);

    /// Makes every sync of a file below `folder` fail.
    pub(crate) fn fail_below(folder: &Path) {
        FAILING.lock().unwrap().push(folder.canonicalize().unwrap());
    }

    /// Makes syncs of files below `folder` work again.
    pub(crate) fn heal(folder: &Path) {
        let folder = folder.canonicalize().unwrap();
        FAILING.lock().unwrap().retain(|failing| *failing != folder);
    }

    /// Makes the next sync of a file below `folder` fail, later than those that begin soon after it end.
    pub(crate) fn fail_next_late(folder: &Path) {
        LATE.lock().unwrap().push(folder.canonicalize().unwrap());
    }

    /// Counts the syncs of files below `folder` from now on.
    pub(crate) fn count_below(folder: &Path) {
        let folder = folder.canonicalize().unwrap();
        COUNTED.lock().unwrap().push((folder, 0));
    }

    /// How many there were since they are counted, or since the last call of this.
    pub(crate) fn counted(folder: &Path) -> u64 {
        let folder = folder.canonicalize().unwrap();
        let mut counted = COUNTED.lock().unwrap();
        let count = counted.iter_mut().find(|(counted, _)| *counted == folder);
        std::mem::take(&mut count.unwrap().1)
    }

    /// Makes the next sync of a file below `folder` wait. What arrives then is to be sent to, which fails if it has waited for too long.
    pub(crate) fn hold_next(folder: &Path) -> mpsc::Receiver<mpsc::Sender<()>> {
        let (holder, held) = mpsc::channel();
        let folder = folder.canonicalize().unwrap();
        HOLDING.lock().unwrap().push((folder, holder));
        held
    }

    /// `fd`, or a descriptor that is never open if syncs of the file should fail.
    pub(crate) fn descriptor(fd: i32) -> i32 {
        let (failing, mut late) = (FAILING.lock().unwrap(), LATE.lock().unwrap());
        let (mut counted, mut holding) = (COUNTED.lock().unwrap(), HOLDING.lock().unwrap());
        if failing.is_empty() && late.is_empty() && counted.is_empty() && holding.is_empty() {
            return fd;
        }
        let path = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap_or_default();
        let is_in = |folder: &PathBuf| path.starts_with(folder);
        for (folder, count) in &mut *counted {
            *count += u64::from(is_in(folder));
        }
        drop(counted);
        if let Some(first) = holding.iter().position(|(folder, _)| is_in(folder)) {
            let (_, holder) = holding.remove(first);
            drop((failing, late, holding));
            let (release, released) = mpsc::channel();
            holder.send(release).unwrap();
            // Without an answer, the test fails when it sends one.
            let _ = released.recv_timeout(PATIENCE);
            return fd;
        }
        if let Some(first) = late.iter().position(is_in) {
            late.remove(first);
            drop((failing, late, holding));
            thread::sleep(LATER);
            return -1;
        }
        if failing.iter().any(is_in) { -1 } else { fd }
    }
}
