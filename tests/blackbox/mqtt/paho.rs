//! Python's paho-mqtt as the writer, as in many home-made scripts.

use std::process::Command;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::House;

/// The Python that `scripts/test` sets up with it.
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/venv-mqtt/bin/python");

const SCRIPT: &str = r#"
import json, sys
import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="writer", protocol=mqtt.MQTTv5)
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()
for number in range(100):
    message = json.dumps({"w": number, "e": 1000 + number, "t": 1767600000 + number})
    client.publish("m/p", message, qos=number % 3).wait_for_publish(30)
client.disconnect()
client.loop_stop()
"#;

#[test]
#[ignore = "needs mosquitto and paho"]
fn paho_writes_in_all_qualities() {
    let broker = Mosquitto::start();
    let settings = "[[mqtt.subscriptions]]\ntopic = \"m/+\"\nwatts = \"/w\"\nwatthours = \"/e\"\ntime = \"/t\"";
    let house = House::new(broker.port, &["p"], settings);
    let serving = house.subscribed(&broker);
    let port = broker.port.to_string();
    let written = Command::new(PYTHON)
        .args(["-c", SCRIPT, &port])
        .output()
        .unwrap();
    assert!(written.status.success(), "{written:?}");
    let readings = house.wait_for("p", 100);
    for (number, (_, watts, watthours)) in (0_u32..).zip(readings) {
        assert_eq!(watts, Some(f64::from(number)));
        assert_eq!(watthours, Some(f64::from(1_000 + number)));
    }
    serving.stop();
}
