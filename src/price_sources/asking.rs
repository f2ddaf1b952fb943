//! Requests on threads of their own, so that a stop does not wait for an answer. The thread that asks
//! also changes the store, which blocks: no runtime can do that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::answer::{SourceAnswer, read};
use super::error::SourceError;
use super::get::get;
use super::settings::PriceSourceSettings;
use crate::domain::TimeRange;

/// The event that the fetching thread waits for.
pub(super) enum FetcherEvent {
    /// It is to end.
    Stop,
    /// The answer of the source that it asked.
    Answer(Result<SourceAnswer, SourceError>),
}

/// Both ends of the fetching thread's events.
pub(super) struct FetcherEvents {
    pub(super) sender: Sender<FetcherEvent>,
    pub(super) receiver: Receiver<FetcherEvent>,
}

impl FetcherEvents {
    /// The answer of a source; `None` if the thread is to end. A request under way holds no part of
    /// the store, so nobody waits for it then.
    pub(super) fn ask(
        &self,
        settings: PriceSourceSettings,
        range: TimeRange,
    ) -> Option<Result<SourceAnswer, SourceError>> {
        let sender = self.sender.clone();
        let asking = move || {
            let answer = || {
                let body = get(&settings, range)?;
                read(&settings.form, &body, range)
            };
            // The panic hook has already logged a panic.
            let answer = catch_unwind(AssertUnwindSafe(answer));
            let answer = answer.unwrap_or(Err(SourceError::Panic));
            // Nobody may wait any more.
            let _ = sender.send(FetcherEvent::Answer(answer));
        };
        let started = thread::Builder::new().name("price-request".into());
        if let Err(error) = started.spawn(asking) {
            return Some(Err(SourceError::Unreachable(error.to_string())));
        }
        match self.receiver.recv() {
            Ok(FetcherEvent::Answer(answer)) => Some(answer),
            Ok(FetcherEvent::Stop) | Err(_) => None,
        }
    }

    /// Waits this long; returns whether the thread goes on.
    pub(super) fn wait(&self, time: Duration) -> bool {
        matches!(
            self.receiver.recv_timeout(time),
            Err(RecvTimeoutError::Timeout)
        )
    }
}
