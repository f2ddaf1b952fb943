//! Intervals anywhere in JSON: in Tibber's answers to a query for `consumption { nodes { from to
//! consumption } }`, in Octopus' answers at `/consumption/`, or as objects alone, one after
//! another.
//!
//! ```text
//! {"data":{"viewer":{"homes":[{"consumption":{"nodes":[
//!   {"from":"2023-06-01T00:00:00.000+02:00","to":"2023-06-01T01:00:00.000+02:00","consumption":0.546,"consumptionUnit":"kWh"}]}}]}}}
//! {"count":96,"results":[
//!   {"consumption":0.187,"interval_start":"2026-05-25T22:30:00+01:00","interval_end":"2026-05-25T23:00:00+01:00"}]}
//! ```

use std::fmt;
use std::io::{BufRead as _, BufReader};

use anyhow::{Context as _, Result, bail};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::{IntervalRows, IntervalTable};
use crate::cli::import::listing::{FileSeries, which};
use crate::cli::import::source::ImportSource;
use crate::cli::import::unit::{ImportMeasure, UnitWishes};
use crate::ingest::table::{Cell, Notation, TimeReader, Wishes, shown};

/// The names of starts and ends.
const ENDS: [[&str; 2]; 2] = [["from", "to"], ["interval_start", "interval_end"]];
/// The names of energies.
const ENERGIES: [&str; 2] = ["consumption", "production"];
/// The longest text that is kept.
const TEXT_BYTES: usize = 100;

/// Whether JSON that begins with `head` has intervals.
pub(in crate::cli::import) fn has_json_intervals(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let has = |name: &str| text.contains(&format!("\"{name}\""));
    ENDS.iter().any(|ends| ends.iter().all(|name| has(name)))
        && ENERGIES.iter().any(|name| has(name))
}

/// Reads the intervals of the energy named by `wishes`, or of the only one.
///
/// # Errors
/// If it cannot be read, or contains several energies.
pub(in crate::cli::import) fn read_json(
    source: ImportSource,
    wishes: &Wishes,
    times: TimeReader,
    units: UnitWishes,
) -> Result<IntervalRows> {
    if wishes.watts.is_some() || !wishes.filters.is_empty() {
        bail!("it contains energies of intervals: leave out --watts-column and --where");
    }
    let walk = walk(source, times, units)?;
    let mut series = walk.series();
    if let Some(name) = &wishes.watthours {
        let missing = Some((name.as_str(), ImportMeasure::Register));
        let list: Vec<_> = series.iter().map(|it| it.0.clone()).collect();
        let index = list.iter().position(|it| it.series == *name);
        let Some(index) = index else {
            bail!(which(&list, missing));
        };
        return series.swap_remove(index).1.finish();
    }
    if series.len() == 1 {
        return series.swap_remove(0).1.finish();
    }
    let list: Vec<_> = series.into_iter().map(|it| it.0).collect();
    bail!(which(&list, None))
}

/// Lists the energies in it.
///
/// # Errors
/// If it cannot be read.
pub(in crate::cli::import) fn list_json(
    source: ImportSource,
    times: TimeReader,
    units: UnitWishes,
) -> Result<Vec<FileSeries>> {
    let series = walk(source, times, units)?.series();
    Ok(series.into_iter().map(|it| it.0).collect())
}

fn walk(source: ImportSource, times: TimeReader, units: UnitWishes) -> Result<JsonWalk> {
    let mut bytes = BufReader::with_capacity(64 * 1024, source.lines());
    let mut walk = JsonWalk {
        times,
        units,
        tables: Default::default(),
        objects: 0,
    };
    loop {
        match bytes.fill_buf()?.first() {
            None => return Ok(walk),
            Some(byte) if byte.is_ascii_whitespace() => bytes.consume(1),
            Some(_) => {
                let mut json = serde_json::Deserializer::from_reader(&mut bytes);
                WalkSeed(&mut walk)
                    .deserialize(&mut json)
                    .with_context(|| format!("after {} intervals", walk.objects))?;
            }
        }
    }
}

/// The intervals found so far.
struct JsonWalk {
    times: TimeReader,
    units: UnitWishes,
    /// One for each of [`ENERGIES`].
    tables: [IntervalTable; 2],
    objects: u64,
}

/// The members of an object that may be an interval.
#[derive(Default)]
struct JsonInterval {
    ends: [Option<String>; 2],
    /// One for each of [`ENERGIES`], as an empty text for null.
    energies: [Option<String>; 2],
    units: [Option<String>; 2],
}

impl JsonWalk {
    /// The energies found, with their intervals.
    fn series(self) -> Vec<(FileSeries, IntervalTable)> {
        let named = ENERGIES.into_iter().zip(self.tables);
        let found = named.filter(|(_, table)| !table.is_empty());
        found
            .map(|(name, table)| {
                let starts = table.intervals.iter().map(|it| it.start);
                let ends = table.intervals.iter().map(|it| it.end);
                let listed = FileSeries {
                    series: name.to_owned(),
                    unit: None,
                    values: u64::try_from(table.intervals.len()).unwrap_or(u64::MAX),
                    first: starts.min().map(|time| time.to_string()),
                    last: ends.max().map(|time| time.to_string()),
                };
                (listed, table)
            })
            .collect()
    }

    /// Takes a complete object.
    fn take(&mut self, found: &JsonInterval) -> Result<()> {
        let is_interval = found.ends.iter().any(Option::is_some);
        if !is_interval || found.energies.iter().all(Option::is_none) {
            return Ok(());
        }
        self.objects += 1;
        let number = self.objects;
        let place = || format!("interval {number}");
        let ends = found.ends.each_ref().map(|text| match text {
            Some(text) => self.times.read(text.as_bytes()),
            None => Err("its start or its end is missing".to_owned()),
        });
        let texts = found.energies.iter().zip(&found.units);
        for ((text, unit), (table, name)) in texts.zip(self.tables.iter_mut().zip(ENERGIES)) {
            let Some(text) = text else { continue };
            let number = match Notation::default().read(text.as_bytes()) {
                Ok(Cell::Value(number)) => number,
                Ok(Cell::Empty | Cell::NoValue) => {
                    table.no_value += 1;
                    continue;
                }
                Err(expected) => {
                    let got = shown(text.as_bytes());
                    table.add_bad(place, format!("{name}: {expected}, got {got}"));
                    continue;
                }
            };
            // Octopus does not state it, but its electricity is in kWh.
            let unit = unit
                .as_deref()
                .or(Some("kWh").filter(|_| !self.units.has_energy()));
            let unit = self.units.of(unit, ImportMeasure::Register, name);
            match (&ends, unit.map(|unit| unit.convert(number))) {
                ([Ok(start), Ok(end)], Ok(Some(watthours))) => {
                    table.add(place, *start, *end, watthours)?;
                }
                ([Err(why), _] | [_, Err(why)], _) => table.add_bad(place, why.clone()),
                (_, Err(why)) => table.add_bad(place, why),
                (_, Ok(None)) => table.add_bad(place, "expected a finite number".to_owned()),
            }
        }
        Ok(())
    }
}

/// Walks through a value, and takes its intervals.
struct WalkSeed<'a>(&'a mut JsonWalk);

impl<'de> DeserializeSeed<'de> for WalkSeed<'_> {
    /// A text, a number as text, or an empty text for null; `None` for other values.
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WalkSeed<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Some(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok((text.len() <= TEXT_BYTES).then(|| text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element_seed(WalkSeed(&mut *self.0))?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = JsonInterval::default();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(WalkSeed(&mut *self.0))?;
            let ends = found.ends.iter_mut().enumerate();
            for (index, end) in ends {
                if ENDS
                    .iter()
                    .any(|names| names.get(index) == Some(&name.as_str()))
                {
                    end.clone_from(&value);
                }
            }
            let energies = found.energies.iter_mut().zip(&mut found.units);
            for ((energy, unit), own) in energies.zip(ENERGIES) {
                if name == own {
                    energy.clone_from(&value);
                } else if name.strip_suffix("Unit") == Some(own) {
                    unit.clone_from(&value);
                }
            }
        }
        self.0.take(&found).map_err(A::Error::custom)?;
        Ok(None)
    }
}
