//! From a message to readings: by topic, the numbers with their units, and the sensors.

use serde_json::Value;

use super::payload::{PayloadError, Pointer, TimeForm};
use super::template::SensorTemplate;
use super::topic::TopicFilter;
use crate::domain::{Measures, SensorId, UploadedReading};
use crate::ingest::Quantity;

/// How the messages of some topics become readings.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicMapping {
    /// The topics.
    pub filter: TopicFilter,
    /// The ids of the sensors.
    pub sensor: SensorTemplate,
    /// Where the power and the register of each channel are in a message.
    pub numbers: Vec<(Channel, Pointer, Quantity)>,
    /// Where the time is, if the device sends one.
    pub time: Option<(Pointer, TimeForm)>,
}

/// A channel of a device. The sensor of the first has the device's id; to the others `-2`, `-3` and so on is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The channel of this number, from 0.
    Number(u32),
    /// The channel with the number, from 0, in the place of this wildcard of the topic. Wildcards count from 0 here.
    Wildcard(usize),
}

impl TopicMapping {
    /// The readings in `message`, which arrived under `topic`. There are none if the topic does not match, or if the message
    /// has none of the numbers.
    ///
    /// A list of numbers has a sensor for each number. Their ids end with `-1`, `-2` and so on.
    ///
    /// # Errors
    /// [`PayloadError`] if something else is in the place of a number or of the time.
    pub fn read(
        &self,
        topic: &str,
        message: &Value,
    ) -> Result<Vec<(SensorId, UploadedReading)>, PayloadError> {
        let Some(captures) = self.filter.captures(topic) else {
            return Ok(Vec::new());
        };
        // By the suffix of the sensor's id. Power and register of a sensor are one reading.
        let mut found: Vec<(String, Measures)> = Vec::new();
        for (channel, pointer, quantity) in &self.numbers {
            for (place, number) in pointer.numbers(message)? {
                let mut suffix = channel.suffix(&captures);
                if let Some(place) = place {
                    suffix = format!("{suffix}-{place}");
                }
                let measures = quantity
                    .measures(number)
                    .ok_or_else(|| pointer.not_number())?;
                match found.iter_mut().find(|(other, _)| *other == suffix) {
                    // The other measure of the same channel.
                    Some((_, known)) => *known = known.overlaid_by(measures),
                    None => found.push((suffix, measures)),
                }
            }
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        // Only for messages with numbers: others may have anything in its place.
        let time = self.time.as_ref();
        let time = time.map(|(pointer, form)| pointer.time(message, *form));
        let time = time.transpose()?.flatten();
        let readings = found.into_iter().map(|(suffix, measures)| {
            let sensor = self.sensor.fill(&captures, &suffix)?;
            Ok((sensor, UploadedReading { time, measures }))
        });
        readings.collect()
    }
}

impl Channel {
    fn suffix(self, captures: &[&str]) -> String {
        let (number, text) = match self {
            Self::Number(number) => (Some(number), ""),
            Self::Wildcard(index) => {
                let text = captures.get(index).copied().unwrap_or_default();
                (text.parse().ok(), text)
            }
        };
        match number {
            Some(0) => String::new(),
            // A topic may contain any number.
            Some(number) => format!("-{}", number.saturating_add(1)),
            None => format!("-{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::domain::{EnergyUnit, PowerUnit};

    fn pointer(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    fn mapping(filter: &str, sensor: &str) -> TopicMapping {
        let first = Channel::Number(0);
        TopicMapping {
            filter: filter.parse().unwrap(),
            sensor: sensor.parse().unwrap(),
            numbers: vec![
                (first, pointer("/p"), Quantity::Power(PowerUnit::Kilowatts)),
                (
                    first,
                    pointer("/e"),
                    Quantity::Register(EnergyUnit::WattMinutes),
                ),
            ],
            time: Some((pointer("/t"), TimeForm::Utc)),
        }
    }

    fn read(
        mapping: &TopicMapping,
        topic: &str,
        message: &Value,
    ) -> Vec<(String, Option<f64>, Option<f64>)> {
        let readings = mapping.read(topic, message).unwrap();
        let plain = |(sensor, reading): &(SensorId, UploadedReading)| {
            let measures = reading.measures;
            (sensor.to_string(), measures.watts(), measures.watthours())
        };
        readings.iter().map(plain).collect()
    }

    #[test]
    fn a_message_becomes_readings_in_watts_and_watthours() {
        let mapping = mapping("m/+", "meter-{1}");
        let message = json!({"p": 1.5, "e": 90, "t": "2026-01-05T10:00:00Z"});
        assert_eq!(
            read(&mapping, "m/a", &message),
            [("meter-a".to_owned(), Some(1_500.0), Some(1.5))]
        );
        let time = mapping.read("m/a", &message).unwrap()[0].1.time;
        assert_eq!(time.unwrap().to_string(), "2026-01-05T10:00:00.000Z");
        assert_eq!(
            read(&mapping, "m/a", &json!({"e": 60})),
            [("meter-a".to_owned(), None, Some(1.0))]
        );
        assert!(
            read(
                &mapping,
                "m/a",
                &json!({"p": null, "other": 5, "t": "noon"})
            )
            .is_empty()
        );
        assert!(read(&mapping, "n/a", &message).is_empty());
    }

    #[test]
    fn lists_are_channels() {
        let message = json!({"p": [1, null, 3], "e": [60, 120]});
        assert_eq!(
            read(&mapping("m/+", "{1}"), "m/a", &message),
            [
                ("a-1".to_owned(), Some(1_000.0), Some(1.0)),
                ("a-3".to_owned(), Some(3_000.0), None),
                ("a-2".to_owned(), None, Some(2.0)),
            ]
        );
        // One register beside the power of each: it counts all of them.
        assert_eq!(
            read(&mapping("m/+", "{1}"), "m/a", &json!({"p": [1], "e": 60})),
            [
                ("a-1".to_owned(), Some(1_000.0), None),
                ("a".to_owned(), None, Some(1.0))
            ]
        );
    }

    #[test]
    fn channels_of_a_topic_have_sensors_of_their_own() {
        let mut mapping = mapping("m/+/+", "{1}");
        mapping.numbers[0].0 = Channel::Wildcard(1);
        let sensor = |topic: &str| read(&mapping, topic, &json!({"p": 1}))[0].0.clone();
        assert_eq!(sensor("m/a/0"), "a");
        assert_eq!(sensor("m/a/1"), "a-2");
        assert_eq!(sensor("m/a/left"), "a-left");
    }

    #[test]
    fn errors_name_the_place() {
        let mapping = mapping("m/+", "{1}");
        let error = |topic: &str, message: Value| mapping.read(topic, &message).unwrap_err();
        assert_eq!(
            error("m/a", json!({"p": "x"})),
            PayloadError::NotNumber("/p".into())
        );
        assert_eq!(
            error("m/a", json!({"p": 1, "t": "x"})),
            PayloadError::NotTime("/t".into())
        );
        assert_eq!(
            error("m/a", json!({"p": 1e308})),
            PayloadError::NotNumber("/p".into())
        );
        let long = format!("m/{}", "x".repeat(65));
        assert!(matches!(
            error(&long, json!({"p": 1})),
            PayloadError::SensorId(_)
        ));
    }

    proptest! {
        #[test]
        fn readings_are_finite(watts in any::<f64>(), energy in any::<f64>(), count in 0..20_usize) {
            let message = json!({"p": vec![watts; count], "e": energy});
            if let Ok(readings) = mapping("m/+", "{1}").read("m/a", &message) {
                prop_assert!(readings.len() <= count + 1);
                for (_, reading) in readings {
                    let measures = reading.measures;
                    prop_assert!(measures.watts().into_iter().chain(measures.watthours()).all(f64::is_finite));
                }
            }
        }
    }
}
