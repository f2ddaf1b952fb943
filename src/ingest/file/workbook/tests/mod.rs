//! Workbooks that tests write, and their text.
//!
//! - `round_trip`: random tables; `hostile`: what takes much memory elsewhere

mod hostile;
mod round_trip;

use std::fmt::Write as _;
use std::io::Write as _;

use zip::write::SimpleFileOptions;

use super::*;
use crate::ingest::file::archive::unzip;
use crate::ingest::file::size_limits::SizeLimits;

const MIB: u64 = 1024 * 1024;
/// The limits of the page of imports.
const PAGE: SizeLimits = SizeLimits::of_text(4 * MIB);

/// A workbook to be written.
struct Written {
    /// Names of sheets and their rows.
    sheets: Vec<(String, String)>,
    shared: String,
    /// The content of the styles.
    styles: String,
    is_1904: bool,
    others: Vec<(String, String)>,
}

/// Styles for a plain number, a date with a time, a date, a time of day, and a format of its own.
const STYLES: &str = "<numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"dd/mm/yyyy\\ hh:mm;@\"/></numFmts><cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>\
    <cellXfs count=\"99999999\"><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/><xf numFmtId=\"14\"/><xf numFmtId=\"20\"/><xf numFmtId=\"164\"/></cellXfs>";
const SHEET_DATA: &str = "<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>";

impl Default for Written {
    fn default() -> Self {
        Self {
            sheets: Vec::new(),
            shared: "<sst/>".to_owned(),
            styles: STYLES.to_owned(),
            is_1904: false,
            others: Vec::new(),
        }
    }
}

impl Written {
    fn of(rows: &str) -> Self {
        Self {
            sheets: vec![("Data".to_owned(), rows.to_owned())],
            ..Self::default()
        }
    }

    fn zipped(&self) -> Vec<u8> {
        let (mut sheets, mut relations, mut files) = (String::new(), String::new(), Vec::new());
        for (index, (name, rows)) in self.sheets.iter().enumerate() {
            write!(
                sheets,
                "<x:sheet name=\"{name}\" sheetId=\"{index}\" r:id=\"r{index}\"/>"
            )
            .unwrap();
            write!(relations, "<Relationship Id=\"r{index}\" Type=\"http://x/relationships/worksheet\" Target=\"worksheets/sheet{index}.xml\"/>").unwrap();
            files.push((
                format!("xl/worksheets/sheet{index}.xml"),
                format!("{SHEET_DATA}{rows}</sheetData><autoFilter/></worksheet>"),
            ));
        }
        let is_1904 = u8::from(self.is_1904);
        files.extend([
            ("[Content_Types].xml".to_owned(), "<Types/>".to_owned()),
            ("_rels/.rels".to_owned(), "<Relationships><Relationship Id=\"a\" Type=\"http://x/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>".to_owned()),
            ("xl/workbook.xml".to_owned(), format!("<x:workbook xmlns:x=\"x\"><x:workbookPr date1904=\"{is_1904}\"/><x:sheets>{sheets}</x:sheets></x:workbook>")),
            ("xl/_rels/workbook.xml.rels".to_owned(), format!("<Relationships>{relations}</Relationships>")),
            ("xl/styles.xml".to_owned(), format!("<styleSheet>{}</styleSheet>", self.styles)),
            ("xl/sharedStrings.xml".to_owned(), self.shared.clone()),
        ]);
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files
            .iter()
            .filter(|it| !self.others.iter().any(|other| other.0 == it.0))
            .chain(&self.others)
        {
            writer
                .start_file(name.as_str(), SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read(&self, most: SizeLimits) -> Result<String> {
        unzip(self.zipped().as_slice(), most, None).map(|it| String::from_utf8(it.content).unwrap())
    }

    fn text(&self) -> String {
        self.read(SizeLimits::COMMAND).unwrap()
    }

    fn error(&self) -> String {
        format!("{:#}", self.read(PAGE).unwrap_err())
    }
}

/// Cells, and their texts.
const CELL_TEXTS: &[(&str, &str)] = &[
    (
        "<c r=\"A1\" t=\"inlineStr\"><v>not this</v><is><t xml:space=\"preserve\"> a </t></is></c>",
        " a ",
    ),
    (
        "<c r=\"A1\" t=\"inlineStr\"><is><r><t>bold</t></r><rPh><t>spoken</t></rPh><r><t> and &amp; &#x41;</t></r></is></c>",
        "boldand & A",
    ),
    ("<c r=\"A1\" t=\"s\"><v>1</v></c>", "rich text"),
    (
        "<c r=\"A1\" t=\"str\"><f>A2&amp;\"x\"</f><v>a_x0041_b_x005F_x0041_ &lt;</v></c>",
        "aAb_x0041_ <",
    ),
    (
        "<c r=\"A1\"><f t=\"shared\" ref=\"A1:A9\" si=\"0\">B1*2</f><v>0.30000000000000004</v></c>",
        "0.30000000000000004",
    ),
    ("<c r=\"A1\"><v>1E-3</v></c>", "0.001"),
    (
        "<c r=\"A1\" t=\"n\"><v>1e21</v></c>",
        "1000000000000000000000",
    ),
    ("<c r=\"A1\"><v>n/a</v></c>", "n/a"),
    ("<c r=\"A1\" t=\"b\"><v>1</v></c>", "true"),
    ("<c r=\"A1\" t=\"b\"><v>0</v></c>", "false"),
    ("<c r=\"A1\" t=\"e\"><v>#DIV/0!</v></c>", ""),
    (
        "<c r=\"A1\" t=\"d\" s=\"1\"><v>2026-01-05T10:15:00</v></c>",
        "2026-01-05T10:15:00",
    ),
    ("<c r=\"A1\" s=\"1\"/>", ""),
    ("<c r=\"A1\" s=\"9\"><v>46027</v></c>", "46027"),
    ("<c r=\"A1\" s=\"0\"><v>46027.5</v></c>", "46027.5"),
    (
        "<c r=\"A1\" s=\"1\"><v>46027.427083333336</v></c>",
        "2026-01-05 10:15:00",
    ),
    (
        "<c r=\"A1\" s=\"4\"><v>46027.999999999</v></c>",
        "2026-01-06 00:00:00",
    ),
    ("<c r=\"A1\" s=\"2\"><v>46027</v></c>", "2026-01-05"),
    ("<c r=\"A1\" s=\"3\"><v>0.5</v></c>", "12:00:00"),
    ("<c r=\"A1\" s=\"2\"><v>1</v></c>", "1900-01-01"),
    ("<c r=\"A1\" s=\"2\"><v>59</v></c>", "1900-02-28"),
    ("<c r=\"A1\" s=\"2\"><v>61</v></c>", "1900-03-01"),
    ("<c r=\"A1\" s=\"2\"><v>-1</v></c>", "-1"),
    (
        "<c r=\"A1\"><extLst><ext/></extLst><!-- x --><v><![CDATA[5]]></v></c>",
        "5",
    ),
];

#[test]
fn cells_become_text() {
    for (cell, expected) in CELL_TEXTS {
        let mut book = Written::of(&format!("<row r=\"1\">{cell}<c><v>2</v></c></row>"));
        book.shared = "<sst count=\"1\" uniqueCount=\"18446744073709551615\"><si/><si><r><rPr><b/></rPr><t>rich </t></r><r><t xml:space=\"preserve\"> text</t></r></si></sst>".to_owned();
        assert_eq!(book.text(), format!("{expected},2\n"), "{cell}");
    }
    let mut book = Written::of("<row><c s=\"1\"><v>44565.427083333336</v></c></row>");
    book.is_1904 = true;
    assert_eq!(book.text(), "2026-01-05 10:15:00\n");
}

#[test]
fn formats_of_times_are_known() {
    for (format, is_time) in [
        ("dd.mm.yyyy\\ hh:mm", true),
        ("[$-407]d. mmm yy", true),
        ("[h]:mm", true),
        ("[SS]", true),
        ("h:mm AM/PM", true),
        ("[Red]0.00", false),
        ("General", false),
        ("#,##0.00\\ \"kWh per day\"", false),
        ("0.0\\h", false),
        ("#,##0_d;[Red]hh", false),
        ("*y0", false),
    ] {
        assert_eq!(is_time_format(format), is_time, "{format}");
    }
}

#[test]
fn the_only_sheet_with_times_is_taken_also_if_it_is_hidden() {
    let notes = "<row><c t=\"inlineStr\"><is><t>notes</t></is></c></row>";
    let data = "<row r=\"3\"><c r=\"B3\" s=\"1\"><v>46027.5</v></c><c><v>1</v></c></row>";
    let mut book = Written::of(notes);
    book.sheets
        .push(("Hidden\" state=\"hidden".to_owned(), data.to_owned()));
    assert_eq!(book.text(), "\n,2026-01-05 12:00:00,1\n");
    book.sheets
        .push(("Later".to_owned(), data.replace("<v>1<", "<v>2<")));
    let question = book.error();
    assert!(
        question.contains("choose one with --sheet NAME: they are \"Hidden\", \"Later\""),
        "{question}"
    );
    let named = |name: &str| unzip(book.zipped().as_slice(), SizeLimits::COMMAND, Some(name));
    let later = named("later").unwrap();
    assert_eq!(later.content, b"\n,2026-01-05 12:00:00,2\n");
    assert_eq!(later.other_sheets, ["Hidden"]);
    let none = named("x").unwrap_err().to_string();
    assert!(
        none.contains("no sheet \"x\"") && none.contains("its sheets are \"Data\", \"Hidden\""),
        "{none}"
    );
    book.sheets.truncate(1);
    assert_eq!(book.text(), "notes\n");
    book.sheets[0].1.clear();
    assert!(book.error().contains("no sheet with cells"));
}

#[test]
fn a_damaged_workbook_is_refused_with_its_place() {
    let row = "<row><c><v>5</v></c></row>";
    for (rows, expected) in [
        ("<row><c r=\"A0\"/></row>", "expected a cell, got \"A0\""),
        ("<row><c r=\"99\"/></row>", "expected a cell"),
        ("<row r=\"x\"></row>", "the number of a row"),
        (
            "<row><c t=\"s\"><v>0</v></c></row>",
            "row 1, column 1: expected the number of a shared text, got \"0\"",
        ),
        (
            "<row><c t=\"n\"><v>five</v></c></row>",
            "expected a number, got \"five\"",
        ),
        (
            "<row><c t=\"zz\"><v>5</v></c></row>",
            "expected a kind of cell",
        ),
        (
            "<row><c><v>&nothing;</v></c></row>",
            "&nothing; has no meaning",
        ),
        ("<row><c r=\"ALM1\"/></row>", "rows or 1000 columns"),
        ("<row><c r=\"XFD1048576\"/></row>", "rows or 1000 columns"),
        ("<row r=\"1048577\"><c/></row>", "more than 1048576 rows"),
        (
            "<row r=\"4294967295\"/><row/><row><c/></row>",
            "more than 1048576 rows",
        ),
        ("<row><c r=\"AAAAAAAAAAAAAAAA1\"/></row>", "expected a cell"),
        ("<row></c></row>", "expected XML"),
    ] {
        let error = Written::of(rows).error();
        assert!(
            error.contains("sheet \"Data\"") && error.contains(expected),
            "{rows}: {error}"
        );
    }
    let mut book = Written::of(row);
    book.others = vec![(
        "xl/worksheets/sheet0.xml".to_owned(),
        format!("{SHEET_DATA}{row}"),
    )];
    assert!(book.error().contains("it ends too early"));
    book.others = vec![("xl/workbook.xml".to_owned(), "<a/>".to_owned())];
    assert!(book.error().contains("no sheet with cells"));
    // One bit of the content, which is stored as it is, and does not break the XML.
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = ZipArchive::new(Cursor::new(Written::of(row).zipped())).unwrap();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).unwrap();
        writer
            .start_file(part.name().unwrap().into_owned(), stored)
            .unwrap();
        std::io::copy(&mut part, &mut writer).unwrap();
    }
    let mut bytes = writer.finish().unwrap().into_inner();
    let at = bytes.windows(3).position(|it| it == b"<v>").unwrap() + 3;
    assert_eq!(unzip(bytes.as_slice(), PAGE, None).unwrap().content, b"5\n");
    bytes[at] ^= 1;
    assert!(format!("{:#}", unzip(bytes.as_slice(), PAGE, None).unwrap_err()).contains("hecksum"));
}
