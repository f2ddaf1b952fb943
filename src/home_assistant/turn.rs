//! Decides when a pass is due, makes it, and counts its outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::asking::{AskedEvents, PassEnd};
use super::error::HomeAssistantError;
use super::memory::HistoryMemory;
use super::pass::HistoryPass;
use super::recorder::ConnectedRecorder;
use super::tally::HistoryTally;
use super::watch::LedgerWatch;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{AccountName, Clock, Moment, Secret, Timestamp};
use crate::poll::{Outage, chance};
use crate::store::Store;

/// How long after a full hour its readings are there.
const SETTLE: Duration = Duration::from_mins(2);
/// Services that start together do not all send at once.
const LONGEST_DELAY: Duration = Duration::from_mins(3);
/// After a change, further ones are awaited that long.
const AFTER_CHANGE: Duration = Duration::from_secs(5);
/// A pass is followed by a pause of so many times its length, even if something changed.
const REST: u32 = 3;
/// Everything is compared again so often.
const WHOLE_EVERY: Duration = Duration::from_hours(24);
/// The time between a failure and the next attempt, at first and at most.
const RETRY: Duration = Duration::from_mins(1);
const LONGEST_RETRY: Duration = Duration::from_hours(1);
/// After a refused token: Home Assistant tells its owner of each attempt, and may lock us out. How
/// often the token is read, in case there is another one.
const REFUSED: Duration = Duration::from_hours(24);
const READ_TOKEN_EVERY: Duration = Duration::from_mins(1);

/// The sending of one account's history. All times are on the monotonic clock.
pub(super) struct HistoryTurn {
    tally: Arc<HistoryTally>,
    memory: HistoryMemory,
    watch: LedgerWatch,
    account: Option<AccountName>,
    outage: Outage,
    /// When the last change was noticed that no pass has seen yet.
    changed: Option<Duration>,
    /// When the next pass is due, at the latest; and at the earliest.
    due: Duration,
    not_before: Duration,
    /// When everything is compared again.
    whole_due: Duration,
    /// The token that was refused, and when it is read again.
    refused: Option<(Secret, Duration)>,
    delay: Duration,
}

impl HistoryTurn {
    pub(super) fn new(tally: Arc<HistoryTally>, store: &Store) -> Self {
        Self {
            tally,
            memory: HistoryMemory::default(),
            watch: LedgerWatch::new(store),
            account: None,
            outage: Outage::default(),
            changed: None,
            due: Duration::ZERO,
            not_before: Duration::ZERO,
            whole_due: Duration::ZERO,
            refused: None,
            delay: LONGEST_DELAY * u32::from(chance()) / u32::from(u8::MAX),
        }
    }

    /// Whether a pass is due. Reads the token's file now and then.
    pub(super) fn is_due(&mut self, store: &Store, now: Duration) -> bool {
        if self.watch.has_changed(store, self.account.as_ref()) {
            self.changed = Some(now);
        }
        if let Some((refused, read_at)) = &mut self.refused
            && *read_at <= now
        {
            *read_at = now.saturating_add(READ_TOKEN_EVERY);
            let token = self.tally.settings().link.token();
            if token.is_ok_and(|token| token != *refused) {
                return true;
            }
        }
        let changed = self.changed;
        let is_settled = changed.is_some_and(|at| at.saturating_add(AFTER_CHANGE) <= now);
        self.not_before <= now && (self.due <= now || is_settled)
    }

    /// Makes a pass. Returns false if the thread is to end. Blocks.
    pub(super) fn take(
        &mut self,
        store: &Arc<Store>,
        begun: Moment,
        events: &AskedEvents,
        clock: &Clock,
    ) -> bool {
        let mut is_changed = self.changed.take().is_some();
        if self.whole_due <= begun.elapsed {
            // Once: the next attempt goes on where this one ends.
            self.memory.doubt();
            self.whole_due = begun.elapsed.saturating_add(WHOLE_EVERY);
            is_changed = true;
        }
        self.tally.begin_pass();
        let started = Instant::now();
        let outcome = self.pass(store, (begun.time, !is_changed), events);
        let now = clock();
        match outcome {
            Ok(()) => {
                // An hour that ended meanwhile has its own pass.
                self.due = begun.elapsed.saturating_add(self.until_next(begun.time));
                let rest = started.elapsed().saturating_mul(REST);
                self.not_before = now.elapsed.saturating_add(rest);
                self.succeeded(now.time);
            }
            Err(PassEnd::Stopped) => return false,
            Err(PassEnd::Failed(error)) => {
                // Not all of it was compared.
                let is_due = is_changed && !error.is_partial();
                self.changed = is_due.then_some(begun.elapsed);
                let wait = self.failed(error, now);
                self.not_before = now.elapsed.saturating_add(wait);
                self.due = self.not_before;
            }
        }
        true
    }

    fn pass(
        &mut self,
        store: &Arc<Store>,
        (now, only_newest): (Timestamp, bool),
        events: &AskedEvents,
    ) -> Result<(), PassEnd> {
        let settings = self.tally.settings();
        let registry = store.registry();
        let name = settings.account(&registry)?;
        let account = registry.account(&name).cloned();
        let account = account.ok_or_else(|| HomeAssistantError::NoAccount(name.to_string()))?;
        self.account = Some(name);
        let token = settings.link.token()?;
        // Noted before it is known: it must not be tried again by accident.
        self.refused = Some((token.clone(), Duration::MAX));
        let mut recorder = ConnectedRecorder::connect(events, &self.tally, token)?;
        HistoryPass::new((store, &account), &mut recorder, now).run(&mut self.memory, only_newest)
    }

    /// The time until the next full hour is settled.
    fn until_next(&self, now: Timestamp) -> Duration {
        let since = now.millis().rem_euclid(MS_PER_HOUR);
        let left = u64::try_from(MS_PER_HOUR - since).unwrap_or(0);
        Duration::from_millis(left) + SETTLE + self.delay
    }

    fn succeeded(&mut self, time: Timestamp) {
        self.refused = None;
        let address = &self.tally.settings().link.address;
        if let Some(failures) = self.outage.answered() {
            log::info!(
                "home_assistant: {address} takes the history again, after {failures} failed attempts"
            );
        }
        self.tally.count_pass(time, Ok(()));
        let hours = self.tally.last().hours;
        log::debug!("home_assistant: {address} has all of the history; {hours} hours sent so far");
    }

    /// Counts a failure; returns how long to wait.
    fn failed(&mut self, error: HomeAssistantError, now: Moment) -> Duration {
        let level = if self.outage.failed() {
            log::Level::Warn
        } else {
            log::Level::Debug
        };
        let wait = if error.is_refusal() {
            if let Some((_, read_at)) = &mut self.refused {
                *read_at = now.elapsed.saturating_add(READ_TOKEN_EVERY);
            }
            REFUSED
        } else if error.is_partial() {
            self.refused = None;
            self.until_next(now.time)
        } else {
            self.refused = None;
            self.outage.wait(RETRY, LONGEST_RETRY, chance())
        };
        log::log!(
            level,
            "home_assistant: cannot send the history to {}: {error}; trying again in {} s",
            self.tally.settings().link.address,
            wait.as_secs()
        );
        self.tally.count_pass(now.time, Err(error));
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::home_assistant::{HistorySettings, LinkSettings, LinkToken, SentHistory};
    use crate::house::tests::open;

    #[test]
    fn hours_that_only_they_have_are_looked_at_once_an_hour() {
        let dir = tempfile::tempdir().unwrap();
        let (store, _) = open(dir.path(), &[]);
        let link = LinkSettings {
            address: "http://ha.lan:8123".parse().unwrap(),
            token: LinkToken::Typed(Secret::default()),
            ca_file: None,
        };
        let settings = HistorySettings {
            link,
            account: None,
        };
        let tallies = SentHistory::default().follow(&[settings]);
        let mut turn = HistoryTurn::new(Arc::clone(&tallies[0]), &store);
        let now = Moment {
            time: at("2026-01-05T10:20:00"),
            elapsed: Duration::ZERO,
        };
        assert!(turn.failed(HomeAssistantError::Closed, now) < RETRY * 2);
        let id = "wattkeeper:house_energy".to_owned();
        let from = at("2026-01-01T00:00:00");
        let wait = turn.failed(HomeAssistantError::UnknownHours { id, from }, now);
        let full_hour = Duration::from_mins(40);
        assert!((full_hour + SETTLE..=full_hour + SETTLE + LONGEST_DELAY).contains(&wait));
    }
}
