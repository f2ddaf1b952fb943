//! Rewrites the log after damage, and replaces an index that failed.

use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::store::embedded::disk::says_full;
use crate::store::embedded::index::IndexEntry;
use crate::store::embedded::log::{LiveRows, LogChange, LogHead, LogItem, load};
use crate::store::embedded::writer::database::Database;
use crate::store::error::StoreError;

/// About how many bytes a commit appends.
const COMMIT_BYTES: usize = 32 * 1024;
/// The number of sensors that are considered for a commit.
const SENSORS_AT_ONCE: usize = 64;
/// The maximum number of rebuilds of the index within this time.
const MOST_REBUILDS: usize = 2;
const REBUILDS_WITHIN: Duration = Duration::from_hours(1);

impl Database {
    /// Writes all live data again, after the end of the damaged log.
    pub(crate) fn rewrite_log(&mut self) -> Result<(), StoreError> {
        let shared = self.shared();
        let begin = self.log.next();
        loop {
            let sensors = self.live.before(begin, SENSORS_AT_ONCE);
            if sensors.is_empty() {
                break;
            }
            let mut change = LogChange::new(self.log.next());
            for sensor in &sensors {
                LiveRows::carry(&shared.hot.held(), sensor, &mut change);
            }
            self.commit("writing the log", change, |_| {}, Vec::new(), |_| {})?;
        }
        let mut blocks = Vec::new();
        shared.sealed.index.each(|key, entry| {
            blocks.extend(entry.put(&key));
            Ok(())
        })?;
        let mut blocks = blocks.iter().peekable();
        while blocks.peek().is_some() {
            let mut change = LogChange::new(self.log.next());
            while change.packer.bytes() < COMMIT_BYTES
                && let Some(block) = blocks.next()
            {
                change.packer.put(block);
            }
            self.commit("writing the log", change, |_| {}, Vec::new(), |_| {})?;
        }
        let change = LogChange::new(self.log.next());
        let of_head = |head: &mut LogHead| head.tail = begin;
        self.commit("writing the log", change, of_head, Vec::new(), |_| {})?;
        self.flush()
    }

    /// Rebuilds the index from the log. The caller keeps readers out. The third time within an
    /// hour, the store accepts no more changes. It may fail on a full disk, any number of times.
    pub(super) fn rebuild_index(&mut self) -> Result<(), StoreError> {
        let shared = self.shared();
        if shared.sealed.index.lacks_room() {
            return self.try_rebuild().map_err(|error| self.not_built(&error));
        }
        self.rebuilds.retain(|at| at.elapsed() < REBUILDS_WITHIN);
        if self.rebuilds.len() >= MOST_REBUILDS {
            let why = StoreError::Damaged("the index failed three times within an hour".into());
            return Err(shared.failure.set("building the index", &why));
        }
        self.rebuilds.push(Instant::now());
        self.try_rebuild().map_err(|error| self.not_built(&error))
    }

    fn not_built(&self, error: &StoreError) -> StoreError {
        let shared = self.shared();
        if says_full(&error.to_string()) {
            shared.sealed.index.set_lacks_room();
            let full = Errno::NOSPC.into();
            return shared.failure.of_write("building the index", &full);
        }
        shared.failure.set("building the index", error)
    }

    fn try_rebuild(&self) -> Result<(), StoreError> {
        let shared = self.shared();
        let (dir, mark, index) = (&shared.dir, shared.sealed.mark, &shared.sealed.index);
        // All written records are used, durable or not.
        let log = load::load(dir, mark, self.log.last().position)?;
        let mut build = index.build()?;
        let lost = log.read(dir, mark, |head, item| match item {
            LogItem::Rows(_) => Ok(()),
            LogItem::Put(block) => {
                let key = block.key.clone();
                build.put(key, &block.into())
            }
            LogItem::Removed(key) => build.put(key, &IndexEntry::removed(head.position)),
        })?;
        if let Some(lost) = log.lost.iter().chain(&lost).next() {
            return Err(StoreError::Damaged(lost.what.clone()));
        }
        build.finish()?;
        index.replace(build);
        Ok(())
    }
}
