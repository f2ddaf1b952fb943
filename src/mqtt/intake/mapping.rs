//! From a message to readings: which topics, which numbers in what unit, of which sensors.

use serde_json::Value;

use crate::domain::reading::{Measures, UploadedReading};
use crate::domain::sensor::SensorId;
use crate::domain::unit::{EnergyUnit, PowerUnit};
use crate::mqtt::intake::payload::{Numbers, PayloadError, Pointer, TimeForm};
use crate::mqtt::intake::template::SensorTemplate;
use crate::mqtt::intake::topic::TopicFilter;

/// What is made of the messages of some topics.
#[derive(Clone, Debug, PartialEq)]
pub struct TopicMapping {
    /// Which topics.
    pub filter: TopicFilter,
    /// How their sensors are called.
    pub sensor: SensorTemplate,
    /// What is measured, and where it stands in the message.
    pub channels: Vec<ChannelPointers>,
    /// Where the time stands, if the device sends one.
    pub time: Option<(Pointer, TimeForm)>,
}

/// Power, register or both, of one channel of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelPointers {
    /// The channel.
    pub channel: Channel,
    /// Where its power stands, and in what unit.
    pub watts: Option<(Pointer, PowerUnit)>,
    /// Where its register stands, and in what unit.
    pub watthours: Option<(Pointer, EnergyUnit)>,
}

/// Which channel of a device. The first one's sensor is called as the device is, the others' end with `-2`, `-3` ...
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The channel of this number, from 0.
    Number(u32),
    /// The one whose number, from 0, is what this wildcard of the topic stands for; wildcards count from 0 here.
    Wildcard(usize),
}

/// A reading that a message told of.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorReading {
    /// Whose.
    pub sensor: SensorId,
    /// The reading.
    pub reading: UploadedReading,
}

/// Power in watts and register in watt-hours of a channel, as far as they were found.
type Found = (String, Option<f64>, Option<f64>);

impl TopicMapping {
    /// The readings in `message`, which came under `topic`; none where the topic is not of this mapping, or where the message
    /// holds none of its numbers.
    ///
    /// Where numbers come as a list there is a sensor for each, ending with `-1`, `-2` ...
    ///
    /// # Errors
    /// [`PayloadError`] where something else stands in the place of a number or time.
    pub fn read(&self, topic: &str, message: &Value) -> Result<Vec<SensorReading>, PayloadError> {
        let Some(captures) = self.filter.captures(topic) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for point in &self.channels {
            let suffix = point.channel.suffix(&captures);
            if let Some((pointer, unit)) = &point.watts {
                let watts = pointer.numbers(message)?;
                lay(&mut found, &suffix, &watts, |slot, number| {
                    slot.1 = Some(unit.watts(number));
                });
            }
            if let Some((pointer, unit)) = &point.watthours {
                let watthours = pointer.numbers(message)?;
                lay(&mut found, &suffix, &watthours, |slot, number| {
                    slot.2 = Some(unit.watthours(number));
                });
            }
        }
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let time = self.time.as_ref();
        let time = time.map(|(pointer, form)| pointer.time(message, *form));
        let time = time.transpose()?.flatten();
        let told = found.into_iter().map(|(suffix, watts, watthours)| {
            let whole = || PayloadError::NotNumber(String::new());
            let measures = Measures::new(watts, watthours).map_err(|_| whole())?;
            let sensor = self.sensor.fill(&captures, &suffix)?;
            let reading = UploadedReading { time, measures };
            Ok(SensorReading { sensor, reading })
        });
        told.collect()
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
            Some(number) => format!("-{}", number.saturating_add(1)),
            None => format!("-{text}"),
        }
    }
}

/// Puts numbers in their places among those that were found for other measures of the same channels.
fn lay(found: &mut Vec<Found>, suffix: &str, numbers: &Numbers, put: impl Fn(&mut Found, f64)) {
    let mut lay_one = |suffix: String, number: f64| {
        if let Some(slot) = found.iter_mut().find(|slot| slot.0 == suffix) {
            put(slot, number);
        } else {
            let mut slot = (suffix, None, None);
            put(&mut slot, number);
            found.push(slot);
        }
    };
    match numbers {
        Numbers::One(number) => {
            if let Some(number) = number {
                lay_one(suffix.to_owned(), *number);
            }
        }
        Numbers::Channels(numbers) => {
            for (index, number) in numbers.iter().enumerate() {
                if let Some(number) = number {
                    lay_one(format!("{suffix}-{}", index + 1), *number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn pointer(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    fn mapping(filter: &str, sensor: &str) -> TopicMapping {
        TopicMapping {
            filter: filter.parse().unwrap(),
            sensor: sensor.parse().unwrap(),
            channels: vec![ChannelPointers {
                channel: Channel::Number(0),
                watts: Some((pointer("/p"), PowerUnit::Kilowatts)),
                watthours: Some((pointer("/e"), EnergyUnit::WattMinutes)),
            }],
            time: Some((pointer("/t"), TimeForm::Utc)),
        }
    }

    fn told(
        mapping: &TopicMapping,
        topic: &str,
        message: &Value,
    ) -> Vec<(String, Option<f64>, Option<f64>)> {
        let told = mapping.read(topic, message).unwrap();
        let plain = |told: &SensorReading| {
            let measures = told.reading.measures;
            (
                told.sensor.to_string(),
                measures.watts(),
                measures.watthours(),
            )
        };
        told.iter().map(plain).collect()
    }

    #[test]
    fn a_message_becomes_readings_in_watts_and_watthours() {
        let mapping = mapping("m/+", "meter-{1}");
        let message = json!({"p": 1.5, "e": 90, "t": "2026-01-05T10:00:00Z"});
        assert_eq!(
            told(&mapping, "m/a", &message),
            [("meter-a".to_owned(), Some(1_500.0), Some(1.5))]
        );
        let time = mapping.read("m/a", &message).unwrap()[0].reading.time;
        assert_eq!(time.unwrap().to_string(), "2026-01-05T10:00:00.000Z");
        assert_eq!(
            told(&mapping, "m/a", &json!({"e": 60})),
            [("meter-a".to_owned(), None, Some(1.0))]
        );
        assert!(
            told(
                &mapping,
                "m/a",
                &json!({"p": null, "other": 5, "t": "noon"})
            )
            .is_empty()
        );
        assert!(told(&mapping, "n/a", &message).is_empty());
    }

    #[test]
    fn lists_are_channels() {
        let message = json!({"p": [1, null, 3], "e": [60, 120]});
        assert_eq!(
            told(&mapping("m/+", "{1}"), "m/a", &message),
            [
                ("a-1".to_owned(), Some(1_000.0), Some(1.0)),
                ("a-3".to_owned(), Some(3_000.0), None),
                ("a-2".to_owned(), None, Some(2.0)),
            ]
        );
        // One register beside the power of each: it is that of the whole.
        assert_eq!(
            told(&mapping("m/+", "{1}"), "m/a", &json!({"p": [1], "e": 60})),
            [
                ("a-1".to_owned(), Some(1_000.0), None),
                ("a".to_owned(), None, Some(1.0))
            ]
        );
    }

    #[test]
    fn channels_of_a_topic_have_sensors_of_their_own() {
        let mut mapping = mapping("m/+/+", "{1}");
        mapping.channels[0].channel = Channel::Wildcard(1);
        let sensor = |topic: &str| told(&mapping, topic, &json!({"p": 1}))[0].0.clone();
        assert_eq!(sensor("m/a/0"), "a");
        assert_eq!(sensor("m/a/1"), "a-2");
        assert_eq!(sensor("m/a/left"), "a-left");
    }

    #[test]
    fn what_is_wrong_is_told() {
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
            PayloadError::NotNumber(String::new())
        );
        let long = format!("m/{}", "x".repeat(65));
        assert!(matches!(
            error(&long, json!({"p": 1})),
            PayloadError::SensorId(_)
        ));
    }

    proptest! {
        #[test]
        fn what_is_told_is_finite(watts in any::<f64>(), energy in any::<f64>(), count in 0..20_usize) {
            let message = json!({"p": vec![watts; count], "e": energy});
            if let Ok(told) = mapping("m/+", "{1}").read("m/a", &message) {
                prop_assert!(told.len() <= count + 1);
                for told in told {
                    let measures = told.reading.measures;
                    prop_assert!(measures.watts().into_iter().chain(measures.watthours()).all(f64::is_finite));
                }
            }
        }
    }
}
