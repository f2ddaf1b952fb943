//! Workbooks are read as they were written.

use proptest::prelude::*;

use super::{PAGE, Written};
use crate::ingest::file::csv_row::write_row;

/// A value to be written into a cell, and how.
#[derive(Clone, Debug)]
enum CellValue {
    Number(f64),
    Text(String, u8),
    /// A number of seconds since 1904.
    Time(u32),
    Bool(bool),
    Nothing,
}

fn any_value() -> impl Strategy<Value = CellValue> {
    prop_oneof![
        any::<f64>()
            .prop_filter("a number", |it| it.is_finite())
            .prop_map(CellValue::Number),
        (-9_999_999..9_999_999_i32).prop_map(|it| CellValue::Number(f64::from(it) / 1e3)),
        ("[a-zäß<>&\"'=,; _x0-9\\n]{1,12}", 0..4_u8)
            .prop_map(|(text, how)| CellValue::Text(text, how)),
        (86_400..4_000_000_000_u32).prop_map(CellValue::Time),
        any::<bool>().prop_map(CellValue::Bool),
        Just(CellValue::Nothing),
    ]
}

fn escaped(text: &str) -> String {
    // `_x0041_` would be read as a character.
    let text = text.replace("_x", "_x005F_x").replace('&', "&amp;");
    text.replace('<', "&lt;").replace('"', "&quot;")
}

/// The cell, and its text. Texts may go into `shared`.
fn written(value: &CellValue, shared: &mut Vec<String>, is_1904: bool) -> (String, String) {
    match value {
        CellValue::Number(number) => (format!("><v>{number:e}</v>"), number.to_string()),
        CellValue::Bool(value) => (
            format!(" t=\"b\"><v>{}</v>", u8::from(*value)),
            value.to_string(),
        ),
        CellValue::Nothing => (">".to_owned(), String::new()),
        CellValue::Time(seconds) => {
            let days = f64::from(*seconds) / 86_400.0 + if is_1904 { 0.0 } else { 1462.0 };
            let at =
                crate::domain::Timestamp::from_millis((i64::from(*seconds) - 2_082_844_800) * 1000);
            let text = at.unwrap().to_string();
            let (date, clock) = (&text[..10], &text[11..19]);
            let text = if clock == "00:00:00" {
                date.to_owned()
            } else {
                format!("{date} {clock}")
            };
            (format!(" s=\"4\"><v>{days}</v>"), text)
        }
        CellValue::Text(text, how) => {
            let xml = escaped(text);
            let half = (0..=text.len() / 2)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap();
            let (first, second) = text.split_at(half);
            let keeps = "<t xml:space=\"preserve\">";
            let rich = format!(
                "<r>{keeps}{}</t></r><rPh><t>no</t></rPh><r>{keeps}{}</t></r>",
                escaped(first),
                escaped(second)
            );
            let cell = match how {
                0 => format!(" t=\"inlineStr\"><is>{keeps}{xml}</t></is>"),
                1 => format!(" t=\"str\"><f>A1</f><v>{xml}</v>"),
                how => {
                    shared.push(if *how == 2 {
                        format!("{keeps}{xml}</t>")
                    } else {
                        rich
                    });
                    format!(" t=\"s\"><v>{}</v>", shared.len() - 1)
                }
            };
            // A value without anything but spaces is an empty one.
            (cell, text.clone())
        }
    }
}

fn column_name(mut column: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, char::from(b'A' + u8::try_from(column % 26).unwrap()));
        match (column / 26).checked_sub(1) {
            Some(rest) => column = rest,
            None => return name,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        table in prop::collection::vec(prop::collection::vec(any_value(), 1..5), 1..8),
        first in 0..900_usize, has_places in any::<bool>(), is_1904 in any::<bool>(),
    ) {
        let first = if has_places { first } else { 0 };
        let (mut rows, mut shared, mut expected) = (String::new(), Vec::new(), Vec::new());
        for (number, row) in table.iter().enumerate() {
            let (mut cells, mut texts) = (String::new(), vec![String::new(); first]);
            for (index, value) in row.iter().enumerate() {
                let (cell, text) = written(value, &mut shared, is_1904);
                let place = format!(" r=\"{}{}\"", column_name(first + index), number * 7 + 1);
                let place = if has_places { &place } else { "" };
                cells.extend(["<c", place, &*cell, "</c>"]);
                texts.push(text);
            }
            rows.extend(["<row>", &*cells, "</row>"]);
            write_row(&mut expected, &texts);
        }
        let shared = shared.iter().flat_map(|text| ["<si>", text.as_str(), "</si>"]).collect::<String>();
        let book = Written { shared: format!("<sst>{shared}</sst>"), is_1904, ..Written::of(&rows) };
        prop_assert_eq!(book.text().into_bytes(), expected);
    }

    #[test]
    fn any_xml_is_read_or_refused(rows in "(<(row|c|v|is|t|f)( (r|s|t)=\"[A-Zs0-9]{0,9}\")?/?>|</(row|c|v|is|t|f|sheetData)>|[0-9&;]){0,40}") {
        let mut book = Written::of(&rows);
        book.shared = format!("<sst>{rows}</sst>");
        let _ = book.read(PAGE);
    }
}
