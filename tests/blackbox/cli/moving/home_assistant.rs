//! The database of Home Assistant's recorder.

use rusqlite::Connection;
use serde_json::json;

use super::{error, import, row, stored};
use crate::place::{Place, both_ways};

/// The tables and columns that an import reads, of schema 53, with a few that it does not.
const SCHEMA: &str = "
CREATE TABLE schema_changes (change_id INTEGER PRIMARY KEY, schema_version INTEGER, changed DATETIME NOT NULL);
CREATE TABLE statistics_meta (id INTEGER PRIMARY KEY, statistic_id VARCHAR(255), source VARCHAR(32),
  unit_of_measurement VARCHAR(255), has_sum BOOLEAN, name VARCHAR(255), mean_type SMALLINT);
CREATE TABLE statistics (id INTEGER PRIMARY KEY, created_ts FLOAT, metadata_id INTEGER, start_ts FLOAT, mean FLOAT, min FLOAT,
  max FLOAT, last_reset_ts FLOAT, state FLOAT, sum FLOAT);
CREATE UNIQUE INDEX ix_a ON statistics (metadata_id, start_ts);
CREATE TABLE statistics_short_term (id INTEGER PRIMARY KEY, created_ts FLOAT, metadata_id INTEGER, start_ts FLOAT, mean FLOAT,
  min FLOAT, max FLOAT, last_reset_ts FLOAT, state FLOAT, sum FLOAT);
CREATE UNIQUE INDEX ix_b ON statistics_short_term (metadata_id, start_ts);
CREATE TABLE states_meta (metadata_id INTEGER PRIMARY KEY, entity_id VARCHAR(255));
CREATE TABLE state_attributes (attributes_id INTEGER PRIMARY KEY, hash BIGINT, shared_attrs TEXT);
CREATE TABLE states (state_id INTEGER PRIMARY KEY, state VARCHAR(255), last_updated_ts FLOAT, attributes_id INTEGER,
  metadata_id INTEGER);
CREATE INDEX ix_c ON states (metadata_id, last_updated_ts);
INSERT INTO schema_changes VALUES (1, 53, '2026-01-05');
INSERT INTO statistics_meta VALUES (1, 'sensor.house_energy', 'recorder', 'kWh', 1, NULL, 0),
  (2, 'sensor.house_power', 'recorder', 'kW', 0, NULL, 1), (3, 'tibber:energy', 'tibber', 'kWh', 1, 'Home', 0),
  (4, 'sensor.house_cost', 'recorder', 'EUR', 1, NULL, 0);
INSERT INTO states_meta VALUES (7, 'sensor.house_power'), (8, 'sensor.house_energy'), (9, 'sensor.plug'), (10, 'light.hall');
INSERT INTO state_attributes VALUES (1, 0, '{\"unit_of_measurement\":\"kW\"}'), (2, 0, '{\"unit_of_measurement\":\"W\"}'),
  (3, 0, '{}'), (4, 0, '{\"unit_of_measurement\":\"Wh\",\"friendly_name\":\"House\"}');
";
/// 2026-01-05T10:00:00Z
const TEN: f64 = 1_767_607_200.0;

fn database(place: &Place, name: &str) -> Connection {
    let connection = Connection::open(place.dir.path().join(name)).unwrap();
    connection.execute_batch(SCHEMA).unwrap();
    connection
}

/// A row of statistics: hour or five minutes by table, state and sum.
fn count(db: &Connection, table: &str, id: i64, start: f64, state: Option<f64>, sum: Option<f64>) {
    let sql =
        format!("INSERT INTO {table} (metadata_id, start_ts, state, sum) VALUES (?1, ?2, ?3, ?4)");
    db.execute(&sql, (id, start, state, sum)).unwrap();
}

fn state(db: &Connection, id: i64, time: f64, state: &str, attributes: i64) {
    let sql = "INSERT INTO states (metadata_id, last_updated_ts, state, attributes_id) VALUES (?1, ?2, ?3, ?4)";
    db.execute(sql, (id, time, state, attributes)).unwrap();
}

/// A meter that shows 9410.882 kWh at first, and restarts at zero after three hours. Its sums are
/// those that Home Assistant counts. The newest hour has five-minute rows.
fn meter(db: &Connection) {
    let hours = [
        (9_410.882, Some(0.0)),
        (9_411.912, Some(1.03)),
        (9_412.0, Some(1.118)),
        // After a restart it may have no sum; its state would be a spike of a lifetime.
        (0.2, None),
        (0.3, Some(1.418)),
        (0.75, Some(1.868)),
    ];
    for (hour, (state, sum)) in (0_u32..).zip(hours) {
        let start = TEN + 3_600.0 * f64::from(hour);
        count(db, "statistics", 1, start, Some(state), sum);
    }
    let start = TEN + 5.0 * 3_600.0;
    for n in 0..12_u32 {
        let more = 0.0375 * f64::from(n + 1);
        let start = start + 300.0 * f64::from(n);
        count(
            db,
            "statistics_short_term",
            1,
            start,
            Some(0.3 + more),
            Some(1.418 + more),
        );
    }
}

/// An entity that is half an hour old, whose meter restarted, before and after its first hour has a
/// row.
#[test]
fn an_entity_without_an_hour_has_the_register_that_it_keeps() {
    let place = Place::new();
    place.prepare();
    let db = database(&place, "ha.db");
    let table = "statistics_short_term";
    let shown = [
        (9_410.9, 0.0),
        (9_411.0, 0.1),
        (0.05, 0.15),
        (0.1, 0.2),
        (0.2, 0.3),
        (0.3, 0.4),
    ];
    let start = |n: u32| TEN + 1_800.0 + 300.0 * f64::from(n);
    for (n, (state, sum)) in (0..).zip(shown) {
        count(&db, table, 1, start(n), Some(state), Some(sum));
    }
    let arguments = [
        "ha.db",
        "--sensor",
        "house",
        "--watthours-column",
        "sensor.house_energy",
    ];
    import(&place, &arguments);
    let young = stored(&place, "house");
    assert_eq!(young.len(), 6);
    assert_eq!(young[5], row("2026-01-05T11:00:00Z", None, 300.0));
    count(&db, "statistics", 1, TEN, Some(0.3), Some(0.4));
    for (n, (state, sum)) in (6..).zip([(0.4, 0.5), (0.5, 0.6)]) {
        count(&db, table, 1, start(n), Some(state), Some(sum));
    }
    import(&place, &arguments);
    let later = stored(&place, "house");
    assert_eq!(later.len(), 8);
    assert_eq!(later[..6], young);
    assert_eq!(later[7], row("2026-01-05T11:10:00Z", None, 500.0));
}

#[test]
fn sums_become_a_register_at_the_end_of_their_hour() {
    both_ways(|place| {
        place.prepare();
        std::fs::remove_file(place.dir.path().join("ha.db")).ok();
        meter(&database(place, "ha.db"));
        let arguments = [
            "ha.db",
            "--sensor",
            "house",
            "--watthours-column",
            "sensor.house_energy",
        ];
        let dry = import(place, &[&arguments[..], &["--dry-run"]].concat());
        assert_eq!(
            dry,
            json!({
                "readings": 16,
                "first": "2026-01-05T11:00:00.000Z",
                "last": "2026-01-05T16:00:00.000Z",
                "watts": null,
                "watthours": {"values": 16, "lowest": 9_410_882.0, "highest": 9_412_750.0},
                "skipped": 1,
                "stored": 0,
            })
        );
        assert_eq!(stored(place, "house"), []);
        let run = place.run(&[&["import"], &arguments[..]].concat());
        assert_eq!(run.status, 0, "{run:?}");
        assert!(run.err.contains("left out: 1 without a value"), "{run:?}");
        // The sum goes on over the meter's restart.
        assert!(
            run.err
                .contains("shows 0.75 kWh where the imported register ends at 9412.75 kWh"),
            "{run:?}"
        );
        assert!(run.err.contains("meter-changed SENSOR --at 2026-01-05T16:00:01.000Z --old-end 9412.75 --new-start 0.75"), "{run:?}");
        let mut expected = vec![
            row("2026-01-05T11:00:00Z", None, 9_410_882.0),
            row("2026-01-05T12:00:00Z", None, 9_411_912.0),
            row("2026-01-05T13:00:00Z", None, 9_412_000.0),
            row("2026-01-05T15:00:00Z", None, 9_412_300.0),
        ];
        for n in 1..=12 {
            let minute = 5 * n;
            let time = format!("2026-01-05T{}:{:02}:00Z", 15 + minute / 60, minute % 60);
            expected.push(row(&time, None, 9_412_300.0 + 37.5 * f64::from(n)));
        }
        assert_eq!(stored(place, "house"), expected);
        // Repeated, it changes nothing.
        import(place, &arguments);
        assert_eq!(stored(place, "house"), expected);
    });
}

#[test]
fn states_of_a_meter_are_its_own_register() {
    let place = Place::new();
    place.prepare();
    let db = database(&place, "ha.db");
    meter(&db);
    // In another unit than the statistics, as Home Assistant allows.
    state(&db, 8, TEN + 5.0 * 3_600.0 + 90.5, "350", 4);
    state(&db, 8, TEN + 5.0 * 3_600.0 + 95.0, "unavailable", 3);
    state(&db, 8, TEN + 6.0 * 3_600.0, "0.75", 3);
    let arguments = [
        "ha.db",
        "--sensor",
        "house",
        "--watthours-column",
        "sensor.house_energy",
        "--registers",
        "state",
    ];
    assert_eq!(import(&place, &arguments)["stored"], json!(7));
    assert_eq!(
        stored(&place, "house"),
        [
            row("2026-01-05T11:00:00Z", None, 9_410_882.0),
            row("2026-01-05T12:00:00Z", None, 9_411_912.0),
            row("2026-01-05T13:00:00Z", None, 9_412_000.0),
            row("2026-01-05T14:00:00Z", None, 200.0),
            row("2026-01-05T15:00:00Z", None, 300.0),
            row("2026-01-05T15:01:30.500Z", None, 350.0),
            row("2026-01-05T16:00:00Z", None, 750.0),
        ]
    );
}

#[test]
fn means_of_power_and_then_states() {
    let place = Place::new();
    place.prepare();
    let db = database(&place, "ha.db");
    for (hour, mean) in [(0.0, 1.03), (1.0, 0.2345), (2.0, 0.5), (3.0, 0.6)] {
        let sql = "INSERT INTO statistics (metadata_id, start_ts, mean, min, max) VALUES (2, ?1, ?2, 0, 9)";
        db.execute(sql, (TEN + 3_600.0 * hour, mean)).unwrap();
    }
    // From 12:10 on there are states, in one unit and then in another.
    state(&db, 7, TEN + 7_800.0, "0.4", 1);
    state(&db, 7, TEN + 7_810.123, "401.5", 2);
    state(&db, 7, TEN + 7_820.0, "unknown", 2);
    state(&db, 7, TEN + 3.0 * 3_600.0 + 1_800.0, "-7", 2);
    let outcome = import(
        &place,
        &[
            "ha.db",
            "--sensor",
            "house",
            "--watts-column",
            "sensor.house_power",
        ],
    );
    assert_eq!(outcome, json!({"read": 6, "stored": 5, "skipped": 1}));
    assert_eq!(
        stored(&place, "house"),
        [
            row("2026-01-05T10:30:00Z", 1_030.0, None),
            row("2026-01-05T11:30:00Z", 234.5, None),
            row("2026-01-05T12:10:00Z", 400.0, None),
            row("2026-01-05T12:10:10.123Z", 401.5, None),
            row("2026-01-05T13:30:00Z", -7.0, None),
        ]
    );
}

#[test]
fn its_series_are_listed_with_their_units() {
    let place = Place::new();
    place.prepare();
    let db = database(&place, "ha.db");
    meter(&db);
    count(&db, "statistics", 3, TEN, Some(0.5), Some(0.5));
    state(&db, 9, TEN, "12", 2);
    state(&db, 10, TEN, "on", 3);
    let listed = place.json(&["import", "ha.db", "--list"]);
    assert_eq!(
        listed,
        json!([
            {"series": "sensor.house_energy", "unit": "kWh", "values": 17,
             "first": "2026-01-05T11:00:00.000Z", "last": "2026-01-05T16:00:00.000Z"},
            {"series": "sensor.house_power", "unit": "kW", "values": 0, "first": null, "last": null},
            {"series": "sensor.plug", "unit": "W", "values": 1,
             "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T10:00:00.000Z"},
            {"series": "tibber:energy", "unit": "kWh", "values": 1,
             "first": "2026-01-05T11:00:00.000Z", "last": "2026-01-05T11:00:00.000Z"},
        ])
    );
    let table = place.ok(&["import", "ha.db", "--list"]);
    assert!(
        table.starts_with("SERIES               UNIT  VALUES  FIRST"),
        "{table}"
    );
    let asked = error(&place, &["ha.db", "--sensor", "house"]);
    assert!(
        asked.contains("choose the series with") && asked.contains("sensor.plug (W)"),
        "{asked}"
    );
    let slip = error(
        &place,
        &[
            "ha.db",
            "--sensor",
            "house",
            "--watthours-column",
            "sensor.x",
        ],
    );
    assert!(
        slip.contains("there is no series \"sensor.x\"") && slip.contains("tibber:energy (kWh)"),
        "{slip}"
    );
    let dry = |rest: &[&str]| error(&place, &[&["ha.db", "--dry-run"], rest].concat());
    let swapped = dry(&["--watts-column", "sensor.house_energy"]);
    assert!(
        swapped.contains("is in kWh, which is energy: name it with --watthours-column"),
        "{swapped}"
    );
    let unit = dry(&["--watthours-column", "sensor.house_energy", "--unit", "Wh"]);
    assert!(unit.contains("leave out --unit"), "{unit}");
}

#[test]
fn what_is_not_merged_into_the_file_yet_is_read_and_nothing_is_written() {
    let place = Place::new();
    place.prepare();
    let db = database(&place, "ha.db");
    db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))
        .unwrap();
    count(&db, "statistics", 1, TEN, Some(5.0), Some(0.0));
    let path = place.dir.path().join("ha.db");
    let before = std::fs::read(&path).unwrap();
    // Home Assistant is running: its connection is open.
    let outcome = import(
        &place,
        &[
            "ha.db",
            "--sensor",
            "house",
            "--watthours-column",
            "sensor.house_energy",
        ],
    );
    assert_eq!(outcome["stored"], json!(1));
    assert_eq!(
        stored(&place, "house"),
        [row("2026-01-05T11:00:00Z", None, 5_000.0)]
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn other_databases_are_refused() {
    let place = Place::new();
    place.prepare();
    let path = |name: &str| place.dir.path().join(name);
    let refused = |name: &str| {
        error(
            &place,
            &[
                name,
                "--sensor",
                "house",
                "--watthours-column",
                "sensor.house_energy",
            ],
        )
    };
    let other = Connection::open(path("other.db")).unwrap();
    other.execute_batch("CREATE TABLE x (y)").unwrap();
    let others = refused("other.db");
    assert!(
        others.contains("another program than Home Assistant, with the tables x")
            && !others.contains("stop Home Assistant"),
        "{others}"
    );
    let domoticz = Connection::open(path("domoticz.db")).unwrap();
    domoticz
        .execute_batch(
            "CREATE TABLE DeviceStatus (ID); CREATE TABLE MultiMeter (Date); CREATE TABLE Meter (DeviceRowID, Value, Usage, Date)",
        )
        .unwrap();
    let domoticz = refused("domoticz.db");
    assert!(
        domoticz.contains("domoticz.db: it is a database of Domoticz")
            && domoticz.contains("SELECT Date, Value FROM Meter"),
        "{domoticz}"
    );
    let old = database(&place, "old.db");
    old.execute_batch("UPDATE schema_changes SET schema_version = 37")
        .unwrap();
    assert!(refused("old.db").contains("older than Home Assistant 2023.4"));
    let view = database(&place, "view.db");
    let endless = "DROP TABLE statistics; CREATE VIEW statistics AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) \
        SELECT id, 1 AS metadata_id, id AS start_ts, 0 AS mean, 0 AS state, 0 AS sum FROM n";
    view.execute_batch(endless).unwrap();
    assert!(refused("view.db").contains("no column id in a table statistics"));

    let whole = database(&place, "whole.db");
    meter(&whole);
    drop(whole);
    let bytes = std::fs::read(path("whole.db")).unwrap();
    place.file("torn.db", &bytes[..bytes.len() / 2]);
    let torn = refused("torn.db");
    assert!(
        torn.contains("stop Home Assistant") && torn.contains("torn.db"),
        "{torn}"
    );
    let piped = place
        .run_on(&bytes, &["import", "-", "--sensor", "house"])
        .error();
    assert!(piped.contains("cannot be read from a pipe"), "{piped}");
}
