//! From a broker's message to the store: which subscriptions it belongs to, which of its readings can be stored, and what the
//! log says of the others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use thiserror::Error;

use super::keep_alive::KeepAlive;
use super::mapping::TopicMapping;
use super::parts::PartMemory;
use super::payload::{self, ArrivedMessage, PayloadError};
use super::presets::Preset;
use super::template::SensorTemplate;
use super::topic::TopicFilter;
use crate::domain::Moment;
use crate::ingest::{
    DeviceAccount, DeviceDoor, DeviceProblem, DeviceReading, IncomingMessage, Ingest, IngestError,
    LogLimit, Protocol,
};
use crate::store::Store;

/// Topics are cut to this many characters in the log.
const MAX_LOGGED_CHARS: usize = 120;

/// A subscription: some topics, and what is made of their messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// Whose readings they are.
    pub account: DeviceAccount,
    /// The preset; `None` if the settings describe the messages.
    pub preset: Option<Preset>,
    /// The topic; `None` if only its numbers have topics.
    pub topic: Option<TopicFilter>,
    /// What names its sensors.
    pub sensor: SensorTemplate,
    /// How messages become readings.
    pub mappings: Vec<TopicMapping>,
}

/// A message from the broker.
pub(crate) struct BrokerMessage<'m> {
    pub(crate) topic: &'m str,
    /// `None` if it was too large to read.
    pub(crate) payload: Option<&'m [u8]>,
    /// Whether the broker had retained it, so that its age is unknown.
    pub(crate) is_retained: bool,
}

/// Why a message, or a part of it, is not used.
#[derive(Debug, Error)]
enum MessageProblem {
    #[error("it is longer than 64 KiB")]
    TooLarge,
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error(transparent)]
    Device(#[from] DeviceProblem),
}

/// The way from messages to the store.
pub(crate) struct Intake {
    store: Arc<Store>,
    ingest: Ingest,
    subscriptions: Vec<Subscription>,
    /// Of each mapping, in the order of the subscriptions, what its parts said.
    memories: Mutex<Vec<PartMemory>>,
    keep_alive: Mutex<KeepAlive>,
    log_limit: Mutex<LogLimit>,
    door: DeviceDoor,
}

/// A reading, and whose it is.
type Candidate = (DeviceAccount, DeviceReading);

impl Intake {
    pub(crate) fn new(store: Arc<Store>, ingest: Ingest, subscriptions: Vec<Subscription>) -> Self {
        let asked = subscriptions.iter().filter_map(Subscription::asked);
        let mappings = subscriptions.iter().flat_map(|one| &one.mappings);
        Self {
            door: DeviceDoor::new(
                Arc::clone(&store),
                ingest.clone(),
                Protocol::Mqtt,
                "subscription",
            ),
            store,
            ingest,
            keep_alive: Mutex::new(KeepAlive::new(asked)),
            memories: Mutex::new(mappings.map(|_| PartMemory::default()).collect()),
            subscriptions,
            log_limit: Mutex::default(),
        }
    }

    /// The topics to subscribe to, each once.
    pub(crate) fn filters(&self) -> Vec<String> {
        let mappings = self
            .subscriptions
            .iter()
            .flat_map(|subscription| &subscription.mappings);
        let filters = mappings.flat_map(TopicMapping::filters);
        let filters = filters.map(|filter| filter.as_str().to_owned());
        let mut filters: Vec<String> = filters.collect();
        filters.extend(lock(&self.keep_alive).filters());
        filters.sort_unstable();
        filters.dedup();
        filters
    }

    /// What to publish at `elapsed` since the start of this run, so that devices keep sending: topics with payloads.
    pub(crate) fn requests(&self, elapsed: Duration) -> Vec<(String, &'static str)> {
        lock(&self.keep_alive).due(elapsed)
    }

    /// Whether readings can be stored `now`.
    pub(crate) fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        if let Some(error) = self.store.unready() {
            return Err(error.into());
        }
        self.ingest.check_ready(now)
    }

    /// Reads a message at once; the future stores its readings durably. Problems with the message or with single readings are
    /// logged, and do not fail it.
    ///
    /// # Errors
    /// An [`IngestError`] if readings cannot be stored now. They may be when the message is sent again.
    pub(crate) fn take(
        self: &Arc<Self>,
        message: &BrokerMessage<'_>,
        now: Moment,
    ) -> impl Future<Output = Result<(), IngestError>> + Send + use<> {
        let candidates = self.candidates(message, now.elapsed);
        let candidates = candidates.unwrap_or_else(|problem| {
            self.log_problem(message.topic, &problem, now.elapsed);
            Vec::new()
        });
        let (intake, topic) = (Arc::clone(self), message.topic.to_owned());
        let bytes = message.payload.map_or(0, <[u8]>::len);
        async move {
            let incoming = IncomingMessage::new(Protocol::Mqtt, bytes);
            let stored = candidates.into_iter().map(async |(whose, reading)| {
                intake.door.store(&whose, reading, &incoming, now).await
            });
            let mut result = Ok(());
            for problem in join_all(stored).await.into_iter().filter_map(Result::err) {
                match problem.passing() {
                    Ok(error) => result = Err(error),
                    // Sent again, it would fail again and again, so the message is acknowledged and only logged.
                    Err(problem) => intake.log_problem(&topic, &problem.into(), now.elapsed),
                }
            }
            result
        }
    }

    /// The readings in a message that are to be stored, by each subscription that it belongs to. Problems with single ones are
    /// logged.
    fn candidates(
        &self,
        message: &BrokerMessage<'_>,
        elapsed: Duration,
    ) -> Result<Vec<Candidate>, MessageProblem> {
        let topic = message.topic;
        lock(&self.keep_alive).heard(topic);
        let subscriptions = self.subscriptions.iter();
        let mappings = subscriptions
            .flat_map(|subscription| {
                subscription
                    .mappings
                    .iter()
                    .map(move |it| (subscription, it))
            })
            .enumerate()
            .filter(|(_, (_, mapping))| mapping.takes(topic));
        let mappings: Vec<_> = mappings.collect();
        // The session is persistent, so the broker still sends what earlier settings subscribed to.
        if mappings.is_empty() {
            return Ok(Vec::new());
        }
        let payload = message.payload.ok_or(MessageProblem::TooLarge)?;
        let json = payload::parse(payload)?;
        let arrival = ArrivedMessage {
            topic,
            message: &json,
            is_retained: message.is_retained,
            elapsed,
        };
        let mut candidates = Vec::new();
        let mut memories = lock(&self.memories);
        for (index, (subscription, mapping)) in mappings {
            // Never `None`: there is one for each.
            let Some(memory) = memories.get_mut(index) else {
                continue;
            };
            let readings = mapping.read(&arrival, memory).unwrap_or_else(|error| {
                self.log_problem(topic, &error.into(), elapsed);
                Vec::new()
            });
            for (sensor, part) in mapping.silent(memory) {
                self.log_silence(sensor, part, elapsed);
            }
            for mapped in readings {
                // Without a time of its own it would get the time of this connection, perhaps years late.
                if message.is_retained && mapped.reading.time.is_none() {
                    continue;
                }
                let reading = DeviceReading {
                    sensor: mapped.sensor,
                    kind: mapping.kind,
                    way: mapped.way,
                    reading: mapped.reading,
                };
                candidates.push((subscription.account.clone(), reading));
            }
        }
        Ok(candidates)
    }

    fn log_silence(&self, sensor: &str, part: &TopicFilter, elapsed: Duration) {
        let shown: String = sensor.chars().take(MAX_LOGGED_CHARS).collect();
        let text = format!(
            "there is no sum, because nothing that counts came under {:?}; a part that the device does not send ends with \"?\"",
            part.as_str()
        );
        if lock(&self.log_limit).allows(&shown, &text, elapsed) {
            log::warn!("mqtt: for the sensor {shown:?} {text}");
        }
    }

    fn log_problem(&self, topic: &str, problem: &MessageProblem, elapsed: Duration) {
        // Always counted; only the log is limited.
        self.ingest.count_unused(Protocol::Mqtt);
        let shown: String = topic.chars().take(MAX_LOGGED_CHARS).collect();
        let problem = problem.to_string();
        if lock(&self.log_limit).allows(&shown, &problem, elapsed) {
            log::warn!("mqtt: a message under {shown:?} is not used: {problem}");
        }
    }
}

/// Nothing is left half done in these while they are locked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subscription {
    /// The topic, if its devices send only while they are asked to.
    #[must_use]
    pub fn asked(&self) -> Option<&TopicFilter> {
        let asks = self.preset.is_some_and(Preset::asks);
        self.topic.as_ref().filter(|_| asks)
    }
}
