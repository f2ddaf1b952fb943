//! Backups: complete, truncated, damaged and made up.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::domain::{
    Account, AccountName, ApiId, ApiKey, Credential, Meter, MeterKind, MicroWh, Password,
    PasswordHash, Plan, PowerLimit, Price, Reading, Role, Scope, Sensor, SensorId, SilentAfter,
    TimeRange, Zone,
};
use crate::ledger::{Author, Correction, Fact, FactRange, Made, Spread};
use crate::store::care::backup::frame::FrameKind;
use crate::store::care::backup::source::read_all;
use crate::store::care::backup::{frame, *};
use crate::store::care::counts::StoreCounts;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::settings::{Durability, OpenMode, StoreSettings};
use crate::store::tests::{NOW, at, house, noise, open_registered, reading, upload};

/// A store of blocks, of hot rows between and behind them, and of a sensor without readings.
fn filled(dir: &Path) -> Store {
    let store = open_registered(dir, 16);
    let home = AccountName::new("home").unwrap();
    let credential = Credential {
        api_id: ApiId::new("meter").unwrap(),
        account: home.clone(),
        scope: Scope::Write,
        label: "Zähler im Keller".into(),
        key_hash: ApiKey::new("key").unwrap().hash(),
        created: at(5),
    };
    store.put_credential_durably(credential).unwrap();
    let account = Account {
        name: AccountName::new("other").unwrap(),
        plan: Plan::Free,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        price: None,
        created: at(-7),
    };
    store.put_account_durably(account).unwrap();
    let sensor = Sensor {
        id: SensorId::new("silent").unwrap(),
        account: home,
        name: "says nothing".into(),
        authorized: false,
        role: Role::Grid,
        meter: Meter::new(MeterKind::Net),
        part_of: None,
        silent_after: None,
        created: at(3),
    };
    store.put_sensor_durably(sensor).unwrap();
    let history = (0..50).map(|n| reading(n * 10, noise(n)));
    store.import_durably(&house(), history.collect()).unwrap();
    store
        .append_durably_blocking(upload(&[Some(55), Some(60), Some(5_000), None]), at(NOW))
        .unwrap();
    store
}

fn take(store: &Store, target: &Path) -> Result<WrittenBackup, BackupError> {
    let page = |cursor| store.backup_page(&cursor);
    write_backup(target, at(NOW), page, |_| Ok(()))
}

fn restored(file: &Path, dir: &Path) -> Result<WrittenBackup, BackupError> {
    restore(file, dir, StoreSettings::default(), |_| {})
}

fn open(dir: &Path) -> Store {
    Store::open(dir, StoreSettings::default(), OpenMode::Existing).unwrap()
}

fn all(store: &Store) -> Vec<Reading> {
    let mut scan = store.scan(&house(), TimeRange::ALL);
    let runs = std::iter::from_fn(|| scan.next_run().unwrap());
    runs.flatten().collect()
}

/// All that a store holds of its registry and activity.
fn described(store: &Store) -> String {
    let registry = store.registry();
    let activity = registry.sensors().map(|sensor| store.activity(&sensor.id));
    let hashes = registry
        .credentials()
        .map(|it| it.key_hash.is(&ApiKey::new("key").unwrap().hash()));
    format!(
        "{registry:?} {:?} {:?}",
        activity.collect::<Vec<_>>(),
        hashes.collect::<Vec<_>>()
    )
}

/// The bytes of a small backup.
fn small() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file = dir.path().join("backup");
    take(&store, &file).unwrap();
    fs::read(file).unwrap()
}

fn verified(bytes: &[u8]) -> Result<StoreCounts, BackupError> {
    let read = read_all(bytes, |_, _| Ok::<(), BackupError>(()));
    read.map(|verified| verified.counts)
}

/// A whole backup of `frames`, with `counts` at its end.
fn made_of(frames: &[(FrameKind, &[u8])], counts: StoreCounts) -> Vec<u8> {
    let mut bytes = frame::head(at(NOW));
    for (kind, content) in frames {
        frame::push(&mut bytes, *kind, content).unwrap();
    }
    let end = serde_json::to_vec(&counts).unwrap();
    frame::push(&mut bytes, FrameKind::End, &end).unwrap();
    let digest = Sha256::digest(&bytes);
    bytes.extend_from_slice(&digest);
    bytes
}

/// Three corrections of the first sensor of `account`, of which the second is revoked.
fn add_corrections(store: &Store, account: &AccountName) {
    let registry = store.registry();
    let sensor = registry
        .sensors()
        .find(|it| it.account == *account)
        .unwrap();
    let made = |note: &str| Made::new(at(NOW), Author::CommandLine, note).unwrap();
    let range = FactRange::new(at(0), at(500)).unwrap();
    for fact in [
        Fact::Wrong(range),
        Fact::Event(at(70), false),
        Fact::Energy(range, MicroWh::new(-1), Spread::LikeWeekday),
    ] {
        let one = Correction::new(1, sensor.id.clone(), made("seen"), fact).unwrap();
        store.add_correction_durably(account, one).unwrap();
    }
    let revoked = store.revoke_correction_durably(account, 2, made("not so"));
    assert_eq!(revoked.unwrap().number(), 2);
}

#[test]
fn a_restored_store_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let registry = store.registry();
    let owner = registry.accounts().next().cloned().unwrap();
    let account = owner.clone();
    let price = Some(Price::parse("0.3215", "€").unwrap());
    store
        .put_account_durably(Account { price, ..account })
        .unwrap();
    let sensor = registry.sensors().next().cloned().unwrap();
    let sensor = Sensor {
        role: Role::Battery,
        meter: Meter {
            kind: MeterKind::Counter,
            limit: PowerLimit::new(7_000).unwrap(),
            is_inverted: true,
            rollover: Some("99.5".parse().unwrap()),
        },
        silent_after: SilentAfter::minutes(20),
        ..sensor
    };
    store.put_sensor_durably(sensor.clone()).unwrap();
    // By name, the parts come before what they are part of.
    let (id, account, created) = (SensorId::new("~"), &sensor.account, sensor.created);
    let whole = Sensor::new(id.unwrap(), account.clone(), created);
    let part = Sensor {
        part_of: Some(sensor.id.clone()),
        ..Sensor::new(SensorId::new("a").unwrap(), account.clone(), created)
    };
    store.put_sensor_durably(whole.clone()).unwrap();
    store
        .put_sensor_durably(Sensor {
            part_of: Some(whole.id),
            ..sensor
        })
        .unwrap();
    store.put_sensor_durably(part).unwrap();
    add_corrections(&store, &owner.name);
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!(
        (written.counts.readings, written.counts.corrections),
        (53, 3)
    );
    assert_eq!(written.bytes, fs::metadata(&file).unwrap().len());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(verified(&fs::read(&file).unwrap()).unwrap(), written.counts);

    let new = dir.path().join("new");
    let restored = restored(&file, &new).unwrap();
    assert_eq!((restored, restored.counts.readings), (written, 53));
    let copy = open(&new);
    assert_eq!(all(&copy), all(&store));
    assert_eq!(described(&copy), described(&store));
    assert!(copy.check().is_clean());
    assert!(!new.join("restoring").exists());
}

#[test]
fn rows_held_back_are_in_it() {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(&dir.path().join("data"), 16));
    let settings = StoreSettings {
        durability: Durability::Interval(Duration::from_hours(1)),
        ..StoreSettings::default()
    };
    let store = Store::open(&dir.path().join("data"), settings, OpenMode::Existing).unwrap();
    let uploaded = upload(&[Some(1), Some(2), None]);
    store.append_durably_blocking(uploaded, at(NOW)).unwrap();
    assert_eq!(store.shared.trees.hot.held().young(), 3);
    let file = dir.path().join("backup");
    take(&store, &file).unwrap();
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new"));
    assert_eq!(all(&copy), all(&store));
    assert_eq!(described(&copy), described(&store));
}

/// Between two pages the blocks that were copied grow together with those that were not, and new ones come.
#[test]
fn what_was_stored_before_is_in_it_whatever_comes_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let store = open_registered(&dir.path().join("data"), 16);
    let history: Vec<Reading> = (0..16_000).map(|n| reading(n * 10, noise(n))).collect();
    store.import_durably(&house(), history.clone()).unwrap();
    let file = dir.path().join("backup");
    let mut pages = 0;
    let page = |cursor| {
        pages += 1;
        // Late readings among those that were copied, near where the next page begins, and beyond.
        for base in [0, 80_000 * i64::from(pages), 160_000] {
            let late = (0..200).map(|n| reading(base - 1_000 + n * 10 + 5, 1.0));
            store.import_durably(&house(), late.collect()).unwrap();
            let uploaded: Vec<Option<i64>> = (0..50).map(|n| Some(base + n * 10 + 7)).collect();
            store
                .append_durably_blocking(upload(&uploaded), at(NOW))
                .unwrap();
        }
        store.backup_page(&cursor)
    };
    write_backup(&file, at(NOW), page, |_| Ok::<(), BackupError>(())).unwrap();
    assert!(pages > 2, "{pages} pages");
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = all(&open(&dir.path().join("new")));
    for reading in history {
        let found = copy.binary_search_by_key(&reading.time, |reading| reading.time);
        assert_eq!(copy[found.unwrap()], reading);
    }
}

/// Uploads from four threads while copies are taken: they are held in memory, written and sealed meanwhile.
fn assert_nothing_acknowledged_is_missing(durability: Durability) {
    let dir = tempfile::tempdir().unwrap();
    drop(open_registered(&dir.path().join("data"), 16));
    let settings = StoreSettings {
        durability,
        block_readings: 16,
        ..StoreSettings::default()
    };
    let store = Store::open(&dir.path().join("data"), settings, OpenMode::Existing).unwrap();
    let acknowledged = Mutex::new(Vec::new());
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        for uploader in 0..4 {
            let (store, acknowledged, is_done) = (&store, &acknowledged, &is_done);
            scope.spawn(move || {
                // Some forwards, some backwards, all among each other.
                let step = if uploader < 2 { 4 } else { -4 };
                for n in (1..).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                    let ms = uploader + n * step;
                    let uploaded = upload(&[Some(ms)]);
                    store.append_durably_blocking(uploaded, at(NOW)).unwrap();
                    acknowledged.lock().unwrap().push(at(ms));
                }
            });
        }
        for round in 0..4 {
            while acknowledged.lock().unwrap().len() < 30 * (round + 1) {
                thread::sleep(Duration::from_millis(1));
            }
            let before = acknowledged.lock().unwrap().clone();
            let file = dir.path().join(format!("backup{round}"));
            take(&store, &file).unwrap();
            let new = dir.path().join(format!("new{round}"));
            restored(&file, &new).unwrap();
            let copied: BTreeSet<_> = all(&open(&new)).iter().map(|it| it.time).collect();
            assert!(before.iter().all(|time| copied.contains(time)), "{round}");
        }
        is_done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn uploads_meanwhile_are_no_trouble() {
    assert_nothing_acknowledged_is_missing(Durability::Always);
    assert_nothing_acknowledged_is_missing(Durability::Interval(Duration::from_millis(20)));
}

#[test]
fn every_truncation_is_named() {
    let bytes = small();
    for length in 0..bytes.len() {
        match verified(&bytes[..length]) {
            Err(BackupError::NotOne) => assert!(length < 18),
            Err(BackupError::Damaged { what, .. }) => assert_eq!(what, "the file is truncated"),
            other => panic!("{length}: {other:?}"),
        }
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(
        verified(&longer)
            .unwrap_err()
            .to_string()
            .contains("data after the end")
    );
}

#[test]
fn every_flipped_bit_is_named() {
    let bytes = small();
    let counts = verified(&bytes).unwrap();
    assert_eq!(counts.readings, 53);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match verified(&flipped) {
            Err(BackupError::NotOne) => assert!(bit < 18 * 8),
            Err(BackupError::Damaged { offset, .. }) => assert!(offset <= bit as u64 / 8),
            other => panic!("bit {bit}: {other:?}"),
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let mut bytes = small();
    bytes[18] = 2;
    let checksum = crc32fast::hash(&bytes[..30]);
    bytes[30..34].copy_from_slice(&checksum.to_le_bytes());
    let error = verified(&bytes).unwrap_err();
    assert!(matches!(
        error,
        BackupError::NewerFormat {
            found: 2,
            newest: 1
        }
    ));
    assert!(error.to_string().contains("format 2"), "{error}");
}

#[test]
fn a_false_length_takes_no_memory() {
    for length in [65_537_u32, u32::MAX] {
        let mut bytes = frame::head(at(NOW));
        bytes.extend_from_slice(&[7, 0]);
        bytes.extend_from_slice(&length.to_le_bytes());
        // Without end: were it believed, gigabytes would be read.
        let source = std::io::Read::chain(&bytes[..], std::io::repeat(0));
        let read = read_all(source, |_, _| Ok::<(), BackupError>(()));
        let error = read.unwrap_err().to_string();
        assert!(error.contains("frame is too long"), "{error}");
    }
}

#[test]
fn what_unpacks_to_too_much_is_refused() {
    use flate2::{Compression, write::DeflateEncoder};
    use std::io::Write;

    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; 10_000_000]).unwrap();
    let packed = encoder.finish().unwrap();
    let [l1, l2, l3, l4] = u32::try_from(packed.len()).unwrap().to_le_bytes();
    let start = [3, 1, l1, l2, l3, l4];
    let checksum = crc32fast::hash(&[&start[..], &packed].concat());
    let head = frame::head(at(NOW));
    let bytes = [&head[..], &start, &checksum.to_le_bytes(), &packed].concat();
    let error = verified(&bytes).unwrap_err().to_string();
    assert!(error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let account = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
    let sensor = br#"{"id":"a","account":"home","name":"A","authorized":true,"created":0}"#;
    let orphan = br#"{"id":"a","account":"nobody","name":"A","authorized":true,"created":0}"#;
    let block = |ms: i64| crate::store::blocks::block::encode(&[reading(ms, 1.0)]).unwrap();
    let of_a = |ms| [b"\x01a", &block(ms)[..]].concat();
    let of_b = [b"\x01b", &block(1)[..]].concat();
    let (early, late) = (of_a(1), of_a(2));
    let known: [(FrameKind, &[u8]); 2] =
        [(FrameKind::Account, account), (FrameKind::Sensor, sensor)];
    let counts = StoreCounts {
        accounts: 1,
        sensors: 1,
        ..StoreCounts::default()
    };
    assert_eq!(verified(&made_of(&known, counts)).unwrap(), counts);
    let with = |more: &[(FrameKind, &[u8])]| made_of(&[&known[..], more].concat(), counts);
    for (bytes, named) in [
        (made_of(&known, StoreCounts::default()), "counts at the end"),
        (
            made_of(&[(FrameKind::Sensor, orphan)], counts),
            "unknown account",
        ),
        (made_of(&[known[0], known[0]], counts), "a second account"),
        (made_of(&[known[1]], counts), "unknown account"),
        (with(&[(FrameKind::Account, account)]), "out of order"),
        (with(&[(FrameKind::Readings, &of_b)]), "unknown sensor"),
        (
            with(&[(FrameKind::Readings, &late), (FrameKind::Readings, &early)]),
            "out of order",
        ),
        (
            with(&[(FrameKind::Readings, &early), (FrameKind::Readings, &early)]),
            "out of order",
        ),
        (
            with(&[(FrameKind::Readings, b"\x05a")]),
            "without a valid sensor",
        ),
        (with(&[(FrameKind::Readings, b"\x01arubbish")]), "block"),
        (with(&[(FrameKind::Arrivals, b"{}")]), "arrivals"),
        (
            made_of(&[(FrameKind::Account, b"{}")], counts),
            "invalid record",
        ),
    ] {
        let error = verified(&bytes).unwrap_err().to_string();
        assert!(error.contains(named), "{named}: {error}");
    }
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file = dir.path().join("backup");
    fs::write(&file, "mine").unwrap();
    assert!(matches!(take(&store, &file), Err(BackupError::Exists(_))));
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    fs::remove_file(&file).unwrap();
    // What a kill left over is in nobody's way.
    fs::write(dir.path().join(".backup.part"), vec![1; 100_000]).unwrap();
    take(&store, &file).unwrap();
    assert!(!dir.path().join(".backup.part").exists());
    verified(&fs::read(&file).unwrap()).unwrap();
}

#[test]
fn what_fails_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let file: PathBuf = dir.path().join("backup");
    let stopped = write_backup(
        &file,
        at(NOW),
        |cursor| store.backup_page(&cursor),
        |_| Err(BackupError::Stopped),
    );
    assert!(matches!(stopped, Err(BackupError::Stopped)));
    let nowhere = dir.path().join("missing").join("backup");
    assert!(matches!(
        take(&store, &nowhere),
        Err(BackupError::Io { .. })
    ));
    let names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(names, ["data"]);
}

#[test]
fn a_damaged_store_is_not_copied_in_silence() {
    let dir = tempfile::tempdir().unwrap();
    let store = filled(&dir.path().join("data"));
    let first = store.shared.trees.sealed.blocks.first().unwrap().unwrap().0;
    let blocks = &store.shared.trees.sealed.blocks;
    blocks.insert(first, b"rubbish").unwrap();
    let file = dir.path().join("backup");
    let error = take(&store, &file).unwrap_err();
    assert!(
        matches!(&error, BackupError::Store(StoreError::Damaged(what)) if what.contains("\"house\""))
    );
    assert!(!file.exists());
}

proptest! {
    /// Content with valid checksums, whatever it holds.
    #[test]
    fn no_content_panics(
        kind in prop_oneof![Just(FrameKind::Account), Just(FrameKind::Sensor), Just(FrameKind::Arrivals), Just(FrameKind::Readings)],
        at_byte in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        noise in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let block = crate::store::blocks::block::encode(&[reading(1, 1.0), reading(2, 3.0)]).unwrap();
        let readings = [b"\x01a", &block[..]].concat();
        let account = br#"{"name":"home","plan":"paid","zone":"UTC","created":0}"#;
        let sensor = br#"{"id":"a","account":"home","name":"A","authorized":true,"created":0}"#;
        let arrivals = br#"{"sensor":"a","arrivals":null,"last_assigned":7}"#;
        let mut frames: Vec<(FrameKind, Vec<u8>)> = vec![
            (FrameKind::Account, account.to_vec()),
            (FrameKind::Sensor, sensor.to_vec()),
            (FrameKind::Arrivals, arrivals.to_vec()),
            (FrameKind::Readings, readings),
        ];
        let counts = StoreCounts { accounts: 1, sensors: 1, arrivals: 1, readings: 2, ..StoreCounts::default() };
        let made = |frames: &[(FrameKind, Vec<u8>)]| {
            let frames: Vec<(FrameKind, &[u8])> = frames.iter().map(|(kind, content)| (*kind, &content[..])).collect();
            made_of(&frames, counts)
        };
        prop_assert_eq!(verified(&made(&frames)).unwrap(), counts);
        for (_, content) in frames.iter_mut().filter(|(of, _)| *of == kind) {
            let place = at_byte.index(content.len());
            content[place] = byte;
        }
        // A name may be another one and still a name: this must only end.
        let _ = verified(&made(&frames));
        for (_, content) in frames.iter_mut().filter(|(of, _)| *of == kind) {
            content.clone_from(&noise);
        }
        prop_assert!(verified(&made(&frames)).is_err());
    }
}

#[test]
fn nothing_is_touched_unless_all_is_good() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("backup");
    let mut bytes = small();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let new = dir.path().join("new");
    assert!(matches!(
        restored(&file, &new),
        Err(BackupError::Damaged { .. })
    ));
    assert!(!new.exists());

    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    // What a restore that was cut short left is no store.
    fs::create_dir_all(new.join("restoring").join("sled")).unwrap();
    fs::write(new.join("restoring").join("sled").join("db"), "cut short").unwrap();
    restored(&file, &new).unwrap();
    let again = restored(&file, &new).unwrap_err();
    assert!(
        matches!(&again, BackupError::Store(StoreError::NotEmpty { holds, .. }) if ["blocks", "sled"].contains(&holds.as_str()))
    );
}

/// The hash of the password "correct horse".
fn password() -> PasswordHash {
    Password::new("correct horse")
        .unwrap()
        .hash([7; 16])
        .unwrap()
}

/// [`filled`], and with an administrator.
fn administered(dir: &Path) -> Store {
    let store = filled(dir);
    store.put_first_administrator_durably(password()).unwrap();
    store
}

#[test]
fn the_administrator_comes_along() {
    let dir = tempfile::tempdir().unwrap();
    let store = administered(&dir.path().join("data"));
    let file = dir.path().join("backup");
    let written = take(&store, &file).unwrap();
    assert_eq!(written.counts.administrators, 1);
    restored(&file, &dir.path().join("new")).unwrap();
    let copy = open(&dir.path().join("new"));
    assert_eq!(described(&copy), described(&store));
    assert_eq!(copy.registry().administrator(), Some(&password()));
}

#[test]
fn there_is_one_administrator() {
    let record = format!("{{\"password_hash\":\"{}\"}}", password().as_str());
    let one = (FrameKind::Administrator, record.as_bytes());
    let counts = |administrators| StoreCounts {
        administrators,
        ..StoreCounts::default()
    };
    assert_eq!(verified(&made_of(&[one], counts(1))).unwrap(), counts(1));
    for (frames, mentions) in [
        (made_of(&[one, one], counts(2)), "a second administrator"),
        (made_of(&[one], counts(0)), "differ"),
        (
            made_of(
                &[(FrameKind::Administrator, b"{\"password_hash\":\"x\"}")],
                counts(1),
            ),
            "invalid record",
        ),
    ] {
        let error = verified(&frames).unwrap_err().to_string();
        assert!(error.contains(mentions), "{error}");
    }
}

/// Restores the backup in tests/fixtures, which pins the format.
#[test]
fn the_backup_of_format_1_is_understood() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/backup-format-1");
    let dir = tempfile::tempdir().unwrap();
    let original = administered(&dir.path().join("original"));
    let backup = restored(&fixture, &dir.path().join("data")).unwrap();
    assert_eq!((backup.taken, backup.counts.readings), (at(NOW), 53));
    let copy = open(&dir.path().join("data"));
    assert_eq!(described(&copy), described(&original));
    assert_eq!(copy.registry().administrator(), Some(&password()));
    assert_eq!(all(&copy), all(&original));
    let last: Vec<(i64, Option<f64>)> = all(&copy)
        .iter()
        .rev()
        .take(3)
        .map(|reading| (reading.time.millis(), reading.measures.watthours()))
        .collect();
    let sealed = noise(49) / 2.0;
    assert_eq!(last, [(NOW, None), (5_000, None), (490, Some(sealed))]);
}
