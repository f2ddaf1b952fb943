//! The results and losses of a salvage.

use std::fmt;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::handle::counts::StoreCounts;

/// The result of a salvage, collected while it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Salvaged {
    /// The contents of the new store.
    pub counts: StoreCounts,
    /// The data of the damaged store that was lost.
    pub lost: Vec<Lost>,
    /// Records that were recreated with default values.
    pub mended: Vec<String>,
}

/// Something that could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lost {
    /// The data and the reason, in a few words.
    pub what: String,
    /// The affected sensor; `None` may mean the whole store.
    pub sensor: Option<SensorId>,
    /// The range in which readings may be missing. The ends of [`TimeRange::ALL`] mean unknown
    /// ends.
    pub range: Option<TimeRange>,
    /// The number of lost readings, if known.
    pub readings: Option<u64>,
}

impl Salvaged {
    /// Reports a loss that affects the whole store.
    pub(crate) fn lose(&mut self, what: String) {
        self.lost.push(Lost {
            what,
            ..Lost::default()
        });
    }

    /// Reports a loss of a sensor other than readings.
    pub(crate) fn lose_of(&mut self, sensor: &SensorId, what: String) {
        self.lost.push(Lost {
            what,
            sensor: Some(sensor.clone()),
            ..Lost::default()
        });
    }
}

impl Lost {
    /// The first and the last time of the lost range, if known.
    #[must_use]
    pub fn ends(&self) -> (Option<Timestamp>, Option<Timestamp>) {
        let start = self.range.map(TimeRange::start);
        let end = self.range.map(TimeRange::end);
        (
            start.filter(|start| *start > Timestamp::MIN),
            end.filter(|end| *end < Timestamp::MAX),
        )
    }
}

/// As a line of text.
impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = self.sensor.as_ref().map_or("the store", |id| id.as_str());
        write!(f, "{subject}: lost")?;
        match (self.range, self.ends()) {
            (None, _) => {}
            (Some(_), (None, None)) => f.write_str(" readings of any time")?,
            (Some(_), (Some(start), None)) => write!(f, " {start} and later")?,
            (Some(_), (None, Some(end))) => write!(f, " {end} and earlier")?,
            (Some(_), (Some(start), Some(end))) => write!(f, " {start} to {end}")?,
        }
        if let Some(count) = self.readings {
            write!(f, " (up to {count} readings)")?;
        }
        write!(f, ": {}", self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_in_words() {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let mut lost = Lost {
            what: "why".into(),
            sensor: None,
            range: None,
            readings: None,
        };
        assert_eq!(lost.to_string(), "the store: lost: why");
        lost.sensor = Some(SensorId::new("house").unwrap());
        lost.range = TimeRange::new(at(0), at(1_000));
        lost.readings = Some(3);
        assert_eq!(
            lost.to_string(),
            "house: lost 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:01.000Z (up to 3 readings): why"
        );
        lost.readings = None;
        for (start, end, said) in [
            (at(0), Timestamp::MAX, "1970-01-01T00:00:00.000Z and later"),
            (
                Timestamp::MIN,
                at(0),
                "1970-01-01T00:00:00.000Z and earlier",
            ),
            (Timestamp::MIN, Timestamp::MAX, "readings of any time"),
        ] {
            lost.range = TimeRange::new(start, end);
            assert_eq!(lost.to_string(), format!("house: lost {said}: why"));
        }
        assert_eq!(lost.ends(), (None, None));
    }
}
