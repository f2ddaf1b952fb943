//! Tests of the files of facts: damage to one file is repaired from the other.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::mem;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use proptest::prelude::*;

use super::files::FactWriteError;
use super::load::{self, LoadedFacts};
use super::stored::VISITED;
use super::{FactChanges, FactFiles, FactMap};
use crate::store::embedded::disk::positions::RECORDS_AT;
use crate::store::embedded::disk::{Mark, Positions, file_head, sync};

impl FactFiles {
    /// Has the first file written elsewhere. Returns the one before.
    pub(crate) const fn swap_first(&mut self, file: fs::File) -> fs::File {
        mem::replace(&mut self.files[0].file, file)
    }
}

const MARK: Mark = Mark(*b"ourstore");
/// A kind that grants no access.
const KIND: u8 = 7;
const CREDENTIALS: u8 = 6;

fn change(changes: &[(u8, &str, Option<&str>)]) -> FactChanges {
    let mut all = FactChanges::default();
    for (kind, key, value) in changes {
        let value = value.map(|value| value.as_bytes().to_vec());
        all.0.insert((*kind, key.as_bytes().to_vec()), value);
    }
    all
}

/// Writes files in which facts are added, changed and removed. Returns the facts after each change.
fn written(dir: &Path) -> (FactFiles, Vec<FactMap>) {
    let mut files = FactFiles::create(dir, MARK).unwrap();
    let (mut facts, mut states) = (FactMap::default(), vec![FactMap::default()]);
    for changes in [
        change(&[(KIND, "a", Some("first")), (CREDENTIALS, "k", Some("key"))]),
        change(&[(KIND, "b", Some("second"))]),
        change(&[(KIND, "a", Some("corrected")), (KIND, "c", Some("third"))]),
        change(&[(CREDENTIALS, "k", None), (KIND, "b", None)]),
        change(&[(KIND, "d", Some("last"))]),
    ] {
        files.append(&changes, 0).unwrap();
        facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
        states.push(facts.clone());
    }
    (files, states)
}

fn loaded(dir: &Path) -> LoadedFacts {
    load::load(dir).unwrap().unwrap()
}

#[test]
fn facts_are_read_as_they_were_written() {
    let dir = tempfile::tempdir().unwrap();
    assert!(load::load(dir.path()).unwrap().is_none());
    let (files, states) = written(dir.path());
    drop(files);
    let found = loaded(dir.path());
    assert_eq!(Some(&found.facts), states.last());
    assert!(!found.must_mend && found.damage.is_none());
    let mut files = FactFiles::open(dir.path(), &found).unwrap();
    files
        .append(&change(&[(KIND, "e", Some("more"))]), 0)
        .unwrap();
    let again = loaded(dir.path());
    assert_eq!(again.facts.len(), found.facts.len() + 1);
    assert!(!again.must_mend);
}

/// Files with a snapshot and changes after it, as a stop leaves them: `b` is durable, and both
/// know that.
fn stopped(dir: &Path) -> FactMap {
    let (files, states) = written(dir);
    drop(files);
    let mut facts = states.last().unwrap().clone();
    let mut found = loaded(dir);
    found.must_mend = true;
    let mut files = FactFiles::open(dir, &found).unwrap();
    let more = change(&[(KIND, "e", Some("after the snapshot")), (KIND, "c", None)]);
    files.append(&more, 0).unwrap();
    facts.change(&more);
    files.sync().unwrap();
    let durable = Positions {
        log: 70,
        journal: 7,
        facts: files.last(),
    };
    files.note(durable).unwrap();
    facts
}

/// Damaged contents of a file: each flipped bit, each cut, and sectors of zeros. Of the zeros between
/// and behind the content, some.
fn damages(whole: &[u8]) -> impl Iterator<Item = (String, Vec<u8>)> {
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let is_content = move |at: usize| {
        at < 40 || (4_090..4_130).contains(&at) || (RECORDS_AT - 4..end + 9).contains(&at)
    };
    let places = move || (0..whole.len()).filter(move |at| at % 61 == 0 || is_content(*at));
    let flips = places().flat_map(move |place| {
        let bits = (0..8).filter(move |bit| is_content(place) || place % 8 == *bit);
        bits.map(move |bit| {
            let mut bytes = whole.to_vec();
            bytes[place] ^= 1 << bit;
            (format!("bit {bit} of byte {place}"), bytes)
        })
    });
    let cuts = places().map(|at| (format!("{at} bytes"), whole[..at].to_vec()));
    let sectors = [0, 4_096, RECORDS_AT].map(|at| {
        let mut bytes = whole.to_vec();
        bytes[at..at + 512].fill(0);
        (format!("zeros at {at}"), bytes)
    });
    flips.chain(cuts).chain(sectors)
}

/// Damage anywhere in one file: nothing is lost, nothing is refused, and the damage is named and
/// repaired, so that the other file may be damaged next.
#[test]
fn damage_to_one_file_loses_nothing() {
    for [name, other] in [["a", "b"], ["b", "a"]] {
        let dir = tempfile::tempdir().unwrap();
        let facts = stopped(dir.path());
        assert!(!loaded(dir.path()).must_mend);
        let [path, other] = [name, other].map(|name| dir.path().join("facts").join(name));
        let whole = fs::read(&path).unwrap();
        for (number, (what, bytes)) in damages(&whole).enumerate() {
            fs::write(&path, bytes).unwrap();
            let found = loaded(dir.path());
            assert_eq!(found.facts, facts, "{name}: {what}");
            assert!(found.damage.is_none() && found.must_mend, "{name}: {what}");
            let [said] = found.mended.as_slice() else {
                panic!("{name}: {what}: {:?}", found.mended);
            };
            assert!(said.starts_with(path.to_str().unwrap()), "{said}");
            if number % 97 == 0 {
                drop(FactFiles::open(dir.path(), &found).unwrap());
                let mended = loaded(dir.path());
                assert!(!mended.must_mend && mended.facts == facts, "{what}");
                fs::remove_file(&other).unwrap();
                let found = loaded(dir.path());
                assert!(found.damage.is_none() && found.facts == facts, "{what}");
                drop(FactFiles::open(dir.path(), &found).unwrap());
                assert!(!loaded(dir.path()).must_mend, "{what}");
                fs::write(&other, &whole).unwrap();
            }
        }
    }
}

/// A power cut may leave `b` without its last changes, or with parts of them: that is no damage.
#[test]
fn what_a_power_cut_leaves_is_not_damage() {
    let dir = tempfile::tempdir().unwrap();
    let facts = stopped(dir.path());
    let path = dir.path().join("facts/b");
    let before = fs::read(&path).unwrap();
    let durable = loaded(dir.path());
    let mut files = FactFiles::open(dir.path(), &durable).unwrap();
    let mut facts = facts;
    for (key, length) in [("f", 700), ("g", 90), ("h", 1_200)] {
        let more = change(&[(KIND, key, Some(&"x".repeat(length)))]);
        files.append(&more, 0).unwrap();
        facts.change(&more);
    }
    let after = fs::read(&path).unwrap();
    for kept in 0..16 {
        let mut torn = before.clone();
        torn.resize(after.len(), 0);
        let sectors = (0..after.len())
            .step_by(512)
            .filter(|at| before[*at..at + 512] != after[*at..at + 512]);
        for (number, at) in sectors.enumerate() {
            if (kept >> number) & 1 == 1 {
                torn[at..at + 512].copy_from_slice(&after[at..at + 512]);
            }
        }
        fs::write(&path, &torn).unwrap();
        let found = loaded(dir.path());
        assert_eq!(found.mended, Vec::<String>::new(), "{kept}");
        assert!(found.damage.is_none() && found.facts == facts, "{kept}");
    }
}

/// Facts that are older than another file allows, one copy of them or both.
#[test]
fn older_files_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let facts = stopped(dir.path());
    let paths = load::FILES.map(|name| dir.path().join("facts").join(name));
    let old = fs::read(&paths[0]).unwrap();
    let mut files = FactFiles::open(dir.path(), &loaded(dir.path())).unwrap();
    let more = change(&[(CREDENTIALS, "x", Some("new"))]);
    let mut newer = facts.clone();
    files.append(&more, 0).unwrap();
    newer.change(&more);
    files.sync().unwrap();
    files.note(Positions::default()).unwrap();
    let last = files.last();
    drop(files);
    let new = fs::read(&paths[0]).unwrap();
    for path in &paths {
        fs::write(path, &old).unwrap();
        let mut found = loaded(dir.path());
        assert!(
            found.mended.iter().any(|it| it.contains("older")),
            "{:?}",
            found.mended
        );
        assert!(found.facts == newer && found.compare(last).is_none());
        assert!(found.damage.is_none());
        fs::write(path, &new).unwrap();
    }
    for path in &paths {
        fs::write(path, &old).unwrap();
    }
    let mut found = loaded(dir.path());
    assert!(found.mended.is_empty() && found.damage.is_none());
    assert!(found.compare(last).unwrap().contains("older"));
    assert!(found.damage.is_access() && found.last == last);
    // The next change has a new number.
    let mut files = FactFiles::open(dir.path(), &found).unwrap();
    files.append(&more, 0).unwrap();
    assert_eq!(loaded(dir.path()).last, last + 1);
}

/// A full disk while the second file grows: the system may drop what its failed sync was for, so
/// changes that only wait for a sync are written again. Any other failure is final.
#[test]
fn a_failed_growth_of_the_second_file_loses_no_change() {
    let dir = tempfile::tempdir().unwrap();
    let (mut files, _) = written(dir.path());
    files.sync().unwrap();
    let path = dir.path().join("facts/b");
    let dropped = fs::read(&path).unwrap();
    files
        .append(&change(&[(KIND, "kept", Some("x"))]), 0)
        .unwrap();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let whole = mem::replace(&mut files.files[1].file, full);
    let large = change(&[(KIND, "large", Some(&"y".repeat(40_000)))]);
    let refused = files.append(&large, 0).unwrap_err();
    assert!(matches!(refused, FactWriteError::NoRoom(_)), "{refused:?}");
    whole.write_all_at(&dropped, 0).unwrap();
    files.files[1].file = whole;
    files.sync().unwrap();
    assert!(fs::read(&path).unwrap() != dropped);
    drop(fs::remove_file(dir.path().join("facts/a")));
    let found = loaded(dir.path()).facts;
    assert_eq!(found.value(&(KIND, b"kept".to_vec())), Some(&b"x".to_vec()));
    let mut files = FactFiles::open(dir.path(), &loaded(dir.path())).unwrap();
    files.files[1].file = fs::File::open(&path).unwrap();
    let failed = files.append(&large, 0).unwrap_err();
    assert!(matches!(failed, FactWriteError::Failed(_)), "{failed:?}");
}

/// If both copies of a record are damaged, its facts are named; if nothing identifies them, they
/// may grant access.
#[test]
fn damage_to_both_copies_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    drop(written(dir.path()));
    let paths = load::FILES.map(|name| dir.path().join("facts").join(name));
    let whole = fs::read(&paths[0]).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let mut named = BTreeMap::new();
    for place in RECORDS_AT..=end {
        for path in &paths {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x40;
            fs::write(path, damaged).unwrap();
        }
        let found = loaded(dir.path());
        // The last change, too: a power cut does not tear both copies.
        assert!(!found.damage.is_none(), "byte {place}");
        if !found.damage.is_unknown {
            for (_, key) in found.damage.keys {
                *named.entry(key).or_insert(0) += 1;
            }
        }
    }
    assert!(named.contains_key(b"b".as_slice()), "{named:?}");
}

/// Each fact of a snapshot has a record of its own.
#[test]
fn damage_to_both_copies_of_a_snapshot_costs_one_fact() {
    let dir = tempfile::tempdir().unwrap();
    let (mut files, states) = written(dir.path());
    let facts = states.last().unwrap();
    while fs::read(dir.path().join("facts/b")).unwrap()[20] == 0 {
        files
            .append(&change(&[(KIND, "a", Some(&"x".repeat(3_000)))]), 0)
            .unwrap();
        files.work(facts).unwrap();
    }
    drop(files);
    for name in load::FILES {
        let path = dir.path().join("facts").join(name);
        let mut bytes = fs::read(&path).unwrap();
        let third = bytes.windows(5).position(|it| it == b"third").unwrap();
        bytes[third] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    let found = loaded(dir.path());
    let lost = (KIND, b"c".to_vec());
    assert!(!found.damage.is_unknown);
    assert!(found.damage.keys.iter().eq([&lost]));
    let mut left = facts.clone();
    left.remove(&lost);
    assert_eq!(found.facts, left);
}

#[test]
fn compaction_keeps_live_facts_and_ends() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = FactFiles::create(dir.path(), MARK).unwrap();
    let mut facts = FactMap::default();
    let long = "x".repeat(500);
    let path = dir.path().join("facts/a");
    for n in 0..400 {
        let value = format!("{n}{long}");
        let changes = change(&[(KIND, &format!("{}", n % 7), Some(&value))]);
        files.append(&changes, 0).unwrap();
        facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
        files.work(&facts).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 64 * 1024);
        if n % 20 == 0 {
            assert!(loaded(dir.path()).facts == facts);
        }
    }
    assert!(!files.is_due(facts.bytes()));
    // Interrupted between the two files: one is older, and has the same facts.
    let old = fs::read(dir.path().join("facts/b")).unwrap();
    while fs::read(dir.path().join("facts/b")).unwrap()[..file_head::BYTES]
        == old[..file_head::BYTES]
    {
        let changes = change(&[(KIND, "0", Some(&long))]);
        files.append(&changes, 0).unwrap();
        facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
        let before = fs::read(dir.path().join("facts/b")).unwrap();
        files.work(&facts).unwrap();
        let after = fs::read(dir.path().join("facts/b")).unwrap();
        fs::write(dir.path().join("facts/b"), before).unwrap();
        let found = loaded(dir.path());
        assert!(found.facts == facts && found.damage.is_none());
        fs::write(dir.path().join("facts/b"), after).unwrap();
    }
}

/// Once a file may be replaced, the store takes no more changes: a power cut may bring the old one
/// back, without later changes. Until then nothing has changed.
#[test]
fn a_compaction_that_fails_after_a_file_was_replaced_is_final() {
    for fails_at_folder in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let (mut files, states) = written(dir.path());
        let mut facts = states.last().unwrap().clone();
        let folder = dir.path().join("facts");
        while !files.is_due(facts.bytes()) || files.work(&facts).is_ok() {
            let more = change(&[(KIND, "a", Some(&"x".repeat(3_000)))]);
            files.append(&more, 0).unwrap();
            facts.change(&more);
            files.sync().unwrap();
            if files.is_due(facts.bytes()) {
                if fails_at_folder {
                    sync::fault::fail_at(&folder, io::ErrorKind::StorageFull);
                } else {
                    sync::fault::fail_below(&folder);
                }
                break;
            }
        }
        let worked = files.work(&facts);
        sync::fault::heal(&folder);
        if fails_at_folder {
            assert!(
                matches!(worked, Err(FactWriteError::Failed(_))),
                "{worked:?}"
            );
        } else {
            worked.unwrap();
            // The files are still those with the names.
            let more = change(&[(KIND, "z", Some("later"))]);
            files.append(&more, 0).unwrap();
            facts.change(&more);
        }
        assert!(loaded(dir.path()).facts == facts);
    }
}

#[test]
fn whether_work_is_due_is_known_without_looking_at_the_facts() {
    let dir = tempfile::tempdir().unwrap();
    let mut files = FactFiles::create(dir.path(), MARK).unwrap();
    let mut facts = FactMap::default();
    for n in 0..60 {
        let more = change(&[(KIND, &format!("{}", n % 40), Some(&"x".repeat(n * 7)))]);
        files.append(&more, 0).unwrap();
        facts.change(&more);
    }
    facts.remove(&(KIND, b"7".to_vec()));
    files.sync().unwrap();
    let counted: usize = facts
        .iter()
        .map(|((_, key), value)| key.len() + value.len() + 48)
        .sum();
    assert_eq!(facts.bytes(), counted);
    VISITED.set(0);
    assert!(!files.is_due(facts.bytes()));
    assert_eq!(VISITED.get(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A replay of any prefix that a power cut can leave of `a` gives the state after some change,
    /// not before the last acknowledged one.
    #[test]
    fn any_prefix_is_a_state(cut in any::<prop::sample::Index>(), answered in 0_usize..5) {
        let dir = tempfile::tempdir().unwrap();
        let (files, states) = written(dir.path());
        drop(files);
        let whole = fs::read(dir.path().join("facts/a")).unwrap();
        let records: Vec<usize> = crate::store::embedded::disk::record::all(&whole, MARK)
            .map(|record| record.at + record.length)
            .collect();
        let least = if answered == 0 { RECORDS_AT } else { records[answered - 1] };
        let length = least + cut.index(records[4] - least + 1);
        let mut torn = whole.clone();
        torn[length..].fill(0);
        fs::write(dir.path().join("facts/a"), torn).unwrap();
        // The other file is synced later.
        let mut older = whole;
        older[least..].fill(0);
        fs::write(dir.path().join("facts/b"), older).unwrap();
        let found = loaded(dir.path());
        prop_assert!(found.damage.is_none());
        let is_state = states.iter().skip(answered).any(|state| *state == found.facts);
        prop_assert!(is_state);
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), place in any::<prop::sample::Index>()) {
        let dir = tempfile::tempdir().unwrap();
        drop(written(dir.path()));
        let path = dir.path().join("facts/a");
        let mut damaged = fs::read(&path).unwrap();
        let at = place.index(damaged.len());
        damaged.splice(at..(at + bytes.len()).min(4_000).max(at), bytes);
        fs::write(&path, damaged).unwrap();
        prop_assert!(loaded(dir.path()).damage.is_none());
    }
}
