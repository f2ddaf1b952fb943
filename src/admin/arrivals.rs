//! Arrivals in the future, left by a clock that ran ahead.

use super::error::AdminError;
use crate::domain::Timestamp;
use crate::store::Store;

pub(super) fn count_after(store: &Store, time_ms: i64) -> Result<u64, AdminError> {
    Ok(as_count(store.count_arrivals_after(time(time_ms)?)?))
}

pub(super) fn forget_after(store: &Store, time_ms: i64) -> Result<u64, AdminError> {
    let forgotten = store.forget_arrivals_after_durably_blocking(time(time_ms)?)?;
    Ok(as_count(forgotten))
}

fn time(ms: i64) -> Result<Timestamp, AdminError> {
    let invalid =
        || AdminError::Refused(format!("{ms} ms since 1970 is outside the supported years"));
    Timestamp::from_millis(ms).ok_or_else(invalid)
}

fn as_count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
