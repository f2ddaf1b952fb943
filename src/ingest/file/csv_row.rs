//! Other formats become tables, which one reader reads: a row of CSV.

/// Adds a row of CSV.
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
