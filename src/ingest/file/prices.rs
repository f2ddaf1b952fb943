//! Files of prices: tables of any form, read as those of readings are, and lists in JSON. The column
//! of prices counts as one of numbers, whose unit is money for energy.

use std::fmt::Display;
use std::io::Read as _;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};

use super::passes::{Passes, empty};
use super::source::ImportSource;
use super::tables::upright;
use crate::domain::{Decimal, Timestamp, Zone};
use crate::ingest::table::{
    DateOrder, DecimalMark, FileValue, Meaning, ParsedRow, TableBytes as _, TableChoice,
    TableOptions, TablePreview, TableRows, TextRows, TimeReader, UnitWishes, When, Wishes, means,
};
use crate::ledger::contract::{
    Label, PriceLength, PriceLine, PriceSeries, PriceUnit, SeriesError, SeriesPrice,
};

/// The longest table, in bytes, unpacked.
const LONGEST: usize = 32 << 20;
/// The bytes that show the form of a table.
const HEAD: usize = 64 * 1024;

/// The terms of a file of prices that it does not have itself.
#[derive(Clone, Debug)]
pub(crate) struct PriceFile {
    /// That of times without one, unless they have the API's own form, which is in UTC.
    pub(crate) zone: Zone,
    /// The column of prices, by its name or its number from 1.
    pub(crate) column: Option<String>,
    pub(crate) unit: Option<PriceUnit>,
    pub(crate) dates: Option<DateOrder>,
    pub(crate) decimals: Option<DecimalMark>,
    pub(crate) length: PriceLength,
}

/// The prices of a file.
pub(crate) struct FilePrices {
    pub(crate) series: PriceSeries,
    /// Whether the user or the file says the unit of the prices.
    pub(crate) has_unit: bool,
}

impl PriceFile {
    /// That of a form or a query, whose fields `get` returns; `wrong` makes an error of a field and its
    /// problem.
    ///
    /// # Errors
    /// Those of `get`, and of a wrong field.
    pub(crate) fn typed<E>(
        (zone, length): (Zone, PriceLength),
        get: impl Fn(&'static str) -> Result<Option<String>, E>,
        wrong: impl Fn(&'static str, String) -> E,
    ) -> Result<Self, E> {
        fn parsed<T: FromStr<Err: Display>, E>(
            text: Option<String>,
            wrong: impl Fn(String) -> E,
        ) -> Result<Option<T>, E> {
            let parsed = text.map(|text| {
                text.parse()
                    .map_err(|error: T::Err| wrong(error.to_string()))
            });
            parsed.transpose()
        }
        Ok(Self {
            zone,
            length,
            column: get("column")?,
            unit: parsed(get("unit")?, |problem| wrong("unit", problem))?,
            dates: parsed(get("dates")?, |problem| wrong("dates", problem))?,
            decimals: parsed(get("decimals")?, |problem| wrong("decimals", problem))?,
        })
    }

    /// Reads a file. Blocks.
    ///
    /// # Errors
    /// The fault and its place, or a question with the remedy; [`SeriesError`] if its prices are no
    /// series.
    pub(crate) fn read(&self, name: Label, bytes: Vec<u8>) -> Result<FilePrices> {
        if bytes.trim_ascii_start().starts_with(b"[") {
            let text = String::from_utf8(bytes).map_err(|_| anyhow!("expected text in UTF-8"))?;
            let terms = (self.unit.as_ref(), self.length);
            let series = PriceSeries::parse_json(name, &text, terms)?;
            return Ok(self.finish(series, None));
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(self.finish(PriceSeries::new(name, Vec::new())?, None));
        }
        let (bytes, behind) = without_units(bytes)?;
        let source = upright(ImportSource::of_small(bytes, None, LONGEST)?)?;
        let text = whole(source)?;
        let preview = TablePreview::read(&text, (&[], None))?.unwrap_or_default();
        let column = self.column(&preview)?;
        // Times in the API's own form mean there what they mean everywhere else: UTC.
        let mut cells = preview.rows.iter().flatten();
        let is_utc = cells.any(|cell| Timestamp::parse(cell).is_ok());
        let zone = Some(self.zone.clone()).filter(|_| !is_utc);
        let unit = self.unit.clone().or(behind).or(unit_in(&column.label));
        let rows = self.rows(&text, (&column, zone), unit.clone())?;
        let series = match rows {
            FileRows::Beginnings(lines) => PriceSeries::from_beginnings(name, lines, self.length)?,
            FileRows::Spans(prices) => PriceSeries::new(name, prices)?,
        };
        Ok(self.finish(series, unit))
    }

    fn finish(&self, series: PriceSeries, unit: Option<PriceUnit>) -> FilePrices {
        let unit = unit.or_else(|| self.unit.clone());
        FilePrices {
            series: series.in_currency(unit.as_ref().and_then(PriceUnit::currency)),
            has_unit: unit.is_some(),
        }
    }

    /// The column of prices: the one that is named, the only one whose name says prices, or the only
    /// one of numbers.
    fn column(&self, preview: &TablePreview) -> Result<TableChoice> {
        if let Some(wish) = &self.column {
            let mut known = preview.columns.iter();
            let known = known.find(|one| one.wish == *wish || one.label == *wish);
            return Ok(known.cloned().unwrap_or_else(|| TableChoice {
                wish: wish.clone(),
                label: wish.clone(),
            }));
        }
        let is_price =
            |one: &&TableChoice| unit_in(&one.label).is_some() || means(&one.label, Meaning::Money);
        let said: Vec<_> = preview.numbers.iter().filter(is_price).collect();
        match (said.as_slice(), preview.numbers.as_slice()) {
            ([one], _) => Ok((*one).clone()),
            ([], [one]) => Ok(one.clone()),
            // A table of times and prices whose first prices are missing.
            ([], []) => Ok(TableChoice {
                wish: "2".to_owned(),
                label: String::new(),
            }),
            _ => {
                let names = preview.numbers.iter().map(|one| one.label.as_str());
                bail!(
                    "it has several columns of numbers: choose the one of prices with column: they are {}",
                    names.collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    fn rows(
        &self,
        text: &[u8],
        (column, zone): (&TableChoice, Option<Zone>),
        unit: Option<PriceUnit>,
    ) -> Result<FileRows> {
        let unit = unit.or_else(|| "1/kWh".parse().ok());
        let head = text.get(..HEAD).unwrap_or(text);
        let mut rows = TableRows::open(TextRows::new(text), head, self.options(column, zone))?;
        let (mut passes, mut found) = (Passes::default(), Vec::new());
        passes.set_zone(rows.zone());
        while let Some(row) = rows.next_row()? {
            if found.len() > PriceSeries::MOST_PRICES {
                bail!(SeriesError::TooMany);
            }
            let line = rows.line();
            let value = match row {
                ParsedRow::Value(value) => Some(value),
                ParsedRow::Empty(at) => Some(empty(at)),
                // Such a row ends the price before it.
                ParsedRow::NoValue => rows
                    .last()
                    .map(|(_, _, when)| FileValue::new(when, None, None)),
                ParsedRow::Other => None,
                ParsedRow::Bad(why) => bail!(
                    "line {line}: expected a time and a price, such as 2026-01-05T10:00:00Z,0.0873: {why}"
                ),
            };
            if let Some(value) = value
                && let Some(value) = passes.take(value, line).map_err(anyhow::Error::msg)?
            {
                found.push(PricedRow::of((&value, line), unit.as_ref())?);
            }
        }
        let [thousands, _] = rows.verdict().map_err(anyhow::Error::msg)?;
        let (waiting, _) = passes.resolve().map_err(anyhow::Error::msg)?;
        for (value, line) in waiting {
            found.push(PricedRow::of((&value, line), unit.as_ref())?);
        }
        FileRows::of(found, thousands)
    }

    fn options(&self, column: &TableChoice, zone: Option<Zone>) -> TableOptions {
        TableOptions {
            wishes: Wishes {
                watts: Some(column.wish.clone()),
                decimals: self.decimals,
                ..Wishes::default()
            },
            // Prices of tomorrow are known today.
            times: TimeReader::new(zone, self.dates, Timestamp::MAX),
            units: UnitWishes::default(),
            has_intervals: None,
            says_intervals: false,
            counts_only: true,
            sensor: None,
            account_zone: None,
            formats: Arc::from([]),
        }
    }
}

/// The rows of a file.
enum FileRows {
    /// Prices from a time on.
    Beginnings(Vec<PriceLine>),
    /// Prices between two times.
    Spans(Vec<SeriesPrice>),
}

impl FileRows {
    /// `thousands` tells that a doubtful separator separates those.
    fn of(rows: Vec<PricedRow>, thousands: bool) -> Result<Self> {
        let (mut lines, mut spans) = (Vec::new(), Vec::new());
        for row in rows {
            let times = if row.is_doubtful && thousands {
                1_000
            } else {
                1
            };
            let price = row
                .price
                .map(|price| Decimal::from_millionths(price.millionths() * times));
            match (row.when, price) {
                (When::At(time) | When::From(time), price) => lines.push((time, price)),
                (When::Between(from, to), Some(price)) => {
                    spans.push(SeriesPrice { from, to, price });
                }
                (When::Between(..), None) => {}
                (When::Until(_), _) => {
                    bail!("its times are ends: expected the time when a price begins")
                }
            }
        }
        Ok(if spans.is_empty() {
            Self::Beginnings(lines)
        } else {
            Self::Spans(spans)
        })
    }
}

/// A row with its price, rounded to a millionth: smaller than its values, because a file may have a
/// million.
struct PricedRow {
    when: When,
    price: Option<Decimal>,
    is_doubtful: bool,
}

impl PricedRow {
    fn of((value, line): (&FileValue, u64), unit: Option<&PriceUnit>) -> Result<Self> {
        let price = value.watts.map(|number| {
            // Twelve digits are those of the file: a number has sixteen, and prices have up to six
            // before the point.
            let price = unit.and_then(|unit| unit.price(&format!("{number:.12}")));
            price.ok_or_else(|| {
                anyhow!(
                    "line {line}: expected a price from -999999.999999 to 999999.999999 per kWh"
                )
            })
        });
        let [is_doubtful, _] = value.doubtful;
        Ok(Self {
            when: value.when,
            price: price.transpose()?,
            is_doubtful,
        })
    }
}

/// The text of a source, which is bounded as a whole.
fn whole(source: ImportSource) -> Result<Vec<u8>> {
    let (mut rows, mut text) = (source.rows(), Vec::new());
    let mut part = vec![0; HEAD];
    loop {
        // The reader of the table bounds its rows.
        rows.row_ended();
        match rows.read(&mut part)? {
            0 => return Ok(text),
            count => text.extend_from_slice(part.get(..count).unwrap_or_default()),
        }
    }
}

/// The unit of prices in a name, such as `Day-ahead Price (EUR/MWh)` or `ct per kWh`.
fn unit_in(name: &str) -> Option<PriceUnit> {
    let joined = name.replace(" per ", "/").replace(" je ", "/");
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';');
    let mut words = joined.split(is_edge);
    words.find_map(unit)
}

/// A unit of prices, however its energy is spelled.
fn unit(word: &str) -> Option<PriceUnit> {
    let (money, energy) = word.split_once('/')?;
    let energy = ["kWh", "MWh"]
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(energy))?;
    let money = match money.to_lowercase().as_str() {
        "cent" | "cents" | "ct" => "ct",
        _ => money,
    };
    format!("{money}/{energy}").parse().ok()
}

/// A text without units behind its prices, such as in `0.30 EUR/kWh`, and that unit.
///
/// # Errors
/// If there are several.
fn without_units(bytes: Vec<u8>) -> Result<(Vec<u8>, Option<PriceUnit>)> {
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return Ok((bytes, None));
    };
    let (mut out, mut found) = (String::new(), None::<PriceUnit>);
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, behind) = rest.split_at(at);
        let money = before
            .rfind(|c: char| c.is_ascii_digit() || matches!(c, ' ' | '\n'))
            .map_or(0, |at| at + 1);
        let number = before
            .get(..money)
            .unwrap_or_default()
            .trim_end_matches(' ');
        let end = behind
            .char_indices()
            .skip(1)
            .find(|(_, c)| !c.is_ascii_alphabetic())
            .map_or(behind.len(), |(at, _)| at);
        let word = [
            before.get(money..).unwrap_or_default(),
            behind.get(..end).unwrap_or_default(),
        ]
        .concat();
        let unit = unit(&word).filter(|_| number.ends_with(|c: char| c.is_ascii_digit()));
        match unit {
            None => {
                out.push_str(before);
                out.push_str(behind.get(..end).unwrap_or_default());
            }
            Some(unit) => {
                out.push_str(number);
                if found.as_ref().is_some_and(|known| *known != unit) {
                    bail!("its prices have several units: split the file");
                }
                found = Some(unit);
            }
        }
        rest = behind.get(end..).unwrap_or_default();
    }
    if found.is_none() {
        return Ok((bytes, None));
    }
    out.push_str(rest);
    Ok((out.into_bytes(), found))
}
