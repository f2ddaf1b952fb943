//! Announcements to Home Assistant, compared with its documentation.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::UdpSocket;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::{House, eventually};
use crate::place::Serving;

/// The messages that a client receives, as `mosquitto_sub` prints them: the last one of each topic.
struct Listener {
    client: Child,
    received: Arc<Mutex<Vec<(String, String)>>>,
}

impl Listener {
    fn start(broker: &Mosquitto, filters: &[&str]) -> Self {
        let mut command = broker.client("mosquitto_sub");
        command.args(["-q", "1", "-v", "-F", "%t\t%p"]);
        for filter in filters {
            command.args(["-t", filter]);
        }
        let mut client = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(client.stdout.take().unwrap()).lines();
        let received = Arc::<Mutex<Vec<_>>>::default();
        let write = Arc::clone(&received);
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let (topic, payload) = line.split_once('\t').unwrap();
                write
                    .lock()
                    .unwrap()
                    .push((topic.to_owned(), payload.to_owned()));
            }
        });
        Self { client, received }
    }

    fn last(&self) -> BTreeMap<String, String> {
        self.received.lock().unwrap().iter().cloned().collect()
    }

    /// The retained messages received so far: an empty message removes its topic's.
    fn kept(&self) -> BTreeMap<String, String> {
        let mut kept = self.last();
        kept.retain(|_, payload| !payload.is_empty());
        kept
    }

    /// How many messages came.
    fn count(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    /// Waits for a message on a topic that is `expected`.
    #[track_caller]
    fn wait_for(&self, topic: &str, expected: &str) {
        eventually(&format!("{expected:?} on {topic}"), || {
            (self.last().get(topic).map(String::as_str) == Some(expected)).then_some(())
        });
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

/// The type of a value.
type Rule = fn(&Value) -> bool;

/// The keys of a sensor's discovery message that are used here, and their types:
/// home-assistant.io/integrations/mqtt (discovery topic, origin, device) and
/// home-assistant.io/integrations/sensor.mqtt (configuration variables), and of `device_class` with
/// its units and state classes developers.home-assistant.io/docs/core/entity/sensor.
const SCHEMA: &[(&str, Rule)] = &[
    ("name", Value::is_string),
    ("unique_id", Value::is_string),
    ("device_class", |value| {
        ["power", "energy"].contains(&value.as_str().unwrap_or_default())
    }),
    ("state_class", |value| {
        ["measurement", "total", "total_increasing"].contains(&value.as_str().unwrap_or_default())
    }),
    ("unit_of_measurement", |value| {
        ["W", "Wh"].contains(&value.as_str().unwrap_or_default())
    }),
    ("state_topic", |value| {
        is_topic(value.as_str().unwrap_or_default())
    }),
    // The service and the sensor: "availability" and "availability_topic" exclude each other.
    ("availability", |value| {
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        let is_right = |one: &Value| is_topic(one["topic"].as_str().unwrap_or_default());
        list.len() == 2 && list.iter().all(is_right)
    }),
    ("availability_mode", |value| value == "all"),
    ("suggested_display_precision", Value::is_u64),
    ("device", |value| {
        has_keys(
            value,
            &["identifiers", "name", "manufacturer", "model", "sw_version"],
        )
    }),
    ("origin", |value| has_keys(value, &["name", "sw_version"])),
];

fn is_topic(text: &str) -> bool {
    !text.is_empty() && !text.contains(['+', '#', '\0'])
}

fn has_keys(value: &Value, keys: &[&str]) -> bool {
    let Some(object) = value.as_object() else {
        return false;
    };
    let identifiers = object
        .get("identifiers")
        .is_none_or(|list| !list.as_array().unwrap().is_empty());
    identifiers
        && object.keys().all(|key| keys.contains(&key.as_str()))
        && object.contains_key("name")
}

/// Checks a discovery message and its topic; gives its device class, unit and state class.
#[track_caller]
fn assert_discovery(topic: &str, payload: &str) -> (String, String, String) {
    let levels: Vec<&str> = topic.split('/').collect();
    let [prefix, component, node, object, "config"] = levels[..] else {
        panic!("{topic}");
    };
    assert_eq!((prefix, component), ("homeassistant", "sensor"));
    for id in [node, object] {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        assert!(!id.is_empty() && id.bytes().all(is_plain), "{topic}");
    }
    let message: Value = serde_json::from_str(payload).unwrap();
    let message = message.as_object().unwrap();
    for (key, is_right) in SCHEMA {
        let value = message
            .get(*key)
            .unwrap_or_else(|| panic!("{topic}: no {key}"));
        assert!(is_right(value), "{topic}: {key} is {value}");
    }
    // "last_reset_value_template" is for the state class "total" only.
    let templates = ["value_template", "last_reset_value_template"];
    let has = |key: &&str| message.get(*key).is_some_and(Value::is_string);
    let count = templates.iter().filter(|key| has(key)).count();
    assert_eq!(
        count,
        if message["state_class"] == "total" {
            2
        } else {
            0
        }
    );
    assert_eq!(message.len(), SCHEMA.len() + count, "{topic}: {payload}");
    let text = |key: &str| message[key].as_str().unwrap().to_owned();
    (
        text("device_class"),
        text("unit_of_measurement"),
        text("state_class"),
    )
}

/// The state of a net register.
const NET: &str = r#"{"value":1010.2,"last_reset":null}"#;

const SETTINGS: &str = "[[mqtt.subscriptions]]\ntopic = \"m/+\"\nwatts = \"/w\"\nwatthours = \"/e\"\n[home_assistant]\ndiscovery = true";

#[test]
#[ignore = "needs mosquitto"]
fn announcements_arrive_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["house", "heat pump/2", "idle"], SETTINGS);
    house
        .place
        .ok(&["sensor", "set", "house", "--register", "net"]);
    house.place.ok(&[
        "sensor",
        "set",
        "heat pump/2",
        "--register",
        "counter",
        "--name",
        "Wärmepumpe",
    ]);
    let serving = house.subscribed(&broker);
    let listener = Listener::start(&broker, &["homeassistant/#", "wattkeeper/#"]);
    broker.publish("m/house", "{\"w\":234.5,\"e\":1010.2}");
    listener.wait_for("wattkeeper/sensor/house_energy", NET);
    listener.wait_for("wattkeeper/sensor/house_power", "234.5");
    listener.wait_for("wattkeeper/sensor/house_available", "online");
    listener.wait_for("wattkeeper/status", "online");
    house.upload(&serving, "heat pump/2", 700.0);
    listener.wait_for("wattkeeper/sensor/heat_20pump_2f2_power", "700");
    let announced = listener.last();
    let configs: Vec<_> = announced
        .iter()
        .filter(|(topic, _)| topic.ends_with("/config") && topic.contains("/sensor/"))
        .collect();
    let classes: Vec<_> = configs
        .iter()
        .map(|(topic, payload)| assert_discovery(topic, payload))
        .collect();
    let expected = [
        ("power", "W", "measurement"),
        ("energy", "Wh", "total"),
        ("power", "W", "measurement"),
    ];
    let expected =
        expected.map(|(class, unit, state)| (class.to_owned(), unit.to_owned(), state.to_owned()));
    assert_eq!(classes, expected);
    assert!(configs[0].1.contains("\"Wärmepumpe\""));
    // A sensor, the house and the service each have a problem or not.
    for object in ["idle", "__home", "_"] {
        let topic = format!("homeassistant/binary_sensor/wattkeeper/{object}_problem/config");
        let config: Value = serde_json::from_str(&announced[&topic]).unwrap();
        assert_eq!(config["device_class"], "problem");
        listener.wait_for(config["state_topic"].as_str().unwrap(), "OFF");
    }
    // A counter's register.
    house
        .place
        .ok(&["sensor", "set", "house", "--register", "counter"]);
    let energy = "homeassistant/sensor/wattkeeper/house_energy/config";
    eventually("the counter", || {
        listener.last()[energy]
            .contains("total_increasing")
            .then_some(())
    });
    listener.wait_for("wattkeeper/sensor/house_energy", "1010.2");
    // Home Assistant starts: all of it again.
    let before = listener.count();
    broker.publish("homeassistant/status", "online");
    eventually("all of it", || {
        (listener.count() >= before + 8).then_some(())
    });
    serving.stop();
}

#[test]
#[ignore = "needs mosquitto"]
fn a_device_leads_to_the_pages_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["house"], SETTINGS);
    let all = ["--json", "serve", "--listen", "0.0.0.0:0"];
    let serving = Serving::start(house.place.command(&all));
    let listener = Listener::start(&broker, &["homeassistant/#"]);
    house.upload(&serving, "house", 5.0);
    let power = "homeassistant/sensor/wattkeeper/house_power/config";
    let announced = eventually("the announcement", || listener.last().get(power).cloned());
    let announced: Value = serde_json::from_str(&announced).unwrap();
    // The way to an address for documentation (RFC 5737); nothing is sent.
    let lan = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let (_, port) = serving.url.rsplit_once(':').unwrap();
    let expected = lan.ok().map(|own| format!("http://{}:{port}", own.ip()));
    let url = &announced["device"]["configuration_url"];
    assert_eq!(url.as_str(), expected.as_deref());
    serving.stop();
}

#[test]
#[ignore = "needs mosquitto"]
fn a_sensor_is_taken_back_and_its_values_are_cleared_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["house"], SETTINGS);
    house
        .place
        .ok(&["sensor", "set", "house", "--register", "net"]);
    let serving = house.subscribed(&broker);
    let listener = Listener::start(&broker, &["homeassistant/#", "wattkeeper/#"]);
    broker.publish("m/house", "{\"w\":234.5,\"e\":1010.2}");
    listener.wait_for("wattkeeper/sensor/house_energy", NET);
    let energy = "homeassistant/sensor/wattkeeper/house_energy/config";
    // One that Home Assistant has from the broker is taken back, and comes again.
    let power = "homeassistant/sensor/wattkeeper/house_power/config";
    let set = |choice| {
        let set = ["sensor", "set", "house", "--home-assistant", choice];
        house.place.ok(&set);
    };
    set("off");
    for topic in [
        power,
        energy,
        "wattkeeper/sensor/house_power",
        "wattkeeper/sensor/house_available",
        "homeassistant/binary_sensor/wattkeeper/house_problem/config",
    ] {
        listener.wait_for(topic, "");
    }
    set("on");
    listener.wait_for("wattkeeper/sensor/house_power", "234.5");
    // Its readings are deleted.
    let range = ["--start", "1970-01-01", "--end", "2100-01-01", "--yes"];
    let delete = ["readings", "delete", "--sensor", "house"];
    house.place.ok(&[&delete[..], &range].concat());
    listener.wait_for("wattkeeper/sensor/house_power", "None");
    let cleared = r#"{"value":null,"last_reset":null}"#;
    listener.wait_for("wattkeeper/sensor/house_energy", cleared);
    serving.stop();
}

#[test]
#[ignore = "needs mosquitto"]
fn announcements_of_removed_sensors_are_removed_from_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["house", "heat pump/2"], SETTINGS);
    house
        .place
        .ok(&["sensor", "set", "house", "--register", "net"]);
    let serving = house.subscribed(&broker);
    let listener = Listener::start(&broker, &["homeassistant/#", "wattkeeper/#"]);
    broker.publish("m/house", "{\"w\":234.5,\"e\":1010.2}");
    house.upload(&serving, "heat pump/2", 700.0);
    let energy = "homeassistant/sensor/wattkeeper/house_energy/config";
    listener.wait_for("wattkeeper/sensor/house_energy", NET);
    listener.wait_for("wattkeeper/sensor/heat_20pump_2f2_power", "700");
    // After a sensor is removed its announcements are removed.
    house.place.ok(&["sensor", "remove", "house", "--yes"]);
    listener.wait_for(energy, "");
    listener.wait_for("wattkeeper/sensor/house_energy", "");
    listener.wait_for("wattkeeper/sensor/house_available", "");
    // Stopped, killed, and a sensor removed meanwhile.
    serving.stop();
    listener.wait_for("wattkeeper/status", "offline");
    let mut serving = house.subscribed(&broker);
    listener.wait_for("wattkeeper/status", "online");
    serving.signal("KILL");
    serving.child.wait().unwrap();
    listener.wait_for("wattkeeper/status", "offline");
    house
        .place
        .ok(&["sensor", "remove", "heat pump/2", "--yes"]);
    let serving = house.subscribed(&broker);
    for gone in [
        "homeassistant/sensor/wattkeeper/heat_20pump_2f2_power/config",
        "homeassistant/binary_sensor/wattkeeper/heat_20pump_2f2_problem/config",
    ] {
        listener.wait_for(gone, "");
    }
    serving.stop();
    // Nothing is left at the broker but that the service is away.
    let late = Listener::start(&broker, &["homeassistant/#", "wattkeeper/#"]);
    // And the entities of the house and of the service, as some sensor can remain.
    late.wait_for("wattkeeper/status", "offline");
    late.wait_for("wattkeeper/sensor/__home_problem", "OFF");
    late.wait_for("wattkeeper/sensor/__problem", "OFF");
    // All that the broker kept came before this.
    broker.publish("wattkeeper/end", "end");
    late.wait_for("wattkeeper/end", "end");
    let left: Vec<String> = late.kept().into_keys().collect();
    assert_eq!(
        left,
        [
            "homeassistant/binary_sensor/wattkeeper/__home_problem/config",
            "homeassistant/binary_sensor/wattkeeper/__problem/config",
            "wattkeeper/end",
            "wattkeeper/sensor/__home_problem",
            "wattkeeper/sensor/__problem",
            "wattkeeper/status",
        ]
    );
}
