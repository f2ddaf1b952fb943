//! From a broker's message to the store: which subscriptions it belongs to, which of its readings can be stored, and what the
//! log says of the others.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use thiserror::Error;

use super::log_limit::LogLimit;
use super::mapping::{SensorReading, TopicMapping};
use super::payload::{self, PayloadError};
use crate::domain::{
    Account, AccountName, Moment, RegisterKind, Role, Scope, Sensor, SensorId, Upload,
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

/// Why a message, or a part of it, is not used. Sending it again would not help.
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
    Ingest(IngestError),
}

/// Why nothing can be stored now. The message may succeed when it is sent again.
#[derive(Debug, Error)]
#[error(transparent)]
pub(crate) struct Unavailable(IngestError);

/// Why a reading was not stored.
enum StoreFailure {
    Problem(MessageProblem),
    Unavailable(Unavailable),
}

impl From<MessageProblem> for StoreFailure {
    fn from(problem: MessageProblem) -> Self {
        Self::Problem(problem)
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
    reading: SensorReading,
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
        let mut filters: Vec<String> = mappings.map(|mapping| mapping.filter.to_string()).collect();
        filters.sort_unstable();
        filters.dedup();
        filters
    }

    /// Whether readings can be stored `now`.
    pub(crate) fn check_ready(&self, now: Moment) -> Result<(), Unavailable> {
        if let Some(error) = self.store.unavailable() {
            return Err(Unavailable(error.into()));
        }
        self.ingest.check_ready(now).map_err(Unavailable)
    }

    /// The readings in `message` that are to be stored. Problems with others are logged.
    pub(crate) fn read(
        self: &Arc<Self>,
        message: &BrokerMessage<'_>,
        now: Moment,
    ) -> PendingMessage {
        let candidates = match self.candidates(message) {
            Ok(found) => found,
            Err(problem) => vec![Err(problem)],
        };
        let candidates = candidates.into_iter().filter_map(|candidate| {
            candidate
                .map_err(|problem| self.log_problem(message.topic, &problem, now.elapsed))
                .ok()
        });
        PendingMessage {
            candidates: candidates.collect(),
            intake: Arc::clone(self),
            topic: message.topic.to_owned(),
            bytes: message.payload.map_or(0, <[u8]>::len),
            now,
        }
    }

    /// The readings in a message, by each subscription that it belongs to.
    fn candidates(
        &self,
        message: &BrokerMessage<'_>,
    ) -> Result<Vec<Result<Candidate, MessageProblem>>, MessageProblem> {
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
            let readings = match mapping.read(topic, &json) {
                Ok(readings) => readings,
                Err(error) => {
                    candidates.push(Err(error.into()));
                    continue;
                }
            };
            for reading in readings {
                // Without a time of its own it would get the time of this connection, perhaps years late.
                if message.is_retained && reading.reading.time.is_none() {
                    continue;
                }
                candidates.push(subscription.account(&registry).map(|account| Candidate {
                    account,
                    adds_sensors: subscription.adds_sensors,
                    reading,
                }));
            }
        }
        Ok(candidates)
    }

    async fn store(
        &self,
        candidate: Candidate,
        bytes: usize,
        now: Moment,
    ) -> Result<(), StoreFailure> {
        let Candidate {
            account,
            adds_sensors,
            reading: SensorReading { sensor, reading },
        } = candidate;
        if self
            .store
            .registry()
            .authorized_sensor(&account.name, &sensor)
            .is_none()
        {
            self.add_sensor(&account, &sensor, adds_sensors, now)
                .await?;
        }
        let grant = Grant {
            account: account.name,
            plan: account.plan,
            scope: Scope::Write,
        };
        let message = IncomingMessage {
            protocol: Protocol::Mqtt,
            bytes,
        };
        let Some(upload) = Upload::new(sensor, vec![reading]) else {
            return Ok(());
        };
        let stored = match self.ingest.check_times(upload, now) {
            Ok(upload) => self.ingest.submit(&grant, upload, message).await,
            Err(error) => Err(error),
        };
        match stored {
            Ok(_) => Ok(()),
            Err(
                error @ (IngestError::AheadOfClock { .. }
                | IngestError::ScopeInsufficient
                | IngestError::SensorNotAuthorized
                | IngestError::Store(StoreError::UnknownSensor(_))),
            ) => Err(MessageProblem::Ingest(error).into()),
            Err(error) => Err(StoreFailure::Unavailable(Unavailable(error))),
        }
    }

    /// Adds a sensor that the account does not have yet, if the subscription allows it.
    async fn add_sensor(
        &self,
        account: &Account,
        sensor: &SensorId,
        adds_sensors: bool,
        now: Moment,
    ) -> Result<(), StoreFailure> {
        let _adding = self.adding.lock().await;
        let registry = self.store.registry();
        // Another message may have added it while this one waited for the lock.
        if registry.authorized_sensor(&account.name, sensor).is_some() {
            return Ok(());
        }
        if registry.sensor(sensor).is_some() {
            return Err(MessageProblem::NotAuthorized(sensor.clone()).into());
        }
        let (account, sensor) = (account.name.clone(), sensor.clone());
        if !adds_sensors {
            return Err(MessageProblem::NoSensor { account, sensor }.into());
        }
        let of_account = registry.sensors().filter(|other| other.account == account);
        if of_account.count() >= MAX_SENSORS {
            return Err(MessageProblem::TooManySensors(account, sensor).into());
        }
        let added = Sensor {
            id: sensor.clone(),
            account: account.clone(),
            name: sensor.to_string(),
            authorized: true,
            role: Role::SubMeter,
            register: RegisterKind::Counter,
            created: now.time,
        };
        let store = Arc::clone(&self.store);
        let stored = tokio::task::spawn_blocking(move || store.put_sensor_durably(added)).await;
        stored
            .unwrap_or(Err(StoreError::Closed))
            .map_err(|error| StoreFailure::Unavailable(Unavailable(error.into())))?;
        log::info!("mqtt: added the sensor {sensor:?} to the account {account}, as a sub-meter");
        Ok(())
    }

    fn log_problem(&self, topic: &str, problem: &MessageProblem, elapsed: Duration) {
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
        let mut accounts = registry.accounts();
        match (accounts.next(), accounts.count()) {
            (Some(only), 0) => Ok(only.clone()),
            (None, _) => Err(MessageProblem::AmbiguousAccount(0)),
            (Some(_), others) => Err(MessageProblem::AmbiguousAccount(others + 1)),
        }
    }
}

/// The readings of a message, not stored yet.
pub(crate) struct PendingMessage {
    intake: Arc<Intake>,
    topic: String,
    bytes: usize,
    candidates: Vec<Candidate>,
    now: Moment,
}

impl PendingMessage {
    /// Stores the readings durably. Problems with single readings are logged; they do not fail the message.
    pub(crate) async fn store(self) -> Result<(), Unavailable> {
        let Self {
            intake, topic, now, ..
        } = self;
        let stored = self
            .candidates
            .into_iter()
            .enumerate()
            .map(|(index, candidate)| {
                // The message's bytes count once, whatever the number of its readings.
                let bytes = if index == 0 { self.bytes } else { 0 };
                intake.store(candidate, bytes, now)
            });
        let mut unavailable = None;
        for failure in join_all(stored).await.into_iter().filter_map(Result::err) {
            match failure {
                StoreFailure::Problem(problem) => intake.log_problem(&topic, &problem, now.elapsed),
                StoreFailure::Unavailable(error) => unavailable = Some(error),
            }
        }
        unavailable.map_or(Ok(()), Err)
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
            for found in read.flatten() {
                let measures = found.reading.measures;
                let mut numbers = measures.watts().into_iter().chain(measures.watthours());
                assert!(numbers.all(f64::is_finite));
            }
        }
    }
}
