//! `wattkeeper forecast`: energy and costs of the running month and year.

use anyhow::{Result, bail};
use clap::Args;

use super::args::Global;
use super::output::{aligned, print_json, print_line};
use crate::admin::{LedgerRequest, Request};
use crate::house::{ForecastAnswer, ForecastPeriod, LikelyAmount, LikelyEnergy};
use crate::ledger::forecast::{ChoiceReason, ForecastMethod, MethodScore};

/// Energy and costs until the end of the month and of the year
///
/// Each has a most likely value, and a range that holds 8 times in 10: docs/DECIDE.md. Energies are
/// in kWh, amounts in the currency of the contracts.
#[derive(Args)]
pub(super) struct ForecastArgs {
    /// The account, if there are several
    #[arg(long, value_name = "NAME")]
    account: Option<String>,
}

impl ForecastArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let request = Request::Ledger(LedgerRequest::Forecast(self.account));
        let found: Box<ForecastAnswer> = global.ask(request)?;
        if global.json {
            return print_json(&found);
        }
        match found.reason.as_deref() {
            None => {}
            Some("no-grid") => bail!(
                "no sensor measures what the house draws from the grid: `wattkeeper sensor set ID --role grid` says which one does"
            ),
            Some(_) => bail!(
                "{} days of the last eight weeks were measured; a forecast needs 14",
                found.known_days
            ),
        }
        for period in &found.periods {
            print_line(&format!(
                "{}: {} to {}",
                period.period, period.from, period.to
            ))?;
            print_line(&table(period, found.currency.as_deref()))?;
            if period.unpriced > 0.0 {
                let energy = kwh(period.unpriced);
                print_line(&format!(
                    "{energy} kWh have no price, and are in none of the amounts"
                ))?;
            }
            print_line("")?;
        }
        for line in notes(&found) {
            print_line(&line)?;
        }
        if !found.tested.methods.is_empty() {
            print_line("")?;
            print_line(&methods(&found))?;
        }
        Ok(())
    }
}

/// The rows of a period.
fn table(period: &ForecastPeriod, currency: Option<&str>) -> String {
    let energies = [
        ("imported", &period.imported),
        ("exported", &period.exported),
        ("used", &period.used),
    ];
    let energies = energies.into_iter().filter_map(|(name, energy)| {
        let LikelyEnergy {
            so_far,
            low,
            likely,
            high,
        } = energy.filter(|it| it.high > 0.0)?;
        let cells = [so_far, likely, low, high].map(kwh);
        Some(row(name, "kWh", cells))
    });
    let amounts = [
        ("cost", &period.cost),
        ("credit", &period.credit),
        ("total", &period.total),
        ("balance", &period.balance),
    ];
    let currency = currency.unwrap_or_default();
    let amounts = amounts.into_iter().filter_map(|(name, amount)| {
        let LikelyAmount {
            so_far,
            low,
            likely,
            high,
        } = amount.clone()?;
        Some(row(name, currency, [so_far, likely, low, high]))
    });
    let head = ["what", "unit", "so far", "likely", "from", "to"].map(str::to_owned);
    aligned(&head, energies.chain(amounts).collect())
}

fn row(name: &str, unit: &str, cells: [String; 4]) -> Vec<String> {
    let names = [name.to_owned(), unit.to_owned()];
    names.into_iter().chain(cells).collect()
}

/// Its assumption, the known part of its input, and its test.
fn notes(found: &ForecastAnswer) -> Vec<String> {
    let method = found.method.map(named).unwrap_or_default();
    let later = if found.has_last_year {
        "last year, with half of the change since then"
    } else {
        "the last eight weeks, because less than a year is known"
    };
    let reason = match found.method_reason {
        Some(ChoiceReason::Nearer) => {
            "in the last twelve months it was nearer than the first choice by more than a fifth"
        }
        Some(ChoiceReason::FirstChoice) => {
            "it is the first choice, and no other method was nearer by a fifth in the last twelve months"
        }
        _ => "it is the first choice, and fewer than twelve months have tested it",
    };
    let tested = &found.tested;
    let mut lines = vec![
        format!("The next 31 days are as the method `{method}` says: {reason}."),
        format!(
            "Later days are as {later}. Prices are those of the contracts. The range holds 8 times in 10."
        ),
        format!(
            "{} of the last 56 days were measured; estimated {}, missing {}",
            found.known_days,
            percent(found.estimated),
            percent(found.missing)
        ),
    ];
    if let Some(errors) = tested.errors {
        lines.push(format!(
            "{} of the last {} months, forecast on their 10th, ended within the range; median error {}, 9 of 10 at most {}",
            tested.within,
            tested.months.len(),
            percent(errors.median_error),
            percent(errors.p90_error)
        ));
    }
    lines
}

/// The same months by each method.
fn methods(found: &ForecastAnswer) -> String {
    let head = [
        "method",
        "months",
        "median error",
        "9 of 10",
        "in range",
        "",
    ];
    let row = |score: &MethodScore| {
        let is_chosen = found.method == Some(score.method);
        let cells = [
            named(score.method).to_owned(),
            score.tested.to_string(),
            percent(score.errors.median_error),
            percent(score.errors.p90_error),
            score.held.to_string(),
            if is_chosen { "chosen" } else { "" }.to_owned(),
        ];
        cells.to_vec()
    };
    let rows = found.tested.methods.iter().map(row).collect();
    aligned(&head.map(str::to_owned), rows)
}

const fn named(method: ForecastMethod) -> &'static str {
    match method {
        ForecastMethod::LastDaysAndLastYear => "last days and last year",
        ForecastMethod::LastDays => "last days",
        ForecastMethod::MonthSoFar => "month so far",
        ForecastMethod::LastWeeks => "last eight weeks",
        ForecastMethod::LastYear => "last year",
        ForecastMethod::LastYearScaled => "last year, scaled",
        ForecastMethod::MonthSoFarAndLastYear => "month so far and last year",
        ForecastMethod::LastDaysAndLastYearScaled => "last days and last year, scaled",
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn kwh(watthours: f64) -> String {
    format!("{:.1}", watthours / 1_000.0)
}
