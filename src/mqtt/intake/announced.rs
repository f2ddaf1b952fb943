//! Units that devices announce to Home Assistant, for devices whose messages do not contain them.
//!
//! Format: MQTT discovery (home-assistant.io, MQTT, Discovery messages): JSON under
//! `homeassistant/sensor/.../config`, with the state's topic and unit, long or short names, and
//! optionally `~` as the common start of topics.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::ingest::Quantity;
use crate::ingest::devices::text_number::TextUnit;
use crate::ingest::wanted::WantedPlaces;

/// The topics of the announcements.
pub(crate) const FILTERS: [&str; 2] = [
    "homeassistant/sensor/+/config",
    "homeassistant/sensor/+/+/config",
];
const BEGINNING: &str = "homeassistant/sensor/";
const ENDING: &str = "/config";
/// Short and long names: of the topic of a state, and of its unit; and that of the topics' start.
const TOPIC: [&str; 2] = ["stat_t", "state_topic"];
const UNIT: [&str; 2] = ["unit_of_meas", "unit_of_measurement"];
const START: &str = "~";
static WANTED: LazyLock<WantedPlaces> = LazyLock::new(|| {
    let names = TOPIC.into_iter().chain(UNIT);
    WantedPlaces::members(names.chain([START]))
});
/// The maximum number of topics whose units are remembered. Further topics are ignored.
const MAX_TOPICS: usize = 1_024;
/// The longest topic, in bytes.
const MAX_TOPIC_BYTES: usize = 256;

/// The units of topics.
#[derive(Debug, Default)]
pub(crate) struct AnnouncedUnits {
    units: HashMap<String, TextUnit>,
}

impl AnnouncedUnits {
    /// Learns the unit of a `wanted` topic from a message. Returns false if it is not an
    /// announcement.
    pub(super) fn learn(
        &mut self,
        topic: &str,
        payload: &[u8],
        wanted: impl FnOnce(&str) -> bool,
    ) -> bool {
        if !topic.starts_with(BEGINNING) || !topic.ends_with(ENDING) {
            return false;
        }
        if let Some((state, unit)) = announcement(payload)
            && wanted(&state)
            && (self.units.len() < MAX_TOPICS || self.units.contains_key(&state))
        {
            self.units.insert(state, unit);
        }
        true
    }

    /// The unit announced for a topic.
    pub(crate) fn of(&self, topic: &str) -> Option<TextUnit> {
        self.units.get(topic).copied()
    }
}

/// The topic of a state, and its unit; `None` if either is missing.
fn announcement(payload: &[u8]) -> Option<(String, TextUnit)> {
    let json = WANTED.read(payload).ok()?;
    let text = |[short, long]: [&str; 2]| json.get(short).or(json.get(long))?.as_str();
    let topic = text(TOPIC)?;
    let begins = json.get(START).and_then(Value::as_str).unwrap_or(START);
    let topic = match topic.strip_prefix('~') {
        Some(rest) => format!("{begins}{rest}"),
        None => topic.to_owned(),
    };
    let unit = text(UNIT)?;
    let unit = Quantity::of_unit(unit).map_or(TextUnit::Other, TextUnit::Of);
    (topic.len() <= MAX_TOPIC_BYTES).then_some((topic, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::EnergyUnit;

    const CONFIG: &str = "homeassistant/sensor/stove/total_energy/config";

    fn learned(payload: &str) -> AnnouncedUnits {
        let mut units = AnnouncedUnits::default();
        assert!(units.learn(CONFIG, payload.as_bytes(), |topic| topic != "unwanted"));
        units
    }

    #[test]
    fn an_announcement_says_the_unit_of_a_topic() {
        let watthours = TextUnit::Of(Quantity::Register(EnergyUnit::WattHours));
        for payload in [
            r#"{"unit_of_meas":"Wh","stat_t":"stove/sensor/energy/state"}"#,
            r#"{"unit_of_measurement":"Wh","state_topic":"stove/sensor/energy/state"}"#,
            r#"{"~":"stove","unit_of_meas":"Wh","stat_t":"~/sensor/energy/state"}"#,
        ] {
            let units = learned(payload);
            assert_eq!(units.of("stove/sensor/energy/state"), Some(watthours));
        }
        let other = learned(r#"{"unit_of_meas":"%","stat_t":"a/sensor/battery_power/state"}"#);
        assert_eq!(
            other.of("a/sensor/battery_power/state"),
            Some(TextUnit::Other)
        );
    }

    #[test]
    fn other_messages_announce_nothing() {
        for payload in [
            "",
            "{",
            "[]",
            r#"{"unit_of_meas":"Wh"}"#,
            r#"{"stat_t":"a/state"}"#,
            r#"{"unit_of_meas":"W","stat_t":"unwanted"}"#,
        ] {
            assert!(learned(payload).units.is_empty(), "{payload}");
        }
        let mut units = AnnouncedUnits::default();
        assert!(!units.learn("stove/sensor/energy/state", b"5", |_| true));
    }

    #[test]
    fn a_flood_of_announcements_does_not_fill_the_memory() {
        let mut units = AnnouncedUnits::default();
        for number in 0..10_000 {
            let payload = format!(r#"{{"unit_of_meas":"W","stat_t":"{number}/state"}}"#);
            units.learn(CONFIG, payload.as_bytes(), |_| true);
        }
        assert_eq!(units.units.len(), MAX_TOPICS);
        assert!(units.of("7/state").is_some());
    }
}
