//! Messages as devices send them: each preset, and a device that the settings describe.

use std::time::UNIX_EPOCH;

use wattkeeper::Timestamp;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::{House, eventually};

/// The measures of readings, without their times.
fn measures(house: &House, sensor: &str, count: usize) -> Vec<(Option<f64>, Option<f64>)> {
    let readings = house.wait_for(sensor, count);
    readings
        .into_iter()
        .map(|(_, watts, watthours)| (watts, watthours))
        .collect()
}

const SENSORS: [&str; 7] = [
    "plug",
    "shellyplug-s-041AB2",
    "shellyem3-B1-3",
    "shellyem3-B1-3-export",
    "shellypro3em-a0",
    "shellypro3em-a0-export",
    "washing machine",
];
const PRESETS: &str = r#"
[[mqtt.subscriptions]]
preset = "tasmota"

[[mqtt.subscriptions]]
preset = "shelly-gen1"

[[mqtt.subscriptions]]
preset = "shelly"

[[mqtt.subscriptions]]
preset = "zigbee2mqtt"
account = "home"
"#;

#[test]
#[ignore = "needs mosquitto"]
fn every_preset_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &SENSORS, PRESETS);
    let serving = house.subscribed(&broker);
    broker.publish(
        "tele/plug/SENSOR",
        r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"TotalStartTime":"2020-10-21T22:15:00","Total":3.705,"Yesterday":0.028,"Today":0.026,"Period":1,"Power":5,"ApparentPower":5,"ReactivePower":0,"Factor":1.00,"Voltage":233,"Current":0.021}}"#,
    );
    broker.publish("shellies/shellyplug-s-041AB2/relay/0/power", "42.37");
    broker.publish("shellies/shellyplug-s-041AB2/relay/0/energy", "8190");
    broker.publish("shellies/shellyem3-B1/emeter/2/power", "-312.55");
    broker.publish("shellies/shellyem3-B1/emeter/2/total", "1234567.8");
    broker.publish(
        "shellypro3em-a0/events/rpc",
        r#"{"src":"shellypro3em-a0","dst":"shellypro3em-a0/events","method":"NotifyStatus","params":{"ts":1701430261.00,"em:0":{"id":0,"a_act_power":250.1,"total_act_power":232.6}}}"#,
    );
    broker.publish(
        "shellypro3em-a0/events/rpc",
        r#"{"src":"shellypro3em-a0","method":"NotifyStatus","params":{"ts":1701430320.00,"emdata:0":{"id":0,"total_act":2413825.82,"total_act_ret":12.5}}}"#,
    );
    let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let an_hour_ago = Timestamp::from_millis(now - 3_600_000).unwrap().to_string();
    broker.publish(
        "zigbee2mqtt/washing machine",
        &format!(
            r#"{{"current":0.26,"energy":123.45,"last_seen":"{an_hour_ago}","linkquality":127,"power":60,"state":"ON"}}"#
        ),
    );
    assert_eq!(measures(&house, "plug", 1), [(Some(5.0), Some(3_705.0))]);
    assert_eq!(
        measures(&house, "shellyplug-s-041AB2", 2),
        [(Some(42.37), None), (None, Some(136.5))]
    );
    assert_eq!(
        measures(&house, "shellyem3-B1-3", 2),
        [(Some(0.0), None), (None, Some(1_234_567.8))]
    );
    assert_eq!(
        measures(&house, "shellyem3-B1-3-export", 1),
        [(Some(312.55), None)]
    );
    assert_eq!(
        measures(&house, "shellypro3em-a0-export", 2),
        [(Some(0.0), None), (None, Some(12.5))]
    );
    assert_eq!(
        measures(&house, "shellypro3em-a0", 2),
        [(Some(232.6), None), (None, Some(2_413_825.82))]
    );
    assert_eq!(
        house.wait_for("washing machine", 1),
        [(an_hour_ago, Some(60.0), Some(123_450.0))]
    );
    serving.stop();
}

const METER: &str = r#"
[[mqtt.subscriptions]]
topic = "meters/+/+/state"
sensor = "{2} of {1}"
watts = "/now/power"
watts_unit = "kW"
watthours = "/total"
watthours_unit = "kWh"
time = "/at"
add_sensors = true

[[mqtt.subscriptions]]
topic = "plain/+"
watts = ""
"#;

#[test]
#[ignore = "needs mosquitto"]
fn a_device_that_is_described_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["p"], METER);
    let serving = house.subscribed(&broker);
    // The age of a retained message without a time is unknown; an unusable message is logged once.
    let retained = r#"{"now":{"power":9},"total":1}"#;
    broker.publish_with("meters/attic/pump/state", retained, &["-r"]);
    let dated = r#"{"now":{"power":"1.5"},"total":4.56,"at":"2026-01-05T10:00:00"}"#;
    broker.publish_with("meters/cellar/pump/state", dated, &["-r"]);
    for _ in 0..3 {
        broker.publish("plain/p", "on");
        broker.publish("plain/unknown", "5");
    }
    broker.publish("plain/p", "12.5");
    assert_eq!(
        house.wait_for("pump of cellar", 1),
        [(
            "2026-01-05T10:00:00.000Z".to_owned(),
            Some(1_500.0),
            Some(4_560.0)
        )]
    );
    assert_eq!(measures(&house, "p", 1), [(Some(12.5), None)]);
    // It came while the service listened, so it is new, retained or not.
    assert_eq!(measures(&house, "pump of attic", 1).len(), 1);
    let added = house
        .sensors()
        .into_iter()
        .find(|row| row["sensor_id"] == "pump of attic")
        .unwrap();
    assert_eq!(
        (&added["role"], &added["register"]),
        (&"sub-meter".into(), &"counter".into())
    );
    // Home Assistant has it from the broker.
    assert_eq!(added["home_assistant"], false);
    let log = serving.stop();
    assert_eq!(
        log.matches("\"plain/p\" is not used: expected JSON or a number")
            .count(),
        1,
        "{log}"
    );
    assert_eq!(
        log.matches("\"plain/unknown\" is not used").count(),
        1,
        "{log}"
    );
    // Retained messages come again at each start: the old one without a time is no reading.
    let serving = house.subscribed(&broker);
    broker.publish("plain/p", "13");
    assert_eq!(measures(&house, "p", 2)[1], (Some(13.0), None));
    assert_eq!(house.readings("pump of attic").len(), 1);
    assert_eq!(house.readings("pump of cellar").len(), 1);
    serving.stop();
}

const PARTS: &str = r#"
[[mqtt.subscriptions]]
preset = "dsmr-reader"
add_sensors = true

[[mqtt.subscriptions]]
preset = "rtl_433"

[[mqtt.subscriptions]]
sensor = "{1}"
watts = "phases/+/l1# + phases/+/l2# - phases/+/pv#?"
"#;

#[test]
#[ignore = "needs mosquitto"]
fn sums_over_topics_and_ids_from_messages_by_mosquitto() {
    let broker = Mosquitto::start();
    // The tariff that stands still was sent long ago: the broker has retained it.
    let tariff = |way: &str, number: u8| format!("dsmr/reading/electricity_{way}_{number}");
    broker.publish_with(&tariff("delivered", 1), "12972.117", &["-r"]);
    let house = House::new(broker.port, &["board", "CM180-545"], PARTS);
    let serving = house.subscribed(&broker);
    broker.publish(&tariff("delivered", 2), "14730.900");
    broker.publish(&tariff("returned", 1), "00746.379");
    broker.publish(&tariff("returned", 2), "01722.431");
    broker.publish("dsmr/reading/electricity_currently_returned", "0.25");
    broker.publish(
        "rtl_433/pi/events",
        r#"{"time":"2022-10-25T20:32:05Z","model":"CM180","id":545,"power_W":230,"energy_kWh":307.120}"#,
    );
    for (part, payload) in [
        ("l1", "100"),
        ("l2", "unavailable"),
        ("l2", "20.5 W"),
        ("pv", "null"),
        ("l2", "21"),
    ] {
        broker.publish(&format!("phases/board/{part}"), payload);
    }
    assert_eq!(measures(&house, "dsmr", 1), [(None, Some(27_703_017.0))]);
    assert_eq!(
        measures(&house, "dsmr-export", 2),
        [(None, Some(2_468_810.0)), (Some(250.0), None)]
    );
    assert_eq!(
        measures(&house, "CM180-545", 1),
        [(Some(230.0), Some(307_120.0))]
    );
    assert_eq!(measures(&house, "board", 1), [(Some(121.0), None)]);
    // The meter of the utility is certain, so its sensors were added in their roles.
    let role = |sensor: &str| {
        let sensors = house.sensors();
        let found = sensors.iter().find(|row| row["sensor_id"] == sensor);
        found.unwrap()["role"].as_str().unwrap().to_owned()
    };
    assert_eq!(role("dsmr"), "grid-import");
    assert_eq!(role("dsmr-export"), "grid-export");
    let log = serving.stop();
    assert!(!log.contains("is not used"), "{log}");
}

/// An authority, a certificate of `localhost` by it, and the password of `meter`.
pub(crate) fn make_certificates(dir: &std::path::Path) {
    let made = std::process::Command::new("sh")
        .current_dir(dir)
        .arg("-c")
        .arg(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2 \
             && openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out csr.pem -subj /CN=localhost \
             && printf 'subjectAltName=DNS:localhost' > ext \
             && openssl x509 -req -in csr.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out cert.pem \
             && mosquitto_passwd -b -c passwords meter hunter2 && chmod 644 *",
        )
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}

#[test]
#[ignore = "needs mosquitto"]
fn tls_and_a_password_to_mosquitto() {
    let dir = tempfile::tempdir().unwrap();
    make_certificates(dir.path());
    let ca = dir.path().join("ca.pem");
    let tls = "allow_anonymous false\npassword_file DIR/passwords\ncafile DIR/ca.pem\ncertfile DIR/cert.pem\nkeyfile DIR/key.pem\n";
    let broker = Mosquitto::start_in(dir, tls);
    let settings = |ca: &str| {
        format!(
            "user = \"meter\"\npassword_file = \"password\"\nca_file = {ca:?}\n[[mqtt.subscriptions]]\ntopic = \"plain/+\"\nwatts = \"\""
        )
    };
    let house = House::new(broker.port, &["p"], &settings(ca.to_str().unwrap()));
    house.place.file("password", b"hunter2\n");
    let config = house.path("config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let with_tls = text.replace("mqtt://127.0.0.1", "mqtts://localhost");
    std::fs::write(&config, &with_tls).unwrap();
    let serving = house.subscribed(&broker);
    let mut publish = std::process::Command::new("mosquitto_pub");
    publish.args([
        "-h",
        "localhost",
        "-p",
        &broker.port.to_string(),
        "-q",
        "1",
        "-t",
        "plain/p",
        "-m",
        "7",
    ]);
    publish
        .args(["-u", "meter", "-P", "hunter2", "--cafile"])
        .arg(&ca);
    assert!(publish.status().unwrap().success());
    assert_eq!(measures(&house, "p", 1), [(Some(7.0), None)]);
    assert!(!serving.stop().contains("hunter2"));
    // A wrong password and an untrusted certificate are logged, and the service keeps running.
    house.place.file("password", b"wrong\n");
    for (text, said) in [
        (with_tls.clone(), "mqtt.user or the password is wrong"),
        (
            with_tls.replace(ca.to_str().unwrap(), ""),
            "cannot speak TLS with mqtts://localhost",
        ),
    ] {
        std::fs::write(&config, text).unwrap();
        let refused = broker.log().matches("not authorised").count();
        let failed = broker.log().matches("OpenSSL Error").count();
        let serving = house.serve();
        eventually("the refusal", || {
            let log = broker.log();
            (log.matches("not authorised").count() > refused
                || log.matches("OpenSSL Error").count() > failed)
                .then_some(())
        });
        house.upload(&serving, "p", 1.0);
        serving.wait_for(said);
        serving.stop();
    }
}
