//! The thread that asks all sources, one after another, as long as the service runs.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep;

use super::tally::SourceTally;
use super::turn::SourceTurn;
use crate::domain::Clock;
use crate::store::Store;

/// How often the clock is read.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The thread. Dropping this stops it, without waiting for answers.
pub struct PriceFetcher {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl PriceFetcher {
    /// Starts the thread, which notes the outcome of each request in `sources`.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, clock): (Arc<Store>, Clock),
        sources: Vec<Arc<SourceTally>>,
    ) -> io::Result<Self> {
        let (stop, mut stopping) = watch::channel(false);
        // One request at a time.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .thread_name("price-request")
            .build()?;
        let turns: Vec<SourceTurn> = sources.into_iter().map(SourceTurn::new).collect();
        let thread = thread::Builder::new()
            .name("prices".into())
            .spawn(move || {
                let fetching = async {
                    tokio::select! {
                        _ = stopping.changed() => {}
                        () = run(turns, &store, &clock) => {}
                    }
                };
                runtime.block_on(fetching);
                // A request under way holds no part of the store, so nobody waits for its answer.
                runtime.shutdown_background();
            })?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

/// Asks the sources until it is dropped.
async fn run(mut turns: Vec<SourceTurn>, store: &Store, clock: &Clock) {
    loop {
        let now = clock().elapsed;
        let due = turns.iter_mut().filter(|turn| turn.due <= now);
        match due.min_by_key(|turn| turn.due) {
            Some(turn) => turn.take(store, clock).await,
            None => sleep(LOOK_EVERY).await,
        }
    }
}

impl Drop for PriceFetcher {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was already logged.
            let _ = thread.join();
        }
    }
}
