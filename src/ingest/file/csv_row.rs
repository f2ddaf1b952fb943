//! Rows of CSV: other formats become tables, so one reader reads all of them.

/// Appends a row of CSV.
pub(super) fn write_row(table: &mut Vec<u8>, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            table.push(b',');
        }
        if cell.contains([',', '"', '\n', '\r', ';', '\t']) {
            let quoted = format!("\"{}\"", cell.replace('"', "\"\""));
            table.extend_from_slice(quoted.as_bytes());
        } else {
            table.extend_from_slice(cell.as_bytes());
        }
    }
    table.push(b'\n');
}
