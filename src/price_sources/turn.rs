//! One source at work: it is asked for missing prices, and its answer is stored.

use std::sync::Arc;
use std::time::Duration;

use super::answer::SourceAnswer;
use super::asking::{FetcherEvents, ask_published};
use super::error::SourceError;
use super::keep::{
    Compared, account, compare, first_missing, store_missing, stored_error, stored_value,
};
use super::plan::{Known, PlannedRequest, SourcePlan};
use super::settings::PriceSourceSettings;
use super::tally::{FetchOutcome, SourceTally};
use crate::domain::{AccountName, Clock, Moment, Timestamp};
use crate::poll::{Outage, chance};
use crate::store::Store;

/// The time between a failure and the next request, at first and at most.
const RETRY: Duration = Duration::from_mins(1);
const LONGEST_RETRY: Duration = Duration::from_hours(1);
/// The same after an answer without prices that should be published by now.
const LATE: Duration = Duration::from_mins(10);
const LATEST: Duration = Duration::from_hours(2);
/// A day is asked for up to so long after its publication.
const LONGEST_DELAY: Duration = Duration::from_mins(10);
/// Without anything to ask for, the store and the clock are looked at so often: prices may have been
/// removed, and the clock may have been set.
const LOOK_AGAIN: Duration = Duration::from_mins(15);

/// A source, and when it is asked again.
pub(super) struct SourceTurn {
    tally: Arc<SourceTally>,
    plan: SourcePlan,
    outage: Outage,
    /// Answers without prices that should be published.
    lateness: Outage,
    /// Until then, on the monotonic clock, only the past is asked for.
    late_until: Duration,
    /// The end of the days that were published at the last look.
    published: Option<Timestamp>,
    delay: Duration,
    /// When it is looked at again, on the monotonic clock.
    pub(super) due: Duration,
}

/// A request and its outcome.
struct AskedSource {
    request: PlannedRequest,
    compared: Compared,
    /// The stored value where the answer differs first.
    contradicted: Option<String>,
}

impl SourceTurn {
    pub(super) fn new(tally: Arc<SourceTally>) -> Self {
        let plan = SourcePlan::new(tally.settings().since);
        Self {
            tally,
            plan,
            outage: Outage::default(),
            lateness: Outage::default(),
            late_until: Duration::ZERO,
            published: None,
            delay: LONGEST_DELAY * u32::from(chance()) / u32::from(u8::MAX),
            due: Duration::ZERO,
        }
    }

    fn settings(&self) -> &PriceSourceSettings {
        self.tally.settings()
    }

    /// Asks the source once, if something is missing, and decides when to look again. Returns
    /// false if the thread is to end. Blocks.
    pub(super) fn take(&mut self, store: &Store, clock: &Clock, events: &FetcherEvents) -> bool {
        let now = clock();
        let known = Known::at(&self.settings().form, now.time, self.delay);
        if self.published.replace(known.end) != Some(known.end) {
            // A further day is worth a request.
            self.lateness = Outage::default();
            self.late_until = Duration::ZERO;
        }
        let late = self.late_until.saturating_sub(now.elapsed);
        let Some(asked) = self.ask(store, (known, !late.is_zero()), events) else {
            return false;
        };
        let wait = match asked {
            Ok(None) if !late.is_zero() => late.min(LOOK_AGAIN),
            Ok(None) => {
                let until = known.next.millis().saturating_sub(now.time.millis());
                let until = u64::try_from(until).unwrap_or(0).max(1_000);
                Duration::from_millis(until).min(LOOK_AGAIN)
            }
            Ok(Some(asked)) => self.answered(&asked, clock()),
            Err(error) => self.failed(error, clock()),
        };
        self.due = clock().elapsed.saturating_add(wait);
        true
    }

    /// Asks for missing prices, and stores them. The answer is `None` if none is missing; there is
    /// no answer if the thread is to end.
    fn ask(
        &mut self,
        store: &Store,
        known: (Known, bool),
        events: &FetcherEvents,
    ) -> Option<Result<Option<AskedSource>, SourceError>> {
        let (account, request) = match self.planned(store, known) {
            Ok(Some(planned)) => planned,
            Ok(None) => return Some(Ok(None)),
            Err(error) => return Some(Err(error)),
        };
        let settings = self.settings();
        let ask = |range| events.ask(settings.clone(), range);
        let answer = ask_published(&settings.form, (request.range, known.0.tomorrow), ask)?;
        let kept = answer.and_then(|answer| keep(store, &account, settings, answer));
        Some(kept.map(|(compared, contradicted)| {
            Some(AskedSource {
                request,
                compared,
                contradicted,
            })
        }))
    }

    /// The account, and the next request; `None` if nothing is missing.
    fn planned(
        &mut self,
        store: &Store,
        known: (Known, bool),
    ) -> Result<Option<(AccountName, PlannedRequest)>, SourceError> {
        let settings = self.tally.settings();
        let account = account(&store.registry(), settings)?;
        let missing = |range| first_missing(store, &account, settings, range);
        let request = self.plan.next(&settings.form, known, missing);
        let request = request.map_err(|error| stored_error(&error))?;
        Ok(request.map(|request| (account, request)))
    }

    /// Counts an answer; returns how long to wait.
    fn answered(&mut self, asked: &AskedSource, now: Moment) -> Duration {
        let AskedSource {
            request,
            compared,
            contradicted,
        } = asked;
        let settings = self.tally.settings();
        let (title, series) = (settings.title(), &settings.series);
        if let Some(failures) = self.outage.answered() {
            log::info!("prices: {title} answers again, after {failures} failed requests");
        }
        let stored = compared.prices.len() + compared.days.len();
        self.tally.count_fetch(
            now.time,
            Ok(FetchOutcome {
                range: request.range,
                count: compared.count,
                stored,
            }),
        );
        self.tally.note_others(&compared.others);
        let found = (compared.conflicts, contradicted.clone());
        if let Some((count, first)) = self.tally.note_conflicts(request.range, found) {
            log::warn!(
                "prices: {count} of {title} differ from those stored in {series}, from {first} on; the stored ones stay"
            );
        }
        log::debug!("prices: stored {stored} of {title} in {series}");
        self.plan.answered(*request);
        if !request.is_past && stored > 0 {
            self.lateness = Outage::default();
        } else if !request.is_past {
            // Published late, or never. Meanwhile the past goes on.
            self.lateness.failed();
            let wait = self.lateness.wait(LATE, LATEST, chance());
            self.late_until = now.elapsed.saturating_add(wait);
        }
        settings.form.pause
    }

    /// Counts a failure; returns how long to wait.
    fn failed(&mut self, error: SourceError, now: Moment) -> Duration {
        let settings = self.tally.settings();
        let level = if self.outage.failed() {
            log::Level::Warn
        } else {
            log::Level::Debug
        };
        let wait = self.outage.wait(RETRY, LONGEST_RETRY, chance());
        let asked = match &error {
            SourceError::Busy(_, Some(wait)) => *wait,
            _ => Duration::ZERO,
        };
        let wait = wait.max(asked);
        log::log!(
            level,
            "prices: nothing from {} ({}) for {}: {error}; trying again in {} s",
            settings.title(),
            settings.server(),
            settings.series,
            wait.as_secs()
        );
        self.tally.count_fetch(now.time, Err(error));
        wait
    }
}

fn keep(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    answer: SourceAnswer,
) -> Result<(Compared, Option<String>), SourceError> {
    let compared = compare(store, account, settings, answer)?;
    store_missing(store, account, settings, &compared)?;
    let value = |(_, first)| stored_value(store, account, settings, first).transpose();
    let contradicted = compared.conflicts.and_then(value).transpose();
    let contradicted = contradicted.map_err(|error| stored_error(&error))?;
    Ok((compared, contradicted))
}
