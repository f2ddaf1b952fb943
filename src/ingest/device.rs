//! Readings of devices without credentials: messages of a broker, and answers to polls. The
//! settings replace the credentials: they name the account, and whether its unknown sensors are
//! added.

use std::sync::Arc;

use futures_util::future::join_all;
use thiserror::Error;

use super::error::IngestError;
use super::kind::{BACK_SUFFIX, DeviceKind, Way};
use super::received::{IncomingMessage, Protocol};
use super::upload::Ingest;
use crate::domain::{
    AccountName, Meter, MeterKind, Moment, Role, Sensor, SensorId, Upload, UploadedReading,
};
use crate::store::{Registry, Store, StoreError};

/// An account with this many sensors gets no more by `add_sensors`.
const MAX_SENSORS: usize = 256;

/// The account of a device's readings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceAccount {
    /// The account of the sensors; `None` for the only account there is.
    pub name: Option<AccountName>,
    /// Whether unknown sensors are added, with a counter.
    pub adds_sensors: bool,
}

/// A reading of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceReading {
    /// The sensor's id.
    pub sensor: SensorId,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The direction of the sensor's energy: [`Way::Forth`] or [`Way::Back`].
    pub way: Way,
    /// The reading.
    pub reading: UploadedReading,
}

/// Why a reading is not stored.
#[derive(Debug, Error)]
pub(crate) enum DeviceProblem {
    #[error("there is no account {0}")]
    NoAccount(AccountName),
    #[error("there are {0} accounts: name one in the {1}")]
    AmbiguousAccount(usize, &'static str),
    #[error(
        "the account {account} has no sensor {sensor:?}: add it with `wattkeeper sensor add`, or set add_sensors in the {section} (which adds none for energy that flows back through a plug or another meter)"
    )]
    NoSensor {
        account: AccountName,
        sensor: SensorId,
        section: &'static str,
    },
    #[error("the sensor {0:?} belongs to another account or is not authorized")]
    NotAuthorized(SensorId),
    #[error("the account {0} already has {MAX_SENSORS} sensors or more, so {1:?} is not added")]
    TooManySensors(AccountName, SensorId),
    #[error(transparent)]
    Ingest(#[from] IngestError),
}

impl DeviceProblem {
    /// The error, if it is temporary, so that the same reading may be stored later.
    pub(crate) fn passing(self) -> Result<IngestError, Self> {
        match self {
            Self::Ingest(IngestError::AheadOfClock { .. } | IngestError::SensorNotAuthorized) => {
                Err(self)
            }
            Self::Ingest(error) => Ok(error),
            lasting => Err(lasting),
        }
    }
}

impl DeviceAccount {
    /// Returns the account; `section` is the usual name of the settings that name it.
    ///
    /// # Errors
    /// [`DeviceProblem::NoAccount`], [`DeviceProblem::AmbiguousAccount`].
    pub(crate) fn find(
        &self,
        registry: &Registry,
        section: &'static str,
    ) -> Result<AccountName, DeviceProblem> {
        if let Some(name) = &self.name {
            let account = registry.account(name).map(|account| account.name.clone());
            return account.ok_or_else(|| DeviceProblem::NoAccount(name.clone()));
        }
        let mut accounts = registry.accounts();
        match (accounts.next(), accounts.count()) {
            (Some(only), 0) => Ok(only.name.clone()),
            (first, more) => {
                let count = usize::from(first.is_some()) + more;
                Err(DeviceProblem::AmbiguousAccount(count, section))
            }
        }
    }
}

/// Brings readings of devices into the store.
pub(crate) struct DeviceIngest {
    store: Arc<Store>,
    ingest: Ingest,
    protocol: Protocol,
    /// The usual name of a section of its settings.
    section: &'static str,
    /// Held while a sensor is added, so that two readings do not add the same sensor.
    adding: tokio::sync::Mutex<()>,
}

impl DeviceIngest {
    pub(crate) fn new(
        store: Arc<Store>,
        ingest: Ingest,
        protocol: Protocol,
        section: &'static str,
    ) -> Self {
        Self {
            store,
            ingest,
            protocol,
            section,
            adding: tokio::sync::Mutex::default(),
        }
    }

    /// Stores the readings of a message durably, sharing a sync. Adds sensors if the settings allow
    /// it. Returns why some readings are not stored.
    pub(crate) async fn store(
        &self,
        whose: &DeviceAccount,
        readings: Vec<DeviceReading>,
        incoming: &IncomingMessage,
        now: Moment,
    ) -> Vec<DeviceProblem> {
        if readings.is_empty() {
            return Vec::new();
        }
        let account = whose.find(&self.store.registry(), self.section);
        let account = match account {
            Ok(account) => account,
            Err(problem) => return vec![problem],
        };
        let stored = readings.into_iter().map(async |reading| {
            let stored = self.store_one(&account, &reading, incoming, now).await;
            match stored {
                // Only readings of unknown sensors wait for each other.
                Err(DeviceProblem::Ingest(IngestError::SensorNotAuthorized)) => {
                    let added = self.add_sensor(&account, whose, &reading, now).await?;
                    if added {
                        self.store_one(&account, &reading, incoming, now).await?;
                    }
                    Ok(())
                }
                other => other,
            }
        });
        join_all(stored)
            .await
            .into_iter()
            .filter_map(Result::err)
            .collect()
    }

    async fn store_one(
        &self,
        account: &AccountName,
        DeviceReading {
            sensor, reading, ..
        }: &DeviceReading,
        incoming: &IncomingMessage,
        now: Moment,
    ) -> Result<(), DeviceProblem> {
        // Never empty, because it contains one reading.
        let Some(upload) = Upload::new(sensor.clone(), vec![*reading]) else {
            return Ok(());
        };
        let arrival = self.ingest.check_times(&upload, now)?;
        self.ingest
            .append(account, upload, arrival, incoming)
            .await?;
        Ok(())
    }

    /// Adds the unknown sensor of a reading to the account, if the settings allow it. Returns
    /// whether the reading can be stored now.
    async fn add_sensor(
        &self,
        account: &AccountName,
        whose: &DeviceAccount,
        DeviceReading {
            sensor,
            kind,
            way,
            reading,
        }: &DeviceReading,
        now: Moment,
    ) -> Result<bool, DeviceProblem> {
        // Held until the sensor is stored, so that the next one is counted and looked up after
        // that.
        let _adding = self.adding.lock().await;
        let registry = self.store.registry();
        // Another reading may have added it while this one waited for the lock.
        if registry.authorized_sensor(account, sensor).is_some() {
            return Ok(true);
        }
        // Most devices never feed energy back, and nobody needs a sensor for that.
        if *way == Way::Back && reading.measures.is_zero() {
            return Ok(false);
        }
        if registry.sensor(sensor).is_some() {
            return Err(DeviceProblem::NotAuthorized(sensor.clone()));
        }
        let is_addable = |role: &Role| {
            whose.adds_sensors && !is_further_at_grid(&registry, account, sensor, *role)
        };
        let role: Option<Role> = kind.certain_role(*way).filter(is_addable);
        let (account, sensor) = (account.clone(), sensor.clone());
        let Some(role) = role else {
            return Err(DeviceProblem::NoSensor {
                account,
                sensor,
                section: self.section,
            });
        };
        let of_account = registry.sensors().filter(|other| other.account == account);
        if of_account.count() >= MAX_SENSORS {
            return Err(DeviceProblem::TooManySensors(account, sensor));
        }
        let added = Sensor {
            role,
            meter: Meter::new(MeterKind::Counter),
            // Home Assistant already has the values from the broker.
            is_announced: self.protocol != Protocol::Mqtt,
            ..Sensor::new(sensor.clone(), account.clone(), now.time)
        };
        let store = Arc::clone(&self.store);
        // A person may just have added it with other terms, which are kept.
        let adding = move || store.add_sensor_durably(added, |_| {});
        let stored = tokio::task::spawn_blocking(adding).await;
        // The thread is gone only when the service stops.
        let stored = stored.unwrap_or(Err(StoreError::Closed));
        stored.map_err(IngestError::from)?;
        log::info!(
            "{}: added the sensor {sensor:?} to the account {account}, as {}",
            self.protocol.name(),
            role.as_str()
        );
        Ok(true)
    }
}

/// Whether an account has another sensor at the grid: of a further one only a person knows what it is.
fn is_further_at_grid(
    registry: &Registry,
    account: &AccountName,
    sensor: &SensorId,
    role: Role,
) -> bool {
    let own = registry.sensors().filter(|it| it.account == *account);
    // The energy that flows back through the meter of a known sensor belongs to it.
    let of_meter = sensor.as_str().strip_suffix(BACK_SUFFIX);
    let mut others = own.filter(|it| it.authorized && Some(it.id.as_str()) != of_meter);
    others.any(|it| it.role.shares_grid_with(role))
}
