//! Where a walk begins: at the latest chain of readings after which nothing earlier matters.

use super::meter_walk::{MeterWalk, power, registers};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Meter, Register, TimeRange, Timestamp};
use crate::ledger::{Beginning, Facts, PowerAt, PowerRun, RegisterRun};
use crate::store::{Digest, Measure, Piece, Run, StoreError};

/// The first reading of a walk that says from `start` on what a walk from the very first reading says; `None` without readings.
/// `all` are all readings of the sensor.
pub(super) fn beginning(
    all: &Digest,
    walk: &MeterWalk,
    (meter, facts): (Meter, Facts),
    start: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let Some(first) = first_of(all)? else {
        return Ok(None);
    };
    let mut length_ms = MS_PER_DAY;
    let mut end = start;
    // Further and further back, so that what is read is never much more than what is needed.
    while first < end {
        let before = end.saturating_add_millis(-1);
        let from = end.saturating_add_millis(-length_ms).max(first);
        let Some(range) = TimeRange::new(from, before) else {
            break;
        };
        let search = Beginning::new(meter, facts.clone());
        let found = search_in(all.within(range), walk.measure(), search)?;
        if found.is_some() {
            return Ok(found);
        }
        end = from;
        length_ms = length_ms.saturating_mul(2);
    }
    Ok(Some(first))
}

fn first_of(all: &Digest) -> Result<Option<Timestamp>, StoreError> {
    let piece = all.within(TimeRange::ALL).next_piece(|_| true)?;
    Ok(piece.and_then(|piece| match piece {
        Piece::Run(run) => Some(run.first),
        Piece::Values(values, _) => values.times.first().copied(),
    }))
}

fn search_in(
    mut readings: Digest,
    measure: Measure,
    mut search: Beginning,
) -> Result<Option<Timestamp>, StoreError> {
    let is_link = |search: &Beginning, run: &Run| match measure {
        Measure::Watthours => registers(run).is_some_and(|run| search.is_link(run)),
        Measure::Watts => power(run).is_some_and(|run| search.is_power_link(run)),
    };
    while let Some(piece) = readings.next_piece(|run| is_link(&search, run))? {
        let values = match piece {
            Piece::Run(run) => {
                if let Some(run) = registers(&run) {
                    search.add(run);
                }
                if let Some(run) = power(&run) {
                    search.add_power(run);
                }
                continue;
            }
            Piece::Values(values, _) => values,
        };
        for (&time, &number) in values.times.iter().zip(&values.numbers) {
            match measure {
                Measure::Watthours => search.add(&RegisterRun::at(Register {
                    time,
                    watthours: number,
                })),
                Measure::Watts => search.add_power(&PowerRun::at(PowerAt {
                    time,
                    watts: number,
                })),
            }
        }
    }
    Ok(search.found())
}
