//! The entry point of the fuzz target of messages.

use std::time::Duration;

use crate::ingest::devices::parts::PartMemory;
use crate::ingest::devices::payload::{self, ArrivedMessage};
use crate::ingest::devices::readings::MessageReadings;
use crate::ingest::devices::topic::TopicFilter;
use crate::ingest::devices::{Preset, PresetUnits};

/// Checks that each preset reads a message or refuses it, and that the values it reads are finite.
/// The first line of `bytes` is the topic.
///
/// # Panics
/// If a value is not finite.
pub fn fuzz_message(bytes: &[u8]) {
    let line = bytes.iter().position(|byte| *byte == b'\n');
    let (topic, rest) = bytes.split_at(line.unwrap_or(0));
    let Ok(topic) = str::from_utf8(topic) else {
        return;
    };
    let (Ok(everything), Ok(sensor)) = ("+".parse::<TopicFilter>(), "s-{1}".parse()) else {
        return;
    };
    for Preset { terms, .. } in Preset::all() {
        let usual = terms.usual_topic().parse().ok();
        for filter in [topic.parse().ok(), usual, Some(everything.clone())]
            .iter()
            .flatten()
        {
            let mappings = terms.mappings(filter, &sensor, PresetUnits::default());
            for mapping in mappings.unwrap_or_default() {
                let Ok(message) = payload::parse(rest, &mapping.places()) else {
                    return;
                };
                let arrival = ArrivedMessage {
                    topic,
                    message: &message,
                    is_new: true,
                    elapsed: Duration::ZERO,
                    unit: None,
                };
                let mut memory = PartMemory::default();
                let MessageReadings { readings, .. } = mapping.read(&arrival, &mut memory);
                for one in readings {
                    let measures = one.reading.measures;
                    let mut numbers = measures.watts().into_iter().chain(measures.watthours());
                    assert!(numbers.all(f64::is_finite));
                }
            }
        }
    }
}
