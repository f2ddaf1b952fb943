//! Nobody waits for ever for a write that failed.
//!
//! sled 0.34 writes on threads of its own. If such a write fails, sled keeps the error, but one of its two paths
//! (`exit_reservation` in its `src/pagecache/logger.rs`) forgets to wake those who wait for that write. So the error is
//! polled from outside: waiters are woken, and abandoned if that does not help. If such a thread panics, there is no error
//! at all and nobody is woken either, so panics are polled too. The threads work for all stores of the process. A salvage has two
//! open: a flush shows which of them lost a write.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::store::embedded::engine::failure::Failure;
use crate::store::embedded::engine::panics;
use crate::store::error::StoreError;

/// How often the error is polled.
const POLL_EVERY: Duration = Duration::from_millis(500);
/// How long waiters have to come back once there is an error.
pub(crate) const GRACE: Duration = Duration::from_secs(3);

/// How many detectors there are.
static DETECTORS: AtomicUsize = AtomicUsize::new(0);

/// How far a work came that may go on although a write failed.
pub(crate) type Progress = Arc<AtomicU64>;
/// The progress of a work that needs no write any more.
pub(crate) const NEEDS_NO_WRITE: u64 = u64::MAX;

/// Detects that sled no longer writes.
struct Detector {
    config: sled::Config,
    /// How many panics there were before: those belong to other stores.
    panics: u64,
}

impl Detector {
    fn new(config: &sled::Config, panics: u64) -> Self {
        DETECTORS.fetch_add(1, Ordering::SeqCst);
        Self {
            config: config.clone(),
            panics,
        }
    }

    /// Forgives panics if there are other stores, and `db` can still write. A write that was lost would keep it from flushing
    /// for ever.
    fn forgive(&mut self, db: &sled::Db) {
        let noted = panics::noted();
        if noted == self.panics || DETECTORS.load(Ordering::SeqCst) == 1 {
            return;
        }
        let (sender, receiver) = mpsc::channel();
        let db = db.clone();
        // Detached: it may hang.
        let flushing = move || {
            // The receiver may be gone by then.
            let _ = sender.send(db.flush().is_ok());
        };
        let is_begun = thread::Builder::new().spawn(flushing).is_ok();
        if is_begun && receiver.recv_timeout(GRACE) == Ok(true) {
            self.panics = noted;
        }
    }

    fn error(&self) -> Option<StoreError> {
        if panics::noted() > self.panics {
            return Some(StoreError::io(
                "writing the store",
                "a thread of sled panicked",
            ));
        }
        self.config.global_error().err().map(StoreError::from)
    }
}

impl Drop for Detector {
    fn drop(&mut self) {
        DETECTORS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs `work`, which uses sled with this configuration, on a thread of its own, and abandons it if it waits for a write
/// that failed. `panics` is how many there were ([`panics::noted`]) before the store was opened.
pub(crate) fn unless_stuck<T: Send + 'static>(
    config: &sled::Config,
    panics: u64,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    while_moving(config, panics, &Progress::default(), work)
}

/// The same, but does not abandon it while there is progress.
pub(crate) fn while_moving<T: Send + 'static>(
    config: &sled::Config,
    panics: u64,
    progress: &Progress,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let detector = Detector::new(config, panics);
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("store".into())
        .spawn(move || {
            // The receiver is gone if this thread was abandoned.
            let _ = sender.send(work());
        })
        .map_err(|error| StoreError::io("starting a thread", &error))?;
    let mut failed = None;
    loop {
        match receiver.recv_timeout(POLL_EVERY) {
            Ok(outcome) => return outcome,
            // `work` panicked: the thread ended without a result.
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        // The work may still return by itself, with an error that says more: wait a while before abandoning it.
        let came = progress.load(Ordering::Acquire);
        if let Some(error) = detector.error().filter(|_| came != NEEDS_NO_WRITE) {
            let (since, at, error): &mut (Instant, u64, StoreError) =
                failed.get_or_insert_with(|| (Instant::now(), came, error));
            if std::mem::replace(at, came) != came {
                *since = Instant::now();
            } else if since.elapsed() > GRACE {
                return Err(error.clone());
            }
        }
    }
}

/// Wakes all who wait for a write of `db`, if sled has an error.
pub(crate) fn wake(config: &sled::Config, db: &sled::Db) {
    if config.global_error().is_err() {
        // A flush would wake them, too, but it may have to wait itself: the one that is stuck holds a lock that all stores of the
        // process share, and a transaction of another store may be next in line. Opening a tree needs no such lock. No tree is made:
        // sled finds its error first, and wakes everybody.
        drop(db.open_tree("waking"));
    }
}

/// Polls sled's error while the store is open.
pub(crate) struct FailureWatch {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl FailureWatch {
    /// Starts polling. On an error, `failure` is set, and a while later [`Failure::stuck`] releases those who wait for the
    /// committing thread.
    pub(crate) fn start(
        config: &sled::Config,
        db: sled::Db,
        failure: Arc<Failure>,
    ) -> std::io::Result<Self> {
        let detector = Detector::new(config, panics::noted());
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("watch".into())
            .spawn(move || watch(detector, db, &failure, &stopped))?;
        Ok(Self { stop, thread })
    }

    pub(crate) fn stop(self) {
        // Ends the pause of the thread at once: its receiver is disconnected.
        drop(self.stop);
        // A panic of this thread has been reported, and nothing depends on its end.
        let _ = self.thread.join();
    }
}

fn watch(mut detector: Detector, db: sled::Db, failure: &Failure, stopped: &mpsc::Receiver<()>) {
    let goes_on = |pause| stopped.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout);
    let error = loop {
        detector.forgive(&db);
        if let Some(error) = detector.error() {
            break error;
        }
        if !goes_on(POLL_EVERY) {
            return;
        }
    };
    // Before anything that may hang: callers that come from now on are refused at once.
    failure.set("writing", &error);
    // Whatever sled does by then, callers are released below.
    let config = detector.config.clone();
    let waking = thread::Builder::new().spawn(move || wake(&config, &db));
    let since = Instant::now();
    while since.elapsed() < GRACE {
        if !goes_on(POLL_EVERY) {
            return;
        }
    }
    // Detached, not joined.
    drop(waking);
    failure.set_stuck();
}
