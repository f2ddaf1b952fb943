//! `wattkeeper energy` and `wattkeeper statement`: energy, and its cost.

use anyhow::{Result, bail};
use clap::Args;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::args::Global;
use super::output::{aligned, coverage, print_json, print_line, without};
use super::sensor_statement;
use crate::admin::{EnergyForm, LedgerRequest, Request, StatementForm, StatementOf};
use crate::domain::Interval;
use crate::house::{ConvertedPrices, EnergyColumn, OtherCurrency, StatementAnswer, StatementLine};

/// The columns of the lines of a statement.
pub(super) const STATEMENT_HEAD: [&str; 6] =
    ["what", "contract", "quantity", "unit", "price", "amount"];

/// Energy of the house or of a sensor, and its cost
///
/// Without --by, one row for the whole range, with the sub-meters below it. Energies are in kWh,
/// amounts in the currency of the contracts. Times are YYYY-MM-DDTHH:MM:SS in UTC, or a date for
/// its start in the account's time zone.
#[derive(Args)]
pub(super) struct EnergyArgs {
    /// The sensor [default: the house]
    sensor: Option<String>,
    #[command(flatten)]
    range: ReportRange,
    /// A row for each interval: 15m, 1h, 1d, 1w, 1mo, 1y, ..
    #[arg(long, value_name = "INTERVAL")]
    by: Option<Interval>,
    /// Also print the sources and the real cost of each sub-meter's energy
    #[arg(long)]
    sources: bool,
}

/// The cost of a range, line by line
///
/// Without --from, from the beginning of this month. Times are as in `wattkeeper energy`.
#[derive(Args)]
pub(super) struct StatementArgs {
    #[command(flatten)]
    range: ReportRange,
    /// The name of an offer: its prices count instead of the contracts'
    #[arg(long, value_name = "NAME")]
    offer: Option<String>,
    /// The parts to leave out of the house: panels, battery or both
    #[arg(long, value_name = "PARTS")]
    without: Option<String>,
    /// The statement of this sub-meter, by the sources of its energy
    #[arg(long, value_name = "ID", conflicts_with_all = ["offer", "without"])]
    sensor: Option<String>,
}

/// The range of a report
#[derive(Args)]
pub(super) struct ReportRange {
    /// The first time [default: the beginning of today; of this month for a statement, of this year
    /// for a comparison, savings or `what-if`]
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// The end, exclusive [default: now]
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Answer for the same range a year earlier: days by weekday, whole months by date
    #[arg(long)]
    year_earlier: bool,
    /// The account, if there are several
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

impl From<ReportRange> for StatementForm {
    fn from(range: ReportRange) -> Self {
        Self {
            account: range.account,
            from: range.from,
            to: range.to,
            year_earlier: range.year_earlier,
        }
    }
}

impl EnergyArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let range = self.range;
        let form = EnergyForm {
            account: range.account,
            sensor: self.sensor,
            from: range.from,
            to: range.to,
            year_earlier: range.year_earlier,
            by: self.by,
            with_sources: self.sources,
        };
        let text: String = global.ask(Request::Ledger(LedgerRequest::Energy(form)))?;
        if global.json {
            // In the same form as the API.
            let rest = text.strip_prefix('{').unwrap_or_default();
            let text = format!("{{\"units\":\"watthours\",{rest}");
            return print_json(&RawValue::from_string(text)?);
        }
        let answer: Value = serde_json::from_str(&text)?;
        let rows = answer.get("data").and_then(Value::as_array);
        let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
            global.note("There are no data for this range.");
            return Ok(());
        };
        print_line(&table(rows))?;
        if let [row] = rows.as_slice() {
            for line in part_lines(row) {
                print_line(&line)?;
            }
        }
        Ok(())
    }
}

/// The rows, with a column for each value that any of them has.
fn table(rows: &[Value]) -> String {
    let has = |column: &EnergyColumn| rows.iter().any(|row| row.get(column.as_str()).is_some());
    let columns: Vec<EnergyColumn> = EnergyColumn::ALL.into_iter().filter(has).collect();
    let head = columns
        .iter()
        .map(|column| column.as_str().replace('_', "-"));
    let head: Vec<String> = std::iter::once("time".to_owned()).chain(head).collect();
    let lines = rows.iter().map(|row| {
        let time = row.get("t").and_then(Value::as_str).unwrap_or_default();
        let cells = columns.iter().map(|column| match row.get(column.as_str()) {
            Some(value) => cell(*column, value),
            None => "-".to_owned(),
        });
        std::iter::once(time.to_owned()).chain(cells).collect()
    });
    aligned(&head, lines.collect())
}

fn cell(column: EnergyColumn, value: &Value) -> String {
    let number = value.as_f64().unwrap_or_default();
    match column {
        EnergyColumn::Cost | EnergyColumn::Credit | EnergyColumn::RealCost => {
            format!("{number:.2}")
        }
        EnergyColumn::OwnShare
        | EnergyColumn::RealUnpriced
        | EnergyColumn::SelfConsumption
        | EnergyColumn::SelfSufficiency
        | EnergyColumn::Estimated
        | EnergyColumn::Partial
        | EnergyColumn::Unpriced => format!("{:.1} %", number * 100.0),
        _ => format!("{:.3}", number / 1_000.0),
    }
}

/// A line for each sub-meter of a row.
fn part_lines(row: &Value) -> Vec<String> {
    let empty = Map::new();
    let parts = row
        .get("sensors")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    if parts.is_empty() {
        return Vec::new();
    }
    let has = |column: &EnergyColumn| parts.values().any(|it| it.get(column.as_str()).is_some());
    let known = EnergyColumn::OF_SOURCES.into_iter().filter(has);
    let columns = [EnergyColumn::Energy, EnergyColumn::Other]
        .into_iter()
        .chain(known);
    let columns: Vec<EnergyColumn> = columns.collect();
    let lines = parts.iter().map(|(id, values)| {
        let cells = columns
            .iter()
            .map(|column| match values.get(column.as_str()) {
                Some(value) => cell(*column, value),
                None => "-".to_owned(),
            });
        std::iter::once(id.clone()).chain(cells).collect()
    });
    let names = columns
        .iter()
        .map(|column| column.as_str().replace('_', "-"));
    let head: Vec<String> = std::iter::once("sub-meter".to_owned())
        .chain(names)
        .collect();
    let lines = lines.collect();
    vec![String::new(), aligned(&head, lines)]
}

/// Tells which prices are in another currency than the contracts.
fn print_currencies(found: &StatementAnswer) -> Result<()> {
    for it in &found.converted {
        let ConvertedPrices {
            series, currency, ..
        } = it;
        print_line(&format!(
            "the prices of {series} are in {currency}; they are converted by the rates of {}",
            it.rates.join(" and ")
        ))?;
    }
    for OtherCurrency { series, currency } in &found.other_currency {
        print_line(&format!(
            "the prices of {series} are in {currency}, not in the currency of the contracts: energy by them has no price; add exchange rates, such as those of the source ecb, or fill a series with prices in the contracts' currency"
        ))?;
    }
    Ok(())
}

impl StatementArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        if let Some(sensor) = self.sensor {
            return sensor_statement::run(self.range.into(), sensor, global);
        }
        let of = StatementOf {
            offer: self.offer,
            without: self.without,
        };
        let request = LedgerRequest::Statement(self.range.into(), of);
        let found: Box<StatementAnswer> = global.ask(Request::Ledger(request))?;
        if global.json {
            return print_json(&found);
        }
        let Some(currency) = &found.currency else {
            bail!("the account has no contracts: `wattkeeper contract flat` sets a simple one");
        };
        print_line(&format!("{} to {}, in {currency}", found.from, found.to))?;
        let head = STATEMENT_HEAD.map(str::to_owned);
        let lines = found.lines.iter().map(statement_line);
        let sums = [
            ("costs", &found.costs),
            ("credits", &found.credits),
            ("taxes", &found.taxes),
            ("total", &found.total),
        ];
        let unpriced = (found.unpriced_import + found.unpriced_export) / 1_000.0;
        let gap = without(unpriced, found.missing);
        let sums = sums.into_iter().map(|(name, amount)| {
            let gap = if name == "total" && amount.is_some() {
                gap.as_str()
            } else {
                ""
            };
            let amount = amount.clone().unwrap_or_else(|| "-".to_owned());
            let nothing = String::new;
            vec![
                format!("{name}{gap}"),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                amount,
            ]
        });
        print_line(&aligned(&head, lines.chain(sums).collect()))?;
        print_line(&format!(
            "{}; {} events, {} corrections",
            coverage(found.measured, found.estimated, found.missing),
            found.events,
            found.corrections
        ))?;
        if unpriced > 0.0 {
            print_line(&format!(
                "{unpriced:.3} kWh have no price, and are in none of the amounts"
            ))?;
        }
        print_currencies(&found)
    }
}

/// The cells of a line of a statement, below [`STATEMENT_HEAD`].
pub(super) fn statement_line(line: &StatementLine) -> Vec<String> {
    let names = [line.kind.as_str(), &line.name, &line.part];
    let names: Vec<&str> = names.into_iter().filter(|it| !it.is_empty()).collect();
    let rest = [
        &line.contract,
        &line.quantity,
        &line.unit,
        &line.price,
        &line.amount,
    ];
    std::iter::once(names.join(" "))
        .chain(rest.map(String::clone))
        .collect()
}
