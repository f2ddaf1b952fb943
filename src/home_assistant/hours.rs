//! The sums of a subject's hours, from the ledger.

use std::ops::Range;
use std::sync::Arc;

use super::statistic::{HistorySubject, SumHour};
use crate::domain::{Account, Interval, MicroWh, Timestamp, Zone};
use crate::house::{EnergyQuestion, EnergyReport, HouseSensors};
use crate::store::{Store, StoreError};

/// A sum before an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunningSum {
    /// In millionths.
    sum: i64,
    /// Whether any hour was not zero.
    pub(super) has_begun: bool,
}

/// The hours of each statistic of a subject, in their order.
pub(super) type SubjectHours = Vec<Vec<SumHour>>;

/// The hours of a range, whose ends are full hours in UTC, after these sums. The sums go on. An
/// hour without a known value is left out. Blocks on the disk.
pub(super) fn ledger_hours(
    (store, account): (&Arc<Store>, &Account),
    subject: &HistorySubject,
    range: Range<Timestamp>,
    sums: &mut [RunningSum],
    now: Timestamp,
) -> Result<SubjectHours, StoreError> {
    let question = EnergyQuestion {
        of: subject.id().cloned(),
        range,
        interval: Some(Interval::Hour),
        zone: Zone::UTC,
        with_sources: false,
    };
    let columns = subject.row_columns();
    let mut hours = vec![Vec::new(); columns.len()];
    // The sensor may have been removed meanwhile.
    let Some(mut report) = EnergyReport::open(store, account, question, now)? else {
        return Ok(hours);
    };
    let mut rows = Vec::new();
    let mut is_more = true;
    while is_more {
        is_more = report.next_run(&mut rows)?;
        for row in rows.drain(..) {
            let of_columns = columns.iter().zip(sums.iter_mut()).zip(&mut hours);
            for ((column, sum), hours) in of_columns {
                let Some(value) = row.value(*column) else {
                    continue;
                };
                // Both kinds of values are whole millionths.
                let value = MicroWh::from_watthours(value).millionths();
                sum.sum = sum.sum.saturating_add(value);
                sum.has_begun |= value != 0;
                hours.push(SumHour {
                    start: row.start,
                    sum: sum.sum,
                    is_leading: !sum.has_begun,
                });
            }
        }
    }
    Ok(hours)
}

/// When the history of a subject begins; `None` without any. Blocks on the disk.
pub(super) fn begins(
    store: &Store,
    account: &Account,
    subject: &HistorySubject,
    now: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let house = HouseSensors::of(store, &account.name, now)?;
    let is_own = |id| subject.id().is_none_or(|own| own == id);
    let own = house.sensors.iter().filter(|it| is_own(&it.sensor.id));
    let begins = own.map(|it| it.begin(store));
    let begins: Vec<_> = begins.collect::<Result<_, _>>()?;
    Ok(begins.into_iter().flatten().min())
}
