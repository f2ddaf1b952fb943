//! The files of facts, as the committing thread writes them.

use crate::locks::{lock, write};
use crate::store::embedded::disk::is_full;
use crate::store::embedded::facts::files::FactWriteError;
use crate::store::embedded::facts::{FactChanges, FactMap};
use crate::store::embedded::writer::database::Database;
use crate::store::error::StoreError;

impl Database {
    pub(super) fn fact_failed(&self, doing: &str, error: FactWriteError) -> StoreError {
        match error {
            FactWriteError::NoRoom(error) if !is_full(&error) => {
                StoreError::NotForNow(format!("{doing}: {error}"))
            }
            FactWriteError::NoRoom(error) => self.failed(doing, &error),
            // Even on a full disk: a file was replaced, and changes that are written to the old one
            // would be lost with it.
            FactWriteError::Failed(error) => {
                let failure = &self.shared.failure;
                failure.set(doing, &StoreError::io(doing, &error))
            }
        }
    }

    /// Changes facts durably, then makes the change visible to readers.
    pub(crate) fn change_facts(
        &mut self,
        doing: &str,
        changes: &FactChanges,
    ) -> Result<(), StoreError> {
        self.change_facts_leaving(doing, changes, 0)
    }

    /// The same if the files have room for so many further changes of this length.
    pub(super) fn change_facts_leaving(
        &mut self,
        doing: &str,
        changes: &FactChanges,
        further: usize,
    ) -> Result<(), StoreError> {
        self.check_writable()?;
        if changes.is_empty() {
            return Ok(());
        }
        let written = self.facts.append(changes, further);
        written.map_err(|error| self.fact_failed(doing, error))?;
        lock(&self.shared.durable).facts = self.facts.last();
        self.is_unnoted = true;
        // Keeps readers of prices out while prices are replaced.
        let _swapping = write(&self.shared.swap);
        self.shared.facts.apply(changes);
        Ok(())
    }

    /// Notes in the files of facts how far the others are durable. On a full disk they keep older
    /// positions, which prove less.
    pub(super) fn note_positions(&mut self) -> Result<(), StoreError> {
        let durable = *lock(&self.shared.durable);
        match self.facts.note(durable) {
            Ok(()) | Err(FactWriteError::NoRoom(_)) => Ok(()),
            Err(error) => Err(self.fact_failed("writing the files of facts", error)),
        }
    }

    /// Whether the files of facts need work besides changes.
    pub(super) fn is_fact_work_due(&self) -> bool {
        let live = self.shared.facts.read(FactMap::bytes);
        self.facts.is_due(live)
    }

    /// Does the work of the files of facts that is due. A failure that is not final is logged.
    pub(super) fn work_on_facts(&mut self) -> Result<(), StoreError> {
        let (shared, facts) = (self.shared(), &mut self.facts);
        let worked = shared.facts.read(|stored| facts.work(stored));
        worked.map_err(|error| self.fact_failed("writing the files of facts", error))?;
        self.note_positions()
    }
}
