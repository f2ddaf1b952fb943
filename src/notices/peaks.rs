//! New peaks ahead, in a house whose contract prices the demand.

use super::changes::KeptNotices;
use crate::domain::{Account, Timestamp};
use crate::house::{PeakGuard, PeakNow};
use crate::ledger::notice::{Notice, NoticeKind, NoticeSubject, PeakAhead, peak_ahead};
use crate::store::{Store, StoreError};

/// The new peak that is ahead at `now`, if it is time to tell it: an alarm lasts until its span ends, and
/// no other one comes meanwhile. May block on disk reads.
pub(super) fn new_peaks(
    store: &Store,
    account: &Account,
    (guard, kept): (&PeakGuard, &KeptNotices<'_>),
    now: Timestamp,
) -> Result<Vec<Notice>, StoreError> {
    let told = kept.open().map(|(_, known)| &known.notice);
    let lasting: Vec<Notice> = told.filter(|it| lasts(it, now)).cloned().collect();
    if !lasting.is_empty() {
        return Ok(lasting);
    }
    let Some(found) = guard.look(store, account, now)? else {
        return Ok(Vec::new());
    };
    let is_due = |it: &&PeakNow| it.demand.is_time() && it.is_new_peak();
    let due = found.demands.iter().find(is_due);
    let notice = due.and_then(|it| {
        let span = it.demand.span();
        let ahead = PeakAhead {
            until: span.end,
            likely: it.likely()?,
            level: it.demand.level().power(),
            rise: it.rise?,
            currency: found.currency.clone(),
        };
        Some(peak_ahead(ahead, span.start))
    });
    Ok(notice.into_iter().collect())
}

/// Whether it is about a span that has not ended.
fn lasts(notice: &Notice, now: Timestamp) -> bool {
    match &notice.subject {
        NoticeSubject::Peak(ahead) => {
            // The clock may have been set back.
            notice.kind == NoticeKind::PeakAhead && (notice.since..ahead.until).contains(&now)
        }
        _ => false,
    }
}
