//! Tables of web pages and of XML for spreadsheets, which many suppliers name `.xls`.

use std::io::Read as _;

use anyhow::{Result, bail};

use super::source::ImportSource;

/// The maximum length of a text, in bytes.
const MOST: u64 = 64 * 1024 * 1024;
/// The maximum number of cells in a row.
const CELLS: usize = 10_000;

/// Whether a text begins like a web page, or like XML for spreadsheets.
pub(super) fn begins_with_markup(head: &[u8]) -> bool {
    if !head.trim_ascii_start().starts_with(b"<") {
        return false;
    }
    let head = String::from_utf8_lossy(head).to_lowercase();
    let signs = [
        "<table",
        "<html",
        "<!doctype html",
        "urn:schemas-microsoft-com:office:spreadsheet",
    ];
    signs.iter().any(|sign| head.contains(sign))
}

/// The rows of all tables in a text, as a source of CSV.
///
/// # Errors
/// If it cannot be read, is too long, or has no rows.
pub(super) fn read_markup(source: ImportSource) -> Result<ImportSource> {
    let (progress, limits, mut text) = (source.progress.clone(), source.limits, Vec::new());
    source.lines().take(MOST + 1).read_to_end(&mut text)?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MOST {
        bail!(
            "a table of a web page has at most {} MiB: save it as CSV",
            MOST >> 20
        );
    }
    let table = csv_of(&String::from_utf8_lossy(&text))?;
    if table.is_empty() {
        bail!("it is a web page or XML without a table: save the readings as CSV");
    }
    Ok(ImportSource::of_table(table, progress, limits))
}

fn csv_of(text: &str) -> Result<Vec<u8>> {
    // Between commas, decimals would certainly follow a point.
    let mut table = csv::WriterBuilder::new();
    let mut table = table.delimiter(b';').flexible(true).from_writer(Vec::new());
    let (mut row, mut cell) = (Vec::new(), None::<String>);
    let mut parts = text.split('<');
    parts.next();
    for part in parts {
        let (tag, content) = part.split_once('>').unwrap_or((part, ""));
        let (is_end, tag) = match tag.strip_prefix('/') {
            Some(tag) => (true, tag),
            None => (false, tag),
        };
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next();
        // `ss:Cell` has a prefix.
        let name = name
            .unwrap_or_default()
            .rsplit(':')
            .next()
            .unwrap_or_default();
        match name.to_lowercase().as_str() {
            "td" | "th" | "cell" => {
                row.extend(cell.take().as_deref().map(plain));
                cell = (!is_end && !tag.ends_with('/') && row.len() < CELLS).then(String::new);
                if tag.ends_with('/') && row.len() < CELLS {
                    row.push(String::new());
                }
            }
            "tr" | "row" | "table" => {
                row.extend(cell.take().as_deref().map(plain));
                if !row.is_empty() {
                    table.write_record(&row)?;
                    row.clear();
                }
            }
            _ => {}
        }
        if let Some(cell) = &mut cell {
            cell.push_str(content);
        }
    }
    row.extend(cell.as_deref().map(plain));
    if !row.is_empty() {
        table.write_record(&row)?;
    }
    Ok(table.into_inner()?)
}

/// A text without references to characters, on one line.
fn plain(text: &str) -> String {
    const NAMED: [(&str, &str); 6] = [
        ("&nbsp;", " "),
        ("&#160;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let mut text = text.to_owned();
    if text.contains('&') {
        for (reference, character) in NAMED {
            text = text.replace(reference, character);
        }
    }
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let space = if plain.is_empty() { "" } else { " " };
        plain.extend([space, word]);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_pages_and_sheets() {
        let page = "<html><style>td { color: red }</style><TABLE border=1>\n<tr><th>Date</th><th>kWh &amp; more\n</th></tr>\n\
            <tr class='a'><td><b>2026-01-05</b>&nbsp;10:00<td>1,5<tr><td/><td>2</table>after";
        assert!(begins_with_markup(page.as_bytes()));
        let text = String::from_utf8(csv_of(page).unwrap()).unwrap();
        assert_eq!(text, "Date;kWh & more\n2026-01-05 10:00;1,5\n;2\n");
        let sheet = "<?xml version=\"1.0\"?><Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\"><Worksheet><Table>\
            <ss:Row><ss:Cell><Data ss:Type=\"String\">Date</Data></ss:Cell><Cell><Data>kWh</Data></Cell></ss:Row><Row/></Table>";
        assert!(begins_with_markup(sheet.as_bytes()));
        assert_eq!(csv_of(sheet).unwrap(), b"Date;kWh\n");
        assert!(!begins_with_markup(b"<feed><entry/></feed>"));
    }
}
