//! The contents of an import, in numbers.

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::{Reading, Timestamp};

/// The contents of a file's good rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ImportSummary {
    /// Whether registers are energies of intervals.
    has_intervals: bool,
    readings: u64,
    /// The first and the last time.
    times: Option<(Timestamp, Timestamp)>,
    /// The number of power values, the lowest, the highest.
    watts: Option<MeasureSummary>,
    /// Registers, likewise.
    watthours: Option<MeasureSummary>,
}

/// Values of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
struct MeasureSummary {
    values: u64,
    lowest: f64,
    highest: f64,
    #[serde(skip)]
    total: f64,
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
    pub(super) fn new(has_intervals: bool) -> Self {
        Self {
            has_intervals,
            ..Self::default()
        }
    }

    /// Counts a reading.
    pub(super) fn count(&mut self, reading: Reading) {
        self.readings += 1;
        let time = reading.time;
        self.times = Some(match self.times {
            Some((first, last)) => (first.min(time), last.max(time)),
            None => (time, time),
        });
        MeasureSummary::count(&mut self.watts, reading.measures.watts());
        MeasureSummary::count(&mut self.watthours, reading.measures.watthours());
    }

    /// The summary as JSON.
    pub(super) fn json(&self) -> Value {
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
        }
        summary
    }

    /// The energy of all intervals, in watt-hours.
    fn total(&self) -> Option<f64> {
        self.watthours
            .filter(|_| self.has_intervals)
            .map(|energy| energy.total)
    }

    /// The summary in words.
    pub(super) fn text(&self) -> String {
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
            summary.count(Reading {
                time: Timestamp::from_millis(ms).unwrap(),
                measures: Measures::new(watts, watthours).unwrap(),
            });
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
