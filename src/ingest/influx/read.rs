//! From the lines of a body to readings of sensors.

use std::borrow::Cow;
use std::fmt;

use super::line::{InfluxLine, lines};
use super::mapping::{FieldMapping, Unmapped};
use super::precision::Precision;
use super::value::FieldValue;
use crate::domain::Timestamp;
use crate::ingest::Quantity;
use crate::ingest::batch::{Refusals, SensorBatch, TooManyReadings};
use crate::ingest::tolerant::unpadded;

/// 2005-01-01T00:00:00Z. If the client did not name the unit, an earlier time is not in
/// nanoseconds.
const UNIT_IS_CLEAR_FROM_MS: i64 = 1_104_537_600_000;

/// The readings of a body, and the outcome of its other lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineReadings {
    /// The readings.
    pub batch: SensorBatch,
    /// Invalid lines and fields.
    pub refused: Refusals,
    /// The number of mapped fields with a word such as `NaN` instead of a number.
    pub dropped: usize,
    /// The number of lines, without empty ones and comments.
    pub lines: usize,
    /// The first few fields that the settings do not map, without repetition.
    pub ignored: Vec<Ignored>,
    /// The ignored field that looks most like a reading.
    pub example: Option<UnmappedField>,
}

/// An unmapped field with a number, as an example of a mapping. Its `Display` is the mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmappedField {
    measurement: String,
    tags: Vec<(String, String)>,
    field: String,
    /// Measure and unit, if the measurement is named after a unit, as by Home Assistant.
    unit: Option<(&'static str, String)>,
}

/// A field that is not a reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    measurement: String,
    field: String,
    why: Unmapped,
}

/// The maximum number of ignored fields reported for one body.
const MAX_IGNORED: usize = 8;

/// The maximum number of tags in an example.
const MAX_EXAMPLE_TAGS: usize = 8;

/// Reads a body of at most `most` readings. An invalid line does not affect the others, and neither
/// does a field that is not a number. The precision is `None` if the client named none.
///
/// # Errors
/// [`TooManyReadings`]; then the rest of the body is not read.
pub fn read(
    body: &[u8],
    precision: Option<Precision>,
    mapping: &FieldMapping,
    most: usize,
) -> Result<LineReadings, TooManyReadings> {
    let mut read = LineReadings::default();
    for (number, line) in lines(unpadded(body)) {
        read.lines += 1;
        match line {
            Err(error) => read.refused.add(1, error),
            Ok(line) => {
                if let Err(problem) = read.take((number, &line), precision, mapping) {
                    read.refused.add(1, format!("line {number}: {problem}"));
                }
                read.batch.check_count(most)?;
            }
        }
    }
    Ok(read)
}

impl LineReadings {
    /// Takes the readings of a line.
    fn take(
        &mut self,
        (number, line): (usize, &InfluxLine<'_>),
        precision: Option<Precision>,
        mapping: &FieldMapping,
    ) -> Result<(), String> {
        let time = line.timestamp.map(|number| time_of(number, precision));
        let time = time.transpose()?;
        let tag = |name: &str| {
            let found = line.tags.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_ref())
        };
        let mut found: Vec<_> = Vec::with_capacity(line.fields.len());
        for (field, value) in &line.fields {
            match mapping.target(&line.measurement, tag, field) {
                Ok((sensor, quantity)) => {
                    let measures = match value {
                        FieldValue::Number(number) => quantity.measures(*number),
                        _ => None,
                    };
                    match measures {
                        Some(measures) => found.push((sensor, measures)),
                        None if value.is_no_number() => self.dropped += 1,
                        None => {
                            let problem = no_number(field, value);
                            self.refused.add(1, format!("line {number}: {problem}"));
                        }
                    }
                }
                // Not ignored, because the field is a reading, and the line names a sensor for it.
                Err(Unmapped::Name(error)) => return Err(format!("the sensor's name: {error}")),
                Err(why) => {
                    self.ignore(&line.measurement, field, why);
                    if matches!(value, FieldValue::Number(_)) {
                        self.exemplify(line, field);
                    }
                }
            }
        }
        for (sensor, measures) in found {
            self.batch.push(&sensor, time, measures);
        }
        Ok(())
    }

    /// Keeps a field as the example, unless there already is one with a unit.
    fn exemplify(&mut self, line: &InfluxLine<'_>, field: &str) {
        let known = self.example.as_ref();
        if known.is_some_and(|known| known.unit.is_some()) {
            return;
        }
        let measurement = line.measurement.as_ref();
        let unit = ["watts", "watthours"].into_iter().find(|measure| {
            let unit = Some(measurement).filter(|unit| !unit.is_empty());
            unit.is_some() && Quantity::new(measure, unit).is_some()
        });
        if known.is_some() && unit.is_none() {
            return;
        }
        let tags = line.tags.iter().take(MAX_EXAMPLE_TAGS);
        self.example = Some(UnmappedField {
            measurement: short(measurement).into_owned(),
            tags: tags
                .map(|(key, value)| (short(key).into_owned(), short(value).into_owned()))
                .collect(),
            field: short(field).into_owned(),
            unit: unit.map(|measure| (measure, measurement.to_owned())),
        });
    }

    fn ignore(&mut self, measurement: &str, field: &str, why: Unmapped) {
        let is_same = |known: &Ignored| known.measurement == measurement && known.field == field;
        if self.ignored.len() < MAX_IGNORED && !self.ignored.iter().any(is_same) {
            self.ignored.push(Ignored {
                measurement: measurement.to_owned(),
                field: field.to_owned(),
                why,
            });
        }
    }
}

/// The time of a line.
fn time_of(number: i64, precision: Option<Precision>) -> Result<Timestamp, String> {
    let unit = precision.unwrap_or_default();
    let time = unit
        .time(number)
        .ok_or_else(|| format!("time outside range: {number} in {}", unit.as_str()))?;
    if precision.is_none() && time.millis() < UNIT_IS_CLEAR_FROM_MS {
        return Err(format!(
            "the time {number} is {time} in nanoseconds: name its unit with the parameter precision, such as precision=s"
        ));
    }
    Ok(time)
}

fn no_number(field: &str, value: &FieldValue<'_>) -> String {
    let field = short(field);
    let shown: String = value.to_string().chars().take(40).collect();
    let expected = match value {
        // InfluxDB's words.
        FieldValue::Unreadable(_) => "invalid number or boolean",
        _ => "expected a number, finite in watts or watt-hours",
    };
    format!("field {field:?}: {expected}; got {shown}")
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (measurement, field) = (short(&self.measurement), short(&self.field));
        write!(f, "field {field:?} of measurement {measurement:?} ")?;
        f.write_str(match self.why {
            Unmapped::Sensor => "has no tag that names a sensor",
            _ => "is not mapped to a sensor by the settings of [influx]",
        })
    }
}

/// A mapping of this field, in the form of the settings.
impl fmt::Display for UnmappedField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            measurement, field, ..
        } = self;
        write!(f, "[[influx.mappings]] with measurement = {measurement:?}")?;
        if !self.tags.is_empty() {
            let tags = self.tags.iter();
            let tags: Vec<_> = tags
                .map(|(key, value)| format!("{key:?} = {value:?}"))
                .collect();
            write!(f, ", tags = {{ {} }}", tags.join(", "))?;
        }
        write!(f, ", field = {field:?}, sensor = the sensor's id")?;
        match &self.unit {
            Some((measure, unit)) => write!(f, ", measure = {measure:?}, unit = {unit:?}"),
            None => f.write_str(", measure = \"watts\" or \"watthours\""),
        }
    }
}

fn short(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::influx::mapping::tests::mapping;

    fn read_all(body: &str) -> LineReadings {
        let mapping = mapping(Vec::new());
        read(body.as_bytes(), Some(Precision::Seconds), &mapping, 10).unwrap()
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
            "field \"volts\" of measurement \"power\" is not mapped to a sensor by the settings of [influx]"
        );
    }

    #[test]
    fn a_field_that_is_no_number_costs_itself_alone() {
        for (value, dropped, problem) in [
            ("NaN", 1, ""),
            ("-inf", 1, ""),
            ("n/a", 1, ""),
            ("-", 1, ""),
            ("\"NaN\"", 1, ""),
            ("\"unavailable\"", 1, ""),
            ("\"\"", 1, ""),
            ("12W", 0, "invalid number or boolean; got 12W"),
            ("1e999", 0, "invalid number or boolean; got 1e999"),
            (
                "\"12\"",
                0,
                "expected a number, finite in watts or watt-hours; got \"12\"",
            ),
            (
                "true",
                0,
                "expected a number, finite in watts or watt-hours; got true",
            ),
        ] {
            let read = read_all(&format!(
                "p,sensor=a watts=1 1\np,sensor=a watts={value},Wh=5,x={value} 2\np,sensor=a watts=3 3"
            ));
            let expected = [
                "a Some(1000) Some(1.0) None",
                "a Some(2000) None Some(5.0)",
                "a Some(3000) Some(3.0) None",
            ];
            assert_eq!(read.batch.shown(), expected, "{value}");
            let refused = read.refused.to_string();
            let problem = if problem.is_empty() {
                String::new()
            } else {
                format!("line 2: field \"watts\": {problem}")
            };
            assert_eq!((read.dropped, refused), (dropped, problem), "{value}");
        }
    }

    #[test]
    fn what_surrounds_the_lines_does_not_matter() {
        let read = read_all("\u{feff}p,sensor=a watts=1 1\np,sensor=a watts=2 2\0\0");
        assert_eq!((read.batch.shown().len(), read.refused.count()), (2, 0));
        assert_eq!(read_all("\u{feff}\0").lines, 0);
    }

    #[test]
    fn a_time_in_another_unit_is_refused_unless_that_is_named() {
        let mapping = mapping(Vec::new());
        let seconds: i64 = 1_767_607_200;
        let (least, most) = (UNIT_IS_CLEAR_FROM_MS * 1_000_000, i64::MAX);
        for (time, is_kept) in [
            (seconds, false),
            (seconds * 1_000, false),
            (seconds * 1_000_000, false),
            (-1, false),
            (least - 1, false),
            (least, true),
            (seconds * 1_000_000_000, true),
            (most, true),
        ] {
            let body = format!("p,sensor=a watts=1 {time}\np,sensor=a watts=2");
            let read_as = |precision| read(body.as_bytes(), precision, &mapping, 10).unwrap();
            let unsaid = read_as(None);
            assert_eq!(
                unsaid.batch.shown().len(),
                1 + usize::from(is_kept),
                "{time}"
            );
            let refused = unsaid.refused.to_string();
            let is_named =
                refused.starts_with("line 1: the time") && refused.contains("precision=s");
            assert_eq!(is_named, !is_kept, "{refused}");
            let said = read_as(Some(Precision::Nanoseconds));
            assert_eq!((said.batch.shown().len(), said.refused.count()), (2, 0));
        }
    }

    #[test]
    fn a_bad_line_is_refused_whole_and_alone() {
        let read = read_all(
            "p,sensor=a watts=1 1\np,sensor=,b watts=2,watthours=3 2\np,sensor=a watts= 3\np,sensor=a watts=4 4\np,sensor=a watts=5 99999999999999",
        );
        assert_eq!(
            read.batch.shown(),
            ["a Some(1000) Some(1.0) None", "a Some(4000) Some(4.0) None"]
        );
        assert_eq!(read.refused.count(), 3);
        assert_eq!(
            read.refused.to_string(),
            "unable to parse 'p,sensor=,b watts=2,watthours=3 2': missing tag value (line 2); unable to parse \
             'p,sensor=a watts= 3': missing field value (line 3); line 5: time outside range: 99999999999999 in s"
        );
    }

    #[test]
    fn reading_ends_at_the_limit() {
        let read_lines = |count: usize| {
            // Power and register at the same time are one reading.
            let line = |n| format!("p,sensor=a watts=1 {n}\np,sensor=a Wh=2 {n}\np,sensor=a\n");
            let body: String = (0..count).map(line).collect();
            let mapping = mapping(Vec::new());
            read(body.as_bytes(), Some(Precision::Seconds), &mapping, 10)
        };
        let most = read_lines(10).unwrap();
        assert_eq!((most.batch.shown().len(), most.refused.count()), (10, 10));
        let error = read_lines(1_000).unwrap_err();
        assert_eq!(error, TooManyReadings { most: 10, came: 11 });
    }

    #[test]
    fn a_line_with_too_many_fields_is_one_refusal() {
        for body in [
            format!("p,sensor=a {}watts=1\n", "watts=1,".repeat(131_000)),
            format!("p{} watts=1\n", ",sensor=a".repeat(100_000)),
        ] {
            let read = read_all(&format!("{body}p,sensor=a watts=2 1"));
            assert_eq!((read.lines, read.refused.count()), (2, 1));
            assert_eq!(read.batch.shown(), ["a Some(1000) Some(2.0) None"]);
            let reasons = read.refused.to_string();
            assert!(
                reasons.contains("too many") && reasons.len() < 200,
                "{reasons}"
            );
        }
    }

    #[test]
    fn the_example_looks_most_like_a_reading() {
        let example = |body| read_all(body).example.map(|found| found.to_string());
        // As written by Home Assistant.
        let body = "°C,domain=sensor,entity_id=hall friendly_name_str=\"Hall\",value=20.5 1\nkWh,domain=sensor,entity_id=meter \
                    device_class_str=\"energy\",value=12.5 1\nW,domain=sensor,entity_id=power value=3 1";
        assert_eq!(
            example(body).as_deref(),
            Some(
                "[[influx.mappings]] with measurement = \"kWh\", tags = { \"domain\" = \"sensor\", \"entity_id\" = \"meter\" }, \
                 field = \"value\", sensor = the sensor's id, measure = \"watthours\", unit = \"kWh\""
            )
        );
        assert_eq!(
            example("m text=\"a\",n=1 1\nm o=1 1").as_deref(),
            Some(
                "[[influx.mappings]] with measurement = \"m\", field = \"n\", sensor = the sensor's id, measure = \"watts\" or \
                 \"watthours\""
            )
        );
        assert_eq!(example("m text=\"a\" 1\np,sensor=a watts=1 1"), None);
    }

    #[test]
    fn ignored_fields_are_reported_once() {
        let lines: Vec<String> = (0..100)
            .map(|n| format!("cpu,host=a usage={n},f{n}=1 {n}\nm watts=1\n"))
            .collect();
        let read = read_all(&lines.concat());
        assert!(read.batch.is_empty());
        assert_eq!(read.ignored.len(), MAX_IGNORED);
        assert_eq!(
            read.ignored[2].to_string(),
            "field \"watts\" of measurement \"m\" has no tag that names a sensor"
        );
    }
}
