//! Tests that data of earlier versions is read, and data of newer ones is refused. tests/fixtures
//! has a store and a backup of each format, with the content of `whole`.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::domain::Reading;
use crate::store::care::backup::tests::{all, described, entered, open, restored, whole};
use crate::store::handle::Store;
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

/// [`whole`], restarted, so that everything is in the log; and an upload since, which is only in
/// the journal.
fn with_journal(dir: &Path) -> Store {
    drop(whole(dir));
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
    let original = with_journal(&dir.path().join("original"));
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
