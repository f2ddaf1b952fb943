//! The thread that finds notices. It may block, and nothing waits for it.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::finder::NoticeFinder;
use super::reports::{PendingReports, ReportChoices, ReportWriter};
use super::webhook::{Outbox, WebhookSettings};
use crate::backups::BackupSettings;
use crate::domain::{Clock, Moment, Timestamp};
use crate::ingest::Ingest;
use crate::price_sources::PriceSources;
use crate::store::{Store, StoreError};

/// The interval at which the clocks are read. They may jump.
const TICK: Duration = Duration::from_secs(1);
/// The interval at which notices are looked for.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// The settings for finding and sending notices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoticeSettings {
    /// The scheduled backups, if they are on.
    pub backups: Option<BackupSettings>,
    /// The webhook, if there is one.
    pub webhook: Option<WebhookSettings>,
    /// The reports that go there, too.
    pub reports: ReportChoices,
}

/// The thread that finds notices; stops when dropped.
pub struct NoticeThread {
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The state of the thread's rounds.
struct Rounds {
    finder: NoticeFinder,
    outbox: Outbox,
    looked: Option<Moment>,
}

impl NoticeThread {
    /// Starts examining `store`, the remarks of `ingest` and the outcomes of `sources`. `write` writes
    /// reports.
    ///
    /// # Errors
    /// The error of the operating system if it cannot start a thread.
    pub fn start(
        (store, ingest, sources): (Arc<Store>, Ingest, Arc<PriceSources>),
        (settings, write): (NoticeSettings, ReportWriter),
        clock: Clock,
    ) -> io::Result<Self> {
        let is_stopping = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&is_stopping);
        let NoticeSettings {
            backups,
            webhook,
            reports,
        } = settings;
        let outbox = Outbox::start(Arc::clone(&store), webhook, |language| {
            PendingReports::new(reports, write, language)
        })?;
        let thread = thread::Builder::new()
            .name("notices".into())
            .spawn(move || {
                let known = Arc::clone(&store);
                let started = clock().time;
                let is_stopping = Arc::clone(&stopped);
                let of = (store, ingest, sources);
                let mut rounds = Rounds {
                    finder: NoticeFinder::new(of, backups, started, is_stopping),
                    outbox,
                    looked: None,
                };
                while !stopped.load(Ordering::Relaxed) {
                    // Before the time is read.
                    let newest_arrival = known.newest_arrival();
                    rounds.next(newest_arrival, clock());
                    thread::park_timeout(TICK);
                }
            })?;
        Ok(Self {
            is_stopping,
            thread: Some(thread),
        })
    }
}

impl Drop for NoticeThread {
    fn drop(&mut self) {
        // First the flag, then `unpark`, which is remembered.
        self.is_stopping.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The panic hook has already logged a panic of the thread.
            let _ = thread.join();
        }
    }
}

impl Rounds {
    /// Looks for notices if it is time, and sends due messages. Logs failures: the next round tries
    /// again.
    fn next(&mut self, newest_arrival: Option<Timestamp>, now: Moment) {
        // A panic must not end the search for notices.
        let tried = catch_unwind(AssertUnwindSafe(|| {
            self.outbox.take_answer(now)?;
            self.finder.watch_imports();
            if self.is_time(now) && !self.outbox.is_under_way() {
                self.looked = Some(now);
                self.finder.look(newest_arrival, now.time)?;
            }
            self.outbox.send_next(now)
        }));
        match tried {
            Ok(Ok(()) | Err(StoreError::Closed)) => {}
            Ok(Err(error)) => log::error!("cannot look for notices: {error}"),
            Err(_) => {
                log::error!("cannot look for notices: reading the store panicked");
            }
        }
    }

    fn is_time(&self, now: Moment) -> bool {
        self.looked.is_none_or(|looked| {
            // By either clock, because the time of day may be set, and tests move it.
            let passed = now.elapsed.saturating_sub(looked.elapsed);
            let moved_ms = now.time.millis().abs_diff(looked.time.millis());
            passed >= LOOK_EVERY || u128::from(moved_ms) >= LOOK_EVERY.as_millis()
        })
    }
}
