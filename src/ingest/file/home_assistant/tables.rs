//! The tables that contain a series, and their extent.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension as _, Row};
use serde::Deserialize;

/// A table with values of a series, and the columns used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecorderTable {
    HourlySum,
    HourlyState,
    HourlyMean,
    ShortSum,
    States,
}

/// The condition for rows with both a state and a sum.
const NUMBERS: &str = "typeof(state) IN ('real', 'integer') AND typeof(sum) IN ('real', 'integer')";

/// The extent of a series in a table: times of readings, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PartExtent {
    pub(super) values: u64,
    pub(super) first: f64,
    pub(super) last: f64,
}

/// A row of a series.
pub(super) struct PartRow {
    /// The row's time in the table, and its id, which order the rows.
    pub(super) key: (f64, i64),
    pub(super) value: PartValue,
    /// For a state: the id of its attributes.
    pub(super) attributes: Option<i64>,
}

/// The value of a row.
pub(super) enum PartValue {
    None,
    Number(f64),
    Text(String),
    /// A value of the wrong type.
    Wrong,
}

impl RecorderTable {
    /// The columns read from both tables of statistics.
    pub(super) const STATISTICS: &[&str] =
        &["id", "metadata_id", "start_ts", "mean", "state", "sum"];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::HourlySum | Self::HourlyState | Self::HourlyMean => "statistics",
            Self::ShortSum => "statistics_short_term",
            Self::States => "states",
        }
    }

    const fn column(self) -> &'static str {
        match self {
            Self::HourlySum | Self::ShortSum => "sum",
            Self::HourlyMean => "mean",
            Self::HourlyState | Self::States => "state",
        }
    }

    const fn time(self) -> &'static str {
        match self {
            Self::States => "last_updated_ts",
            _ => "start_ts",
        }
    }

    const fn id(self) -> &'static str {
        match self {
            Self::States => "state_id",
            _ => "id",
        }
    }

    const fn attributes(self) -> &'static str {
        match self {
            Self::States => "attributes_id",
            _ => "NULL",
        }
    }

    /// The seconds from the time of a row to that of its reading: a register belongs to the end of
    /// its hour or five minutes, a mean to the middle, because energy is computed from the mean of
    /// two neighbours.
    pub(super) const fn shift(self) -> f64 {
        match self {
            Self::HourlySum | Self::HourlyState => 3_600.0,
            Self::HourlyMean => 1_800.0,
            Self::ShortSum => 300.0,
            Self::States => 0.0,
        }
    }

    /// The condition for all rows of a series. A time of another type would be out of order.
    fn condition(self) -> String {
        format!(
            "metadata_id = ?1 AND typeof({time}) IN ('real', 'integer')",
            time = self.time()
        )
    }
}

/// The extent of the series `id` in the table; `None` without rows.
pub(super) fn extent(
    connection: &Connection,
    table: RecorderTable,
    id: i64,
) -> rusqlite::Result<Option<PartExtent>> {
    let (column, time) = (table.column(), table.time());
    let sql = format!(
        "SELECT count(*), min({time}), max({time}) FROM {name} WHERE {condition} \
         AND {column} IS NOT NULL AND {column} NOT IN ('', 'unknown', 'unavailable')",
        name = table.name(),
        condition = table.condition(),
    );
    connection.query_row(&sql, [id], |row| {
        let (first, last): (Option<f64>, Option<f64>) = (row.get(1)?, row.get(2)?);
        let values: i64 = row.get(0)?;
        Ok(first.zip(last).map(|(first, last)| PartExtent {
            values: values.unsigned_abs(),
            first: first + table.shift(),
            last: last + table.shift(),
        }))
    })
}

/// Returns the next rows of the series `id` after the row `after`, at most `limit`; none after the
/// last.
pub(super) fn rows_after(
    connection: &Connection,
    table: RecorderTable,
    id: i64,
    after: (f64, i64),
    limit: u32,
) -> rusqlite::Result<Vec<PartRow>> {
    let (time, row_id) = (table.time(), table.id());
    // A state has at most 255 characters, and a number fewer.
    let sql = format!(
        "SELECT {time}, {row_id}, CASE typeof({column}) WHEN 'text' THEN substr({column}, 1, 64) ELSE {column} END, {attributes} \
         FROM {name} WHERE {condition} AND ({time}, {row_id}) > (?2, ?3) ORDER BY {time}, {row_id} LIMIT ?4",
        column = table.column(),
        attributes = table.attributes(),
        name = table.name(),
        condition = table.condition(),
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map((id, after.0, after.1, limit), part_row)?;
    rows.collect()
}

fn part_row(row: &Row) -> rusqlite::Result<PartRow> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a reading is an `f64`; no measurement has so many digits"
    )]
    let value = match row.get_ref(2)? {
        ValueRef::Null => PartValue::None,
        ValueRef::Real(number) => PartValue::Number(number),
        ValueRef::Integer(number) => PartValue::Number(number as f64),
        ValueRef::Text(text) => PartValue::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(_) => PartValue::Wrong,
    };
    Ok(PartRow {
        key: (row.get(0)?, row.get(1)?),
        value,
        attributes: row.get(3)?,
    })
}

/// The state and the sum in the oldest, or newest, hour of the series `id` that has both.
pub(super) fn state_and_sum(
    connection: &Connection,
    id: i64,
    newest: bool,
) -> rusqlite::Result<Option<(f64, f64)>> {
    let order = if newest { "DESC" } else { "ASC" };
    let sql = format!(
        "SELECT state, sum FROM statistics WHERE {condition} AND {NUMBERS} ORDER BY start_ts {order} LIMIT 1",
        condition = RecorderTable::HourlySum.condition(),
    );
    let found = connection.query_row(&sql, [id], |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional()
}

/// The first state and sum of the series `id`, at the end of its first hour; `None` if it has none
/// yet.
pub(super) fn beginning(connection: &Connection, id: i64) -> rusqlite::Result<Option<(f64, f64)>> {
    let hour = state_and_sum(connection, id, false)?;
    if hour.is_some() {
        return Ok(hour);
    }
    // An hour gets its row at its end, with the values of its last five minutes.
    let condition = RecorderTable::ShortSum.condition();
    let sql = format!(
        "SELECT state, sum FROM statistics_short_term WHERE {condition} AND {NUMBERS} AND start_ts < \
         (SELECT (CAST(min(start_ts) / 3600 AS INTEGER) + 1) * 3600 FROM statistics_short_term WHERE {condition} AND {NUMBERS}) \
         ORDER BY start_ts DESC LIMIT 1"
    );
    let found = connection.query_row(&sql, [id], |row| Ok((row.get(0)?, row.get(1)?)));
    found.optional()
}

/// The unit in a state's attributes, if there is one.
pub(super) fn unit_of_attributes(
    connection: &Connection,
    id: i64,
) -> rusqlite::Result<Option<String>> {
    /// The attributes that are read.
    #[derive(Deserialize)]
    struct StateAttributes {
        unit_of_measurement: Option<String>,
    }
    let sql = "SELECT shared_attrs FROM state_attributes WHERE attributes_id = ?1";
    let mut statement = connection.prepare(sql)?;
    let text = statement.query_row([id], |row| row.get::<_, Option<String>>(0));
    let text = text.optional()?.flatten();
    let attributes = text.and_then(|text| serde_json::from_str::<StateAttributes>(&text).ok());
    Ok(attributes.and_then(|attributes| attributes.unit_of_measurement))
}

/// The unit of the newest states of the entity `id` that have one.
pub(super) fn unit_in_states(connection: &Connection, id: i64) -> rusqlite::Result<Option<String>> {
    /// An unavailable entity may have no unit for a while.
    const LOOK_BACK: u32 = 20;
    let sql = "SELECT DISTINCT attributes_id FROM (SELECT attributes_id FROM states WHERE metadata_id = ?1 \
               ORDER BY last_updated_ts DESC LIMIT ?2) WHERE attributes_id IS NOT NULL";
    let mut statement = connection.prepare(sql)?;
    let ids = statement.query_map((id, LOOK_BACK), |row| row.get(0))?;
    for attributes in ids.collect::<rusqlite::Result<Vec<i64>>>()? {
        if let Some(unit) = unit_of_attributes(connection, attributes)? {
            return Ok(Some(unit));
        }
    }
    Ok(None)
}
