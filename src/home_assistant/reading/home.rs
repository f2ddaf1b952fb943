//! The thread of one Home Assistant: it connects, reads history, and then each new state, until it is
//! stopped. After a failure it waits, and goes on where the readings end.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;

use super::base::HomeBase;
use super::history::HistoryReader;
use super::live::LiveReader;
use super::progress::{ReadHome, ReadStage};
use crate::domain::{Clock, Secret};
use crate::home_assistant::asking::{AskedEvent, AskedEvents, AskedLink, PassEnd};
use crate::ingest::{DeviceIngest, Ingest, Protocol};
use crate::poll::{Outage, chance};
use crate::store::Store;

/// The time between a failure and the next attempt, at first and at most.
const RETRY: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_mins(5);
/// After a refused token: how often the token is read, in case there is another one.
const READ_TOKEN_EVERY: Duration = Duration::from_mins(1);

/// The thread. Dropping this stops it, without waiting for answers.
pub(super) struct HomeThread {
    events: Sender<AskedEvent>,
    thread: Option<JoinHandle<()>>,
}

impl HomeThread {
    pub(super) fn start(
        (store, ingest, clock): (Arc<Store>, Ingest, Clock),
        home: Arc<ReadHome>,
    ) -> io::Result<Self> {
        let events = AskedEvents::new();
        let sender = events.sender.clone();
        let section = "entry of Home Assistant";
        let base = HomeBase {
            device_ingest: DeviceIngest::new(
                Arc::clone(&store),
                ingest,
                Protocol::HomeAssistant,
                section,
            ),
            runtime: Builder::new_current_thread().enable_all().build()?,
            store,
            clock,
            home,
        };
        let thread = thread::Builder::new()
            .name("home-assistant-read".into())
            .spawn(move || base.run(&events))?;
        Ok(Self {
            events: sender,
            thread: Some(thread),
        })
    }
}

impl HomeBase {
    fn run(&self, events: &AskedEvents) {
        let mut outage = Outage::default();
        while let Err(PassEnd::Failed(error)) = self.read(events, &mut outage) {
            let settings = self.home.settings();
            let is_told = outage.failed();
            let wait = outage.wait(RETRY, LONGEST_RETRY, chance());
            let level = if is_told {
                log::Level::Warn
            } else {
                log::Level::Debug
            };
            log::log!(
                level,
                "home_assistant: cannot read {} for the account {}: {error}",
                settings.link.address,
                settings.account
            );
            let is_refusal = error.is_refusal();
            self.home.count(false);
            let now = (self.clock)().time;
            self.home.with_last(|last| {
                last.stage = ReadStage::Waiting;
                last.failed = Some((now, error));
            });
            let goes_on = if is_refusal {
                self.wait_for_token(events)
            } else {
                events.wait(wait)
            };
            if !goes_on {
                return;
            }
        }
    }

    /// Home Assistant reports each failed sign-in to its owner, and may lock out the address.
    fn wait_for_token(&self, events: &AskedEvents) -> bool {
        let link = &self.home.settings().link;
        let refused = link.token().unwrap_or_default();
        while events.wait(READ_TOKEN_EVERY) {
            if link.token().is_ok_and(|token| token != refused) {
                return true;
            }
        }
        false
    }

    /// Reads until something fails, or until it is stopped.
    fn read(&self, events: &AskedEvents, outage: &mut Outage) -> Result<(), PassEnd> {
        let settings = self.home.settings();
        self.home.begin(ReadStage::Connecting);
        self.home.with_last(|last| last.problems.clear());
        let token: Secret = settings.link.token()?;
        let link = AskedLink::connect(events, &settings.link, token.clone())?;
        let now = (self.clock)().time;
        HistoryReader::of(self, &link, now).run()?;
        self.home.count(true);
        if let Some(failures) = outage.answered() {
            log::info!(
                "home_assistant: {} is read again, after {failures} failed attempts",
                settings.link.address
            );
        }
        let live = LiveReader { base: self, events };
        live.run(link, &token)
    }
}

impl Drop for HomeThread {
    fn drop(&mut self) {
        // It may have ended by a panic, which was already logged.
        let _ = self.events.send(AskedEvent::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
