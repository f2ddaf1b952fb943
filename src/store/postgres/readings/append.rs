//! Commits uploads in groups, each in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::types::Type;

use super::activity_row::{
    ActivityRows, HOLD, PUT_ACTIVITIES, activity_of, held_at_once, needed_time, time, value,
};
use super::change::make_activities;
use super::row_columns::RowColumns;
use super::transaction::PostgresTransaction;
use super::view::PostgresSensor;
use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::backend::placing::{StoredTimes, first_to_assign, place};
use crate::store::backend::{Append, ReadingsView as _};
use crate::store::blocks::Finder;
use crate::store::error::StoreError;
use crate::store::postgres::copy::RegistrySnapshot;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::pool::Value;
use crate::store::records::Order;
use crate::store::rows::{Activity, SensorMap};

/// How many milliseconds to look ahead for taken times.
const LOOK_AHEAD_MS: i64 = 64;

const FIND_NUMBERS: &str = "select name, id from sensors where name = any($1)";
const FIND_TAKEN: &str = "select w.sensor, h.time \
    from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as w(sensor, first, last) \
    join hot h on h.sensor = w.sensor and h.time between w.first and w.last";
const ADD_ROWS: &str = "insert into hot as h (sensor, time, watts, watthours) \
    select * from unnest($1::bigint[], $2::bigint[], $3::float8[], $4::float8[]) \
    on conflict (sensor, time) do update set watts = coalesce(excluded.watts, h.watts), \
    watthours = coalesce(excluded.watthours, h.watthours)";

/// Commits groups of uploads, one after the other.
pub(crate) struct GroupWriter {
    postgres: Arc<Postgres>,
    registry: RegistrySnapshot,
    /// The numbers of sensors. A number is never used again, so an outdated one locks nothing.
    numbers: SensorMap<i64>,
}

/// The result of a group.
#[derive(Default)]
pub(crate) struct CommittedGroup {
    /// For each upload: the number of its readings, or the error.
    pub(crate) outcomes: Vec<Result<usize, StoreError>>,
    /// The number of unsealed rows of each sensor of the group.
    pub(crate) unsealed: Vec<(SensorId, usize)>,
    pub(crate) newest_arrival: Option<Timestamp>,
    /// Its number of readings, and the time until it was durable.
    pub(crate) readings: usize,
    pub(crate) took: Duration,
}

/// A sensor that is locked by a group.
struct HeldSensor<'a> {
    stored: PostgresSensor<'a>,
    activity: Activity,
    sealed_until: Option<Timestamp>,
    /// The rows of the group.
    rows: BTreeMap<Timestamp, Measures>,
    taken: TakenTimes,
    finder: Finder,
}

/// The times of rows within a span that was read.
#[derive(Default)]
struct TakenTimes {
    span: Option<TimeRange>,
    times: BTreeSet<Timestamp>,
}

impl GroupWriter {
    pub(crate) fn new(postgres: Arc<Postgres>, registry: RegistrySnapshot) -> Self {
        Self {
            postgres,
            registry,
            numbers: SensorMap::default(),
        }
    }

    /// Stores uploads, in this order. An error applies to all of them.
    pub(crate) fn commit(&mut self, appends: &[&Append]) -> Result<CommittedGroup, StoreError> {
        let registry = (self.registry)()?;
        let is_known = |append: &Append| {
            let sensor = append.upload.sensor();
            let known = match &append.account {
                Some(account) => registry.authorized_sensor(account, sensor),
                None => registry.sensor(sensor),
            };
            known.is_some()
        };
        let known: BTreeSet<&SensorId> = appends
            .iter()
            .filter(|append| is_known(append))
            .map(|append| append.upload.sensor())
            .collect();
        let unknown = |sensor: &SensorId| StoreError::UnknownSensor(sensor.as_str().to_owned());
        let mut group = CommittedGroup::default();
        let postgres = Arc::clone(&self.postgres);
        let (transaction, mut held) = self.hold(&postgres, &known)?;
        look_ahead(&transaction, &mut held, appends)?;
        for append in appends {
            let sensor = append.upload.sensor();
            let stored = held.get_mut(sensor).filter(|_| is_known(append));
            let added = match stored {
                Some(stored) => stored.add(append),
                None => Err(unknown(sensor)),
            };
            if let (Err(error), true) = (&added, transaction.is_broken()) {
                return Err(error.clone());
            }
            if added.is_ok() {
                group.newest_arrival = group.newest_arrival.max(Some(append.arrival));
            }
            group.outcomes.push(added);
        }
        group.unsealed = write(transaction, held)?;
        Ok(group)
    }

    /// Begins a transaction that locks those of the sensors that exist.
    fn hold<'a>(
        &mut self,
        postgres: &'a Postgres,
        sensors: &BTreeSet<&'a SensorId>,
    ) -> Result<(Rc<PostgresTransaction<'a>>, SensorMap<HeldSensor<'a>>), StoreError> {
        self.find_numbers(sensors.iter().copied())?;
        let (transaction, held) = self.hold_known(postgres, sensors)?;
        if held.len() == sensors.len() {
            return Ok((transaction, held));
        }
        // New sensors have no row. Others were removed, and maybe registered again, with another
        // number.
        let is_missing = |sensor: &&&SensorId| !held.contains_key(**sensor);
        let missing: Vec<&SensorId> = sensors.iter().filter(is_missing).copied().collect();
        drop((held, transaction));
        for sensor in &missing {
            self.numbers.remove(*sensor);
        }
        let names: Vec<&str> = missing.iter().map(|sensor| sensor.as_str()).collect();
        make_activities(postgres, &names)?;
        self.find_numbers(missing.into_iter())?;
        self.hold_known(postgres, sensors)
    }

    fn find_numbers<'a>(
        &mut self,
        sensors: impl Iterator<Item = &'a SensorId>,
    ) -> Result<(), StoreError> {
        let wanted: HashMap<&str, &SensorId> = sensors
            .filter(|sensor| !self.numbers.contains_key(*sensor))
            .map(|sensor| (sensor.as_str(), sensor))
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = wanted.keys().copied().collect();
        let names = [(&names as _, Type::TEXT_ARRAY)];
        for row in self
            .postgres
            .wait(self.postgres.query(FIND_NUMBERS, &names))?
        {
            let name: String = value(&row, 0)?;
            if let Some(sensor) = wanted.get(name.as_str()) {
                self.numbers.insert((*sensor).clone(), value(&row, 1)?);
            }
        }
        Ok(())
    }

    fn hold_known<'a>(
        &self,
        postgres: &'a Postgres,
        sensors: &BTreeSet<&'a SensorId>,
    ) -> Result<(Rc<PostgresTransaction<'a>>, SensorMap<HeldSensor<'a>>), StoreError> {
        let by_number: HashMap<i64, &SensorId> = sensors
            .iter()
            .filter_map(|sensor| Some((*self.numbers.get(*sensor)?, *sensor)))
            .collect();
        let mut numbers: Vec<i64> = by_number.keys().copied().collect();
        numbers.sort_unstable();
        let parts: Vec<&[i64]> = held_at_once(&numbers, postgres.is_spread()).collect();
        let values = parts.iter().map(|part| [(part as _, Type::INT8_ARRAY)]);
        let values: Vec<[Value<'_>; 1]> = values.collect();
        let statements = values.iter().map(|values| (HOLD, &values[..]));
        let statements: Vec<_> = statements.collect();
        let (transaction, rows) = PostgresTransaction::begin(postgres, "begin", &statements)?;
        let transaction = Rc::new(transaction);
        let mut held = SensorMap::default();
        for row in rows {
            let number = value(&row, 0)?;
            let Some(sensor) = by_number.get(&number).copied() else {
                continue;
            };
            let stored = HeldSensor {
                stored: PostgresSensor {
                    transaction: Rc::clone(&transaction),
                    sensor,
                    number,
                },
                sealed_until: time(&row, 1)?,
                activity: activity_of(&row, 2)?,
                rows: BTreeMap::new(),
                taken: TakenTimes::default(),
                finder: Finder::default(),
            };
            held.insert(sensor.clone(), stored);
        }
        Ok((transaction, held))
    }
}

impl HeldSensor<'_> {
    /// Adds an upload: all of it or, on an error, nothing. Returns the number of its readings.
    fn add(&mut self, append: &Append) -> Result<usize, StoreError> {
        let (rows, activity) = place(append, self.activity, self)?;
        let rows = rows.into_iter().map(|row| (row.time, row.measures));
        self.rows.extend(rows);
        self.activity = activity;
        Ok(append.upload.readings().len())
    }
}

impl StoredTimes for HeldSensor<'_> {
    fn row(&self, time: Timestamp) -> Option<Measures> {
        // PostgreSQL merges it with an older row.
        self.rows.get(&time).copied()
    }

    fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError> {
        if self.rows.contains_key(&time) {
            return Ok(true);
        }
        let span = self.taken.span;
        if span.is_none_or(|span| !span.contains(time)) {
            let end = time.saturating_add_millis(LOOK_AHEAD_MS);
            let span = TimeRange::new(time, end).unwrap_or(TimeRange::at(time));
            let rows = self.stored.rows(span, None, Order::Ascending, usize::MAX)?;
            self.taken = TakenTimes {
                span: Some(span),
                times: rows.into_iter().map(|row| row.time).collect(),
            };
        }
        if self.taken.times.contains(&time) {
            return Ok(true);
        }
        // Most times are newer than all blocks.
        if self.sealed_until.is_none_or(|until| until < time) {
            return Ok(false);
        }
        Ok(self.finder.at(&self.stored, time)?.is_some())
    }
}

/// Looks up taken times where readings without a time will be placed: for all sensors at once.
fn look_ahead(
    transaction: &PostgresTransaction<'_>,
    held: &mut SensorMap<HeldSensor<'_>>,
    appends: &[&Append],
) -> Result<(), StoreError> {
    let mut spans: BTreeMap<i64, (&SensorId, TimeRange)> = BTreeMap::new();
    for append in appends {
        let readings = append.upload.readings().iter();
        let untimed = readings.filter(|reading| reading.time.is_none()).count();
        let sensor = append.upload.sensor();
        let Some(stored) = held.get(sensor).filter(|_| untimed > 0) else {
            continue;
        };
        let number = stored.stored.number;
        let first = first_to_assign(&stored.activity, append.arrival);
        let known = spans.get(&number).map(|(_, span)| *span);
        let start = known.map_or(first, |span| span.start().min(first));
        let end = known.map_or(first, |span| span.end().max(first));
        let end = end.saturating_add_millis(i64::try_from(untimed).unwrap_or(i64::MAX));
        if let Some(span) = TimeRange::new(start, end) {
            spans.insert(number, (sensor, span));
        }
    }
    if spans.is_empty() {
        return Ok(());
    }
    let numbers: Vec<i64> = spans.keys().copied().collect();
    let ends = |end: fn(TimeRange) -> Timestamp| -> Vec<i64> {
        spans
            .values()
            .map(|(_, span)| end(*span).millis())
            .collect()
    };
    let (firsts, lasts) = (ends(TimeRange::start), ends(TimeRange::end));
    let values = [&numbers, &firsts, &lasts].map(|column| (column as _, Type::INT8_ARRAY));
    let rows = transaction.query(FIND_TAKEN, &values)?;
    for (sensor, span) in spans.values() {
        if let Some(stored) = held.get_mut(*sensor) {
            stored.taken.span = Some(*span);
        }
    }
    for row in rows {
        let number: i64 = value(&row, 0)?;
        let stored = spans.get(&number).and_then(|it| held.get_mut(it.0));
        if let Some(stored) = stored {
            stored.taken.times.insert(needed_time(&row, 1)?);
        }
    }
    Ok(())
}

/// Writes the rows and activities, and commits. Returns the number of unsealed rows of each sensor.
fn write(
    transaction: Rc<PostgresTransaction<'_>>,
    held: SensorMap<HeldSensor<'_>>,
) -> Result<Vec<(SensorId, usize)>, StoreError> {
    let (mut numbers, mut rows) = (Vec::new(), RowColumns::default());
    let mut activities = ActivityRows::default();
    let mut names = HashMap::new();
    for (sensor, stored) in held {
        if stored.rows.is_empty() {
            continue;
        }
        let number = stored.stored.number;
        activities.push(number, &stored.activity, stored.rows.len());
        for (time, measures) in stored.rows {
            numbers.push(number);
            rows.push(&Reading { time, measures });
        }
        names.insert(number, sensor);
    }
    // The borrowed sensors are dropped by now. Without rows, there is nothing to commit.
    let Some(transaction) = Rc::into_inner(transaction).filter(|_| !names.is_empty()) else {
        return Ok(Vec::new());
    };
    let counted = transaction.commit(&[
        (ADD_ROWS, &rows.values((&numbers, Type::INT8_ARRAY))),
        (PUT_ACTIVITIES, &activities.values()),
    ])?;
    let mut unsealed = Vec::with_capacity(counted.len());
    for row in counted {
        let (number, count): (i64, i32) = (value(&row, 0)?, value(&row, 1)?);
        if let Some(sensor) = names.remove(&number) {
            unsealed.push((sensor, usize::try_from(count).unwrap_or(0)));
        }
    }
    Ok(unsealed)
}
