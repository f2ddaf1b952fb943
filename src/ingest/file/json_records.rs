//! Objects anywhere in JSON that have a time and a number, as rows of a table: answers of suppliers
//! and of inverters' pages, in any nesting and layout.
//!
//! ```text
//! {"data":{"viewer":{"homes":[{"consumption":{"nodes":[
//!   {"from":"2023-06-01T00:00:00.000+02:00","to":"2023-06-01T01:00:00.000+02:00","consumption":0.546,"consumptionUnit":"kWh"}]}}]}}}
//! {"count":96,"results":[
//!   {"consumption":0.187,"interval_start":"2026-05-25T22:30:00+01:00","interval_end":"2026-05-25T23:00:00+01:00"}]}
//! ```
//!
//! Elements of an array with a time and a number are a row, too. Members of an object become
//! columns. So do members of the objects around it, and its index in each array around it: they
//! tell series apart, such as the homes of an account. A column has the last name of its path, or
//! all of it where others end alike: `today.grid.import` and `total.grid.import`.

use std::fmt;
use std::io::{BufRead as _, BufReader};

use anyhow::{Context as _, Result, bail};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::csv_row::write_row;
use super::size_limits::SizeLimits;
use super::source::ImportSource;
use crate::ingest::table::TimeReader;

/// The maximum length of a text or a name, of a path, and the maximum number of columns.
const TEXT_BYTES: usize = 100;
const PATH_BYTES: usize = 200;
const COLUMNS: usize = 200;
/// The maximum number of members of outer objects that become columns.
const AROUND: usize = 16;

/// The rows of a JSON text.
#[derive(Default)]
pub(super) struct JsonTable {
    /// A table with a header, as CSV.
    pub(super) text: Vec<u8>,
    /// Whether the text links to a next page, which is not in the file.
    pub(super) has_next: bool,
}

/// Reads the rows of `source`.
///
/// # Errors
/// If it is not JSON, or has too many rows.
pub(super) fn read_records(source: ImportSource) -> Result<JsonTable> {
    let limits = source.limits;
    let mut bytes = BufReader::with_capacity(64 * 1024, source.lines());
    let mut walk = JsonWalk::new(limits);
    loop {
        match bytes.fill_buf()?.first() {
            None => break,
            Some(byte) if byte.is_ascii_whitespace() => bytes.consume(1),
            Some(_) => {
                let mut json = serde_json::Deserializer::from_reader(&mut bytes);
                WalkSeed(&mut walk)
                    .deserialize(&mut json)
                    .with_context(|| format!("after {} records", walk.rows))?;
            }
        }
    }
    if walk.rows == 0 {
        bail!("it is JSON, but no object in it has a time and a number");
    }
    let mut header = Vec::new();
    write_row(&mut header, &walk.names());
    walk.table.splice(..0, header);
    Ok(JsonTable {
        text: walk.table,
        has_next: walk.has_next,
    })
}

/// The place of a value below the object of its row, or of an object around that.
#[derive(Clone, Debug, PartialEq, Eq)]
struct JsonPath {
    /// The names, with points between them.
    path: String,
    /// Where the last name begins.
    last_at: usize,
}

/// A value that becomes a cell.
#[derive(Clone)]
struct Member {
    at: JsonPath,
    text: String,
}

impl JsonPath {
    const fn name(path: String) -> Self {
        Self { path, last_at: 0 }
    }

    fn last(&self) -> &str {
        self.path.get(self.last_at..).unwrap_or_default()
    }

    /// The same place from the object around; a path that would be too long stays as it is.
    fn inside(self, outer: &str) -> Self {
        if outer.len() + self.path.len() >= PATH_BYTES {
            return self;
        }
        Self {
            last_at: outer.len() + 1 + self.last_at,
            path: format!("{outer}.{}", self.path),
        }
    }
}

/// The rows found so far.
struct JsonWalk {
    limits: SizeLimits,
    columns: Vec<JsonPath>,
    table: Vec<u8>,
    rows: u64,
    has_next: bool,
    /// The members of the outer objects, one list for each object.
    around: Vec<Vec<Member>>,
    /// The positions in the outer arrays: name and index.
    places: Vec<(String, u64)>,
    /// The name of the member that is being read.
    name: String,
    /// The names of the elements of arrays, from `columns` before them, as InfluxDB answers.
    names: Vec<String>,
}

impl JsonWalk {
    const fn new(limits: SizeLimits) -> Self {
        Self {
            limits,
            columns: Vec::new(),
            table: Vec::new(),
            rows: 0,
            has_next: false,
            around: Vec::new(),
            places: Vec::new(),
            name: String::new(),
            names: Vec::new(),
        }
    }

    fn column(&mut self, at: &JsonPath) -> Option<usize> {
        let known = self.columns.iter().position(|known| known == at);
        known.or_else(|| {
            (self.columns.len() < COLUMNS).then(|| {
                self.columns.push(at.clone());
                self.columns.len() - 1
            })
        })
    }

    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        let is_alone = |at: &JsonPath| {
            let same = self
                .columns
                .iter()
                .filter(|other| other.last() == at.last());
            same.count() == 1
        };
        let name = |at: &JsonPath| if is_alone(at) { at.last() } else { &at.path }.to_owned();
        self.columns.iter().map(name).collect()
    }

    /// The elements of an array as members, such as `[1767607200000,239]` of Emoncms.
    fn named(&self, elements: Vec<String>) -> Vec<Member> {
        let mut has_time = false;
        let name = |(index, text): (usize, String)| {
            let is_time = !has_time && TimeReader::looks_like_one(text.as_bytes());
            has_time |= is_time;
            let name = match self.names.get(index) {
                Some(name) => name.clone(),
                None if is_time => "time".to_owned(),
                None => format!("value {index}"),
            };
            Member {
                at: JsonPath::name(name),
                text,
            }
        };
        elements.into_iter().enumerate().map(name).collect()
    }

    /// Adds an object with these members to the table if it is a row.
    fn take(&mut self, members: &[Member]) -> Result<()> {
        let is_time = |text: &str| TimeReader::looks_like_one(text.as_bytes());
        let has_time = members.iter().any(|member| is_time(&member.text));
        let has_number = members
            .iter()
            .map(|member| member.text.as_str())
            .any(|text| text.is_empty() || (text.parse::<f64>().is_ok() && !is_time(text)));
        if !has_time || !has_number {
            return Ok(());
        }
        let mut cells: Vec<(usize, String)> = Vec::new();
        for Member { at, text } in members {
            if let Some(column) = self.column(at) {
                cells.push((column, text.clone()));
            }
        }
        let around: Vec<_> = self.around.iter().flatten().cloned().collect();
        let outer = self.places.len().saturating_sub(1);
        let places = self.places.iter().take(outer);
        let places: Vec<_> = places
            .map(|(name, number)| Member {
                at: JsonPath::name(name.clone()),
                text: number.to_string(),
            })
            .collect();
        for Member { at, text } in around.into_iter().chain(places) {
            // The times of outer objects are not those of the row.
            if !members.iter().any(|member| member.at.last() == at.last())
                && !is_time(&text)
                && let Some(column) = self.column(&at)
            {
                cells.push((column, text));
            }
        }
        let width = cells
            .iter()
            .map(|(column, _)| column + 1)
            .max()
            .unwrap_or_default();
        let mut row = vec![String::new(); width];
        for (column, text) in cells {
            if let Some(cell) = row.get_mut(column) {
                *cell = text;
            }
        }
        write_row(&mut self.table, &row);
        self.rows += 1;
        // Each row has members of the objects around it: a small file could become a huge table.
        if self.table.len() as u64 > self.limits.table {
            bail!(self.limits.too_many_values());
        }
        Ok(())
    }
}

/// The result of a value.
enum Walked {
    /// A text, a number as text, or an empty text for null.
    Scalar(String),
    /// The members of an object without rows.
    Members(Vec<Member>),
    Other,
}

/// Walks through a value, and adds its rows.
struct WalkSeed<'a>(&'a mut JsonWalk);

impl<'de> DeserializeSeed<'de> for WalkSeed<'_> {
    type Value = Walked;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Walked, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for WalkSeed<'_> {
    type Value = Walked;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Walked, E> {
        Ok(Walked::Scalar(value.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Walked, E> {
        Ok(Walked::Scalar(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Walked, E> {
        Ok(Walked::Scalar(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Walked, E> {
        Ok(Walked::Scalar(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Walked, E> {
        if self.0.name == "next" && text.contains("://") {
            self.0.has_next = true;
            return Ok(Walked::Other);
        }
        if text.len() > TEXT_BYTES {
            return Ok(Walked::Other);
        }
        Ok(Walked::Scalar(text.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Walked, E> {
        Ok(Walked::Scalar(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Walked, A::Error> {
        let walk = self.0;
        // Each row has these names: long ones are left out.
        let name = Some(&walk.name).filter(|name| name.len() <= TEXT_BYTES);
        let (name, before) = (name.cloned().unwrap_or_default(), walk.rows);
        walk.places.push((name.clone(), 1));
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element_seed(WalkSeed(&mut *walk))? {
            if let Some((_, number)) = walk.places.last_mut() {
                *number += 1;
            }
            match element {
                Walked::Scalar(text) if elements.len() < COLUMNS => elements.push(text),
                _ => {}
            }
        }
        walk.places.pop();
        if name == "columns" {
            walk.names = elements;
        } else if walk.rows == before {
            let row = walk.named(elements);
            walk.take(&row).map_err(A::Error::custom)?;
        }
        Ok(Walked::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Walked, A::Error> {
        let walk = self.0;
        let before = walk.rows;
        walk.around.push(Vec::new());
        let mut members: Vec<Member> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            walk.name.clone_from(&name);
            let found = match map.next_value_seed(WalkSeed(&mut *walk))? {
                Walked::Scalar(text) => vec![Member {
                    at: JsonPath::name(name),
                    text,
                }],
                Walked::Members(inner) => inner
                    .into_iter()
                    .map(|Member { at, text }| Member {
                        at: at.inside(&name),
                        text,
                    })
                    .collect(),
                Walked::Other => Vec::new(),
            };
            for member in found {
                let is_new = members.len() < COLUMNS && member.at.last().len() <= TEXT_BYTES;
                if !is_new || members.iter().any(|known| known.at == member.at) {
                    continue;
                }
                let around: usize = walk.around.iter().map(Vec::len).sum();
                if around < AROUND
                    && let Some(own) = walk.around.last_mut()
                {
                    own.push(member.clone());
                }
                members.push(member);
            }
        }
        walk.around.pop();
        if walk.rows == before {
            let rows = walk.rows;
            walk.take(&members).map_err(A::Error::custom)?;
            if walk.rows == rows && walk.around.len() < COLUMNS {
                return Ok(Walked::Members(members));
            }
        }
        Ok(Walked::Other)
    }
}
