//! Workbooks as spreadsheets write them.

use std::fmt::Write as _;
use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

/// A workbook with these sheets of one reading each, in watt-hours.
pub(crate) fn workbook(sheets: &[(&str, u32)]) -> Vec<u8> {
    let (mut list, mut relations, mut files) = (String::new(), String::new(), Vec::new());
    for (index, (name, energy)) in sheets.iter().enumerate() {
        write!(
            list,
            "<sheet name=\"{name}\" sheetId=\"{index}\" r:id=\"r{index}\"/>"
        )
        .unwrap();
        write!(relations, "<Relationship Id=\"r{index}\" Type=\"http://x/worksheet\" Target=\"worksheets/{index}.xml\"/>").unwrap();
        let text = |text: &str| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>");
        let rows = format!(
            "<row>{}{}</row><row>{}<c><v>{energy}</v></c></row>",
            text("time"),
            text("watthours"),
            text("2026-01-05T10:00:00Z")
        );
        files.push((
            format!("xl/worksheets/{index}.xml"),
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ));
    }
    files.push((
        "xl/workbook.xml".to_owned(),
        format!("<workbook><sheets>{list}</sheets></workbook>"),
    ));
    files.push((
        "xl/_rels/workbook.xml.rels".to_owned(),
        format!("<Relationships>{relations}</Relationships>"),
    ));
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        Write::write_all(&mut writer, content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
