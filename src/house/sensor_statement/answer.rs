//! A sub-meter's statement, as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use super::SensorStatement;
use super::lines::{EnergySource, SourceLine};
use crate::domain::{Account, MicroWh, Timestamp};
use crate::house::statement::{StatementLine, csv_of};
use crate::ledger::{Correction, Fact, StatementRow, bill_row, kilowatthours, statement_row};

/// A sub-meter's statement. Amounts and prices are exact decimals in text, in the currency; energies
/// are in watt-hours, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensorStatementAnswer {
    /// The account.
    pub account: String,
    /// The sub-meter.
    pub sensor_id: String,
    /// Its name.
    pub name: String,
    /// Where the range begins; in the API's form, like all times here.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// The currency of the amounts; null without contracts.
    pub currency: Option<String>,
    /// The tenancy that it is charged by; null without one.
    pub tenancy: Option<String>,
    /// The energy by contract, source and price; at an agreed price by source, under the name of the
    /// tenancy.
    pub lines: Vec<SourceLineAnswer>,
    /// The lines of the base fee of the tenancy, as those of a bill.
    pub fees: Vec<StatementLine>,
    /// The real cost of the energy, without fees; null as the total.
    pub real_cost: Option<String>,
    /// The sum of the amounts; null if nothing is known, or nothing has a price.
    pub total: Option<String>,
    /// Whether all energy is known, and has a source and a price. If not, the total leaves the rest
    /// out.
    pub complete: bool,
    /// The energy of all lines.
    pub energy: Option<f64>,
    /// The share of own energy in that with a known source.
    pub own_share: Option<f64>,
    /// Energy of an unknown source.
    pub unknown: f64,
    /// Energy with a known source and without a price.
    pub unpriced: f64,
    /// The share of the time that is measured.
    pub measured: f64,
    /// The estimated share of the time, with a measured sum only.
    pub estimated: f64,
    /// The unknown share of the time.
    pub missing: f64,
    /// The number of times without readings.
    pub gaps: usize,
    /// The first of them.
    pub listed_gaps: Vec<ListedGap>,
    /// The number of events.
    pub events: usize,
    /// The number of corrections in effect that touch the range.
    pub corrections: usize,
    /// The first of them.
    pub listed_corrections: Vec<ListedCorrection>,
    /// Its assumptions and its limits, in words.
    pub assumes: String,
}

/// A line of such a statement. Absent values are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLineAnswer {
    /// The source: `solar`, `battery`, `stored-grid`, `grid` or `unknown`.
    pub source: String,
    /// The contract's name.
    pub contract: String,
    /// The contract's first day.
    pub contract_from: String,
    /// How much, an exact decimal.
    pub quantity: String,
    /// Its unit, `kWh`.
    pub unit: String,
    /// The price of a kilowatt-hour; where it varied, the mean.
    pub price: String,
    /// The amount.
    pub amount: String,
}

/// A time without readings, to the quarter of an hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedGap {
    /// Its beginning.
    pub from: String,
    /// Its end.
    pub to: String,
}

/// A correction of the sub-meter's readings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCorrection {
    /// Its number in the account.
    pub number: u32,
    /// Its kind.
    pub kind: String,
    /// Its time, or where its range begins.
    pub from: String,
    /// Where its range ends; null without an end.
    pub to: Option<String>,
    /// The reason, in people's words; may be empty.
    pub note: String,
    /// When it was made.
    pub made: String,
    /// By whom.
    pub made_by: String,
}

/// In the words of docs/DECIDE.md.
const ASSUMPTION: &str = "In each quarter of an hour, a sub-meter has the sources of the house in proportion. Energy from the grid has its price with taxes and without fixed charges, own energy the credit that it would have earned. Computed from readings and contracts; no legal validity is claimed.";

/// The same at an agreed price.
const AGREED: &str = "The energy of all sources has the agreed price, and each month the base fee; a month that is not full has a part of it by days. Computed from readings; no legal validity is claimed.";

impl SensorStatementAnswer {
    /// The statement of an account's sub-meter.
    #[must_use]
    pub fn new(account: &Account, found: &SensorStatement) -> Self {
        let coverage = found.coverage();
        let (corrections, listed) = &found.corrections;
        let (gaps, listed_gaps) = &found.gaps;
        let listed_gaps = listed_gaps.iter().map(|gap| ListedGap {
            from: gap.start.to_string(),
            to: gap.end.to_string(),
        });
        let energy = found.measured.flow.map(|flow| flow.net().watthours());
        Self {
            account: account.name.to_string(),
            sensor_id: found.sensor.id.to_string(),
            name: found.sensor.name.clone(),
            from: found.range.start().to_string(),
            to: found.range.end().to_string(),
            currency: found.currency.as_ref().map(|it| it.as_str().to_owned()),
            tenancy: found.charged.as_ref().map(|it| it.tenancy.name.to_string()),
            lines: found.lines.iter().map(SourceLineAnswer::new).collect(),
            fees: found
                .fees()
                .iter()
                .map(|it| StatementLine::new(bill_row(it)))
                .collect(),
            real_cost: found.real_cost().map(|cost| cost.to_string()),
            total: found.total().map(|total| total.to_string()),
            complete: found.is_complete(),
            energy,
            own_share: found.sources.own_share(),
            unknown: found.sources.unknown.watthours(),
            unpriced: found.unpriced().watthours(),
            measured: coverage.measured,
            estimated: coverage.estimated,
            missing: coverage.missing,
            gaps: *gaps,
            listed_gaps: listed_gaps.collect(),
            events: found.events,
            corrections: *corrections,
            listed_corrections: listed.iter().map(ListedCorrection::new).collect(),
            assumes: found
                .agreed_price()
                .map_or(ASSUMPTION, |_| AGREED)
                .to_owned(),
        }
    }
}

impl SourceLineAnswer {
    fn new(line: &SourceLine) -> Self {
        let text = |value: Option<String>| value.unwrap_or_default();
        let contract = line.contract.as_ref();
        Self {
            source: EnergySource::as_str(line.source).to_owned(),
            contract: text(contract.map(|(name, _)| name.to_string())),
            contract_from: text(contract.map(|(_, from)| from.to_string())),
            quantity: kilowatthours(line.energy),
            unit: "kWh".to_owned(),
            price: text(line.price.map(|price| price.to_string())),
            amount: text(line.amount.map(|amount| amount.to_string())),
        }
    }
}

impl ListedCorrection {
    fn new(one: &Correction) -> Self {
        let (from, to) = times_of(one.fact());
        Self {
            number: one.number(),
            kind: one.fact().kind().as_str().to_owned(),
            from: from.to_string(),
            to: to.map(|to| to.to_string()),
            note: one.made().note().to_owned(),
            made: one.made().at().to_string(),
            made_by: one.made().by().to_string(),
        }
    }
}

/// The time of a fact, or the beginning of its range and its end.
fn times_of(fact: &Fact) -> (Timestamp, Option<Timestamp>) {
    match fact {
        Fact::MeterChanged(at, _) | Fact::Event(at, _) | Fact::Utility(at, _) => (*at, Some(*at)),
        Fact::Energy(range, ..) | Fact::Wrong(range) => (range.from(), Some(range.to())),
        Fact::Calibrate(range, _) => (range.from(), range.to()),
    }
}

impl SensorStatement {
    /// It as a table, in the columns of [`crate::ledger::STATEMENT_COLUMNS`].
    #[must_use]
    pub fn rows(&self) -> Vec<StatementRow> {
        let mut rows: Vec<StatementRow> = self.lines.iter().map(line_row).collect();
        rows.extend(self.fees().iter().map(bill_row));
        let total = self.total().map(|total| total.to_string());
        rows.push(statement_row(
            "total",
            <[String; 2]>::default(),
            total.unwrap_or_default(),
        ));
        let energy = |kind, energy| {
            let quantity = [kilowatthours(energy), "kWh".to_owned()];
            statement_row(kind, quantity, String::new())
        };
        let known = self.measured.flow.map(|flow| energy("energy", flow.net()));
        rows.extend(known);
        let unpriced = Some(self.unpriced());
        let unpriced = unpriced.filter(|unpriced| *unpriced != MicroWh::ZERO);
        rows.extend(unpriced.map(|unpriced| energy("unpriced", unpriced)));
        rows.extend(self.coverage().rows());
        let (gaps, listed_gaps) = &self.gaps;
        let (corrections, listed) = &self.corrections;
        for (kind, count) in [
            ("gaps", *gaps),
            ("events", self.events),
            ("corrections", *corrections),
        ] {
            let quantity = [count.to_string(), String::new()];
            rows.push(statement_row(kind, quantity, String::new()));
        }
        let times = |kind: &str, from: String, to: Option<String>| {
            let mut row = statement_row(kind, <[String; 2]>::default(), String::new());
            let [_, _, _, name, part, ..] = &mut row;
            (*name, *part) = (from, to.unwrap_or_default());
            row
        };
        let gaps = listed_gaps.iter();
        rows.extend(gaps.map(|gap| times("gap", gap.start.to_string(), Some(gap.end.to_string()))));
        let listed = listed.iter().map(ListedCorrection::new);
        rows.extend(listed.map(|it| {
            times(
                &format!("correction {} {}", it.number, it.kind),
                it.from,
                it.to,
            )
        }));
        rows
    }
}

fn line_row(line: &SourceLine) -> StatementRow {
    let line = SourceLineAnswer::new(line);
    [
        line.source,
        line.contract,
        line.contract_from,
        String::new(),
        String::new(),
        line.quantity,
        line.unit,
        line.price,
        line.amount,
    ]
}

/// A sub-meter's statement as a table of comma-separated values.
#[must_use]
pub fn sensor_statement_csv(statement: &SensorStatement) -> Vec<u8> {
    csv_of(statement.rows())
}
