//! Hostile workbooks take bounded memory.

use super::{MIB, Written};
use crate::ingest::file::archive::unzip;
use crate::ingest::file::size_limits::SizeLimits;

const ROW: &str = "<row><c><v>5</v></c></row>";
const TOO_MANY: &str = "the workbook has more than 6 MiB";

/// Reads a workbook with a quarter of the limits of the page. The result must contain `expected`, and
/// the bytes in memory must be fewer than `most` MiB.
fn check(name: &str, book: &Written, expected: &str, most: u64) {
    let bytes = book.zipped();
    let mut found = String::new();
    let counted = allocation_counter::measure(|| {
        found = match unzip(bytes.as_slice(), SizeLimits::of_text(MIB), None) {
            Ok(text) => format!("{} bytes", text.content.len()),
            Err(why) => format!("{why:#}"),
        };
    });
    assert!(found.contains(expected), "{name}: {found}");
    assert!(counted.bytes_max < most * MIB, "{name}: {counted:?}");
}

fn with_shared(shared: &str) -> Written {
    Written {
        shared: format!("<sst>{shared}</sst>"),
        ..Written::of(ROW)
    }
}

fn with_styles(styles: &str) -> Written {
    Written {
        styles: styles.to_owned(),
        ..Written::of(ROW)
    }
}

fn with_part(name: &str, content: String) -> Written {
    Written {
        others: vec![(name.to_owned(), content)],
        ..Written::of(&ROW.repeat(195_000))
    }
}

fn long_text() -> String {
    format!("<si><t>{}</t></si>", "x".repeat(500_000))
}

#[test]
fn shared_texts_are_counted_not_believed() {
    for count in ["4294967295", "18446744073709551615"] {
        let shared = format!("<sst uniqueCount=\"{count}\"/>");
        let book = Written {
            shared,
            ..Written::of(ROW)
        };
        check("count", &book, "2 bytes", 1);
    }
    let empty = "<si/>".repeat(1_000_000);
    check("empty texts", &with_shared(&empty), "2 bytes", 13);
    let long = long_text().repeat(11);
    check("long texts", &with_shared(&long), "2 bytes", 15);
    let short = "<si><t>x</t></si>".repeat(400_000);
    check("short texts", &with_shared(&short), TOO_MANY, 6);
    let one = long.replace("</t></si><si><t>", "");
    let too_long = "an element has more than 1 MiB";
    check("one text", &with_shared(&one), too_long, 4);
    let runs = "<r><t>xxxxxxxxxxxxxxxxx</t></r>".repeat(70_000);
    let runs = with_shared(&format!("<si>{runs}</si>"));
    check("runs", &runs, "a text has more than 1 MiB", 5);
    let nested = "<a>".repeat(1_700_000);
    check("nested", &with_shared(&nested), "more than 64 deep", 1);
    let attributes = format!("<si {}/>", "a=\"\" ".repeat(150_000));
    check("attributes", &with_shared(&attributes), "2 bytes", 4);
}

#[test]
fn styles_and_sheets_are_bounded() {
    let styles = format!("<cellXfs>{}</cellXfs>", "<xf/>".repeat(1_100_000));
    check("styles", &with_styles(&styles), "2 bytes", 4);
    let format = |id: u32| format!("<numFmt numFmtId=\"{id}\" formatCode=\"h\"/>");
    let formats: String = (0..130_000).map(format).collect();
    let formats = format!("<numFmts>{formats}</numFmts>");
    check("formats", &with_styles(&formats), "2 bytes", 6);
    // All of them are the same part, of 5 MiB.
    let sheet = |name: u32| format!("<sheet name=\"{name}\" r:id=\"r0\"/>");
    let sheets: String = (0..60).map(sheet).collect();
    let sheets = format!("<workbook><sheets>{sheets}</sheets></workbook>");
    let sheets = with_part("xl/workbook.xml", sheets);
    check("sheets", &sheets, TOO_MANY, 4);
    let relation = "<Relationship Id=\"a\" Type=\"/worksheet\" Target=\"b\"/>";
    let relations = format!("<a>{}</a>", relation.repeat(100_000));
    let relations = with_part("xl/_rels/workbook.xml.rels", relations);
    check("relations", &relations, "more than 1000 sheets", 2);
}

#[test]
fn cells_are_bounded() {
    let far = |n: u32| format!("<row r=\"{n}0\"><c r=\"ALL{n}0\"><v>1</v></c></row>");
    let far: String = (1..9_000).map(far).collect();
    check("rows far apart", &Written::of(&far), "it is too large", 5);
    // The workbook has the text once.
    let mut same = with_shared(&long_text());
    let cells = "<c t=\"s\"><v>0</v></c>".repeat(900);
    same.sheets[0].1 = format!("<row>{cells}</row>");
    check("the same text", &same, "it is too large", 5);
}
