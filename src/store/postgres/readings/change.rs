//! Changes of a sensor's history: each is one transaction, which locks the sensor's row of
//! `activity`.

use std::rc::Rc;

use tokio_postgres::types::Type;

use super::activity_row::{ActivityRows, PUT_ACTIVITIES, activity_columns, activity_of, value};
use super::row_columns::RowColumns;
use super::transaction::PostgresTransaction;
use super::view::{FIND_NUMBER, PostgresSensor};
use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::backend::{ReadingsChange, ReadingsView, RowsTurn, SensorTurn};
use crate::store::blocks::seal::{Pack, Step};
use crate::store::blocks::summary_record;
use crate::store::error::StoreError;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::pool::Value;
use crate::store::rows::Activity;

/// Creates missing rows of `activity`. The lock keeps the sensor from being removed at the same
/// time, which would leave its row: a removal deletes the row of `sensors` first.
const MAKE_ACTIVITIES: &str = "insert into activity (sensor) select id from sensors where name = any($1) for key share \
    on conflict do nothing";

/// Locks a sensor: after waiting for its current holder, or not at all.
const HOLD: &str = concat!(
    "select ",
    activity_columns!(),
    " from activity where sensor = $1 for update"
);
const HOLD_IF_FREE: &str = concat!(
    "select ",
    activity_columns!(),
    " from activity where sensor = $1 for update skip locked"
);

const REMOVE_BLOCKS: &str =
    "delete from blocks where sensor = $1 and first = any($2) returning first";
const ADD_BLOCKS: &str = "insert into blocks (sensor, first, last, count, summary, bytes) \
    select $1, * from unnest($2::bigint[], $3::bigint[], $4::int[], $5::bytea[], $6::bytea[])";
const REMOVE_ROWS: &str = "delete from hot where sensor = $1 and time between $2 and $3";
const PUT_ROWS: &str = "insert into hot as h (sensor, time, watts, watthours) \
    select $1, u.* from unnest($2::bigint[], $3::float8[], $4::float8[]) as u(time, watts, watthours) \
    where not exists (select from hot o where o.sensor = $1 and o.time = u.time \
    and (o.watts, o.watthours) is not distinct from (u.watts, u.watthours)) \
    on conflict (sensor, time) do update set watts = excluded.watts, watthours = excluded.watthours";
/// The facts about the history that uploads need. Blocks never overlap, so the last one to begin is
/// the last one to end.
const COUNT: &str = "update activity set unsealed = (select count(*) from hot where sensor = $1), \
    sealed_until = (select last from blocks where sensor = $1 order by first desc limit 1) where sensor = $1";

/// A sensor that is locked for a change.
pub(crate) struct PostgresChange<'a> {
    sensor: PostgresSensor<'a>,
    activity: Activity,
    block_readings: usize,
}

impl<'a> PostgresChange<'a> {
    /// Locks a sensor, waiting for its current holder.
    pub(crate) fn hold(
        postgres: &'a Postgres,
        sensor: &'a SensorId,
        block_readings: usize,
    ) -> Result<Self, StoreError> {
        if let Some(held) = Self::hold_by(HOLD, postgres, sensor, block_readings)? {
            return Ok(held);
        }
        // The sensor has no uploads yet.
        make_activities(postgres, &[sensor.as_str()])?;
        let held = Self::hold_by(HOLD, postgres, sensor, block_readings)?;
        held.ok_or_else(|| StoreError::UnknownSensor(sensor.as_str().to_owned()))
    }

    /// Locks a sensor, unless somebody else holds it or it has no row.
    pub(crate) fn hold_if_free(
        postgres: &'a Postgres,
        sensor: &'a SensorId,
        block_readings: usize,
    ) -> Result<Option<Self>, StoreError> {
        Self::hold_by(HOLD_IF_FREE, postgres, sensor, block_readings)
    }

    fn hold_by(
        statement: &str,
        postgres: &'a Postgres,
        sensor: &'a SensorId,
        block_readings: usize,
    ) -> Result<Option<Self>, StoreError> {
        let name = [(&sensor.as_str() as _, Type::TEXT)];
        let find = [(FIND_NUMBER, &name[..])];
        let (transaction, found) = PostgresTransaction::begin(postgres, "begin", &find)?;
        let number: Option<i64> = found.first().map(|row| value(row, 0)).transpose()?;
        let Some(number) = number else {
            return Ok(None);
        };
        // By its number alone: from that, Citus knows the server of the row.
        let held = transaction.query(statement, &[(&number, Type::INT8)])?;
        let Some(row) = held.first() else {
            return Ok(None);
        };
        Ok(Some(Self {
            activity: activity_of(row, 0)?,
            sensor: PostgresSensor {
                number,
                transaction: Rc::new(transaction),
                sensor,
            },
            block_readings,
        }))
    }

    /// Moves the rows in `range` into blocks.
    pub(crate) fn seal(&mut self, step: Step, range: TimeRange) -> Result<(), StoreError> {
        let turn = SensorTurn {
            removed: step.replaced,
            packs: step.packs,
            ..SensorTurn::default()
        };
        self.turn_over_rows(&turn, Some(range), &[])
    }

    /// Makes the other changes, removes the rows in the range `gone`, and writes `rows` over those
    /// at the same times.
    fn turn_over_rows(
        &mut self,
        turn: &SensorTurn,
        gone: Option<TimeRange>,
        rows: &[Reading],
    ) -> Result<(), StoreError> {
        let activity = turn.activity.unwrap_or(self.activity);
        let transaction = &self.sensor.transaction;
        let number = &self.sensor.number;
        let mut activities = ActivityRows::default();
        activities.push(*number, &activity, 0);
        let removed: Vec<i64> = turn.removed.iter().map(|first| first.millis()).collect();
        let blocks = BlockColumns::of(&turn.packs)?;
        let (start, end) = match gone {
            Some(range) => (range.start().millis(), range.end().millis()),
            None => (1, 0),
        };
        let rows = RowColumns::of(rows.iter().copied());

        let sensor: Value<'_> = (number, Type::INT8);
        // In this order: a new block may begin where a removed one began.
        let answers = transaction.query_all(&[
            (
                REMOVE_BLOCKS,
                &[sensor.clone(), (&removed, Type::INT8_ARRAY)],
            ),
            (ADD_BLOCKS, &blocks.values(sensor.clone())),
            (
                REMOVE_ROWS,
                &[sensor.clone(), (&start, Type::INT8), (&end, Type::INT8)],
            ),
            (PUT_ROWS, &rows.values(sensor)),
            (PUT_ACTIVITIES, &activities.values()),
        ])?;
        let gone = answers.first().map_or(0, Vec::len);
        if gone != removed.len() {
            let sensor = self.sensor.sensor;
            let found = format!("{gone} of {} blocks of sensor {sensor:?}", removed.len());
            return Err(StoreError::Damaged(format!(
                "found only {found} to replace"
            )));
        }
        self.activity = activity;
        Ok(())
    }

    /// Commits the changes; on return they are durable.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        let number = self.sensor.number;
        // By now nobody else has a reference.
        if let Some(transaction) = Rc::into_inner(self.sensor.transaction) {
            transaction.commit(&[(COUNT, &[(&number, Type::INT8)])])?;
        }
        Ok(())
    }
}

/// Creates the missing rows of `activity` of registered sensors.
pub(crate) fn make_activities(postgres: &Postgres, names: &[&str]) -> Result<(), StoreError> {
    let names = [(&names as _, Type::TEXT_ARRAY)];
    postgres
        .wait(postgres.query(MAKE_ACTIVITIES, &names))
        .map(drop)
}

impl ReadingsChange for PostgresChange<'_> {
    fn view(&self) -> Box<dyn ReadingsView + '_> {
        Box::new(self.sensor.clone())
    }

    fn block_readings(&self) -> usize {
        self.block_readings
    }

    fn activity(&self) -> Result<Option<Activity>, StoreError> {
        Ok(Some(self.activity).filter(|known| *known != Activity::default()))
    }

    fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError> {
        match &turn.rows {
            RowsTurn::Kept => self.turn_over_rows(&turn, None, &[]),
            RowsTurn::Corrected(rows) => self.turn_over_rows(&turn, None, rows),
            RowsTurn::Deleted { range, .. } => self.turn_over_rows(&turn, Some(*range), &[]),
        }
    }
}

/// Blocks as columns of a table.
#[derive(Default)]
struct BlockColumns<'a> {
    firsts: Vec<i64>,
    lasts: Vec<i64>,
    counts: Vec<i32>,
    summaries: Vec<Vec<u8>>,
    bytes: Vec<&'a [u8]>,
}

impl<'a> BlockColumns<'a> {
    fn of(packs: &'a [Pack]) -> Result<Self, StoreError> {
        let mut columns = Self::default();
        for Pack { bytes, summary } in packs {
            columns.firsts.push(summary.first.millis());
            columns.lasts.push(summary.last.millis());
            let count = i32::try_from(summary.count).unwrap_or(i32::MAX);
            columns.counts.push(count);
            columns.summaries.push(summary_record::encode(summary)?);
            columns.bytes.push(bytes);
        }
        Ok(columns)
    }

    fn values<'b>(&'b self, sensor: Value<'b>) -> [Value<'b>; 6] {
        [
            sensor,
            (&self.firsts, Type::INT8_ARRAY),
            (&self.lasts, Type::INT8_ARRAY),
            (&self.counts, Type::INT4_ARRAY),
            (&self.summaries, Type::BYTEA_ARRAY),
            (&self.bytes, Type::BYTEA_ARRAY),
        ]
    }
}
