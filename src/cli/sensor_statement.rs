//! `wattkeeper statement --sensor`: the statement of one sub-meter.

use anyhow::Result;

use super::args::Global;
use super::output::{aligned, coverage, percent, print_json, print_line, without};
use crate::admin::{LedgerRequest, Request, StatementForm};
use crate::house::SensorStatementAnswer;

pub(super) fn run(form: StatementForm, sensor: String, global: &Global) -> Result<()> {
    let request = LedgerRequest::SensorStatement(form, sensor);
    let found: Box<SensorStatementAnswer> = global.ask(Request::Ledger(request))?;
    if global.json {
        return print_json(&found);
    }
    let currency = found.currency.as_deref();
    let currency = currency.map(|currency| format!(", in {currency}"));
    print_line(&format!(
        "{}: {} to {}{}",
        found.name,
        found.from,
        found.to,
        currency.unwrap_or_default()
    ))?;
    print_line(&table(&found))?;
    let share = found.own_share.map_or("-".to_owned(), percent);
    print_line(&format!("own energy {share}"))?;
    print_line(&format!(
        "{}; {} gaps, {} events, {} corrections",
        coverage(found.measured, found.estimated, found.missing),
        found.gaps,
        found.events,
        found.corrections
    ))?;
    for gap in &found.listed_gaps {
        print_line(&format!("gap: {} to {}", gap.from, gap.to))?;
    }
    for one in &found.listed_corrections {
        let to = one.to.as_deref().filter(|to| *to != one.from);
        let to = to.map(|to| format!(" to {to}")).unwrap_or_default();
        let note = if one.note.is_empty() { "" } else { ": " };
        print_line(&format!(
            "correction {}: {}, {}{to}{note}{}",
            one.number, one.kind, one.from, one.note
        ))?;
    }
    let left_out = (found.unknown + found.unpriced) / 1_000.0;
    if left_out > 0.0 {
        print_line(&format!(
            "{left_out:.3} kWh have no known source or no price, and are in none of the amounts"
        ))?;
    }
    print_line(&found.assumes)
}

/// The lines, and their sums.
fn table(found: &SensorStatementAnswer) -> String {
    let head = ["source", "contract", "quantity", "unit", "price", "amount"].map(str::to_owned);
    let lines = found.lines.iter().map(|line| {
        let cells = [
            &line.source,
            &line.contract,
            &line.quantity,
            &line.unit,
            &line.price,
            &line.amount,
        ];
        let shown = |cell: &&String| {
            if cell.is_empty() {
                "-".to_owned()
            } else {
                (*cell).clone()
            }
        };
        cells.iter().map(shown).collect()
    });
    let kilowatthours = |energy: f64| (energy / 1_000.0).to_string();
    let nothing = String::new;
    let gap = without((found.unknown + found.unpriced) / 1_000.0, found.missing);
    let gap = found.total.as_ref().map_or_else(nothing, |_| gap);
    let total = vec![
        format!("total{gap}"),
        nothing(),
        found.energy.map_or("-".to_owned(), kilowatthours),
        "kWh".to_owned(),
        nothing(),
        found.total.clone().unwrap_or_else(|| "-".to_owned()),
    ];
    aligned(&head, lines.chain([total]).collect())
}
