//! Single values of a sensor, and the number of its readings: mostly from summaries.

use crate::domain::{Register, TimeRange, Timestamp};
use crate::store::backend::ReadingsView;
use crate::store::blocks::source::{reaching_into, summaries_of};
use crate::store::blocks::{Finder, Measure, MeasuredValue};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::rows::Power;

/// The newest register at or before `time`.
pub(crate) fn register_at(
    view: &dyn ReadingsView,
    time: Timestamp,
) -> Result<Option<Register>, StoreError> {
    let newest = newest(view, time, Measure::Watthours)?;
    Ok(newest.map(register))
}

/// The newest power at or before `time`.
pub(crate) fn power_at(
    view: &dyn ReadingsView,
    time: Timestamp,
) -> Result<Option<Power>, StoreError> {
    let newest = newest(view, time, Measure::Watts)?;
    Ok(newest.map(|value| Power {
        time: value.time,
        watts: value.number,
    }))
}

const fn register(value: MeasuredValue) -> Register {
    Register {
        time: value.time,
        watthours: value.number,
    }
}

fn newest(
    view: &dyn ReadingsView,
    time: Timestamp,
    measure: Measure,
) -> Result<Option<MeasuredValue>, StoreError> {
    let range = TimeRange::new(Timestamp::MIN, time).unwrap_or(TimeRange::at(time));
    let rows = view.rows(range, Some(measure), Order::Descending, 1)?;
    let hot = rows.first().and_then(|row| measure.of(row));
    let sealed = newest_sealed(view, range, measure)?;
    // A hot row at the time of a sealed reading is newer than it. `None` is less than any time, so
    // this also holds if only one of them was found.
    let is_sealed_later = sealed.map(|value| value.time) > hot.map(|value| value.time);
    Ok(if is_sealed_later { sealed } else { hot })
}

/// The newest value in the blocks that begin in `range`, up to its end. Decodes at most one, unless
/// it lacks the measure.
fn newest_sealed(
    blocks: &dyn ReadingsView,
    range: TimeRange,
    measure: Measure,
) -> Result<Option<MeasuredValue>, StoreError> {
    // Usually the first summary answers. A sensor that never had the measure makes this read all of
    // them.
    for summary in summaries_of(blocks, range, Order::Descending) {
        let summary = summary?;
        let Some(last) = measure.last_of(&summary) else {
            continue;
        };
        if last.time <= range.end() {
            return Ok(Some(last));
        }
        // The block extends beyond the range: look for an earlier value in it.
        let readings = blocks.readings(summary.first)?;
        let values = readings.iter().filter_map(|reading| measure.of(reading));
        let found = values.take_while(|value| value.time <= range.end()).last();
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// The first register.
pub(crate) fn first_register(view: &dyn ReadingsView) -> Result<Option<Register>, StoreError> {
    let measure = Measure::Watthours;
    let rows = view.rows(TimeRange::ALL, Some(measure), Order::Ascending, 1)?;
    let hot = rows.first().and_then(|row| measure.of(row)).map(register);
    let sealed = first_sealed_register(view)?;
    Ok(match (hot, sealed) {
        (Some(hot), Some(sealed)) if sealed.time < hot.time => Some(sealed),
        (hot, sealed) => hot.or(sealed),
    })
}

fn first_sealed_register(blocks: &dyn ReadingsView) -> Result<Option<Register>, StoreError> {
    for summary in summaries_of(blocks, TimeRange::ALL, Order::Ascending) {
        if let Some(registers) = summary?.registers {
            return Ok(Some(registers.first));
        }
    }
    Ok(None)
}

/// The number of readings in `range`, both ends included. Decodes only blocks at its ends, and
/// those with hot rows inside.
pub(crate) fn count_readings(view: &dyn ReadingsView, range: TimeRange) -> Result<u64, StoreError> {
    let mut count = 0;
    for summary in reaching_into(view, range)? {
        let summary = summary?;
        count += if range.contains(summary.first) && range.contains(summary.last) {
            u64::from(summary.count)
        } else {
            let readings = view.readings(summary.first)?;
            let within = readings.iter().filter(|it| range.contains(it.time));
            within.count() as u64
        };
    }
    // A hot row over a sealed reading replaces it, and was counted with the block. Rows come in
    // order, so each block with rows inside is decoded once.
    let mut finder = Finder::default();
    for row in view.rows(range, None, Order::Ascending, usize::MAX)? {
        let is_sealed = finder.at(view, row.time)?.is_some();
        count += u64::from(!is_sealed);
    }
    Ok(count)
}
