//! Hostile files of the largest size take bounded memory on the page, in each format.

use super::*;
use crate::domain::{MeterKind, Role};
use crate::ingest::file::ImportTarget;

/// The memory of an import besides the form, in bytes.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Looks at a file as the page does, and checks it if that is possible. Returns the result in words.
fn import(table: String) -> String {
    let dir = tempfile::tempdir().unwrap();
    let now = Timestamp::MAX;
    let (text, preview) = match look(table, "", now, (&Arc::default(), Role::GridImport)) {
        Looked::Table(text, preview, _) => (text, preview),
        Looked::Wrong(why) | Looked::WhichSheet(_, why) => return why,
        Looked::TooLong => return "too long".to_owned(),
        Looked::Empty => return "empty".to_owned(),
    };
    let terms = TableTerms {
        wishes: preview.guess,
        zone: Some(Zone::UTC),
        ..TableTerms::default()
    };
    let destination = Destination {
        sensor: ImportTarget {
            sensor: "house".to_owned(),
            register: MeterKind::Interval,
            role: Role::Grid,
            plausible: 25_000,
        },
        spool_dir: dir.path(),
        now,
        formats: Arc::default(),
    };
    match check(text.as_bytes(), &terms, destination, MOST_BYTES) {
        Ok(taken) => format!("{} rows", taken.tally.read),
        Err(why) => why,
    }
}

/// Imports files, each with its name and a part of the expected result, and checks their memory.
fn check_memory<'a>(files: impl IntoIterator<Item = (&'a str, Vec<u8>, &'a str)>) {
    let mut faults = Vec::new();
    for (name, file, expected) in files {
        // As the page sends a file that is no text.
        let table = format!("data:;base64,{}", BASE64_STANDARD.encode(file));
        let mut found = String::new();
        let counted = allocation_counter::measure(|| found = import(table));
        let is_expected = found.contains(expected) && found.len() < 20_000;
        let shown: String = found.chars().take(200).collect();
        if counted.bytes_max > LIMIT || !is_expected {
            faults.push(format!("{name}: {} bytes, {shown}", counted.bytes_max));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// A text that begins with `start`, then repeats `part` up to the largest size.
fn filled(start: &str, part: &str, end: &str) -> Vec<u8> {
    let count = (MOST_BYTES - start.len() - end.len() - 8) / part.len();
    [start, &part.repeat(count), end].concat().into_bytes()
}

#[test]
fn tables_take_bounded_memory() {
    let table = "time,watts\n2026-01-05T10:00:00Z,1\n";
    let names = format!("time,watts{}\n1767607200,1\n", ",".repeat(250_000));
    let times = "id,2026-01-05T10:00:00Z,2026-01-05T11:00:00Z\nx,1,2\n";
    let time = |n: u32| format!(",{}", 1_767_607_200 + n);
    let many: String = (0..500).map(time).collect();
    let many = format!("id{many}\nx{}\n", ",1".repeat(500));
    let keys = "entity_id,state,last_changed\n";
    check_memory([
        ("short rows", filled(table, "1\n", ""), "rows"),
        ("rows", filled(table, "1767607200,1\n", ""), "rows"),
        ("a row of separators", filled(table, ",", ""), "longer than"),
        ("names", names.into_bytes(), ""),
        (
            "times as columns",
            filled(times, "1\n", ""),
            "at most 1000000 cells",
        ),
        (
            "many times",
            filled(&many, "1\n", ""),
            "at most 1000000 cells",
        ),
        (
            "entities",
            filled(keys, "a,1,2026-01-05T10:00:00Z\n", ""),
            "",
        ),
    ]);
}

#[test]
fn json_takes_bounded_memory() {
    let rows = "{\"t\":1767607200,\"v\":1},";
    let around = |n: u8| format!("\"a{n}\":\"{}\",", "x".repeat(100));
    let around: String = (0..16).map(around).collect();
    let around = format!("{{{around}\"rows\":[");
    let nested = ["[".repeat(100), "]".repeat(100), ",".to_owned()].concat();
    let long = format!("{{\"{}\":[", "n".repeat(2_000_000));
    let line = "{\"time\":1767607200,\"watts\":1,\"x\":[[[[[[1]]]]]]}\n";
    let metric = "{\"metric\":{\"__name__\":\"a_watts\"},\"values\":[";
    let too_large = "too large for the page";
    check_memory([
        ("members around", filled(&around, rows, "{}]}"), too_large),
        (
            "nested arrays",
            filled("[", &nested, "1]"),
            "no object in it",
        ),
        (
            "a long name",
            filled("{\"", "x", "\":1}"),
            "no object in it",
        ),
        (
            "the long name of an array",
            filled(&long, rows, "{}]}"),
            "which column",
        ),
        ("pairs", filled("[", "[1767607200,1],", "[]]"), ""),
        ("lines", filled(line, line, ""), ""),
        (
            "a metric",
            filled(metric, "1,", "1],\"timestamps\":[1]}"),
            "choose the series",
        ),
    ]);
}

#[test]
fn markup_takes_bounded_memory() {
    let cell = "<table><tr><td>";
    let head = "<table><tr><td>time<td>watts<tr><td>1767607200<td>1";
    let entry = "<feed><entry><content>";
    let block = format!("{entry}<IntervalBlock>");
    let end = "</content></entry></feed>";
    let blocks = "has more than 100000 blocks";
    check_memory([
        ("words", filled(cell, "a ", ""), ""),
        ("cells", filled("<table><tr>", "<td/>", ""), ""),
        ("rows of a page", filled(head, "<tr><td>1", ""), "rows"),
        ("quotes", filled(cell, "\"", ""), ""),
        (
            "readings",
            filled(
                &block,
                "<IntervalReading/>",
                &format!("</IntervalBlock>{end}"),
            ),
            "",
        ),
        ("blocks", filled(entry, "<IntervalBlock/>", end), blocks),
        ("elements", filled("<feed>", "<a>", ""), "nested too deep"),
    ]);
}

#[test]
fn series_take_bounded_memory() {
    let nem12 = "100,NEM12,202601060000,A,B\n200,6001,E1B1,,E1,,1,kWh,1,\n";
    let day = format!("300,20260105{}\n", ",1".repeat(1_440));
    // Each field has the names of all tags of its line.
    let fields: Vec<_> = (0..1_000).map(|n| format!("{n}=1")).collect();
    let line = |name: usize, length: usize| {
        let tag = "x".repeat(length);
        format!("m{name},t={tag} {} 1767607200000000000\n", fields.join(","))
    };
    let many: String = (0..400).map(|name| line(name, 900)).collect();
    check_memory([
        ("days of minutes", filled(nem12, "300,20260105\n", ""), ""),
        ("values of days", filled(nem12, &day, ""), ""),
        ("long tags", line(0, 200_000).repeat(15).into_bytes(), ""),
        ("many series", many.into_bytes(), ""),
    ]);
}

#[test]
fn packed_files_take_bounded_memory() {
    let long = filled("time,watts\n", "1\n", "").repeat(8);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &long).unwrap();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in 0..30_000 {
        let stored = zip::write::SimpleFileOptions::default();
        zip.start_file(name.to_string(), stored).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    let mut book = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let sheet = "<workbook><sheets><sheet name=\"a\" id=\"a\"/></sheets></workbook>";
    let relation = "<a><a Id=\"a\" Type=\"/worksheet\" Target=\"a.xml\"/></a>";
    let cells = "<a><sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData></a>";
    for (name, content) in [
        ("xl/workbook.xml", sheet),
        ("xl/_rels/workbook.xml.rels", relation),
        ("xl/sharedStrings.xml", "<sst uniqueCount=\"4294967295\"/>"),
        ("xl/a.xml", cells),
    ] {
        let stored = zip::write::SimpleFileOptions::default();
        book.start_file(name, stored).unwrap();
        std::io::Write::write_all(&mut book, content.as_bytes()).unwrap();
    }
    let book = book.finish().unwrap().into_inner();
    let too_large = "too large for the page";
    check_memory([
        ("a workbook", book, "expected the number of a shared text"),
        ("a bomb", packed.finish().unwrap(), too_large),
        ("a zip of many files", zip, "more than 1000 files"),
    ]);
}
