//! Readings as columns of the table `hot`.

use tokio_postgres::types::Type;

use crate::domain::Reading;
use crate::store::postgres::pool::Value;

/// Readings as columns.
#[derive(Default)]
pub(crate) struct RowColumns {
    pub(crate) times: Vec<i64>,
    watts: Vec<Option<f64>>,
    watthours: Vec<Option<f64>>,
}

impl RowColumns {
    pub(crate) fn of(readings: impl IntoIterator<Item = Reading>) -> Self {
        let mut columns = Self::default();
        for reading in readings {
            columns.push(&reading);
        }
        columns
    }

    pub(crate) fn push(&mut self, reading: &Reading) {
        self.times.push(reading.time.millis());
        self.watts.push(reading.measures.watts());
        self.watthours.push(reading.measures.watthours());
    }

    /// The parameters of a statement, after that of one sensor or of one for each row.
    pub(crate) fn values<'a>(&'a self, sensor: Value<'a>) -> [Value<'a>; 4] {
        [
            sensor,
            (&self.times, Type::INT8_ARRAY),
            (&self.watts, Type::FLOAT8_ARRAY),
            (&self.watthours, Type::FLOAT8_ARRAY),
        ]
    }
}
