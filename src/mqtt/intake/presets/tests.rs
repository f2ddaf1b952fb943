//! Messages as devices send them.

use super::*;
use crate::mqtt::intake::payload;

/// A reading: sensor, watts, watt-hours, time.
type Row = (String, Option<f64>, Option<f64>, Option<String>);

fn read(preset: Preset, topic: &str, payload: &str) -> Vec<Row> {
    let filter = preset.usual_topic().parse().unwrap();
    let mappings = preset.mappings(&filter, &"{1}".parse().unwrap()).unwrap();
    let message = payload::parse(payload.as_bytes()).unwrap();
    let found = mappings
        .iter()
        .flat_map(|mapping| mapping.read(topic, &message).unwrap());
    found
        .map(|(sensor, reading)| {
            let time = reading.time.map(|time| time.to_string());
            let (watts, watthours) = (reading.measures.watts(), reading.measures.watthours());
            (sensor.to_string(), watts, watthours, time)
        })
        .collect()
}

fn row(sensor: &str, watts: Option<f64>, watthours: Option<f64>, time: Option<&str>) -> Row {
    (sensor.into(), watts, watthours, time.map(str::to_owned))
}

#[test]
fn names_round_trip() {
    for preset in Preset::ALL {
        assert_eq!(preset.as_str().parse(), Ok(preset));
        let filter: TopicFilter = preset.usual_topic().parse().unwrap();
        assert_eq!(filter.wildcards(), 1);
    }
    assert_eq!("shelly2".parse::<Preset>(), Err(UnknownPreset));
}

#[test]
fn every_pointer_of_the_tables_is_valid() {
    for preset in Preset::ALL {
        let filter = preset.usual_topic().parse().unwrap();
        let mappings = preset.mappings(&filter, &"{1}".parse().unwrap()).unwrap();
        for mapping in &mappings {
            let expected = match preset {
                Preset::Tasmota | Preset::Zigbee2mqtt => 2,
                // Each number has a topic of its own.
                Preset::ShellyGen1 => 1,
                Preset::Shelly => 2 * SHELLY_COMPONENTS.len() * 4,
            };
            assert_eq!(mapping.numbers.len(), expected);
        }
        assert_eq!(mappings[0].time.is_some(), preset != Preset::ShellyGen1);
    }
}

#[test]
fn tasmota() {
    // A plug (Gosund SP111) with Tasmota 12.
    let plug = r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"TotalStartTime":"2020-10-21T22:15:00","Total":3.705,"Yesterday":0.028,
        "Today":0.026,"Period":1,"Power":5,"ApparentPower":5,"ReactivePower":0,"Factor":1.00,"Voltage":233,"Current":0.021}}"#;
    assert_eq!(
        read(Preset::Tasmota, "tele/plug/SENSOR", plug),
        [row("plug", Some(5.0), Some(3_705.0), None)]
    );
    // With SetOption52 1 the time has its offset.
    let zoned = plug.replace("21:57:38", "21:57:38+01:00");
    assert_eq!(
        read(Preset::Tasmota, "tele/plug/SENSOR", &zoned),
        [row(
            "plug",
            Some(5.0),
            Some(3_705.0),
            Some("2022-01-11T20:57:38.000Z")
        )]
    );
    // Two channels (Shelly 2.5), the register of both by default, one each with SetOption129 1.
    let both = r#"{"Time":"2023-03-01T10:00:00","ENERGY":{"TotalStartTime":"2021-01-01T00:00:00","Total":17.954,"Yesterday":0.1,
        "Today":0.02,"Period":[0,1],"Power":[12,34],"Factor":[0.9,0.8],"Frequency":50,"Voltage":232,"Current":[0.05,0.2]},
        "ANALOG":{"Temperature":48.2},"TempUnit":"C"}"#;
    assert_eq!(
        read(Preset::Tasmota, "tele/dual/SENSOR", both),
        [
            row("dual-1", Some(12.0), None, None),
            row("dual-2", Some(34.0), None, None),
            row("dual", None, Some(17_954.0), None)
        ]
    );
    let split = both.replace("17.954", "[10.5,7.454]");
    assert_eq!(
        read(Preset::Tasmota, "tele/dual/SENSOR", &split),
        [
            row("dual-1", Some(12.0), Some(10_500.0), None),
            row("dual-2", Some(34.0), Some(7_454.0), None)
        ]
    );
    // A thermometer measures no energy.
    let thermometer =
        r#"{"Time":"2023-03-01T10:00:00","DS18B20":{"Id":"01","Temperature":20.1},"TempUnit":"C"}"#;
    assert!(read(Preset::Tasmota, "tele/t/SENSOR", thermometer).is_empty());
    assert!(read(Preset::Tasmota, "tele/plug/STATE", plug).is_empty());
}

#[test]
fn shelly_gen1() {
    let read = |topic: &str, payload: &str| read(Preset::ShellyGen1, topic, payload);
    // A Plug S: power in W, energy in watt-minutes.
    assert_eq!(
        read("shellies/shellyplug-s-041AB2/relay/0/power", "42.37"),
        [row("shellyplug-s-041AB2", Some(42.37), None, None)]
    );
    assert_eq!(
        read("shellies/shellyplug-s-041AB2/relay/0/energy", "8190"),
        [row("shellyplug-s-041AB2", None, Some(136.5), None)]
    );
    // A 3EM: power in W, total in Wh, three phases.
    assert_eq!(
        read("shellies/shellyem3-B1C2D3/emeter/2/power", "-312.55"),
        [row("shellyem3-B1C2D3-3", Some(-312.55), None, None)]
    );
    assert_eq!(
        read("shellies/shellyem3-B1C2D3/emeter/0/total", "1234567.8"),
        [row("shellyem3-B1C2D3", None, Some(1_234_567.8), None)]
    );
    assert!(read("shellies/shellyem3-B1C2D3/emeter/0/voltage", "231.2").is_empty());
    assert!(read("shellies/shellyem3-B1C2D3/emeter/0/energy", "12").is_empty());
}

#[test]
fn shelly_of_later_generations() {
    let read = |topic: &str, payload: &str| read(Preset::Shelly, topic, payload);
    // A Plus Plug S.
    let plug = r#"{"src":"shellyplusplugs-b0b21c1a2b3c","dst":"shellyplusplugs-b0b21c1a2b3c/events","method":"NotifyStatus",
        "params":{"ts":1701430260.52,"switch:0":{"id":0,"aenergy":{"by_minute":[54.2,53.9,54.0],"minute_ts":1701430259,
        "total":11.679},"apower":3.2,"current":0.04}}}"#;
    assert_eq!(
        read("shellyplusplugs-b0b21c1a2b3c/events/rpc", plug),
        [row(
            "shellyplusplugs-b0b21c1a2b3c",
            Some(3.2),
            Some(11.679),
            Some("2023-12-01T11:31:00.520Z")
        )]
    );
    // A Pro 3EM: power each second, the register once a minute.
    let power = r#"{"src":"shellypro3em-a0","dst":"shellypro3em-a0/events","method":"NotifyStatus","params":{"ts":1701430261.00,
        "em:0":{"id":0,"a_current":1.2,"a_act_power":250.1,"b_act_power":-30.0,"c_act_power":12.5,"n_current":null,
        "total_current":2.5,"total_act_power":232.6,"total_aprt_power":300.1,"user_calibrated_phase":[]}}}"#;
    assert_eq!(
        read("shellypro3em-a0/events/rpc", power),
        [row(
            "shellypro3em-a0",
            Some(232.6),
            None,
            Some("2023-12-01T11:31:01.000Z")
        )]
    );
    let register = r#"{"src":"shellypro3em-a0","dst":"shellypro3em-a0/events","method":"NotifyStatus","params":{"ts":1701430320.00,
        "emdata:0":{"id":0,"a_total_act_energy":1000.1,"a_total_act_ret_energy":0.0,"total_act":2413825.82,"total_act_ret":12.5}}}"#;
    assert_eq!(
        read("shellypro3em-a0/events/rpc", register),
        [row(
            "shellypro3em-a0",
            None,
            Some(2_413_825.82),
            Some("2023-12-01T11:32:00.000Z")
        )]
    );
    // A Pro EM-50: two meters.
    let two = r#"{"src":"shellyproem50-a1","method":"NotifyStatus","params":{"ts":1701430320,"em1:0":{"id":0,"act_power":10.5},
        "em1:1":{"id":1,"act_power":-20},"em1data:1":{"id":1,"total_act_energy":77.5,"total_act_ret_energy":5}}}"#;
    assert_eq!(
        read("shellyproem50-a1/events/rpc", two),
        [
            row(
                "shellyproem50-a1",
                Some(10.5),
                None,
                Some("2023-12-01T11:32:00.000Z")
            ),
            row(
                "shellyproem50-a1-2",
                Some(-20.0),
                Some(77.5),
                Some("2023-12-01T11:32:00.000Z")
            )
        ]
    );
    // A button was pressed; a device that does not know the time yet.
    let event = r#"{"src":"a","method":"NotifyEvent","params":{"ts":1701430320,"events":[{"component":"input:0","event":"single_push"}]}}"#;
    assert!(read("a/events/rpc", event).is_empty());
    let early = r#"{"method":"NotifyStatus","params":{"ts":12.5,"pm1:0":{"id":0,"apower":7}}}"#;
    assert_eq!(
        read("a/events/rpc", early),
        [row("a", Some(7.0), None, None)]
    );
}

#[test]
fn zigbee2mqtt() {
    let plug = r#"{"child_lock":"UNLOCK","current":0.26,"energy":123.45,"indicator_mode":"off/on","last_seen":"2024-02-03T04:05:06.000Z",
        "linkquality":127,"power":60,"power_outage_memory":"restore","state":"ON","voltage":232}"#;
    assert_eq!(
        read(Preset::Zigbee2mqtt, "zigbee2mqtt/washing machine", plug),
        [row(
            "washing machine",
            Some(60.0),
            Some(123_450.0),
            Some("2024-02-03T04:05:06.000Z")
        )]
    );
    // last_seen as ISO_8601_local, as epoch, and switched off, which is the default; nothing known of the energy yet.
    let local = r#"{"power":0,"energy":null,"last_seen":"2024-02-03T05:05:06+01:00"}"#;
    let epoch = r#"{"power":0,"last_seen":1706933106000}"#;
    for payload in [local, epoch] {
        assert_eq!(
            read(Preset::Zigbee2mqtt, "zigbee2mqtt/p", payload),
            [row("p", Some(0.0), None, Some("2024-02-03T04:05:06.000Z"))]
        );
    }
    assert_eq!(
        read(Preset::Zigbee2mqtt, "zigbee2mqtt/p", r#"{"energy":1.5}"#),
        [row("p", None, Some(1_500.0), None)]
    );
    let thermometer = r#"{"battery":97,"humidity":51.2,"temperature":20.8}"#;
    assert!(read(Preset::Zigbee2mqtt, "zigbee2mqtt/t", thermometer).is_empty());
}
