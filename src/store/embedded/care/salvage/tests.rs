//! Each kind of damage, and what a salvage makes of it.

use std::fs;
use std::path::Path;

use crate::domain::{
    AccountName, ApiId, ApiKey, Credential, Password, Plan, Reading, Scope, SensorId, TimeRange,
};
use crate::store::blocks::{BlockSource as _, Summary, seal, summary_record};
use crate::store::embedded::blocks::volumes;
use crate::store::embedded::care::salvage::*;
use crate::store::embedded::engine::mark;
use crate::store::embedded::rows::log_files;
use crate::store::embedded::rows::log_files::tests::rewrite;
use crate::store::embedded::state::Trees;
use crate::store::embedded::writer::commit_record::tests::{forged, forging, with_content};
use crate::store::handle::Store;
use crate::store::records::Order;
use crate::store::records::{RecordChanges, RecordKind, keys, record};
use crate::store::registry::Registry;
use crate::store::registry::records::{PASSWORD_KEY, encode_sensor};
use crate::store::settings::OpenMode;
use crate::store::tests::{NOW, at, house, open_registered, reading, upload};

/// A closed store of several blocks and some hot rows, to which `damage` was done, given the beginnings of its blocks.
fn damaged(dir: &Path, damage: impl Fn(&Trees, &[Timestamp])) {
    let store = open_registered(dir, 16);
    let credential = Credential {
        api_id: ApiId::new("id").unwrap(),
        account: AccountName::new("home").unwrap(),
        scope: Scope::Full,
        label: "hub".into(),
        key_hash: ApiKey::new("key").unwrap().hash(),
        created: at(0),
    };
    store.put_credential_durably(credential).unwrap();
    let history = (0..100).map(|n| reading(n * 10, 5.0));
    store.import_durably(&house(), history.collect()).unwrap();
    let newest = upload(&[Some(60), Some(5_000), Some(5_001), None]);
    store.append_durably_blocking(newest, at(NOW)).unwrap();
    let (sealed, sensor) = (&store.shared().trees.sealed, house());
    let blocks = sealed
        .of(&sensor)
        .summaries(TimeRange::ALL, Order::Ascending, usize::MAX);
    let firsts: Vec<Timestamp> = blocks.unwrap().iter().map(|block| block.first).collect();
    // All rows are in the database then.
    store.close().unwrap();
    damage(&store.shared().trees, &firsts);
    store.shared().trees.db.flush().unwrap();
}

/// What a salvage gives, and the new store, which must be in order; the old one must be as it was.
fn salvaged(damage: impl Fn(&Trees, &[Timestamp])) -> (Salvaged, Store, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let (old, new) = (place.path().join("old"), place.path().join("new"));
    damaged(&old, damage);
    let files = ["sled/db", "blocks/00000001", "rows/00000001"].map(|name| old.join(name));
    let contents = || files.clone().map(|file| fs::read(file).ok());
    let before = contents();
    let salvaged = salvage(&old, &new, StoreSettings::default(), at(NOW), |_| {}).unwrap();
    assert_eq!(contents(), before);
    let store = Store::open(&new, StoreSettings::default(), OpenMode::Existing).unwrap();
    assert_eq!(store.check().problems, []);
    assert_eq!(fs::read_dir(&new).unwrap().count(), 6);
    (salvaged, store, place)
}

fn all(store: &Store) -> Vec<Reading> {
    let mut scan = store.scan(&house(), TimeRange::ALL);
    let mut readings = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        readings.extend(run);
    }
    readings
}

/// Checks that only the readings from `start` to `end` are gone, and that this is all that is reported.
#[track_caller]
fn assert_lost(
    damage: impl Fn(&Trees, &[Timestamp]),
    why: &str,
    [start, end]: [i64; 2],
    count: Option<u64>,
) {
    let (_, whole, _place) = salvaged(|_, _| {});
    let range = TimeRange::new(at(start), at(end)).unwrap();
    let (salvaged, store, _place) = salvaged(damage);
    let [lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    assert!(lost.what.contains(why), "{lost:?}");
    assert_eq!(
        (&lost.sensor, lost.range, lost.readings),
        (&Some(house()), Some(range), count)
    );
    let mut left = all(&whole);
    left.retain(|reading| !range.contains(reading.time));
    assert_eq!(all(&store), left);
    assert_eq!(salvaged.mended, Vec::<String>::new());
    assert_eq!(salvaged.counts.readings, left.len() as u64);
}

fn put_block(trees: &Trees, first: Timestamp, bytes: &[u8]) {
    let key = keys::key(&house(), first);
    let location = volumes::tests::put(&trees.sealed.volumes, &key, bytes);
    trees.sealed.blocks.insert(key, location.encode()).unwrap();
}

fn flip(trees: &Trees, first: Timestamp) {
    let mut bytes = trees.sealed.of(&house()).bytes(first).unwrap();
    bytes[20] ^= 1;
    put_block(trees, first, &bytes);
}

/// Changes a byte of a block in its file.
fn flip_written(trees: &Trees, first: Timestamp) {
    let key = keys::key(&house(), first);
    let value = trees.sealed.blocks.get(key).unwrap().unwrap();
    let location = volumes::Location::decode(&value).unwrap();
    let path = trees.sealed.volumes.path(location.volume);
    let mut bytes = fs::read(&path).unwrap();
    bytes[usize::try_from(location.end()).unwrap() - 1] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn remove_location(trees: &Trees, first: Timestamp) {
    let key = keys::key(&house(), first);
    trees.sealed.blocks.remove(key).unwrap();
}

fn remove_summary(trees: &Trees, first: Timestamp) {
    let key = keys::key(&house(), first);
    trees.sealed.summaries.remove(key).unwrap();
}

#[test]
fn a_whole_store_is_saved_whole() {
    let (salvaged, store, place) = salvaged(|_, _| {});
    assert_eq!((salvaged.lost.len(), salvaged.mended.len()), (0, 0));
    let counts = salvaged.counts;
    assert_eq!(
        (counts.accounts, counts.credentials, counts.sensors),
        (1, 1, 1)
    );
    // 60 lies over a sealed reading.
    assert_eq!(counts.readings, 103);
    let old = place.path().join("old");
    let old = Store::open(&old, StoreSettings::default(), OpenMode::Existing).unwrap();
    assert_eq!(all(&store), all(&old));
    assert_eq!(
        store.activity(&house()).unwrap(),
        old.activity(&house()).unwrap()
    );
    let registered = |store: &Store| format!("{:?}", store.registry());
    assert_eq!(registered(&store), registered(&old));
}

#[test]
fn a_lost_block_is_reported_with_its_range() {
    assert_lost(
        |trees, firsts| flip(trees, firsts[1]),
        "the block from 1970-01-01T00:00:00.160Z: checksum mismatch",
        [160, 310],
        Some(16),
    );
    let both = |nth: usize| {
        move |trees: &Trees, firsts: &[Timestamp]| {
            flip(trees, firsts[nth]);
            remove_summary(trees, firsts[nth]);
        }
    };
    assert_lost(both(1), "checksum", [160, 319], None);
    assert_lost(
        |trees, firsts| {
            flip_written(trees, firsts[2]);
            remove_location(trees, firsts[2]);
        },
        "only its summary exists",
        [320, 470],
        Some(16),
    );
    assert_lost(
        |trees, firsts| flip_written(trees, firsts[1]),
        "checksum mismatch",
        [160, 310],
        Some(16),
    );
    let (salvaged, _store, _place) = salvaged(both(6));
    let end = salvaged.lost[0].range.unwrap().end();
    assert_eq!(end, Timestamp::MAX, "no block follows: {salvaged:?}");
}

/// Each record contains its key.
#[test]
fn blocks_are_found_without_their_locations() {
    let (_, whole, _place) = salvaged(|_, _| {});
    let (salvaged_all, store, _place) = salvaged(|trees, firsts| {
        remove_location(trees, firsts[1]);
        let key = |nth: usize| keys::key(&house(), firsts[nth]);
        trees.sealed.blocks.insert(key(2), b"rubbish").unwrap();
        let other = trees.sealed.blocks.get(key(5)).unwrap().unwrap();
        trees.sealed.blocks.insert(key(3), other).unwrap();
    });
    assert_eq!(salvaged_all.lost, []);
    assert_eq!(all(&store), all(&whole));

    // With no summary to compare with, it is reported; the readings are there all the same.
    let (reported, store, _place) = salvaged(|trees, firsts| {
        remove_summary(trees, firsts[2]);
        let key = keys::key(&house(), firsts[2]);
        trees.sealed.blocks.insert(key, b"rubbish").unwrap();
    });
    let [lost] = &reported.lost[..] else {
        panic!("{reported:?}")
    };
    assert!(lost.what.contains("an older copy of it"), "{lost:?}");
    assert_eq!(lost.range, TimeRange::new(at(320), at(479)));
    assert_eq!(all(&store), all(&whole));
}

/// Where the newest of a block is damaged, one from before is better than none.
#[test]
fn an_older_block_is_taken_and_reported() {
    let (_, whole, _place) = salvaged(|_, _| {});
    let (reported, store, _place) = salvaged(|trees, firsts| {
        let mut readings = trees.sealed.of(&house()).readings(firsts[2]).unwrap();
        readings.push(reading(475, 7.0));
        let [pack] = &seal::pack(&readings, 32).unwrap()[..] else {
            panic!("it is one block");
        };
        put_block(trees, firsts[2], &pack.bytes);
        let key = keys::key(&house(), firsts[2]);
        let summary = summary_record::encode(&pack.summary).unwrap();
        trees.sealed.summaries.insert(key, summary).unwrap();
        flip_written(trees, firsts[2]);
    });
    let [lost] = &reported.lost[..] else {
        panic!("{reported:?}")
    };
    assert!(lost.what.contains("an older copy of it"), "{lost:?}");
    assert_eq!(lost.range, TimeRange::new(at(320), at(475)));
    assert_eq!(all(&store), all(&whole));
}

#[test]
fn without_its_volumes_each_block_is_reported() {
    let (reported, store, _place) = salvaged(|trees, _| {
        fs::remove_dir_all(trees.sealed.volumes.folder()).unwrap();
    });
    assert_eq!(reported.lost.len(), 7);
    assert!(
        reported
            .lost
            .iter()
            .all(|lost| lost.what.contains("missing"))
    );
    assert_eq!(reported.lost[0].range, TimeRange::new(at(0), at(150)));
    // The rows that were not sealed.
    assert_eq!(all(&store).len(), 4);
}

#[test]
fn what_follows_from_the_readings_is_made_anew() {
    let (_, whole, _place) = salvaged(|_, _| {});
    let (salvaged, store, _place) = salvaged(|trees, firsts| {
        remove_summary(trees, firsts[1]);
        let summary = trees
            .sealed
            .of(&house())
            .at_or_before(firsts[3])
            .unwrap()
            .unwrap();
        let wrong = summary_record::encode(&Summary {
            count: 3,
            ..summary
        })
        .unwrap();
        let key = keys::key(&house(), firsts[3]);
        trees.sealed.summaries.insert(key, wrong).unwrap();
        // Two that overlap.
        let [pack] = &seal::pack(&[reading(165, 1.0)], 16).unwrap()[..] else {
            panic!("one reading is one block");
        };
        put_block(trees, at(165), &pack.bytes);
    });
    assert_eq!(salvaged.lost, []);
    let mut expected = all(&whole);
    expected.insert(17, reading(165, 1.0));
    assert_eq!(all(&store), expected);
    assert_eq!(
        store.activity(&house()).unwrap(),
        whole.activity(&house()).unwrap()
    );
}

#[test]
fn lost_rows_are_reported() {
    let lost_with = |damage: fn(&Trees)| {
        let (salvaged, store, _place) = salvaged(|trees, _| damage(trees));
        let lost = salvaged.lost.iter().map(|lost| lost.what.clone());
        (lost.collect::<Vec<_>>(), all(&store).len())
    };
    let (lost, left) = lost_with(|trees| {
        rewrite(&trees.hot.files, |chunks| {
            chunks.last_mut().unwrap().1 = b"rubbish".to_vec();
        });
    });
    assert!(lost[0].contains("a value of 7 bytes"), "{lost:?}");
    assert!(lost[0].contains("may be missing or outdated"), "{lost:?}");
    assert_eq!((lost.len(), left), (1, 100));

    let (lost, left) = lost_with(|trees| {
        rewrite(&trees.hot.files, |chunks| drop(chunks.pop()));
    });
    assert!(lost[0].contains("1 chunks from number "), "{lost:?}");
    assert_eq!((lost.len(), left), (1, 100));

    // Without the numbers of the chunks, all that are there count.
    let (lost, left) = lost_with(|trees| {
        drop(trees.meta.insert(log_files::KEY, b"no number").unwrap());
    });
    assert!(lost[0].contains("no number"), "{lost:?}");
    assert_eq!((lost.len(), left), (1, 103));

    // A database that damage set back names none, and those that are there are used.
    let (lost, left) = lost_with(|trees| {
        drop(trees.meta.remove(log_files::KEY).unwrap());
    });
    assert_eq!((lost.len(), left), (0, 103), "{lost:?}");
}

#[test]
fn activities_behind_a_damaged_chunk_are_used() {
    let (_, whole, _place) = salvaged(|_, _| {});
    let (salvaged, store, _place) = salvaged(|trees, _| {
        rewrite(&trees.hot.files, |chunks| {
            assert!(chunks.len() > 1);
            chunks[0].1 = b"rubbish".to_vec();
        });
    });
    assert_eq!(salvaged.lost.len(), 1);
    let activity = whole.activity(&house()).unwrap();
    assert!(activity.unwrap().arrivals.is_some());
    assert_eq!(store.activity(&house()).unwrap(), activity);
}

#[test]
fn lost_records_are_named_and_readings_find_a_place() {
    let (salvaged, store, _place) = salvaged(|trees, _| {
        trees
            .records
            .of(RecordKind::Sensors)
            .insert("house", b"rubbish")
            .unwrap();
        trees
            .records
            .of(RecordKind::Credentials)
            .insert("id", b"rubbish")
            .unwrap();
    });
    let lost: Vec<&str> = salvaged.lost.iter().map(|lost| &*lost.what).collect();
    assert_eq!(lost[0], "the credential id: invalid record");
    assert!(lost[1].contains("account"), "{lost:?}");
    assert_eq!((lost.len(), salvaged.mended.len()), (2, 1));
    assert_eq!(all(&store).len(), 103);
    let sensor = store.registry().sensor(&house()).unwrap().clone();
    assert_eq!((sensor.account.as_str(), sensor.authorized), ("home", true));

    let (salvaged, store, _place) = salvaged_without("accounts");
    assert_eq!(salvaged.lost[0].what, "the account home: invalid record");
    let account = store.registry().accounts().next().unwrap().clone();
    assert_eq!((account.name.as_str(), account.plan), ("home", Plan::Paid));

    let (salvaged, store, _place) = salvaged_without("all");
    assert!(
        salvaged.mended[0].contains("account salvaged"),
        "{salvaged:?}"
    );
    assert_eq!(all(&store).len(), 103);
    assert_eq!(
        store.registry().sensor(&house()).unwrap().account.as_str(),
        "salvaged"
    );
}

#[test]
fn the_administrator_is_saved_or_reported() {
    let password = Password::new("correct horse").unwrap();
    let hash = password.hash([7; 16]).unwrap();
    let (kept, store, _place) = salvaged(|trees, _| {
        let record = record::encode(1, &hash.as_str()).unwrap();
        let tree = trees.records.of(RecordKind::Administrator);
        tree.insert(PASSWORD_KEY, record).unwrap();
        let session = b"a session that is none";
        let tree = trees.records.of(RecordKind::Sessions);
        tree.insert("00", session).unwrap();
    });
    assert_eq!((kept.lost.len(), kept.counts.administrators), (0, 1));
    assert_eq!(store.registry().administrator(), Some(&hash));

    let (lost, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Administrator);
        tree.insert(PASSWORD_KEY, b"rubbish").unwrap();
    });
    assert_eq!(lost.lost.len(), 1);
    let reported = &lost.lost[0].what;
    assert!(reported.contains("wattkeeper password"), "{reported}");
    assert_eq!(store.registry().administrator(), None);
}

fn salvaged_without(what: &str) -> (Salvaged, Store, tempfile::TempDir) {
    salvaged(|trees, _| {
        let accounts = trees.records.of(RecordKind::Accounts);
        if what == "accounts" {
            accounts.insert("home", b"rubbish").unwrap();
            return;
        }
        let credentials = trees.records.of(RecordKind::Credentials);
        for tree in [accounts, credentials, trees.records.of(RecordKind::Sensors)] {
            tree.clear().unwrap();
        }
    })
}

#[test]
fn what_was_being_removed_stays_removed() {
    let (salvaged, store, _place) = salvaged(|trees, firsts| {
        let (registry, _) = Registry::load(&trees.records).unwrap();
        let sensor = registry.sensor(&house()).unwrap();
        let removed = encode_sensor(sensor, true).unwrap();
        let sensors = trees.records.of(RecordKind::Sensors);
        sensors.insert(sensor.id.as_str(), removed).unwrap();
        flip(trees, firsts[1]);
    });
    assert_eq!((salvaged.lost.len(), salvaged.counts.readings), (0, 0));
    assert_eq!(store.registry().sensors().count(), 0);
}

#[test]
fn a_log_that_ends_too_early_is_read_as_far_as_it_goes() {
    let place = tempfile::tempdir().unwrap();
    let (old, new) = (place.path().join("old"), place.path().join("new"));
    damaged(&old, |_, _| {});
    let number = 1_000_u64.to_le_bytes();
    let checksum = crc32fast::hash(&number).to_le_bytes();
    fs::write(old.join("commits"), [&number[..], &checksum].concat()).unwrap();
    let opened = Store::open(&old, StoreSettings::default(), OpenMode::Existing);
    assert!(matches!(opened.err(), Some(StoreError::Damaged(_))));
    let salvaged = salvage(&old, &new, StoreSettings::default(), at(NOW), |_| {}).unwrap();
    assert!(
        salvaged.lost[0].what.contains("changes that were stored"),
        "{salvaged:?}"
    );
    assert_eq!((salvaged.lost.len(), salvaged.counts.readings), (1, 103));
}

#[test]
fn a_lost_snapshot_costs_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (old, new) = (place.path().join("old"), place.path().join("new"));
    damaged(&old, |_, _| {});
    // Only a later start writes one.
    drop(Store::open(&old, StoreSettings::default(), OpenMode::Existing).unwrap());
    let snapshots = fs::read_dir(old.join("sled")).unwrap().flatten();
    let snapshots =
        snapshots.filter(|file| file.file_name().to_string_lossy().starts_with("snap."));
    for snapshot in snapshots {
        fs::write(snapshot.path(), b"rubbish").unwrap();
    }
    let salvaged = salvage(&old, &new, StoreSettings::default(), at(NOW), |_| {}).unwrap();
    assert!(
        salvaged.lost[0].what.contains("only be read in part"),
        "{salvaged:?}"
    );
    assert_eq!((salvaged.lost.len(), salvaged.counts.readings), (1, 103));
}

#[test]
fn nothing_is_left_where_nothing_can_be_read() {
    let place = tempfile::tempdir().unwrap();
    let (old, new) = (place.path().join("old"), place.path().join("new"));
    damaged(&old, |trees, _| {
        trees.meta.insert("format", &6_u32.to_le_bytes()).unwrap();
    });
    let newer = salvage(&old, &new, StoreSettings::default(), at(NOW), |_| {});
    assert!(format!("{newer:?}").contains("found: 6"), "{newer:?}");
    let left: Vec<_> = fs::read_dir(&new)
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    assert_eq!(left, ["lock"]);

    for inside in [old.join("new"), old.join("a/b/c"), old.clone()] {
        let error = salvage(&old, &inside, StoreSettings::default(), at(NOW), |_| {}).unwrap_err();
        assert!(error.to_string().contains("choose another"), "{error}");
    }
    assert!(!old.join("new").exists());
}

/// What a salvage gives of a store that was killed with three commits in its journal, which is then changed.
fn salvaged_with_journal(change: impl Fn(&mut Vec<u8>)) -> (Salvaged, Vec<Reading>) {
    let place = tempfile::tempdir().unwrap();
    let (running, old) = (place.path().join("running"), place.path().join("old"));
    let store = open_registered(&running, 16);
    let commits = || {
        let file = fs::read(running.join("commits")).unwrap();
        u64::from_le_bytes(file[..8].try_into().unwrap())
    };
    // The last of the uploads writes the file.
    while !(commits() + 3).is_multiple_of(mark::EVERY) {
        store
            .import_durably(&house(), vec![reading(1, 5.0)])
            .unwrap();
    }
    for n in 1..=3 {
        let upload = upload(&[Some(n), Some(n * 100)]);
        store.append_durably_blocking(upload, at(NOW)).unwrap();
    }
    fs::create_dir_all(old.join("sled/blobs")).unwrap();
    for file in ["sled/db", "sled/conf", "commits", "journal"] {
        fs::copy(running.join(file), old.join(file)).unwrap();
    }
    for folder in ["blocks", "rows"] {
        fs::create_dir(old.join(folder)).unwrap();
        let file = Path::new(folder).join("00000001");
        fs::copy(running.join(&file), old.join(file)).unwrap();
    }
    let mut journal = fs::read(old.join("journal")).unwrap();
    change(&mut journal);
    fs::write(old.join("journal"), journal).unwrap();
    let new = place.path().join("new");
    let salvaged = salvage(&old, &new, StoreSettings::default(), at(NOW), |_| {}).unwrap();
    let store = Store::open(&new, StoreSettings::default(), OpenMode::Existing).unwrap();
    assert_eq!(store.check().problems, []);
    assert_eq!(store.newest_arrival(), Some(at(NOW)));
    (salvaged, all(&store))
}

#[test]
fn what_is_in_the_journal_only_is_saved() {
    let times = |readings: &[Reading]| -> Vec<i64> {
        readings
            .iter()
            .map(|reading| reading.time.millis())
            .collect()
    };
    let (salvaged, whole) = salvaged_with_journal(|_| {});
    assert_eq!((salvaged.lost.len(), salvaged.mended.len()), (0, 0));
    assert_eq!(times(&whole), [1, 2, 3, 100, 200, 300]);
    // It came later than what is sealed.
    assert_ne!(whole[0], reading(1, 5.0));
    let (salvaged, left) = salvaged_with_journal(|journal| journal[4096 + 20] ^= 1);
    assert_eq!(times(&left), [1, 3, 100, 300]);
    let [lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    assert!(lost.what.starts_with("the changes "), "{lost:?}");
    // The newest: that it is gone is known from the file `commits`, once it is written.
    let (salvaged, left) = salvaged_with_journal(|journal| journal[2 * 4096 + 20] ^= 1);
    assert_eq!(times(&left), [1, 2, 100, 200]);
    let [lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    assert!(lost.what.contains("the last 1 of"), "{lost:?}");
    // How many are gone with the end of the file is not known, but for those in the file `commits`.
    let (salvaged, left) = salvaged_with_journal(|journal| journal.truncate(2 * 4096));
    assert_eq!(times(&left), [1, 2, 100, 200]);
    let [counted, lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    assert!(counted.what.contains("the last 1 of"), "{counted:?}");
    assert!(lost.what.contains("the end of the file"), "{lost:?}");
    // What a client uploaded is no commit, although it looks like one.
    for content in forging(&forged(1_000)) {
        let left = with_content(1, &content).split_off(4096);
        let (salvaged, whole) = salvaged_with_journal(|journal| {
            let behind = 4 * 4096;
            journal.splice(behind..behind + left.len(), left.clone());
        });
        assert_eq!((salvaged.lost.len(), salvaged.mended.len()), (0, 0));
        assert_eq!(times(&whole), [1, 2, 3, 100, 200, 300]);
    }
}

#[test]
fn corrections_are_rescued_one_by_one() {
    use crate::ledger::{Author, Correction, Fact, FactRange, Made};
    use crate::store::registry::correction_records::{
        correction_key, encode_correction, encode_revocation,
    };
    let home = AccountName::new("home").unwrap();
    let made = || Made::new(at(NOW), Author::CommandLine, "").unwrap();
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Corrections);
        let put = |number, of_revocation, value: Vec<u8>| {
            let key = correction_key(&home, number, of_revocation);
            tree.insert(key.as_str(), value).unwrap();
        };
        let wrong = |sensor: &SensorId, number| {
            let range = FactRange::new(at(0), at(50)).unwrap();
            let one = Correction::new(number, sensor.clone(), made(), Fact::Wrong(range));
            encode_correction(&one.unwrap()).unwrap()
        };
        put(1, false, wrong(&house(), 1));
        put(1, true, encode_revocation(&made()).unwrap());
        put(2, false, b"rubbish".to_vec());
        put(2, true, encode_revocation(&made()).unwrap());
        put(3, false, wrong(&SensorId::new("unknown").unwrap(), 3));
        put(4, false, wrong(&house(), 4));
    });
    assert_eq!(salvaged.counts.corrections, 2);
    let lost: Vec<&str> = salvaged.lost.iter().map(|lost| &*lost.what).collect();
    assert_eq!(lost.len(), 3, "{lost:?}");
    assert!(lost[0].contains("the correction home"), "{lost:?}");
    let registry = store.registry();
    let all = registry.corrections(&home).unwrap();
    assert_eq!(all.get(1).unwrap().revoked(), Some(&made()));
    assert_eq!(all.get(4).unwrap().revoked(), None);
}

#[test]
fn contracts_are_rescued_one_by_one() {
    use crate::ledger::contract::{FlatContract, FlatTerms};
    use crate::store::records::pieces;
    use crate::store::registry::contract_records::{contract_key, encode_contract};
    let (home, gone) = (AccountName::new("home"), AccountName::new("gone"));
    let (home, gone) = (home.unwrap(), gone.unwrap());
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Contracts);
        let put = |account: &AccountName, from: &str, currency: &str| {
            let terms = FlatTerms {
                from: Some(from),
                price: "0.3",
                currency,
                ..FlatTerms::default()
            };
            let contract = FlatContract::new(terms).unwrap().contract();
            let key = contract_key(account, contract.from());
            let mut changes = RecordChanges::default();
            let contracts = changes.of(RecordKind::Contracts);
            pieces::put(contracts, &key, &encode_contract(&contract).unwrap());
            trees.records.batch(changes).apply().unwrap();
            key
        };
        put(&home, "2025-01-01", "EUR");
        let torn = put(&home, "2026-01-01", "EUR");
        tree.insert(format!("{torn}00").as_str(), b"\x01torn")
            .unwrap();
        // No change let another currency pass.
        put(&home, "2027-01-01", "CHF");
        put(&gone, "2025-01-01", "EUR");
    });
    assert_eq!(salvaged.counts.contracts, 2);
    let lost: Vec<&str> = salvaged.lost.iter().map(|lost| &*lost.what).collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    assert!(lost[0].contains("2026-01-01"), "{lost:?}");
    assert!(lost[1].contains("2027-01-01"), "{lost:?}");
    let registry = store.registry();
    assert_eq!(registry.contracts(&home).unwrap().all().len(), 1);
    // Its account came back with them.
    assert!(registry.account(&gone).is_some());
    assert_eq!(registry.contracts(&gone).unwrap().all().len(), 1);
}

#[test]
fn notices_are_rescued_one_by_one() {
    use crate::ledger::notice::{KnownNotice, Notice, NoticeKey, NoticeKind, NoticeSubject};
    use crate::ledger::{Author, Made};
    use crate::store::registry::notice_records::{encode_notice, notice_key};
    let home = AccountName::new("home").unwrap();
    let known = |sensor: &SensorId| {
        let notice = Notice {
            kind: NoticeKind::SensorSilent,
            subject: NoticeSubject::Sensor(sensor.clone()),
            since: at(5),
            happened: String::new(),
        };
        KnownNotice {
            dismissed: Some(Made::new(at(NOW), Author::CommandLine, "").unwrap()),
            ..KnownNotice::new(notice, at(6))
        }
    };
    let unknown = SensorId::new("unknown").unwrap();
    let key_of = |sensor: &SensorId| NoticeKey::of(Some(home.clone()), &known(sensor).notice);
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Notices);
        for sensor in [&house(), &unknown] {
            let (key, record) = (notice_key(&key_of(sensor)), encode_notice(&known(sensor)));
            tree.insert(key.as_str(), record.unwrap()).unwrap();
        }
        tree.insert("rubbish", b"rubbish").unwrap();
    });
    assert_eq!(salvaged.counts.notices, 1);
    let lost: Vec<&str> = salvaged.lost.iter().map(|lost| &*lost.what).collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    assert_eq!(
        store.registry().notice(&key_of(&house())),
        Some(&known(&house()))
    );
    // What is not known of is not told: its account does not have the sensor.
    assert_eq!(store.registry().notice(&key_of(&unknown)), None);
}

#[test]
fn bills_are_rescued_one_by_one() {
    use crate::domain::Decimal;
    use crate::ledger::utility::EnteredBill;
    use crate::store::records::pieces;
    use crate::store::registry::bill_records::{bill_key, encode_bill};
    let home = AccountName::new("home").unwrap();
    let bill = |number: u32| EnteredBill {
        range: TimeRange::new(at(0), at(10)).unwrap(),
        energy: None,
        total: Decimal::from_millionths(number.into()),
        lines: Vec::new(),
    };
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Bills);
        let mut changes = RecordChanges::default();
        for number in 1..=3 {
            let content = encode_bill(&bill(number)).unwrap();
            let bills = changes.of(RecordKind::Bills);
            pieces::put(bills, &bill_key(&home, number), &content);
        }
        trees.records.batch(changes).apply().unwrap();
        let torn = bill_key(&home, 2) + "00";
        assert!(tree.insert(torn.as_str(), b"\x01torn").unwrap().is_some());
    });
    assert_eq!(salvaged.counts.bills, 2);
    let [lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    assert!(lost.what.contains("the bill home\\x0000000002"), "{lost:?}");
    let registry = store.registry();
    let left: Vec<_> = registry.bills(&home).collect();
    assert_eq!(left, [(1, &bill(1)), (3, &bill(3))]);
}

#[test]
fn prices_are_rescued_chunk_by_chunk() {
    use crate::domain::Decimal;
    use crate::ledger::contract::{Label, SeriesPrice};
    use crate::store::prices::{SeriesSlot, chunk};
    use crate::store::registry::series_records::encode_series;
    let home = AccountName::new("home").unwrap();
    let price = |nth: i64| SeriesPrice {
        from: at(nth),
        to: at(nth + 1),
        price: Decimal::from_millionths(nth),
    };
    let slot = |slot| SeriesSlot {
        account: home.clone(),
        slot,
    };
    let name = Label::new("day-ahead").unwrap();
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let record = encode_series(&name, 6).unwrap();
        let series = trees.records.of(RecordKind::Series);
        series.insert(slot(1).key().as_str(), record).unwrap();
        // Of the second series the record is lost, and of the first one the chunk in the middle is damaged.
        for (slot, nth) in [(slot(1), 0), (slot(1), 2), (slot(1), 4), (slot(2), 0)] {
            let mut bytes = chunk::encode(&[price(nth), price(nth + 1)]);
            if nth == 2 {
                bytes[0] = 9;
            }
            let prices = trees.records.of(RecordKind::Prices);
            prices.insert(slot.chunk_key(at(nth)), bytes).unwrap();
        }
    });
    assert_eq!(salvaged.counts.prices, 6);
    let [lost] = &salvaged.lost[..] else {
        panic!("{:?}", salvaged.lost)
    };
    let told = format!("the account home, series day-ahead, from {}", at(2));
    assert!(lost.what.contains(&told), "{lost:?}");
    let left = |name: &Label| {
        let found = store.prices(&home, name, TimeRange::ALL).unwrap();
        found.prices().to_vec()
    };
    assert_eq!(left(&name), [0, 1, 4, 5].map(price));
    assert_eq!(left(&Label::new("salvaged-2").unwrap()), [0, 1].map(price));
    let [mended] = &salvaged.mended[..] else {
        panic!("{:?}", salvaged.mended)
    };
    assert!(mended.contains("salvaged-2"), "{mended}");
}

#[test]
fn people_are_rescued_with_what_is_sure() {
    use crate::domain::{Membership, Person, PersonName, SessionId, WallName, WallTablet};
    use crate::store::registry::people_records::{
        encode_membership, encode_person, encode_tablet, membership_key,
    };
    let name = |text: &str| PersonName::new(text).unwrap();
    let account = |text: &str| AccountName::new(text).unwrap();
    let hash = Password::new("a password").unwrap().hash([1; 16]).unwrap();
    let person = |of: &str| Person {
        name: name(of),
        password: hash.clone(),
        accounts: [(account("home"), Membership::Member)].into(),
        created: at(5),
    };
    let tablet = |of: &str, n: u8| WallTablet {
        name: WallName::new(of).unwrap(),
        account: account(of),
        session: SessionId([n; 32]),
        created: at(5),
        last_used: None,
    };
    let (salvaged, store, _place) = salvaged(|trees, _| {
        let people = trees.records.of(RecordKind::People);
        let put = |key: &str, record: Result<Vec<u8>, StoreError>| {
            people.insert(key, record.unwrap()).unwrap();
        };
        put("Anna", encode_person(&person("Anna")));
        for account_of in ["home", "lost"] {
            let key = membership_key(&name("Anna"), &account(account_of));
            put(&key, encode_membership(Membership::Member));
        }
        // Their record is lost, and with it what they may do.
        put("Bert", Ok(b"rubbish".to_vec()));
        let key = membership_key(&name("Bert"), &account("home"));
        put(&key, encode_membership(Membership::Member));
        for one in [tablet("home", 1), tablet("lost", 2)] {
            let record = encode_tablet(&one).unwrap();
            let tree = trees.records.of(RecordKind::Tablets);
            tree.insert(one.name.as_str(), record).unwrap();
        }
    });
    assert_eq!((salvaged.counts.people, salvaged.counts.tablets), (1, 1));
    assert_eq!(salvaged.lost.len(), 4, "{:?}", salvaged.lost);
    let registry = store.registry();
    assert_eq!(registry.person(&name("Anna")), Some(&person("Anna")));
    assert_eq!(
        registry.tablet(&SessionId([1; 32])),
        Some(&tablet("home", 1))
    );
}

#[test]
fn settings_of_the_service_are_saved_or_reported() {
    use crate::domain::{ServiceSetting, SettingValue};
    use crate::store::registry::setting_records::{encode_setting, put};

    let (salvaged, store, _place) = salvaged(|trees, _| {
        let tree = trees.records.of(RecordKind::Settings);
        // By key, the token comes before the address that it is meant for.
        for (key, text) in [
            ("mqtt.user", "meter"),
            ("notices.token", "hunter2"),
            ("notices.webhook", "https://a/b"),
        ] {
            let record = encode_setting(&SettingValue::text(text)).unwrap();
            tree.insert(key, record).unwrap();
        }
        tree.insert("mqtt.broker", b"rubbish").unwrap();
        let mut changes = RecordChanges::default();
        let settings = changes.of(RecordKind::Settings);
        let list = SettingValue::text(&"x".repeat(3_000));
        put(settings, ServiceSetting::MqttSubscriptions, Some(&list)).unwrap();
        trees.records.batch(changes).apply().unwrap();
    });
    assert_eq!(salvaged.counts.settings, 4);
    assert_eq!(salvaged.lost.len(), 1, "{:?}", salvaged.lost);
    let registry = store.registry();
    let list = registry.settings().get(&ServiceSetting::MqttSubscriptions);
    assert_eq!(list, Some(&SettingValue::text(&"x".repeat(3_000))));
    let token = registry.settings().get(&ServiceSetting::NoticesToken);
    assert_eq!(token, Some(&SettingValue::text("hunter2")));
}
