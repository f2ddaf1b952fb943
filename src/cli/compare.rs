//! `wattkeeper compare`: the cost of a range by each offer.

use anyhow::Result;
use clap::Args;

use super::args::Global;
use super::energy::ReportRange;
use super::output::{aligned, percent, print_json, print_line, total_without};
use crate::admin::{LedgerRequest, Request, StatementForm};
use crate::house::{ComparedRow, ComparisonAnswer};

/// The cost of a range by the contracts, and by each offer instead of them
///
/// Without --from, from the beginning of this year. Times are as in `wattkeeper energy`.
#[derive(Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    range: ReportRange,
    /// Also print a column for each month
    #[arg(long)]
    months: bool,
}

const PRESENT: &str = "(contracts in force)";

impl CompareArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let form = StatementForm::from(self.range);
        let found: ComparisonAnswer = global.ask(Request::Ledger(LedgerRequest::Compare(form)))?;
        if global.json {
            return print_json(&found);
        }
        let ComparisonAnswer {
            from, to, currency, ..
        } = &found;
        print_line(&format!("{from} to {to}, in {currency}"))?;
        print_line(&table(&found, self.months))?;
        for row in found.rows.iter().filter(|row| !row.complete) {
            print_line(&incomplete(row))?;
        }
        print_line(&found.assumes)?;
        if let Some(row) = found.rows.iter().find(|row| row.offer.is_none()) {
            print_line(&format!(
                "measured {}, estimated {}, missing {}",
                percent(row.measured),
                percent(row.estimated),
                percent(row.missing)
            ))?;
        }
        if !found.left_out.is_empty() {
            let names = found.left_out.join(", ");
            print_line(&format!("not compared, in another currency: {names}"))?;
        }
        Ok(())
    }
}

fn name(row: &ComparedRow) -> &str {
    row.offer.as_deref().unwrap_or(PRESENT)
}

fn table(found: &ComparisonAnswer, with_months: bool) -> String {
    let columns = [
        "offer",
        "total",
        "difference",
        "per kwh",
        "energy",
        "demand",
        "standing",
        "credits",
        "taxes",
    ];
    let months = found.rows.first().map(|row| row.months.as_slice());
    let months = months.unwrap_or_default().iter();
    let months = months.filter(|_| with_months).map(|it| it.month.clone());
    let head: Vec<String> = columns
        .map(str::to_owned)
        .into_iter()
        .chain(months)
        .collect();
    let cell = |amount: &Option<String>| amount.clone().unwrap_or_else(|| "-".to_owned());
    let lines = found.rows.iter().map(|row| {
        let amounts = [
            &row.difference,
            &row.price_per_kwh,
            &row.energy,
            &row.demand,
            &row.standing,
            &row.credits,
            &row.taxes,
        ];
        let months = row.months.iter().filter(|_| with_months);
        let months = months.map(|month| cell(&month.total));
        let cells = amounts.map(cell).into_iter().chain(months);
        let unpriced = row.unpriced_import + row.unpriced_export;
        let total = total_without(row.total.as_deref(), unpriced, row.missing);
        let first = [name(row).to_owned(), total];
        first.into_iter().chain(cells).collect()
    });
    aligned(&head, lines.collect())
}

/// Why a row is incomplete.
fn incomplete(row: &ComparedRow) -> String {
    let name = name(row);
    let [imported, exported] =
        [row.unpriced_import, row.unpriced_export].map(|energy| energy / 1_000.0);
    if imported + exported > 0.0 {
        return format!(
            "{name} is incomplete: {imported:.3} kWh drawn and {exported:.3} kWh fed in have no price"
        );
    }
    format!("{name} has no total: its energy is unknown")
}
