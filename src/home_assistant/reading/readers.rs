//! The threads of all Home Assistants, and the one that follows the entries of accounts.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::home::HomeThread;
use super::progress::{ReadHome, ReadHomes, ReaderSettings};
use crate::domain::{Clock, HomeAssistantEntry, Secret};
use crate::home_assistant::settings::LinkTerms;
use crate::ingest::Ingest;
use crate::store::{Registry, Store};

/// How often the entries are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// All threads. Dropping this stops them.
pub struct HomeAssistantReaders {
    stop: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

/// Those that run, with their settings.
type RunningHomes = Vec<(Arc<ReadHome>, HomeThread)>;

impl HomeAssistantReaders {
    /// Starts the thread that follows the entries, whose connections have these terms.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, ingest, clock): (Arc<Store>, Ingest, Clock),
        terms: LinkTerms,
        homes: Arc<ReadHomes>,
    ) -> io::Result<Self> {
        let (stop, stopping) = channel::<()>();
        let follow = move || {
            let mut running = RunningHomes::new();
            loop {
                let wanted = wanted(&store.registry(), &terms);
                let tallies = homes.follow(&wanted);
                // The old ones end before new ones begin.
                running.retain(|(home, _)| tallies.iter().any(|it| Arc::ptr_eq(it, home)));
                for home in tallies {
                    if running.iter().any(|(known, _)| Arc::ptr_eq(known, &home)) {
                        continue;
                    }
                    let base = (Arc::clone(&store), ingest.clone(), clock.clone());
                    match HomeThread::start(base, Arc::clone(&home)) {
                        Ok(thread) => running.push((home, thread)),
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
            homes.follow(&[]);
        };
        let thread = thread::Builder::new().name("home-assistants".into());
        Ok(Self {
            stop,
            thread: Some(thread.spawn(follow)?),
        })
    }
}

/// The settings of all readers, by the entries of accounts.
fn wanted(registry: &Registry, terms: &LinkTerms) -> Vec<ReaderSettings> {
    let accounts = registry.home_assistant_accounts();
    let settings = accounts.filter_map(|account| {
        let home = registry.home_assistant(account)?;
        let link = terms.link(registry, (account, home), &Secret::default());
        // Without sensors nobody is asked.
        (!home.sensors.is_empty()).then(|| ReaderSettings {
            account: account.clone(),
            link,
            sensors: home.sensors.clone(),
        })
    });
    settings.take(HomeAssistantEntry::MOST_IN_ALL).collect()
}

impl Drop for HomeAssistantReaders {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.stop.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
