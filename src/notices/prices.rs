//! Missing prices in a contract's series.

use std::collections::BTreeSet;

use super::changes::KeptNotices;
use crate::domain::{Account, Calendar, Interval, TimeRange, Timestamp};
use crate::ledger::contract::{Contract, Label};
use crate::ledger::notice::{Notice, NoticeKind, NoticeSubject, prices_missing};
use crate::store::{Registry, Store, StoreError};

/// How far ahead prices are looked for: further than any limit that opens or ends a notice.
const AHEAD_MS: i64 = 4 * 3_600_000;

/// The missing prices in the series of the contract in force at `now`, since the start of this
/// month or of the contract. May block on disk reads.
pub(super) fn missing_prices(
    store: &Store,
    registry: &Registry,
    account: &Account,
    kept: &KeptNotices<'_>,
    now: Timestamp,
) -> Result<Vec<Notice>, StoreError> {
    let zone = &account.zone;
    let all = registry.contracts(&account.name);
    let mut all = all.iter().flat_map(|contracts| contracts.all());
    let Some(contract) = all.rfind(|one| one.from().start(zone) <= now) else {
        return Ok(Vec::new());
    };
    let month = Calendar::new(zone.clone(), Interval::Month).bucket(now);
    let start = month.start().max(contract.from().start(zone));
    let names: BTreeSet<&Label> = Contract::series(contract).collect();
    let mut found = Vec::new();
    for name in names {
        let end = now.saturating_add_millis(AHEAD_MS);
        let range = TimeRange::new(start, end).unwrap_or(TimeRange::at(now));
        let series = store.prices(&account.name, name, range)?;
        let mut first_missing = start;
        while first_missing < end
            && let Some(price) = series.at(first_missing)
        {
            first_missing = price.to;
        }
        let subject = NoticeSubject::Series(name.clone());
        let open_since = kept.open_since(NoticeKind::PricesMissing, &subject);
        found.extend(prices_missing(name, first_missing, now, open_since));
    }
    Ok(found)
}
