//! Copies of tables without the indexes that Home Assistant makes. Each query of such a table would
//! read all of it, and there is one query for each series and each batch of rows.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use rusqlite::Connection;

use crate::store::{KEPT_FREE, free_bytes};

/// A table, and the way its rows are found.
struct IndexedTable {
    name: &'static str,
    /// The columns that are read.
    columns: &'static str,
    /// The column that rows are found by; they are then ordered.
    found_by: &'static str,
    ordered_by: &'static str,
}

const STATISTICS: IndexedTable = IndexedTable {
    name: "statistics",
    columns: "id, metadata_id, start_ts, mean, state, sum",
    found_by: "metadata_id",
    ordered_by: "start_ts, id",
};

const TABLES: [IndexedTable; 6] = [
    IndexedTable {
        name: "statistics_meta",
        columns: "id, statistic_id, source, unit_of_measurement",
        found_by: "statistic_id",
        ordered_by: "id",
    },
    IndexedTable {
        name: "states_meta",
        columns: "metadata_id, entity_id",
        found_by: "entity_id",
        ordered_by: "metadata_id",
    },
    IndexedTable {
        name: "state_attributes",
        columns: "attributes_id, shared_attrs",
        found_by: "attributes_id",
        ordered_by: "attributes_id",
    },
    STATISTICS,
    IndexedTable {
        name: "statistics_short_term",
        ..STATISTICS
    },
    IndexedTable {
        name: "states",
        columns: "state_id, state, last_updated_ts, attributes_id, metadata_id",
        found_by: "metadata_id",
        ordered_by: "last_updated_ts, state_id",
    },
];

/// Copies the tables that lack an index into temporary ones with the same names, which take
/// precedence over the file's own.
///
/// # Errors
/// If the database cannot be read, or there is too little space for a copy.
pub(super) fn make(connection: &Connection, path: &Path) -> Result<()> {
    for table in &TABLES {
        if table.is_indexed(connection)? {
            continue;
        }
        check_room(path)?;
        let IndexedTable {
            name,
            columns,
            found_by,
            ordered_by,
        } = table;
        // Without types, so that values stay unchanged.
        connection.execute_batch(&format!(
            "PRAGMA query_only = 0; \
             CREATE TEMP TABLE {name} ({columns}); \
             INSERT INTO temp.{name} SELECT {columns} FROM main.{name}; \
             CREATE INDEX temp.{name}_in_order ON {name} ({found_by}, {ordered_by}); \
             PRAGMA query_only = 1"
        ))?;
    }
    Ok(())
}

impl IndexedTable {
    /// Whether the database finds rows without reading the others, and returns them in order
    /// without sorting.
    fn is_indexed(&self, connection: &Connection) -> rusqlite::Result<bool> {
        let Self {
            name,
            found_by,
            ordered_by,
            ..
        } = self;
        let sql = format!(
            "EXPLAIN QUERY PLAN SELECT * FROM {name} WHERE {found_by} = ?1 ORDER BY {ordered_by}"
        );
        let mut statement = connection.prepare(&sql)?;
        let mut steps = statement.raw_query();
        while let Some(step) = steps.next()? {
            let step: String = step.get(3)?;
            let is_partly_sorted = found_by != ordered_by && step.ends_with("B-TREE FOR ORDER BY");
            if step.starts_with("SCAN") || is_partly_sorted {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Checks the space for copies, which are in the folder for temporary files, and never larger than
/// the file.
fn check_room(path: &Path) -> Result<()> {
    let length = fs::metadata(path)?.len();
    let dir = std::env::temp_dir();
    let (free, needed) = (free_bytes(&dir)?, length.saturating_add(KEPT_FREE));
    if free < needed {
        bail!(
            "it lacks indexes, so {} needs {needed} bytes free for a copy, and has {free}: name another folder in TMPDIR and SQLITE_TMPDIR",
            dir.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_an_index_are_read_once() {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch(
                "CREATE TABLE statistics_meta (id, statistic_id UNIQUE, source, unit_of_measurement);
                 CREATE TABLE statistics (id INTEGER PRIMARY KEY, metadata_id, start_ts, mean, state, sum);
                 CREATE INDEX a ON statistics (metadata_id, start_ts);
                 CREATE TABLE statistics_short_term (id, metadata_id, start_ts, mean, state, sum);
                 CREATE INDEX b ON statistics_short_term (metadata_id);
                 CREATE TABLE states_meta (metadata_id INTEGER PRIMARY KEY, entity_id);
                 CREATE TABLE state_attributes (attributes_id INTEGER PRIMARY KEY, shared_attrs);
                 CREATE TABLE states (state_id INTEGER PRIMARY KEY, state, last_updated_ts, attributes_id, metadata_id);
                 INSERT INTO states VALUES (1, '5', 1.5, NULL, 7);",
            )
            .unwrap();
        let indexed = || TABLES.map(|table| table.is_indexed(&connection).unwrap());
        assert_eq!(indexed(), [true, false, true, true, false, false]);
        let file = tempfile::NamedTempFile::new().unwrap();
        make(&connection, file.path()).unwrap();
        assert_eq!(indexed(), [true; 6]);
        let copied =
            "SELECT count(*) FROM temp.states WHERE metadata_id = 7 AND typeof(state) = 'text'";
        let count: i64 = connection.query_row(copied, [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }
}
