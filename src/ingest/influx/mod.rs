//! Readings in InfluxDB's line protocol.

pub mod line;
mod mapping;
mod value;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use self::line::{Line, lines};
pub use self::mapping::{FieldMapping, FieldRule, Unmapped};
pub use self::value::Value;
use super::{Batch, Refusals};
use crate::domain::time::Timestamp;

/// The unit of a request's timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `ns` or `n`.
    #[default]
    Nanoseconds,
    /// `us` or `u`.
    Microseconds,
    /// `ms`.
    Milliseconds,
    /// `s`.
    Seconds,
    /// `m`.
    Minutes,
    /// `h`.
    Hours,
}

/// Why a word is no precision, in the words of InfluxDB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("invalid precision (use ns, u, ms, s, m or h)")]
pub struct UnknownPrecision;

/// What a body says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The readings in it.
    pub batch: Batch,
    /// The lines that could not be read or hold a reading that cannot be one.
    pub refused: Refusals,
    /// How many lines it has, but for empty ones and comments.
    pub lines: usize,
    /// What of the others is no reading by the settings: measurement and field with the reason, once each, the first few.
    pub ignored: Vec<Ignored>,
}

/// A field that is no reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    measurement: String,
    field: String,
    why: Unmapped,
}

/// The most ignored fields that are told of one body.
const IGNORED_AT_MOST: usize = 8;

/// Reads a body. What is wrong with a line concerns that line alone.
#[must_use]
pub fn read(body: &[u8], precision: Precision, mapping: &FieldMapping) -> Read {
    let mut read = Read::default();
    for (number, line) in lines(body) {
        read.lines += 1;
        match line {
            Err(error) => read.refused.add(1, error),
            Ok(line) => {
                if let Err(problem) = read.take(&line, precision, mapping) {
                    read.refused.add(1, format!("line {number}: {problem}"));
                }
            }
        }
    }
    read
}

impl Read {
    /// Takes the readings of a line.
    fn take(
        &mut self,
        line: &Line<'_>,
        precision: Precision,
        mapping: &FieldMapping,
    ) -> Result<(), String> {
        let time = line
            .timestamp
            .map(|number| {
                let time = precision.time(number);
                time.ok_or_else(|| {
                    format!("time outside range: {number} in {}", precision.as_str())
                })
            })
            .transpose()?;
        let tag = |name: &str| {
            let found = line.tags.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_ref())
        };
        let mut found: Vec<_> = Vec::with_capacity(line.fields.len());
        for (field, value) in &line.fields {
            match mapping.target(&line.measurement, tag, field) {
                Ok((sensor, quantity)) => {
                    let measures = value.number().and_then(|number| quantity.measures(number));
                    found.push((sensor, measures.ok_or_else(|| no_number(field, value))?));
                }
                Err(Unmapped::Name(error)) => return Err(format!("the sensor's name: {error}")),
                Err(why) => self.ignore(&line.measurement, field, why),
            }
        }
        // All of a line or nothing.
        for (sensor, measures) in found {
            self.batch.push(&sensor, time, measures);
        }
        Ok(())
    }

    fn ignore(&mut self, measurement: &str, field: &str, why: Unmapped) {
        let is_same = |known: &Ignored| known.measurement == measurement && known.field == field;
        if self.ignored.len() < IGNORED_AT_MOST && !self.ignored.iter().any(is_same) {
            self.ignored.push(Ignored {
                measurement: measurement.to_owned(),
                field: field.to_owned(),
                why,
            });
        }
    }
}

fn no_number(field: &str, value: &Value<'_>) -> String {
    let shown: String = value.to_string().chars().take(40).collect();
    format!("field {field:?}: expected a number, finite in watts or watt-hours; got {shown}")
}

/// For people.
impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (measurement, field) = (short(&self.measurement), short(&self.field));
        write!(f, "field {field:?} of measurement {measurement:?} ")?;
        f.write_str(match self.why {
            Unmapped::Sensor => "has no tag that names a sensor",
            _ => "is no reading by the settings of [influx]",
        })
    }
}

fn short(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

impl Precision {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Minutes => "m",
            Self::Hours => "h",
        }
    }

    /// The time that `number` of them after 1970 is, cut to the millisecond; `None` where it is outside of the years that
    /// there are.
    #[must_use]
    pub fn time(self, number: i64) -> Option<Timestamp> {
        let ms = match self {
            Self::Nanoseconds => number.div_euclid(1_000_000),
            Self::Microseconds => number.div_euclid(1_000),
            Self::Milliseconds => number,
            Self::Seconds => number.checked_mul(1_000)?,
            Self::Minutes => number.checked_mul(60_000)?,
            Self::Hours => number.checked_mul(3_600_000)?,
        };
        Timestamp::from_millis(ms)
    }

    /// A time as a number of them, cut where they are longer than a millisecond; `None` where there are too many.
    #[must_use]
    pub const fn number(self, time: Timestamp) -> Option<i64> {
        let ms = time.millis();
        match self {
            Self::Nanoseconds => ms.checked_mul(1_000_000),
            Self::Microseconds => ms.checked_mul(1_000),
            Self::Milliseconds => Some(ms),
            Self::Seconds => Some(ms.div_euclid(1_000)),
            Self::Minutes => Some(ms.div_euclid(60_000)),
            Self::Hours => Some(ms.div_euclid(3_600_000)),
        }
    }
}

/// Of a request's parameter, where both versions of InfluxDB have names of their own.
impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        Ok(match text {
            "n" | "ns" => Self::Nanoseconds,
            "u" | "us" | "µ" | "µs" => Self::Microseconds,
            "ms" => Self::Milliseconds,
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            _ => return Err(UnknownPrecision),
        })
    }
}

/// What a fuzzer calls: whatever a body says, there are no more readings than it has bytes, each finite.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(body: &[u8]) {
    let mapping = FieldMapping {
        sensor_tags: vec!["sensor".into()],
        watts_fields: vec!["w".into()],
        watthours_fields: vec!["h".into()],
        rules: Vec::new(),
    };
    let read = read(body, Precision::Seconds, &mapping);
    let count: usize = read
        .batch
        .readings()
        .map(|(_, readings)| readings.len())
        .sum();
    assert!(count + read.refused.count() <= body.len());
    for (_, readings) in read.batch.readings() {
        for reading in readings {
            let (watts, watthours) = (reading.measures.watts(), reading.measures.watthours());
            assert!(watts.into_iter().chain(watthours).all(f64::is_finite));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::mapping::tests::mapping;
    use super::*;

    fn read_all(body: &str) -> Read {
        read(body.as_bytes(), Precision::Seconds, &mapping(Vec::new()))
    }

    #[test]
    fn fields_become_measures_of_sensors() {
        let read = read_all(
            "power,sensor=house watts=2,watthours=10i,volts=230 5\npower,sensor_id=solar Wh=7 5\npower,sensor=house watts=3 6",
        );
        assert_eq!(
            read.batch.shown(),
            [
                "house Some(5000) Some(2.0) Some(10.0)",
                "house Some(6000) Some(3.0) None",
                "solar Some(5000) None Some(7.0)",
            ]
        );
        assert_eq!((read.lines, read.refused.count()), (3, 0));
        assert_eq!(
            read.ignored[0].to_string(),
            "field \"volts\" of measurement \"power\" is no reading by the settings of [influx]"
        );
    }

    #[test]
    fn a_bad_line_is_refused_whole_and_alone() {
        let read = read_all(
            "p,sensor=a watts=1 1\np,sensor=a watts=2,watthours=\"much\" 2\np,sensor=a watts= 3\np,sensor=a watts=4 4\np,sensor=a watts=5 99999999999999",
        );
        assert_eq!(
            read.batch.shown(),
            ["a Some(1000) Some(1.0) None", "a Some(4000) Some(4.0) None"]
        );
        assert_eq!(read.refused.count(), 3);
        assert_eq!(
            read.refused.to_string(),
            "line 2: field \"watthours\": expected a number, finite in watts or watt-hours; got \"much\"; unable to parse \
             'p,sensor=a watts= 3': missing field value (line 3); line 5: time outside range: 99999999999999 in s"
        );
    }

    #[test]
    fn what_is_ignored_is_told_once() {
        let lines: Vec<String> = (0..100)
            .map(|n| format!("cpu,host=a usage={n},f{n}=1 {n}\nm watts=1\n"))
            .collect();
        let read = read_all(&lines.concat());
        assert!(read.batch.is_empty());
        assert_eq!(read.ignored.len(), IGNORED_AT_MOST);
        assert_eq!(
            read.ignored[2].to_string(),
            "field \"watts\" of measurement \"m\" has no tag that names a sensor"
        );
    }

    #[test]
    fn precisions_are_of_both_versions() {
        let ms = |word: &str, number| {
            let precision: Precision = word.parse().unwrap();
            precision.time(number).map(Timestamp::millis)
        };
        assert_eq!(ms("n", 1_999_999), Some(1));
        assert_eq!(ms("ns", -1), Some(-1));
        assert_eq!(ms("us", 2_500), Some(2));
        assert_eq!(ms("u", 2_500), Some(2));
        assert_eq!(ms("ms", 5), Some(5));
        assert_eq!(ms("s", 5), Some(5_000));
        assert_eq!(ms("m", 5), Some(300_000));
        assert_eq!(ms("h", 5), Some(18_000_000));
        assert_eq!(ms("s", i64::MAX), None);
        assert_eq!(ms("ms", i64::MAX), None);
        for word in ["", "d", "S", "seconds"] {
            assert!(word.parse::<Precision>().is_err(), "{word:?}");
        }
        let time = Timestamp::from_millis(1_500).unwrap();
        assert_eq!(Precision::Seconds.number(time), Some(1));
        assert_eq!(Precision::Nanoseconds.number(time), Some(1_500_000_000));
        assert_eq!(Precision::Nanoseconds.number(Timestamp::MAX), None);
    }
}
