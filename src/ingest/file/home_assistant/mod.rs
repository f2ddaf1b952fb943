//! The database of Home Assistant's recorder: the SQLite file `home-assistant_v2.db`.
//!
//! The parts of its tables that are read, since schema 38 (Home Assistant 2023.4); the
//! [documentation](https://www.home-assistant.io/docs/backend/database/) lists all columns:
//!
//! | table | a row |
//! | --- | --- |
//! | `statistics_meta` | a series: its name, its unit, and whether Home Assistant itself recorded
//! it (`source`) |
//! | `statistics` | an hour of it, beginning at `start_ts`; `mean` covers the whole hour, `sum` and
//! `state` are the values at its end |
//! | `statistics_short_term` | five minutes, likewise; kept for about ten days |
//! | `states_meta`, `states`, `state_attributes` | entities, their states with times, and the units of those; kept for about ten days |
//!
//! `state` is the meter's register. `sum` is its energy since the first row, continued through all
//! resets, and shown on Home Assistant's pages.
//!
//! The file is not trusted: it is opened for reading only, views and functions in its schema are
//! not run, and the size of each read is bounded.
//!
//! - `tables`: the parts of a series, and their extent
//! - `rows`: readings of the chosen series
//! - `copies`: tables that lack an index
//! - `other_programs`: databases of other programs

mod copies;
mod other_programs;
mod rows;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};

pub(super) use self::rows::read_recorder;
use self::tables::{RecorderTable, extent, unit_in_states};
use super::listing::FileSeries;

use crate::domain::Timestamp;
use crate::ingest::table::{ImportMeasure, SeriesUnit};

/// The first bytes of every SQLite file.
pub(super) const MAGIC: &[u8] = b"SQLite format 3\0";
/// The longest value or row read: attributes have at most 16 KiB.
const VALUE_BYTES: i32 = 1024 * 1024;
/// The first schema with `states_meta`.
const OLDEST_SCHEMA: i64 = 38;

/// The register to take from Home Assistant's database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RegisterColumn {
    /// The energy counted through all resets, as Home Assistant shows it
    #[default]
    Sum,
    /// The register as shown by the meter
    State,
}

/// An opened database.
pub(crate) struct RecorderDb {
    connection: Connection,
    path: PathBuf,
}

/// A series in the database.
struct RecorderSeries {
    name: String,
    /// The unit of the statistics, otherwise of the newest states; `None` if neither has one.
    unit: Option<String>,
    /// Its id in the statistics, and whether they were recorded from an entity.
    statistics: Option<(i64, bool)>,
    /// Its id in the states.
    states: Option<i64>,
}

impl RecorderDb {
    /// Opens the database for reading.
    ///
    /// # Errors
    /// If it cannot be read, or is not Home Assistant's.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let db = Self {
            connection: connect(path)?,
            path: path.to_owned(),
        };
        if !db.is_recorder().with_context(|| db.hint())? {
            let whose = other_programs::whose(&db.connection).with_context(|| db.hint())?;
            bail!("{}: {whose}", path.display());
        }
        db.check_schema().with_context(|| db.hint())?;
        copies::make(&db.connection, path).with_context(|| db.hint())?;
        Ok(db)
    }

    fn hint(&self) -> String {
        hint(&self.path)
    }

    fn is_table(&self, name: &str) -> rusqlite::Result<bool> {
        // A view of that name could take forever to read.
        let sql = "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type = 'table'";
        let found = self.connection.query_row(sql, [name], |_| Ok(()));
        Ok(found.optional()?.is_some())
    }

    fn is_recorder(&self) -> rusqlite::Result<bool> {
        Ok(self.is_table("schema_changes")? && self.is_table("statistics_meta")?)
    }

    fn check_schema(&self) -> Result<()> {
        /// The columns read from each table.
        const COLUMNS: [(&str, &[&str]); 7] = [
            ("schema_changes", &["change_id", "schema_version"]),
            (
                "statistics_meta",
                &["id", "statistic_id", "source", "unit_of_measurement"],
            ),
            ("statistics", RecorderTable::STATISTICS),
            ("statistics_short_term", RecorderTable::STATISTICS),
            (
                "states",
                &["state_id", "state", "last_updated_ts", "attributes_id"],
            ),
            ("states_meta", &["metadata_id", "entity_id"]),
            ("state_attributes", &["attributes_id", "shared_attrs"]),
        ];
        let sql = "SELECT schema_version FROM schema_changes ORDER BY change_id DESC LIMIT 1";
        let version: Option<i64> = self
            .connection
            .query_row(sql, [], |row| row.get(0))
            .optional()?;
        if version.is_none_or(|version| version < OLDEST_SCHEMA) {
            bail!(
                "its schema is older than Home Assistant 2023.4: start it once with a newer version, which migrates it"
            );
        }
        for (table, columns) in COLUMNS {
            for column in columns {
                let sql = "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2";
                let found = self.connection.query_row(sql, [table, column], |_| Ok(()));
                if !self.is_table(table)? || found.optional()?.is_none() {
                    bail!(
                        "it has no column {column} in a table {table}; import Home Assistant's CSV export instead"
                    );
                }
            }
        }
        Ok(())
    }

    /// The names of all series, in order, up to a bound.
    fn names(&self) -> Result<Vec<String>> {
        /// Bounds memory; a house has hundreds of series.
        const MOST: u32 = 20_000;
        let sql = "SELECT statistic_id AS name FROM statistics_meta WHERE length(statistic_id) < 256 \
                   UNION SELECT entity_id FROM states_meta WHERE length(entity_id) < 256 ORDER BY 1 LIMIT ?1";
        let mut statement = self.connection.prepare(sql)?;
        let names = statement.query_map([MOST], |row| row.get(0))?;
        Ok(names.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the series of that name; `None` if it is not one of power or energy.
    fn find(&self, name: &str) -> Result<Option<RecorderSeries>> {
        let sql =
            "SELECT id, unit_of_measurement, source FROM statistics_meta WHERE statistic_id = ?1";
        let meta = self.connection.query_row(sql, [name], |row| {
            let source: Option<String> = row.get(2)?;
            Ok((row.get(0)?, row.get(1)?, source))
        });
        let meta: Option<(i64, Option<String>, _)> = meta.optional()?;
        let sql = "SELECT metadata_id FROM states_meta WHERE entity_id = ?1";
        let states = self.connection.query_row(sql, [name], |row| row.get(0));
        let states: Option<i64> = states.optional()?;
        let unit = match &meta {
            Some((_, Some(unit), _)) => Some(unit.clone()),
            _ => None,
        };
        // Statistics may lack a unit although the states have one.
        let unit = match (unit, states) {
            (None, Some(id)) => unit_in_states(&self.connection, id)?,
            (unit, _) => unit,
        };
        let is_energy = unit
            .as_deref()
            .map(SeriesUnit::parse)
            .is_none_or(|unit| unit.is_some());
        // Without a unit, a series may be anything; but only numbers have statistics.
        let is_possible = unit.is_some() || meta.is_some();
        Ok((is_energy && is_possible).then(|| RecorderSeries {
            name: name.to_owned(),
            unit,
            statistics: meta.map(|(id, _, source)| (id, source.as_deref() == Some("recorder"))),
            states,
        }))
    }

    fn describe(&self, series: &RecorderSeries) -> Result<FileSeries> {
        let mut listed = FileSeries {
            series: series.name.clone(),
            unit: series.unit.clone(),
            values: 0,
            first: None,
            last: None,
        };
        let measure = series.unit.as_deref().and_then(ImportMeasure::of_unit);
        let is_power = measure == Some(ImportMeasure::Power);
        let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
        for (table, id) in series.parts(is_power, RegisterColumn::Sum) {
            if let Some(part) = extent(&self.connection, table, id)? {
                listed.values += part.values;
                first = first.min(part.first);
                last = last.max(part.last);
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "saturates, and then is no time"
        )]
        let text = |seconds: f64| {
            let time = Timestamp::from_millis((seconds * 1e3).round() as i64)?;
            Some(time.to_string())
        };
        if listed.values > 0 {
            (listed.first, listed.last) = (text(first), text(last));
        }
        Ok(listed)
    }
}

impl RecorderSeries {
    /// The tables that contain it, the coarser one first, and its id there.
    fn parts(&self, is_power: bool, register: RegisterColumn) -> Vec<(RecorderTable, i64)> {
        let statistics = self.statistics.map(|(id, _)| id);
        let (coarse, fine) = match (is_power, register) {
            (true, _) => (RecorderTable::HourlyMean, RecorderTable::States),
            (false, RegisterColumn::Sum) => (RecorderTable::HourlySum, RecorderTable::ShortSum),
            (false, RegisterColumn::State) => (RecorderTable::HourlyState, RecorderTable::States),
        };
        let fine_id = match fine {
            RecorderTable::States => self.states,
            _ => statistics,
        };
        let parts = [
            statistics.map(|id| (coarse, id)),
            fine_id.map(|id| (fine, id)),
        ];
        parts.into_iter().flatten().collect()
    }
}

fn connect(path: &Path) -> Result<Connection> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        fs::metadata(name).is_ok_and(|file| file.len() > 0)
    };
    // Changes that are not merged into the file yet are read too. If there are none, nothing is
    // locked, and no file is created beside it.
    let mode = if beside("-wal") || beside("-journal") {
        "mode=ro"
    } else {
        "mode=ro&immutable=1"
    };
    let absolute = path
        .canonicalize()
        .with_context(|| format!("opening {}", path.display()))?;
    let text = absolute
        .to_str()
        .with_context(|| format!("the name of {} is not UTF-8", path.display()))?;
    let escaped = text
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(format!("file:{escaped}?{mode}"), flags)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES)?;
        connection.execute_batch(
            "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1; PRAGMA mmap_size = 0; \
             PRAGMA cache_size = -8192; PRAGMA query_only = 1; BEGIN",
        )?;
        Ok(connection)
    };
    open().with_context(|| hint(path))
}

/// Advice for a database that cannot be read.
fn hint(path: &Path) -> String {
    format!(
        "reading {}: stop Home Assistant, and copy the file together with the one that ends in -wal, if there is one",
        path.display()
    )
}

#[cfg(test)]
mod tests;
