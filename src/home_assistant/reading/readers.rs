//! The threads of all Home Assistants, which follow the entries of accounts.

use std::io;
use std::sync::Arc;

use super::home::HomeThread;
use super::progress::{ReadHomes, ReaderSettings};
use crate::domain::{Clock, HomeAssistantEntry, Secret};
use crate::home_assistant::followed::FollowedThreads;
use crate::home_assistant::settings::LinkTerms;
use crate::ingest::Ingest;
use crate::store::{Registry, Store};

/// All threads. Dropping this stops them.
pub struct HomeAssistantReaders {
    _threads: FollowedThreads,
}

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
        let registry = Arc::clone(&store);
        let wanted = move || wanted(&registry.registry(), &terms);
        let begin = move |home| {
            let base = (Arc::clone(&store), ingest.clone(), clock.clone());
            HomeThread::start(base, home)
        };
        let threads = FollowedThreads::start("home-assistants", homes, wanted, begin)?;
        Ok(Self { _threads: threads })
    }
}

/// The settings of all readers, by the entries of accounts.
fn wanted(registry: &Registry, terms: &LinkTerms) -> Vec<ReaderSettings> {
    let accounts = registry.home_assistant_accounts();
    let settings = accounts.filter_map(|account| {
        let home = registry.home_assistant(account)?;
        // Without sensors and prices nobody is asked.
        let is_read = !home.sensors.is_empty() || !home.prices.is_empty();
        is_read.then(|| ReaderSettings {
            account: account.clone(),
            link: terms.link(registry, (account, home), &Secret::default()),
            sensors: home.sensors.clone(),
            prices: home.prices.clone(),
        })
    });
    settings.take(HomeAssistantEntry::MOST_IN_ALL).collect()
}
