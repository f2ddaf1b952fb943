//! `wattkeeper compare` and `wattkeeper savings`: the costs of a range, side by side.

use anyhow::Result;
use clap::Args;

use super::args::Global;
use super::energy::ReportRange;
use super::output::{aligned, coverage, print_json, print_line, total_without};
use crate::admin::{LedgerRequest, Request, StatementForm};
use crate::domain::Decimal;
use crate::house::{
    ComparedRow, ComparisonAnswer, HouseWithout, SavedRow, SavingsAnswer, SideAmounts,
};
use crate::ledger::contract::Label;

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

/// A row of the table: of a side.
struct SideRow<'a> {
    name: String,
    amounts: &'a SideAmounts,
    /// The cells behind the total.
    own: Vec<String>,
    /// The months, each with its amount.
    months: Vec<(&'a str, Option<Decimal>)>,
}

impl CompareArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let form = StatementForm::from(self.range);
        let found: ComparisonAnswer = global.ask(Request::Ledger(LedgerRequest::Compare(form)))?;
        if global.json {
            return print_json(&found);
        }
        let rows = found.rows.iter().map(|row| SideRow {
            name: offer_of(row),
            amounts: &row.amounts,
            own: vec![cell(row.difference), cell(row.price_per_kwh)],
            months: {
                let months = row.months.iter();
                months.map(|it| (it.month.as_str(), it.total)).collect()
            },
        });
        let range = [&*found.from, &*found.to, &*found.currency];
        let heads = ["offer", "difference", "per kwh"];
        print_table(range, (&heads, self.months), rows.collect())?;
        for row in found.rows.iter().filter(|row| !row.complete) {
            print_line(&incomplete(row))?;
        }
        print_line(&found.assumes)?;
        if let Some(row) = found.rows.iter().find(|row| row.offer.is_none()) {
            print_line(&row.amounts.coverage())?;
        }
        if !found.left_out.is_empty() {
            let names = found.left_out.join(", ");
            print_line(&format!("not compared, in another currency: {names}"))?;
        }
        Ok(())
    }
}

impl SavingsArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = LedgerRequest::Savings(StatementForm::from(self.range));
        let found: Box<SavingsAnswer> = global.ask(Request::Ledger(request))?;
        if global.json {
            return print_json(&found);
        }
        let rows = found.rows.iter().map(|row| SideRow {
            name: house_of(row),
            amounts: &row.amounts,
            own: vec![cell(row.saved), kwh(row.imported), kwh(row.exported)],
            months: {
                let months = row.months.iter();
                months.map(|it| (it.month.as_str(), it.saved)).collect()
            },
        });
        let range = [&*found.from, &*found.to, &*found.currency];
        let heads = ["house", "saved", "imported kwh", "exported kwh"];
        print_table(range, (&heads, self.months), rows.collect())?;
        for row in &found.rows {
            print_lacks(row)?;
        }
        let was = found.rows.first();
        let coarse = was.map_or(0.0, |was| was.coarse_import + was.coarse_export);
        if coarse > 0.0 {
            print_line(&format!(
                "{:.3} kWh at the grid were read less often than each quarter of an hour, and are spread evenly within that time",
                coarse / 1_000.0
            ))?;
        }
        print_line(&found.assumes)?;
        if !found.export_measured {
            print_line(
                "No sensor measures the energy that is fed in: all that the panels produce counts as used.",
            )?;
        }
        // The others need more sensors than the house as it was.
        let all = found.rows.iter().map(|row| &row.amounts);
        let least = all.min_by(|a, b| a.measured.total_cmp(&b.measured));
        least.map_or(Ok(()), |least| print_line(&least.coverage()))
    }
}

impl SideAmounts {
    fn coverage(&self) -> String {
        coverage(self.measured, self.estimated, self.missing)
    }
}

fn offer_of(row: &ComparedRow) -> String {
    let name = row.offer.as_ref().map(Label::as_str);
    name.unwrap_or("(contracts in force)").to_owned()
}

fn house_of(row: &SavedRow) -> String {
    let without = row.without.map(HouseWithout::as_str);
    without.map_or("as it was".to_owned(), |parts| format!("without {parts}"))
}

fn cell(amount: Option<Decimal>) -> String {
    amount.map_or("-".to_owned(), |amount| amount.to_string())
}

fn kwh(energy: Option<f64>) -> String {
    energy.map_or("-".to_owned(), |energy| format!("{:.3}", energy / 1_000.0))
}

/// Prints the range and the rows. The first of the heads is that of the names, the others are those of
/// the cells behind the total.
fn print_table(
    [from, to, currency]: [&str; 3],
    (heads, with_months): (&[&str], bool),
    rows: Vec<SideRow<'_>>,
) -> Result<()> {
    const PARTS: [&str; 5] = ["energy", "demand", "standing", "credits", "taxes"];
    let (name, own) = heads.split_first().unwrap_or((&"", &[]));
    let months = rows.first().map(|row| row.months.as_slice());
    let months = months.unwrap_or_default().iter().map(|(month, _)| *month);
    let months = months.filter(|_| with_months);
    let heads = [*name, "total"].into_iter().chain(own.iter().copied());
    let heads = heads.chain(PARTS).chain(months);
    let heads: Vec<String> = heads.map(str::to_owned).collect();
    let cells = rows.into_iter().map(|row| {
        let SideAmounts {
            total,
            energy,
            demand,
            standing,
            credits,
            taxes,
            ..
        } = row.amounts;
        let unpriced = row.amounts.unpriced_import + row.amounts.unpriced_export;
        let total = total_without(*total, unpriced, row.amounts.missing);
        let parts = [energy, demand, standing, credits, taxes];
        let months = row.months.into_iter().filter(|_| with_months);
        let cells = [row.name, total].into_iter().chain(row.own);
        let cells = cells.chain(parts.map(|it| cell(*it)));
        cells
            .chain(months.map(|(_, amount)| cell(amount)))
            .collect()
    });
    print_line(&format!("{from} to {to}, in {currency}"))?;
    print_line(&aligned(&heads, cells.collect()))
}

/// Why a row is incomplete.
fn incomplete(row: &ComparedRow) -> String {
    let name = offer_of(row);
    let amounts = &row.amounts;
    let [imported, exported] =
        [amounts.unpriced_import, amounts.unpriced_export].map(|energy| energy / 1_000.0);
    if imported + exported > 0.0 {
        return format!(
            "{name} is incomplete: {imported:.3} kWh drawn and {exported:.3} kWh fed in have no price"
        );
    }
    format!("{name} has no total: its energy is unknown")
}

/// Prints what the amounts of a row lack.
fn print_lacks(row: &SavedRow) -> Result<()> {
    let (name, amounts) = (house_of(row), &row.amounts);
    let unpriced = (amounts.unpriced_import + amounts.unpriced_export) / 1_000.0;
    if unpriced > 0.0 {
        print_line(&format!(
            "{name}: {unpriced:.3} kWh have no price, and are in none of the amounts"
        ))?;
    }
    let left_out = [row.left_out_import, row.left_out_export, row.left_out_own];
    let [drawn, fed, own] = left_out.map(|it| it / 1_000.0);
    if drawn > 0.0 || fed > 0.0 || own > 0.0 {
        print_line(&format!(
            "{name}: where a quarter of an hour is estimated or missing, it counts as it was: {drawn:.3} kWh drawn, {fed:.3} kWh fed in, {own:.3} kWh of panels and battery"
        ))?;
    }
    Ok(())
}
