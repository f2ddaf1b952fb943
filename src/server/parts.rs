//! The parts that run beside the requests: the broker's client, polling, price sources, history for
//! Home Assistant, backups, notices. Each is started and stopped according to its settings.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::clock::Clock;
use super::offered;
use crate::backups::{BackupSettings, BackupThread};
use crate::config::{Config, InForce, LiveSettings, Supervisor};
use crate::home_assistant::{
    HistorySenders, HistoryWishes, HomeAssistantReaders, LinkTerms, ReadHomes, SentHistory,
};
use crate::http::gate::AppState;
use crate::http::pages::write_report;
use crate::ingest::Ingest;
use crate::mqtt::client::{BrokerMonitor, Client, ClientSettings};
use crate::notices::{NoticeSettings, NoticeThread};
use crate::poll::{PollSettings, PolledDevices, Poller};
use crate::price_sources::{PriceFetcher, PriceSourceSettings, PriceSources};
use crate::store::Store;

/// The interval for checking whether another front-end on the same database changed settings, or is
/// the leader.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The threads that follow the settings and the offered broker. Dropping this stops them, and all
/// parts.
pub(super) struct PartsThread {
    settings: Arc<LiveSettings>,
    threads: Vec<JoinHandle<()>>,
}

/// The parts' common dependencies.
pub(super) struct PartsBase {
    pub(super) store: Arc<Store>,
    pub(super) ingest: Ingest,
    pub(super) clock: Clock,
    /// The outcomes of polls.
    pub(super) polled: Arc<PolledDevices>,
    /// The outcomes of requests to price sources.
    pub(super) price_sources: Arc<PriceSources>,
    /// The outcomes of sending history to Home Assistant.
    pub(super) history: Arc<SentHistory>,
    /// The Home Assistants that are read.
    pub(super) homes: Arc<ReadHomes>,
    /// The address at which browsers in the network find the pages; `None` if they cannot.
    pub(super) pages: Option<String>,
    pub(super) broker: Arc<BrokerMonitor>,
    /// The Supervisor, which may offer a broker.
    pub(super) supervisor: Option<Supervisor>,
}

impl PartsBase {
    pub(super) fn of(
        state: &AppState,
        (store, clock): (Arc<Store>, Clock),
        pages: Option<String>,
        config: &Config,
    ) -> Self {
        Self {
            store,
            ingest: state.ingest.clone(),
            clock,
            polled: Arc::clone(&state.polled),
            price_sources: Arc::clone(&state.price_sources),
            history: Arc::clone(&state.history),
            homes: Arc::clone(&state.homes),
            pages,
            broker: Arc::clone(&state.broker),
            supervisor: config.supervisor.clone(),
        }
    }
}

/// All parts. They end in this order: readings that are on their way may still open a notice.
struct RunningParts {
    base: PartsBase,
    mqtt: ServicePart<ClientSettings, Client>,
    poll: ServicePart<Vec<PollSettings>, Poller>,
    prices: ServicePart<Vec<PriceSourceSettings>, PriceFetcher>,
    history: ServicePart<HistoryWishes, HistorySenders>,
    /// With the certificates that they trust.
    homes: ServicePart<LinkTerms, HomeAssistantReaders>,
    backups: ServicePart<BackupSettings, BackupThread>,
    notices: ServicePart<NoticeSettings, NoticeThread>,
}

/// A part, and its current settings; `None` while it is off.
struct ServicePart<S, P> {
    name: &'static str,
    running: Option<(S, P)>,
}

impl PartsThread {
    /// Starts all parts, and the thread that follows `settings`.
    ///
    /// # Errors
    /// The error of the operating system if it cannot start a thread.
    pub(super) fn start(base: PartsBase, settings: Arc<LiveSettings>) -> io::Result<Self> {
        let mut parts = RunningParts {
            base,
            mqtt: ServicePart::off("mqtt"),
            poll: ServicePart::off("poll"),
            prices: ServicePart::off("prices"),
            history: ServicePart::off("home_assistant"),
            homes: ServicePart::off("home_assistant readers"),
            backups: ServicePart::off("backups"),
            notices: ServicePart::off("notices"),
        };
        let store = Arc::clone(&parts.base.store);
        let supervisor = parts.base.supervisor.take();
        let mut known = (0, store.is_leader());
        parts.follow(&settings.in_force().config, known.1)?;
        let offers = supervisor.map(|it| {
            let of = (Arc::clone(&settings), Arc::clone(&store));
            offered::follow(it, of, offered::ASK_EVERY)
        });
        let offers = offers.transpose()?;
        let followed = Arc::clone(&settings);
        let thread = thread::Builder::new()
            .name("settings".into())
            .spawn(move || {
                while let Some((number, in_force)) = followed.wait(known.0, LOOK_EVERY) {
                    let now = (number, store.is_leader());
                    if now != known {
                        known = now;
                        parts.follow_or_log(&in_force, now.1);
                    }
                    followed.look(&store);
                }
            })?;
        Ok(Self {
            settings,
            threads: offers.into_iter().chain([thread]).collect(),
        })
    }
}

impl Drop for PartsThread {
    fn drop(&mut self) {
        self.settings.close();
        for thread in self.threads.drain(..) {
            // The panic hook has already logged a panic of the thread.
            let _ = thread.join();
        }
    }
}

impl RunningParts {
    /// Runs the parts according to `config`, or none of them if another front-end of the store
    /// leads.
    fn follow(&mut self, config: &Config, leads: bool) -> io::Result<()> {
        let PartsBase {
            store,
            ingest,
            clock,
            polled,
            price_sources,
            history,
            homes,
            pages,
            broker,
            supervisor: _,
        } = &self.base;
        let mut mqtt = config.mqtt.settings(&config.home_assistant);
        let discovery = mqtt.as_mut().and_then(|mqtt| mqtt.home_assistant.as_mut());
        if let Some(discovery) = discovery {
            discovery.pages.clone_from(pages);
        }
        let backups = config.backup.settings();
        let notices = config.notices.settings(backups.clone());
        self.mqtt.follow(mqtt.filter(|_| leads), |settings| {
            let into = (Arc::clone(store), ingest.clone());
            Client::start(into, settings, clock.clone(), Arc::clone(broker))
        })?;
        let to_poll = Some(config.poll.clone()).filter(|devices| leads && !devices.is_empty());
        let devices = polled.follow(&config.poll);
        self.poll.follow(to_poll, |_| {
            let base = (Arc::clone(store), ingest.clone(), clock.clone());
            Poller::start(base, devices)
        })?;
        let to_ask = Some(config.price_sources.clone());
        let to_ask = to_ask.filter(|sources| leads && !sources.is_empty());
        let sources = price_sources.follow(&config.price_sources);
        self.prices.follow(to_ask, |_| {
            PriceFetcher::start((Arc::clone(store), clock.clone()), sources)
        })?;
        let wishes = config.home_assistant.histories(config.home_terms());
        self.history
            .follow(leads.then(|| wishes.clone()), |wishes| {
                let base = (Arc::clone(store), clock.clone());
                HistorySenders::start(base, wishes, Arc::clone(history))
            })?;
        if !leads {
            history.follow(&wishes.wanted(&store.registry()));
        }
        let terms = leads.then(|| config.home_terms());
        self.homes.follow(terms, |terms| {
            let base = (Arc::clone(store), ingest.clone(), clock.clone());
            HomeAssistantReaders::start(base, terms, Arc::clone(homes))
        })?;
        self.backups.follow(backups.filter(|_| leads), |settings| {
            BackupThread::start(Arc::clone(store), settings, clock.clone())
        })?;
        self.notices.follow(leads.then_some(notices), |settings| {
            let of = (Arc::clone(store), ingest.clone(), Arc::clone(price_sources));
            NoticeThread::start(of, (settings, write_report), clock.clone())
        })
    }

    fn follow_or_log(&mut self, in_force: &InForce, leads: bool) {
        if let Err(error) = self.follow(&in_force.config, leads) {
            log::error!("cannot apply the new settings: a thread could not be started: {error}");
        }
    }
}

impl<S: Clone + PartialEq, P> ServicePart<S, P> {
    const fn off(name: &'static str) -> Self {
        Self {
            name,
            running: None,
        }
    }

    /// Runs the part with these settings, unless it already does.
    fn follow(
        &mut self,
        settings: Option<S>,
        start: impl FnOnce(S) -> io::Result<P>,
    ) -> io::Result<()> {
        if self.running.as_ref().map(|(known, _)| known) == settings.as_ref() {
            return Ok(());
        }
        // First the old one ends, because two clients with the same name disconnect each other at
        // the broker.
        if self.running.take().is_some() {
            log::info!("{}: stopped", self.name);
        }
        if let Some(settings) = settings {
            self.running = Some((settings.clone(), start(settings)?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_starts_again_only_with_other_settings() {
        let mut part = ServicePart::off("test");
        let mut started = 0;
        for (settings, expected) in [
            (Some(1), 1),
            (Some(1), 1),
            (Some(2), 2),
            (None, 2),
            (None, 2),
            (Some(2), 3),
        ] {
            let start = |settings| {
                started += 1;
                Ok(settings)
            };
            part.follow(settings, start).unwrap();
            assert_eq!(started, expected);
            assert_eq!(part.running, settings.map(|it| (it, it)));
        }
        // A part that does not start is tried again with the next change.
        let failed = part.follow(Some(4), |_| Err(io::Error::other("no thread")));
        assert!(failed.is_err() && part.running.is_none());
    }
}
