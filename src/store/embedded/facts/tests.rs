//! Tests of the files of facts: damage to one file is repaired from the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::load::{self, LoadedFacts};
use super::{FactChanges, FactFiles, FactMap};
use crate::store::embedded::disk::Mark;
use crate::store::embedded::disk::file_head;

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
        files.append(&changes).unwrap();
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
    files.append(&change(&[(KIND, "e", Some("more"))])).unwrap();
    let again = loaded(dir.path());
    assert_eq!(again.facts.0.len(), found.facts.0.len() + 1);
    assert!(!again.must_mend);
}

/// A flipped bit anywhere in one file, a sector of zeros, a truncated file: nothing is lost, and
/// both files are repaired.
#[test]
fn damage_to_one_file_loses_nothing() {
    for name in load::FILES {
        let dir = tempfile::tempdir().unwrap();
        let (files, states) = written(dir.path());
        drop(files);
        let path = dir.path().join("facts").join(name);
        let whole = fs::read(&path).unwrap();
        let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
        let check = |what: &str| {
            let found = loaded(dir.path());
            assert_eq!(Some(&found.facts), states.last(), "{name}: {what}");
            assert!(found.damage.is_none(), "{name}: {what}");
            found
        };
        for place in 0..=end {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x40;
            fs::write(&path, &damaged).unwrap();
            assert!(check(&format!("byte {place}")).must_mend);
        }
        for length in (0..end).step_by(7) {
            fs::write(&path, &whole[..length]).unwrap();
            check(&format!("{length} bytes"));
        }
        let mut zeros = whole.clone();
        zeros[..512.min(end)].fill(0);
        fs::write(&path, &zeros).unwrap();
        check("a sector of zeros");
        fs::remove_file(&path).unwrap();
        let found = check("no file");
        drop(FactFiles::open(dir.path(), &found).unwrap());
        let mended = loaded(dir.path());
        assert!(!mended.must_mend);
        assert_eq!(Some(&mended.facts), states.last());
    }
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
    for place in file_head::BYTES..=end {
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
            .append(&change(&[(KIND, "a", Some(&"x".repeat(3_000)))]))
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
    left.0.remove(&lost);
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
        files.append(&changes).unwrap();
        facts.apply(changes.0.iter().map(|(key, value)| (key, value.as_ref())));
        files.work(&facts).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 64 * 1024);
        if n % 20 == 0 {
            assert!(loaded(dir.path()).facts == facts);
        }
    }
    assert!(!files.is_due(&facts));
    // Interrupted between the two files: one is older, and has the same facts.
    let old = fs::read(dir.path().join("facts/b")).unwrap();
    while fs::read(dir.path().join("facts/b")).unwrap()[..file_head::BYTES]
        == old[..file_head::BYTES]
    {
        let changes = change(&[(KIND, "0", Some(&long))]);
        files.append(&changes).unwrap();
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
        let least = if answered == 0 { file_head::BYTES } else { records[answered - 1] };
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
