//! `wattkeeper what-if`: a range with another battery, other panels or another load.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use super::args::Global;
use super::energy::{ReportRange, STATEMENT_HEAD, statement_line};
use super::input::read_text;
use super::output::{aligned, coverage, percent, print_json, print_line, total_without};
use crate::admin::{LedgerRequest, Request, StatementForm};
use crate::domain::Decimal;
use crate::house::{WhatIfAnswer, WhatIfForm, WhatIfRow, WhatIfSize};

/// The cost of a range if it had had another battery, other panels or another load
///
/// From your own history, quarter of an hour by quarter of an hour: docs/DECIDE.md has the rules.
/// Nothing is stored. Without --from, from the beginning of this year. Times are as in `wattkeeper
/// energy`; amounts are in the currency of the contracts, energies in kWh.
#[derive(Args)]
pub(super) struct WhatIfArgs {
    #[command(flatten)]
    range: ReportRange,
    /// The usable capacity of a battery, instead of the one that the house has
    #[arg(long, value_name = "KWH")]
    battery: Option<String>,
    /// The most that the battery takes [default: 5]
    #[arg(long, value_name = "KW")]
    charge_kw: Option<String>,
    /// The most that the battery gives [default: 5]
    #[arg(long, value_name = "KW")]
    discharge_kw: Option<String>,
    /// How much of the energy taken the battery gives back [default: 90]
    #[arg(long, value_name = "PERCENT")]
    efficiency: Option<String>,
    /// The part of the capacity that the battery never gives [default: 0]
    #[arg(long, value_name = "PERCENT")]
    reserve: Option<String>,
    /// What the battery draws itself all the time [default: 0]
    #[arg(long, value_name = "WATTS")]
    standby_w: Option<String>,
    /// The part of the capacity that the battery loses each year [default: 0]
    #[arg(long, value_name = "PERCENT")]
    ageing: Option<String>,
    /// `greedy`: the battery serves the house alone; `prices`: it also buys energy when that pays;
    /// `trading`: it also feeds the grid [default: greedy]
    #[arg(long, value_name = "HOW")]
    dispatch: Option<String>,
    /// Capacities to compare in kWh, up to 41, such as 0,5,10; or `usual`: 12 from 0 to 20
    #[arg(long, value_name = "LIST")]
    sizes: Option<String>,
    /// The price of a battery for each kWh of its capacity
    #[arg(long, value_name = "PRICE")]
    price_per_kwh: Option<String>,
    /// The production of the panels times this, such as 2
    #[arg(long, value_name = "NUMBER")]
    solar_factor: Option<String>,
    /// The kilowatts of new panels with the profile of a file
    #[arg(long, value_name = "KW")]
    kwp: Option<String>,
    /// The file: the power of each hour of a year as PVGIS exports it; `-` is standard input
    #[arg(long, value_name = "FILE")]
    profile: Option<PathBuf>,
    /// `add`, `add-cheapest`, `remove` or `move` a load; `move` and `add-cheapest` choose the cheapest
    /// hours
    #[arg(long, value_name = "HOW")]
    load: Option<String>,
    /// The sub-meter of the load
    #[arg(long, value_name = "ID")]
    load_sensor: Option<String>,
    /// Instead of a sub-meter: so much energy a day
    #[arg(long, value_name = "KWH")]
    load_kwh: Option<String>,
    /// The hours of that, such as 22:00-06:00
    #[arg(long, value_name = "HOURS")]
    load_between: Option<String>,
    /// The power of that; without, it is even
    #[arg(long, value_name = "KW")]
    load_kw: Option<String>,
    /// Also print a row for each month
    #[arg(long)]
    months: bool,
    /// Also print the lines of both statements
    #[arg(long)]
    lines: bool,
}

/// The longest file, in bytes: as long as the API takes it.
const LONGEST: usize = 16 * 1024 * 1024;

impl WhatIfArgs {
    pub(super) fn run(self, global: &Global) -> Result<()> {
        let (with_months, with_lines) = (self.months, self.lines);
        let profile = self.profile.as_ref();
        let form = WhatIfForm {
            profile: profile.map(|file| read_text(file, LONGEST)).transpose()?,
            battery: self.battery,
            charge_kw: self.charge_kw,
            discharge_kw: self.discharge_kw,
            efficiency: self.efficiency,
            reserve: self.reserve,
            standby_w: self.standby_w,
            ageing: self.ageing,
            dispatch: self.dispatch,
            sizes: self.sizes,
            price_per_kwh: self.price_per_kwh,
            solar_factor: self.solar_factor,
            kwp: self.kwp,
            load: self.load,
            load_sensor: self.load_sensor,
            load_kwh: self.load_kwh,
            load_between: self.load_between,
            load_kw: self.load_kw,
        };
        let request = LedgerRequest::WhatIf(StatementForm::from(self.range), Box::new(form));
        let found: Box<WhatIfAnswer> = global.ask(Request::Ledger(request))?;
        if global.json {
            return print_json(&found);
        }
        let currency = found.currency.as_deref();
        let amounts = currency.map_or(", without contracts".to_owned(), |it| format!(", in {it}"));
        print_line(&format!("{} to {}{amounts}", found.from, found.to))?;
        print_line(&houses(&found))?;
        if found.changed.is_some() {
            let [saved, a_year] = [found.saved, found.saved_per_year].map(amount);
            let a_year = match found.no_year {
                None => format!(", {a_year} in 365 days"),
                Some(_) => String::new(),
            };
            let rule = found
                .rule
                .as_ref()
                .map(|rule| format!(", by the rule {rule}"));
            print_line(&format!(
                "saved {saved}{a_year}{}",
                rule.unwrap_or_default()
            ))?;
        }
        if with_months {
            print_line(&months(&found))?;
        }
        if !found.sizes.is_empty() {
            print_line(&sizes(&found.sizes))?;
        }
        let both = [Some(&found.present), found.changed.as_ref()];
        for row in both.into_iter().flatten().filter(|_| with_lines) {
            print_line(&lines(row))?;
        }
        no_year(&found).map_or(Ok(()), |line| print_line(&line))?;
        for sentence in &found.assumes {
            print_line(sentence)?;
        }
        gaps(&found).iter().try_for_each(|line| print_line(line))
    }
}

fn cell(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

fn amount(amount: Option<Decimal>) -> String {
    amount.map_or_else(|| "-".to_owned(), |amount| amount.to_string())
}

fn kwh(watthours: Option<f64>) -> String {
    watthours.map_or_else(|| "-".to_owned(), |it| format!("{:.3}", it / 1_000.0))
}

fn head(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The house as it was and as it would have been.
fn houses(found: &WhatIfAnswer) -> String {
    let columns = [
        "house",
        "total",
        "imported",
        "exported",
        "used",
        "produced",
        "charged",
        "discharged",
        "self-sufficiency",
    ];
    let row = |(name, row): (&str, &WhatIfRow)| {
        let statement = &row.statement;
        let energies = [
            statement.imported,
            statement.exported,
            row.used,
            row.produced,
            row.charged,
            row.discharged,
        ];
        let share = row.self_sufficiency.map(percent);
        let unpriced = statement.unpriced_import + statement.unpriced_export;
        let total = total_without(statement.total.as_deref(), unpriced, statement.missing);
        [name.to_owned(), total]
            .into_iter()
            .chain(energies.map(kwh))
            .chain([cell(share.as_deref())])
            .collect()
    };
    let changed = found.changed.as_ref().map(|changed| ("what if", changed));
    let rows = [("as it was", &found.present)].into_iter().chain(changed);
    aligned(&head(&columns), rows.map(row).collect())
}

fn months(found: &WhatIfAnswer) -> String {
    let rows = found.months.iter().map(|month| {
        let totals = [month.present, month.changed].map(amount);
        std::iter::once(month.month.clone()).chain(totals).collect()
    });
    aligned(&head(&["month", "as it was", "what if"]), rows.collect())
}

fn sizes(all: &[WhatIfSize]) -> String {
    let columns = [
        "kwh",
        "rule",
        "total",
        "saved",
        "a year",
        "imported",
        "exported",
        "self-sufficiency",
        "cycles a year",
        "price",
        "payback years",
    ];
    let number = |number: Option<f64>| {
        let text = number.map(|number| format!("{number:.1}"));
        cell(text.as_deref())
    };
    let rows = all.iter().map(|size| {
        let share = size.self_sufficiency.map(percent);
        let unpriced = size.unpriced_import + size.unpriced_export;
        vec![
            size.kwh.clone(),
            size.rule.clone(),
            total_without(size.total, unpriced, size.missing),
            amount(size.saved),
            amount(size.saved_per_year),
            kwh(size.imported),
            kwh(size.exported),
            cell(share.as_deref()),
            number(size.cycles_per_year),
            amount(size.price),
            number(size.payback_years),
        ]
    });
    aligned(&head(&columns), rows.collect())
}

/// The lines of a statement.
fn lines(row: &WhatIfRow) -> String {
    let rows = row.statement.lines.iter().map(statement_line);
    aligned(&STATEMENT_HEAD.map(str::to_owned), rows.collect())
}

/// What is not known, or has no price.
fn gaps(found: &WhatIfAnswer) -> Vec<String> {
    let row = found.changed.as_ref().unwrap_or(&found.present);
    let statement = &row.statement;
    let shares = coverage(statement.measured, statement.estimated, statement.missing);
    let left_out = [
        found.left_out_import,
        found.left_out_export,
        found.left_out_own,
    ];
    let left_out = left_out.iter().any(|energy| *energy > 0.0).then(|| {
        let [imported, exported, own] = left_out.map(|it| it / 1_000.0);
        format!("where a quarter of an hour is estimated or missing, the house counts as it was: {imported:.3} kWh drawn, {exported:.3} kWh fed in, {own:.3} kWh of panels and battery")
    });
    let coarse = (found.coarse_import + found.coarse_export) / 1_000.0;
    let at_rest = found.saved_at_rest.map(|saved| {
        format!("; with a battery that rests in that time, the house would have saved {saved}")
    });
    let coarse = (coarse > 0.0).then(|| {
        format!(
            "{coarse:.3} kWh at the grid were read less often than each quarter of an hour{}",
            at_rest.unwrap_or_default()
        )
    });
    let unpriced = (statement.unpriced_import + statement.unpriced_export) / 1_000.0;
    let unpriced = (unpriced > 0.0)
        .then(|| format!("{unpriced:.3} kWh have no price, and are in none of the amounts"));
    let replayed = found.replayed_more.map(|more| {
        let share = 100.0 * more;
        format!("the new battery would have given {share:+.1} % of what the house's own one gave")
    });
    [Some(shares), left_out, coarse, replayed, unpriced]
        .into_iter()
        .flatten()
        .collect()
}

/// Why nothing is said about a year.
fn no_year(found: &WhatIfAnswer) -> Option<String> {
    let why = match found.no_year.as_deref()? {
        "few-months" => "less than twelve months are known",
        _ => "more than a twentieth of the last twelve months has no readings or no price",
    };
    Some(format!(
        "{why}, so nothing is said about a year; {:.1} days are known",
        found.known_days
    ))
}
