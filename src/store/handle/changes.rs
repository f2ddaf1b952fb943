//! What can be changed in a store. Each change goes through the committing thread, and is answered when it is durable, as the
//! names say.

use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::password::PasswordHash;
use crate::domain::reading::{Reading, Upload};
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::session::{Session, SessionId};
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::writer::commit::{Change, Task};

impl Store {
    /// Stores an upload of `account` that arrived at `arrival`, all its readings or none; returns their number once it is
    /// durable.
    ///
    /// Readings without a time get `arrival`, or the next millisecond that the sensor has neither a reading at nor
    /// passed in an earlier assignment. It counts as an arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] where the sensor is not the account's, or not authorized, by the time it is stored;
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn append_durably(
        &self,
        account: &AccountName,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        let task = Task::Append {
            account: Some(account.clone()),
            upload,
            arrival,
        };
        self.writer.submit(task).await
    }

    /// Waits until the committing thread has answered, as a sign of life.
    ///
    /// # Errors
    /// The [`StoreError`] that keeps the store from taking changes.
    pub async fn answer(&self) -> Result<(), StoreError> {
        self.writer.submit(Task::Answer).await.map(drop)
    }

    /// [`Self::append_durably`] whoever's the sensor is, for a caller that may block; an async worker may not.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn append_durably_blocking(
        &self,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        self.writer.submit_blocking(Task::Append {
            account: None,
            upload,
            arrival,
        })
    }

    /// Stores up to [`Self::IMPORT_CHUNK`] readings of the past, in any order, once they are durable; returns their
    /// number. It is no arrival. Repeated, it changes nothing. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`]. A part may have been stored then.
    pub fn import_durably(
        &self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        self.change(Change::Import {
            sensor: sensor.clone(),
            readings,
        })
    }

    /// Deletes the readings of a sensor in `range`, both ends included, all or none; returns their number once that
    /// is durable. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn delete_durably(&self, sensor: &SensorId, range: TimeRange) -> Result<usize, StoreError> {
        let sensor = sensor.clone();
        self.change(Change::Delete { sensor, range })
    }

    /// Makes `password` the administrator's, where there is no administrator yet. Blocks.
    ///
    /// # Errors
    /// [`StoreError::AdministratorExists`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn put_first_administrator_durably(
        &self,
        password: PasswordHash,
    ) -> Result<(), StoreError> {
        self.change(Change::PutAdministrator {
            password,
            is_first: true,
            keeping: None,
        })
        .map(drop)
    }

    /// Makes `password` the administrator's, and ends all sessions but the one to be kept. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn put_administrator_durably(
        &self,
        password: PasswordHash,
        keeping: Option<SessionId>,
    ) -> Result<(), StoreError> {
        self.change(Change::PutAdministrator {
            password,
            is_first: false,
            keeping,
        })
        .map(drop)
    }

    /// Begins a session of who proved `password`. There are at most 64: the one that was not used for the longest time
    /// ends where they are more.
    ///
    /// # Errors
    /// [`StoreError::PasswordChanged`] where it is not the administrator's by then; as above.
    pub async fn begin_session_durably(
        &self,
        session: Session,
        password: PasswordHash,
    ) -> Result<(), StoreError> {
        let change = Change::BeginSession { session, password };
        self.writer.submit(Task::Change(change)).await.map(drop)
    }

    /// Takes note of a session's last use; of one that has ended, nothing.
    ///
    /// # Errors
    /// As above.
    pub async fn use_session_durably(&self, session: Session) -> Result<(), StoreError> {
        let change = Change::UseSession(session);
        self.writer.submit(Task::Change(change)).await.map(drop)
    }

    /// Ends a session, if it has not ended yet.
    ///
    /// # Errors
    /// As above.
    pub async fn end_session_durably(&self, id: SessionId) -> Result<(), StoreError> {
        let change = Change::EndSession(id);
        self.writer.submit(Task::Change(change)).await.map(drop)
    }

    /// Writes when each credential was used last. Blocks.
    ///
    /// # Errors
    /// As above.
    pub fn write_uses_durably(&self) -> Result<(), StoreError> {
        self.change(Change::WriteUses).map(drop)
    }

    /// Adds an account, or replaces what is known of the one of that name. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn put_account_durably(&self, account: Account) -> Result<(), StoreError> {
        self.change(Change::PutAccount(account)).map(drop)
    }

    /// Removes an account and its credentials. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::AccountHasSensors`] while it has any; as above.
    pub fn remove_account_durably(&self, name: &AccountName) -> Result<(), StoreError> {
        self.change(Change::RemoveAccount(name.clone())).map(drop)
    }

    /// Adds a credential, or replaces the one of that id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::TextTooLong`]; as above.
    pub fn put_credential_durably(&self, credential: Credential) -> Result<(), StoreError> {
        self.change(Change::PutCredential(credential)).map(drop)
    }

    /// Removes a credential. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownCredential`]; as above.
    pub fn remove_credential_durably(&self, api_id: &ApiId) -> Result<(), StoreError> {
        self.change(Change::RemoveCredential(api_id.clone()))
            .map(drop)
    }

    /// Adds a sensor, or replaces what is known of the one of that id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::SensorTaken`] where it is another account's;
    /// [`StoreError::TextTooLong`]; as above.
    pub fn put_sensor_durably(&self, sensor: Sensor) -> Result<(), StoreError> {
        self.change(Change::PutSensor(sensor)).map(drop)
    }

    /// Removes a sensor and all its readings. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; as above.
    pub fn remove_sensor_durably(&self, id: &SensorId) -> Result<(), StoreError> {
        self.change(Change::RemoveSensor(id.clone())).map(drop)
    }

    /// Puts what was known of a sensor's uploads, and the last time assigned to a reading of its, in the place of what
    /// is. For restoring. Blocks.
    pub(crate) fn put_arrivals_durably(
        &self,
        sensor: SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.change(Change::PutArrivals {
            sensor,
            arrivals,
            last_assigned,
        })
        .map(drop)
    }

    /// Forgets that anything arrived, or was assigned a time, after `time`: the clock was wrong then. The readings stay.
    /// Returns how many sensors that concerns.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn forget_arrivals_after_durably(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        let change = Change::ForgetArrivalsAfter(time);
        self.writer.submit(Task::Change(change)).await
    }

    /// [`Self::forget_arrivals_after_durably`] for a caller that may block.
    ///
    /// # Errors
    /// As there.
    pub fn forget_arrivals_after_durably_blocking(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        self.change(Change::ForgetArrivalsAfter(time))
    }

    fn change(&self, change: Change) -> Result<usize, StoreError> {
        self.writer.submit_blocking(Task::Change(change))
    }
}
