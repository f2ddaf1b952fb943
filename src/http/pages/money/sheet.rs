//! A statement as a file for a spreadsheet.

use crate::http::pages::frame::spreadsheet::Spreadsheet;
use crate::ledger::{STATEMENT_COLUMNS, StatementRow};
use crate::texts::Language;

/// The columns with numbers: the quantity, the price and the amount.
const NUMBERS: [usize; 3] = [5, 7, 8];

/// The rows of a statement. Columns and words are those of the API, so that the same formulas work
/// in each language.
pub(crate) fn sheet(rows: Vec<StatementRow>, language: &Language) -> Vec<u8> {
    let header = std::iter::once(STATEMENT_COLUMNS.map(str::to_owned));
    table(header.chain(rows).map(Vec::from), language)
}

/// Rows that end with the columns of a statement; the first one has their names.
pub(super) fn table(rows: impl IntoIterator<Item = Vec<String>>, language: &Language) -> Vec<u8> {
    let mut table = Spreadsheet::new(language);
    for row in rows {
        let further = row.len().saturating_sub(STATEMENT_COLUMNS.len());
        let cells = row.into_iter().enumerate().map(|(place, cell)| {
            let column = place.checked_sub(further);
            if column.is_some_and(|column| NUMBERS.contains(&column)) {
                table.number(&cell)
            } else {
                Spreadsheet::text(cell)
            }
        });
        let cells: Vec<String> = cells.collect();
        table.row(cells);
    }
    table.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MicroWh, TimeRange, Timestamp, Zone};
    use crate::ledger::contract::{Announced, Contracts};
    use crate::ledger::house::MeasuredSlot;
    use crate::ledger::{CostStatement, Flow, TouchCount};

    #[test]
    fn numbers_are_those_of_the_language() {
        let contracts = r#"[{"from":"2026-01-01","name":"Strom, grün","currency":"EUR","components":[{"energy":{"price":0.3215}}]}]"#;
        let contracts = Contracts::parse(contracts).unwrap();
        let [from, to] =
            ["2026-01-05", "2026-01-06"].map(|at| Timestamp::parse_or_date(at).unwrap());
        let range = TimeRange::new(from, to).unwrap();
        let measured = |_: &_| MeasuredSlot {
            flow: Some(Flow {
                imported: MicroWh::new(1_500_000_000),
                exported: MicroWh::ZERO,
            }),
            ..MeasuredSlot::default()
        };
        let statement = CostStatement::new(
            &contracts,
            &Zone::UTC,
            &Announced::default(),
            range,
            TouchCount::default(),
            measured,
        );
        let lines = |language: &Language| {
            let text = String::from_utf8(sheet(statement.rows(), language)).unwrap();
            text.lines().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(Language::of_tag("de").unwrap()),
            [
                "\u{FEFF}kind;contract;from;name;part;quantity;unit;price;amount",
                "energy;Strom, grün;2026-01-01;;;1,5;kWh;0,3215;0,48225"
            ]
        );
        assert_eq!(
            lines(Language::english())[1],
            "energy,\"Strom, grün\",2026-01-01,,,1.5,kWh,0.3215,0.48225"
        );
    }
}
