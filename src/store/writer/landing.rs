//! How uploads get into the database: into memory and the journal at once, into the database later, many in one
//! transaction.

use std::sync::Arc;
use std::time::Instant;

use crate::store::engine::locks::write;
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::{Activities, activity, hot};
use crate::store::settings::Durability;
use crate::store::state::Shared;
use crate::store::writer::database::Database;
use crate::store::writer::journal::{Commit, Journal};

/// No more rows than this are held in memory: some megabytes.
const MAX_HELD_ROWS: usize = 16_384;

/// The commits that the database does not have. Their rows are held in memory (`rows/hot.rs`), where readers see them.
pub(crate) struct Landing {
    shared: Arc<Shared>,
    journal: Journal,
    /// The activities that belong to the rows.
    activities: Activities,
    /// What interval mode has acknowledged, and the journal does not have; and since when that is so.
    pending: Option<(Instant, Commit)>,
}

impl Landing {
    pub(crate) fn open(shared: Arc<Shared>) -> Result<Self, StoreError> {
        Ok(Self {
            journal: Journal::open(&shared.dir)?,
            shared,
            activities: Activities::new(),
            pending: None,
        })
    }

    /// At start: brings into the database what the journal has and the database has not, oldest first.
    pub(crate) fn replay(
        &mut self,
        db: &mut Database,
        commits: Vec<Commit>,
    ) -> Result<(), StoreError> {
        db.mark.found(commits.len() as u64);
        for commit in commits {
            self.hold(commit);
        }
        self.land(db).map(drop)
    }

    /// Writes a commit into the journal, durably. Returns false if there is no room for it.
    pub(crate) fn log(&mut self, db: &mut Database, commit: &Commit) -> Result<bool, StoreError> {
        let number = db.mark.next();
        let is_logged = self
            .journal
            .append(number, commit)
            .map_err(|error| self.shared.failure.set("writing the journal", &error))?;
        if is_logged {
            db.mark.stored(number);
        }
        Ok(is_logged)
    }

    /// Keeps a commit for [`Self::take_pending`].
    pub(crate) fn defer(&mut self, commit: &Commit) {
        let begun = || (Instant::now(), Commit::default());
        let (_, pending) = self.pending.get_or_insert_with(begun);
        pending.rows.extend(commit.rows.clone());
        pending.activities.extend(commit.activities.clone());
    }

    /// All that was deferred, if anything, as one commit.
    pub(crate) fn take_pending(&mut self) -> Option<Commit> {
        self.pending.take().map(|(_, commit)| commit)
    }

    /// When what was deferred must be durable at the latest.
    pub(crate) fn pending_due(&self) -> Option<Instant> {
        match (self.shared.settings.durability, &self.pending) {
            (Durability::Interval(interval), Some((since, _))) => since.checked_add(interval),
            _ => None,
        }
    }

    /// Holds a commit in memory, where readers see it.
    pub(crate) fn hold(&mut self, commit: Commit) {
        let Commit { rows, activities } = commit;
        self.activities.extend(activities.clone());
        self.shared.trees.hot.hold(rows);
        write(&self.shared.activity).extend(activities);
    }

    /// Whether so many rows are held that they should land.
    pub(crate) fn is_full(&self) -> bool {
        self.shared.trees.hot.held().len() >= MAX_HELD_ROWS
    }

    /// Writes the rows that are held, and their activities, into the database, so that the journal can begin anew. Every
    /// other change comes after that, so the journal never brings back what was before a change. Returns whether there was
    /// anything to write.
    pub(crate) fn land(&mut self, db: &mut Database) -> Result<bool, StoreError> {
        // Each commit has activities, while its rows may be sealed by now.
        if self.activities.is_empty() {
            return Ok(false);
        }
        let trees = &self.shared.trees;
        let mut batch = WriteBatch::default();
        let rows = batch.of(&trees.hot.tree);
        for (key, measures) in trees.hot.held().iter() {
            rows.insert(key.as_slice(), hot::encode(*measures));
            let (sensor, time) = keys::parse(key)?;
            trees.hot.note_written(sensor, time);
        }
        activity::put(batch.of(&trees.activity), &self.activities)?;
        db.apply("storing readings", &batch)?;
        // A crash before the commit is counted does no harm: a start replays the journal, which writes the same again.
        db.sync()?;
        self.journal.restart();
        self.activities.clear();
        self.pending = None;
        // Last: a reader finds each row here or in the tree.
        trees.hot.clear_held();
        Ok(true)
    }
}
