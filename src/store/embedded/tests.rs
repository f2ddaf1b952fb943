//! Tests of the store's files together: with any damaged byte, nothing is silently wrong, and an
//! intact file loses nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::mpsc;

use proptest::prelude::*;

use crate::domain::{Reading, TimeRange, Timestamp};
use crate::store::embedded::facts::stored::VISITED;
use crate::store::embedded::facts::{Deletion, Deletions, FactChanges};
use crate::store::embedded::index::IndexEntry;
use crate::store::embedded::log::files::SEGMENT_BYTES;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::records::keys;
use crate::store::settings::{OpenMode, StoreSettings};
use crate::store::tests::{NOW, all, at, house, open_registered, open_with, reading, upload};

fn segments(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(dir.join("log")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Makes, replaces and deletes blocks, and adds rows over them. Returns the stored readings.
fn filled(dir: &Path) -> Vec<Reading> {
    let store = open_registered(dir, 16);
    store
        .import_durably(&house(), (0..200).map(|n| reading(n * 10, 5.0)).collect())
        .unwrap();
    let deleted = TimeRange::new(at(300), at(700)).unwrap();
    store.delete_durably(&house(), deleted).unwrap();
    let late = (0..20).map(|n| reading(n * 95 + 3, 7.0));
    store.import_durably(&house(), late.collect()).unwrap();
    let newer: Vec<Option<i64>> = (0..10).map(|n| Some(5_000 + n)).collect();
    store
        .append_durably_blocking(upload(&newer), at(NOW))
        .unwrap();
    let stored = all(&store);
    store.close().unwrap();
    stored
}

fn opened(dir: &Path) -> Result<Store, StoreError> {
    let settings = StoreSettings {
        block_readings: 16,
        ..StoreSettings::default()
    };
    Store::open(dir, settings, OpenMode::Existing)
}

/// Rule 5: each reading is unchanged, or its possible loss is reported; no deleted reading comes
/// back.
fn check(dir: &Path, stored: &[Reading], what: &str) {
    let store = opened(dir).unwrap_or_else(|error| panic!("{what}: {error}"));
    let left = all(&store);
    let known: BTreeSet<(i64, u64)> = stored.iter().map(bits).collect();
    assert!(left.iter().all(|it| known.contains(&bits(it))), "{what}");
    let is_said = !store.damage().is_empty();
    assert!(left.len() == stored.len() || is_said, "{what}");
    let blocks = |readings: &[Reading]| readings.iter().filter(|it| it.time < at(5_000)).count();
    assert_eq!(blocks(&left), blocks(stored), "{what}");
    // The next start is clean: a loss is reported once.
    let notes = store.damage();
    store.close().unwrap();
    drop(store);
    let again = opened(dir).unwrap();
    assert_eq!(again.damage(), notes, "{what}");
    assert_eq!(all(&again).len(), left.len(), "{what}");
}

fn bits(reading: &Reading) -> (i64, u64) {
    let watts = reading.measures.watts().unwrap_or_default();
    (reading.time.millis(), watts.to_bits())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        // The index is not persistent, and may be removed during the copy.
        if path.ends_with("index") {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Rule 5, for the log: blocks come back from the volumes, deleted readings do not.
#[test]
fn each_damaged_byte_of_the_log_equals_the_truth_or_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let stored = filled(dir.path());
    let segment = &segments(dir.path())[0];
    let whole = fs::read(segment).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    for place in (0..=end).step_by(29) {
        let damaged = tempfile::tempdir().unwrap();
        copy(dir.path(), damaged.path());
        let mut bytes = whole.clone();
        bytes[place] ^= 0x04;
        fs::write(
            damaged
                .path()
                .join("log")
                .join(segment.file_name().unwrap()),
            bytes,
        )
        .unwrap();
        check(damaged.path(), &stored, &format!("byte {place} of {end}"));
    }
}

#[test]
fn an_end_of_the_log_that_is_cut_off_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let stored = filled(dir.path());
    let segment = &segments(dir.path())[0];
    let whole = fs::read(segment).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let cuts = (end / 4..end).step_by(97);
    // A store that was restored or salvaged, and not opened since, has no journal.
    for (length, has_journal) in cuts.flat_map(|it| [(it, true), (it, false)]) {
        let cut = tempfile::tempdir().unwrap();
        copy(dir.path(), cut.path());
        let segment = cut.path().join("log").join(segment.file_name().unwrap());
        fs::write(&segment, &whole[..length]).unwrap();
        if !has_journal {
            fs::remove_file(cut.path().join("journal")).unwrap();
        }
        let store = opened(cut.path()).unwrap();
        assert!(!store.damage().is_empty(), "{length} of {end}");
        drop(store);
        check(cut.path(), &stored, &format!("{length} of {end}"));
    }
}

/// Missing or empty folders beside readings are refused, and nothing is removed. A record with
/// intact keys says how long it is, even if the file ends within it. A start appends after that
/// length.
#[test]
fn records_appended_to_a_truncated_log_stay() {
    let (dir, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = open_registered(dir.path(), 4_096);
    let times = |from: i64, to: i64| (from..to).map(|n| Some(n * 10)).collect::<Vec<_>>();
    let append = |store: &Store, from, to| {
        let uploaded = upload(&times(from, to));
        store.append_durably_blocking(uploaded, at(NOW)).unwrap();
    };
    append(&store, 0, 200);
    store.close().unwrap();
    drop(store);
    let store = open_with(dir.path(), 4_096);
    append(&store, 200, 220);
    copy(dir.path(), killed.path());
    let segment = &segments(killed.path())[0];
    let whole = fs::read(segment).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    for length in (end / 8..end).step_by(101) {
        let cut = tempfile::tempdir().unwrap();
        copy(killed.path(), cut.path());
        let segment = cut.path().join("log").join(segment.file_name().unwrap());
        fs::write(&segment, &whole[..length]).unwrap();
        let store = open_with(cut.path(), 4_096);
        let left = all(&store).len();
        // The last upload is in the journal.
        assert!(left >= 20, "{length} of {end}");
        store.close().unwrap();
        drop(store);
        let again = open_with(cut.path(), 4_096);
        assert_eq!(all(&again).len(), left, "{length} of {end}");
    }
}

#[test]
fn a_store_without_its_facts_or_its_log_is_refused_untouched() {
    for part in ["facts", "log"] {
        for is_emptied in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            filled(dir.path());
            fs::remove_dir_all(dir.path().join(part)).unwrap();
            if is_emptied {
                fs::create_dir(dir.path().join(part)).unwrap();
            }
            let before = fs::read(dir.path().join("blocks/00000001")).unwrap();
            for mode in [OpenMode::Existing, OpenMode::CreateIfMissing] {
                let refused = Store::open(dir.path(), StoreSettings::default(), mode);
                let error = refused.err().unwrap();
                assert!(matches!(error, StoreError::Damaged(_)), "{error}");
                assert!(!error.to_string().contains("remove"), "{error}");
            }
            assert_eq!(
                fs::read(dir.path().join("blocks/00000001")).unwrap(),
                before
            );
            assert!(!dir.path().join(part).join("a").exists());
        }
    }
}

/// A journal that is emptied, removed or truncated after a kill.
#[test]
fn a_journal_that_is_missing_after_a_kill_is_noticed() {
    for damage in [
        |path: &Path| fs::remove_file(path).unwrap(),
        |path: &Path| fs::write(path, "").unwrap(),
        |path: &Path| fs::write(path, vec![0; 1024 * 1024]).unwrap(),
        |path: &Path| fs::write(path, &fs::read(path).unwrap()[..100_000]).unwrap(),
    ] {
        let (dir, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = open_registered(dir.path(), 16);
        for n in 0..5 {
            store
                .append_durably_blocking(upload(&[Some(n)]), at(NOW))
                .unwrap();
        }
        copy(dir.path(), killed.path());
        damage(&killed.path().join("journal"));
        let left = opened(killed.path()).unwrap();
        let notes = left.damage().join("\n");
        assert!(
            notes.contains("the journal is missing or truncated"),
            "{notes}"
        );
        left.confirm_damage().unwrap();
        left.close().unwrap();
        drop(left);
        assert_eq!(
            opened(killed.path()).unwrap().damage(),
            Vec::<String>::new()
        );
        // After a stop, the journal is not needed.
        store.close().unwrap();
        drop(store);
        fs::remove_file(dir.path().join("journal")).unwrap();
        let store = opened(dir.path()).unwrap();
        assert_eq!((store.damage().len(), all(&store).len()), (0, 5));
    }
}

/// Appends an upload for each time.
fn append_each(store: &Store, times: std::ops::Range<i64>) {
    for time in times {
        let uploaded = upload(&[Some(time)]);
        store.append_durably_blocking(uploaded, at(NOW)).unwrap();
    }
}

/// Replaces these parts of a store by those of another folder.
fn put_back(parts: &[&str], from: &Path, to: &Path) {
    for part in parts {
        let (from, to) = (from.join(part), to.join(part));
        if from.is_dir() {
            fs::remove_dir_all(&to).unwrap();
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Somebody copies single files back from an older copy: the files that stay know more.
#[test]
fn files_that_are_older_than_others_allow_are_noticed() {
    let [dir, old, killed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let store = open_registered(dir.path(), 16);
    let blocks = (0..200).map(|n| reading(n * 10, 5.0));
    store.import_durably(&house(), blocks.collect()).unwrap();
    append_each(&store, 5_000..5_060);
    store.close().unwrap();
    drop(store);
    copy(dir.path(), old.path());
    let store = opened(dir.path()).unwrap();
    append_each(&store, 6_000..6_140);
    let deleted = TimeRange::new(at(300), at(700)).unwrap();
    store.delete_durably(&house(), deleted).unwrap();
    append_each(&store, 7_000..7_001);
    copy(dir.path(), killed.path());
    store.close().unwrap();
    drop(store);
    let [log, facts] = ["the log has no readable record", "`facts` are older"];
    let cases: [(&Path, &[&str], &str); 8] = [
        (dir.path(), &["log", "journal"], log),
        (dir.path(), &["log", "journal", "blocks"], log),
        (dir.path(), &["log"], log),
        (dir.path(), &["facts"], facts),
        (dir.path(), &["facts", "journal"], facts),
        (killed.path(), &["log", "journal"], log),
        (killed.path(), &["journal"], "the journal"),
        (killed.path(), &["facts", "log"], facts),
    ];
    for (newer, parts, said) in cases {
        let mixed = tempfile::tempdir().unwrap();
        copy(newer, mixed.path());
        put_back(parts, old.path(), mixed.path());
        let store = opened(mixed.path()).unwrap();
        let notes = store.damage().join("\n");
        assert!(notes.contains(said), "{parts:?}: {notes}");
        let found = store.check().problems;
        let is_found = found.iter().any(|it| it.what.contains(said));
        assert!(is_found, "{parts:?}: {found:?}");
        let is_of_facts = parts.contains(&"facts");
        let is_back = all(&store).iter().any(|it| deleted.contains(it.time));
        assert!(!is_back || is_of_facts, "{parts:?}");
        assert_eq!(store.shared().facts.is_access_suspended(), is_of_facts);
        store.confirm_damage().unwrap();
        append_each(&store, 8_000..8_001);
        store.close().unwrap();
        drop(store);
        let again = opened(mixed.path()).unwrap();
        assert_eq!(again.damage(), Vec::<String>::new(), "{parts:?}");
    }
    for whole in [old.path(), dir.path(), killed.path()] {
        assert_eq!(opened(whole).unwrap().damage(), Vec::<String>::new());
    }
}

/// Blocks that are newer than all that could tell where the log ended: a loss is reported, and none of
/// them is cut off.
#[test]
fn blocks_that_are_newer_than_all_other_files_count() {
    let [dir, old, killed] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let store = open_registered(dir.path(), 16);
    let import = |store: &Store, times: std::ops::Range<i64>| {
        let readings = times.map(|n| reading(n * 10, 5.0)).collect();
        store.import_durably(&house(), readings).unwrap();
    };
    import(&store, 0..200);
    store.close().unwrap();
    drop(store);
    copy(dir.path(), old.path());
    let store = opened(dir.path()).unwrap();
    for part in 0..4 {
        import(&store, 1_000 + part * 100..1_100 + part * 100);
    }
    append_each(&store, 20_000..20_060);
    copy(dir.path(), killed.path());
    store.close().unwrap();
    drop(store);
    for newer in [dir.path(), killed.path()] {
        let mixed = tempfile::tempdir().unwrap();
        copy(newer, mixed.path());
        put_back(&["facts", "log", "journal"], old.path(), mixed.path());
        let imported = |store: &Store| {
            let all = all(store).into_iter();
            all.filter(|it| it.time < at(20_000)).count()
        };
        let store = opened(mixed.path()).unwrap();
        let notes = store.damage().join("\n");
        assert!(notes.contains("the log has no readable record"), "{notes}");
        assert_eq!(imported(&store), 600);
        store.confirm_damage().unwrap();
        append_each(&store, 30_000..30_060);
        store.close().unwrap();
        drop(store);
        let again = opened(mixed.path()).unwrap();
        assert_eq!(again.damage(), Vec::<String>::new());
        assert_eq!(imported(&again), 600);
    }
}

/// While a full disk keeps the note of a deletion that was refused, uploads wait: a start would take
/// them for earlier ones, and delete them. The notes of earlier deletions come back.
#[test]
fn uploads_wait_for_the_revocation_of_a_deletion() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    append_each(&store, 1_000..1_060);
    let range = |from, to| TimeRange::new(at(from), at(to)).unwrap();
    store.delete_durably(&house(), range(1_000, 1_019)).unwrap();
    let notes = |store: &Store| {
        let facts = &store.shared().facts;
        facts.read(|facts| format!("{:?}", Deletions::of(facts)))
    };
    let before = notes(&store);
    let (sender, receiver) = mpsc::channel();
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    store.on_committing_thread(move |db| {
        let deletions = [(1_000, 1_019), (990, 1_100)].map(|(from, to)| Deletion {
            range: range(from, to),
            after: db.log_end(),
            is_done: false,
        });
        let revocation = db.note_deletions(&house(), &deletions).unwrap();
        let whole = db.swap_facts(full());
        sender.send(whole).unwrap();
        let refused = db.revoke_deletions(revocation);
        assert!(
            matches!(refused, Err(StoreError::NotForNow(_))),
            "{refused:?}"
        );
    });
    assert_ne!(notes(&store), before);
    let refused = store.append_durably_blocking(upload(&[Some(1_005)]), at(NOW));
    assert!(
        matches!(refused, Err(StoreError::NotForNow(_))),
        "{refused:?}"
    );
    store.on_committing_thread(move |db| drop(db.swap_facts(receiver.recv().unwrap())));
    append_each(&store, 1_005..1_006);
    assert_eq!(notes(&store), before);
    let stored = all(&store);
    assert_eq!(stored.len(), 41);
    // As a kill leaves it.
    let killed = tempfile::tempdir().unwrap();
    copy(dir.path(), killed.path());
    assert_eq!(all(&opened(killed.path()).unwrap()), stored);
}

/// However many facts there are, a round of the committing thread visits none of them.
#[test]
fn an_upload_visits_no_fact() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    let mut changes = FactChanges::default();
    for n in 0..2_000 {
        // Of a later version: this one only keeps it.
        changes.put(99, format!("{n}"), vec![7; 40]);
    }
    store.change_facts(changes);
    let visited = || {
        let (sender, receiver) = mpsc::channel();
        store.on_committing_thread(move |_| sender.send(VISITED.get()).unwrap());
        receiver.recv().unwrap()
    };
    let before = visited();
    for n in 0..20 {
        let uploaded = upload(&[Some(n)]);
        store.append_durably_blocking(uploaded, at(NOW)).unwrap();
    }
    assert_eq!(visited(), before);
}

/// Each start and each stop writes a note to the journal. Once its ring is full of notes, no
/// uploads seem to be missing.
#[test]
fn a_store_without_uploads_may_be_opened_as_often_as_you_like() {
    let (dir, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    open_registered(dir.path(), 16).close().unwrap();
    for round in 0..140 {
        let store = opened(dir.path()).unwrap();
        assert_eq!(store.damage(), Vec::<String>::new(), "{round}");
        store.close().unwrap();
    }
    // The same after kills.
    for round in 0..270 {
        let store = opened(dir.path()).unwrap();
        assert_eq!(store.damage(), Vec::<String>::new(), "{round}");
        copy(dir.path(), killed.path());
        store.close().unwrap();
        drop(store);
        copy(killed.path(), dir.path());
    }
}

/// Rules 6 and 7: cleaning changes no answer, and it ends; the index equals a rebuilt one.
#[test]
fn the_log_is_cleaned_and_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 64);
    for round in 0..60_i64 {
        let rows = (0..64).map(|n| reading(n * 1_000 + round, 5.0));
        store.import_durably(&house(), rows.collect()).unwrap();
        let times: Vec<Option<i64>> = (0..40).map(|n| Some(100_000 + n)).collect();
        store
            .append_durably_blocking(upload(&times), at(NOW + round))
            .unwrap();
        store
            .forget_arrivals_after_durably_blocking(at(NOW + 1_000))
            .unwrap();
    }
    let bytes = |dir: &Path| {
        segments(dir)
            .iter()
            .map(|it| fs::metadata(it).unwrap().len())
            .sum::<u64>()
    };
    // Each change allows a slice of cleaning.
    for n in 0..200 {
        store
            .append_durably_blocking(upload(&[Some(200_000 + n)]), at(NOW))
            .unwrap();
    }
    let most = 12 * SEGMENT_BYTES as u64;
    assert!(bytes(dir.path()) <= most, "{} bytes", bytes(dir.path()));
    assert_eq!(store.check().problems, []);
    let stored = all(&store);
    drop(store);
    let store = open_with(dir.path(), 64);
    assert!(store.damage().is_empty());
    assert_eq!(all(&store), stored);
    assert_eq!(store.check().problems, []);
}

/// Rule 10: an index that lacks a key, or whose tree is gone, is rebuilt.
#[test]
fn an_index_that_lacks_a_key_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store
        .import_durably(&house(), (0..100).map(|n| reading(n * 10, 5.0)).collect())
        .unwrap();
    let index = &store.shared().sealed.index;
    let key = keys::key(&house(), at(0));
    index.forget(&key);
    assert!(!store.check().is_clean());
    // A reader reports the failure, and the committing thread builds another index.
    drop(index.failed("a test"));
    store
        .append_durably_blocking(upload(&[Some(5_000)]), at(NOW))
        .unwrap();
    while index.is_failed() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert_eq!(all(&store).len(), 101);
    assert_eq!(store.check().problems, []);
    // The third time within an hour is one too many.
    for _ in 0..2 {
        drop(index.failed("a test"));
        while index.is_failed() && store.unavailable().is_none() {
            drop(store.append_durably_blocking(upload(&[Some(6_000)]), at(NOW)));
        }
    }
    assert!(matches!(store.unavailable(), Some(StoreError::Poisoned(_))));
}

/// An interrupted deletion of given readings is completed by the next start, and leaves those
/// between them, rows and in blocks.
#[test]
fn announced_deletions_leave_what_is_between_them() {
    use crate::store::embedded::facts::Deletion;

    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store
        .import_durably(&house(), (0..100).map(|n| reading(n * 10, 5.0)).collect())
        .unwrap();
    let rows: Vec<_> = (30..40).map(|n| Some(n * 10 + 5)).collect();
    store
        .append_durably_blocking(upload(&rows), at(NOW))
        .unwrap();
    let expected = |ms: &i64| !(300..400).contains(ms) || ms % 20 == 5;
    store
        .forget_arrivals_after_durably_blocking(at(NOW))
        .unwrap();
    let times = |store: &Store| {
        let times = all(store).into_iter().map(|it| it.time.millis());
        times.collect::<Vec<_>>()
    };
    let left: Vec<i64> = times(&store).into_iter().filter(expected).collect();
    assert_eq!(left.len(), 95);
    store.on_committing_thread(move |db| {
        let (after, is_done) = (db.log_end(), false);
        let gone = (300..400).step_by(5).filter(|ms| ms % 20 != 5);
        let noted = gone.map(|ms| Deletion {
            range: TimeRange::at(at(ms)),
            after,
            is_done,
        });
        db.note_deletions(&house(), &noted.collect::<Vec<_>>())
            .unwrap();
    });
    drop(store);
    for _ in 0..2 {
        let store = open_with(dir.path(), 16);
        assert_eq!(times(&store), left);
        assert_eq!(store.check().problems, []);
    }
}

/// An interrupted deletion is completed by the next start, and leaves later readings.
#[test]
fn an_announced_deletion_is_carried_out() {
    use crate::store::embedded::facts::Deletion;

    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(dir.path(), 16);
    store
        .import_durably(&house(), (0..100).map(|n| reading(n * 10, 5.0)).collect())
        .unwrap();
    store
        .append_durably_blocking(upload(&[Some(305), Some(2_000)]), at(NOW))
        .unwrap();
    store
        .forget_arrivals_after_durably_blocking(at(NOW))
        .unwrap();
    let range = TimeRange::new(at(300), at(400)).unwrap();
    store.on_committing_thread(move |db| {
        let deletion = Deletion {
            range,
            after: db.log_end(),
            is_done: false,
        };
        db.note_deletions(&house(), &[deletion]).unwrap();
    });
    drop(store);
    for later in [vec![], vec![333]] {
        let store = open_with(dir.path(), 16);
        let within = |store: &Store| {
            let times = all(store).into_iter().map(|it| it.time.millis());
            times
                .filter(|ms| (300..=400).contains(ms))
                .collect::<Vec<_>>()
        };
        assert_eq!(within(&store), later);
        assert_eq!(all(&store).len(), 101 - 12 + later.len() + 1);
        assert_eq!(store.check().problems, []);
        store
            .import_durably(&house(), vec![reading(333, 9.0)])
            .unwrap();
        assert_eq!(within(&store), [333]);
    }
}

type Blocks = Vec<(Vec<u8>, IndexEntry)>;

fn blocks(store: &Store) -> Blocks {
    let mut found = Vec::new();
    store
        .shared()
        .sealed
        .index
        .each(|key, entry| {
            found.push((key, entry));
            Ok(())
        })
        .unwrap();
    found
}

#[derive(Clone, Debug)]
enum Step {
    Import(i64, i64),
    Delete(i64, i64),
    DeleteEqual(i64, usize),
    Upload(i64),
    Again,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0_i64..400, 1_i64..60).prop_map(|(from, count)| Step::Import(from, count)),
        2 => (0_i64..400, 0_i64..80).prop_map(|(from, length)| Step::Delete(from, length)),
        2 => (0_i64..400, 1_usize..4).prop_map(|(from, every)| Step::DeleteEqual(from, every)),
        3 => (0_i64..400).prop_map(Step::Upload),
        1 => Just(Step::Again),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Rules 3 and 8: a replay gives the same, and the volumes alone give the same blocks, after
    /// any replacements, moves and deletions.
    #[test]
    fn the_volumes_alone_give_all_sealed_readings(steps in proptest::collection::vec(any_step(), 1..25)) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = open_registered(dir.path(), 16);
        for (n, step) in (0_i32..).zip(steps) {
            match step {
                Step::Import(from, count) => {
                    let rows = (from..from + count).map(|ms| reading(ms, f64::from(n)));
                    store.import_durably(&house(), rows.collect()).unwrap();
                }
                Step::Delete(from, length) => {
                    let range = TimeRange::new(at(from), at(from + length)).unwrap();
                    store.delete_durably(&house(), range).unwrap();
                }
                Step::DeleteEqual(from, every) => {
                    let given = all(&store).into_iter().filter(|it| it.time >= at(from));
                    let given: Vec<_> = given.step_by(every).take(70).collect();
                    let count = given.len();
                    prop_assert_eq!(store.delete_equal_durably(&house(), given).unwrap(), count);
                }
                Step::Upload(ms) => {
                    store.append_durably_blocking(upload(&[Some(ms)]), at(NOW)).unwrap();
                }
                Step::Again => {
                    drop(store);
                    store = open_with(dir.path(), 16);
                }
            }
        }
        let (expected, found) = (blocks(&store), all(&store));
        prop_assert_eq!(store.check().problems, []);
        store.close().unwrap();
        drop(store);
        let again = open_with(dir.path(), 16);
        prop_assert_eq!(blocks(&again), expected.clone());
        prop_assert_eq!(all(&again), found);
        // Rows are lost with the log. A block may have an older value at the time of a row.
        let rows: BTreeSet<Timestamp> = {
            let held = again.shared().hot.held();
            held.range(&house(), TimeRange::ALL).iter().map(|row| row.time).collect()
        };
        let sealed_of = |store: &Store| {
            let all = all(store).into_iter();
            all.filter(|it| !rows.contains(&it.time)).map(|it| bits(&it)).collect::<Vec<_>>()
        };
        let sealed = sealed_of(&again);
        again.close().unwrap();
        drop(again);
        fs::remove_dir_all(dir.path().join("log")).unwrap();
        let new = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        let report = crate::store::salvage(dir.path(), &new.path().join("new"), settings, at(NOW), |_| ());
        prop_assert!(report.is_ok(), "{:?}", report);
        let saved = open_with(&new.path().join("new"), 16);
        prop_assert_eq!(sealed_of(&saved), sealed);
    }
}
