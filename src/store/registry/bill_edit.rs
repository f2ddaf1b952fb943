//! Changes of the utility's bills: adding and removing.

use std::sync::Arc;

use super::bill_records::{bill_key, encode_bill};
use super::edit::RegistryEdit;
use crate::domain::AccountName;
use crate::ledger::utility::EnteredBill;
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, pieces};

/// The maximum number of bills of an account: twenty years of months. Each is compared with a
/// statement.
const MOST_BILLS: usize = 240;

impl RegistryEdit<'_> {
    /// Adds a bill with the next number of the account, and returns the number.
    pub(crate) fn add_bill(
        &mut self,
        account: &AccountName,
        bill: EnteredBill,
    ) -> Result<u32, StoreError> {
        let all = self.registry.bills.get(account);
        let last = all.and_then(|all| all.last_key_value());
        let number = last.map_or(1, |(number, _)| number.saturating_add(1));
        self.put_bill(account, number, bill)?;
        Ok(number)
    }

    /// Adds a bill with its own number.
    pub(crate) fn put_bill(
        &mut self,
        account: &AccountName,
        number: u32,
        bill: EnteredBill,
    ) -> Result<(), StoreError> {
        self.check_account(account)?;
        let all = self.registry.bills.entry(account.clone()).or_default();
        let all = Arc::make_mut(all);
        if all.len() >= MOST_BILLS {
            return Err(StoreError::TooManyBills(account.to_string()));
        }
        let records = self.changes.of(RecordKind::Bills);
        pieces::put(records, &bill_key(account, number), &encode_bill(&bill)?);
        all.insert(number, bill);
        Ok(())
    }

    /// Removes a bill.
    pub(crate) fn remove_bill(
        &mut self,
        account: &AccountName,
        number: u32,
    ) -> Result<(), StoreError> {
        let unknown = || StoreError::UnknownBill(number, account.to_string());
        let all = self.registry.bills.get_mut(account).ok_or_else(unknown)?;
        Arc::make_mut(all).remove(&number).ok_or_else(unknown)?;
        if all.is_empty() {
            self.registry.bills.remove(account);
        }
        let records = self.changes.of(RecordKind::Bills);
        pieces::remove(records, &bill_key(account, number));
        Ok(())
    }

    /// Removes all bills of an account.
    pub(super) fn remove_bills(&mut self, account: &AccountName) {
        let records = self.changes.of(RecordKind::Bills);
        for number in self
            .registry
            .bills
            .remove(account)
            .iter()
            .flat_map(|all| all.keys())
        {
            pieces::remove(records, &bill_key(account, *number));
        }
    }
}
