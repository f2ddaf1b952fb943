//! Changes of the contracts of an account.

use std::sync::Arc;

use super::contract_records::{contract_key, encode_contract};
use super::edit::RegistryEdit;
use crate::domain::AccountName;
use crate::ledger::contract::{ContractChange, Contracts};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, pieces};

impl RegistryEdit<'_> {
    /// Changes the contracts of an account. Returns them after the change.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::Contract`] if the contracts would conflict, or
    /// there is none to remove; [`StoreError::TextTooLong`].
    pub fn change_contracts(
        &mut self,
        account: &AccountName,
        change: ContractChange,
    ) -> Result<Arc<Contracts>, StoreError> {
        self.check_account(account)?;
        let known = self.registry.contracts.get(account).cloned();
        let known = known.unwrap_or_default();
        let contracts = known.changed(change).map_err(StoreError::Contract)?;
        let records = self.changes.of(RecordKind::Contracts);
        for contract in known.all() {
            let is_left = |one: &_| *one == *contract;
            if !contracts.all().iter().any(is_left) {
                pieces::remove(records, &contract_key(account, contract.from()));
            }
        }
        for contract in contracts.all() {
            if !known.all().contains(contract) {
                let key = contract_key(account, contract.from());
                pieces::put(records, &key, &encode_contract(contract)?);
            }
        }
        let contracts = Arc::new(contracts);
        if contracts.all().is_empty() {
            self.registry.contracts.remove(account);
        } else {
            let all = &mut self.registry.contracts;
            all.insert(account.clone(), Arc::clone(&contracts));
        }
        Ok(contracts)
    }
}
