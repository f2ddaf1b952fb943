//! Recognizes devices by their messages: the preset that reads them, the sensors that they would
//! feed, or the reason why there can be none.
//!
//! It sees every message of a busy broker, so topics are checked first: most messages do not come
//! from devices, and are not parsed.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::Value;

use super::announced::{self, AnnouncedUnits};
use super::filter_index::FilterIndex;
use crate::domain::{EnergyUnit, Measures, MeterKind, PowerUnit, Role, SensorId};
use crate::ingest::devices::mapping::TopicMapping;
use crate::ingest::devices::parts::PartMemory;
use crate::ingest::devices::payload::{self, ArrivedMessage, PayloadError};
use crate::ingest::devices::readings::MessageReadings;
use crate::ingest::devices::template::SensorTemplate;
use crate::ingest::devices::topic::TopicFilter;
use crate::ingest::devices::{Preset, PresetUnits, Unusable};
use crate::ingest::wanted::WantedPlaces;
use crate::ingest::{DeviceReading, Way};

/// Reads messages with all presets at the usual topics of their devices. Its memory is bounded.
pub struct Recognizer {
    candidates: Vec<Candidate>,
    /// Their topics.
    index: FilterIndex,
    /// The places of messages that any of them reads, or knows as unusable.
    wanted: WantedPlaces,
    /// The units announced by devices.
    pub(crate) units: AnnouncedUnits,
}

/// A message to examine.
#[derive(Clone, Copy, Debug)]
pub struct PassedMessage<'m> {
    /// Its topic.
    pub topic: &'m str,
    /// Its content.
    pub payload: &'m [u8],
    /// Whether the broker had retained it, so that its age is unknown.
    pub is_retained: bool,
    /// The time since the start of this run.
    pub elapsed: Duration,
}

/// A preset at one of its topics.
struct Candidate {
    preset: &'static Preset,
    /// The common prefix of a device's topics.
    topic: TopicFilter,
    sensor: SensorTemplate,
    mappings: Vec<(TopicMapping, PartMemory)>,
}

/// A device known to a preset.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognized {
    /// The preset.
    pub preset: &'static Preset,
    /// The setting `topic` that matches only this device, with the preset.
    pub topic: String,
    /// The setting `sensor` that gives the sensors the ids below: the preset's default, which need
    /// not be set.
    pub sensor: &'static str,
    /// The name that distinguishes devices on one topic: the id of the device, as the preset reads
    /// it.
    pub device: String,
    /// The sensors that a message has readings for, or the reason why it has none.
    pub sensors: Result<Vec<SuggestedSensor>, Unusable>,
}

/// A sensor that the preset would feed.
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestedSensor {
    /// The id that the preset gives it.
    pub id: SensorId,
    /// [`Way::Forth`], or [`Way::Back`] for the second sensor of a device.
    pub way: Way,
    /// Its probable role.
    pub role: Role,
    /// The kind of its register.
    pub register: MeterKind,
    /// The newest numbers, in watts and watt-hours; as received if the unit is missing.
    pub newest: Measures,
    /// Whether a person must enter the unit.
    pub lacks_unit: bool,
}

/// The most topics with different last levels that are subscribed to one by one.
const FEW: usize = 6;

impl Default for Recognizer {
    fn default() -> Self {
        let presets = Preset::all().iter();
        let presets = presets.filter(|preset| !preset.terms.is_hidden);
        let places = presets.flat_map(|preset| {
            let topics = preset.terms.topics.iter();
            topics.filter_map(move |topic| Candidate::new(preset, topic))
        });
        let candidates: Vec<Candidate> = places.collect();
        let mut index = FilterIndex::default();
        for (number, candidate) in candidates.iter().enumerate() {
            for filter in candidate.filters() {
                index.insert(filter, number);
            }
        }
        let unusable = Preset::all().iter().flat_map(|it| &it.terms.unusable);
        let fields = WantedPlaces::members(unusable.flat_map(|it| &it.fields));
        let mut wanted = fields.clone();
        wanted.add_in_members(&fields);
        for (mapping, _) in candidates.iter().flat_map(|it| &it.mappings) {
            wanted.add_all(&mapping.places());
        }
        Self {
            wanted,
            candidates,
            index,
            units: AnnouncedUnits::default(),
        }
    }
}

impl Recognizer {
    /// The topics of all messages that it may know, without overlaps. If many differ in their last
    /// level, one filter covers all, because some brokers allow few subscriptions.
    #[must_use]
    pub fn filters(&self) -> Vec<String> {
        let mut beside = HashMap::<&str, HashSet<&str>>::new();
        for filter in self.candidates.iter().flat_map(Candidate::filters) {
            let (above, last) = filter.as_str().rsplit_once('/').unwrap_or_default();
            beside.entry(above).or_default().insert(last);
        }
        let all = self.candidates.iter().flat_map(Candidate::filters);
        let all = all.map(|filter| match filter.as_str().rsplit_once('/') {
            Some((above, _)) if beside.get(above).is_some_and(|it| it.len() > FEW) => {
                format!("{above}/+")
                    .parse()
                    .unwrap_or_else(|_| filter.clone())
            }
            _ => filter.clone(),
        });
        let all: Vec<TopicFilter> = all.collect();
        let mut texts: Vec<String> = all
            .iter()
            .filter(|filter| !all.iter().any(|other| other.covers(filter)))
            .map(|filter| filter.as_str().to_owned())
            .collect();
        texts.extend(announced::FILTERS.map(str::to_owned));
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// The devices recognized in a message; none if no preset knows it, or if it is not about
    /// energy. A sum over several topics appears once all of them have arrived. Devices of several
    /// presets, such as the Shelly 3EM, are recognized by each.
    pub fn look(&mut self, at: PassedMessage<'_>) -> Vec<Recognized> {
        let PassedMessage { topic, payload, .. } = at;
        let candidates = &self.candidates;
        let is_wanted = |state: &str| {
            let mut candidates = candidates.iter();
            candidates.any(|it| it.takes_announced(state))
        };
        if self.units.learn(topic, payload, is_wanted) {
            return Vec::new();
        }
        let unit = self.units.of(topic);
        let mut message: Option<Option<Value>> = None;
        let mut found = Vec::new();
        for number in self.index.matching(topic) {
            let Some(candidate) = self.candidates.get_mut(number) else {
                continue;
            };
            if !candidate.takes(topic) || !candidate.has_sign(payload) {
                continue;
            }
            // Parsed once, and only if a preset needs it.
            let wanted = &self.wanted;
            let parsed = message.get_or_insert_with(|| payload::parse(payload, wanted).ok());
            let Some(parsed) = parsed else {
                continue;
            };
            let arrival = ArrivedMessage {
                topic,
                message: parsed,
                is_new: !at.is_retained,
                elapsed: at.elapsed,
                unit,
            };
            let recognized = candidate.look(&arrival);
            // The same device on another of the preset's topics.
            let is_new = |one: &Recognized| {
                found
                    .iter()
                    .all(|known: &Recognized| known.preset != one.preset)
            };
            found.extend(recognized.filter(is_new));
        }
        found
    }
}

impl Candidate {
    /// The sensors of a device that does not send its units, with its numbers unchanged.
    fn without_unit(&self, arrival: &ArrivedMessage<'_>) -> Vec<SuggestedSensor> {
        let as_they_are = PresetUnits {
            watts: Some(PowerUnit::Watts),
            watthours: Some(EnergyUnit::WattHours),
        };
        let mappings = self
            .preset
            .terms
            .mappings(&self.topic, &self.sensor, as_they_are);
        let mappings = mappings.unwrap_or_default();
        let taking = mappings.iter().filter(|it| it.takes(arrival.topic));
        let read = taking.map(|it| it.read(arrival, &mut PartMemory::default()).readings);
        let sensors = read.flat_map(SuggestedSensor::all);
        let sensors = sensors.map(|sensor| SuggestedSensor {
            lacks_unit: true,
            ..sensor
        });
        sensors.collect()
    }

    fn new(preset: &'static Preset, topic: &str) -> Option<Self> {
        // The empty topic of a preset without a usual one is not a filter.
        let topic: TopicFilter = topic.parse().ok()?;
        let sensor: SensorTemplate = preset.terms.sensor.parse().ok()?;
        let mappings = preset
            .terms
            .mappings(&topic, &sensor, PresetUnits::default())
            .ok()?;
        Some(Self {
            preset,
            topic,
            sensor,
            mappings: mappings
                .into_iter()
                .map(|mapping| (mapping, PartMemory::default()))
                .collect(),
        })
    }

    fn filters(&self) -> impl Iterator<Item = &TopicFilter> {
        self.mappings
            .iter()
            .flat_map(|(mapping, _)| mapping.filters())
    }

    fn takes(&self, topic: &str) -> bool {
        self.mappings
            .iter()
            .any(|(mapping, _)| mapping.takes(topic))
    }

    /// Whether it reads a number of this topic whose unit is announced.
    fn takes_announced(&self, topic: &str) -> bool {
        let mut mappings = self.mappings.iter();
        mappings.any(|(mapping, _)| mapping.has_announced_units() && mapping.takes(topic))
    }

    fn has_sign(&self, payload: &[u8]) -> bool {
        let Some(sign) = self.preset.terms.sign.as_deref().map(str::as_bytes) else {
            return true;
        };
        payload.windows(sign.len()).any(|window| window == sign)
    }

    fn look(&mut self, arrival: &ArrivedMessage<'_>) -> Option<Recognized> {
        let mut sensors = Vec::new();
        let mut problem = None;
        for (mapping, memory) in &mut self.mappings {
            if !mapping.takes(arrival.topic) {
                continue;
            }
            let MessageReadings {
                readings, problems, ..
            } = mapping.read(arrival, memory);
            sensors.extend(SuggestedSensor::all(readings));
            let mut problems = problems.into_iter();
            let first = problems.find(|it| !matches!(it, PayloadError::NoNumber(_)));
            problem = problem.or(first.map(Into::into));
        }
        if matches!(&problem, Some(Unusable::Payload(PayloadError::NoUnit(_)))) {
            sensors = self.without_unit(arrival);
        }
        if sensors.is_empty() && problem.is_none() {
            let mut unusable = self.preset.terms.unusable.iter();
            let known = unusable.find(|it| it.is(arrival.message));
            problem = known.map(|it| it.why.clone());
        }
        let sensors = match problem {
            Some(problem) if sensors.is_empty() => Err(problem),
            _ if sensors.is_empty() => return None,
            _ => Ok(sensors),
        };
        let topic = self.topic.filled_from(arrival.topic)?;
        let captures = self.topic.captures(&topic).unwrap_or_default();
        let device = self.sensor.text(&captures, arrival.message);
        Some(Recognized {
            preset: self.preset,
            device: device.unwrap_or_else(|_| topic.clone()),
            topic,
            sensor: &self.preset.terms.sensor,
            sensors,
        })
    }
}

impl SuggestedSensor {
    /// The sensors that a message has `readings` for.
    pub fn all(readings: Vec<DeviceReading>) -> impl Iterator<Item = Self> {
        let suggested = readings.into_iter().map(|read| {
            let DeviceReading {
                sensor,
                kind,
                way,
                reading,
            } = read;
            Self {
                id: sensor,
                way,
                role: kind.likely_role(way),
                // Each counts one way only.
                register: MeterKind::Counter,
                newest: reading.measures,
                lacks_unit: false,
            }
        });
        // A sensor for an export that is always zero is useless.
        suggested.filter(|sensor| sensor.way != Way::Back || !sensor.newest.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::wanted::tests::{held_by, hostile};

    /// A preset, the topic of the device, and its sensors with their roles.
    type KnownDevice = (&'static str, String, Vec<(String, Role)>);

    fn look(topic: &str, payload: &str) -> Vec<Recognized> {
        Recognizer::default().look(PassedMessage {
            topic,
            payload: payload.as_bytes(),
            is_retained: false,
            elapsed: Duration::ZERO,
        })
    }

    /// The presets that know a message.
    fn known(topic: &str, payload: &str) -> Vec<KnownDevice> {
        let plain = |found: Recognized| {
            let sensors = found.sensors.unwrap();
            let sensors = sensors.iter().map(|it| (it.id.to_string(), it.role));
            (found.preset.id(), found.topic, sensors.collect())
        };
        look(topic, payload).into_iter().map(plain).collect()
    }

    fn one(preset: &'static str, topic: &str, sensors: &[(&str, Role)]) -> Vec<KnownDevice> {
        let sensors = sensors.iter().map(|(id, role)| ((*id).to_owned(), *role));
        vec![(preset, topic.to_owned(), sensors.collect())]
    }

    #[test]
    fn devices_are_recognized_with_their_sensors() {
        let plug = r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"Total":3.705,"Power":5}}"#;
        let sensors = [("plug", Role::SubMeter)];
        assert_eq!(
            known("tele/plug/SENSOR", plug),
            one("tasmota", "tele/plug/SENSOR", &sensors)
        );
        assert_eq!(
            known("plug/tele/SENSOR", plug),
            one("tasmota", "plug/tele/SENSOR", &sensors)
        );
        let em = r#"{"src":"shellypro3em-a0","params":{"ts":1701430261.00,"em:0":{"id":0,"total_act_power":-232.6}}}"#;
        let sensors = [("a", Role::GridImport), ("a-export", Role::GridExport)];
        assert_eq!(known("a/events/rpc", em), one("shelly", "a", &sensors));
        assert_eq!(known("home/a/events/rpc", em)[0].1, "home/a");
        let sensors = [("garage/oven", Role::SubMeter)];
        assert_eq!(
            known("zigbee2mqtt/garage/oven", r#"{"power":60,"energy":1.5}"#),
            one("zigbee2mqtt", "zigbee2mqtt/garage/oven", &sensors)
        );
        let sensors = [("victron-battery", Role::BatteryCharge)];
        assert_eq!(
            known("N/c0/system/0/Dc/Battery/Power", r#"{"value":5}"#),
            one("victron", "N/c0", &sensors)
        );
        let ams = r#"{"id":"x","name":"AMSReader","rssi":-75,"t":1759602040,"data":{"P":5314}}"#;
        assert_eq!(
            known("hall/meter", ams),
            one("amsreader", "hall/meter", &[("ams", Role::GridImport)])
        );
    }

    #[test]
    fn what_a_suggestion_says() {
        let found = look("solar/1141/0/yieldtotal", "13.338");
        let [
            Recognized {
                device,
                sensors: Ok(sensors),
                sensor,
                ..
            },
        ] = &found[..]
        else {
            panic!("{found:?}");
        };
        assert_eq!((&**device, *sensor), ("1141", "{1}"));
        assert_eq!(sensors[0].newest.watthours(), Some(13_338.0));
        assert_eq!(
            (sensors[0].role, sensors[0].register),
            (Role::Solar, MeterKind::Counter)
        );
    }

    #[test]
    fn messages_that_no_preset_can_use_say_why() {
        let why = |topic: &str, payload: &str| {
            let found = look(topic, payload);
            found
                .into_iter()
                .find_map(|one| one.sensors.err())
                .map_or_else(String::new, |why| why.to_string())
        };
        let meter = r#"{"Haus":{"kwh_ein":5,"Server_ID":"0901"}}"#;
        assert!(why("tele/m/SENSOR", meter).contains("usual names"));
        let optical = r#"{"model":"Efergy-Optical","id":1,"energy_kWh":0.5}"#;
        assert!(why("rtl_433/pi/events", optical).contains("mean power"));
        let count = r#"{"model":"ERT-SCM","id":4198071,"consumption_data":5200778}"#;
        assert!(why("rtl_433/pi/events", count).contains("unit"));
        let wrong = r#"{"ENERGY":{"Power":"much"}}"#;
        assert!(why("tele/m/SENSOR", wrong).contains("/ENERGY/Power"));
    }

    #[test]
    fn the_filters_are_those_of_all_topics_of_its_devices() {
        let recognizer = Recognizer::default();
        let filters = recognizer.filters();
        for filter in [
            "+",
            "+/+",
            "tele/+/SENSOR",
            "zigbee2mqtt/#",
            "+/+/events/rpc",
        ] {
            assert!(
                filters.iter().any(|it| it == filter),
                "{filter}: {filters:?}"
            );
        }
        // Some brokers allow few subscriptions.
        let most = 5 * Preset::all().len();
        assert!(filters.len() < most, "{}", filters.len());
        let parsed = |text: &String| text.parse::<TopicFilter>().unwrap();
        for (at, filter) in filters.iter().map(parsed).enumerate() {
            let others = filters.iter().map(parsed).enumerate();
            let covers = |(other, it): (usize, TopicFilter)| other != at && it.covers(&filter);
            assert!(!others.into_iter().any(covers), "{filter:?}");
        }
        let all = recognizer.candidates.iter().flat_map(Candidate::filters);
        for filter in all {
            let is_there = |it: TopicFilter| it == *filter || it.covers(filter);
            assert!(filters.iter().map(parsed).any(is_there), "{filter:?}");
        }
    }

    #[test]
    fn no_message_takes_more_than_a_few_times_its_length() {
        let mut recognizer = Recognizer::default();
        let topics = [
            "tele/a/SENSOR",
            "a/events/rpc",
            "zigbee2mqtt/a",
            "device/a/realtime",
            "dsmr/json",
            "rtl_433/a/events",
            "homeassistant/sensor/a/config",
        ];
        for value in hostile((64 << 10) - 40) {
            for around in [
                "@",
                "{\"ENERGY\":@}",
                "{\"params\":{\"switch:0\":@}}",
                "{\"power\":@}",
                "{\"Datas\":@}",
                "{\"model\":@}",
                "{\"power\":nan,\"x\":@}",
            ] {
                let payload = around.replace('@', &value);
                for topic in topics {
                    let at = PassedMessage {
                        topic,
                        payload: payload.as_bytes(),
                        is_retained: false,
                        elapsed: Duration::ZERO,
                    };
                    let held = held_by(|| {
                        recognizer.look(at);
                    });
                    assert!(held < 1 << 20, "{held} for {topic} {}", &payload[..30]);
                }
            }
        }
    }

    #[test]
    fn other_messages_are_none_of_a_device() {
        for (topic, payload) in [
            ("tele/t/SENSOR", r#"{"DS18B20":{"Temperature":20.1}}"#),
            ("zigbee2mqtt/t", r#"{"battery":97,"temperature":20.8}"#),
            ("zigbee2mqtt/bridge/devices", r#"[{"power":5}]"#),
            ("homeassistant/sensor/a/config", r#"{"power":5}"#),
            ("a/b", r#"{"P":5,"power":5}"#),
            ("tele/t/SENSOR", "not JSON"),
            ("", ""),
        ] {
            assert_eq!(look(topic, payload), [], "{topic}");
        }
    }
}
