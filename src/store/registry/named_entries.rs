//! The entries of an account by kind.

use super::entry::AccountEntry;
use super::registered::Registry;
use crate::domain::{AccountName, EntryKind};
use crate::ledger::Purchase;
use crate::ledger::contract::{Contract, Tenancy};

impl Registry {
    /// The offers of an account, by name.
    pub fn offers(&self, account: &AccountName) -> impl Iterator<Item = &Contract> {
        let all = self.entries(EntryKind::Offer, account);
        all.filter_map(|entry| match entry {
            AccountEntry::Offer(offer) => Some(&**offer),
            _ => None,
        })
    }

    /// The offer of an account with this name.
    #[must_use]
    pub fn offer(&self, account: &AccountName, name: &str) -> Option<&Contract> {
        self.offers(account).find(|one| one.name().as_str() == name)
    }

    /// The purchases of an account, by name.
    pub fn purchases(&self, account: &AccountName) -> impl Iterator<Item = &Purchase> {
        let all = self.entries(EntryKind::Purchase, account);
        all.filter_map(|entry| match entry {
            AccountEntry::Purchase(purchase) => Some(purchase),
            _ => None,
        })
    }

    /// The tenancies of an account, by name.
    pub fn tenancies(&self, account: &AccountName) -> impl Iterator<Item = &Tenancy> {
        let all = self.entries(EntryKind::Tenancy, account);
        all.filter_map(|entry| match entry {
            AccountEntry::Tenancy(tenancy) => Some(tenancy),
            _ => None,
        })
    }
}
