//! Notices: listing and dismissing them.

use super::error::AdminError;
use super::names::account_name;
use super::response::Response;
use super::rows::NoticeRow;
use crate::domain::{AccountName, Timestamp};
use crate::ledger::notice::NoticeKey;
use crate::ledger::{Author, Made};
use crate::store::{Registry, Store, StoreError};

/// The open notices of an account, oldest first, including dismissed ones; `None` for the service's
/// own.
#[must_use]
pub fn notice_rows(registry: &Registry, account: Option<&AccountName>) -> Vec<NoticeRow> {
    let its = registry
        .notices()
        .filter(|(key, known)| key.account.as_ref() == account && known.is_open());
    let mut its: Vec<_> = its.collect();
    its.sort_by_key(|(_, known)| known.opened);
    let rows = its.into_iter();
    rows.map(|(key, known)| NoticeRow::new(key, known))
        .collect()
}

/// The owners of the notices that an account's credentials may see: the account, and also the
/// service if it is the only account.
pub fn notice_owners(
    registry: &Registry,
    account: &AccountName,
) -> impl Iterator<Item = Option<AccountName>> {
    let is_only = registry.accounts().count() == 1;
    let own = Some(account.clone());
    [own].into_iter().chain(is_only.then_some(None))
}

pub(super) fn list(store: &Store) -> Vec<NoticeRow> {
    let registry = store.registry();
    let mut rows = notice_rows(&registry, None);
    for account in registry.accounts() {
        rows.extend(notice_rows(&registry, Some(&account.name)));
    }
    rows
}

pub(super) fn dismiss(
    store: &Store,
    (account, id): (Option<String>, String),
    now: Timestamp,
) -> Result<Response, AdminError> {
    let account = account.as_deref().map(account_name).transpose()?;
    let registry = store.registry();
    let mut keys = registry
        .notices()
        .map(|(key, _)| key)
        .filter(|key| key.id == id && (account.is_none() || key.account == account));
    let key = match (keys.next(), keys.next()) {
        (Some(key), None) => key,
        (None, _) => return Err(StoreError::UnknownNotice(id).into()),
        (Some(_), Some(_)) => {
            return Err(AdminError::Refused(format!(
                "several accounts have a notice {id:?}: name one with --account NAME"
            )));
        }
    };
    let dismissed = dismiss_notice(store, key, Author::CommandLine, now)?;
    Ok(Response::Notices(vec![dismissed]))
}

/// Dismisses a notice: it is hidden until it ends. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if no such notice is open, [`AdminError::Store`].
pub fn dismiss_notice(
    store: &Store,
    key: &NoticeKey,
    by: Author,
    now: Timestamp,
) -> Result<NoticeRow, AdminError> {
    let made = Made::new(now, by, "")?;
    let of = key.clone();
    let dismissed = store.edit(move |edit| edit.dismiss_notice(of, made))?;
    Ok(NoticeRow::new(key, &dismissed))
}
