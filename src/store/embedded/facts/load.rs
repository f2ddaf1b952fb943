//! Reading both files of facts, and comparing them. Nothing is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::file_head::{self, FORMAT, FileHead};
use crate::store::embedded::disk::open;
use crate::store::embedded::disk::record::{self, Mark};
use crate::store::embedded::facts::change::{ChangeRecord, FactKey, Place};
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
    /// The repairs, for the log.
    pub(crate) mended: Vec<String>,
    /// The end of the last record of each file.
    pub(crate) ends: [usize; 2],
}

/// Damage that the two copies could not repair.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FactDamage {
    /// The affected facts, as far as they are known.
    pub(crate) keys: BTreeSet<FactKey>,
    /// Whether there are other damaged facts, which nothing identifies.
    pub(crate) is_unknown: bool,
}

impl FactDamage {
    pub(crate) fn is_none(&self) -> bool {
        self.keys.is_empty() && !self.is_unknown
    }

    /// Whether a revoked access may have come back.
    pub(crate) fn is_access(&self) -> bool {
        self.is_unknown || self.keys.iter().any(is_access)
    }
}

/// The content of a file.
#[derive(Default)]
struct FoundFile {
    head: Option<FileHead>,
    records: Vec<(u64, ChangeRecord)>,
    end: usize,
    /// Whether there are other bytes between the records.
    has_gaps: bool,
    /// Whether there are other bytes after them.
    has_rest: bool,
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
    let Some(first) = whole.first() else {
        let why = "neither of the two files of facts has a valid head";
        return Err(open::damaged(dir, why));
    };
    if let Some(newer) = whole.iter().find(|head| head.format > FORMAT) {
        return Err(StoreError::NewerFormat {
            found: newer.format,
            newest: FORMAT,
        });
    }
    if whole.iter().any(|head| head.mark != first.mark) {
        let why = "the two files of facts belong to different stores";
        return Err(open::damaged(dir, why));
    }
    let mark = first.mark;
    let files: Vec<FoundFile> = contents
        .iter()
        .zip(heads)
        .map(|(content, head)| FoundFile::of(content, head, mark))
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
    // A change is written to `b` once it is durable in `a`. So if `b` has a part of a change, and
    // neither file has all of it, the change is damaged, not torn.
    if let [_, b] = files.as_slice()
        && b.has_rest
        && b.last() == state.last
    {
        state.damage.is_unknown = true;
    }
    let (mut mended, mut must_mend) = (Vec::new(), !state.damage.is_none());
    for (file, name) in files.iter().zip(FILES) {
        let records = file.records.iter().filter(|(_, record)| record.is_whole());
        let is_damaged = file.head.is_none() || records.count() < file.records.len();
        if is_damaged || file.has_gaps {
            let path = folder(dir).join(name);
            mended.push(format!("{} was damaged", path.display()));
        }
        must_mend |= is_damaged || file.has_gaps || file.last() != state.last;
    }
    must_mend |=
        whole.len() < 2 || whole.first().map(|it| it.base) != whole.get(1).map(|it| it.base);
    Ok(LoadedFacts {
        mark,
        facts: state.facts,
        last: state.last,
        damage: state.damage,
        must_mend,
        mended,
        ends: [0, 1].map(|file| files.get(file).map_or(0, |it: &FoundFile| it.end)),
    })
}

impl FoundFile {
    fn of(content: &[u8], head: Option<FileHead>, mark: Mark) -> Self {
        let mut file = Self {
            head,
            end: file_head::BYTES.min(content.len()),
            ..Self::default()
        };
        let mut places = Vec::new();
        for found in record::all(content, mark) {
            let Some(record) = ChangeRecord::of(&found) else {
                continue;
            };
            places.push(found.at..found.at + found.length);
            file.records.push((found.number, record));
        }
        // A change is written once the one before it is durable: only the last one can be torn, and
        // it was not acknowledged.
        if let Some((_, last)) = file.records.last()
            && !last.is_whole()
        {
            places.pop();
            file.records.pop();
        }
        file.end = places.last().map_or(file.end, |last| last.end);
        let before = content.get(..file.end).unwrap_or_default();
        file.has_gaps = record::has_others(before, file_head::BYTES, places.into_iter());
        let rest = content.get(file.end..).unwrap_or_default();
        file.has_rest = rest.iter().any(|byte| *byte != 0);
        file
    }

    /// The number of its last change.
    fn last(&self) -> u64 {
        self.records.last().map_or_else(
            || self.head.map_or(0, |head| head.base),
            |(number, _)| *number,
        )
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
    fn of(files: &[FoundFile], (base, parts): (u64, u32)) -> Self {
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
