//! The history that Home Assistant is known to have, so that only changes are compared again. In
//! memory: after a start, everything is compared once.

use std::collections::BTreeMap;
use std::hash::BuildHasher as _;
use std::ops::RangeBounds;

use foldhash::fast::FixedState;

use super::hours::{RunningSum, SubjectHours};
use super::month::UtcMonth;
use super::statistic::{HistorySubject, Statistic};
use crate::domain::SensorId;

/// The known history of all subjects.
#[derive(Debug, Default)]
pub(super) struct HistoryMemory(BTreeMap<Option<SensorId>, SubjectMemory>);

/// The known history of one subject.
#[derive(Debug, Default)]
pub(super) struct SubjectMemory {
    months: BTreeMap<UtcMonth, MonthMemory>,
    /// The statistics with the names and units that Home Assistant knows.
    pub(super) described: Vec<Statistic>,
    /// The first month, if nothing before it is there.
    pub(super) clean_before: Option<UtcMonth>,
}

#[derive(Debug)]
struct MonthMemory {
    /// The sums before it, one for each statistic.
    before: Vec<RunningSum>,
    /// The digest of the hours that Home Assistant has; `None` if it is not known.
    digest: Option<u64>,
    /// Whether Home Assistant had the hours of the ledger at any time since the start.
    was_settled: bool,
}

/// A digest of the hours of a month.
pub(super) fn digest(hours: &SubjectHours) -> u64 {
    FixedState::default().hash_one(hours)
}

impl HistoryMemory {
    /// Forgets all subjects but these.
    pub(super) fn keep_only(&mut self, subjects: &[HistorySubject]) {
        self.0
            .retain(|id, _| subjects.iter().any(|subject| subject.id() == id.as_ref()));
    }

    /// The known history of a subject.
    pub(super) fn of(&mut self, subject: &HistorySubject) -> &mut SubjectMemory {
        self.0.entry(subject.id().cloned()).or_default()
    }

    /// Compares everything again: Home Assistant may have been restored from a backup.
    pub(super) fn doubt(&mut self) {
        for subject in self.0.values_mut() {
            subject.doubt();
        }
    }
}

impl SubjectMemory {
    pub(super) fn doubt(&mut self) {
        self.described.clear();
        self.clean_before = None;
        for month in self.months.values_mut() {
            month.digest = None;
        }
    }

    /// Whether Home Assistant had the hours of the ledger in one of these months since the start.
    pub(super) fn was_settled(&self, months: impl RangeBounds<UtcMonth>) -> bool {
        let mut months = self.months.range(months);
        months.any(|(_, month)| month.was_settled)
    }

    /// The month to go on from, and the sums before it: the one before the newest, or an earlier one
    /// that Home Assistant does not have. `None` if that is not known.
    pub(super) fn resume(
        &self,
        newest: UtcMonth,
        statistics: usize,
    ) -> Option<(UtcMonth, Vec<RunningSum>)> {
        let known = self.months.iter();
        let mut unknown = known.filter(|(_, month)| month.digest.is_none());
        let first = unknown.next().map_or(newest.before(), |(month, _)| *month);
        let from = first.min(newest.before());
        let before = &self.months.get(&from)?.before;
        (before.len() == statistics).then(|| (from, before.clone()))
    }

    /// Notes the sums before a month. Returns whether Home Assistant has its hours.
    pub(super) fn begin(&mut self, month: UtcMonth, before: &[RunningSum], digest: u64) -> bool {
        let known = self.months.entry(month).or_insert(MonthMemory {
            before: Vec::new(),
            digest: None,
            was_settled: false,
        });
        known.before = before.to_vec();
        known.digest = known.digest.filter(|known| *known == digest);
        known.digest.is_some()
    }

    /// Notes that Home Assistant has the hours of a month.
    pub(super) fn settle(&mut self, month: UtcMonth, digest: u64) {
        if let Some(known) = self.months.get_mut(&month) {
            known.digest = Some(digest);
            known.was_settled = true;
        }
    }
}
