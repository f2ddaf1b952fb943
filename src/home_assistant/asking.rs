//! A connection on a thread of its own, so that a stop does not wait for an answer. That thread
//! holds no part of the store.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tungstenite::Utf8Bytes;

use super::error::HomeAssistantError;
use super::link::HomeAssistantLink;
use super::settings::LinkSettings;
use crate::domain::Secret;
use crate::store::StoreError;

/// The event that a thread with a connection waits for.
pub(super) enum AskedEvent {
    /// It is to end.
    Stop,
    /// The answer of Home Assistant.
    Answer(Result<Utf8Bytes, HomeAssistantError>),
}

/// Both ends of a thread's events.
pub(super) struct AskedEvents {
    pub(super) sender: Sender<AskedEvent>,
    pub(super) receiver: Receiver<AskedEvent>,
}

/// Why a pass ended early.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PassEnd {
    /// The service stops.
    Stopped,
    /// It failed.
    Failed(HomeAssistantError),
}

impl From<HomeAssistantError> for PassEnd {
    fn from(error: HomeAssistantError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for PassEnd {
    fn from(error: StoreError) -> Self {
        Self::Failed(HomeAssistantError::Store(error.to_string()))
    }
}

impl AskedEvents {
    pub(super) fn new() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }

    /// Waits this long; returns whether the thread goes on.
    pub(super) fn wait(&self, time: Duration) -> bool {
        matches!(
            self.receiver.recv_timeout(time),
            Err(RecvTimeoutError::Timeout)
        )
    }

    fn answer(&self) -> Result<Utf8Bytes, PassEnd> {
        match self.receiver.recv() {
            Ok(AskedEvent::Answer(answer)) => Ok(answer?),
            Ok(AskedEvent::Stop) | Err(_) => Err(PassEnd::Stopped),
        }
    }
}

/// A question to the other side.
enum AskedQuestion {
    /// The answer to a message; with the name of its command in errors.
    Answer(Value, &'static str),
    /// The same, and events from then on.
    Subscription(Value, &'static str),
    /// The next event.
    Event,
}

/// A connection to Home Assistant. Dropping it ends the connection.
pub(super) struct AskedLink<'a> {
    events: &'a AskedEvents,
    questions: Sender<AskedQuestion>,
    /// The version of Home Assistant.
    pub(super) version: String,
}

impl<'a> AskedLink<'a> {
    /// Connects, and signs in.
    pub(super) fn connect(
        events: &'a AskedEvents,
        settings: &LinkSettings,
        token: Secret,
    ) -> Result<Self, PassEnd> {
        let (questions, to_do) = channel();
        let (settings, answers) = (settings.clone(), events.sender.clone());
        let working = move || {
            let work = || serve(&settings, &token, &to_do, &answers);
            // The panic hook has already logged a panic. Nobody may wait any more.
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                let _ = answers.send(AskedEvent::Answer(Err(HomeAssistantError::Panic)));
            }
        };
        let started = thread::Builder::new().name("home-assistant-link".into());
        started
            .spawn(working)
            .map_err(|error| HomeAssistantError::Unreachable(error.to_string()))?;
        let version = events.answer()?.as_str().to_owned();
        Ok(Self {
            events,
            questions,
            version,
        })
    }

    /// Asks a question; returns the message with its result.
    pub(super) fn ask(&self, message: Value, command: &'static str) -> Result<Utf8Bytes, PassEnd> {
        self.put(AskedQuestion::Answer(message, command))
    }

    /// Asks for events; returns the message with the result.
    pub(super) fn subscribe(
        &self,
        message: Value,
        command: &'static str,
    ) -> Result<Utf8Bytes, PassEnd> {
        self.put(AskedQuestion::Subscription(message, command))
    }

    /// Waits for the next message with an event; an empty text if nothing happened for a while. Only
    /// then is more read, so that events wait in the network.
    pub(super) fn next_event(&self) -> Result<Utf8Bytes, PassEnd> {
        self.put(AskedQuestion::Event)
    }

    fn put(&self, question: AskedQuestion) -> Result<Utf8Bytes, PassEnd> {
        // The thread ends after a failure, which it has answered.
        let sent = self.questions.send(question);
        sent.map_err(|_| HomeAssistantError::Closed)?;
        self.events.answer()
    }

    /// Waits this long.
    pub(super) fn pause(&self, time: Duration) -> Result<(), PassEnd> {
        if self.events.wait(time) {
            Ok(())
        } else {
            Err(PassEnd::Stopped)
        }
    }
}

/// Connects, and asks questions, until one fails or nobody asks any more. Each has one answer. That
/// of the connection is the version.
fn serve(
    settings: &LinkSettings,
    token: &Secret,
    to_do: &Receiver<AskedQuestion>,
    answers: &Sender<AskedEvent>,
) {
    let answer = |answer| answers.send(AskedEvent::Answer(answer));
    let mut link = match HomeAssistantLink::open(settings, token) {
        Ok(link) => link,
        Err(error) => {
            let _ = answer(Err(error));
            return;
        }
    };
    let mut goes_on = answer(Ok(link.version().into())).is_ok();
    while goes_on {
        let result = match to_do.recv() {
            Ok(AskedQuestion::Answer(message, command)) => link.ask(message, command),
            Ok(AskedQuestion::Subscription(message, command)) => link.subscribe(message, command),
            Ok(AskedQuestion::Event) => link.next_event(),
            Err(_) => return,
        };
        goes_on = result.is_ok();
        goes_on &= answer(result).is_ok();
    }
}
