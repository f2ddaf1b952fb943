//! Corrections: adding and revoking them.

use crate::domain::AccountName;
use crate::ledger::{Correction, Made};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

impl Store {
    /// Adds a correction of a sensor of the account under the account's next number, and returns it. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the account does not have the sensor; [`StoreError::TooManyCorrections`],
    /// [`StoreError::TooManyCalibrations`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn add_correction_durably(
        &self,
        account: &AccountName,
        correction: Correction,
    ) -> Result<Correction, StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.add_correction(&account, correction))
    }

    /// Adds a correction under its own number, for restoring. Blocks.
    pub(crate) fn put_correction_durably(
        &self,
        account: &AccountName,
        correction: Correction,
    ) -> Result<(), StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.put_correction(&account, correction))
    }

    /// Revokes a correction, and returns it. Blocks.
    ///
    /// # Errors
    /// [`StoreError::NotInEffect`] if there is none with this number, or it was revoked; as above.
    pub fn revoke_correction_durably(
        &self,
        account: &AccountName,
        number: u32,
        by: Made,
    ) -> Result<Correction, StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.revoke_correction(&account, number, by))
    }
}
