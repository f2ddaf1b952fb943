//! Archives and sheets: a zip with one file in it, or an Excel workbook, which is a zip, too.
//! Neither is trusted: parts are counted, and unpacked only up to a limit.

use std::io::{Cursor, Read};

use anyhow::{Context as _, Result, bail};
use calamine::{DataRef, ExcelDateTime, Reader as _, Xlsx};
use zip::ZipArchive;

use super::csv_row::write_row;
use crate::ingest::table::begins_like_table;

/// The maximum size of an archive, and the maximum number of files in it.
const PACKED: u64 = 64 * 1024 * 1024;
const FILES: usize = 1_000;
/// The maximum number of rows and columns in a sheet, and of sheets.
const ROWS: u32 = 1_048_576;
const COLUMNS: u32 = 1_000;
const CELLS: u64 = 8_000_000;
const SHEETS: usize = 50;

/// The maximum unpacked size of an archive, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnpackedSize {
    /// Of the file in a zip, or of the sheet as CSV.
    content: u64,
    /// Of all parts of a workbook, which take a multiple of their size in memory.
    workbook: u64,
}

impl UnpackedSize {
    /// The limits of the command.
    pub(super) const COMMAND: Self = Self {
        content: 256 * 1024 * 1024,
        workbook: 96 * 1024 * 1024,
    };

    /// The limits for a file whose text may have `most` bytes. A workbook's parts are larger than
    /// its text.
    pub(super) const fn of_text(most: u64) -> Self {
        Self {
            content: most,
            workbook: most.saturating_mul(6),
        }
    }
}

/// Whether a file that begins with `magic` is a zip.
pub(super) fn is_zip(magic: &[u8]) -> bool {
    magic.starts_with(b"PK\x03\x04") || magic.starts_with(b"PK\x05\x06")
}

/// The only file in a zip, or the sheet of a workbook as CSV.
///
/// # Errors
/// If it has several files, is too large, or damaged.
pub(super) fn unzip(packed: impl Read, most: UnpackedSize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    packed.take(PACKED + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > PACKED {
        bail!(
            "it is a zip of more than {} MiB: unpack it, and name the file",
            PACKED >> 20
        );
    }
    let mut archive = ZipArchive::new(Cursor::new(&bytes)).context("it is a damaged zip")?;
    if archive.len() > FILES {
        bail!("it has more than {FILES} files: unpack it, and name one");
    }
    let names = names_of(&archive);
    if names.iter().any(|name| name.starts_with("xl/")) {
        check_size(&mut archive, most.workbook)?;
        return sheet(&bytes, most.content);
    }
    let is_content = |name: &&String| {
        let last = name.rsplit('/').next().unwrap_or_default();
        let is_other = [".pdf", ".png", ".jpg", ".html"]
            .iter()
            .any(|end| last.to_lowercase().ends_with(end));
        !last.is_empty() && !last.starts_with('.') && !name.starts_with("__MACOSX") && !is_other
    };
    let files: Vec<_> = names.iter().filter(is_content).collect();
    let [name] = files.as_slice() else {
        let some: Vec<_> = files.iter().take(10).map(|name| name.as_str()).collect();
        bail!(
            "it is a zip with {} files: unpack it, and name one: {}",
            files.len(),
            some.join(", ")
        );
    };
    let mut content = Vec::new();
    let file = archive
        .by_name(name)
        .context("it is a damaged zip, or has a password")?;
    file.take(most.content + 1)
        .read_to_end(&mut content)
        .context("it is a damaged zip")?;
    if u64::try_from(content.len()).unwrap_or(u64::MAX) > most.content {
        bail!(
            "{name} has more than {} MiB: unpack it, and name the file",
            most.content >> 20
        );
    }
    if content.starts_with(b"PK\x03\x04") {
        return sheet_of_zip(&content, most);
    }
    Ok(content)
}

/// The names of all files whose names can be read.
fn names_of(archive: &ZipArchive<Cursor<&Vec<u8>>>) -> Vec<String> {
    let names = archive.file_names().filter_map(std::result::Result::ok);
    names.map(std::borrow::Cow::into_owned).collect()
}

/// The CSV of a workbook inside a zip.
fn sheet_of_zip(content: &Vec<u8>, most: UnpackedSize) -> Result<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(content)).context("it is a damaged zip")?;
    if archive.len() > FILES
        || !names_of(&archive)
            .iter()
            .any(|name| name.starts_with("xl/"))
    {
        bail!("it is a zip in a zip: unpack it, and name the file");
    }
    check_size(&mut archive, most.workbook)?;
    sheet(content, most.content)
}

/// Unpacks all parts once to count their bytes, because the sizes that an archive states may be
/// wrong.
fn check_size(archive: &mut ZipArchive<Cursor<&Vec<u8>>>, most: u64) -> Result<()> {
    let mut left = most;
    for index in 0..archive.len() {
        let part = archive
            .by_index(index)
            .context("it is a damaged workbook, or has a password")?;
        let mut part = part.take(left + 1);
        let count =
            std::io::copy(&mut part, &mut std::io::sink()).context("it is a damaged workbook")?;
        let Some(rest) = left.checked_sub(count) else {
            bail!(
                "the workbook has more than {} MiB: save it as CSV",
                most >> 20
            );
        };
        left = rest;
    }
    Ok(())
}

/// The first sheet that contains times, otherwise the first sheet, as CSV.
fn sheet(bytes: &[u8], most: u64) -> Result<Vec<u8>> {
    let damaged = "it is a damaged workbook, or one with a password: save it as CSV";
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).context(damaged)?;
    let names = book.sheet_names();
    let (mut first, mut count) = (None, 0);
    for name in names.iter().take(SHEETS) {
        let text = csv_of(&mut book, name, most, &mut count).context(damaged)?;
        if begins_like_table(&text) {
            return Ok(text);
        }
        first = first.or(Some(text).filter(|text| !text.is_empty()));
    }
    first.context("the workbook has no sheet with cells")
}

/// Formats a sheet as CSV. Only its cells count: a sheet may claim to have a billion. `count` is
/// the number of cells so far in all sheets, which may all be the same part of the archive.
fn csv_of(
    book: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    most: u64,
    count: &mut u64,
) -> Result<Vec<u8>> {
    let mut cells = book.worksheet_cells_reader(name)?;
    let (mut text, mut row, mut at) = (Vec::new(), Vec::<String>::new(), 0);
    // Counts bytes: all cells of a row may be the same long text, which the workbook stores once.
    let mut row_bytes = 0;
    while let Some(cell) = cells.next_cell()? {
        let (line, column) = cell.get_position();
        *count += 1;
        if line >= ROWS || column >= COLUMNS || *count > CELLS {
            bail!("the sheet is too large");
        }
        if line != at {
            write_row(&mut text, &row);
            row.clear();
            row_bytes = 0;
            at = line;
        }
        let column = usize::try_from(column).unwrap_or_default();
        if row.len() <= column {
            row.resize(column + 1, String::new());
        }
        let cell = cell_text(cell.get_value());
        row_bytes += cell.len();
        if (text.len() + row_bytes) as u64 > most {
            bail!("the sheet is too large");
        }
        if let Some(to) = row.get_mut(column) {
            *to = cell;
        }
    }
    write_row(&mut text, &row);
    Ok(text)
}

fn cell_text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::DateTime(time) => time_text(*time),
        DataRef::Bool(value) => value.to_string(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// Formats a date, a time of day, or both.
fn time_text(time: ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, ms) = time.to_ymd_hms_milli();
    // Fractions of days are rounded to the second: a quarter of an hour is not exact.
    let second = if ms >= 500 { second + 1 } else { second };
    let clock = if second == 60 {
        format!(
            "{:02}:{:02}:00",
            if minute == 59 { hour + 1 } else { hour },
            (minute + 1) % 60
        )
    } else {
        format!("{hour:02}:{minute:02}:{second:02}")
    };
    let date = format!("{year:04}-{month:02}-{day:02}");
    let number = time.as_f64();
    if number < 1.0 {
        clock
    } else if number.fract() == 0.0 {
        date
    } else {
        format!("{date} {clock}")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn error(bytes: &[u8]) -> String {
        format!("{:#}", unzip(bytes, UnpackedSize::COMMAND).unwrap_err())
    }

    /// A workbook with one sheet of these rows, and a shared text.
    fn workbook(rows: &str) -> Vec<u8> {
        workbook_of(rows, "Verbrauch, kWh")
    }

    fn workbook_of(rows: &str, shared: &str) -> Vec<u8> {
        zipped(&[
            ("[Content_Types].xml", b"<Types/>"),
            (
                "_rels/.rels",
                b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
            ),
            ("xl/workbook.xml", b"<workbook xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"a\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"),
            ("xl/_rels/workbook.xml.rels", b"<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"),
            ("xl/styles.xml", b"<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/><xf numFmtId=\"14\"/><xf numFmtId=\"20\"/></cellXfs></styleSheet>"),
            ("xl/sharedStrings.xml", format!("<sst><si><t>{shared}</t></si></sst>").as_bytes()),
            ("xl/worksheets/sheet1.xml", format!("<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>{rows}</sheetData></worksheet>").as_bytes()),
        ])
    }

    #[test]
    fn the_only_file_is_read() {
        let text = b"time,watts\n2026-01-05T10:00:00Z,5\n";
        let files = zipped(&[
            ("a/", b""),
            ("a/x.csv", text),
            ("__MACOSX/._x", b"?"),
            ("readme.pdf", b"%"),
        ]);
        assert_eq!(
            unzip(files.as_slice(), UnpackedSize::COMMAND).unwrap(),
            text
        );
        assert!(
            error(&zipped(&[("a.csv", b"1"), ("b.csv", b"2")]))
                .contains("2 files: unpack it, and name one: a.csv, b.csv")
        );
        assert!(error(b"PK\x03\x04nothing").contains("damaged zip"));
    }

    #[test]
    fn a_bomb_is_refused() {
        let zeros = vec![b'0'; usize::try_from(UnpackedSize::COMMAND.content).unwrap() + 1];
        let bomb = zipped(&[("x.csv", &zeros)]);
        assert!(bomb.len() < 1_000_000 && error(&bomb).contains("has more than 256 MiB"));
        let many: Vec<_> = (0..=FILES).map(|n| n.to_string()).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert!(error(&zipped(&many)).contains("more than 1000 files"));
        let zeros = zeros
            .get(..usize::try_from(UnpackedSize::COMMAND.workbook).unwrap() + 1)
            .unwrap();
        assert!(
            error(&zipped(&[("xl/workbook.xml", zeros)])).contains("the workbook has more than")
        );
        let far = workbook("<row r=\"1048577\"><c r=\"A1048577\"><v>1</v></c></row>");
        assert!(unzip(far.as_slice(), UnpackedSize::COMMAND).is_err());
    }

    #[test]
    fn a_long_text_in_many_cells_is_counted_in_each() {
        let cell = "<c t=\"s\"><v>0</v></c>";
        let row = format!("<row r=\"1\">{}</row>", cell.repeat(900));
        let most = UnpackedSize::of_text(1024 * 1024);
        let read = |shared: usize| unzip(workbook_of(&row, &"x".repeat(shared)).as_slice(), most);
        assert_eq!(read(1000).unwrap().len(), 900 * 1001);
        let error = read(100_000).unwrap_err();
        assert!(error.to_string().contains("workbook"), "{error:#}");
        assert!(format!("{error:#}").contains("too large"), "{error:#}");
    }

    #[test]
    fn a_sheet_becomes_a_table() {
        let rows = "<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>Zeit</t></is></c><c r=\"B1\" t=\"s\"><v>0</v></c></row>\
            <row r=\"2\"><c r=\"A2\" s=\"1\"><v>46027.427083333336</v></c><c r=\"B2\"><v>1.5</v></c></row>\
            <row r=\"1048576\"><c r=\"A1048576\" s=\"2\"><v>46027</v></c><c r=\"C1048576\" s=\"3\"><v>0.5</v></c></row>";
        let text =
            String::from_utf8(unzip(workbook(rows).as_slice(), UnpackedSize::COMMAND).unwrap())
                .unwrap();
        assert_eq!(
            text,
            "Zeit,\"Verbrauch, kWh\"\n2026-01-05 10:15:00,1.5\n2026-01-05,,12:00:00\n"
        );
        let inside = zipped(&[("usage.xlsx", &workbook(rows))]);
        assert_eq!(
            unzip(inside.as_slice(), UnpackedSize::COMMAND).unwrap(),
            text.as_bytes()
        );
    }
}
