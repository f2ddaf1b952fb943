//! `wattkeeper savings`: what the panels and the battery saved.

use anyhow::Result;
use clap::Args;

use super::args::Global;
use super::energy::ReportRange;
use super::output::{aligned, percent, print_json, print_line, total_without};
use crate::admin::{LedgerRequest, Request, StatementForm};
use crate::house::{SavedRow, SavingsAnswer};

/// Savings by panels and battery: the cost of a range as it was, and without them
///
/// Without --from, from the beginning of this year. Times are as in `wattkeeper energy`. `wattkeeper
/// statement --without` prints the lines of each.
#[derive(Args)]
pub(super) struct SavingsArgs {
    #[command(flatten)]
    range: ReportRange,
    /// Also print a column for each month, with its savings
    #[arg(long)]
    months: bool,
}

impl SavingsArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = LedgerRequest::Savings(StatementForm::from(self.range));
        let found: Box<SavingsAnswer> = global.ask(Request::Ledger(request))?;
        if global.json {
            return print_json(&found);
        }
        let SavingsAnswer {
            from, to, currency, ..
        } = &*found;
        print_line(&format!("{from} to {to}, in {currency}"))?;
        print_line(&table(&found, self.months))?;
        for row in &found.rows {
            let unpriced = (row.unpriced_import + row.unpriced_export) / 1_000.0;
            if unpriced > 0.0 {
                let name = name(row);
                print_line(&format!(
                    "{name}: {unpriced:.3} kWh have no price, and are in none of the amounts"
                ))?;
            }
        }
        for row in &found.rows {
            let [drawn, fed] = [row.left_out_import, row.left_out_export].map(|it| it / 1_000.0);
            if drawn > 0.0 || fed > 0.0 {
                let name = name(row);
                print_line(&format!(
                    "{name}: where a quarter of an hour is estimated or missing, it counts as it was: {drawn:.3} kWh drawn and {fed:.3} kWh fed in"
                ))?;
            }
        }
        print_line(&found.assumes)?;
        if !found.export_measured {
            print_line(
                "No sensor measures the energy that is fed in: all that the panels produce counts as used.",
            )?;
        }
        // The others need more sensors than the house as it was.
        let least = found
            .rows
            .iter()
            .min_by(|a, b| a.measured.total_cmp(&b.measured));
        if let Some(row) = least {
            print_line(&format!(
                "measured {}, estimated {}, missing {}",
                percent(row.measured),
                percent(row.estimated),
                percent(row.missing)
            ))?;
        }
        Ok(())
    }
}

fn name(row: &SavedRow) -> String {
    let without = row.without.as_deref();
    without.map_or("as it was".to_owned(), |parts| format!("without {parts}"))
}

fn table(found: &SavingsAnswer, with_months: bool) -> String {
    let columns = [
        "house",
        "total",
        "saved",
        "imported kwh",
        "exported kwh",
        "energy",
        "demand",
        "standing",
        "credits",
        "taxes",
    ];
    let months = found.rows.first().map(|row| row.months.as_slice());
    let months = months.unwrap_or_default().iter();
    let months = months.filter(|_| with_months).map(|it| it.month.clone());
    let columns = columns.map(str::to_owned).into_iter();
    let head: Vec<String> = columns.chain(months).collect();
    let cell = |amount: &Option<String>| amount.clone().unwrap_or_else(|| "-".to_owned());
    let kwh = |energy: Option<f64>| {
        energy.map_or("-".to_owned(), |energy| format!("{:.3}", energy / 1_000.0))
    };
    let lines = found.rows.iter().map(|row| {
        let amounts = [
            &row.energy,
            &row.demand,
            &row.standing,
            &row.credits,
            &row.taxes,
        ];
        let unpriced = row.unpriced_import + row.unpriced_export;
        let total = total_without(row.total.as_deref(), unpriced, row.missing);
        let first = [name(row), total, cell(&row.saved)];
        let energies = [row.imported, row.exported].map(kwh);
        let months = row.months.iter().filter(|_| with_months);
        let months = months.map(|month| cell(&month.saved));
        let cells = first.into_iter().chain(energies);
        cells.chain(amounts.map(cell)).chain(months).collect()
    });
    aligned(&head, lines.collect())
}
