//! From a broker's message to the store: which subscriptions it belongs to, which of its readings can be stored, and what the
//! log says of the others.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use thiserror::Error;

use super::log_limit::LogLimit;
use super::mapping::TopicMapping;
use super::payload::{self, PayloadError};
use crate::domain::{
    Account, AccountName, Meter, MeterKind, Moment, Scope, Sensor, SensorId, Upload,
    UploadedReading,
};
use crate::ingest::{IncomingMessage, Ingest, IngestError, Protocol};
use crate::store::{Grant, Registry, Store, StoreError};

/// An account with this many sensors gets no more by `add_sensors`.
const MAX_SENSORS: usize = 256;
/// Topics are cut to this many characters in the log.
const MAX_LOGGED_CHARS: usize = 120;

/// A subscription: some topics, and what is made of their messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// The account of the sensors; `None` for the only account there is.
    pub account: Option<AccountName>,
    /// Whether unknown sensors are added, as sub-meters with a counter.
    pub adds_sensors: bool,
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
    #[error("there is no account {0}")]
    NoAccount(AccountName),
    #[error("there are {0} accounts: name one in the subscription")]
    AmbiguousAccount(usize),
    #[error(
        "the account {account} has no sensor {sensor:?}: add it with `wattkeeper sensor add`, or set add_sensors in the subscription"
    )]
    NoSensor {
        account: AccountName,
        sensor: SensorId,
    },
    #[error("the sensor {0:?} belongs to another account or is not authorized")]
    NotAuthorized(SensorId),
    #[error("the account {0} already has {MAX_SENSORS} sensors or more, so {1:?} is not added")]
    TooManySensors(AccountName, SensorId),
    #[error(transparent)]
    Ingest(#[from] IngestError),
}

impl MessageProblem {
    /// The error, if it may go away by itself: then the message may succeed when it is sent again.
    fn passing(self) -> Result<IngestError, Self> {
        match self {
            // Sent again, these would fail again and again, so the message is acknowledged and only logged.
            Self::Ingest(
                IngestError::AheadOfClock { .. }
                | IngestError::ScopeInsufficient
                | IngestError::SensorNotAuthorized
                | IngestError::Store(StoreError::UnknownSensor(_)),
            ) => Err(self),
            Self::Ingest(error) => Ok(error),
            lasting => Err(lasting),
        }
    }
}

/// The way from messages to the store.
pub(crate) struct Intake {
    store: Arc<Store>,
    ingest: Ingest,
    subscriptions: Vec<Subscription>,
    log_limit: Mutex<LogLimit>,
    /// Held while a sensor is added, so that two messages do not add the same one.
    adding: tokio::sync::Mutex<()>,
}

/// A reading, and the account it is for.
struct Candidate {
    account: Account,
    adds_sensors: bool,
    sensor: SensorId,
    reading: UploadedReading,
}

impl Intake {
    pub(crate) fn new(store: Arc<Store>, ingest: Ingest, subscriptions: Vec<Subscription>) -> Self {
        Self {
            store,
            ingest,
            subscriptions,
            log_limit: Mutex::default(),
            adding: tokio::sync::Mutex::default(),
        }
    }

    /// The topics to subscribe to, each once.
    pub(crate) fn filters(&self) -> Vec<String> {
        let mappings = self
            .subscriptions
            .iter()
            .flat_map(|subscription| &subscription.mappings);
        let filters = mappings.map(|mapping| mapping.filter.as_str().to_owned());
        let mut filters: Vec<String> = filters.collect();
        filters.sort_unstable();
        filters.dedup();
        filters
    }

    /// Whether readings can be stored `now`.
    pub(crate) fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        if let Some(error) = self.store.unavailable() {
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
            let store = |candidate| intake.store(candidate, &incoming, now);
            let stored = candidates.into_iter().map(store);
            let mut result = Ok(());
            for problem in join_all(stored).await.into_iter().filter_map(Result::err) {
                match problem.passing() {
                    Ok(error) => result = Err(error),
                    Err(problem) => intake.log_problem(&topic, &problem, now.elapsed),
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
        let matches = |mapping: &&TopicMapping| mapping.filter.captures(topic).is_some();
        let mappings: Vec<(&Subscription, &TopicMapping)> = self
            .subscriptions
            .iter()
            .flat_map(|subscription| {
                let mappings = subscription.mappings.iter().filter(matches);
                mappings.map(move |mapping| (subscription, mapping))
            })
            .collect();
        // The session is persistent, so the broker still sends what earlier settings subscribed to.
        if mappings.is_empty() {
            return Ok(Vec::new());
        }
        let payload = message.payload.ok_or(MessageProblem::TooLarge)?;
        // An empty message only removes one that the broker retained.
        if payload.is_empty() {
            return Ok(Vec::new());
        }
        let json = payload::parse(payload)?;
        let registry = self.store.registry();
        let mut candidates = Vec::new();
        for (subscription, mapping) in mappings {
            let readings = mapping.read(topic, &json).unwrap_or_else(|error| {
                self.log_problem(topic, &error.into(), elapsed);
                Vec::new()
            });
            for (sensor, reading) in readings {
                // Without a time of its own it would get the time of this connection, perhaps years late.
                if message.is_retained && reading.time.is_none() {
                    continue;
                }
                match subscription.account(&registry) {
                    Ok(account) => candidates.push(Candidate {
                        account,
                        adds_sensors: subscription.adds_sensors,
                        sensor,
                        reading,
                    }),
                    Err(problem) => self.log_problem(topic, &problem, elapsed),
                }
            }
        }
        Ok(candidates)
    }

    async fn store(
        &self,
        candidate: Candidate,
        incoming: &IncomingMessage,
        now: Moment,
    ) -> Result<(), MessageProblem> {
        let Candidate {
            account,
            adds_sensors,
            sensor,
            reading,
        } = candidate;
        // Without the lock at first: only messages of unknown sensors wait for each other.
        if self
            .store
            .registry()
            .authorized_sensor(&account.name, &sensor)
            .is_none()
        {
            self.add_sensor(&account, &sensor, adds_sensors, now)
                .await?;
        }
        // A message has no credentials: the subscription stands for them.
        let grant = Grant {
            account: account.name,
            plan: account.plan,
            scope: Scope::Write,
        };
        // Never empty: it has one reading.
        let Some(upload) = Upload::new(sensor, vec![reading]) else {
            return Ok(());
        };
        let upload = self.ingest.check_times(upload, now)?;
        self.ingest.submit(&grant, upload, incoming).await?;
        Ok(())
    }

    /// Adds a sensor that the account does not have yet, if the subscription allows it.
    async fn add_sensor(
        &self,
        account: &Account,
        sensor: &SensorId,
        adds_sensors: bool,
        now: Moment,
    ) -> Result<(), MessageProblem> {
        // Held until the sensor is stored: the next one is counted and looked up after that.
        let _adding = self.adding.lock().await;
        let registry = self.store.registry();
        // Another message may have added it while this one waited for the lock.
        if registry.authorized_sensor(&account.name, sensor).is_some() {
            return Ok(());
        }
        if registry.sensor(sensor).is_some() {
            return Err(MessageProblem::NotAuthorized(sensor.clone()));
        }
        let (account, sensor) = (account.name.clone(), sensor.clone());
        if !adds_sensors {
            return Err(MessageProblem::NoSensor { account, sensor });
        }
        let of_account = registry.sensors().filter(|other| other.account == account);
        if of_account.count() >= MAX_SENSORS {
            return Err(MessageProblem::TooManySensors(account, sensor));
        }
        let added = Sensor {
            meter: Meter::new(MeterKind::Counter),
            ..Sensor::new(sensor.clone(), account.clone(), now.time)
        };
        let store = Arc::clone(&self.store);
        // A person may just have added it, with other terms: those stay.
        let adding = move || store.add_sensor_durably(added, |_| {});
        let stored = tokio::task::spawn_blocking(adding).await;
        // The thread is gone only when the service stops.
        let stored = stored.unwrap_or(Err(StoreError::Closed));
        stored.map_err(IngestError::from)?;
        log::info!("mqtt: added the sensor {sensor:?} to the account {account}, as a sub-meter");
        Ok(())
    }

    fn log_problem(&self, topic: &str, problem: &MessageProblem, elapsed: Duration) {
        // Always counted; only the log is limited.
        self.ingest.count_unused(Protocol::Mqtt);
        let shown: String = topic.chars().take(MAX_LOGGED_CHARS).collect();
        let problem = problem.to_string();
        let limit = self.log_limit.lock();
        let mut limit = limit.unwrap_or_else(PoisonError::into_inner);
        if limit.allows(&shown, &problem, elapsed) {
            log::warn!("mqtt: a message under {shown:?} is not used: {problem}");
        }
    }
}

impl Subscription {
    fn account(&self, registry: &Registry) -> Result<Account, MessageProblem> {
        if let Some(name) = &self.account {
            let account = registry.account(name).cloned();
            return account.ok_or_else(|| MessageProblem::NoAccount(name.clone()));
        }
        let accounts: Vec<&Account> = registry.accounts().collect();
        match accounts[..] {
            [only] => Ok(only.clone()),
            _ => Err(MessageProblem::AmbiguousAccount(accounts.len())),
        }
    }
}

/// Each preset reads a message or refuses it; what it reads is finite. The first line of `bytes` is the topic.
///
/// # Panics
/// Where it is not.
#[cfg(any(test, fuzzing))]
pub fn fuzz_message(bytes: &[u8]) {
    use super::presets::Preset;
    use super::topic::TopicFilter;

    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (topic, rest) = bytes.split_at(line.unwrap_or(0));
    let (Ok(topic), Ok(message)) = (str::from_utf8(topic), payload::parse(rest)) else {
        return;
    };
    let (Ok(everything), Ok(sensor)) = ("+/#".parse::<TopicFilter>(), "s-{1}".parse()) else {
        return;
    };
    for preset in Preset::ALL {
        for filter in [topic.parse().ok(), Some(everything.clone())]
            .iter()
            .flatten()
        {
            let mappings = preset.mappings(filter, &sensor).unwrap_or_default();
            let read = mappings
                .iter()
                .flat_map(|mapping| mapping.read(topic, &message));
            for (_, reading) in read.flatten() {
                let measures = reading.measures;
                let mut numbers = measures.watts().into_iter().chain(measures.watthours());
                assert!(numbers.all(f64::is_finite));
            }
        }
    }
}
