//! The readings of a sensor, as one transaction sees them.

use std::rc::Rc;

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::activity_row::{needed_time, value};
use super::transaction::PostgresTransaction;
use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::backend::ReadingsView;
use crate::store::blocks::source::damaged;
use crate::store::blocks::{BlockSource, Measure, Summary, summary_record};
use crate::store::error::StoreError;
use crate::store::postgres::database::Postgres;
use crate::store::records::Order;

/// The number of blocks that a reader requests at a time: this takes a round trip, and holds nobody
/// up. Their bytes are limited separately.
const BLOCKS_AHEAD: usize = 64;

/// The number of a sensor.
pub(crate) const FIND_NUMBER: &str = "select id from sensors where name = $1";
/// From the last block that begins at or before the start of the range.
const REACHING: &str = "select first, summary from blocks where sensor = $1 and first between \
    coalesce((select max(first) from blocks where sensor = $1 and first <= $2), $2) and $3 order by first limit $4";
/// Up to the block that reaches `$3` bytes. PostgreSQL knows lengths without fetching long values.
const BYTES: &str = "select first, bytes from (select first, bytes, \
    sum(octet_length(bytes)) over (order by first) - octet_length(bytes) as before \
    from blocks where sensor = $1 and first = any($2)) as found where before < $3 order by first";

/// The readings of one sensor in a transaction.
#[derive(Clone)]
pub(crate) struct PostgresSensor<'a> {
    pub(crate) transaction: Rc<PostgresTransaction<'a>>,
    pub(crate) sensor: &'a SensorId,
    /// The number of the sensor in the tables; 0, which no sensor has, if it is unknown there.
    pub(crate) number: i64,
}

impl<'a> PostgresSensor<'a> {
    /// Opens the readings of `sensor` as of now.
    pub(crate) fn view(postgres: &'a Postgres, sensor: &'a SensorId) -> Result<Self, StoreError> {
        // The number is read each time: another front-end may have removed the sensor, and
        // registered it again.
        let (transaction, found) = PostgresTransaction::begin(
            postgres,
            "begin isolation level repeatable read, read only",
            &[(FIND_NUMBER, &[(&sensor.as_str(), Type::TEXT)])],
        )?;
        let number = found.first().map(|row| value(row, 0)).transpose()?;
        Ok(Self {
            transaction: Rc::new(transaction),
            sensor,
            number: number.unwrap_or(0),
        })
    }

    fn read_summaries(
        &self,
        statement: &str,
        range: TimeRange,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let rows = self.transaction.query(
            statement,
            &[
                (&self.number, Type::INT8),
                (&range.start().millis(), Type::INT8),
                (&range.end().millis(), Type::INT8),
                (&limit(most), Type::INT8),
            ],
        )?;
        let summary = |row: &Row| {
            let first = needed_time(row, 0)?;
            let record: Vec<u8> = value(row, 1)?;
            let summary = summary_record::decode(&record).filter(|summary| summary.first == first);
            summary.ok_or_else(|| damaged(self.sensor, first, "its summary is damaged"))
        };
        rows.iter().map(summary).collect()
    }
}

impl BlockSource for PostgresSensor<'_> {
    fn sensor(&self) -> &SensorId {
        self.sensor
    }

    fn summaries(
        &self,
        range: TimeRange,
        order: Order,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let statement = match order {
            Order::Ascending => {
                "select first, summary from blocks where sensor = $1 and first between $2 and $3 order by first limit $4"
            }
            Order::Descending => {
                "select first, summary from blocks where sensor = $1 and first between $2 and $3 order by first desc limit $4"
            }
        };
        self.read_summaries(statement, range, most)
    }

    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        let found = self.bytes_of(&[first], usize::MAX)?.pop();
        found.ok_or_else(|| missing(self.sensor, first))
    }

    fn bytes_of(&self, firsts: &[Timestamp], most: usize) -> Result<Vec<Vec<u8>>, StoreError> {
        let wanted: Vec<i64> = firsts.iter().map(|first| first.millis()).collect();
        let rows = self.transaction.query(
            BYTES,
            &[
                (&self.number, Type::INT8),
                (&wanted, Type::INT8_ARRAY),
                (&limit(most), Type::INT8),
            ],
        )?;
        // A missing block must not be skipped in favour of the next.
        let read = firsts.iter().zip(&rows).map(|(first, row)| {
            if needed_time(row, 0)? != *first {
                return Err(missing(self.sensor, *first));
            }
            Ok(value(row, 1)?)
        });
        let read: Vec<Vec<u8>> = read.collect::<Result<_, _>>()?;
        let length: usize = read.iter().map(Vec::len).sum();
        match firsts.get(read.len()) {
            Some(first) if length < most => Err(missing(self.sensor, *first)),
            _ => Ok(read),
        }
    }

    fn reaching(&self, range: TimeRange, most: usize) -> Result<Vec<Summary>, StoreError> {
        // One more, as the first one may end before the range.
        let mut found = self.read_summaries(REACHING, range, most.saturating_add(1))?;
        if found
            .first()
            .is_some_and(|first| first.last < range.start())
        {
            found.remove(0);
        }
        found.truncate(most);
        Ok(found)
    }
}

fn missing(sensor: &SensorId, first: Timestamp) -> StoreError {
    damaged(sensor, first, "it is not there")
}

impl ReadingsView for PostgresSensor<'_> {
    fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Result<Vec<Reading>, StoreError> {
        let only = match measure {
            None => "",
            Some(Measure::Watts) => "and watts is not null",
            Some(Measure::Watthours) => "and watthours is not null",
        };
        let order = match order {
            Order::Ascending => "asc",
            Order::Descending => "desc",
        };
        let statement = format!(
            "select time, watts, watthours from hot where sensor = $1 and time between $2 and $3 {only} order by time {order} limit $4"
        );
        let rows = self.transaction.query(
            &statement,
            &[
                (&self.number, Type::INT8),
                (&range.start().millis(), Type::INT8),
                (&range.end().millis(), Type::INT8),
                (&limit(most), Type::INT8),
            ],
        )?;
        let reading = |row: &Row| {
            let time = needed_time(row, 0)?;
            let measures = Measures::new(value(row, 1)?, value(row, 2)?).map_err(|error| {
                let sensor = self.sensor;
                StoreError::Damaged(format!("the row of sensor {sensor:?} at {time}: {error}"))
            })?;
            Ok(Reading { time, measures })
        };
        rows.iter().map(reading).collect()
    }

    fn blocks_ahead(&self) -> usize {
        BLOCKS_AHEAD
    }
}

fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}
