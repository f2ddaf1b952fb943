//! Reports of the ledger: energy and costs by the hour, and the bill of each month.

use std::iter::successors;

use anyhow::Result;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::ExportSource;
use super::files::{Content, ExportFiles};
use crate::admin::{
    AccountRow, ContractRequest, EnergyForm, LedgerRequest, ReadingRange, Request, StatementForm,
    StatementOf,
};
use crate::domain::{Calendar, Interval, LocalDate, Timestamp, Zone};
use crate::house::{EnergyColumn, StatementAnswer};
use crate::ledger::contract::Contracts;

/// The columns of energy and costs of a house, by the hour.
const HOUSE_COLUMNS: [EnergyColumn; 13] = [
    EnergyColumn::Imported,
    EnergyColumn::Exported,
    EnergyColumn::Produced,
    EnergyColumn::Charged,
    EnergyColumn::Discharged,
    EnergyColumn::Used,
    EnergyColumn::SelfConsumed,
    EnergyColumn::Other,
    EnergyColumn::Cost,
    EnergyColumn::Credit,
    EnergyColumn::Estimated,
    EnergyColumn::Partial,
    EnergyColumn::Unpriced,
];
/// Those of a sensor.
const SENSOR_COLUMNS: [EnergyColumn; 8] = [
    EnergyColumn::Energy,
    EnergyColumn::Imported,
    EnergyColumn::Exported,
    EnergyColumn::Cost,
    EnergyColumn::Credit,
    EnergyColumn::Estimated,
    EnergyColumn::Partial,
    EnergyColumn::Unpriced,
];
const STATEMENT_COLUMNS: [&str; 12] = [
    "from",
    "to",
    "currency",
    "kind",
    "contract",
    "contract_from",
    "name",
    "part",
    "quantity",
    "unit",
    "price",
    "amount",
];

/// An account.
pub(super) struct ExportedHouse {
    pub(super) name: String,
    zone: Zone,
    contracts: Contracts,
    pub(super) sensors: Vec<String>,
    /// The time of its first reading.
    pub(super) first: Option<Timestamp>,
}

/// A row of a list of contracts.
#[derive(Deserialize)]
struct ContractOf<'a> {
    #[serde(borrow)]
    contract: &'a RawValue,
}

/// A start and an end.
type Span = (Timestamp, Timestamp);

/// Where reports come from, and where they go.
pub(super) struct Reports<'r, 'a> {
    pub(super) store: &'a dyn ExportSource,
    pub(super) files: &'r mut ExportFiles<'a>,
    /// Their end.
    pub(super) now: Timestamp,
}

impl Reports<'_, '_> {
    /// The energy and the costs of the house or of a sensor by the hour, corrected. A year without
    /// readings has months: one reading of long ago must not cost thousands of hours.
    pub(super) fn energy(
        &mut self,
        house: &ExportedHouse,
        of: Option<&str>,
        first: Timestamp,
    ) -> Result<()> {
        let content = Content {
            kind: if of.is_some() { "energy" } else { "house" },
            account: &house.name,
            name: of.unwrap_or(&house.name),
        };
        let columns = if of.is_some() {
            &SENSOR_COLUMNS[..]
        } else {
            &HOUSE_COLUMNS
        };
        let (store, span) = (self.store, (first, self.now));
        self.files.file(content, "csv", |file| {
            let mut table = csv::Writer::from_writer(file);
            let names = columns.iter().map(|column| column.as_str());
            table.write_record(["from", "to"].into_iter().chain(names))?;
            let mut count = 0;
            let sensors = of.map_or_else(|| house.sensors.clone(), |one| vec![one.to_owned()]);
            for ((from, to), has_readings) in house.years(store, &sensors, span)? {
                let by = if has_readings {
                    Interval::Hour
                } else {
                    Interval::Month
                };
                let mut intervals = Calendar::new(house.zone.clone(), by);
                // From the start of the billing period, so that its peak is billed once.
                let asked = (house.contracts.demand_from(from, &house.zone), to);
                let answer = energy(store, house, of, (asked, by))?;
                let answer: EnergyRows<'_> = serde_json::from_str(&answer)?;
                for row in answer.data {
                    let row: EnergyValues = serde_json::from_str(row.get())?;
                    let start = Timestamp::parse(&row.t)?;
                    if start < from {
                        continue;
                    }
                    let end = intervals.bucket(start).end().saturating_add_millis(1);
                    let value = |column: &EnergyColumn| row.values.get(column.as_str());
                    let mut known = columns.iter().filter(|it| **it != EnergyColumn::Partial);
                    if !known.any(|it| value(it).is_some()) {
                        continue;
                    }
                    let cell = |column| value(column).map_or_else(String::new, Value::to_string);
                    let span = [row.t.clone(), end.min(to).to_string()];
                    table.write_record(span.into_iter().chain(columns.iter().map(cell)))?;
                    count += 1;
                }
            }
            table.flush()?;
            Ok(count)
        })
    }

    /// The lines of each month's bill; a year without readings has one bill. Where a demand charge has its
    /// peak in a billing period, bills begin with those periods.
    pub(super) fn statements(&mut self, house: &ExportedHouse, first: Timestamp) -> Result<()> {
        let content = Content {
            kind: "statements",
            account: &house.name,
            name: &house.name,
        };
        let (store, span) = (self.store, (first, self.now));
        self.files.file(content, "csv", |file| {
            // The names of the columns are those of the fields; it does not know them of a part.
            let mut table = csv::WriterBuilder::new()
                .has_headers(false)
                .from_writer(file);
            table.write_record(STATEMENT_COLUMNS)?;
            let mut count = 0;
            for (from, to) in house.bills(store, span)? {
                let form = StatementForm {
                    account: Some(house.name.clone()),
                    from: Some(from.to_string()),
                    to: Some(to.to_string()),
                    year_earlier: false,
                };
                let asked = LedgerRequest::Statement(form, StatementOf::default());
                let found: Box<StatementAnswer> = store.ask(Request::Ledger(asked))?;
                let currency = found.currency.unwrap_or_default();
                for line in &found.lines {
                    table.serialize((&found.from, &found.to, &currency, line))?;
                    count += 1;
                }
            }
            table.flush()?;
            Ok(count)
        })
    }
}

impl ExportedHouse {
    pub(super) fn of(store: &dyn ExportSource, account: &AccountRow) -> Result<Self> {
        let contracts = Request::Contracts(ContractRequest::List {
            account: Some(account.account.clone()),
        });
        let contracts: Vec<String> = store.ask(contracts)?;
        let contracts = contracts.iter().map(|row| serde_json::from_str(row));
        let contracts: Vec<ContractOf<'_>> = contracts.collect::<Result<_, _>>()?;
        let contracts: Vec<&str> = contracts.iter().map(|row| row.contract.get()).collect();
        Ok(Self {
            name: account.account.clone(),
            zone: Zone::parse(&account.tz)?,
            contracts: Contracts::parse(&format!("[{}]", contracts.join(",")))?,
            sensors: Vec::new(),
            first: None,
        })
    }

    /// The years of a span, and whether these sensors have readings in each.
    fn years(
        &self,
        store: &dyn ExportSource,
        sensors: &[String],
        span: Span,
    ) -> Result<Vec<(Span, bool)>> {
        let years = self.spans(12, span).into_iter();
        let known = years.map(|year| Ok((year, has_readings(store, sensors, year)?)));
        known.collect()
    }

    /// The spans of its bills.
    fn bills(&self, store: &dyn ExportSource, (first, end): Span) -> Result<Vec<Span>> {
        let mut begins = Vec::new();
        for (year, has_readings) in self.years(store, &self.sensors, (first, end))? {
            let months = if has_readings { 1 } else { 12 };
            for (from, _) in self.spans(months, year) {
                let begin = self.contracts.demand_from(from, &self.zone);
                if begins.last().is_none_or(|before| *before < begin) {
                    begins.push(begin);
                }
            }
        }
        Ok(until(begins, end).filter(|(_, to)| *to > first).collect())
    }

    /// The spans of so many months, from the one with `first` until `end`.
    fn spans(&self, months: u8, (first, end): Span) -> Vec<Span> {
        let date = LocalDate::at(first, &self.zone);
        let begin = (date.year(), (date.month() - 1) / months * months + 1);
        let next = |(year, month): &(i32, u8)| match *month + months {
            month @ 1..=12 => Some((*year, month)),
            _ => Some((*year + 1, 1)),
        };
        let days =
            successors(Some(begin), next).map_while(|(year, month)| LocalDate::new(year, month, 1));
        let begins: Vec<Timestamp> = days
            .map(|day| day.start(&self.zone))
            .take_while(|begin| *begin < end)
            .collect();
        until(begins, end).collect()
    }
}

/// Spans that begin then, each until the next one or until `end`.
fn until(begins: Vec<Timestamp>, end: Timestamp) -> impl Iterator<Item = Span> {
    let ends: Vec<Timestamp> = begins.iter().copied().skip(1).chain([end]).collect();
    begins.into_iter().zip(ends)
}

/// Whether any of these sensors has a reading in a span.
fn has_readings(store: &dyn ExportSource, sensors: &[String], (from, to): Span) -> Result<bool> {
    for sensor in sensors {
        let count: u64 = store.ask(Request::CountReadings(ReadingRange {
            sensor: sensor.clone(),
            start_ms: from.millis(),
            end_ms: to.millis() - 1,
        }))?;
        if count > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The energy of a span by intervals, as [`EnergyRows`].
fn energy(
    store: &dyn ExportSource,
    house: &ExportedHouse,
    of: Option<&str>,
    ((from, to), by): (Span, Interval),
) -> Result<String> {
    let form = EnergyForm {
        account: Some(house.name.clone()),
        sensor: of.map(str::to_owned),
        from: Some(from.to_string()),
        to: Some(to.to_string()),
        year_earlier: false,
        by: Some(by),
        with_sources: false,
    };
    store.ask(Request::Ledger(LedgerRequest::Energy(form)))
}

/// Rows of energy, as the ledger answers. Each is read when it is written: as values, the hours of a year
/// take many times the memory of their text.
#[derive(Deserialize)]
struct EnergyRows<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
}

/// When a row begins, and its known values.
#[derive(Deserialize)]
struct EnergyValues {
    t: String,
    #[serde(flatten)]
    values: Map<String, Value>,
}
