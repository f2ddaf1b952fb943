//! The contents of an import, in numbers.

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::number::to_millionth;
use crate::domain::{Calendar, Interval, Reading, Timestamp, Zone};

/// The maximum number of months with a sum: a hundred years.
const MONTHS: usize = 1_200;

/// The contents of a file's good rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportSummary {
    /// Whether registers are energies of intervals.
    has_intervals: bool,
    pub(crate) readings: u64,
    /// Values that are repeated unchanged.
    pub(crate) duplicates: u64,
    /// The first and the last time.
    pub(crate) times: Option<(Timestamp, Timestamp)>,
    /// The number of power values, the lowest, the highest.
    pub(crate) watts: Option<MeasureSummary>,
    /// Registers, likewise.
    pub(crate) watthours: Option<MeasureSummary>,
    /// The sum of interval energies for each month, which its first day names.
    pub(crate) months: Vec<MonthSum>,
    calendar: Option<(Zone, Calendar)>,
}

/// Values of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct MeasureSummary {
    values: u64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
    #[serde(skip)]
    total: f64,
}

/// The energy of a month.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct MonthSum {
    #[serde(skip)]
    pub(crate) start: Timestamp,
    pub(crate) month: String,
    pub(crate) watthours: f64,
}

impl MeasureSummary {
    fn count(summary: &mut Option<Self>, value: Option<f64>) {
        let Some(value) = value else { return };
        let all = summary.get_or_insert(Self {
            values: 0,
            lowest: value,
            highest: value,
            total: 0.0,
        });
        all.values += 1;
        all.total += value;
        all.lowest = all.lowest.min(value);
        all.highest = all.highest.max(value);
    }
}

impl ImportSummary {
    /// The summary of no readings.
    pub(crate) fn new(has_intervals: bool, zone: Option<Zone>) -> Self {
        let zone = zone.unwrap_or(Zone::UTC);
        let calendar = Calendar::new(zone.clone(), Interval::Month);
        Self {
            has_intervals,
            calendar: Some((zone, calendar)).filter(|_| has_intervals),
            ..Self::default()
        }
    }

    /// Counts a reading; an interval begins at `start`.
    pub(crate) fn count(&mut self, reading: Reading, start: Option<Timestamp>) {
        self.readings += 1;
        let time = reading.time;
        let from = start.unwrap_or(time);
        self.times = Some(match self.times {
            Some((first, last)) => (first.min(time), last.max(time)),
            None => (time, time),
        });
        MeasureSummary::count(&mut self.watts, reading.measures.watts());
        MeasureSummary::count(&mut self.watthours, reading.measures.watthours());
        self.count_month(from, time, reading.measures.watthours());
    }

    fn count_month(&mut self, from: Timestamp, time: Timestamp, energy: Option<f64>) {
        let (Some((zone, calendar)), Some(energy)) = (&mut self.calendar, energy) else {
            return;
        };
        // Without a start, an interval belongs to the month of its last moment.
        let inside = if from < time {
            from
        } else {
            time.saturating_add_millis(-1)
        };
        let start = calendar.bucket(inside).start();
        let is_full = self.months.len() == MONTHS;
        match self.months.last_mut() {
            Some(month) if month.start == start => {
                month.watthours = to_millionth(month.watthours + energy);
            }
            _ if !is_full => {
                let shown = zone.shown_at(start).to_string();
                self.months.push(MonthSum {
                    start,
                    month: shown.get(..7).unwrap_or_default().to_owned(),
                    watthours: energy,
                });
            }
            _ => {}
        }
    }

    /// The summary as JSON.
    pub(crate) fn json(&self) -> Value {
        let (first, last) = self.times.unzip();
        let text = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let mut summary = json!({
            "readings": self.readings,
            "first": text(first),
            "last": text(last),
            "watts": self.watts,
            "watthours": self.watthours,
        });
        if let (Some(total), Some(summary)) = (self.total(), summary.as_object_mut()) {
            summary.insert("total_watthours".to_owned(), total.into());
            summary.insert("months".to_owned(), json!(self.months));
        }
        summary
    }

    /// The energy of all intervals, in watt-hours.
    pub(crate) fn total(&self) -> Option<f64> {
        self.watthours
            .filter(|_| self.has_intervals)
            .map(|energy| to_millionth(energy.total))
    }

    /// The summary in words.
    pub(crate) fn text(&self) -> String {
        let Some((first, last)) = self.times else {
            return "it has no readings".to_owned();
        };
        let mut lines = vec![format!(
            "{} readings, from {first} to {last}",
            self.readings
        )];
        if let Some(watts) = self.watts {
            lines.push(format!(
                "power: {} values, {} W to {} W",
                watts.values, watts.lowest, watts.highest
            ));
        }
        if let Some(energy) = self.watthours {
            lines.push(format!(
                "energy: {} values, {} kWh to {} kWh",
                energy.values,
                energy.lowest / 1e3,
                energy.highest / 1e3
            ));
        }
        if let Some(total) = self.total() {
            lines.push(format!("together: {} kWh", total / 1e3));
        }
        for month in &self.months {
            lines.push(format!("{}: {} kWh", month.month, month.watthours / 1e3));
        }
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Measures;

    #[test]
    fn readings_are_summed_up() {
        let mut summary = ImportSummary::default();
        assert_eq!(summary.text(), "it has no readings");
        for (ms, watts, watthours) in [
            (60_000, Some(5.0), Some(1_500.5)),
            (0, Some(-2.0), None),
            (1_000, None, Some(1_000.0)),
        ] {
            let reading = Reading {
                time: Timestamp::from_millis(ms).unwrap(),
                measures: Measures::new(watts, watthours).unwrap(),
            };
            summary.count(reading, None);
        }
        assert_eq!(
            summary.text(),
            "3 readings, from 1970-01-01T00:00:00.000Z to 1970-01-01T00:01:00.000Z\n\
             power: 2 values, -2 W to 5 W\nenergy: 2 values, 1 kWh to 1.5005 kWh"
        );
        assert_eq!(
            summary.json(),
            json!({
                "readings": 3,
                "first": "1970-01-01T00:00:00.000Z",
                "last": "1970-01-01T00:01:00.000Z",
                "watts": {"values": 2, "lowest": -2.0, "highest": 5.0},
                "watthours": {"values": 2, "lowest": 1_000.0, "highest": 1_500.5},
            })
        );
    }
}
