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

use anyhow::{Result, bail};
use serde::de::DeserializeSeed as _;

use self::json::{LineSeed, MetricLine};
use super::intake::{FileIntake, Offer};
use super::selection::LabeledSeries;
use super::source::{ImportSource, RowBytes};
use crate::ingest::table::{ParsedRow, TableBytes as _, TimeReader, When};

/// Reads line after line.
struct MetricLines {
    source: BufReader<RowBytes>,
    /// The number of lines read.
    number: u64,
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
            is_only_energy: false,
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

/// Whether a stream that begins with `head` has one series per line.
pub(super) fn begins_with_metric(head: &[u8]) -> bool {
    let rest = head.trim_ascii_start().strip_prefix(b"{");
    rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"metric\""))
}

/// Reads the series of `source`.
///
/// # Errors
/// If it cannot be read, or a series is not the same as before.
pub(super) fn read_metrics(
    source: ImportSource,
    times: &TimeReader,
    intake: &mut FileIntake,
) -> Result<()> {
    let mut lines = MetricLines {
        source: BufReader::with_capacity(64 * 1024, source.lines()),
        number: 0,
    };
    loop {
        let line = lines.next(|line| match line.series(|series| intake.offer(series)) {
            Ok(offer) => line.offer = Some(offer).filter(|offer| *offer != Offer::Pass),
            Err(problem) => line.problem = Some(problem),
        });
        let place = lines.number;
        let line = match line? {
            None => return Ok(()),
            Some(Ok(line)) => line,
            Some(Err(why)) => {
                intake.take(ParsedRow::Bad(why), place)?;
                continue;
            }
        };
        if let Some(problem) = line.problem {
            bail!("line {place}: {problem}");
        }
        if line.offer.is_none() {
            intake.take(ParsedRow::Other, place)?;
        } else if let Err(why) = line.check_points() {
            intake.take(ParsedRow::Bad(why), place)?;
        } else {
            take_points(&line, times, intake, place)?;
        }
    }
}

/// Takes, or counts, the points of a line.
fn take_points(
    line: &MetricLine,
    times: &TimeReader,
    intake: &mut FileIntake,
    place: u64,
) -> Result<()> {
    let (name, unit) = line.series(|series| (series.full.clone(), series.unit.map(str::to_owned)));
    for (seconds, value) in line.times.iter().zip(&line.values) {
        let row = match (times.seconds(*seconds), line.offer) {
            (Ok(time), Some(Offer::Count)) => {
                intake.count(&name, unit.as_deref(), When::At(time));
                continue;
            }
            (Err(reason), _) => ParsedRow::Bad(reason),
            (Ok(_), _) if value.is_nan() => ParsedRow::NoValue,
            (Ok(time), Some(Offer::Take(unit))) => unit.row(When::At(time), *value),
            (Ok(_), _) => ParsedRow::Other,
        };
        intake.take(row, place)?;
    }
    Ok(())
}
