//! One pass over the history of an account: each month of each subject is compared, and the
//! hours that Home Assistant lacks are sent.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::asking::PassEnd;
use super::compare::{Lacking, compare};
use super::error::HomeAssistantError;
use super::hours::{RunningSum, SubjectHours, begins, ledger_hours};
use super::memory::{HistoryMemory, SubjectMemory, digest};
use super::message::{SumPeriod, TheirSums};
use super::month::UtcMonth;
use super::statistic::{HistorySubject, Statistic, SumHour, subjects};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Account, Timestamp};
use crate::store::Store;

/// The recorder of Home Assistant, which keeps its statistics.
pub(super) trait HistoryRecorder {
    /// Its sums of these statistics in the hours of a range, or in its months, which may be those of
    /// its own time zone.
    fn sums(
        &mut self,
        ids: Vec<String>,
        range: Range<Timestamp>,
        period: SumPeriod,
    ) -> Result<TheirSums, PassEnd>;
    /// Sends hours. It answers before it has them.
    fn import(&mut self, statistic: &Statistic, hours: Vec<SumHour>) -> Result<(), PassEnd>;
    /// Removes statistics. It answers before they are gone.
    fn clear(&mut self, ids: Vec<String>) -> Result<(), PassEnd>;
    /// Waits.
    fn pause(&mut self, time: Duration) -> Result<(), PassEnd>;
}

/// How long its recorder may take for hours that it accepted.
const TAKEN_WITHIN: Duration = Duration::from_mins(1);
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LONGEST_LOOK: Duration = Duration::from_secs(2);

/// A second removal is needed if the ledger changes meanwhile. Beyond that, somebody else adds hours.
const MOST_REMOVALS: usize = 3;
/// The time before the first month that is looked at by hours. Home Assistant rounds the ends of
/// longer periods up to a month, by its own time zone.
const LOOK_BACK_MS: i64 = 62 * MS_PER_DAY;

/// A pass over the history until the last full hour before `now`.
pub(super) struct HistoryPass<'a, R> {
    store: &'a Arc<Store>,
    account: &'a Account,
    recorder: &'a mut R,
    now: Timestamp,
    until: Timestamp,
}

/// How a month went.
enum MonthOutcome {
    Settled,
    /// Statistics were removed, so that the subject has to be sent from its beginning.
    Cleared,
}

impl<'a, R: HistoryRecorder> HistoryPass<'a, R> {
    pub(super) fn new(
        (store, account): (&'a Arc<Store>, &'a Account),
        recorder: &'a mut R,
        now: Timestamp,
    ) -> Self {
        let until = now.millis().div_euclid(MS_PER_HOUR) * MS_PER_HOUR;
        Self {
            store,
            account,
            recorder,
            now,
            until: Timestamp::from_millis(until).unwrap_or(Timestamp::MIN),
        }
    }

    /// Compares all of the ledger, or with `only_newest` the newest months, and sends what is
    /// lacking. Blocks.
    pub(super) fn run(
        &mut self,
        memory: &mut HistoryMemory,
        only_newest: bool,
    ) -> Result<(), PassEnd> {
        let subjects = subjects(&self.store.registry(), &self.account.name);
        memory.keep_only(&subjects);
        let mut unknown = None;
        for subject in &subjects {
            match self.settle(subject, memory.of(subject), only_newest) {
                // The others do not wait for a person.
                Err(PassEnd::Failed(error @ HomeAssistantError::UnknownHours { .. })) => {
                    unknown = unknown.or(Some(error));
                }
                outcome => outcome?,
            }
        }
        unknown.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Sends what is lacking of a subject, from its beginning again after a removal.
    fn settle(
        &mut self,
        subject: &HistorySubject,
        known: &mut SubjectMemory,
        only_newest: bool,
    ) -> Result<(), PassEnd> {
        for _ in 0..MOST_REMOVALS {
            match self.subject(subject, known, only_newest)? {
                MonthOutcome::Settled => return Ok(()),
                MonthOutcome::Cleared => known.doubt(),
            }
        }
        Err(HomeAssistantError::Disputed.into())
    }

    fn subject(
        &mut self,
        subject: &HistorySubject,
        known: &mut SubjectMemory,
        only_newest: bool,
    ) -> Result<MonthOutcome, PassEnd> {
        let newest = UtcMonth::of(self.until);
        let resumed = known.resume(newest, subject.statistics.len());
        let (mut month, mut sums) = if let Some(resumed) = resumed.filter(|_| only_newest) {
            resumed
        } else {
            let begin = begins(self.store, self.account, subject, self.now)?;
            // Nothing is known here, so nothing is wrong there.
            let Some(begin) = begin else {
                return Ok(MonthOutcome::Settled);
            };
            let first = UtcMonth::of(begin).max(UtcMonth::FIRST);
            if known.clean_before != Some(first) && !self.clean_before(subject, first, known)? {
                return Ok(MonthOutcome::Cleared);
            }
            (first, vec![RunningSum::default(); subject.statistics.len()])
        };
        while let Some(range) = month.range(self.until) {
            let begun = Instant::now();
            let before = sums.clone();
            let of = (self.store, self.account);
            let hours = ledger_hours(of, subject, range.clone(), &mut sums, self.now)?;
            // At most half of a processor's time.
            self.recorder.pause(begun.elapsed())?;
            let digest = digest(&hours);
            if !known.begin(month, &before, digest) {
                let may_remove = known.was_settled(month..=month);
                let outcome = self.month((subject, &hours), &range, may_remove)?;
                if let MonthOutcome::Cleared = outcome {
                    return Ok(MonthOutcome::Cleared);
                }
                known.settle(month, digest);
            }
            month = month.next();
        }
        self.describe(subject, known, &sums)?;
        Ok(MonthOutcome::Settled)
    }

    /// Compares a month, and sends what is lacking, until Home Assistant has all of it. `may_remove`
    /// is whether it had the hours of the ledger before: other hours were removed here.
    fn month(
        &mut self,
        (subject, hours): (&HistorySubject, &SubjectHours),
        range: &Range<Timestamp>,
        may_remove: bool,
    ) -> Result<MonthOutcome, PassEnd> {
        let ids: Vec<String> = ids(&subject.statistics);
        let mut taken = TakenWait::default();
        loop {
            let theirs = (self.recorder).sums(ids.clone(), range.clone(), SumPeriod::Hour)?;
            let none = BTreeMap::new();
            let mut to_clear = Vec::new();
            let mut lacking = Vec::new();
            for (statistic, ours) in subject.statistics.iter().zip(hours) {
                let theirs = theirs.get(&statistic.id).unwrap_or(&none);
                match compare(statistic, ours, theirs) {
                    Lacking::Nothing => {}
                    Lacking::Hours(hours) => lacking.push((statistic, hours)),
                    Lacking::Removal(from) => to_clear.push((statistic.id.clone(), from)),
                }
            }
            if let Some((id, from)) = to_clear.first()
                && !may_remove
            {
                let (id, from) = (id.clone(), *from);
                return Err(HomeAssistantError::UnknownHours { id, from }.into());
            }
            if !to_clear.is_empty() {
                let to_clear: Vec<String> = to_clear.into_iter().map(|(id, _)| id).collect();
                self.clear(&to_clear, range, SumPeriod::Hour)?;
                return Ok(MonthOutcome::Cleared);
            }
            if lacking.is_empty() {
                return Ok(MonthOutcome::Settled);
            }
            if taken.is_first() {
                for (statistic, hours) in lacking {
                    self.recorder.import(statistic, hours)?;
                }
            }
            self.recorder.pause(taken.next()?)?;
        }
    }

    /// Removes statistics that have hours in a range, and waits until they are gone.
    fn clear(
        &mut self,
        ids: &[String],
        range: &Range<Timestamp>,
        period: SumPeriod,
    ) -> Result<(), PassEnd> {
        self.recorder.clear(ids.to_vec())?;
        let mut taken = TakenWait::default();
        loop {
            let theirs = self.recorder.sums(ids.to_vec(), range.clone(), period)?;
            if theirs.values().all(BTreeMap::is_empty) {
                return Ok(());
            }
            self.recorder.pause(taken.next()?)?;
        }
    }

    /// Removes statistics with hours before the first month, if they were of the ledger. Returns
    /// whether there were none.
    fn clean_before(
        &mut self,
        subject: &HistorySubject,
        first: UtcMonth,
        known: &mut SubjectMemory,
    ) -> Result<bool, PassEnd> {
        let (earliest, end) = (UtcMonth::FIRST.start(), first.start());
        let by_hours = end.saturating_add_millis(-LOOK_BACK_MS).max(earliest);
        for (range, period) in [
            (earliest..by_hours, SumPeriod::Month),
            (by_hours..end, SumPeriod::Hour),
        ] {
            if range.is_empty() {
                continue;
            }
            let asked = ids(&subject.statistics);
            let theirs = self.recorder.sums(asked, range.clone(), period)?;
            let there = theirs.into_iter().filter(|(_, hours)| !hours.is_empty());
            let there: Vec<_> = there.collect();
            if let Some((id, hours)) = there.first()
                && !known.was_settled(..first)
            {
                let from = *hours.keys().next().unwrap_or(&end);
                let id = id.clone();
                return Err(HomeAssistantError::UnknownHours { id, from }.into());
            }
            if !there.is_empty() {
                let there: Vec<String> = there.into_iter().map(|(id, _)| id).collect();
                self.clear(&there, &range, period)?;
                return Ok(false);
            }
        }
        known.clean_before = Some(first);
        Ok(true)
    }

    /// Sends names and units that Home Assistant does not know yet, of statistics with hours.
    fn describe(
        &mut self,
        subject: &HistorySubject,
        known: &mut SubjectMemory,
        sums: &[RunningSum],
    ) -> Result<(), PassEnd> {
        for (statistic, sum) in subject.statistics.iter().zip(sums) {
            if sum.has_begun && !known.described.contains(statistic) {
                self.recorder.import(statistic, Vec::new())?;
                known.described.retain(|it| it.id != statistic.id);
                known.described.push(statistic.clone());
            }
        }
        Ok(())
    }
}

fn ids(statistics: &[Statistic]) -> Vec<String> {
    statistics.iter().map(|it| it.id.clone()).collect()
}

/// Waits between looks at what Home Assistant has taken.
#[derive(Default)]
struct TakenWait {
    looks: u32,
    waited: Duration,
}

impl TakenWait {
    const fn is_first(&self) -> bool {
        self.looks == 0
    }

    /// How long to wait before the next look.
    fn next(&mut self) -> Result<Duration, HomeAssistantError> {
        if self.waited >= TAKEN_WITHIN {
            return Err(HomeAssistantError::NotTaken(TAKEN_WITHIN));
        }
        let wait = FIRST_LOOK * 2_u32.saturating_pow(self.looks.min(10));
        let wait = wait.min(LONGEST_LOOK);
        self.looks += 1;
        self.waited += wait;
        Ok(wait)
    }
}
