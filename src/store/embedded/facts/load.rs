//! Reading both files of facts, and comparing them. Nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::file_head::{FORMAT, FileHead};
use crate::store::embedded::disk::{Mark, Positions, open};
use crate::store::embedded::facts::change::{ChangeRecord, FactKey, Place};
use crate::store::embedded::facts::found::FoundFile;
use crate::store::embedded::facts::stored::{FactMap, is_access};
use crate::store::error::StoreError;

/// The names of the files.
pub(crate) const FILES: [&str; 2] = ["a", "b"];

/// The folder in the data dir `dir`.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join("facts")
}

/// The facts as they were read.
pub(crate) struct LoadedFacts {
    pub(crate) mark: Mark,
    pub(crate) facts: FactMap,
    /// The number of the last change.
    pub(crate) last: u64,
    pub(crate) damage: FactDamage,
    /// Whether the files differ from their proper content, so that both must be rewritten.
    pub(crate) must_mend: bool,
    /// The faults of each file, for the log.
    pub(crate) mended: Vec<String>,
    /// The end of the last record of each file.
    pub(crate) ends: [usize; 2],
    /// The positions of the other files that they know.
    pub(crate) known: Positions,
}

/// Damage that the two copies could not repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FactDamage {
    /// The affected facts, as far as they are known.
    pub(crate) keys: BTreeSet<FactKey>,
    /// Whether there are other damaged facts, which nothing identifies.
    pub(crate) is_unknown: bool,
    /// Whether the last changes are missing.
    pub(crate) is_older: bool,
}

impl FactDamage {
    pub(crate) fn is_none(&self) -> bool {
        self.keys.is_empty() && !self.is_unknown && !self.is_older
    }

    /// Whether a revoked access may have come back.
    pub(crate) fn is_access(&self) -> bool {
        self.is_unknown || self.is_older || self.keys.iter().any(is_access)
    }
}

/// Reads the facts in the data dir `dir`; `None` if there are no files, or only empty ones.
///
/// # Errors
/// [`StoreError::Io`] if the disk cannot return a part of them, [`StoreError::NewerFormat`], and
/// [`StoreError::Damaged`] if neither has a valid head.
pub(crate) fn load(dir: &Path) -> Result<Option<LoadedFacts>, StoreError> {
    let mut contents = Vec::new();
    for file in FILES {
        let content = open::content(&folder(dir).join(file))?;
        contents.push(content.unwrap_or_default());
    }
    if contents.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    of_contents(dir, &contents).map(Some)
}

fn of_contents(dir: &Path, contents: &[Vec<u8>]) -> Result<LoadedFacts, StoreError> {
    let heads: Vec<_> = contents.iter().map(|it| FileHead::decode(it)).collect();
    let whole: Vec<FileHead> = heads.iter().flatten().copied().collect();
    let mark = mark_of(dir, &whole)?;
    let known = contents.iter().filter_map(|it| Positions::decode(it, mark));
    let known = known.reduce(Positions::and).unwrap_or_default();
    let files: Vec<FoundFile<'_>> = contents
        .iter()
        .zip(heads)
        .map(|(content, head)| FoundFile::of(content, head, mark, known.facts))
        .collect();
    let bases: BTreeSet<(u64, u32)> = whole.iter().map(|it| (it.base, it.snapshot)).collect();
    let states = bases
        .into_iter()
        .rev()
        .map(|base| FactState::of(&files, base));
    let states: Vec<FactState> = states.collect();
    // Without damage, all are equal.
    let best = states.iter().position(|state| state.damage.is_none());
    let state = states.into_iter().nth(best.unwrap_or_default());
    let mut state = state.unwrap_or_default();
    let mut loaded = LoadedFacts {
        mark,
        last: state.last,
        mended: Vec::new(),
        must_mend: whole.first().map(|it| it.base) != whole.get(1).map(|it| it.base),
        ends: [0, 1].map(|file| files.get(file).map_or(0, |it: &FoundFile<'_>| it.end)),
        known,
        damage: FactDamage::default(),
        facts: FactMap::default(),
    };
    if let [a, b] = files.as_slice() {
        // Neither has all of the last change.
        state.damage.is_unknown |=
            state.last < known.facts || (b.last() == state.last && a.ends_like(b));
        // A change in `a` is durable before the next one, and before `b` gets it.
        let least = known.facts.max(a.last()).max(b.last());
        let faults = [
            a.fault(least, state.last, true),
            b.fault(known.facts, state.last, false),
        ];
        for (name, fault) in FILES.into_iter().zip(faults) {
            let path = folder(dir).join(name);
            let text = fault.map(|fault| format!("{} {fault}", path.display()));
            loaded.mended.extend(text);
        }
    }
    let is_whole = files.iter().all(|file| file.is_whole(state.last));
    loaded.must_mend |= !is_whole || !state.damage.is_none() || !loaded.mended.is_empty();
    loaded.damage = state.damage;
    loaded.facts = state.facts;
    Ok(loaded)
}

/// The mark of the store, from the valid heads of its files.
fn mark_of(dir: &Path, heads: &[FileHead]) -> Result<Mark, StoreError> {
    let Some(first) = heads.first() else {
        let why = "neither of the two files of facts has a valid head";
        return Err(open::damaged(dir, why));
    };
    if let Some(newer) = heads.iter().find(|head| head.format > FORMAT) {
        return Err(StoreError::NewerFormat {
            found: newer.format,
            newest: FORMAT,
        });
    }
    if heads.iter().any(|head| head.format < FORMAT) {
        return Err(StoreError::OlderFormat {
            dir: dir.to_owned(),
            known: FORMAT,
        });
    }
    if heads.iter().any(|head| head.mark != first.mark) {
        let why = "the two files of facts belong to different stores";
        return Err(open::damaged(dir, why));
    }
    Ok(first.mark)
}

impl LoadedFacts {
    /// Compares the facts with the number of the last change that other files of the store know.
    /// Returns the loss, in a sentence, if the facts are older.
    pub(crate) fn compare(&mut self, known: u64) -> Option<String> {
        if known <= self.last {
            return None;
        }
        let text = format!(
            "the files in `facts` are older than the log and the journal, or their ends were cut off: the changes {} to {known} of entries of people are missing, and what they removed may be back",
            self.last + 1
        );
        // No number is used twice.
        self.last = known;
        self.damage.is_older = true;
        self.must_mend = true;
        Some(text)
    }
}

/// The facts of both files, starting from the snapshot of one.
#[derive(Default)]
struct FactState {
    facts: FactMap,
    last: u64,
    damage: FactDamage,
}

impl FactState {
    fn of(files: &[FoundFile<'_>], (base, parts): (u64, u32)) -> Self {
        let mut snapshot = BTreeMap::<u64, &ChangeRecord>::new();
        let mut changes = BTreeMap::<u64, (u64, &ChangeRecord)>::new();
        for (number, record) in files.iter().flat_map(|file| &file.records) {
            match record.place {
                Place::Snapshot(part) if *number == base => {
                    let known = snapshot.entry(part).or_insert(record);
                    if record.is_whole() {
                        *known = record;
                    }
                }
                Place::After(before) if *number > base => {
                    let known = changes.entry(*number).or_insert((before, record));
                    if record.is_whole() {
                        *known = (before, record);
                    }
                }
                _ => {}
            }
        }
        let mut state = Self {
            last: base,
            ..Self::default()
        };
        for part in 0..u64::from(parts) {
            match snapshot.get(&part) {
                Some(record) => state.apply(record),
                None => state.damage.is_unknown = true,
            }
        }
        for (number, (before, record)) in changes {
            state.damage.is_unknown |= before != state.last;
            state.apply(record);
            state.last = number;
        }
        state
    }

    fn apply(&mut self, record: &ChangeRecord) {
        if !record.is_whole() {
            let puts = record.keys.iter().filter(|(_, is_put)| *is_put);
            self.damage.keys.extend(puts.map(|(key, _)| key.clone()));
        }
        self.facts.apply(record.changes());
    }
}
