//! Names in requests. They come as text from a person or a socket, and are checked here.

use super::error::{AdminError, wrong};
use crate::domain::name::check_name;
use crate::domain::{Account, AccountName, ApiId, SensorId, Timestamp, Zone};
use crate::store::{Registry, Store, StoreError};

pub(super) fn account_name(text: &str) -> Result<AccountName, AdminError> {
    AccountName::new(text).map_err(|error| wrong("account", error, None))
}

/// Returns the account with this name, which must exist; without a name, the only account.
pub(super) fn owner(registry: &Registry, name: Option<&str>) -> Result<AccountName, AdminError> {
    if let Some(name) = name {
        let name = account_name(name)?;
        return match registry.account(&name) {
            Some(_) => Ok(name),
            None => Err(StoreError::UnknownAccount(name.to_string()).into()),
        };
    }
    let mut accounts = registry.accounts();
    match (accounts.next(), accounts.next()) {
        (Some(only), None) => Ok(only.name.clone()),
        (None, _) => Err(AdminError::Refused(
            "account: there is none yet; add one with `wattkeeper account add NAME`".into(),
        )),
        _ => Err(AdminError::Refused(
            "account: there are several; name one with --account NAME".into(),
        )),
    }
}

pub(super) fn api_id(text: &str) -> Result<ApiId, AdminError> {
    ApiId::new(text).map_err(|error| wrong("key", error, None))
}

pub(super) fn sensor_id(text: &str) -> Result<SensorId, AdminError> {
    SensorId::new(text).map_err(|error| wrong("id", error, None))
}

/// Checks a label for people: short, on one line, or empty.
pub(super) fn check_label(field: &'static str, text: &str) -> Result<(), AdminError> {
    // Well within the 1,024 bytes that the store allows: restored backups may have longer ones.
    const MAX_BYTES: usize = 128;
    if text.is_empty() {
        return Ok(());
    }
    check_name(text, MAX_BYTES).map_err(|error| wrong(field, error, None))
}

/// The account with this name; without a name, the only one.
pub(super) fn found(store: &Store, name: Option<&str>) -> Result<Account, AdminError> {
    let registry = store.registry();
    let name = owner(&registry, name)?;
    let account = registry.account(&name).cloned();
    account.ok_or_else(|| AdminError::Refused(format!("there is no account {name}")))
}

/// A typed time; a date alone is the start of that day in `zone`.
pub(super) fn time(field: &'static str, text: &str, zone: &Zone) -> Result<Timestamp, AdminError> {
    if let Ok(midnight) = Timestamp::parse_date(text) {
        return Ok(zone.start_of_day(midnight));
    }
    Timestamp::parse_or_date(text)
        .map_err(|error| wrong(field, format!("{error}; got {text}"), None))
}
