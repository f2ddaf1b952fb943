//! Threads that follow the entries of accounts: one for each wanted setting, as long as it is wanted.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::tally::{Tallies, Tally};

/// How often the entries are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// All threads. Dropping this stops them.
pub(super) struct FollowedThreads {
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl FollowedThreads {
    /// Starts a thread with this name that looks at the `wanted` settings, and `begin`s a thread for each.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub(super) fn start<S, L, T>(
        name: &str,
        tallies: Arc<Tallies<S, L>>,
        wanted: impl Fn() -> Vec<S> + Send + 'static,
        begin: impl Fn(Arc<Tally<S, L>>) -> io::Result<T> + Send + 'static,
    ) -> io::Result<Self>
    where
        S: Clone + PartialEq + Send + Sync + 'static,
        L: Default + Send + 'static,
        T: 'static,
    {
        let (stop, stopping) = channel::<()>();
        let follow = move || {
            let mut running: Vec<(Arc<Tally<S, L>>, T)> = Vec::new();
            loop {
                let all = tallies.follow(&wanted());
                // The old ones end before new ones begin.
                running.retain(|(tally, _)| all.iter().any(|it| Arc::ptr_eq(it, tally)));
                for tally in all {
                    if running.iter().any(|(known, _)| Arc::ptr_eq(known, &tally)) {
                        continue;
                    }
                    match begin(Arc::clone(&tally)) {
                        Ok(thread) => running.push((tally, thread)),
                        Err(error) => {
                            log::error!("home_assistant: a thread could not be started: {error}");
                        }
                    }
                }
                match stopping.recv_timeout(LOOK_EVERY) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            drop(running);
            tallies.follow(&[]);
        };
        let thread = thread::Builder::new().name(name.to_owned());
        Ok(Self {
            stop,
            thread: Some(thread.spawn(follow)?),
        })
    }
}

impl Drop for FollowedThreads {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.stop.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
