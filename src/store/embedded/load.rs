//! Reads a whole store: the facts, the log, the journal, and the volumes if the log is damaged.
//! Writes nothing but the index, which is not persistent.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::domain::SensorId;
use crate::store::embedded::blocks::{VolumeUse, Volumes, known_durable};
use crate::store::embedded::disk::open;
use crate::store::embedded::facts::{Deletion, Deletions, FactDamage, LoadedFacts};
use crate::store::embedded::facts::{load as fact_files, repair};
use crate::store::embedded::from_volumes;
use crate::store::embedded::index::{Index, IndexEntry};
use crate::store::embedded::journal::{FoundJournal, file as journal};
use crate::store::embedded::log::load::{self as log_files, LostRecord};
use crate::store::embedded::log::{LiveRows, LoadedLog, LogItem};
use crate::store::embedded::rows::{Commit, HotSensors};
use crate::store::error::StoreError;

/// A store as it was read.
pub(crate) struct LoadedStore {
    pub(crate) facts: LoadedFacts,
    pub(crate) log: LoadedLog,
    pub(crate) hot: HotSensors,
    pub(crate) live: LoadedLive,
    pub(crate) index: Index,
    pub(crate) journal: LoadedJournal,
    /// Interrupted deletions to be completed.
    pub(crate) deletions: BTreeMap<SensorId, Vec<Deletion>>,
    /// The lost data, a sentence each.
    pub(crate) lost: Vec<String>,
    /// Whether there was no store: its files are to be created.
    pub(crate) is_new: bool,
}

/// The live data of the log.
#[derive(Default)]
pub(crate) struct LoadedLive {
    pub(crate) rows: LiveRows,
    pub(crate) blocks: u64,
    /// The referenced part of each volume.
    pub(crate) uses: BTreeMap<u32, VolumeUse>,
    /// The position of the last commit of the log. Blocks of later ones do not count.
    pub(crate) committed: u64,
    /// Whether the log is damaged, so that it must be rewritten.
    pub(crate) is_damaged: bool,
}

/// The journal as it was read.
pub(crate) struct LoadedJournal {
    pub(crate) found: FoundJournal,
    /// The commits that are not in the log, in order, each with the durable end of the log at that
    /// time.
    pub(crate) commits: Vec<(u64, Commit)>,
    /// The number of the last commit that the journal contains or contained.
    pub(crate) last: u64,
    /// Whether it is missing or truncated although it must be whole. It tells how far the log was
    /// durable.
    pub(crate) is_missing: bool,
}

/// Reads the store in the data dir `dir`; `None` if there is none.
///
/// # Errors
/// [`StoreError::Io`] if the disk cannot return a part of it, [`StoreError::NewerFormat`], and
/// [`StoreError::Damaged`] if the facts or the log are missing.
pub(crate) fn load(dir: &Path, cache_bytes: u64) -> Result<Option<LoadedStore>, StoreError> {
    let Some(facts) = fact_files::load(dir)? else {
        return if is_used(dir)? {
            let why = "the folder `facts` is missing or empty, and there are readings";
            Err(open::damaged(dir, why))
        } else {
            Ok(None)
        };
    };
    let journal = journal::load(dir)?;
    let known = journal.durable().max(facts.known.log);
    let of_blocks = known_durable(dir, facts.mark)?;
    let mut log = log_files::load(dir, facts.mark, known.max(of_blocks))?;
    if log.last().position.max(known) < of_blocks {
        // All that could tell where the log ended is older than the blocks: all of them count.
        log.committed = u64::MAX;
    }
    if log.records.is_empty() {
        let why = "the folder `log` is missing, empty or unreadable";
        return Err(open::damaged(dir, why));
    }
    with_parts(dir, cache_bytes, facts, journal, log).map(Some)
}

/// Whether the data dir contains readings or other traces of a store that was used.
fn is_used(dir: &Path) -> Result<bool, StoreError> {
    let journal = journal::load(dir)?;
    let has_rows = journal
        .commits
        .values()
        .any(|(_, commit)| commit.count_rows() > 0);
    let volumes = Volumes::of(dir);
    let failed = |error| StoreError::io(format!("reading {}", dir.display()), &error);
    let has_volumes = !volumes.numbers().map_err(failed)?.is_empty();
    // An interrupted first start leaves one record, and no row.
    let log = Volumes::in_folder(log_files::folder(dir));
    let segments = log.numbers().map_err(failed)?;
    let is_long = segments.len() > 2 || segments.iter().any(|segment| is_filled(&log, *segment));
    Ok(has_rows || has_volumes || is_long)
}

/// Whether a segment contains more than the record of a first start.
fn is_filled(log: &Volumes, segment: u32) -> bool {
    const FIRST: usize = 128;
    let bytes = fs::read(log.path(segment)).unwrap_or_default();
    bytes.iter().skip(FIRST).any(|byte| *byte != 0)
}

/// Combines the parts.
pub(crate) fn with_parts(
    dir: &Path,
    cache_bytes: u64,
    mut facts: LoadedFacts,
    journal: FoundJournal,
    mut log: LoadedLog,
) -> Result<LoadedStore, StoreError> {
    let older = facts.compare(journal.facts.max(log.facts()));
    let deletions = Deletions::of(&facts.facts);
    let mut build = Index::begin(dir, cache_bytes)?;
    let (mut hot, mut live) = (HotSensors::default(), LiveRows::default());
    let damaged = log.read(dir, facts.mark, |head, item| match item {
        LogItem::Rows(mut group) => {
            deletions.left(&group.sensor, head.position, group.rows.to_mut());
            live.load(&group, head.position, &mut hot);
            Ok(())
        }
        LogItem::Put(block) => {
            let key = block.key.clone();
            build.put(key, &block.into())
        }
        LogItem::Removed(key) => build.put(key, &IndexEntry::removed(head.position)),
    })?;
    hot.load_activities();
    build.finish()?;
    let index = Index::of(dir, cache_bytes, build);
    let mut lost: Vec<LostRecord> = log.lost.clone();
    lost.extend(damaged);
    let journal = LoadedJournal::of(journal, &log, &deletions, facts.known.journal, &mut lost);
    let is_damaged = lost.iter().any(|lost| !lost.is_of_journal);
    let concerned = concerned_by(&lost);
    let mut texts: Vec<String> = lost.iter().map(LostRecord::text).collect();
    let committed = journal.committed(&log);
    if is_damaged {
        let sensors = concerned.as_ref();
        let greatest = from_volumes::mend(dir, facts.mark, &index, sensors, committed)?;
        let known = journal.found.durable().max(facts.known.log);
        log.greatest = log
            .greatest
            .max(greatest_of(&deletions, greatest.max(known)));
    }
    let is_mended = |sensor: &SensorId| {
        let all = concerned.as_ref();
        is_damaged && all.is_none_or(|all| all.contains(sensor))
    };
    let to_do = unfinished(&deletions, is_mended);
    let mut uses = LoadedLive {
        rows: live,
        committed,
        is_damaged,
        ..LoadedLive::default()
    };
    uses.count(&index)?;
    uses.check(dir, &mut texts)?;
    texts.extend(older.into_iter().chain(lost_facts(&facts.damage)));
    if !facts.damage.is_none() {
        texts.extend(repair::drop_unreadable(&mut facts.facts));
    }
    Ok(LoadedStore {
        facts,
        log,
        hot,
        live: uses,
        index,
        journal,
        deletions: to_do,
        lost: texts,
        is_new: false,
    })
}

/// The greatest number that was used: `seen`, or that of a deletion. No number is used twice, even if
/// the end of the log is missing.
fn greatest_of(deletions: &Deletions, seen: u64) -> u64 {
    let deleted = deletions.iter().map(|(_, it)| it.after).max();
    seen.max(deleted.unwrap_or(0))
}

/// The deletions to carry out: interrupted ones, and those of sensors with blocks from the volumes.
fn unfinished(
    deletions: &Deletions,
    is_mended: impl Fn(&SensorId) -> bool,
) -> BTreeMap<SensorId, Vec<Deletion>> {
    let mut to_do = BTreeMap::<SensorId, Vec<Deletion>>::new();
    for (sensor, deletion) in deletions.iter() {
        if !deletion.is_done || is_mended(sensor) {
            to_do.entry(sensor.clone()).or_default().push(*deletion);
        }
    }
    to_do
}

/// The sensors affected by damage; `None` if it may be any.
fn concerned_by(lost: &[LostRecord]) -> Option<BTreeSet<SensorId>> {
    let mut concerned = BTreeSet::new();
    for lost in lost.iter().filter(|lost| !lost.is_of_journal) {
        concerned.extend(lost.sensors.clone()?);
    }
    Some(concerned)
}

fn lost_facts(damage: &FactDamage) -> Vec<String> {
    let mut texts = Vec::new();
    for (kind, key) in &damage.keys {
        let kinds = crate::store::records::RecordKind::ALL.into_iter();
        let mut named = kinds.filter(|it| i16::from(*kind) == it.number());
        let name = named.next().map_or("deletions or damage", |it| it.name());
        texts.push(format!(
            "both copies of an entry of {name} are damaged, an older one may be used: {}",
            key.escape_ascii()
        ));
    }
    if damage.is_unknown {
        texts.push(
            "both copies of some entries of people are damaged, older ones may be used".into(),
        );
    }
    texts
}

impl LoadedLive {
    /// Counts the blocks, and the part of each volume that they use.
    fn count(&mut self, index: &Index) -> Result<(), StoreError> {
        index.each(|_, entry| {
            if let Some(placed) = &entry.placed {
                self.blocks += 1;
                let location = placed.location;
                let volume = self.uses.entry(location.volume).or_default();
                volume.bytes += u64::from(location.length);
                volume.end = volume.end.max(location.end());
            }
            Ok(())
        })
    }

    /// Reports volumes that are missing or too short.
    fn check(&self, dir: &Path, lost: &mut Vec<String>) -> Result<(), StoreError> {
        let volumes = Volumes::of(dir);
        for (volume, kept) in &self.uses {
            let path = volumes.path(*volume);
            let length = match fs::metadata(&path) {
                Ok(found) => found.len(),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
                Err(error) => {
                    return Err(StoreError::io(
                        format!("reading {}", path.display()),
                        &error,
                    ));
                }
            };
            if length < kept.end {
                lost.push(format!(
                    "{} is missing or truncated: `wattkeeper check` lists the blocks of readings that cannot be read",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

impl LoadedJournal {
    /// The position of the last commit of the log. Without the journal nothing tells where it ended,
    /// so all blocks count.
    const fn committed(&self, log: &LoadedLog) -> u64 {
        if self.is_missing {
            u64::MAX
        } else {
            log.committed
        }
    }

    fn of(
        found: FoundJournal,
        log: &LoadedLog,
        deletions: &Deletions,
        known: u64,
        lost: &mut Vec<LostRecord>,
    ) -> Self {
        let head = log.last();
        let landed = head.landed;
        let mut report = |what: String, is_of_journal| {
            lost.push(LostRecord {
                what,
                sensors: None,
                is_of_journal,
            });
        };
        let is_known = found.last().is_some_and(|last| last >= landed);
        // While a store is open its journal is complete, and contains at least the last commit that
        // is also in the log.
        let is_missing = !head.is_closed && (found.is_cut || !is_known);
        if is_missing {
            let what = "the journal is missing or truncated, and with it perhaps the last uploads";
            // Only the journal knows where the log ends, so the end of the log may be missing, too.
            report(what.into(), false);
        }
        let (mut commits, mut expected) = (Vec::new(), landed.wrapping_add(1));
        for (number, (durable, commit)) in found.commits.range(expected..) {
            if *number != expected {
                let what = format!(
                    "the journal lacks the uploads from group {expected} to before {number}"
                );
                report(what, true);
            }
            expected = number.wrapping_add(1);
            commits.push((*durable, without_deleted(commit, *durable, deletions)));
        }
        let newest = found.last().unwrap_or(0).max(landed);
        if newest < known {
            let what = format!(
                "the journal lacks the uploads from group {} to {known}, which `facts` knows: it is older than that, or its end is damaged",
                newest.wrapping_add(1)
            );
            report(what, true);
        }
        Self {
            found,
            commits,
            // No number is used twice.
            last: newest.max(known),
            is_missing,
        }
    }
}

/// A commit without the readings that were deleted after it.
fn without_deleted(commit: &Commit, durable: u64, deletions: &Deletions) -> Commit {
    let mut left = Commit::with_capacity(0);
    for (sensor, committed) in commit.iter() {
        let mut rows = committed.rows.clone();
        deletions.left(sensor, durable, &mut rows);
        left.add(sensor.clone(), rows, committed.activity);
    }
    left
}
