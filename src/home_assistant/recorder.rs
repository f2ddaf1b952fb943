//! The recorder of Home Assistant, over a connection.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::asking::{AskedEvents, AskedLink, PassEnd};
use super::message::{SumPeriod, TheirSums, ask_sums, clear, has_unit_classes, import, their_sums};
use super::pass::HistoryRecorder;
use super::statistic::{Statistic, SumHour};
use super::tally::HistoryTally;
use crate::domain::{Secret, Timestamp};

/// Its statistics.
pub(super) struct ConnectedRecorder<'a> {
    link: AskedLink<'a>,
    tally: &'a Arc<HistoryTally>,
}

impl<'a> ConnectedRecorder<'a> {
    /// Connects, and signs in.
    pub(super) fn connect(
        events: &'a AskedEvents,
        tally: &'a Arc<HistoryTally>,
        token: Secret,
    ) -> Result<Self, PassEnd> {
        let link = AskedLink::connect(events, &tally.settings().link, token)?;
        Ok(Self { link, tally })
    }
}

impl HistoryRecorder for ConnectedRecorder<'_> {
    fn sums(
        &mut self,
        ids: Vec<String>,
        range: Range<Timestamp>,
        period: SumPeriod,
    ) -> Result<TheirSums, PassEnd> {
        let question = ask_sums(&ids, &range, period);
        let answer = self.link.ask(question, "statistics_during_period")?;
        Ok(their_sums(answer.as_str(), &ids)?)
    }

    fn import(&mut self, statistic: &Statistic, hours: Vec<SumHour>) -> Result<(), PassEnd> {
        let is_new = has_unit_classes(&self.link.version);
        let message = import(statistic, &hours, is_new);
        self.link.ask(message, "import_statistics")?;
        self.tally.count_hours(hours.len());
        Ok(())
    }

    fn clear(&mut self, ids: Vec<String>) -> Result<(), PassEnd> {
        log::warn!(
            "home_assistant: removing {}, which has hours that the ledger does not know any more; the others are sent again",
            ids.join(", ")
        );
        self.link.ask(clear(&ids), "clear_statistics").map(drop)
    }

    fn pause(&mut self, time: Duration) -> Result<(), PassEnd> {
        self.link.pause(time)
    }
}
