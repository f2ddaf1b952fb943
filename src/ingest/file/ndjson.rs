//! NDJSON: each line is a JSON object that becomes a reading.

use std::io::{BufRead as _, BufReader};

use anyhow::Result;
use serde_json::Value;

use super::intake::FileIntake;
use super::source::{ImportSource, RowBytes};
use crate::ingest::Quantity;
use crate::ingest::table::{
    Cell, ImportMeasure, ParsedRow, SeriesUnit, TableBytes as _, TimeFault, TimeReader, UnitWishes,
    When, Wishes, plain_number, shown,
};
use crate::ingest::wanted::WantedPlaces;

/// The lines being read.
struct NdjsonRows {
    rows: BufReader<RowBytes>,
    line: Vec<u8>,
    times: TimeReader,
    time: String,
    measures: [(String, SeriesUnit); 2],
    filters: Vec<(String, String)>,
    /// The keys of all of these.
    wanted: WantedPlaces,
}

/// Reads `source` line by line. The wishes are keys of its objects.
///
/// # Errors
/// If it cannot be read.
pub(super) fn read_ndjson(
    source: ImportSource,
    wishes: &Wishes,
    times: TimeReader,
    units: UnitWishes,
    intake: &mut FileIntake,
) -> Result<()> {
    let measure = |wish: &Option<String>, usual: &str, measure, quantity| {
        let unit = units.given(measure).unwrap_or(SeriesUnit::one(quantity));
        (wish.clone().unwrap_or_else(|| usual.to_owned()), unit)
    };
    let mut lines = NdjsonRows {
        rows: BufReader::with_capacity(64 * 1024, source.rows()),
        line: Vec::new(),
        times,
        time: wishes.time.clone().unwrap_or_else(|| "time".into()),
        measures: [
            measure(
                &wishes.watts,
                "watts",
                ImportMeasure::Power,
                Quantity::WATTS,
            ),
            measure(
                &wishes.watthours,
                "watthours",
                ImportMeasure::Register,
                Quantity::WATTHOURS,
            ),
        ],
        filters: wishes.filters.clone(),
        wanted: WantedPlaces::default(),
    };
    let keys = lines.measures.iter().map(|(key, _)| key);
    let filters = lines.filters.iter().map(|(key, _)| key);
    lines.wanted = WantedPlaces::members(keys.chain(filters).chain([&lines.time]));
    intake.has_columns = true;
    intake.passes.set_zone(lines.times.zone());
    let mut number = 0;
    loop {
        lines.line.clear();
        lines.rows.get_mut().row_ended();
        // `RowBytes` bounds the line: without an end it is an error after 4 MiB.
        if lines.rows.read_until(b'\n', &mut lines.line)? == 0 {
            return Ok(());
        }
        number += 1;
        if !lines.line.trim_ascii().is_empty() {
            let row = lines.row().unwrap_or_else(ParsedRow::Bad);
            if let (true, ParsedRow::Value(value)) = (intake.lists(), &row) {
                for ((name, unit), number) in
                    lines.measures.iter().zip([value.watts, value.watthours])
                {
                    if number.is_some() {
                        intake.count(name, Some(unit.measure().base()), value.when);
                    }
                }
            }
            intake.take(row, number)?;
        }
    }
}

impl NdjsonRows {
    fn row(&mut self) -> Result<ParsedRow, String> {
        let object = self.wanted.read(&self.line);
        let object = object.map_err(|error| format!("expected a JSON object: {error}"))?;
        let Value::Object(object) = object else {
            return Err("expected a JSON object".to_owned());
        };
        let is_filtered_out = self.filters.iter().any(|(key, wanted)| {
            object
                .get(key)
                .is_none_or(|value| text(value).as_deref() != Some(wanted))
        });
        if is_filtered_out {
            return Ok(ParsedRow::Other);
        }
        let key = &self.time;
        let time = object.get(key).ok_or_else(|| format!("{key} is missing"))?;
        let time = text(time).ok_or_else(|| format!("{key}: expected a time"))?;
        let label = self.times.label(time.as_bytes())?;
        let time = self.times.start(label, When::At);
        let time = time.map_err(TimeFault::into_text)?;
        let mut cells = [Cell::Empty; 2];
        for (cell, (key, unit)) in cells.iter_mut().zip(&self.measures) {
            if let Some(value) = object.get(key) {
                *cell = measure(value, *unit).map_err(|reason| format!("{key}: {reason}"))?;
            }
        }
        Ok(ParsedRow::new(time, cells, false, || {
            let [(watts, _), (watthours, _)] = &self.measures;
            format!("it has neither {watts} nor {watthours}")
        }))
    }
}

fn measure(value: &Value, unit: SeriesUnit) -> Result<Cell, String> {
    let number = match value {
        Value::Null => return Ok(Cell::NoValue),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let text = text.as_bytes();
            match plain_number(text)
                .map_err(|expected| format!("{expected}, got {}", shown(text)))?
            {
                Cell::Value(number) => Some(number),
                other => return Ok(other),
            }
        }
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err("expected a number".into());
        }
    };
    let number = number.and_then(|number| unit.convert(number));
    number
        .map(Cell::Value)
        .ok_or_else(|| "expected a finite number".to_owned())
}

/// A string or number as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
