//! Where a walk begins: at the latest chain of readings after which nothing earlier matters.

use std::ops::Range;

use super::meter_walk::{MeterWalk, power, registers};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Meter, Register, TimeRange, Timestamp};
use crate::ledger::{Beginning, Facts, PowerAt, PowerRun, RegisterRun};
use crate::store::{Digest, Measure, Piece, Run, StoreError};

/// The most readings, or totals of them, that a search looks at. If none of so many fit each other,
/// the meter is broken: it has no energy, and each question would read its whole history.
const MOST_SEARCHED: usize = 8_192;

/// The result of a search.
enum Searched {
    /// A chain that is long enough begins here.
    Chain(Timestamp),
    /// No chain is long enough, among so many readings and totals. The longest one begins here.
    Nothing(usize, Option<Timestamp>),
    /// More readings than the limit.
    TooMany,
}

/// Returns the first reading of a walk that, from `start` on, gives the same result as a walk from
/// the very first reading; `None` without readings. `all` is the range of all readings of the
/// sensor. If no chain is found near enough, it is the first reading of the longest chain.
pub(super) fn beginning(
    all: &Digest,
    walk: &MeterWalk,
    (meter, facts): (Meter, Facts),
    start: Timestamp,
) -> Result<Option<Timestamp>, StoreError> {
    let Some(first) = first_of(all)? else {
        return Ok(None);
    };
    let (mut length_ms, mut end, mut left) = (MS_PER_DAY, start, MOST_SEARCHED);
    let mut is_last = false;
    // In growing steps, so that a search never reads much more than it needs.
    while first < end {
        // Readings that are marked as wrong break chains, but are no reason to give up.
        if let Some(wrong) = facts.wrong.iter().find(|wrong| is_in(end, wrong)) {
            end = wrong.start;
            continue;
        }
        let marked = facts.wrong.iter().map(|wrong| wrong.end);
        let marked = marked.filter(|marked| *marked < end).max();
        let from = end.saturating_add_millis(-length_ms).max(first);
        let from = marked.map_or(from, |marked| marked.max(from));
        let Some(range) = TimeRange::new(from, end.saturating_add_millis(-1)) else {
            break;
        };
        let search = Beginning::new(meter, facts.clone());
        match search_in(all.within(range), walk.measure(), search, left)? {
            Searched::Chain(found) => return Ok(Some(found)),
            Searched::Nothing(count, longest) => {
                left = left.saturating_sub(count);
                if is_last || left == 0 {
                    return Ok(Some(longest.unwrap_or(from)));
                }
                end = from;
                length_ms = length_ms.saturating_mul(2);
            }
            // The newest of them, in one search more.
            Searched::TooMany => {
                is_last = true;
                length_ms = (end.millis() - from.millis()) / 2;
            }
        }
    }
    Ok(Some(first))
}

/// Whether a range of wrong readings begins before a time and reaches it.
fn is_in(time: Timestamp, wrong: &Range<Timestamp>) -> bool {
    wrong.start < time && time <= wrong.end
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
    most: usize,
) -> Result<Searched, StoreError> {
    let is_link = |search: &Beginning, run: &Run| match measure {
        Measure::Watthours => registers(run).is_some_and(|run| search.is_link(run)),
        Measure::Watts => power(run).is_some_and(|run| search.is_power_link(run)),
    };
    let mut count = 0_usize;
    while let Some(piece) = readings.next_piece(|run| is_link(&search, run))? {
        count += match &piece {
            Piece::Run(_) => 1,
            // Any number of zeros in a row may be held, before the chain that is looked for.
            Piece::Values(values, _) => values.numbers.iter().filter(|it| **it != 0.0).count() + 1,
        };
        if count > most {
            return Ok(Searched::TooMany);
        }
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
    Ok(match search.found() {
        Some(found) => Searched::Chain(found),
        None => Searched::Nothing(count, search.longest()),
    })
}
