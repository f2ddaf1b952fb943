//! Answers of devices over HTTP, as readings. Files in `devices` describe most of them.
//!
//! - `fronius`: the Solar API

mod fronius;

use std::cell::Cell;
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

use super::channel::PolledChannel;
use super::error::PollError;
use crate::domain::SensorId;
use crate::ingest::devices::{AnswerReader, PollTerms};
use crate::ingest::wanted::WantedPlaces;
use crate::ingest::{DeviceReading, tolerant};
use crate::locks::lock;

/// The places of the values of the Solar API.
static FRONIUS: LazyLock<WantedPlaces> = LazyLock::new(|| WantedPlaces::at(fronius::places()));
/// Answers are read one at a time: a damaged one takes several times its length while it is repaired.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the channels in a device's answer. There may be none while it starts. Fails if the
/// answer cannot come from such a device.
type ReadChannels = fn(DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError>;

/// The answer of a device, or part of it.
#[derive(Clone, Copy)]
struct DeviceAnswer<'a> {
    json: &'a Value,
    /// The number of values that could not be read.
    dropped: &'a Cell<usize>,
}

/// The readings in this body, of the device whose first sensor is this one, and the number of its
/// unreadable values.
pub(super) fn readings(
    terms: &PollTerms,
    first: &SensorId,
    body: &[u8],
) -> Result<(Vec<DeviceReading>, usize), PollError> {
    let _turn = lock(&TURN);
    let read = match terms.reader {
        Some(AnswerReader::FroniusMeters) => fronius::meters,
        Some(AnswerReader::FroniusInverter) => fronius::inverter,
        Some(AnswerReader::SunspecInverter | AnswerReader::SunspecMeters) | None => {
            let (readings, dropped) = terms.read(first, &json(body, terms.wanted())?);
            let is_other = readings.is_empty();
            return if is_other {
                Err(PollError::NoNumbers)
            } else {
                Ok((readings, dropped))
            };
        }
    };
    let (channels, dropped) = channels(read, body)?;
    let readings = channels.iter().flat_map(|channel| channel.readings(first));
    Ok((readings.collect(), dropped))
}

fn channels(read: ReadChannels, body: &[u8]) -> Result<(Vec<PolledChannel>, usize), PollError> {
    let json = json(body, &FRONIUS)?;
    let dropped = Cell::new(0);
    let answer = DeviceAnswer {
        json: &json,
        dropped: &dropped,
    };
    let channels = read(answer)?;
    Ok((channels, dropped.get()))
}

fn json(body: &[u8], wanted: &WantedPlaces) -> Result<Value, PollError> {
    // An HTML page would be read as a text.
    let json = tolerant::read(body, wanted).ok().filter(Value::is_object);
    json.ok_or(PollError::NotJson)
}

impl DeviceAnswer<'_> {
    /// The part at a JSON pointer.
    fn at(self, place: &str) -> Option<Self> {
        let json = self.json.pointer(place)?;
        Some(Self { json, ..self })
    }

    /// The number at a JSON pointer, possibly in text; `None` if it is missing or null, or cannot be
    /// read, which is counted.
    fn number(self, place: &str) -> Option<f64> {
        let number = match self.json.pointer(place)? {
            Value::Null => return None,
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_f64(),
        };
        let number = number.filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.dropped.update(|dropped| dropped + 1);
        }
        number
    }
}

/// Checks that readings are finite.
///
/// # Panics
/// If a reading is not finite.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(body: &[u8]) {
    use crate::ingest::devices::PollPreset;
    use crate::poll::PollSettings;

    let Ok(first) = SensorId::new(&"x".repeat(PollSettings::LONGEST_SENSOR_BYTES)) else {
        return;
    };
    for preset in PollPreset::all() {
        let found = readings(&preset.terms, &first, body).unwrap_or_default().0;
        for DeviceReading { reading, .. } in found {
            let measures = reading.measures;
            let mut numbers = measures.watts().into_iter().chain(measures.watthours());
            assert!(numbers.all(f64::is_finite));
        }
    }
}

/// The channels with values, if there are any.
fn some(mut channels: Vec<PolledChannel>) -> Result<Vec<PolledChannel>, PollError> {
    channels.retain(|channel| !channel.is_empty());
    if channels.is_empty() {
        return Err(PollError::NoNumbers);
    }
    Ok(channels)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::ingest::devices::PollPreset;
    use crate::ingest::wanted::tests::{held_by, hostile};

    /// The result of `read` for an answer.
    pub(super) fn read(read: ReadChannels, json: &Value) -> Result<Vec<PolledChannel>, PollError> {
        channels(read, json.to_string().as_bytes()).map(|(channels, _)| channels)
    }

    fn read_as(preset: &str, body: &[u8]) -> Result<(Vec<DeviceReading>, usize), PollError> {
        let preset = PollPreset::with_id(preset).unwrap();
        readings(&preset.terms, &SensorId::new("m").unwrap(), body)
    }

    #[test]
    fn what_is_no_number_costs_only_itself_and_is_counted() {
        let dropped = Cell::new(0);
        let json = json!({"a": null, "b": "5", "c": 5, "d": {}, "e": "nan", "f": "n/a"});
        let answer = DeviceAnswer {
            json: &json,
            dropped: &dropped,
        };
        for (place, number) in [
            ("/a", None),
            ("/none", None),
            ("/b", Some(5.0)),
            ("/c", Some(5.0)),
        ] {
            assert_eq!(answer.number(place), number, "{place}");
        }
        assert_eq!(dropped.get(), 0);
        for place in ["/d", "/e", "/f"] {
            assert_eq!(answer.number(place), None, "{place}");
        }
        assert_eq!(dropped.get(), 3);
    }

    #[test]
    fn answers_that_are_no_json_are_read_as_far_as_they_go() {
        for (preset, body, watts, register) in [
            (
                "homewizard",
                "{\"active_power_w\":nan,\"total_power_import_kwh\":5.5}",
                None,
                Some(5_500.0),
            ),
            (
                "shelly",
                "\u{FEFF}{\"switch:0\":{\"apower\":60,\"aenergy\":{\"total\":-inf}}}\0",
                Some(60.0),
                None,
            ),
            // Without the part to be subtracted, the value would be too high.
            (
                "shelly",
                "{\"pm1:0\":{\"apower\":60,\"aenergy\":{\"total\":5000},\"ret_aenergy\":{\"total\":NaN}}}",
                Some(60.0),
                None,
            ),
            // A sum without one of its parts would be a dip.
            (
                "homewizard",
                "{\"active_power_w\":7,\"total_power_import_t1_kwh\":5,\"total_power_import_t2_kwh\":\"error\"}",
                Some(7.0),
                None,
            ),
        ] {
            let (readings, dropped) = read_as(preset, body.as_bytes()).unwrap();
            let measures = readings[0].reading.measures;
            let shown = (measures.watts(), measures.watthours(), dropped);
            assert_eq!(shown, (watts, register, 1), "{body}");
        }
    }

    #[test]
    fn other_answers_are_errors() {
        for preset in PollPreset::all() {
            assert_eq!(read_as(preset.id(), b"<html>"), Err(PollError::NotJson));
            for body in ["{}", "[]", "5", "null"] {
                assert!(read_as(preset.id(), body.as_bytes()).is_err(), "{body}");
            }
        }
    }

    /// 32 devices hold their answers at the same time, and one is read.
    #[test]
    fn no_answer_takes_more_than_a_few_times_its_length() {
        let mut bodies = Vec::new();
        for value in hostile((256 << 10) - 60) {
            for around in [
                "@",
                "{\"switch:0\":@}",
                "{\"switch:0\":{\"apower\":@}}",
                "{\"emeters\":@}",
                "{\"total_power_import_kwh\":@}",
                "{\"Head\":{\"Status\":{\"Code\":0}},\"Body\":{\"Data\":@}}",
                // Broken, so that it is repaired before it is read.
                "{\"power\":nan,\"emeters\":@}",
            ] {
                bodies.push(around.replace('@', &value).into_bytes());
            }
        }
        let broken = [&b"{\"a\":["[..], b"\xff,", b"nan,", b"[,"];
        bodies.extend(
            broken.map(|part| [&b"{\"a\":nan,\"b\":["[..], &part.repeat(60 << 10)].concat()),
        );
        for body in &bodies {
            for preset in ["shelly", "shelly-gen1", "fronius-meter"] {
                let held = held_by(|| {
                    let _ = read_as(preset, body);
                });
                assert!(held < 3 << 20, "{held} for {:?}", &body[..30]);
            }
        }
    }

    proptest! {
        #[test]
        fn no_answer_panics(
            body in "\\{\"(switch:0|emeters|total_power_import_kwh|Body)\":[0-9e.\"\\[\\]{}:,a-z_-]{0,40}\\}",
        ) {
            fuzz(body.as_bytes());
        }
    }
}
