//! NDJSON: one JSON object a line becomes a reading.

use std::io::{BufRead as _, BufReader};

use anyhow::Result;
use serde_json::{Map, Value};

use super::columns::Wishes;
use super::number::{Cell, Notation};
use super::source::{RowEnd, Rows, Source};
use super::tally::Row;
use super::times::{Times, shown};
use super::{ReadRows, Scales};
use crate::domain::reading::{Measures, Reading};

/// Lines of JSON that are being read.
pub(super) struct Lines {
    rows: BufReader<Rows>,
    row_end: RowEnd,
    line: Vec<u8>,
    number: u64,
    times: Times,
    time: String,
    measures: [(String, Notation); 2],
    filters: Vec<(String, String)>,
}

impl Lines {
    /// Begins to read `source` line by line. The wishes name keys of the objects.
    pub(super) fn open(source: Source, wishes: Wishes, times: Times, scales: Scales) -> Self {
        let (rows, row_end) = source.rows();
        let measure = |wish: Option<String>, usual: &str, thousands| {
            let notation = Notation {
                decimal_comma: false,
                thousands,
            };
            (wish.unwrap_or_else(|| usual.to_owned()), notation)
        };
        Self {
            rows: BufReader::with_capacity(64 * 1024, rows),
            row_end,
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

    fn row(&mut self) -> Row<Reading> {
        let object: Map<String, Value> = match serde_json::from_slice(&self.line) {
            Ok(object) => object,
            Err(error) => return Row::Bad(format!("expected a JSON object: {error}")),
        };
        let filtered_out = self.filters.iter().any(|(key, wanted)| {
            object
                .get(key)
                .is_none_or(|value| text(value).as_deref() != Some(wanted))
        });
        if filtered_out {
            return Row::Other;
        }
        let time = match object.get(&self.time).map(text) {
            Some(Some(time)) => time,
            Some(None) => return Row::Bad(format!("{}: expected a time", self.time)),
            None => return Row::Bad(format!("{} is missing", self.time)),
        };
        let time = match self.times.read(time.as_bytes()) {
            Ok(time) => time,
            Err(reason) => return Row::Bad(reason),
        };
        let mut values = [None; 2];
        let mut says_none = false;
        for (number, (key, notation)) in values.iter_mut().zip(&self.measures) {
            let Some(value) = object.get(key) else {
                continue;
            };
            match measure(value, *notation) {
                Ok(Cell::Value(value)) => *number = Some(value),
                Ok(Cell::Empty) => {}
                Ok(Cell::NoValue) => says_none = true,
                Err(reason) => return Row::Bad(format!("{key}: {reason}")),
            }
        }
        let [watts, watthours] = values;
        match Measures::new(watts, watthours) {
            Ok(measures) => Row::Reading(Reading { time, measures }),
            Err(_) if says_none => Row::NoValue,
            Err(_) => {
                let [(watts, _), (watthours, _)] = &self.measures;
                Row::Bad(format!("there is neither {watts} nor {watthours} in it"))
            }
        }
    }
}

impl ReadRows for Lines {
    fn next_row(&mut self) -> Result<Option<Row<Reading>>> {
        loop {
            self.line.clear();
            self.row_end.reached();
            if self.rows.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if !self.line.trim_ascii().is_empty() {
                return Ok(Some(self.row()));
            }
        }
    }

    fn line(&self) -> u64 {
        self.number
    }

    fn missing(&self) -> Option<String> {
        None
    }
}

fn measure(value: &Value, notation: Notation) -> Result<Cell, String> {
    match value {
        Value::Null => Ok(Cell::NoValue),
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
