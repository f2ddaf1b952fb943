//! Rows of statistics become readings: the register at the end of each period, or the mean power from
//! its begin on.
//!
//! A register is the `state`, as the meter shows it, so that the ledger decides about what is odd. The
//! `sum` of Home Assistant, which goes on through resets, tells what the meter still counted before a
//! reset between two rows: that is one more reading.

use super::series::{ReadSeries, SeriesMeasure};
use crate::domain::{Reading, Timestamp};
use crate::home_assistant::values::StatisticRow;

/// The rows of a series, one after another.
pub(super) struct StatisticReader<'a> {
    series: &'a ReadSeries,
    /// Readings are wanted after this time: those before are stored.
    after: Timestamp,
    /// The row before.
    before: Option<StatisticRow>,
    /// Whether Home Assistant has no rows before the first one.
    is_from_beginning: bool,
}

/// Less than this, in watt-hours, is rounding.
const ROUNDING: f64 = 0.001;

impl<'a> StatisticReader<'a> {
    /// Reads rows from the first one that there is, or goes on after a time.
    pub(super) fn new(series: &'a ReadSeries, after: Option<Timestamp>) -> Self {
        Self {
            series,
            after: after.unwrap_or(Timestamp::MIN),
            before: None,
            is_from_beginning: after.is_none(),
        }
    }

    /// The readings of the next row, of so many milliseconds.
    pub(super) fn read(&mut self, row: StatisticRow, length_ms: i64) -> Vec<Reading> {
        let end = row.start.saturating_add_millis(length_ms);
        let found = match self.series.measure {
            SeriesMeasure::Power(_) => vec![(row.start, row.mean)],
            SeriesMeasure::Register => {
                let middle = row.start.saturating_add_millis(length_ms / 2);
                // Readings of the old register are before it.
                let middle = middle.max(self.after.saturating_add_millis(1));
                let mut found = vec![(row.start, self.first(&row)), (middle, self.old_end(&row))];
                found.retain(|(time, _)| *time < end);
                found.push((end, row.state));
                if row.state.is_some() {
                    self.before = Some(row);
                    self.is_from_beginning = false;
                }
                found
            }
        };
        let found = found.into_iter().filter(|(time, _)| *time > self.after);
        found
            .filter_map(|(time, value)| self.series.reading(time, value?))
            .collect()
    }

    /// The register at the begin of the very first row: its sum counts from there.
    fn first(&self, row: &StatisticRow) -> Option<f64> {
        let (state, sum) = (row.state?, row.sum?);
        let is_first = self.is_from_beginning && self.before.is_none();
        (is_first && sum > ROUNDING && sum <= state).then_some(rounded(state - sum))
    }

    /// The last value of the register before a reset in this row.
    fn old_end(&self, row: &StatisticRow) -> Option<f64> {
        let before = self.before?;
        let (old, old_sum) = (before.state?, before.sum?);
        let (new, sum) = (row.state?, row.sum?);
        let rest = sum - old_sum - new;
        (new < old && rest > ROUNDING).then_some(rounded(old + rest))
    }
}

/// Sums of binary fractions have noise, and meters have no millionths.
fn rounded(watthours: f64) -> f64 {
    (watthours * 1e6).round() / 1e6
}

/// The registers that are stored of a statistic with these rows, each of an hour.
#[cfg(test)]
pub(in crate::home_assistant) fn registers_of(rows: &[StatisticRow]) -> Vec<(Timestamp, f64)> {
    let series = ReadSeries {
        sensor: crate::house::tests::id("a"),
        entity: crate::domain::EntityId::new("sensor.a").unwrap(),
        measure: SeriesMeasure::Register,
    };
    let mut reader = StatisticReader::new(&series, None);
    let hour = crate::domain::time::MS_PER_HOUR;
    let readings = rows.iter().flat_map(|row| reader.read(*row, hour));
    readings
        .map(|it| (it.time, it.measures.watthours().unwrap()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{EntityId, PowerPart, SensorId};

    const HOUR: i64 = 3_600_000;

    fn series(measure: SeriesMeasure) -> ReadSeries {
        ReadSeries {
            sensor: SensorId::new("a").unwrap(),
            entity: EntityId::new("sensor.a").unwrap(),
            measure,
        }
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    fn row(hour: i64, state: f64, sum: f64) -> StatisticRow {
        StatisticRow {
            start: at(hour * HOUR),
            state: Some(state),
            sum: Some(sum),
            mean: Some(-7.0),
        }
    }

    /// The readings: minutes, and the value.
    fn read(rows: &[StatisticRow], after: Option<i64>, measure: SeriesMeasure) -> Vec<(i64, f64)> {
        let series = series(measure);
        let mut reader = StatisticReader::new(&series, after.map(at));
        let readings = rows.iter().flat_map(|row| reader.read(*row, HOUR));
        let shown = readings.map(|it| {
            let value = it.measures.watthours().or(it.measures.watts());
            (it.time.millis() / 60_000, value.unwrap())
        });
        shown.collect()
    }

    #[test]
    fn a_register_is_that_of_the_meter_and_a_reset_is_one() {
        let register = SeriesMeasure::Register;
        let rows = [
            row(0, 1_000.5, 0.5),
            row(1, 1_002.0, 2.0),
            // It counts 1 Wh, begins again, and counts 5 Wh.
            row(2, 5.0, 8.0),
            row(3, 7.0, 10.0),
            // An older value for a moment is no reset.
            row(4, 6.9, 9.9),
        ];
        assert_eq!(
            read(&rows, None, register),
            [
                (0, 1_000.0),
                (60, 1_000.5),
                (120, 1_002.0),
                (150, 1_003.0),
                (180, 5.0),
                (240, 7.0),
                (300, 6.9)
            ]
        );
        // It goes on after what is stored, also in the middle of an hour.
        assert_eq!(
            read(&rows, Some(2 * HOUR + 45 * 60_000), register),
            [(165, 1_003.0), (180, 5.0), (240, 7.0), (300, 6.9)]
        );
        // An edited sum is not the meter's.
        assert_eq!(read(&[row(0, 5.0, 500.0)], None, register), [(60, 5.0)]);
    }

    #[test]
    fn a_mean_counts_from_the_begin_of_its_hour() {
        let power = SeriesMeasure::Power(PowerPart::Negative);
        assert_eq!(read(&[row(1, 0.0, 0.0)], None, power), [(60, 7.0)]);
        let none = StatisticRow {
            mean: None,
            ..row(1, 0.0, 0.0)
        };
        assert_eq!(read(&[none], None, power), []);
    }
}
