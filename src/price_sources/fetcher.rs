//! The thread that asks all sources, one after another, as long as the service runs.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::asking::{FetcherEvent, FetcherEvents};
use super::tally::SourceTally;
use super::turn::SourceTurn;
use crate::domain::Clock;
use crate::store::Store;

/// How often the clock is read.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The thread. Dropping this stops it, without waiting for answers.
pub struct PriceFetcher {
    events: Sender<FetcherEvent>,
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
        let (sender, receiver) = channel();
        let events = FetcherEvents {
            sender: sender.clone(),
            receiver,
        };
        let turns = sources.into_iter().map(SourceTurn::new).collect();
        let thread = thread::Builder::new()
            .name("prices".into())
            .spawn(move || run(turns, (&store, &clock), &events))?;
        Ok(Self {
            events: sender,
            thread: Some(thread),
        })
    }
}

/// Asks the sources until it is stopped.
fn run(mut turns: Vec<SourceTurn>, (store, clock): (&Store, &Clock), events: &FetcherEvents) {
    let mut goes_on = true;
    while goes_on {
        let now = clock().elapsed;
        let due = turns.iter_mut().filter(|turn| turn.due <= now);
        goes_on = match due.min_by_key(|turn| turn.due) {
            Some(turn) => turn.take(store, clock, events),
            None => events.wait(LOOK_EVERY),
        };
    }
}

impl Drop for PriceFetcher {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.events.send(FetcherEvent::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
