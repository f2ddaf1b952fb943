//! Nobody waits for ever on a write that failed.
//!
//! sled 0.34 writes on threads of its own. Where such a write fails it keeps the error, but on one of its two ways
//! (`exit_reservation` in its `src/pagecache/logger.rs`) forgets to wake who waits for that write. So the error is looked for
//! from outside: who waits is woken, and where that does not help is left behind. Where such a thread panics there is no
//! error at all, and nobody is woken either: that is looked for, too.

use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::store::engine::panics;
use crate::store::error::StoreError;
use crate::store::state::Shared;

/// How often the error is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long who waits has to come back once there is one.
const GRACE: Duration = Duration::from_secs(3);

/// Looks whether sled still writes.
struct Failing {
    config: sled::Config,
    /// How many panics there were before: whose they were was told then.
    panics: u64,
}

impl Failing {
    fn new(config: &sled::Config) -> Self {
        Self {
            config: config.clone(),
            panics: panics::noted(),
        }
    }

    /// Why it does not.
    fn error(&self) -> Option<StoreError> {
        if panics::noted() > self.panics {
            return Some(StoreError::Io {
                what: "writing the store".into(),
                cause: "sled gave up".into(),
            });
        }
        self.config.global_error().err().map(StoreError::from)
    }
}

/// Runs `work`, which uses sled with this configuration, on a thread of its own; left behind where it waits for a write that
/// failed.
pub(crate) fn unless_stuck<T: Send + 'static>(
    config: &sled::Config,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let failing = Failing::new(config);
    let (sender, receiver) = mpsc::channel();
    let doing = "starting a thread";
    thread::Builder::new()
        .name("open".into())
        .spawn(move || {
            // Who asked may have gone on without it.
            let _ = sender.send(work());
        })
        .map_err(|error| StoreError::io(doing, &error))?;
    let mut failed = None;
    loop {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(outcome) => return outcome,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(StoreError::Closed),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        if let Some(error) = failing.error() {
            let (since, error): &(Instant, StoreError) =
                failed.get_or_insert_with(|| (Instant::now(), error));
            if since.elapsed() > GRACE {
                return Err(error.clone());
            }
        }
    }
}

/// Looks for sled's error while the store is open.
pub(crate) struct Watch {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Watch {
    /// Starts looking. Where there is an error, the store takes no more changes, and after a while
    /// [`Shared::stuck`] says that nobody needs to wait for the committing thread.
    pub(crate) fn start(shared: Arc<Shared>) -> std::io::Result<Self> {
        let failing = Failing::new(&shared.config);
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("watch".into())
            .spawn(move || watch(&shared, &failing, &stopped))?;
        Ok(Self { stop, thread })
    }

    pub(crate) fn stop(self) {
        drop(self.stop);
        // It has nothing to tell.
        let _ = self.thread.join();
    }
}

fn watch(shared: &Shared, failing: &Failing, stopped: &mpsc::Receiver<()>) {
    let goes_on = |pause| stopped.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout);
    let error = loop {
        if let Some(error) = failing.error() {
            break error;
        }
        if !goes_on(LOOK_EVERY) {
            return;
        }
    };
    shared.fail("writing", &error);
    let db = shared.trees.db.clone();
    // A flush that finds the error wakes all who wait for a write. It may have to wait itself.
    let waking = thread::Builder::new().spawn(move || drop(db.flush()));
    let since = Instant::now();
    while since.elapsed() < GRACE {
        if !goes_on(LOOK_EVERY) {
            return;
        }
    }
    drop(waking);
    // Nobody listens where nobody waits.
    let _ = shared.stuck.send(true);
}
