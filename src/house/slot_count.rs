//! Whether some sides have too many slots of prices. Their ends do not depend on energy, so none is
//! read.

use std::ops::Range;

use super::price_window::SeriesWindow;
use crate::domain::Timestamp;
use crate::ledger::contract::Pricer;
use crate::store::{Store, StoreError};

/// Whether all sides together have more than `most` slots. Of each with contracts of its own: its
/// pricer, the place of its price series, and how many sides have these contracts. Blocks on the
/// disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(super) fn are_too_many(
    store: &Store,
    mut all: Vec<(Pricer, usize, usize)>,
    (windows, range): (&[SeriesWindow], Range<Timestamp>),
    most: usize,
) -> Result<bool, StoreError> {
    let mut count = 0_usize;
    for (place, window) in windows.iter().enumerate() {
        let mut window = SeriesWindow::new(window.window.clone());
        let mut of_window: Vec<_> = all.iter_mut().filter(|it| it.1 == place).collect();
        let mut at = range.start;
        while !of_window.is_empty() && at < range.end {
            window.load(store, at)?;
            let until = window.window.until().min(range.end);
            for (pricer, _, sides) in &mut of_window {
                pricer.set_series(window.series.clone());
                while let Some(slot) = pricer.next_slot().filter(|slot| slot.from() < until) {
                    pricer.skip(slot.until(until));
                    count = count.saturating_add(*sides);
                    if count > most {
                        return Ok(true);
                    }
                }
            }
            at = until;
        }
    }
    Ok(false)
}
