//! Answers of devices over HTTP, as channels.
//!
//! - `shelly`: Shellys of all generations
//! - `homewizard`: HomeWizard
//! - `fronius`: the Solar API

mod fronius;
mod homewizard;
mod shelly;

use std::cell::Cell;
use std::sync::{LazyLock, Mutex};

use serde_json::Value;

pub(super) use self::fronius::{inverter as fronius_inverter, meters as fronius_meters};
pub(super) use self::homewizard::meter as homewizard;
pub(super) use self::shelly::{
    first as shelly_gen1, later as shelly, three_phases as shelly_gen1_3em,
};
use super::channel::PolledChannel;
use super::error::PollError;
use crate::ingest::tolerant;
use crate::ingest::wanted::WantedPlaces;
use crate::locks::lock;

/// The places of the values of all these devices.
static WANTED: LazyLock<WantedPlaces> = LazyLock::new(|| {
    let places = shelly::places().chain(homewizard::places());
    WantedPlaces::at(places.chain(fronius::places()))
});
/// Answers are read one at a time: a damaged one takes several times its length while it is repaired.
static TURN: Mutex<()> = Mutex::new(());

/// Returns the channels in a device's answer. There may be none while it starts. Fails if the
/// answer cannot come from such a device.
pub(super) type AnswerReader = fn(DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError>;

/// The answer of a device, or part of it.
#[derive(Clone, Copy)]
pub(super) struct DeviceAnswer<'a> {
    json: &'a Value,
    /// The number of values that could not be read.
    dropped: &'a Cell<usize>,
}

/// The error for something other than a number. It is counted.
#[derive(Debug, PartialEq, Eq)]
struct Unreadable;

/// The channels in this body, and the number of its unreadable values.
pub(super) fn channels(
    read: AnswerReader,
    body: &[u8],
) -> Result<(Vec<PolledChannel>, usize), PollError> {
    let _turn = lock(&TURN);
    // An HTML page would be read as a text.
    let json = tolerant::read(body, &WANTED).ok().filter(Value::is_object);
    let json = json.ok_or(PollError::NotJson)?;
    let dropped = Cell::new(0);
    let answer = DeviceAnswer {
        json: &json,
        dropped: &dropped,
    };
    let channels = read(answer)?;
    Ok((channels, dropped.get()))
}

impl DeviceAnswer<'_> {
    /// The part at a JSON pointer.
    fn at(self, place: &str) -> Option<Self> {
        let json = self.json.pointer(place)?;
        Some(Self { json, ..self })
    }

    /// Each element of a list.
    fn elements(self) -> Option<impl Iterator<Item = Self>> {
        let elements = self.json.as_array()?.iter();
        Some(elements.map(move |json| Self { json, ..self }))
    }

    /// The number at a JSON pointer, possibly in text; `None` if it is missing or null.
    fn checked_number(self, place: &str) -> Result<Option<f64>, Unreadable> {
        let number = match self.json.pointer(place) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        let number = number.filter(|number: &f64| number.is_finite());
        if number.is_none() {
            self.dropped.update(|dropped| dropped + 1);
        }
        number.map(Some).ok_or(Unreadable)
    }

    /// The same; `None` also if it cannot be read.
    fn number(self, place: &str) -> Option<f64> {
        self.checked_number(place).unwrap_or_default()
    }
}

/// Checks that readings are finite.
///
/// # Panics
/// If a reading is not finite.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz(body: &[u8]) {
    for read in READERS {
        for channel in channels(read, body).unwrap_or_default().0 {
            channel.fuzz();
        }
    }
}

#[cfg(any(test, fuzzing))]
const READERS: [AnswerReader; 6] = [
    shelly,
    shelly_gen1,
    shelly_gen1_3em,
    homewizard,
    fronius_meters,
    fronius_inverter,
];

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
    use crate::ingest::wanted::tests::{held_by, hostile};

    /// The result of `read` for an answer.
    pub(super) fn read(read: AnswerReader, json: &Value) -> Result<Vec<PolledChannel>, PollError> {
        channels(read, json.to_string().as_bytes()).map(|(channels, _)| channels)
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
            assert_eq!(answer.checked_number(place), Ok(number), "{place}");
        }
        assert_eq!(dropped.get(), 0);
        for place in ["/d", "/e", "/f"] {
            assert_eq!(answer.checked_number(place), Err(Unreadable), "{place}");
        }
        assert_eq!(dropped.get(), 3);
    }

    #[test]
    fn answers_that_are_no_json_are_read_as_far_as_they_go() {
        for (reader, body, watts, register) in [
            (
                homewizard as AnswerReader,
                "{\"active_power_w\":nan,\"total_power_import_kwh\":5.5}",
                None,
                Some(5_500.0),
            ),
            (
                shelly,
                "\u{FEFF}{\"switch:0\":{\"apower\":60,\"aenergy\":{\"total\":-inf}}}\0",
                Some(60.0),
                None,
            ),
            // Without the part to be subtracted, the value would be too high.
            (
                shelly,
                "{\"pm1:0\":{\"apower\":60,\"aenergy\":{\"total\":5000},\"ret_aenergy\":{\"total\":NaN}}}",
                Some(60.0),
                None,
            ),
            // A sum without one of its parts would be a dip.
            (
                homewizard,
                "{\"active_power_w\":7,\"total_power_import_t1_kwh\":5,\"total_power_import_t2_kwh\":\"error\"}",
                Some(7.0),
                None,
            ),
        ] {
            let (channels, dropped) = channels(reader, body.as_bytes()).unwrap();
            let shown = (channels[0].watts, channels[0].register, dropped);
            assert_eq!(shown, (watts, register, 1), "{body}");
        }
    }

    #[test]
    fn other_answers_are_errors() {
        for read in READERS {
            assert_eq!(channels(read, b"<html>"), Err(PollError::NotJson));
            for body in ["{}", "[]", "5", "null"] {
                assert!(channels(read, body.as_bytes()).is_err(), "{body}");
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
            for read in [shelly, shelly_gen1, fronius_meters] {
                let held = held_by(|| {
                    let _ = channels(read, body);
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
