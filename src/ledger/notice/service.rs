//! Notices about the service itself.

use std::time::Duration;

use super::kind::{Notice, NoticeKind, NoticeSubject};
use crate::domain::Timestamp;
use crate::domain::clock::AGREE_WITHIN;
use crate::ledger::contract::Label;

/// Prices must be there so long ahead; a notice stays until they are there for longer.
const PRICES_AHEAD: Duration = Duration::from_hours(1);
const PRICES_AHEAD_AGAIN: Duration = Duration::from_hours(3);
/// The first backup is due at the start, and takes a while.
const FIRST_BACKUP_WITHIN: Duration = Duration::from_mins(10);
/// A disk is nearly full below this, or below one part in [`NEARLY_FULL_PART`] of the space that
/// the store has and can have.
const NEARLY_FULL_BYTES: u64 = 256 * 1024 * 1024;
const NEARLY_FULL_PART: u64 = 50;

/// Opens if a series that a contract names lacks a price before an hour from now, and closes once
/// it lacks none before three hours from now. `first_missing` is the first time without a price
/// since the statement that is running began.
#[must_use]
pub fn prices_missing(
    series: &Label,
    first_missing: Timestamp,
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let ahead = open_since.map_or(PRICES_AHEAD, |_| PRICES_AHEAD_AGAIN);
    (first_missing < now.saturating_add(ahead)).then(|| Notice {
        kind: NoticeKind::PricesMissing,
        subject: NoticeSubject::Series(series.clone()),
        since: open_since.unwrap_or(first_missing),
        happened: format!("The price series {series} lacks prices."),
    })
}

/// A series, or a day list, lacks values that its source should have published long ago, from
/// `first_missing` on.
#[must_use]
pub fn price_source_late(
    series: &Label,
    first_missing: Timestamp,
    open_since: Option<Timestamp>,
) -> Notice {
    Notice {
        kind: NoticeKind::PriceSourceLate,
        subject: NoticeSubject::Series(series.clone()),
        since: open_since.unwrap_or(first_missing),
        happened: format!(
            "The source of {series} is late: values that should be there by now are missing."
        ),
    }
}

/// The source of a series, or of a day list, differs from the stored values, first at `since`.
#[must_use]
pub fn price_conflict(series: &Label, since: Timestamp) -> Notice {
    Notice {
        kind: NoticeKind::PriceConflict,
        subject: NoticeSubject::Series(series.clone()),
        since,
        happened: format!(
            "The source of {series} differs from the stored values. The stored values apply."
        ),
    }
}

/// Opens if the newest backup is older than two intervals, or there is none ten minutes after the
/// start; closes with the next one.
#[must_use]
pub fn backup_overdue(
    newest: Option<Timestamp>,
    every: Duration,
    started: Timestamp,
    now: Timestamp,
) -> Option<Notice> {
    let due = match newest {
        Some(taken) => taken.saturating_add(every.saturating_mul(2)),
        None => started.saturating_add(FIRST_BACKUP_WITHIN),
    };
    (due < now).then(|| Notice {
        kind: NoticeKind::BackupOverdue,
        subject: NoticeSubject::Service,
        since: due,
        happened: match newest {
            Some(taken) => format!("The newest backup was taken at {taken}."),
            None => "There is no backup yet.".to_owned(),
        },
    })
}

/// Opens if less than 256 MiB are free, or less than 2 % of the free space and the store together;
/// closes with twice as much.
#[must_use]
pub fn disk_nearly_full(
    store_bytes: u64,
    free_bytes: u64,
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    // Space used by other programs does not count: the store cannot grow into it.
    let part = free_bytes.saturating_add(store_bytes) / NEARLY_FULL_PART;
    let times = if open_since.is_some() { 2 } else { 1 };
    let least = part.max(NEARLY_FULL_BYTES).saturating_mul(times);
    (free_bytes < least).then(|| Notice {
        kind: NoticeKind::DiskNearlyFull,
        subject: NoticeSubject::Service,
        since: open_since.unwrap_or(now),
        happened: "The disk of the store is nearly full.".to_owned(),
    })
}

/// Opens if something was lost by damage to the store; closes once somebody confirms that it was
/// read.
#[must_use]
pub fn store_damaged(
    lost: &[String],
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    (!lost.is_empty()).then(|| Notice {
        kind: NoticeKind::StoreDamaged,
        subject: NoticeSubject::Service,
        since: open_since.unwrap_or(now),
        happened: "The store is damaged: some of its data is lost.".to_owned(),
    })
}

/// Opens if an upload came more than a minute after now: the clock was wrong then, or is now.
/// Closes when the clock has passed it.
#[must_use]
pub fn wrong_clock(
    newest_upload: Timestamp,
    now: Timestamp,
    open_since: Option<Timestamp>,
) -> Option<Notice> {
    let tolerance = open_since.map_or(AGREE_WITHIN, |_| Duration::ZERO);
    (now.saturating_add(tolerance) < newest_upload).then(|| Notice {
        kind: NoticeKind::WrongClock,
        subject: NoticeSubject::Service,
        since: open_since.unwrap_or(now),
        happened: "The clock was set back, or ran ahead before: uploads came later than now."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    fn hour(hour: i64) -> Timestamp {
        Timestamp::from_millis(hour * 3_600_000).unwrap()
    }

    fn later(hours: i64, ms: i64) -> Timestamp {
        hour(hours).saturating_add_millis(ms)
    }

    #[test]
    fn prices_must_be_there_ahead() {
        let series = Label::new("day-ahead").unwrap();
        let since = |first_missing, open: Option<i64>| {
            let found = prices_missing(&series, first_missing, hour(10), open.map(hour));
            found.map(|notice| notice.since)
        };
        assert_eq!(since(hour(11), None), None);
        assert_eq!(since(later(11, -1), None), Some(later(11, -1)));
        assert_eq!(since(hour(2), None), Some(hour(2)));
        assert_eq!(since(hour(12), Some(9)), Some(hour(9)));
        assert_eq!(since(hour(13), Some(9)), None);
    }

    #[test]
    fn backups_are_due_after_two_intervals() {
        let since = |newest, now| {
            backup_overdue(newest, HOUR * 24, hour(0), now).map(|notice| notice.since)
        };
        assert_eq!(since(Some(hour(0)), hour(48)), None);
        assert_eq!(since(Some(hour(0)), later(48, 1)), Some(hour(48)));
        assert_eq!(since(None, later(0, 600_000)), None);
        assert_eq!(since(None, later(0, 600_001)), Some(later(0, 600_000)));
    }

    #[test]
    fn a_disk_is_full_until_there_is_twice_as_much() {
        const MIB: u64 = 1024 * 1024;
        let is_open = |store, free, was_open: bool| {
            disk_nearly_full(store * MIB, free * MIB, hour(1), was_open.then(|| hour(0))).is_some()
        };
        for (store, free, opens, stays) in [
            (0, 255, true, true),
            (0, 256, false, true),
            (0, 511, false, true),
            (0, 512, false, false),
            // 2 % of 50,000.
            (49_001, 999, true, true),
            (49_000, 1_000, false, true),
            (48_000, 2_000, false, false),
        ] {
            assert_eq!(
                (is_open(store, free, false), is_open(store, free, true)),
                (opens, stays),
                "{store} {free}"
            );
        }
        assert!(disk_nearly_full(u64::MAX, u64::MAX / 100, hour(1), None).is_some());
    }

    #[test]
    fn a_clock_is_wrong_until_it_has_passed_the_uploads() {
        let is_open = |ahead_ms, open| wrong_clock(later(5, ahead_ms), hour(5), open).is_some();
        assert!(!is_open(60_000, None) && is_open(60_001, None));
        assert!(is_open(1, Some(hour(4))) && !is_open(0, Some(hour(4))));
    }
}
