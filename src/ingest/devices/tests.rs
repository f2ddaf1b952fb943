//! The files of the folder `devices`, and their examples.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use serde::Deserialize;
use toml::Table;

use super::known::{DeviceFile, FILES};
use super::parts::PartMemory;
use super::payload::{self, ArrivedMessage};
use super::readings::MessageReadings;
use super::text_number::TextUnit;
use super::{PollPreset, Preset, PresetUnits, SensorTemplate, TopicFilter, TopicMapping};
use crate::domain::{EnergyUnit, PowerUnit, SensorId};
use crate::ingest::{DeviceReading, Quantity, tolerant};
use crate::texts::Language;

/// The parts of a file that only tests and documents need.
#[derive(Deserialize)]
struct TestedFile {
    name: String,
    document: String,
    tested: String,
    #[serde(default)]
    names: Table,
    mqtt: Option<Table>,
    poll: Option<Table>,
    #[serde(default)]
    example: Vec<Example>,
}

/// A message or an answer, with its readings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    #[serde(default)]
    topic: String,
    #[serde(default)]
    payload: String,
    /// The unit that the device announces for the topic.
    announced: Option<String>,
    /// Whether it comes after the example before it, from the same device.
    #[serde(default)]
    continues: bool,
    /// The answer of a polled device.
    answer: Option<String>,
    /// Such as `plug: 5 W, 3705 Wh at 2022-01-11T20:57:38.000Z`; the first sensor of a polled
    /// device is `m`.
    readings: Vec<String>,
}

/// Each file: its id, its text, and the parts of it for tests.
fn files() -> Vec<(&'static str, &'static str, TestedFile)> {
    let mut files: Vec<_> = FILES
        .files()
        .map(|file| {
            let id = file.path().to_str().unwrap().strip_suffix(".toml").unwrap();
            let text = file.contents_utf8().unwrap();
            let tested = toml::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            (id, text, tested)
        })
        .collect();
    files.sort_unstable_by_key(|(id, ..)| *id);
    files
}

/// The mappings of a preset at one topic, with the values that they remember.
struct Talk {
    mappings: Vec<(TopicMapping, PartMemory)>,
}

impl Talk {
    fn with(preset: &Preset, topic: &str, units: PresetUnits) -> Self {
        let (topic, sensor) = (topic.parse().unwrap(), preset.terms.sensor.parse().unwrap());
        let mappings = preset.terms.mappings(&topic, &sensor, units).unwrap();
        let mappings = mappings.into_iter().map(|it| (it, PartMemory::default()));
        Self {
            mappings: mappings.collect(),
        }
    }

    /// At each of the usual topics.
    fn all(preset: &Preset) -> Vec<Self> {
        let topics = preset.terms.topics.iter().filter(|topic| !topic.is_empty());
        let talk = |topic: &String| Self::with(preset, topic, PresetUnits::default());
        topics.map(talk).collect()
    }

    fn takes(&self, topic: &str) -> bool {
        self.mappings.iter().any(|(it, _)| it.takes(topic))
    }

    fn read(&mut self, topic: &str, payload: &str, unit: Option<TextUnit>) -> Vec<String> {
        let taking = self.mappings.iter_mut().filter(|(it, _)| it.takes(topic));
        let found = taking.map(|(it, memory)| {
            let message = payload::parse(payload.as_bytes(), &it.places());
            let arrival = ArrivedMessage {
                topic,
                message: &message.unwrap_or_default(),
                is_new: true,
                elapsed: Duration::ZERO,
                unit,
            };
            it.read(&arrival, memory)
        });
        found.flat_map(|it| shown(&it)).collect()
    }
}

fn shown(found: &MessageReadings) -> Vec<String> {
    let charges = found.charges.iter();
    let charges = charges.map(|(id, charge)| format!("{id}: {} %", charge.percent()));
    found
        .readings
        .iter()
        .map(shown_reading)
        .chain(charges)
        .collect()
}

fn shown_reading(one: &DeviceReading) -> String {
    let measures = one.reading.measures;
    let watts = measures.watts().map(|watts| format!("{watts} W"));
    let watthours = measures
        .watthours()
        .map(|watthours| format!("{watthours} Wh"));
    let values: Vec<String> = watts.into_iter().chain(watthours).collect();
    let time = one.reading.time.map(|time| format!(" at {time}"));
    let time = time.unwrap_or_default();
    format!("{}: {}{time}", one.sensor, values.join(", "))
}

/// The readings of an answer of a polled device.
fn polled(id: &str, answer: &str) -> Vec<String> {
    let terms = &PollPreset::with_id(id).unwrap().terms;
    let json = tolerant::read(answer.as_bytes(), terms.wanted()).unwrap();
    let (readings, _) = terms.read(&SensorId::new("m").unwrap(), &json);
    readings.iter().map(shown_reading).collect()
}

#[test]
fn each_file_is_valid_and_names_its_document() {
    for (id, text, file) in files() {
        if let Err(error) = DeviceFile::read(text) {
            panic!("devices/{id}.toml: {error}");
        }
        assert!(file.document.starts_with("https://"), "{id}");
        assert!(!file.tested.is_empty(), "{id}");
        let mut others = Language::all()
            .map(Language::tag)
            .filter(|tag| *tag != "en");
        let is_known = |tag: &str| file.names.contains_key(tag);
        assert!(file.names.is_empty() || others.all(is_known), "{id}");
        let is_coded = file.poll.is_some_and(|poll| poll.contains_key("reader"));
        assert!(is_coded || !file.example.is_empty(), "{id}");
        let (preset, polled) = (Preset::with_id(id), PollPreset::with_id(id));
        assert!(preset.is_some() || polled.is_some(), "{id}");
        let Some(preset) = preset else { continue };
        for topic in preset.terms.topics.iter().filter(|topic| !topic.is_empty()) {
            let filter: TopicFilter = topic.parse().unwrap();
            let sensor: SensorTemplate = preset.terms.sensor.parse().unwrap();
            assert!(sensor.highest() <= filter.wildcards(), "{topic}");
            let mappings = preset
                .terms
                .mappings(&filter, &sensor, PresetUnits::default());
            assert!(!mappings.unwrap().is_empty());
        }
    }
    assert_eq!(Preset::with_id("shelly2"), None);
}

#[test]
fn examples_have_the_readings_that_their_files_name() {
    for (id, _, file) in files() {
        let mut talks = Vec::new();
        for example in file.example {
            let Example { topic, payload, .. } = &example;
            let found = if let Some(answer) = &example.answer {
                polled(id, answer)
            } else {
                if !example.continues {
                    talks = Talk::all(Preset::with_id(id).unwrap());
                }
                let unit = example.announced.as_deref();
                let unit =
                    unit.map(|it| Quantity::of_unit(it).map_or(TextUnit::Other, TextUnit::Of));
                let taking = talks.iter_mut().find(|talk| talk.takes(topic));
                taking.map_or_else(Vec::new, |talk| talk.read(topic, payload, unit))
            };
            let of = example.answer.as_ref().unwrap_or(payload);
            assert_eq!(found, example.readings, "devices/{id}.toml: {topic} {of}");
        }
    }
}

#[test]
fn settings_have_the_units_that_messages_lack() {
    let units = PresetUnits {
        watthours: Some(EnergyUnit::WattHours),
        ..PresetUnits::default()
    };
    let preset = |id: &str| Preset::with_id(id).unwrap();
    let mut talk = Talk::with(preset("tasmota-sml"), "tele/+/SENSOR", units);
    let found = talk.read("tele/m/SENSOR", r#"{"":{"1_8_0":5000,"2_8_0":7}}"#, None);
    assert_eq!(found, ["m-: 5000 Wh", "m--export: 7 Wh"]);
    // A prefix with more levels.
    let units = PresetUnits {
        watts: Some(PowerUnit::Kilowatts),
        ..PresetUnits::default()
    };
    let mut talk = Talk::with(preset("esphome"), "esphome/devices/+/sensor", units);
    let topic = "esphome/devices/fridge/sensor/power/state";
    let mut read = |unit| talk.read(topic, "1.5", unit)[0].clone();
    assert_eq!(read(None), "fridge: 1500 W");
    // An announced unit goes first.
    assert_eq!(read(Some(TextUnit::Of(Quantity::WATTS))), "fridge: 1.5 W");
}

#[test]
fn what_is_wrong_in_a_file_is_named() {
    let file = |rest: &str| {
        let text = format!("name = \"x\"\ndocument = \"x\"\ntested = \"x\"\n{rest}");
        DeviceFile::read(&text).map(drop).unwrap_err()
    };
    let numbers = |numbers: &str| {
        file(&format!(
            "[mqtt]\ntopics = [\"a/+\"]\nsensor = \"x\"\n[[mqtt.messages]]\nkind = \"meter\"\n[[mqtt.messages.numbers]]\n{numbers}"
        ))
    };
    for (error, expected) in [
        (file("colour = 1"), "unknown field `colour`"),
        (file("role = \"roof\""), "unknown variant `roof`"),
        (numbers("watts = \"power\""), "expected JSON pointers"),
        (
            numbers("watts_unit = \"kWh\""),
            "watts_unit: expected W, kW",
        ),
        (
            numbers("charge = \"/soc\""),
            "charge: expected places with a topic",
        ),
        (
            numbers("channel = \"\""),
            "expected the number of a channel",
        ),
        (
            numbers("each = [\"n\"]"),
            "expected names of lists in [lists], got \"n\"",
        ),
        (numbers("wats = \"\""), "unknown field `wats`"),
    ] {
        assert!(error.contains(expected), "{error}");
    }
}

/// The number of files in the folder, which the compiler does not watch.
#[test]
fn all_files_of_the_folder_are_built_in() {
    let folder = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/devices")).unwrap();
    assert_eq!(
        folder.count(),
        files().len(),
        "a file of `devices` is not built in: `touch src/ingest/devices/known.rs`, and build again"
    );
}

/// Writes the tables if `WATTKEEPER_WRITE_DOCS` is set.
#[test]
fn the_documents_list_each_device() {
    let files = files();
    let rows = files.iter();
    let on_broker = rows
        .clone()
        .filter_map(|(id, _, file)| broker_row(id, file));
    let polled = rows.filter_map(|(id, _, file)| polled_row(id, file));
    check_table(
        "MQTT.md",
        "| device | preset | usual topic | power | registers | time | tested with messages of |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        &on_broker.collect::<Vec<_>>(),
    );
    check_table(
        "POLLING.md",
        "| device | preset | request | interval: usual, shortest | tested with the answer of |\n| --- | --- | --- | --- | --- |\n",
        &polled.collect::<Vec<_>>(),
    );
}

fn check_table(document: &str, head: &str, rows: &[String]) {
    const MARK: &str = "<!-- generated: devices -->\n\n";
    let path = format!("{}/docs/{document}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once(MARK).unwrap();
    let (_, rest) = after.split_once("\n\n").unwrap();
    let made = format!("{before}{MARK}{head}{}\n{rest}", rows.concat());
    if std::env::var_os("WATTKEEPER_WRITE_DOCS").is_some() {
        fs::write(&path, made).unwrap();
        return;
    }
    assert!(
        made == text,
        "docs/{document} does not list the devices of the folder: run WATTKEEPER_WRITE_DOCS=1 cargo test --lib ingest::devices"
    );
}

fn row(id: &str, file: &TestedFile, cells: &[String]) -> String {
    let TestedFile {
        name,
        document,
        tested,
        ..
    } = file;
    let cells = cells.join(" | ");
    format!("| [{name}]({document}) | [`{id}`](../devices/{id}.toml) | {cells} | {tested} |\n")
}

fn broker_row(id: &str, file: &TestedFile) -> Option<String> {
    let preset = Preset::with_id(id)?;
    let messages = file.mqtt.as_ref()?["messages"].as_array()?;
    let messages: Vec<&Table> = messages.iter().filter_map(toml::Value::as_table).collect();
    let numbers = messages.iter().filter_map(|it| it["numbers"].as_array());
    let numbers: Vec<&Table> = numbers
        .flatten()
        .filter_map(toml::Value::as_table)
        .collect();
    let quantity = |forth: &[&str], back: &[&str], unit: &str, usual: &str| {
        let has = |fields: &[&str]| {
            let fields = fields.to_vec();
            let has = move |it: &&&Table| fields.iter().any(|field| it.contains_key(*field));
            numbers.iter().filter(has).collect::<Vec<_>>()
        };
        let own = has(&[forth, back].concat());
        let units = own
            .iter()
            .map(|it| match it.get(unit).and_then(toml::Value::as_str) {
                _ if it.contains_key("with_unit") => "in its own unit",
                Some("announced") => "in an announced unit",
                unit => unit.unwrap_or(usual),
            });
        let both = (!has(back).is_empty()).then_some("both ways");
        let units: BTreeSet<&str> = units.collect();
        units.into_iter().chain(both).collect::<Vec<_>>().join(", ")
    };
    let back = ["signed_watts", "export_watts"];
    let power = quantity(&["watts", "with_unit"], &back, "watts_unit", "W");
    let registers = ["watthours", "with_unit"];
    let registers = quantity(&registers, &["export_watthours"], "watthours_unit", "Wh");
    let times = messages.iter().filter_map(|it| it.get("time")?.as_str());
    let times: BTreeSet<String> = times.map(|time| format!("`{time}`")).collect();
    let times: Vec<String> = times.into_iter().collect();
    let topic = match preset.terms.usual_topic() {
        "" => "none: set `topic`".to_owned(),
        topic => format!("`{topic}`"),
    };
    let cells = [topic, power, registers, times.join(", ")];
    Some(row(id, file, &cells))
}

fn polled_row(id: &str, file: &TestedFile) -> Option<String> {
    let PollPreset { terms, .. } = PollPreset::with_id(id)?;
    let unit = terms.unit.map(|unit| format!(", unit {unit}"));
    let unit = unit.unwrap_or_default();
    let request = match file.poll.as_ref()?.get("request") {
        Some(request) => format!("`{}`{unit}", request.as_str()?),
        None => format!("Modbus TCP, port {}{unit}", terms.port()),
    };
    let seconds = [terms.every(), terms.least()].map(|it| format!("{} s", it.as_secs()));
    Some(row(id, file, &[request, seconds.join(", ")]))
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
        for preset in Preset::all() {
            for mut talk in Talk::all(preset) {
                talk.read(&topic, &payload, None);
            }
        }
    }
}
