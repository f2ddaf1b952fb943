//! Series of Prometheus and `VictoriaMetrics`, one JSON object per line:
//!
//! ```text
//! {"metric":{"__name__":"house_energy_kwh","job":"x"},"values":[1.5,null],"timestamps":[1549891472010,1549891487724]}
//! {"metric":{"__name__":"house_power_w"},"values":[[1767607200.5,"234"],[1767607210,"240"]]}
//! ```
//!
//! The first is the answer of `VictoriaMetrics`'
//! [`/api/v1/export`](https://docs.victoriametrics.com/#how-to-export-data-in-json-line-format),
//! with times in milliseconds. The second is an element of `.data.result` of Prometheus'
//! [`/api/v1/query_range`](https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries),
//! with times in seconds.
//!
//! - `json`: a line

mod json;

use std::io::{BufRead as _, BufReader};
use std::vec;

use anyhow::{Result, bail};
use serde::de::DeserializeSeed as _;

use self::json::{LineSeed, MetricLine};
use crate::cli::import::counts::SeriesCounts;
use crate::cli::import::rows::ReadRows;
use crate::cli::import::selection::{LabeledSeries, SeriesSelection};
use crate::cli::import::source::{ImportSource, RowBytes};
use crate::cli::import::unit::{SeriesUnit, UnitWishes};
use crate::ingest::table::{ParsedRow, TableBytes as _, TimeReader, Wishes};

/// Reads line after line.
struct MetricLines {
    source: BufReader<RowBytes>,
    /// The number of lines read.
    number: u64,
    times: TimeReader,
}

/// The readings of the chosen series.
pub(in crate::cli::import) struct MetricRows {
    lines: MetricLines,
    selection: SeriesSelection,
    /// The points of the current line, and their unit.
    points: std::iter::Zip<vec::IntoIter<f64>, vec::IntoIter<f64>>,
    unit: Option<SeriesUnit>,
}

impl MetricLine {
    /// Calls `with` for the line's series.
    fn series<T>(&self, with: impl FnOnce(&LabeledSeries) -> T) -> T {
        let labels: Vec<_> = self
            .labels
            .iter()
            .map(|it| (it.0.as_str(), it.1.as_str()))
            .collect();
        let name = labels
            .iter()
            .find(|it| it.0 == "__name__")
            .map_or("", |it| it.1);
        let others = labels.iter().filter(|it| it.0 != "__name__");
        let others: Vec<_> = others
            .map(|(name, value)| format!("{name}={value:?}"))
            .collect();
        let full = match others.as_slice() {
            [] => name.to_owned(),
            others => format!("{name}{{{}}}", others.join(",")),
        };
        with(&LabeledSeries {
            name,
            labels: &labels,
            full,
            unit: unit_in_name(name),
        })
    }

    /// Checks that each value has a time.
    fn check_points(&self) -> Result<(), String> {
        let (values, times) = (self.values.len(), self.times.len());
        if values == times {
            return Ok(());
        }
        Err(format!("it has {values} values, but {times} timestamps"))
    }
}

/// The unit in a metric's name, by the [conventions](https://prometheus.io/docs/practices/naming/)
/// of Prometheus and those of Home Assistant.
fn unit_in_name(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix("_total").unwrap_or(name);
    let name = name.strip_suffix("_value").unwrap_or(name);
    let (_, last) = name.rsplit_once('_').unwrap_or(("", name));
    let units = [
        ("watts", "W"),
        ("w", "W"),
        ("kilowatts", "kW"),
        ("kw", "kW"),
        ("wh", "Wh"),
        ("watthours", "Wh"),
        ("kwh", "kWh"),
        ("mwh", "MWh"),
        ("joules", "J"),
    ];
    let own = units
        .iter()
        .find(|(ending, _)| last.eq_ignore_ascii_case(ending));
    own.map(|(_, unit)| *unit)
}

impl MetricLines {
    fn open(source: ImportSource, times: TimeReader) -> Self {
        Self {
            source: BufReader::with_capacity(64 * 1024, source.lines()),
            number: 0,
            times,
        }
    }

    /// Reads the next line; `choose` decides from its series whether its values are wanted. `None`
    /// after the last, and an error in words for a malformed line.
    fn next(
        &mut self,
        choose: impl FnOnce(&mut MetricLine),
    ) -> Result<Option<Result<MetricLine, String>>> {
        self.source.get_mut().row_ended();
        loop {
            let space = self.source.fill_buf()?.first().copied();
            match space {
                None => return Ok(None),
                Some(byte) if byte.is_ascii_whitespace() => self.source.consume(1),
                Some(_) => break,
            }
        }
        self.number += 1;
        let mut line = MetricLine::default();
        let mut json = serde_json::Deserializer::from_reader(&mut self.source);
        let seed = LineSeed {
            line: &mut line,
            choose: Some(choose),
        };
        let read = seed.deserialize(&mut json);
        match read {
            Ok(()) => Ok(Some(Ok(line))),
            Err(error) if error.is_io() => Err(error.into()),
            Err(error) => {
                // The rest of the line cannot be interpreted.
                self.source.skip_until(b'\n')?;
                let why = error.to_string();
                let why = why.split(" at line ").next().unwrap_or_default();
                Ok(Some(Err(format!("expected a series as JSON: {why}"))))
            }
        }
    }
}

impl MetricRows {
    /// Whether a stream that begins with `head` has one series per line.
    pub(in crate::cli::import) fn begin_so(head: &[u8]) -> bool {
        let rest = head.trim_ascii_start().strip_prefix(b"{");
        rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"metric\""))
    }

    /// Begins to read `source`.
    ///
    /// # Errors
    /// If the wishes do not apply to it.
    pub(in crate::cli::import) fn open(
        source: ImportSource,
        wishes: &Wishes,
        times: TimeReader,
        units: UnitWishes,
    ) -> Result<Self> {
        Ok(Self {
            lines: MetricLines::open(source, times),
            selection: SeriesSelection::new(wishes, units)?,
            points: Vec::new().into_iter().zip(Vec::new()),
            unit: None,
        })
    }

    fn row(&self, seconds: f64, value: f64, unit: SeriesUnit) -> ParsedRow {
        match self.lines.times.seconds(seconds) {
            Err(reason) => ParsedRow::Bad(reason),
            Ok(_) if value.is_nan() => ParsedRow::NoValue,
            Ok(time) => unit.row(time, value),
        }
    }
}

impl ReadRows for MetricRows {
    fn next_row(&mut self) -> Result<Option<ParsedRow>> {
        loop {
            if let (Some((seconds, value)), Some(unit)) = (self.points.next(), self.unit) {
                return Ok(Some(self.row(seconds, value, unit)));
            }
            let selection = &mut self.selection;
            let line = self.lines.next(|line| {
                match line.series(|series| selection.choose(series)) {
                    Ok(unit) => line.unit = unit,
                    Err(problem) => line.problem = Some(problem),
                }
                line.is_wanted = line.unit.is_some();
            });
            let line = match line? {
                None => return Ok(None),
                Some(Ok(line)) => line,
                Some(Err(why)) => return Ok(Some(ParsedRow::Bad(why))),
            };
            if let Some(problem) = line.problem {
                bail!("{}: {problem}", self.place());
            }
            self.unit = line.unit;
            if line.unit.is_none() {
                return Ok(Some(ParsedRow::Other));
            }
            if let Err(why) = line.check_points() {
                return Ok(Some(ParsedRow::Bad(why)));
            }
            self.points = line.times.into_iter().zip(line.values);
        }
    }

    fn place(&self) -> String {
        format!("line {}", self.lines.number)
    }

    fn missing(&self) -> Option<String> {
        self.selection.missing()
    }
}

/// Counts the series in `source`; invalid lines are skipped.
///
/// # Errors
/// If it cannot be read.
pub(in crate::cli::import) fn count_metrics(
    source: ImportSource,
    times: TimeReader,
) -> Result<SeriesCounts> {
    let mut lines = MetricLines::open(source, times);
    let mut counts = SeriesCounts::default();
    while let Some(line) = lines.next(|line| line.is_wanted = true)? {
        let Ok(line) = line else { continue };
        let (name, unit) = line.series(|series| (series.full.clone(), unit_in_name(series.name)));
        for seconds in line.times {
            if let Ok(time) = lines.times.seconds(seconds) {
                counts.see(&name, unit, time);
            }
        }
    }
    Ok(counts)
}
