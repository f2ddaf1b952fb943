//! Committing uploads.

use std::sync::Arc;
use std::time::Instant;

use crate::store::backend::Append;
use crate::store::embedded::journal::record;
use crate::store::embedded::rows::Commit;
use crate::store::embedded::writer::commit::Committer;
use crate::store::embedded::writer::group::Group;
use crate::store::embedded::writer::queue::Answer;
use crate::store::error::StoreError;
use crate::store::settings::Durability;

/// Maximum of acknowledged, unwritten readings in interval mode, unless one upload has more.
const MAX_PENDING_READINGS: usize = 4_096;

impl Committer {
    /// Commits uploads together: all of them with one sync.
    pub(super) fn append(&mut self, uploads: Vec<(Append, Answer<Append>)>) {
        if uploads.is_empty() {
            return;
        }
        if let Err(error) = self.make_room(&uploads) {
            for (_, answer) in uploads {
                drop(answer.send(Err(error.clone())));
            }
            return;
        }
        let shared = Arc::clone(&self.shared);
        let mut group = Group::new(&shared, uploads.len());
        let mut added = Vec::with_capacity(uploads.len());
        for (append, answer) in uploads {
            let added_to = group.add(&append);
            added.push((answer, added_to.map(|()| append)));
        }
        let commit = group.finish();
        let committed = if commit.count_rows() == 0 {
            Ok(())
        } else {
            self.hold(commit)
        };
        let is_behind =
            |outcome: &Result<_, _>| matches!(outcome, Err(StoreError::SensorBehind(_)));
        if added.iter().any(|(_, outcome)| is_behind(outcome)) {
            self.sealing.retry_now_and_then(&self.shared.hot.held());
        }
        for (answer, outcome) in added {
            // The caller may be gone. Its readings stay stored.
            drop(answer.send(committed.clone().and(outcome)));
        }
    }

    /// Makes space for uploads in the journal or, in interval mode, in memory. They wait if landing
    /// has fallen behind. This comes before the rows of a group are gathered, because nothing may
    /// be sealed from then until they are in memory.
    fn make_room(&mut self, uploads: &[(Append, Answer<Append>)]) -> Result<(), StoreError> {
        self.db.check_writable()?;
        // A start would take the uploads for earlier than a deletion that is undone.
        self.db.settle_notes()?;
        let uploads = uploads.iter().map(|(append, _)| &append.upload);
        if self.is_interval() {
            let readings: usize = uploads.map(|upload| upload.readings().len()).sum();
            let pending = self.landing.pending_rows();
            let is_failing = self.landing.pending_failure().is_some();
            if is_failing || (pending > 0 && pending + readings > MAX_PENDING_READINGS) {
                self.log_pending()?;
            }
            return Ok(());
        }
        let bytes = record::longest(uploads);
        while !self.landing.fits(bytes) {
            if !self.landing.is_frozen() {
                self.freeze()?;
            }
            self.land_some()?;
        }
        Ok(())
    }

    fn is_interval(&self) -> bool {
        self.shared.settings.durability != Durability::Always
    }

    /// Adds a group in memory, where readers see it: once durable or, in interval mode, before.
    fn hold(&mut self, commit: Commit) -> Result<(), StoreError> {
        let (begun, readings) = (Instant::now(), commit.count_rows());
        if self.is_interval() {
            self.landing.defer(&commit);
        } else {
            let is_logged = self.landing.log(&commit)?;
            if !is_logged {
                // [`Self::make_room`] made space, so this is a bug: acknowledge nothing.
                let error = StoreError::io("writing the journal", "there is no space");
                return Err(self.shared.failure.set("storing readings", &error));
            }
            let metrics = &self.shared.commit_metrics;
            metrics.observe(readings, begun.elapsed());
        }
        self.landing.hold(commit);
        Ok(())
    }
}
