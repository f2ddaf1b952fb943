//! Contracts: changing those of an account.

use std::sync::Arc;

use crate::domain::AccountName;
use crate::ledger::contract::{ContractChange, Contracts};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

impl Store {
    /// Changes the contracts of an account, and returns them as they are then. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::Contract`] if the contracts would not fit each other, or there is none to
    /// remove; [`StoreError::TextTooLong`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn change_contracts_durably(
        &self,
        account: &AccountName,
        change: ContractChange,
    ) -> Result<Arc<Contracts>, StoreError> {
        let account = account.clone();
        self.register(move |edit| edit.change_contracts(&account, change))
    }
}
