//! Messages as devices send them, in a file for each file of presets: `bridges`, `meters`,
//! `plants`, `shelly`, `tasmota`. docs/MQTT.md lists their documentation.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::ingest::DeviceReading;
use crate::ingest::devices::parts::PartMemory;
use crate::ingest::devices::payload::{self, ArrivedMessage};
use crate::ingest::devices::readings::MessageReadings;
use crate::ingest::devices::text_number::TextUnit;

mod bridges;
mod meters;
mod plants;
mod shelly;
mod tasmota;

/// A reading: sensor, watts, watt-hours, time.
type ReadRow = (String, Option<f64>, Option<f64>, Option<String>);

/// A device with the usual topic and names.
struct Talk {
    mappings: Vec<(TopicMapping, PartMemory)>,
}

impl Talk {
    fn new(preset: Preset) -> Self {
        Self::with(
            preset,
            preset.usual_topic(),
            preset.usual_sensor(),
            PresetUnits::default(),
        )
    }

    fn with(preset: Preset, topic: &str, sensor: &str, units: PresetUnits) -> Self {
        let (topic, sensor) = (topic.parse().unwrap(), sensor.parse().unwrap());
        let mappings = preset.mappings(&topic, &sensor, units).unwrap();
        let mappings = mappings.into_iter().map(|it| (it, PartMemory::default()));
        Self {
            mappings: mappings.collect(),
        }
    }

    fn read(&mut self, topic: &str, payload: &str) -> Vec<ReadRow> {
        self.read_in(topic, payload, None)
    }

    /// Reads a message with the unit that the device announces for the topic.
    fn read_in(&mut self, topic: &str, payload: &str, unit: Option<TextUnit>) -> Vec<ReadRow> {
        let found = self.found(topic, payload, unit).into_iter();
        let readings = found.flat_map(|it| it.readings);
        readings.map(|reading| plain(&reading)).collect()
    }

    fn found(
        &mut self,
        topic: &str,
        payload: &str,
        unit: Option<TextUnit>,
    ) -> Vec<MessageReadings> {
        let taking = self.mappings.iter_mut().filter(|(it, _)| it.takes(topic));
        taking
            .map(|(it, memory)| {
                let arrival = ArrivedMessage {
                    topic,
                    message: &payload::parse(payload.as_bytes(), &it.places()).unwrap(),
                    is_new: true,
                    elapsed: Duration::ZERO,
                    unit,
                };
                it.read(&arrival, memory)
            })
            .collect()
    }
}

fn plain(
    DeviceReading {
        sensor, reading, ..
    }: &DeviceReading,
) -> ReadRow {
    let time = reading.time.map(|time| time.to_string());
    let measures = reading.measures;
    (
        sensor.to_string(),
        measures.watts(),
        measures.watthours(),
        time,
    )
}

fn read(preset: Preset, topic: &str, payload: &str) -> Vec<ReadRow> {
    Talk::new(preset).read(topic, payload)
}

/// The states of charge in a message, by sensor.
fn charges(preset: Preset, topic: &str, payload: &str) -> Vec<(String, f64)> {
    let found = Talk::new(preset).found(topic, payload, None).into_iter();
    let charges = found.flat_map(|it| it.charges);
    charges.map(|(id, charge)| (id, charge.percent())).collect()
}

fn row(sensor: &str, watts: Option<f64>, watthours: Option<f64>, time: Option<&str>) -> ReadRow {
    (sensor.into(), watts, watthours, time.map(str::to_owned))
}

/// Power both ways, at a time: a row of the sensor, and one of the export.
fn both(sensor: &str, watts: f64, time: Option<&str>) -> [ReadRow; 2] {
    let back = format!("{sensor}-export");
    [
        row(sensor, Some(watts.max(0.0)), None, time),
        row(&back, Some((-watts).max(0.0)), None, time),
    ]
}

#[test]
fn names_and_tables_are_valid() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(preset));
        for topic in preset.topics().iter().filter(|topic| !topic.is_empty()) {
            let filter: TopicFilter = topic.parse().unwrap();
            let sensor: SensorTemplate = preset.usual_sensor().parse().unwrap();
            assert!(sensor.highest() <= filter.wildcards(), "{topic}");
            let mappings = preset.mappings(&filter, &sensor, PresetUnits::default());
            assert!(!mappings.unwrap().is_empty());
        }
    }
    assert!("shelly2".parse::<Preset>().is_err());
}

proptest! {
    #[test]
    fn no_topic_and_no_message_panics(
        topic in "(tele|shellies|N|dsmr|evcc|solar|a|\\PC{0,3})(/(emeter|0|power|SENSOR|reading|site|grid|status|events|rpc|\\PC{0,3})){0,5}",
        payload in prop_oneof![
            "\\PC{0,30}",
            "\\{\"(ENERGY|SML|params|Datas|data|value|power)\":(\\{\"(Power|Total|P|switch:0)\":[-0-9.e\\[\\],]{1,9}\\}|[-0-9.e\\[\\],]{1,9})\\}",
        ],
    ) {
        for preset in Preset::ALL.into_iter().filter(|preset| !preset.usual_topic().is_empty()) {
            for (mapping, memory) in &mut Talk::new(preset).mappings {
                if let Ok(message) = payload::parse(payload.as_bytes(), &mapping.places()) {
                    let arrival = ArrivedMessage { topic: &topic, message: &message, is_new: true, elapsed: Duration::ZERO, unit: None };
                    let _ = mapping.read(&arrival, memory);
                }
            }
        }
    }
}
