//! Facts of accounts that have a name each, in memory: formats of files, offers, purchases.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::AccountName;
use crate::ledger::contract::Label;

/// The facts of each account, by name. Shared, because each change copies the registry.
pub(crate) type NamedFacts<T> = BTreeMap<AccountName, Arc<BTreeMap<Label, T>>>;

/// Puts a fact in the place of the one of the same name. Returns whether the account has at most
/// `most` of them.
pub(super) fn put<T: Clone>(
    all: &mut NamedFacts<T>,
    account: &AccountName,
    (name, fact): (Label, T),
    most: usize,
) -> bool {
    let of_account = Arc::make_mut(all.entry(account.clone()).or_default());
    of_account.insert(name, fact);
    of_account.len() <= most
}

/// Removes a fact; `None` if there is none of that name.
pub(super) fn remove<T: Clone>(
    all: &mut NamedFacts<T>,
    account: &AccountName,
    name: &Label,
) -> Option<T> {
    let of_account = all.get_mut(account)?;
    let removed = Arc::make_mut(of_account).remove(name)?;
    if of_account.is_empty() {
        all.remove(account);
    }
    Some(removed)
}
