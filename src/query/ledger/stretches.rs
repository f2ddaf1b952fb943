//! Stretches one by one, from reading to reading.

use std::cell::Cell;
use std::ops::Range;

use super::entries::Entries;
use crate::domain::{Meter, SensorId, Timestamp};
use crate::ledger::{Entry, Facts, Stretch};
use crate::query::walk::MOST_SLOTS;
use crate::store::{Store, StoreError};

/// The ledger's stretches of a range from reading to reading: a result under way, read a block at a
/// time in bounded memory.
pub(in crate::query) struct LedgerStretches {
    entries: Entries,
    range: Range<Timestamp>,
}

impl LedgerStretches {
    /// The stretches that reach into `range`, whole.
    pub(in crate::query) fn new(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
    ) -> Result<Self, StoreError> {
        let by_register = store.first_register(sensor)?.is_some();
        let entries = Entries::new(store, sensor, meter, (range.clone(), by_register))?;
        Ok(Self { entries, range })
    }

    /// Passes on the next stretches, some hundreds at most. Returns false after the last ones.
    /// Blocks on the disk.
    pub(in crate::query) fn next_run(
        &mut self,
        mut sink: impl FnMut(&Stretch),
    ) -> Result<bool, StoreError> {
        let Range { start, end } = self.range;
        let passed = Cell::new(0);
        let mut sink = |entry| match entry {
            // Nothing flows in a moment, which has no length to share with a stretch.
            Entry::Stretch(stretch) if stretch.from.max(start) < stretch.to.min(end) => {
                passed.update(|passed| passed + 1);
                sink(&stretch);
            }
            Entry::Stretch(_) | Entry::Event(_) => {}
        };
        loop {
            let was_in_block = self.entries.is_in_block();
            // Each reading alone: totals would hide the readings between.
            let more = self.entries.next_piece(|time| time, &mut sink)?;
            if !more || !was_in_block || passed.get() >= MOST_SLOTS {
                return Ok(more);
            }
        }
    }
}
