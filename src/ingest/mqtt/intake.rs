//! A message on its way to the store: whose sensors it tells of, whether it can be used, and what is said where it can't.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use thiserror::Error;

use super::complaints::Complaints;
use super::mapping::{Mapping, Told};
use super::payload::{self, PayloadError};
use crate::domain::account::{Account, AccountName, Scope};
use crate::domain::clock::Moment;
use crate::domain::reading::Upload;
use crate::domain::role::{RegisterKind, Role};
use crate::domain::sensor::{Sensor, SensorId};
use crate::ingest::{Ingest, IngestError, Message, Protocol};
use crate::store::{Grant, Registry, Store, StoreError};

/// The most sensors that an account may have for one to be added by a message.
const MOST_SENSORS: usize = 256;
/// The most bytes of a topic that are logged.
const LOGGED_BYTES: usize = 120;

/// Topics, and what becomes of their messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscription {
    /// Whose the sensors are; none for the only account there is.
    pub account: Option<AccountName>,
    /// Whether sensors that are not registered are added, as sub-meters with a counter.
    pub adds_sensors: bool,
    /// What is made of the messages.
    pub mappings: Vec<Mapping>,
}

/// A message of the broker's.
pub(super) struct Arrived<'m> {
    pub(super) topic: &'m str,
    /// None where it was too large.
    pub(super) payload: Option<&'m [u8]>,
    /// Whether the broker had kept it, so that nobody knows how old it is.
    pub(super) is_retained: bool,
}

/// Why a message, or a part of it, is not used. It would not be another time either.
#[derive(Debug, Error)]
enum Problem {
    #[error("it is longer than 64 KiB")]
    TooLarge,
    #[error(transparent)]
    Payload(#[from] PayloadError),
    #[error("there is no account {0}")]
    NoAccount(AccountName),
    #[error("there is not one account, but {0}: name one at the subscription")]
    WhichAccount(usize),
    #[error(
        "the account {account} has no sensor {sensor:?}: add it with `wattkeeper sensor add`, or set add_sensors at the subscription"
    )]
    NoSensor {
        account: AccountName,
        sensor: SensorId,
    },
    #[error("the sensor {0:?} is another account's, or not authorized")]
    NotAuthorized(SensorId),
    #[error("the account {0} has {MOST_SENSORS} sensors or more, so {1:?} is not added")]
    TooManySensors(AccountName, SensorId),
    #[error(transparent)]
    Ingest(IngestError),
}

/// Why nothing can be stored now. Another time it may be.
#[derive(Debug, Error)]
#[error(transparent)]
pub(super) struct Unavailable(IngestError);

/// The way from messages to the store.
pub(super) struct Intake {
    store: Arc<Store>,
    ingest: Ingest,
    subscriptions: Vec<Subscription>,
    complaints: Mutex<Complaints>,
    /// Held while sensors are added.
    adding: tokio::sync::Mutex<()>,
}

/// A reading, and whose it is to be.
struct Wanted {
    account: Account,
    adds_sensors: bool,
    told: Told,
}

impl Intake {
    pub(super) fn new(store: Arc<Store>, ingest: Ingest, subscriptions: Vec<Subscription>) -> Self {
        Self {
            store,
            ingest,
            subscriptions,
            complaints: Mutex::default(),
            adding: tokio::sync::Mutex::default(),
        }
    }

    /// The topics to subscribe to, each once.
    pub(super) fn filters(&self) -> Vec<String> {
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
    pub(super) fn check_ready(&self, now: Moment) -> Result<(), Unavailable> {
        if let Some(error) = self.store.unavailable() {
            return Err(Unavailable(error.into()));
        }
        self.ingest.check_ready(now).map_err(Unavailable)
    }

    /// What of a message there is to be stored. What can't be used is told in the log.
    pub(super) fn read(self: &Arc<Self>, arrived: &Arrived<'_>, now: Moment) -> Storing {
        let (mut wanted, mut problems) = (Vec::new(), Vec::new());
        match self.wanted(arrived) {
            Ok(all) => {
                for found in all {
                    match found {
                        Ok(found) => wanted.push(found),
                        Err(problem) => problems.push(problem),
                    }
                }
            }
            Err(problem) => problems.push(problem),
        }
        for problem in problems {
            self.complain(arrived.topic, &problem, now.elapsed);
        }
        Storing {
            intake: Arc::clone(self),
            topic: arrived.topic.to_owned(),
            bytes: arrived.payload.map_or(0, <[u8]>::len),
            wanted,
            now,
        }
    }

    /// The readings in a message, by the subscriptions it belongs to.
    fn wanted(&self, arrived: &Arrived<'_>) -> Result<Vec<Result<Wanted, Problem>>, Problem> {
        let topic = arrived.topic;
        let of_topic = |mapping: &&Mapping| mapping.filter.captures(topic).is_some();
        let mappings: Vec<(&Subscription, &Mapping)> = self
            .subscriptions
            .iter()
            .flat_map(|subscription| {
                let mappings = subscription.mappings.iter().filter(of_topic);
                mappings.map(move |mapping| (subscription, mapping))
            })
            .collect();
        // Of an earlier subscription: the broker remembers those.
        if mappings.is_empty() {
            return Ok(Vec::new());
        }
        let payload = arrived.payload.ok_or(Problem::TooLarge)?;
        // What is sent to remove a message that the broker keeps.
        if payload.is_empty() {
            return Ok(Vec::new());
        }
        let message = payload::parse(payload)?;
        let registry = self.store.registry();
        let mut wanted = Vec::new();
        for (subscription, mapping) in mappings {
            let told = match mapping.read(topic, &message) {
                Ok(told) => told,
                Err(error) => {
                    wanted.push(Err(error.into()));
                    continue;
                }
            };
            for told in told {
                // Nobody knows when it was measured.
                if arrived.is_retained && told.reading.time.is_none() {
                    continue;
                }
                wanted.push(subscription.account(&registry).map(|account| Wanted {
                    account,
                    adds_sensors: subscription.adds_sensors,
                    told,
                }));
            }
        }
        Ok(wanted)
    }

    async fn store(&self, wanted: Wanted, bytes: usize, now: Moment) -> Result<(), Refused> {
        let Wanted {
            account,
            adds_sensors,
            told: Told { sensor, reading },
        } = wanted;
        if self
            .store
            .registry()
            .authorized_sensor(&account.name, &sensor)
            .is_none()
        {
            self.admit(&account, &sensor, adds_sensors, now).await?;
        }
        let grant = Grant {
            account: account.name,
            plan: account.plan,
            scope: Scope::Write,
        };
        let message = Message {
            protocol: Protocol::Mqtt,
            bytes,
        };
        let Some(upload) = Upload::new(sensor.clone(), vec![reading]) else {
            return Ok(());
        };
        match self.ingest.submit(&grant, upload, message, now).await {
            Ok(_) => Ok(()),
            Err(
                error @ (IngestError::AheadOfClock { .. }
                | IngestError::ScopeInsufficient
                | IngestError::SensorNotAuthorized
                | IngestError::Store(StoreError::UnknownSensor(_))),
            ) => Err(Refused::Problem(Problem::Ingest(error))),
            Err(error) => Err(Refused::Unavailable(Unavailable(error))),
        }
    }

    /// Adds a sensor that is not the account's yet, where that is wanted.
    async fn admit(
        &self,
        account: &Account,
        sensor: &SensorId,
        adds_sensors: bool,
        now: Moment,
    ) -> Result<(), Refused> {
        let _adding = self.adding.lock().await;
        let registry = self.store.registry();
        if registry.authorized_sensor(&account.name, sensor).is_some() {
            return Ok(());
        }
        if registry.sensor(sensor).is_some() {
            return Err(Refused::Problem(Problem::NotAuthorized(sensor.clone())));
        }
        let name = account.name.clone();
        if !adds_sensors {
            let sensor = sensor.clone();
            return Err(Refused::Problem(Problem::NoSensor {
                account: name,
                sensor,
            }));
        }
        if registry
            .sensors()
            .filter(|other| other.account == name)
            .count()
            >= MOST_SENSORS
        {
            return Err(Refused::Problem(Problem::TooManySensors(
                name,
                sensor.clone(),
            )));
        }
        let added = Sensor {
            id: sensor.clone(),
            account: name.clone(),
            name: sensor.to_string(),
            authorized: true,
            role: Role::SubMeter,
            register: RegisterKind::Counter,
            created: now.time,
        };
        let store = Arc::clone(&self.store);
        let put = move || store.put_sensor_durably(added);
        let unavailable = |error: StoreError| Refused::Unavailable(Unavailable(error.into()));
        let stored = tokio::task::spawn_blocking(put).await;
        stored
            .unwrap_or(Err(StoreError::Closed))
            .map_err(unavailable)?;
        log::info!("mqtt: added the sensor {sensor:?} to the account {name}, as a sub-meter");
        Ok(())
    }

    fn complain(&self, topic: &str, problem: &Problem, elapsed: Duration) {
        self.ingest.received.count_unused(Protocol::Mqtt);
        let shown: String = topic.chars().take(LOGGED_BYTES).collect();
        let problem = problem.to_string();
        let complaints = self.complaints.lock();
        let mut complaints = complaints.unwrap_or_else(PoisonError::into_inner);
        if complaints.is_due(&shown, &problem, elapsed) {
            log::warn!("mqtt: a message under {shown:?} is not used: {problem}");
        }
    }
}

impl Subscription {
    fn account(&self, registry: &Registry) -> Result<Account, Problem> {
        if let Some(name) = &self.account {
            let account = registry.account(name).cloned();
            return account.ok_or_else(|| Problem::NoAccount(name.clone()));
        }
        let mut accounts = registry.accounts();
        match (accounts.next(), accounts.count()) {
            (Some(only), 0) => Ok(only.clone()),
            (None, _) => Err(Problem::WhichAccount(0)),
            (Some(_), others) => Err(Problem::WhichAccount(others + 1)),
        }
    }
}

enum Refused {
    Problem(Problem),
    Unavailable(Unavailable),
}

/// The readings of a message, to be stored.
pub(super) struct Storing {
    intake: Arc<Intake>,
    topic: String,
    bytes: usize,
    wanted: Vec<Wanted>,
    now: Moment,
}

impl Storing {
    /// Stores them; they are durable then, but for those that can't be used, of which the log tells.
    pub(super) async fn finish(self) -> Result<(), Unavailable> {
        let Self {
            intake,
            topic,
            bytes,
            wanted,
            now,
        } = self;
        let stored = wanted.into_iter().enumerate().map(|(index, wanted)| {
            let bytes = if index == 0 { bytes } else { 0 };
            intake.store(wanted, bytes, now)
        });
        let mut unavailable = None;
        for refused in join_all(stored).await.into_iter().filter_map(Result::err) {
            match refused {
                Refused::Problem(problem) => intake.complain(&topic, &problem, now.elapsed),
                Refused::Unavailable(error) => unavailable = Some(error),
            }
        }
        unavailable.map_or(Ok(()), Err)
    }
}
