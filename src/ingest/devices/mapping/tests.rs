use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::domain::{EnergyUnit, PowerUnit};
use crate::ingest::devices::channel::Channel;
use crate::ingest::devices::payload::PayloadError;
use crate::ingest::{DeviceReading, Quantity, Way};

/// A sensor with its watts and watt-hours.
type SensorRow = (String, Option<f64>, Option<f64>);

const KW: Quantity = Quantity::Power(PowerUnit::Kilowatts);
const WMIN: Quantity = Quantity::Register(EnergyUnit::WattMinutes);

fn number(quantity: Quantity, sum: &str) -> MappedNumber {
    MappedNumber::plain(Way::Forth, quantity, sum.parse().unwrap())
}

fn of(filter: Option<&str>, sensor: &str, numbers: Vec<MappedNumber>) -> TopicMapping {
    let filter: Option<TopicFilter> = filter.map(|filter| filter.parse().unwrap());
    let sensor = sensor.parse().unwrap();
    TopicMapping::new(filter.as_ref(), sensor, numbers, |part| Ok(part.clone())).unwrap()
}

fn mapping(filter: &str, sensor: &str) -> TopicMapping {
    let numbers = vec![number(KW, "/p"), number(WMIN, "/e")];
    let mut mapping = of(Some(filter), sensor, numbers);
    mapping.time = Some(("/t".parse().unwrap(), TimeForm::Utc));
    mapping
}

fn arrival<'m>(topic: &'m str, message: &'m Value) -> ArrivedMessage<'m> {
    ArrivedMessage {
        topic,
        message,
        is_new: true,
        elapsed: Duration::ZERO,
        unit: None,
    }
}

fn rows(readings: &[DeviceReading]) -> Vec<SensorRow> {
    let row = |reading: &DeviceReading| {
        let measures = reading.reading.measures;
        (
            reading.sensor.to_string(),
            measures.watts(),
            measures.watthours(),
        )
    };
    readings.iter().map(row).collect()
}

fn read(mapping: &TopicMapping, topic: &str, message: &Value) -> Vec<SensorRow> {
    let readings = mapping.read(&arrival(topic, message), &mut PartMemory::default());
    rows(&readings.readings)
}

fn watts(sensor: &str, watts: f64) -> SensorRow {
    (sensor.to_owned(), Some(watts), None)
}

#[test]
fn a_message_becomes_readings_in_watts_and_watthours() {
    let mapping = mapping("m/+", "meter-{1}");
    let message = json!({"p": 1.5, "e": 90, "t": "2026-01-05T10:00:00Z"});
    assert_eq!(
        read(&mapping, "m/a", &message),
        [("meter-a".to_owned(), Some(1_500.0), Some(1.5))]
    );
    let readings = mapping.read(&arrival("m/a", &message), &mut PartMemory::default());
    let time = readings.readings[0].reading.time;
    assert_eq!(time.unwrap().to_string(), "2026-01-05T10:00:00.000Z");
    assert_eq!(
        read(&mapping, "m/a", &json!({"e": 60})),
        [("meter-a".to_owned(), None, Some(1.0))]
    );
    let nothing = json!({"p": null, "other": 5, "t": "noon"});
    assert!(read(&mapping, "m/a", &nothing).is_empty());
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
    // One register beside the power of each channel: it counts all of them.
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
    let mut power = number(KW, "/p");
    power.channel = Channel::Wildcard(1);
    let mapping = of(Some("m/+/+"), "{1}", vec![power]);
    let sensor = |topic: &str| read(&mapping, topic, &json!({"p": 1}))[0].0.clone();
    assert_eq!(sensor("m/a/0"), "a");
    assert_eq!(sensor("m/a/1"), "a-2");
    assert_eq!(sensor("m/a/left"), "a-left");
}

#[test]
fn fields_of_a_message_are_added_up() {
    let sum = |text: &str, message: Value| {
        let mapping = of(Some("m"), "a", vec![number(Quantity::WATTS, text)]);
        let found = read(&mapping, "m", &message);
        found
            .into_iter()
            .map(|(_, watts, _)| watts.unwrap())
            .collect::<Vec<_>>()
    };
    let message = json!({"a": 10.1, "b": "0.2", "c": null, "l": [1, 2], "k": [10, 20]});
    assert_eq!(sum("/a + /b", message.clone()), [10.3]);
    assert_eq!(sum("/a - /b", message.clone()), [9.9]);
    assert_eq!(sum("-/a * 10", message.clone()), [-101.0]);
    // Missing optional parts count as 0, but at least one part must be present.
    assert_eq!(sum("/a + /c? + /d?", message.clone()), [10.1]);
    assert!(sum("/a + /c", message.clone()).is_empty());
    assert!(sum("/a + /d", message.clone()).is_empty());
    assert!(sum("/c? + /d?", message.clone()).is_empty());
    assert_eq!(sum("/l + /k", message.clone()), [11.0, 22.0]);
    assert_eq!(sum("/a + /k", message), [40.1]);
}

#[test]
fn power_both_ways_belongs_to_two_sensors() {
    let mut power = number(Quantity::WATTS, "/p");
    power.way = Way::Both;
    let mut export = number(Quantity::WATTHOURS, "/o");
    export.way = Way::Back;
    let import = number(Quantity::WATTHOURS, "/i");
    let mapping = of(Some("m"), "house", vec![power, import, export]);
    let row = |sensor: &str, watts, watthours| (sensor.to_owned(), Some(watts), Some(watthours));
    assert_eq!(
        read(&mapping, "m", &json!({"p": -300, "i": 5, "o": 7})),
        [row("house", 0.0, 5.0), row("house-export", 300.0, 7.0)]
    );
    assert_eq!(
        read(&mapping, "m", &json!({"p": 300, "i": 5, "o": 7})),
        [row("house", 300.0, 5.0), row("house-export", 0.0, 7.0)]
    );
}

/// Phases, each on its own topic.
fn phases(quantity: Quantity) -> TopicMapping {
    let sum = "m/+/l1# + m/+/l2# + m/+/l3#?";
    of(None, "{1}", vec![number(quantity, sum)])
}

#[test]
fn topics_are_added_up_once_all_of_them_came() {
    let mapping = phases(Quantity::WATTS);
    let mut memory = PartMemory::default();
    let mut read_at = |minutes: u64, topic: &str, message: Value, waited: bool| {
        let arrival = ArrivedMessage {
            elapsed: Duration::from_mins(minutes),
            is_new: !waited,
            ..arrival(topic, &message)
        };
        rows(&mapping.read(&arrival, &mut memory).readings)
    };
    assert!(read_at(0, "m/a/l1", json!(1), false).is_empty());
    assert!(read_at(0, "m/b/l2", json!(100), false).is_empty());
    assert!(read_at(0, "m/a/l2", json!(20), false).is_empty());
    assert_eq!(read_at(1, "m/a/l3", json!(300), false), [watts("a", 321.0)]);
    assert_eq!(read_at(2, "m/a/l1", json!(2), false), [watts("a", 322.0)]);
    // The device reports that there is no such phase.
    assert!(read_at(3, "m/a/l3", json!(null), false).is_empty());
    assert_eq!(read_at(3, "m/a/l1", json!(3), false), [watts("a", 23.0)]);
    // The second phase fell silent: its values no longer count, and neither does its retained
    // message.
    assert!(read_at(10, "m/a/l1", json!(4), false).is_empty());
    read_at(10, "m/a/l2", json!(9), true);
    assert!(read_at(10, "m/a/l1", json!(4), false).is_empty());
    assert_eq!(read_at(10, "m/a/l2", json!(5), false), [watts("a", 9.0)]);
}

/// The phases of a device that has one, in separate messages.
#[test]
fn a_part_that_never_comes_counts_as_0_or_is_named() {
    let sums = ["m/+/l1# + m/+/l2#? - m/+/back#?", "m/+/l1# + m/+/l2#"];
    let [optional, needed] = sums.map(|sum| of(None, "{1}", vec![number(Quantity::WATTS, sum)]));
    let mut memories = [PartMemory::default(), PartMemory::default()];
    let mut read_at = |seconds: u64, topic: &str, message: Value| {
        let arrival = ArrivedMessage {
            elapsed: Duration::from_secs(seconds),
            ..arrival(topic, &message)
        };
        [&optional, &needed].map(|mapping| {
            let memory = &mut memories[usize::from(std::ptr::eq(mapping, &raw const needed))];
            let found = mapping.read(&arrival, memory);
            let silent = mapping.silent(&found);
            let silent = silent.map(|(id, topic)| format!("{id} {}", topic.as_str()));
            (rows(&found.readings), silent.collect::<Vec<_>>())
        })
    };
    let nothing = || (Vec::new(), Vec::new());
    let known = |sum: f64| (vec![watts("a", sum)], Vec::new());
    let named = || (Vec::new(), vec!["a m/+/l2".to_owned()]);
    // The others may still arrive.
    assert_eq!(read_at(0, "m/a/l1", json!(1)), [nothing(), nothing()]);
    assert_eq!(read_at(59, "m/a/l1", json!(2)), [nothing(), nothing()]);
    assert_eq!(read_at(60, "m/a/l1", json!(3)), [known(3.0), named()]);
    assert_eq!(read_at(61, "m/a/l1", json!(null)), [nothing(), nothing()]);
    assert_eq!(read_at(62, "m/a/l2", json!(7)), [known(10.0), known(10.0)]);
    assert_eq!(read_at(63, "m/a/l1", json!(4)), [known(11.0), known(11.0)]);
    // The device fell silent.
    assert_eq!(read_at(662, "m/a/l1", json!(5)), [known(5.0), named()]);
    // Another device starts from the beginning.
    assert_eq!(read_at(662, "m/b/l1", json!(5)), [nothing(), nothing()]);
}

#[test]
fn a_register_that_stands_still_counts_for_days() {
    let mapping = phases(Quantity::WATTHOURS);
    let mut memory = PartMemory::default();
    let mut read_at = |hours: u64, topic: &str, watthours: f64, waited: bool| {
        let message = json!(watthours);
        let arrival = ArrivedMessage {
            elapsed: Duration::from_hours(hours),
            is_new: !waited,
            ..arrival(topic, &message)
        };
        let found = mapping.read(&arrival, &mut memory).readings;
        found
            .first()
            .and_then(|found| found.reading.measures.watthours())
    };
    assert_eq!(read_at(0, "m/a/l1", 1_000.0, true), None);
    assert_eq!(read_at(0, "m/a/l2", 200.0, true), None);
    assert_eq!(read_at(0, "m/a/l3", 30.0, false), Some(1_230.0));
    assert_eq!(read_at(100, "m/a/l3", 31.0, false), Some(1_231.0));
    assert_eq!(read_at(7 * 24, "m/a/l3", 32.0, false), None);
}

#[test]
fn a_part_that_is_left_out_did_not_change() {
    let loads = number(Quantity::WATTHOURS, "/total - /back?");
    let mapping = of(Some("m/+"), "{1}", vec![loads]);
    let mut memory = PartMemory::default();
    let mut read = |message: Value| {
        let found = mapping
            .read(&arrival("m/a", &message), &mut memory)
            .readings;
        found
            .first()
            .and_then(|found| found.reading.measures.watthours())
    };
    assert_eq!(read(json!({"total": 100})), Some(100.0));
    assert_eq!(read(json!({"total": 110, "back": 30})), Some(80.0));
    assert_eq!(read(json!({"total": 115})), Some(85.0));
    assert_eq!(read(json!({"back": 31})), None);
    assert_eq!(read(json!({"total": 116})), Some(85.0));
}

#[test]
fn ids_come_from_the_message() {
    let mapping = of(Some("m"), "{/model}-{/id}", vec![number(KW, "/p")]);
    let message = json!({"model": "CM180", "id": 545, "p": 1});
    assert_eq!(read(&mapping, "m", &message), [watts("CM180-545", 1_000.0)]);
    let mut memory = PartMemory::default();
    let mut error = |message: Value| {
        mapping
            .read(&arrival("m", &message), &mut memory)
            .problems
            .pop()
    };
    assert_eq!(
        error(json!({"model": "CM180", "p": 1})),
        Some(PayloadError::NoId("/id".into()))
    );
    // An unrelated message may have no id.
    assert_eq!(error(json!({"model": "door"})), None);
}

#[test]
fn a_number_that_cannot_be_read_costs_only_itself() {
    let sums = [number(KW, "/p"), number(WMIN, "/e - /b?")];
    let mapping = of(Some("m"), "a", Vec::from(sums));
    for (message, watts, watthours, problems) in [
        (json!({"p": "nan", "e": 120}), None, Some(2.0), 1),
        (json!({"p": true, "e": 120}), None, Some(2.0), 1),
        (json!({"p": 1, "e": "n/a"}), Some(1_000.0), None, 1),
        // Without the part to be subtracted, the value would be too high.
        (
            json!({"p": 1, "e": 120, "b": "error"}),
            Some(1_000.0),
            None,
            1,
        ),
        (json!({"p": null, "e": 120, "b": null}), None, Some(2.0), 0),
    ] {
        let found = mapping.read(&arrival("m", &message), &mut PartMemory::default());
        let expected = ("a".to_owned(), watts, watthours);
        assert_eq!(rows(&found.readings), [expected], "{message}");
        assert_eq!(found.problems.len(), problems, "{message}");
    }
    // Of a list, the other numbers belong to other channels.
    let message = json!({"p": [1, "nan", 3], "e": 120});
    let found = mapping.read(&arrival("m", &message), &mut PartMemory::default());
    let ids = found.readings.iter().map(|one| one.sensor.as_str());
    assert_eq!(ids.collect::<Vec<_>>(), ["a-1", "a-3", "a"]);
}

#[test]
fn errors_name_the_place() {
    let mapping = mapping("m/+", "{1}");
    let error = |topic: &str, message: Value| {
        let arrival = arrival(topic, &message);
        let mut found = mapping.read(&arrival, &mut PartMemory::default());
        found.problems.pop().unwrap()
    };
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
        let found = mapping("m/+", "{1}").read(&arrival("m/a", &message), &mut PartMemory::default());
        prop_assert!(found.readings.len() <= count + 1);
        for (_, watts, watthours) in rows(&found.readings) {
            prop_assert!(watts.into_iter().chain(watthours).all(f64::is_finite));
        }
    }

    /// A plain model of sums over topics: the last value of each phase, as long as it is fresh.
    #[test]
    fn sums_over_topics_equal_a_plain_model(
        messages in proptest::collection::vec((0..3_usize, 0..4_u64, -1e6..1e6_f64), 0..60),
    ) {
        let mapping = of(None, "{1}", vec![number(Quantity::WATTS, "m/+/0# + m/+/1# - m/+/2# * 0.5")]);
        let mut memory = PartMemory::default();
        let mut model: [Option<(f64, u64)>; 3] = [None; 3];
        let mut minute = 0;
        for (phase, wait, value) in messages {
            minute += wait;
            model[phase] = Some((value, minute));
            let fresh = |part: usize| model[part].filter(|(_, at)| minute < at + 10).map(|(value, _)| value);
            let expected = fresh(0).zip(fresh(1)).zip(fresh(2)).map(|((a, b), c)| a + b - c * 0.5);
            let (topic, message) = (format!("m/a/{phase}"), json!(value));
            let arrival = ArrivedMessage { elapsed: Duration::from_mins(minute), ..arrival(&topic, &message) };
            let found = mapping.read(&arrival, &mut memory).readings;
            let found = found.first().and_then(|found| found.reading.measures.watts());
            prop_assert_eq!(found.is_some(), expected.is_some());
            if let (Some(found), Some(expected)) = (found, expected) {
                prop_assert!((found - expected).abs() < 1e-5, "{} {}", found, expected);
            }
        }
    }
}
