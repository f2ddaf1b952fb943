use super::*;
use crate::domain::PowerUnit;
use crate::ingest::Quantity;

/// Without the zeros of exports, which no device here has.
fn used(preset: Preset, topic: &str, payload: &str) -> Vec<ReadRow> {
    let mut rows = read(preset, topic, payload);
    rows.retain(|(sensor, watts, ..)| !sensor.ends_with("-export") || *watts != Some(0.0));
    rows
}

#[test]
fn zigbee2mqtt() {
    let used = |topic: &str, payload: &str| used(Preset::Zigbee2mqtt, topic, payload);
    let plug = r#"{"child_lock":"UNLOCK","current":0.26,"energy":123.45,"indicator_mode":"off/on","last_seen":"2024-02-03T04:05:06.000Z",
        "linkquality":127,"power":60,"power_outage_memory":"restore","state":"ON","voltage":232}"#;
    let time = Some("2024-02-03T04:05:06.000Z");
    for name in ["washing machine", "kitchen/oven", "Betáp"] {
        assert_eq!(
            used(&format!("zigbee2mqtt/{name}"), plug),
            [row(name, Some(60.0), Some(123_450.0), time)]
        );
    }
    // last_seen as ISO_8601_local, as epoch, and switched off, which is the default; energy not yet
    // known.
    let local = r#"{"power":0,"energy":null,"last_seen":"2024-02-03T05:05:06+01:00"}"#;
    let epoch = r#"{"power":0,"last_seen":1706933106000}"#;
    for payload in [local, epoch] {
        assert_eq!(
            used("zigbee2mqtt/p", payload),
            [row("p", Some(0.0), None, time)]
        );
    }
    assert_eq!(
        used("zigbee2mqtt/p", r#"{"energy":1.5}"#),
        [row("p", None, Some(1_500.0), None)]
    );
    let thermometer = r#"{"battery":97,"humidity":51.2,"temperature":20.8}"#;
    assert!(used("zigbee2mqtt/t", thermometer).is_empty());
    // Topics that do not come from a device.
    for topic in [
        "bridge/devices",
        "p/set",
        "p/get",
        "p/availability",
        "kitchen/p/set",
    ] {
        assert!(
            used(&format!("zigbee2mqtt/{topic}"), plug).is_empty(),
            "{topic}"
        );
    }
}

#[test]
fn zigbee2mqtt_with_channels() {
    let used = |payload: &str| used(Preset::Zigbee2mqtt, "zigbee2mqtt/m", payload);
    let two = r#"{"ac_frequency_l1":49.94,"energy_l1":2.056,"energy_l2":0.006,"power_l1":8,"power_l2":-5,
        "produced_energy_l1":0,"produced_energy_l2":1.5,"state_l1":"ON"}"#;
    assert_eq!(
        used(two),
        [
            row("m-l1", Some(8.0), Some(2_056.0), None),
            row("m-l2", Some(0.0), Some(6.0), None),
            row("m-l2-export", Some(5.0), Some(1_500.0), None)
        ]
    );
    let phases =
        r#"{"power":1200,"power_phase_b":400,"power_phase_c":-3,"energy":5,"energy_produced":1}"#;
    assert_eq!(
        used(phases)[0],
        row("m", Some(1_200.0), Some(5_000.0), None)
    );
    let mut talk = Talk::new(Preset::Zigbee2mqttPhases);
    let found = talk.read("zigbee2mqtt/m", phases);
    assert_eq!(found[0], row("m", Some(1_597.0), Some(5_000.0), None));
}

#[test]
fn zigbee2mqtt_with_the_direction_in_a_field_of_its_own() {
    let read = |payload: &str| read(Preset::Zigbee2mqtt, "zigbee2mqtt/m", payload);
    for (payload, sensor, watts) in [
        (r#"{"power":60,"energy_flow":"producing"}"#, "m", -60.0),
        (r#"{"power":60,"energy_flow":"consuming"}"#, "m", 60.0),
        (r#"{"power":-60,"energy_flow":"producing"}"#, "m", -60.0),
        (r#"{"power":-60,"energy_flow":"sign"}"#, "m", -60.0),
        (
            r#"{"power_a":60,"energy_flow_a":"producing"}"#,
            "m-a",
            -60.0,
        ),
        (
            r#"{"power_l2":60,"energy_flow_l2":"Producing"}"#,
            "m-l2",
            -60.0,
        ),
    ] {
        assert_eq!(read(payload), both(sensor, watts, None), "{payload}");
    }
}

#[test]
fn esphome() {
    let unit = |text: &str| Some(Quantity::of_unit(text).map_or(TextUnit::Other, TextUnit::Of));
    let read = |name: &str, payload: &str, unit| {
        let topic = format!("fridge/sensor/{name}/state");
        let mut rows = Talk::new(Preset::Esphome).read_in(&topic, payload, unit);
        rows.retain(|(sensor, watts, ..)| !sensor.ends_with("-export") || *watts != Some(0.0));
        rows
    };
    for (name, payload, announced, watts, watthours) in [
        ("power", "85.5", "W", Some(85.5), None),
        ("power", "1.2", "kW", Some(1_200.0), None),
        ("energy", "500", "Wh", None, Some(500.0)),
        ("total_energy", "1200.5", "kWh", None, Some(1_200_500.0)),
    ] {
        let found = read(name, payload, unit(announced));
        assert_eq!((found[0].1, found[0].2), (watts, watthours), "{name}");
        // There is no usual unit.
        assert!(read(name, payload, None).is_empty(), "{name}");
    }
    // A name may end like that of a power.
    assert!(read("battery_power", "5", unit("%")).is_empty());
    assert!(read("power", "5", unit("kWh")).is_empty());
    for (name, payload) in [
        ("power", "nan"),
        ("power", "None"),
        ("energy_d", "70.688"),
        ("daily_energy", "70.688"),
        ("apparent_power", "5"),
        ("temperature", "21.5"),
    ] {
        assert!(read(name, payload, unit("W")).is_empty(), "{name}");
    }
    // A prefix with more levels, and a unit chosen by a person.
    let units = PresetUnits {
        watts: Some(PowerUnit::Kilowatts),
        ..PresetUnits::default()
    };
    let mut talk = Talk::with(Preset::Esphome, "esphome/devices/+/sensor", "{1}", units);
    let topic = "esphome/devices/fridge/sensor/power/state";
    let found = talk.read(topic, "1.5");
    assert_eq!(found[0], row("fridge", Some(1_500.0), None, None));
    let found = talk.read_in(topic, "1.5", unit("W"));
    assert_eq!(found[0], row("fridge", Some(1.5), None, None));
}

#[test]
fn rtl_433() {
    let read = |payload: &str| read(Preset::Rtl433, "rtl_433/pi/events", payload);
    let plug = r#"{"time":"@0.828520s","model":"Revolt-NC5462","id":545,"voltage_V":232,"current_A":0.000,"frequency_Hz":50,
        "power_W":0.000,"power_factor_VA":0.000,"energy_kWh":307.120,"button":0,"mic":"CHECKSUM"}"#;
    assert_eq!(
        read(plug),
        [row("Revolt-NC5462-545", Some(0.0), Some(307_120.0), None)]
    );
    // With -M time:iso:utc.
    let utc = plug.replace("@0.828520s", "2022-10-25T20:32:05Z");
    assert_eq!(read(&utc)[0].3.as_deref(), Some("2022-10-25T20:32:05.000Z"));
    let clamps = r#"{"model":"Oregon-CM180i","id":7,"power1_W":100,"power2_W":20,"power3_W":3,"energy_kWh":1.5}"#;
    assert_eq!(read(clamps)[0].1, Some(123.0));
    // Not registers: a mean power, and a count whose unit only the meter knows.
    let optical = r#"{"model":"Efergy-Optical","id":1,"pulses":5,"energy_kWh":0.5}"#;
    let count = r#"{"time" : "2022-10-25 20:32:05", "model" : "ERT-SCM", "id" : 4198071, "ert_type" : 5, "consumption_data" : 5200778, "mic" : "CRC"}"#;
    for payload in [optical, count, r#"{"model":"Door"}"#] {
        assert!(read(payload).is_empty(), "{payload}");
    }
}

#[test]
fn openhab() {
    let read = |payload: &str| read(Preset::Openhab, "openhab/out/House_Power/state", payload);
    assert_eq!(
        read("123.4 W"),
        [row("House_Power", Some(123.4), None, None)]
    );
    assert_eq!(
        read("1.5 kWh"),
        [row("House_Power", None, Some(1_500.0), None)]
    );
    for other in ["21.5 °C", "5", "NULL", "UNDEF"] {
        assert!(read(other).is_empty(), "{other}");
    }
}
