//! The peaks of a house for several ranges: one walk instead of one for each range.

use super::prices::HousePrices;
use super::sensors::HouseSensors;
use crate::domain::Timestamp;
use crate::ledger::contract::PeakHistory;
use crate::store::{Store, StoreError};

/// The number of spans whose energy is read at once.
const MOST_SPANS: usize = 4_096;

/// The peaks for the contracts of a range, until its end; `None` if no demand charge takes the mean of
/// several periods.
/// Blocks on the disk.
pub(super) fn measured_peaks(
    store: &Store,
    house: &HouseSensors,
    prices: &HousePrices,
) -> Result<Option<PeakHistory>, StoreError> {
    let mut history = prices.pricer().into_history();
    if !history.is_long() {
        return Ok(None);
    }
    measure_until(store, house, &mut history, prices.range().end)?;
    Ok(Some(history))
}

/// Measures until a time, span by span. Blocks on the disk.
pub(super) fn measure_until(
    store: &Store,
    house: &HouseSensors,
    history: &mut PeakHistory,
    end: Timestamp,
) -> Result<(), StoreError> {
    let at_grid = house.only(|it| it.sensor.role.is_at_grid());
    while history.measured() < end {
        let mut times = vec![history.measured()];
        while let Some(last) = times.last().filter(|last| **last < end)
            && times.len() <= MOST_SPANS
        {
            let next = history.until(*last).min(end);
            times.push(next.max(last.saturating_add_millis(1)));
        }
        let mut flows = at_grid
            .between(store, &times)?
            .all(|_| {})?
            .into_iter()
            .peekable();
        for (&from, &to) in times.iter().zip(times.iter().skip(1)) {
            let known = flows.next_if(|known| known.start == from);
            let known = known.map(|slot| at_grid.measured_at_grid(&slot));
            let known = known.and_then(|(measured, is_whole)| measured.flow.filter(|_| is_whole));
            history.add(from, to, known.map(|flow| flow.imported));
        }
    }
    Ok(())
}
