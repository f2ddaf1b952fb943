//! The utility's bills: adding and removing them.

use crate::domain::AccountName;
use crate::ledger::utility::EnteredBill;
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

impl Store {
    /// Adds a bill under the number after the account's last one, and returns that. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManyBills`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn add_bill_durably(
        &self,
        account: &AccountName,
        bill: EnteredBill,
    ) -> Result<u32, StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.add_bill(&account, bill))
    }

    /// Adds a bill under its own number, for restoring. Blocks.
    pub(crate) fn put_bill_durably(
        &self,
        account: &AccountName,
        number: u32,
        bill: EnteredBill,
    ) -> Result<(), StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.put_bill(&account, number, bill))
    }

    /// Removes a bill. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownBill`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn remove_bill_durably(
        &self,
        account: &AccountName,
        number: u32,
    ) -> Result<(), StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.remove_bill(&account, number))
    }
}
