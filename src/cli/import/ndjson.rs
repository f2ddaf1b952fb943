//! NDJSON: each line is a JSON object that becomes a reading.

use std::io::{BufRead as _, BufReader};

use serde_json::{Map, Value};

use super::rows::ReadRows;
use super::source::{ImportSource, RowBytes};
use crate::ingest::table::{
    Cell, Notation, ParsedRow, Scales, TableBytes as _, TimeReader, Wishes, shown,
};

/// Lines of JSON that are being read.
pub(super) struct NdjsonRows {
    rows: BufReader<RowBytes>,
    line: Vec<u8>,
    number: u64,
    times: TimeReader,
    time: String,
    measures: [(String, Notation); 2],
    filters: Vec<(String, String)>,
}

impl NdjsonRows {
    /// Begins to read `source` line by line. The wishes are keys of the objects.
    pub(super) fn open(
        source: ImportSource,
        wishes: Wishes,
        times: TimeReader,
        scales: Scales,
    ) -> Self {
        let measure = |wish: Option<String>, usual: &str, thousands| {
            // JSON has no decimal commas.
            let notation = Notation {
                decimal_comma: false,
                thousands,
            };
            (wish.unwrap_or_else(|| usual.to_owned()), notation)
        };
        Self {
            rows: BufReader::with_capacity(64 * 1024, source.rows()),
            line: Vec::new(),
            number: 0,
            times,
            time: wishes.time.unwrap_or_else(|| "time".into()),
            measures: [
                measure(wishes.watts, "watts", scales.kilowatts),
                measure(wishes.watthours, "watthours", scales.kilowatthours),
            ],
            filters: wishes.filters,
        }
    }

    fn row(&mut self) -> Result<ParsedRow, String> {
        let object: Map<String, Value> = serde_json::from_slice(&self.line)
            .map_err(|error| format!("expected a JSON object: {error}"))?;
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
        let time = self.times.read(time.as_bytes())?;
        let mut cells = [Cell::Empty; 2];
        for (cell, (key, notation)) in cells.iter_mut().zip(&self.measures) {
            if let Some(value) = object.get(key) {
                *cell = measure(value, *notation).map_err(|reason| format!("{key}: {reason}"))?;
            }
        }
        Ok(ParsedRow::new(time, cells, false, || {
            let [(watts, _), (watthours, _)] = &self.measures;
            format!("it has neither {watts} nor {watthours}")
        }))
    }
}

impl ReadRows for NdjsonRows {
    fn next_row(&mut self) -> anyhow::Result<Option<ParsedRow>> {
        loop {
            self.line.clear();
            self.rows.get_mut().row_ended();
            // `RowBytes` bounds the line: without an end it is an error after 4 MiB.
            if self.rows.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(self.row().unwrap_or_else(ParsedRow::Bad)));
            }
        }
    }

    fn place(&self) -> String {
        format!("line {}", self.number)
    }
}

fn measure(value: &Value, notation: Notation) -> Result<Cell, String> {
    match value {
        Value::Null => Ok(Cell::NoValue),
        // A number in thousands is read as text, because moving its decimal point is exact.
        Value::Number(number) if !notation.thousands => number
            .as_f64()
            .map(Cell::Value)
            .ok_or_else(|| "expected a finite number".to_owned()),
        Value::Number(_) | Value::String(_) => {
            let text = text(value).unwrap_or_default();
            notation
                .read(text.as_bytes())
                .map_err(|expected| format!("{expected}, got {}", shown(text.as_bytes())))
        }
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err("expected a number".into()),
    }
}

/// A string or number as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
