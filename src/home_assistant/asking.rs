//! The connection on a thread of its own, so that a stop does not wait for an answer. That thread
//! holds no part of the store.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::error::HistoryError;
use super::link::{HomeAssistantLink, LinkCommand};
use super::message::{SumPeriod, TheirSums};
use super::pass::{HistoryRecorder, PassEnd};
use super::settings::HistorySettings;
use super::statistic::{Statistic, SumHour};
use super::tally::HistoryTally;
use crate::domain::{Secret, Timestamp};

/// The event that the sending thread waits for.
pub(super) enum HistoryEvent {
    /// It is to end.
    Stop,
    /// The answer of Home Assistant.
    Answer(Result<TheirSums, HistoryError>),
}

/// Both ends of the sending thread's events.
pub(super) struct HistoryEvents {
    pub(super) sender: Sender<HistoryEvent>,
    pub(super) receiver: Receiver<HistoryEvent>,
}

impl HistoryEvents {
    /// Waits this long; returns whether the thread goes on.
    pub(super) fn wait(&self, time: Duration) -> bool {
        matches!(
            self.receiver.recv_timeout(time),
            Err(RecvTimeoutError::Timeout)
        )
    }

    fn answer(&self) -> Result<TheirSums, PassEnd> {
        match self.receiver.recv() {
            Ok(HistoryEvent::Answer(answer)) => Ok(answer?),
            Ok(HistoryEvent::Stop) | Err(_) => Err(PassEnd::Stopped),
        }
    }
}

/// Home Assistant over a connection. Dropping it ends the connection.
pub(super) struct ConnectedRecorder<'a> {
    events: &'a HistoryEvents,
    tally: &'a Arc<HistoryTally>,
    commands: Sender<LinkCommand>,
}

impl<'a> ConnectedRecorder<'a> {
    /// Connects, and signs in.
    pub(super) fn connect(
        events: &'a HistoryEvents,
        tally: &'a Arc<HistoryTally>,
        token: Secret,
    ) -> Result<Self, PassEnd> {
        let (commands, to_do) = channel();
        let (settings, answers) = (tally.settings().clone(), events.sender.clone());
        let working = move || {
            let work = || serve(&settings, &token, &to_do, &answers);
            // The panic hook has already logged a panic. Nobody may wait any more.
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                let _ = answers.send(HistoryEvent::Answer(Err(HistoryError::Panic)));
            }
        };
        let started = thread::Builder::new().name("home-assistant-link".into());
        started
            .spawn(working)
            .map_err(|error| HistoryError::Unreachable(error.to_string()))?;
        let connected = Self {
            events,
            tally,
            commands,
        };
        connected.events.answer()?;
        Ok(connected)
    }

    fn carry_out(&self, command: LinkCommand) -> Result<TheirSums, PassEnd> {
        // The thread ends after a failure, which it has answered.
        let sent = self.commands.send(command);
        sent.map_err(|_| HistoryError::Closed)?;
        self.events.answer()
    }
}

/// Connects, and carries out commands, until one fails or nobody sends any more. Each has one
/// answer, as has the connection.
fn serve(
    settings: &HistorySettings,
    token: &Secret,
    to_do: &Receiver<LinkCommand>,
    answers: &Sender<HistoryEvent>,
) {
    let answer = |answer| answers.send(HistoryEvent::Answer(answer));
    let mut link = match HomeAssistantLink::open(settings, token) {
        Ok(link) => link,
        Err(error) => {
            let _ = answer(Err(error));
            return;
        }
    };
    let mut goes_on = answer(Ok(TheirSums::new())).is_ok();
    while goes_on {
        let Ok(command) = to_do.recv() else {
            return;
        };
        let result = link.carry_out(&command);
        goes_on = result.is_ok();
        goes_on &= answer(result).is_ok();
    }
}

impl HistoryRecorder for ConnectedRecorder<'_> {
    fn sums(
        &mut self,
        ids: Vec<String>,
        range: Range<Timestamp>,
        period: SumPeriod,
    ) -> Result<TheirSums, PassEnd> {
        self.carry_out(LinkCommand::Sums(ids, range, period))
    }

    fn import(&mut self, statistic: &Statistic, hours: Vec<SumHour>) -> Result<(), PassEnd> {
        let count = hours.len();
        self.carry_out(LinkCommand::Import(statistic.clone(), hours))?;
        self.tally.count_hours(count);
        Ok(())
    }

    fn clear(&mut self, ids: Vec<String>) -> Result<(), PassEnd> {
        log::warn!(
            "home_assistant: removing {}, which has hours that the ledger does not know any more; the others are sent again",
            ids.join(", ")
        );
        self.carry_out(LinkCommand::Clear(ids)).map(drop)
    }

    fn pause(&mut self, time: Duration) -> Result<(), PassEnd> {
        if self.events.wait(time) {
            Ok(())
        } else {
            Err(PassEnd::Stopped)
        }
    }
}
