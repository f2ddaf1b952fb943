//! Tests that data of earlier versions is read, and data of newer ones is refused. tests/fixtures
//! has a store and a backup of each format, with the content of `whole`, and those of each release,
//! with that of `complete`.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::domain::EntryKind;
use crate::domain::Reading;
use crate::store::care::backup::tests::{
    all, complete, complete_in, described, entered, open, restored, take, whole,
};
use crate::store::handle::Store;
use crate::store::handle::counts::StoreCounts;
use crate::store::postgres::PostgresSettings;
use crate::store::postgres::test_server::PostgresServer;
use crate::store::settings::{OpenMode, StoreSettings};
use crate::store::tests::{NOW, at, upload};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Unpacks the files of a fixture, each packed by gzip.
fn unpack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        // Without `.gz`.
        let target = to.join(path.file_stem().unwrap());
        if path.is_dir() {
            unpack(&path, &target);
        } else {
            let mut content = GzDecoder::new(File::open(path).unwrap());
            io::copy(&mut content, &mut File::create(target).unwrap()).unwrap();
        }
    }
}

/// The same in the other direction. The index is made anew by each start, and nobody needs the lock
/// and the reserve.
fn pack(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if ["index", "lock", "reserve"].contains(&name) {
            continue;
        }
        if path.is_dir() {
            pack(&path, &to.join(name));
            continue;
        }
        let target = File::create(to.join(format!("{name}.gz"))).unwrap();
        let mut target = GzEncoder::new(target, Compression::best());
        io::copy(&mut File::open(path).unwrap(), &mut target).unwrap();
        target.finish().unwrap();
    }
}

/// A store, restarted, so that everything is in the log; and an upload since, which is only in
/// the journal.
fn with_journal(dir: &Path, made: fn(&Path) -> Store) -> Store {
    drop(made(dir));
    let store = open(dir);
    store
        .append_durably_blocking(upload(&[Some(9_000)]), at(NOW + 1))
        .unwrap();
    store
}

/// The content of a store.
fn content(store: &Store) -> (String, String, Vec<Reading>) {
    (described(store), entered(store), all(store))
}

#[test]
fn a_store_of_each_format_opens() {
    let dir = tempfile::tempdir().unwrap();
    let original = with_journal(&dir.path().join("original"), whole);
    let copy = dir.path().join("copy");
    unpack(&fixture("store-format-7"), &copy);
    for _ in 0..2 {
        let store = open(&copy);
        assert_eq!(content(&store), content(&original));
        assert_eq!(all(&store).len(), 54);
        let findings = store.check();
        assert!(findings.is_clean(), "{findings:?}");
    }
}

#[test]
fn a_backup_of_each_format_is_restored() {
    let dir = tempfile::tempdir().unwrap();
    let original = whole(&dir.path().join("original"));
    let copy = dir.path().join("copy");
    let backup = restored(&fixture("backup-format-1"), &copy).unwrap();
    assert_eq!((backup.taken, backup.counts.readings), (at(NOW), 53));
    let copy = open(&copy);
    let (described, entered, readings) = content(&original);
    // It is of a time when series had no currency.
    let older = |text: String| text.replace(r#"Some(Currency("SEK"))"#, "None");
    let expected = (older(described), older(entered), readings);
    assert_eq!(content(&copy), expected);
    let findings = copy.check();
    assert!(findings.is_clean(), "{findings:?}");
}

/// A new kind of record belongs in `complete`, too.
#[test]
fn a_complete_store_has_something_of_every_kind() {
    let dir = tempfile::tempdir().unwrap();
    let store = complete(&dir.path().join("store"));
    let counts = take(&store, &dir.path().join("backup")).unwrap().counts;
    let serde_json::Value::Object(counts) = serde_json::to_value(counts).unwrap() else {
        panic!("counts");
    };
    let none = counts.iter().filter(|(_, count)| **count == 0);
    assert_eq!(none.map(|(name, _)| name).collect::<Vec<_>>(), [""; 0]);
    let mut registered = StoreCounts::registered(&store.registry());
    for kind in EntryKind::ALL {
        assert!(*registered.entries(kind) > 0, "{kind:?}");
    }
}

/// With `WATTKEEPER_WRITE_FIXTURES` they are made, for a release that is not out yet.
#[test]
fn a_store_and_a_backup_of_each_release_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name);
    let original = with_journal(&place("original"), complete);
    let backup = |store: &Store, name: &str| {
        take(store, &place(name)).unwrap();
        place(name)
    };
    let written = backup(&original, "backup");
    if std::env::var_os("WATTKEEPER_WRITE_FIXTURES").is_some() {
        let _ = fs::remove_dir_all(fixture("store-0.1.0"));
        drop(with_journal(&place("packed"), complete));
        pack(&place("packed"), &fixture("store-0.1.0"));
        fs::copy(&written, fixture("backup-0.1.0")).unwrap();
    }
    restored(&written, &place("expected")).unwrap();
    let expected = content(&open(&place("expected")));
    for release in ["0.1.0"] {
        let copy = place("copy");
        unpack(&fixture(&format!("store-{release}")), &copy);
        for _ in 0..2 {
            let store = open(&copy);
            assert_eq!(content(&store), content(&original), "{release}");
            assert!(store.check().is_clean(), "{release}");
        }
        let restored_copy = place("restored");
        restored(&fixture(&format!("backup-{release}")), &restored_copy).unwrap();
        let store = open(&restored_copy);
        assert_eq!(content(&store), expected, "{release}");
        assert!(store.check().is_clean(), "{release}");
    }
}

/// The tables of a release in PostgreSQL, as `pg_dump` writes them. They are made as the fixtures above.
#[test]
#[ignore = "needs postgres"]
fn postgres_tables_of_each_release_are_read() {
    let server = PostgresServer::shared();
    let opened = |database: &str, mode| {
        let settings = StoreSettings {
            block_readings: 16,
            ..StoreSettings::default()
        };
        let postgres = PostgresSettings {
            url: server.url(database).parse().unwrap(),
            password_file: None,
            allow_async: true,
            allow_clear_text_password: false,
            connections: 4,
        };
        Store::open_in_postgres(postgres, settings, mode).unwrap()
    };
    let database = server.create_database();
    let original = opened(&database, OpenMode::CreateIfMissing);
    complete_in(&original);
    original.close().unwrap();
    let original = opened(&database, OpenMode::Existing);
    let later = upload(&[Some(9_000)]);
    original
        .append_durably_blocking(later, at(NOW + 1))
        .unwrap();
    let dump = |release: &str| fixture(&format!("postgres-{release}.sql.gz"));
    if std::env::var_os("WATTKEEPER_WRITE_FIXTURES").is_some() {
        let target = File::create(dump("0.1.0")).unwrap();
        let mut target = GzEncoder::new(target, Compression::best());
        let arguments = ["--no-owner", "--no-acl", &database];
        let text = server.client("pg_dump", &arguments, "");
        // A psql that is older than pg_dump does not know `\restrict`.
        let is_new = |line: &str| {
            ["\\restrict", "\\unrestrict"]
                .iter()
                .any(|it| line.starts_with(it))
        };
        let lines = text.lines().filter(|line| !is_new(line));
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        target.write_all(text.as_bytes()).unwrap();
        target.finish().unwrap();
    }
    for release in ["0.1.0"] {
        let mut statements = String::new();
        let mut packed = GzDecoder::new(File::open(dump(release)).unwrap());
        packed.read_to_string(&mut statements).unwrap();
        let copy = server.create_database();
        server.sql(&copy, &statements);
        // Something of everything: without blocks, no later build would have to read them.
        for table in ["records", "sensors", "activity", "hot", "blocks"] {
            let rows = server.sql(&copy, &format!("select count(*) from {table}"));
            assert_ne!(rows, "0", "{release}: {table}");
        }
        for _ in 0..2 {
            let store = opened(&copy, OpenMode::Existing);
            assert_eq!(content(&store), content(&original), "{release}");
            assert!(store.check().is_clean(), "{release}");
            store.close().unwrap();
        }
    }
}
