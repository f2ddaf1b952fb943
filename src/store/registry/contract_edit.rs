//! Changes of the contracts of an account.

use std::sync::Arc;

use super::contract_records::{contract_key, encode_contract};
use super::edit::RegistryEdit;
use crate::domain::{AccountName, Currency};
use crate::ledger::contract::{Contract, ContractChange, ContractError, Contracts, Label};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, pieces};

impl RegistryEdit<'_> {
    /// Changes the contracts of an account, as somebody asks for it. Returns them after the change.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::Contract`] if the contracts would conflict, if
    /// a price series of them has another currency, or if there is none to remove;
    /// [`StoreError::TextTooLong`].
    pub fn change_contracts(
        &mut self,
        account: &AccountName,
        change: ContractChange,
    ) -> Result<Arc<Contracts>, StoreError> {
        let known = self.registry.contracts.get(account).cloned();
        let known = known.unwrap_or_default();
        let contracts = known.asked(change).map_err(StoreError::Contract)?;
        let all = contracts.all().iter();
        let changed = all.filter(|one| !known.all().contains(one));
        for contract in changed {
            self.check_series(account, contract)?;
        }
        self.put_contracts(account, &known, contracts)
    }

    /// Adds a contract as it was, such as one of a backup.
    ///
    /// # Errors
    /// As [`Self::change_contracts`].
    pub(crate) fn put_contract(
        &mut self,
        account: &AccountName,
        contract: Box<Contract>,
    ) -> Result<(), StoreError> {
        let known = self.registry.contracts.get(account).cloned();
        let known = known.unwrap_or_default();
        let contracts = known.changed(ContractChange::Put(contract));
        let contracts = contracts.map_err(StoreError::Contract)?;
        self.put_contracts(account, &known, contracts).map(drop)
    }

    /// Refuses a contract that names a price series in another currency.
    pub(super) fn check_series(
        &self,
        account: &AccountName,
        contract: &Contract,
    ) -> Result<(), StoreError> {
        let all = self.registry.series.get(account);
        let currency = |name: &Label| {
            let name = self.registry.series_name(account, name)?;
            all?.get(name)?.currency.as_ref()
        };
        for name in contract.series() {
            let to = contract.currency();
            let is_other = |it: &&Currency| {
                !it.may_be(to) && self.registry.exchange(account, it, to).is_none()
            };
            if let Some(found) = currency(name).filter(is_other) {
                let (found, expected) = (found.as_str(), contract.currency().as_str());
                return Err(StoreError::Contract(ContractError {
                    place: "components".to_owned(),
                    problem: format!(
                        "the prices of the series {name} are in {found}, and the contract is in {expected}; expected one currency: fill another series with prices in {expected}, or add exchange rates from {found}, such as those of the source ecb"
                    ),
                }));
            }
        }
        Ok(())
    }

    fn put_contracts(
        &mut self,
        account: &AccountName,
        known: &Contracts,
        contracts: Contracts,
    ) -> Result<Arc<Contracts>, StoreError> {
        self.check_account(account)?;
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
