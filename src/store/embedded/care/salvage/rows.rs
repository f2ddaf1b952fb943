//! The rows of a tree, past unreadable pages.
//!
//! A damaged page fails for every key that it covers, and its end is unknown. So a search probes keys after it:
//! further and further away until one is readable, then back to the first that is.
//!
//! A page may also be as it was before a split: then it does not link to the next page, or links past it. So each row is
//! searched from the root of the tree, which knows that page, and the tree ends only at its last key.

use std::ops::Bound;

use sled::IVec;

use crate::store::embedded::engine::panics::caught_as_damage;

/// Greater than any byte of a key.
const LAST: u8 = 0xFF;

/// The longest key, in bytes: a sensor ID, its terminator, a time.
const LONGEST: usize = 72;

/// The next part of a tree.
pub(crate) enum TreeRow {
    Whole(IVec, IVec),
    Gap(Gap),
}

/// A range of keys in which nothing is readable.
#[derive(Debug)]
pub(crate) struct Gap {
    /// The last key before it.
    pub(crate) after: Option<Vec<u8>>,
    /// The first key after it.
    pub(crate) before: Option<Vec<u8>>,
    /// Why it is unreadable.
    pub(crate) why: String,
}

type Found = Result<Option<(IVec, IVec)>, String>;

/// Reads the rows of a tree in order.
pub(crate) struct TreeRows<'a> {
    tree: &'a sled::Tree,
    /// Keys that may follow a gap, ascending.
    hints: Vec<Vec<u8>>,
    /// The last key read.
    after: Option<Vec<u8>>,
    before: Option<Vec<u8>>,
    /// The last key of the tree before `before`, if readable.
    last: Option<IVec>,
    /// The row after the gap returned last.
    behind: Option<(IVec, IVec)>,
    is_done: bool,
}

impl<'a> TreeRows<'a> {
    /// All rows of `tree`.
    pub(crate) fn all(tree: &'a sled::Tree, hints: Vec<Vec<u8>>) -> Self {
        Self::between(tree, None, None, hints)
    }

    /// The rows of `tree` after `after` and before `before`.
    pub(crate) fn between(
        tree: &'a sled::Tree,
        after: Option<Vec<u8>>,
        before: Option<Vec<u8>>,
        hints: Vec<Vec<u8>>,
    ) -> Self {
        let mut rows = Self {
            tree,
            hints,
            after,
            before,
            last: None,
            behind: None,
            is_done: false,
        };
        if !rows.is_empty() {
            let from = rows.after.clone().map_or(Bound::Unbounded, Bound::Excluded);
            // Backwards from the end, so that a missing link to a next page cannot hide what comes after it.
            let last = read(|| rows.range(from).next_back());
            rows.last = last.ok().flatten().map(|(key, _)| key);
        }
        rows
    }

    /// The first row from `from` on.
    fn first(&self, from: Bound<Vec<u8>>) -> Found {
        let is_last_behind = self.last.as_ref().is_some_and(|last| match &from {
            Bound::Included(from) => **last >= **from,
            Bound::Excluded(from) => **last > **from,
            Bound::Unbounded => true,
        });
        let found = read(|| self.range(from).next())?;
        // sled takes a missing link for the end of the tree; the last key shows that rows are left.
        if found.is_none() && is_last_behind {
            return Err("a page does not link to the next one".to_owned());
        }
        Ok(found)
    }

    fn range(&self, from: Bound<Vec<u8>>) -> sled::Iter {
        let end = self.before.clone();
        self.tree
            .range::<Vec<u8>, _>((from, end.map_or(Bound::Unbounded, Bound::Excluded)))
    }

    fn read_on(&self) -> Found {
        if self.is_empty() {
            return Ok(None);
        }
        self.first(self.after.clone().map_or(Bound::Unbounded, Bound::Excluded))
    }

    /// Whether the range is empty. sled panics on a reversed range.
    fn is_empty(&self) -> bool {
        self.after
            .as_ref()
            .zip(self.before.as_ref())
            .is_some_and(|(after, before)| after >= before)
    }

    /// The first readable row after the gap that begins at `after`.
    fn behind_gap(&self) -> Option<(IVec, IVec)> {
        let from = self.after.clone().unwrap_or_default();
        // Probe the end of all keys that share a prefix with this one, with a shorter and shorter prefix.
        for length in (0..=from.len()).rev() {
            let begin = from.get(..length).unwrap_or_default();
            let above = from.get(length).copied();
            if let Ok(found) = self.probe(begin, LAST) {
                return self.first_readable(begin.to_vec(), above, found);
            }
        }
        // Nothing up to the end of the tree is readable by probing: the first keys of later sensors may still be.
        let mut hints = self.hints.iter().filter(|hint| **hint > from);
        hints.find_map(|hint| self.first(Bound::Included(hint.clone())).ok().flatten())
    }

    /// The first readable row at or after the keys that begin with `begin` and continue with more than `above`, by bisection
    /// byte by byte. `found` is the row after all of those keys.
    fn first_readable(
        &self,
        mut begin: Vec<u8>,
        mut above: Option<u8>,
        mut found: Option<(IVec, IVec)>,
    ) -> Option<(IVec, IVec)> {
        loop {
            let (mut bad, mut good) = (above, LAST);
            // Bisects between an unreadable byte and a readable one, until they are neighbours.
            while let middle = midway(bad, good)
                && Some(middle) != bad
                && middle != good
            {
                match self.probe(&begin, middle) {
                    Ok(row) => (good, found) = (middle, row),
                    Err(_) => bad = Some(middle),
                }
            }
            // Keys that share the longer prefix with the start of the gap were probed before: they are unreadable.
            let Some(bad) = bad.filter(|bad| Some(*bad) != above) else {
                return found;
            };
            begin.push(bad);
            let longest = found.as_ref().map_or(LONGEST, |(key, _)| key.len());
            // A longer prefix would be longer than the key that follows the gap.
            if begin.len() >= longest {
                return found;
            }
            match self.probe(&begin, LAST) {
                Ok(row) => (found, above) = (row, None),
                Err(_) => return found,
            }
        }
    }

    /// The first row at or after the key `begin` followed by `next`.
    fn probe(&self, begin: &[u8], next: u8) -> Found {
        let from = [begin, &[next]].concat();
        if self.before.as_ref().is_some_and(|before| from >= *before) {
            return Ok(None);
        }
        self.first(Bound::Included(from))
    }
}

/// A byte between the two; `None` is below 0.
fn midway(bad: Option<u8>, good: u8) -> u8 {
    bad.map_or(good / 2, |bad| bad + (good - bad) / 2)
}

impl Iterator for TreeRows<'_> {
    type Item = TreeRow;

    fn next(&mut self) -> Option<TreeRow> {
        if let Some((key, value)) = self.behind.take() {
            return Some(TreeRow::Whole(key, value));
        }
        if self.is_done {
            return None;
        }
        match self.read_on() {
            Ok(Some((key, value))) => {
                self.after = Some(key.to_vec());
                Some(TreeRow::Whole(key, value))
            }
            Ok(None) => {
                self.is_done = true;
                None
            }
            Err(why) => {
                let after = self.after.clone();
                self.behind = self.behind_gap();
                let before = self.behind.as_ref().map(|(key, _)| key.to_vec());
                self.after.clone_from(&before);
                self.is_done = before.is_none();
                Some(TreeRow::Gap(Gap {
                    after,
                    before: before.or_else(|| self.before.clone()),
                    why,
                }))
            }
        }
    }
}

/// The value of a key.
pub(crate) fn get(tree: &sled::Tree, key: &[u8]) -> Result<Option<IVec>, String> {
    read(|| tree.get(key).transpose())
}

/// What `work` returns, or why it failed or panicked.
fn read<T>(work: impl FnOnce() -> Option<sled::Result<T>>) -> Result<Option<T>, String> {
    caught_as_damage(|| Ok(work().transpose()?)).map_err(|error| error.damage())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::domain::SensorId;
    use crate::store::embedded::care::salvage::copy::repair_log;
    use crate::store::embedded::care::salvage::log::PageRepair;
    use crate::store::embedded::care::salvage::report::Salvaged;
    use crate::store::embedded::engine::open;
    use crate::store::records::keys;
    use crate::store::settings::StoreSettings;
    use crate::store::tests::at;

    const SENSORS: [&str; 3] = ["a", "house", "solar"];
    const VALUE_BYTES: usize = 1_000;

    fn value(number: u32) -> Vec<u8> {
        (0xABCD_0000 + number).to_le_bytes().repeat(VALUE_BYTES / 4)
    }

    /// Writes many pages of rows of three sensors to a database.
    fn rows(dir: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut rows = BTreeMap::new();
        for (nth, id) in SENSORS.iter().enumerate() {
            let sensor = SensorId::new(id).unwrap();
            for n in 0..200 {
                let number = u32::try_from(nth).unwrap() * 1_000 + u32::try_from(n).unwrap();
                rows.insert(keys::key(&sensor, at(n * 10_000)), value(number));
            }
        }
        let config = open::config(dir, &StoreSettings::default());
        let (_closing, db) = open::open_sled(dir, &config).unwrap();
        let tree = db.open_tree("rows").unwrap();
        for (key, value) in &rows {
            tree.insert(key, value.as_slice()).unwrap();
        }
        // sled does not open a log that is damaged at its end: put something else there.
        for n in 0..300_u32 {
            db.insert(n.to_be_bytes(), value(n + 10_000)).unwrap();
        }
        tree.flush().unwrap();
        rows
    }

    #[test]
    fn all_but_the_damaged_pages_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let rows = rows(dir.path());
        // Opening it once more writes a snapshot with all pages.
        let config = open::config(dir.path(), &StoreSettings::default());
        drop(open::open_sled(dir.path(), &config).unwrap());
        let db = fs::read(dir.path().join("sled/db")).unwrap();
        let mut gaps = 0;
        for numbers in [
            &[0][..],
            &[100],
            &[1_000],
            &[2_199],
            &[50, 1_100],
            &[1_199, 2_000],
        ] {
            let mut damaged = db.clone();
            for number in numbers {
                let value = value(*number);
                for start in 0..db.len() - VALUE_BYTES {
                    if db[start..start + 12] == value[..12] && db[start..].starts_with(&value) {
                        damaged[start + 100] ^= 1;
                    }
                }
            }
            let copy = tempfile::tempdir().unwrap();
            fs::create_dir(copy.path().join("sled")).unwrap();
            for entry in fs::read_dir(dir.path().join("sled")).unwrap() {
                let path = entry.unwrap().path();
                if path.is_file() {
                    let to = copy.path().join("sled").join(path.file_name().unwrap());
                    fs::copy(path, to).unwrap();
                }
            }
            fs::write(copy.path().join("sled/db"), damaged).unwrap();
            // sled may have moved a damaged page to the end of its log.
            repair_log(copy.path(), PageRepair::Outdated, &mut Salvaged::default()).unwrap();
            let config = open::config(copy.path(), &StoreSettings::default());
            let (_closing, db) = open::open_sled(copy.path(), &config).unwrap();
            let tree = db.open_tree("rows").unwrap();
            let mut left = rows.clone();
            for row in TreeRows::all(&tree, Vec::new()) {
                match row {
                    TreeRow::Whole(key, value) => {
                        assert_eq!(left.remove(&*key).as_deref(), Some(&*value));
                    }
                    TreeRow::Gap(gap) => {
                        gaps += 1;
                        let missing = rows.keys().filter(|key| {
                            gap.after.as_ref().is_none_or(|after| *key > after)
                                && gap.before.as_ref().is_none_or(|before| *key < before)
                        });
                        let missing: Vec<_> = missing.cloned().collect();
                        assert!((1..50).contains(&missing.len()), "{}", missing.len());
                        for key in missing {
                            left.remove(&key).unwrap();
                        }
                    }
                }
            }
            assert_eq!(left.keys().collect::<Vec<_>>(), Vec::<&Vec<u8>>::new());
        }
        // Seven, not eight: the last rows of one sensor and the first of the next share a page.
        assert_eq!(gaps, 7);
    }
}
