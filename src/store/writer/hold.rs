//! The way of uploads through the committing thread: into memory and the journal at once, into the database later, many in one
//! transaction.

use std::sync::Arc;
use std::time::Instant;

use sled::Transactional;

use crate::domain::account::AccountName;
use crate::domain::reading::Upload;
use crate::domain::time::Timestamp;
use crate::store::engine::locks::write;
use crate::store::engine::{keys, mark};
use crate::store::error::StoreError;
use crate::store::rows::activity;
use crate::store::rows::hot;
use crate::store::settings::Durability;
use crate::store::writer::append::{Changes, Group};
use crate::store::writer::commit::{Answer, Committer, transaction};
use crate::store::writer::journal::Commit;

/// No more rows than this are held in memory: some megabytes.
const MOST_HELD_ROWS: usize = 16_384;

impl Committer {
    /// Commits uploads together: all of them with one sync.
    pub(crate) fn append(
        &mut self,
        uploads: Vec<(Option<AccountName>, Upload, Timestamp, Answer)>,
    ) {
        if uploads.is_empty() {
            return;
        }
        let shared = Arc::clone(&self.shared);
        let mut group = Group::new(&shared);
        let added: Vec<(Answer, Result<usize, StoreError>)> = uploads
            .into_iter()
            .map(|(account, upload, arrival, answer)| {
                let added = group.add(account.as_ref(), &upload, arrival);
                (answer, added)
            })
            .collect();
        let committed = if group.is_empty() {
            Ok(())
        } else {
            self.hold(group)
        };
        for (answer, outcome) in added {
            // Who asked may be gone; what is stored stays stored.
            let _ = answer.send(committed.clone().and(outcome));
        }
    }

    /// Holds a group in memory, where readers see it: once it is durable, or, in interval mode, before.
    fn hold(&mut self, group: Group<'_>) -> Result<(), StoreError> {
        self.check_writable()?;
        let Changes {
            rows,
            activities,
            new_rows,
        } = group.into_changes();
        let commit = Commit { rows, activities };
        let (begun, readings) = (Instant::now(), commit.rows.len());
        let has_room = match self.shared.settings.durability {
            Durability::Always => self.log(&commit)? || self.log_in_new_journal(&commit)?,
            Durability::Interval(_) => {
                self.pending_since.get_or_insert_with(Instant::now);
                self.pending.rows.extend(commit.rows.clone());
                self.pending.activities.extend(commit.activities.clone());
                true
            }
        };
        let Commit { rows, activities } = commit;
        self.held_activities.extend(activities.clone());
        self.shared.trees.hot.hold(rows);
        write(&self.shared.activity).extend(activities);
        for (sensor, count) in new_rows {
            *self.hot_rows.entry(sensor).or_default() += count;
        }
        if !has_room {
            self.land()?;
        }
        if self.shared.settings.durability == Durability::Always {
            self.shared.commits.count(readings, begun.elapsed());
        }
        Ok(())
    }

    /// Writes a commit into a journal that is full: all that it has goes into the database first.
    fn log_in_new_journal(&mut self, commit: &Commit) -> Result<bool, StoreError> {
        self.seal_newest();
        self.land()?;
        self.log(commit)
    }

    /// Writes a commit into the journal; false where there is no room for it.
    fn log(&mut self, commit: &Commit) -> Result<bool, StoreError> {
        let number = self.mark.next();
        let is_logged = self.journal.append(number, commit);
        let is_logged =
            is_logged.map_err(|error| self.shared.fail("writing the journal", &error))?;
        if is_logged {
            self.mark.stored(number);
        }
        Ok(is_logged)
    }

    /// Makes durable what interval mode has let wait, if anything.
    pub(crate) fn log_pending(&mut self) -> Result<(), StoreError> {
        self.check_writable()?;
        if self.pending_since.take().is_none() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let begun = Instant::now();
        if !self.log(&pending)? {
            self.land()?;
        }
        let readings = pending.rows.len();
        self.shared.commits.count(readings, begun.elapsed());
        Ok(())
    }

    pub(crate) fn land_when_due(&mut self) {
        if self.shared.trees.hot.held().len() >= MOST_HELD_ROWS {
            // The failure is noted; what was acknowledged is in the journal.
            drop(self.land());
        }
    }

    /// Writes the rows that are held, and their activities, into the database in one transaction, durably, so that the
    /// journal can begin anew. Other changes come after that only: so the journal never tells what was before them.
    pub(crate) fn land(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        // Each commit has activities; its rows may be sealed by now.
        if self.held_activities.is_empty() {
            return Ok(());
        }
        let mut rows = sled::Batch::default();
        for (key, measures) in shared.trees.hot.held().iter() {
            rows.insert(key.as_slice(), hot::encode(*measures));
            let (sensor, time) = keys::parse(key)?;
            shared.trees.hot.note_written(sensor, time);
        }
        let mut activities = sled::Batch::default();
        for (sensor, activity) in &self.held_activities {
            activities.insert(sensor.as_str(), activity::encode(activity)?);
        }
        let number = self.mark.next();
        self.write("storing readings", |shared| {
            let trees = (
                &shared.trees.hot.tree,
                &shared.trees.activity,
                &shared.trees.meta,
            );
            transaction(trees.transaction(|(row_tree, activity_tree, meta)| {
                row_tree.apply_batch(&rows)?;
                activity_tree.apply_batch(&activities)?;
                meta.insert(mark::KEY, &number.to_le_bytes())?;
                Ok(())
            }))
        })?;
        self.flush()?;
        self.mark.stored(number);
        self.journal.restart();
        self.held_activities.clear();
        self.pending = Commit::default();
        self.pending_since = None;
        shared.trees.hot.let_go();
        // What kept rows from being sealed may be gone.
        self.not_sealed.clear();
        Ok(())
    }

    /// At start: what the journal has and the database has not, oldest first, goes into the database.
    pub(crate) fn replay(&mut self, commits: Vec<Commit>) -> Result<(), StoreError> {
        self.mark.found(commits.len() as u64);
        for Commit { rows, activities } in commits {
            self.held_activities.extend(activities);
            self.shared.trees.hot.hold(rows);
        }
        let activities = self.held_activities.clone();
        write(&self.shared.activity).extend(activities);
        self.land()
    }
}
