//! The thread that sends the history, as long as the service runs.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::asking::{AskedEvent, AskedEvents};
use super::tally::HistoryTally;
use super::turn::HistoryTurn;
use crate::domain::Clock;
use crate::store::Store;

/// How often the clock is read, and changes are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The thread. Dropping this stops it, without waiting for answers.
pub struct HistorySender {
    events: Sender<AskedEvent>,
    thread: Option<JoinHandle<()>>,
}

impl HistorySender {
    /// Starts the thread, which sends each of these, and notes the outcomes there.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, clock): (Arc<Store>, Clock),
        tallies: Vec<Arc<HistoryTally>>,
    ) -> io::Result<Self> {
        let events = AskedEvents::new();
        let sender = events.sender.clone();
        let thread = thread::Builder::new()
            .name("home-assistant".into())
            .spawn(move || run(&store, &clock, tallies, &events))?;
        Ok(Self {
            events: sender,
            thread: Some(thread),
        })
    }
}

/// Makes passes until it is stopped.
fn run(store: &Arc<Store>, clock: &Clock, tallies: Vec<Arc<HistoryTally>>, events: &AskedEvents) {
    let turns = tallies.into_iter();
    let mut turns: Vec<_> = turns.map(|tally| HistoryTurn::new(tally, store)).collect();
    let mut goes_on = true;
    while goes_on {
        let now = clock();
        let due = turns.iter_mut().find_map(|turn| {
            let is_due = turn.is_due(store, now.elapsed);
            is_due.then_some(turn)
        });
        goes_on = match due {
            Some(turn) => turn.take(store, now, events, clock),
            None => events.wait(LOOK_EVERY),
        };
    }
}

impl Drop for HistorySender {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.events.send(AskedEvent::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
