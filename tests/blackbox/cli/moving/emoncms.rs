//! Feeds of Emoncms. The files are written by the layouts of its engines, which pack numbers in the
//! same way.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Row, error, import, row, stored};
use crate::place::{Place, both_ways};

/// 2026-01-05T10:00:00Z
const TEN: u32 = 1_767_607_200;

/// The file format of `PHPFina`: `pack("I", ..)` four times, and `pack("f", ..)` for each value.
fn fina(folder: &Path, id: u32, interval: u32, start: u32, values: &[f32]) {
    fs::create_dir_all(folder).unwrap();
    let meta = [0, 0, interval, start].map(u32::to_le_bytes).concat();
    fs::write(folder.join(format!("{id}.meta")), meta).unwrap();
    let data: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    fs::write(folder.join(format!("{id}.dat")), data).unwrap();
}

/// The file format of `PHPTimeSeries`: `pack("CIf", 249, time, value)` for each value.
fn time_series(folder: &Path, id: u32, values: &[(u32, f32)]) {
    fs::create_dir_all(folder).unwrap();
    let records = values.iter().flat_map(|(time, value)| {
        let parts = [&[249][..], &time.to_le_bytes(), &value.to_le_bytes()];
        parts.concat()
    });
    fs::write(
        folder.join(format!("feed_{id}.MYD")),
        records.collect::<Vec<u8>>(),
    )
    .unwrap();
}

/// The values of the feeds of [`backup`], as somebody typed them.
const POWER: [&str; 4] = ["234", "nan", "240.5", "-3.1"];
const REGISTER: [&str; 3] = ["9410.938", "9410.939", "20000.55"];

/// An unpacked backup, with the list of feeds in a dump of the database.
fn backup(place: &Place) {
    let folder = place.dir.path().join("backup");
    let floats =
        |texts: &[&str]| -> Vec<f32> { texts.iter().map(|it| it.parse().unwrap()).collect() };
    fina(&folder.join("phpfina"), 1, 10, TEN, &floats(&POWER));
    fina(&folder.join("phpfina"), 4, 10, TEN, &[1.0]);
    fina(&folder.join("phpfina"), 5, 86_400, TEN, &[1.0]);
    let times = [TEN, TEN + 10, TEN + 3_601];
    let registers = times.into_iter().zip(floats(&REGISTER));
    time_series(
        &folder.join("phptimeseries"),
        2,
        &registers.collect::<Vec<_>>(),
    );
    let dump = "CREATE TABLE `feeds` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `name` text,\n  `tag` text,\n  `datatype` int(11),\n  \
        `engine` int(11),\n  `unit` varchar(10) DEFAULT '',\n  PRIMARY KEY (`id`)\n);\n\
        INSERT INTO `feeds` VALUES (1,'use','house',1,5,'W'),(2,'use_kwh','house',1,2,'kWh'),(4,'use','shed',1,5,''),(5,'days','house',2,5,'kWh');\n";
    fs::write(folder.join("emoncms.sql"), dump).unwrap();
}

/// The time so many seconds after ten.
fn at(seconds: u32) -> String {
    format!(
        "2026-01-05T{:02}:{:02}:{:02}Z",
        10 + seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// What [`backup`] has of the house: of each typed text the number, computed otherwise than the
/// import does.
fn expected() -> Vec<Row> {
    let watt_hours = |text: &str| -> f64 {
        let (whole, fraction) = text.split_once('.').unwrap();
        let millis: i32 = format!("{whole}{fraction:0<3}").parse().unwrap();
        f64::from(millis)
    };
    vec![
        row(&at(0), 234.0, watt_hours(REGISTER[0])),
        row(&at(10), None, watt_hours(REGISTER[1])),
        row(&at(20), 240.5, None),
        row(&at(30), -3.1, None),
        row(&at(3_601), None, watt_hours(REGISTER[2])),
    ]
}

#[test]
fn both_engines_by_name_or_by_id() {
    both_ways(|place| {
        place.prepare();
        backup(place);
        let by_name = [
            "backup",
            "--sensor",
            "house",
            "--watts-column",
            "house:use",
            "--watthours-column",
            "use_kwh",
        ];
        let dry = import(place, &[&by_name[..], &["--dry-run"]].concat());
        assert_eq!(
            (&dry["readings"], &dry["last"]),
            (&json!(5), &json!("2026-01-05T11:00:01.000Z"))
        );
        assert_eq!(
            import(place, &by_name),
            json!({"read": 7, "stored": 5, "skipped": 1})
        );
        assert_eq!(stored(place, "house"), expected());
        // A file alone, as the feed's id; the list beside its folder says its unit.
        let by_id = [
            "backup/phptimeseries/feed_2.MYD",
            "--sensor",
            "house",
            "--watthours-column",
            "2",
        ];
        assert_eq!(import(place, &by_id)["stored"], json!(3));
        assert_eq!(stored(place, "house"), expected());
    });
}

#[test]
fn feeds_are_listed_as_they_can_be_named() {
    let place = Place::new();
    place.prepare();
    backup(&place);
    let feed = |series: &str, unit: Option<&str>, values: u32, ends: Option<(u32, u32)>| {
        let text = |seconds| at(seconds).replace('Z', ".000Z");
        json!({"series": series, "unit": unit, "values": values,
            "first": ends.map(|it| text(it.0)), "last": ends.map(|it| text(it.1))})
    };
    assert_eq!(
        place.json(&["import", "backup", "--list"]),
        json!([
            feed("house:use", Some("W"), 4, Some((0, 30))),
            feed("use_kwh", Some("kWh"), 3, Some((0, 3_601))),
            feed("shed:use", None, 1, Some((0, 0))),
            feed("days", Some("kWh"), 0, None),
        ])
    );
    let error = |options: &[&str]| {
        error(
            &place,
            &[&["backup", "--sensor", "house"], options].concat(),
        )
    };
    assert!(error(&[]).contains("they are house:use (W), use_kwh (kWh), shed:use, days (kWh)"));
    let twice = error(&["--watts-column", "use"]);
    assert!(
        twice.contains("several feeds have the name \"use\": give one of the ids 1, 4"),
        "{twice}"
    );
    assert!(error(&["--watts-column", "x"]).contains("there is no series \"x\""));
    assert!(error(&["--watthours-column", "days"]).contains("its values are sums of days"));
    assert!(error(&["--watthours-column", "shed:use"]).contains("add --unit Wh or --unit kWh"));
}

#[test]
fn the_list_of_feeds_may_be_json() {
    let place = Place::new();
    place.prepare();
    let folder = place.dir.path().join("feeds");
    fina(&folder, 12, 60, TEN, &[0.5]);
    let list = r#"[{"id":"12","userid":"1","name":"Wärme","tag":"","unit":"kW","engine":"5","datatype":"1"}]"#;
    fs::write(folder.join("feeds.json"), list).unwrap();
    import(
        &place,
        &["feeds", "--sensor", "house", "--watts-column", "Wärme"],
    );
    assert_eq!(stored(&place, "house"), [row(&at(0), 500.0, None)]);
    fs::write(folder.join("feeds.json"), "{}").unwrap();
    let wrong = error(
        &place,
        &["feeds", "--sensor", "house", "--watts-column", "12"],
    );
    assert!(
        wrong.contains("feeds.json: expected a JSON list"),
        "{wrong}"
    );
}

#[test]
fn damaged_and_missing_files_are_named() {
    let place = Place::new();
    place.prepare();
    let folder = place.dir.path().join("f");
    let error = |file: &str| error(&place, &[file, "--sensor", "house", "--watts-column", "1"]);
    fs::create_dir_all(&folder).unwrap();
    assert!(error("f").contains("is a folder without feeds of Emoncms"));
    fina(&folder, 1, 10, TEN, &[1.0]);
    fs::write(folder.join("1.meta"), b"short").unwrap();
    assert!(error("f").contains("1.meta: expected 16 bytes"));
    fina(&folder, 1, 0, TEN, &[1.0]);
    assert!(error("f/1.dat").contains("expected an interval and a first time, got 0 s"));
    fs::remove_file(folder.join("1.meta")).unwrap();
    assert!(error("f/1.dat").contains("1.meta"));
    // A hundred years too long: a time in the future is not believed.
    fina(&folder, 1, 1_000_000_000, TEN, &[1.0, 2.0, 3.0]);
    assert!(error("f").contains("2 of 3 rows are bad"));
    time_series(&folder, 1, &[(TEN, 1.0), (TEN + 1, 2.0)]);
    let mut bytes = fs::read(folder.join("feed_1.MYD")).unwrap();
    bytes[9] = 0;
    bytes.push(249);
    fs::write(folder.join("feed_1.MYD"), bytes).unwrap();
    let run = place.run(&[
        "import",
        "f/feed_1.MYD",
        "--sensor",
        "house",
        "--watts-column",
        "1",
        "--skip-bad",
    ]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err
            .contains("value 2 of f/feed_1.MYD: expected a record that begins with 249, got 0"),
        "{run:?}"
    );
    assert_eq!(stored(&place, "house"), [row(&at(0), 1.0, None)]);
}

/// What Emoncms' own engines wrote; `make.php` beside it says what was posted.
#[test]
fn what_its_engines_wrote_comes_back_value_by_value() {
    let made = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/emoncms");
    let place = Place::new();
    place.prepare();
    let fine = [
        "sensor",
        "add",
        "fine",
        "--account",
        "home",
        "--role",
        "sub-meter",
    ];
    place.ok(&fine);
    let house = [
        "--sensor",
        "house",
        "--watts-column",
        "use",
        "--watthours-column",
        "use_kwh",
    ];
    import(&place, &[&[made], &house[..]].concat());
    import(
        &place,
        &[made, "--sensor", "fine", "--watthours-column", "fine_kwh"],
    );
    let power = |n: i32| {
        // Twice in one interval: the second counts.
        let later = if n % 50 == 0 { 5 } else { 0 };
        let tenths = n * 7_919 % 30_001 - 5_000 + later;
        (!(100..150).contains(&n)).then(|| f64::from(tenths) / 10.0)
    };
    // Each minute a register was posted; what is between was filled in with lines.
    let register = |n: i32| (n <= 354).then(|| 9_410_938.0 + f64::from(n) * 7.0 / 6.0);
    let mut found = stored(&place, "house").into_iter();
    for (n, seconds) in (0..400).zip((0_u32..).step_by(10)) {
        let (watts, watthours) = (power(n), register(n));
        if watts.is_none() && watthours.is_none() {
            continue;
        }
        let (time, own_watts, own_watthours) = found.next().unwrap();
        assert_eq!((time, own_watts), (at(seconds), watts));
        match (own_watthours, watthours) {
            (Some(own), Some(posted)) if n % 6 == 0 => assert_eq!(own, posted, "{n}"),
            // Floats of 32 bits have a watt-hour there.
            (Some(own), Some(line)) => assert!((own - line).abs() < 1.0, "{n}: {own} {line}"),
            (own, expected) => assert_eq!(own, expected, "{n}"),
        }
    }
    assert_eq!(found.next(), None);
    let fine = (0..100).map(|n| row(&at(n * 37), None, f64::from(2_000_055 + 5 * n) * 10.0));
    assert_eq!(stored(&place, "fine"), fine.collect::<Vec<_>>());
}
