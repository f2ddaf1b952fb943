//! The threads that send history, as long as the service runs: one for each account whose history is
//! sent.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::asking::{AskedEvent, AskedEvents};
use super::followed::FollowedThreads;
use super::settings::{HistorySettings, LinkTerms};
use super::tally::{HistoryTally, SentHistory};
use super::turn::HistoryTurn;
use crate::domain::{AccountName, Clock, HomeAssistantAddress, Secret};
use crate::store::{Registry, Store};

/// How often the clock is read, and changes are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Where history may be sent: by the settings of the service, and by the entries of accounts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryWishes {
    /// The one of the settings.
    pub of_service: Option<HistorySettings>,
    /// The terms of connections to the others.
    pub terms: LinkTerms,
}

/// All threads. Dropping this stops them, without waiting for answers.
pub struct HistorySenders {
    _threads: FollowedThreads,
}

/// The thread of one account.
struct HistoryThread {
    events: Sender<AskedEvent>,
    thread: Option<JoinHandle<()>>,
}

impl HistoryWishes {
    /// Where history is sent, and whose: an account whose history the settings send has no other, and
    /// an address gets that of one account, since statistics of two could have the same names.
    #[must_use]
    pub fn wanted(&self, registry: &Registry) -> Vec<HistorySettings> {
        let by_service = self
            .of_service
            .iter()
            .find_map(|it| it.account(registry).ok());
        let mut wanted: Vec<HistorySettings> = self.of_service.iter().cloned().collect();
        for account in registry.home_assistant_accounts() {
            let home = registry.home_assistant(account).filter(|home| home.send);
            let Some(home) = home.filter(|_| by_service.as_ref() != Some(account)) else {
                continue;
            };
            if wanted.iter().all(|it| it.link.address != home.address) {
                wanted.push(HistorySettings {
                    link: self
                        .terms
                        .link(registry, (account, home), &Secret::default()),
                    account: Some(account.clone()),
                });
            }
        }
        wanted
    }

    /// The sender of the history of another account to an address: that account, or the settings of the
    /// service.
    #[must_use]
    pub fn other_sender(
        &self,
        registry: &Registry,
        account: &AccountName,
        address: &HomeAssistantAddress,
    ) -> Option<String> {
        let all = self.wanted(registry);
        let other = all.iter().find(|it| it.link.address == *address)?;
        match other.account(registry) {
            Ok(of) if of == *account => None,
            Ok(of) => Some(format!("the account {of}")),
            Err(_) => Some("an account by the settings of the service".to_owned()),
        }
    }
}

impl HistorySenders {
    /// Starts the thread that follows the entries, and notes the outcomes of each account there.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, clock): (Arc<Store>, Clock),
        wishes: HistoryWishes,
        history: Arc<SentHistory>,
    ) -> io::Result<Self> {
        let registry = Arc::clone(&store);
        let wanted = move || wishes.wanted(&registry.registry());
        let begin = move |tally| HistoryThread::start((&store, &clock), tally);
        let threads = FollowedThreads::start("home-assistant", history, wanted, begin)?;
        Ok(Self { _threads: threads })
    }
}

impl HistoryThread {
    fn start((store, clock): (&Arc<Store>, &Clock), tally: Arc<HistoryTally>) -> io::Result<Self> {
        let events = AskedEvents::new();
        let sender = events.sender.clone();
        let (store, clock) = (Arc::clone(store), clock.clone());
        let thread = thread::Builder::new()
            .name("home-assistant-send".into())
            .spawn(move || run(&store, &clock, tally, &events))?;
        Ok(Self {
            events: sender,
            thread: Some(thread),
        })
    }
}

/// Makes passes until it is stopped.
fn run(store: &Arc<Store>, clock: &Clock, tally: Arc<HistoryTally>, events: &AskedEvents) {
    let mut turn = HistoryTurn::new(tally, store);
    let mut goes_on = true;
    while goes_on {
        let now = clock();
        goes_on = if turn.is_due(store, now.elapsed) {
            turn.take(store, now, events, clock)
        } else {
            events.wait(LOOK_EVERY)
        };
    }
}

impl Drop for HistoryThread {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.events.send(AskedEvent::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
