//! Workbooks with several sheets: which one is read is a question, and the others are named.

use std::io::Cursor;

use zip::write::SimpleFileOptions;

use super::{error, import, row, stored};
use crate::place::Place;
use crate::workbook::workbook;

#[test]
fn several_sheets_with_times_are_a_question() {
    let place = Place::new();
    place.prepare();
    place.file("two.xlsx", &workbook(&[("Bezug", 5), ("Einspeisung", 7)]));
    let into = ["two.xlsx", "--sensor", "house"];
    let question = error(&place, &into);
    assert!(
        question.contains("choose one with --sheet NAME: they are \"Bezug\", \"Einspeisung\""),
        "{question}"
    );
    let wrong = error(&place, &[&into[..], &["--sheet", "Strom"]].concat());
    assert!(
        wrong.contains("no sheet \"Strom\"") && wrong.contains("\"Bezug\", \"Einspeisung\""),
        "{wrong}"
    );
    let named = [&into[..], &["--sheet", "einspeisung"]].concat();
    let dry = place.run(&[&["import"], &named[..], &["--dry-run"]].concat());
    assert!(
        dry.status == 0 && dry.err.contains("other sheets with times: Bezug"),
        "{dry:?}"
    );
    let run = place.run(&[&["import"], &named[..]].concat());
    assert!(
        run.status == 0 && run.err.contains("other sheets with times: Bezug"),
        "{run:?}"
    );
    assert_eq!(
        stored(&place, "house"),
        [row("2026-01-05T10:00:00Z", None, 7.0)]
    );
    place.ok(&["import", "two.xlsx", "--list", "--sheet", "Bezug"]);
    // A single sheet needs no name, and may have one.
    place.file("one.xlsx", &workbook(&[("Bezug", 5)]));
    import(&place, &["one.xlsx", "--sensor", "house"]);
    import(
        &place,
        &["one.xlsx", "--sensor", "house", "--sheet", "Bezug"],
    );
    assert_eq!(
        stored(&place, "house"),
        [row("2026-01-05T10:00:00Z", None, 5.0)]
    );
    place.file("table.csv", b"time,watthours\n2026-01-05T10:00:00Z,5\n");
    let none = error(
        &place,
        &["table.csv", "--sensor", "house", "--sheet", "Bezug"],
    );
    assert!(
        none.contains("no workbook") && none.contains("leave out --sheet"),
        "{none}"
    );
}

#[test]
fn other_sheets_get_the_remedy() {
    let place = Place::new();
    place.prepare();
    place.file("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more");
    assert!(
        error(&place, &["old.xls", "--sensor", "house"])
            .contains("save it as .xlsx without a password, or as CSV")
    );
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["mimetype", "content.xml"] {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
    }
    place.file("sheet.ods", &writer.finish().unwrap().into_inner());
    assert!(
        error(&place, &["sheet.ods", "--sensor", "house"])
            .contains("OpenDocument: save it as .xlsx, or as CSV")
    );
}
