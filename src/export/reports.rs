//! Reports of the ledger: energy and costs by the hour, and the bill of each month.

use std::iter::successors;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ExportSource;
use super::files::{Content, ExportFiles};
use crate::admin::{
    AccountRow, EnergyForm, LedgerRequest, ReadingRange, Request, StatementForm, StatementOf,
};
use crate::domain::{Calendar, Interval, LocalDate, Timestamp, Zone};
use crate::house::{EnergyColumn, StatementAnswer};

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
    pub(super) sensors: Vec<String>,
    /// The time of its first reading.
    pub(super) first: Option<Timestamp>,
}

/// A begin and an end.
type Span = (Timestamp, Timestamp);

/// A span, and the intervals of its rows; `None` for one row.
type ReportPiece = (Span, Option<Interval>);

/// Where reports come from, and where they go.
pub(super) struct Reports<'r, 'a> {
    pub(super) store: &'a dyn ExportSource,
    pub(super) files: &'r mut ExportFiles<'a>,
    /// Their end.
    pub(super) now: Timestamp,
}

impl Reports<'_, '_> {
    /// The energy and the costs of the house or of a sensor by the hour, corrected. A year without
    /// readings is one row: one reading of long ago must not cost thousands of hours.
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
            let mut hours = Calendar::new(house.zone.clone(), Interval::Hour);
            for (span, by) in house.pieces(store, &sensors, span)? {
                for row in rows(store, house, of, (span, by))? {
                    let start = Timestamp::parse(&row.t)?;
                    let hour = hours.bucket(start).end().saturating_add_millis(1);
                    let end = by.map_or(span.1, |_| hour.min(span.1));
                    let value = |column: &EnergyColumn| row.values.get(column.as_str());
                    let mut known = columns.iter().filter(|it| **it != EnergyColumn::Partial);
                    if !known.any(|it| value(it).is_some()) {
                        continue;
                    }
                    let cell = |column| value(column).map_or_else(String::new, Value::to_string);
                    let span = [row.t.clone(), end.to_string()];
                    table.write_record(span.into_iter().chain(columns.iter().map(cell)))?;
                    count += 1;
                }
            }
            table.flush()?;
            Ok(count)
        })
    }

    /// The lines of each month's bill; a year without readings is one.
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
            let months = house.pieces(store, &house.sensors, span)?.into_iter();
            for ((from, to), _) in months.filter(|((_, to), _)| *to > first) {
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
    pub(super) fn of(account: &AccountRow) -> Result<Self> {
        Ok(Self {
            name: account.account.clone(),
            zone: Zone::parse(&account.tz)?,
            sensors: Vec::new(),
            first: None,
        })
    }

    /// The months of each year with readings of these sensors, by hours; a year without is one piece. Of a
    /// month, not of a year, because all rows of a piece are in memory at once.
    fn pieces(
        &self,
        store: &dyn ExportSource,
        sensors: &[String],
        span: Span,
    ) -> Result<Vec<ReportPiece>> {
        let mut pieces = Vec::new();
        for year in self.spans(12, span) {
            if has_readings(store, sensors, year)? {
                let months = self.spans(1, year).into_iter();
                pieces.extend(months.map(|month| (month, Some(Interval::Hour))));
            } else {
                pieces.push((year, None));
            }
        }
        Ok(pieces)
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
        let ends = begins.iter().copied().skip(1).chain([end]);
        begins.iter().copied().zip(ends).collect()
    }
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

/// The energy of a span, by intervals or as one row.
fn rows(
    store: &dyn ExportSource,
    house: &ExportedHouse,
    of: Option<&str>,
    ((from, to), by): (Span, Option<Interval>),
) -> Result<Vec<EnergyValues>> {
    let form = EnergyForm {
        account: Some(house.name.clone()),
        sensor: of.map(str::to_owned),
        from: Some(from.to_string()),
        to: Some(to.to_string()),
        year_earlier: false,
        by,
        with_sources: false,
    };
    let text: String = store.ask(Request::Ledger(LedgerRequest::Energy(form)))?;
    let answer: EnergyRows = serde_json::from_str(&text)?;
    Ok(answer.data)
}

/// Rows of energy, as the ledger answers.
#[derive(Deserialize)]
struct EnergyRows {
    data: Vec<EnergyValues>,
}

/// When a row begins, and its known values.
#[derive(Deserialize)]
struct EnergyValues {
    t: String,
    #[serde(flatten)]
    values: Map<String, Value>,
}
