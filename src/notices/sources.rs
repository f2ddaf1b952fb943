//! Price sources that are late, or differ from stored prices.

use super::changes::KeptNotices;
use crate::domain::{Account, Timestamp};
use crate::ledger::notice::{Notice, NoticeKind, NoticeSubject, price_conflict, price_source_late};
use crate::price_sources::PriceSources;
use crate::store::{Registry, Store, StoreError};

/// The notices about the sources of an account. May block on disk reads.
pub(super) fn source_notices(
    (store, sources): (&Store, &PriceSources),
    registry: &Registry,
    account: &Account,
    kept: &KeptNotices<'_>,
    now: Timestamp,
) -> Result<Vec<Notice>, StoreError> {
    let mut found = Vec::new();
    for source in sources.list() {
        if source.account(registry).as_ref() != Some(&account.name) {
            continue;
        }
        let of = (store, &account.name);
        let series = &source.settings().series;
        let open_since = |kind| kept.open_since(kind, &NoticeSubject::Series(series.clone()));
        let late_since = open_since(NoticeKind::PriceSourceLate);
        let late = source.late(of, now, late_since.is_none())?;
        found.extend(late.map(|time| price_source_late(series, time, late_since)));
        let contradicted = source.contradicted(of, open_since(NoticeKind::PriceConflict))?;
        found.extend(contradicted.map(|since| price_conflict(series, since)));
    }
    Ok(found)
}

/// Whether a notice of this kind is about a price source.
pub(super) const fn is_of_source(kind: NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::PriceSourceLate | NoticeKind::PriceConflict
    )
}
