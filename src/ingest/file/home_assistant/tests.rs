//! Damaged databases. The black-box tests use intact ones.

use proptest::prelude::*;

use super::*;
use crate::ingest::file::intake::{FileIntake, Purpose};
use crate::ingest::file::spool::Spool;
use crate::ingest::table::{TimeReader, UnitWishes, Wishes};

/// A small database, as bytes.
fn database() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch(
        "PRAGMA page_size = 512;
         CREATE TABLE schema_changes (change_id INTEGER PRIMARY KEY, schema_version INTEGER);
         CREATE TABLE statistics_meta (id INTEGER PRIMARY KEY, statistic_id, source, unit_of_measurement);
         CREATE TABLE statistics (id INTEGER PRIMARY KEY, metadata_id, start_ts, mean, state, sum);
         CREATE TABLE statistics_short_term (id INTEGER PRIMARY KEY, metadata_id, start_ts, mean, state, sum);
         CREATE TABLE states_meta (metadata_id INTEGER PRIMARY KEY, entity_id);
         CREATE TABLE state_attributes (attributes_id INTEGER PRIMARY KEY, shared_attrs);
         CREATE TABLE states (state_id INTEGER PRIMARY KEY, state, last_updated_ts, attributes_id, metadata_id);
         INSERT INTO schema_changes VALUES (1, 53);
         INSERT INTO statistics_meta VALUES (1, 'e', 'recorder', 'kWh');
         INSERT INTO states_meta VALUES (1, 'p');
         INSERT INTO state_attributes VALUES (1, '{\"unit_of_measurement\":\"W\"}');
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
           INSERT INTO statistics SELECT i, 1, 1767607200 + 3600 * i, NULL, 5 + i, i FROM n;
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
           INSERT INTO states SELECT i, 'on', 1767607200 + i, 1, 1 FROM n;
         INSERT INTO statistics VALUES (99, 1, 1767900000, NULL, 'x', x'00');
         INSERT INTO states VALUES (99, 7, 1767900000, 1, 1), (98, x'01', 'then', NULL, 1);",
    )
    .unwrap();
    drop(db);
    fs::read(path).unwrap()
}

/// The number of rows read from both series; `None` if the database is refused.
fn read(bytes: &[u8]) -> Option<u64> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.db");
    fs::write(&path, bytes).unwrap();
    let wishes = Wishes {
        watts: Some("p".into()),
        watthours: Some("e".into()),
        ..Wishes::default()
    };
    let read = |purpose| {
        let db = RecorderDb::open(&path).ok()?;
        let times = TimeReader::new(None, None, Timestamp::MAX);
        let mut intake = FileIntake::new(&wishes, UnitWishes::default(), purpose);
        read_recorder(&db, &wishes, times, RegisterColumn::Sum, &mut intake).ok()?;
        Some(intake)
    };
    assert!(read(Purpose::List)?.listed().0.len() <= 2);
    let tally = read(Purpose::Take(Spool::new(dir.path())))?.tally;
    assert!(tally.shown.iter().all(|text| text.starts_with("row ")));
    Some(tally.read)
}

#[test]
fn values_of_other_types_are_bad_rows() {
    // A state without a time cannot be ordered.
    assert_eq!(read(&database()), Some(122));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damage_never_panics_and_always_ends(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..12),
        length in any::<proptest::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = database();
        for (place, byte) in damage {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if cut {
            bytes.truncate(length.index(bytes.len()));
        }
        if let Some(count) = read(&bytes) {
            prop_assert!(count < 10_000);
        }
    }
}
