use super::*;

#[test]
fn opendtu() {
    let read = |topic: &str, payload: &str| read(Preset::Opendtu, topic, payload);
    assert_eq!(
        read("solar/114182912345/0/power", "216.4"),
        [row("114182912345", Some(216.4), None, None)]
    );
    assert_eq!(
        read("solar/114182912345/0/yieldtotal", "13.338"),
        [row("114182912345", None, Some(13_338.0), None)]
    );
    // Zeros after a restart; a panel, which is part of it; a counter that resets each day; the sum
    // of all, which loses parts.
    for (topic, payload) in [
        ("114182912345/0/yieldtotal", "0"),
        ("114182912345/1/yieldtotal", "5.5"),
        ("114182912345/0/yieldday", "216"),
        ("ac/yieldtotal", "13.338"),
        ("ac/power", "0.0"),
    ] {
        assert!(
            read(&format!("solar/{topic}"), payload).is_empty(),
            "{topic}"
        );
    }
}

#[test]
fn ahoydtu() {
    let read = |topic: &str, payload: &str| read(Preset::Ahoydtu, topic, payload);
    assert_eq!(
        read("inverter/garage/ch0/P_AC", "71.000"),
        [row("garage", Some(71.0), None, None)]
    );
    assert_eq!(
        read("inverter/garage/ch0/YieldTotal", "465.294"),
        [row("garage", None, Some(465_294.0), None)]
    );
    assert!(read("inverter/garage/ch0/YieldTotal", "0").is_empty());
    assert!(read("inverter/garage/ch1/YieldTotal", "5").is_empty());
    assert!(read("inverter/total/YieldTotal", "5").is_empty());
    let json = r#"{"ts":1690000000,"U_AC":233.3,"P_AC":71.0,"YieldDay":51,"YieldTotal":465.294}"#;
    assert_eq!(
        read("inverter/garage/ch0", json),
        [row(
            "garage",
            Some(71.0),
            Some(465_294.0),
            Some("2023-07-22T04:26:40.000Z")
        )]
    );
}

#[test]
fn evcc() {
    let read = |topic: &str, payload: &str| read(Preset::Evcc, &format!("evcc/{topic}"), payload);
    assert_eq!(
        read("site/grid/power", "386.04"),
        both("evcc-grid", 386.04, None)
    );
    assert_eq!(
        read("site/gridPower", "-386.04"),
        both("evcc-grid", -386.04, None)
    );
    for topic in ["site/grid/energy", "site/gridEnergy"] {
        assert_eq!(
            read(topic, "54050.6"),
            [row("evcc-grid", None, Some(54_050_600.0), None)]
        );
    }
    assert_eq!(
        read("site/grid/returnEnergy", "1.5"),
        [row("evcc-grid-export", None, Some(1_500.0), None)]
    );
    assert_eq!(
        read("site/pv/2/power", "120"),
        [row("evcc-pv-2", Some(120.0), None, None)]
    );
    assert_eq!(
        read("site/pv/2/energy", "7"),
        [row("evcc-pv-2", None, Some(7_000.0), None)]
    );
    // Discharging is above 0 here.
    assert_eq!(
        read("site/battery/power", "500"),
        both("evcc-battery", -500.0, None)
    );
    assert_eq!(
        read("site/battery/power", "-0"),
        both("evcc-battery", 0.0, None)
    );
    assert_eq!(
        read("site/battery/returnEnergy", "1431.787"),
        [row("evcc-battery", None, Some(1_431_787.0), None)]
    );
    for topic in ["site/battery/energy", "site/batteryEnergy"] {
        assert_eq!(
            read(topic, "1210.5"),
            [row("evcc-battery-export", None, Some(1_210_500.0), None)]
        );
        assert!(read(topic, "0").is_empty(), "{topic}");
    }
    assert!(read("site/battery/returnEnergy", "0").is_empty());
    assert_eq!(
        read("loadpoints/1/chargePower", "3680"),
        [row("evcc-loadpoint-1", Some(3_680.0), None, None)]
    );
    assert_eq!(
        read("loadpoints/1/chargeTotalImport", "54050.600"),
        [row("evcc-loadpoint-1", None, Some(54_050_600.0), None)]
    );
    // When it ends, it empties all topics.
    assert!(read("site/grid/energy", "").is_empty());
    assert!(read("site/homePower", "900").is_empty());
}

#[test]
fn victron() {
    let read =
        |topic: &str, payload: &str| read(Preset::Victron, &format!("N/c0619ab1/{topic}"), payload);
    assert_eq!(
        read("grid/30/Ac/Power", r#"{"value": -936}"#),
        both("victron-grid-30", -936.0, None)
    );
    assert_eq!(
        read(
            "grid/30/Ac/Energy/Forward",
            r#"{"max":1,"min":0,"value":1234.5}"#
        ),
        [row("victron-grid-30", None, Some(1_234_500.0), None)]
    );
    assert_eq!(
        read("grid/30/Ac/Energy/Reverse", r#"{"value":2.5}"#),
        [row("victron-grid-30-export", None, Some(2_500.0), None)]
    );
    assert_eq!(
        read("pvinverter/20/Ac/Power", r#"{"value":1500}"#),
        [row("victron-pv-20", Some(1_500.0), None, None)]
    );
    assert_eq!(
        read("pvinverter/20/Ac/Energy/Forward", r#"{"value":77}"#),
        [row("victron-pv-20", None, Some(77_000.0), None)]
    );
    assert_eq!(
        read("system/0/Dc/Battery/Power", r#"{"value":-250}"#),
        both("victron-battery", -250.0, None)
    );
    // Absent, gone, a phase.
    assert!(read("grid/30/Ac/Power", r#"{"value": null}"#).is_empty());
    assert!(read("grid/30/Ac/Power", "").is_empty());
    assert!(read("grid/30/Ac/L1/Power", r#"{"value":5}"#).is_empty());
}

#[test]
fn solar_assistant() {
    let read = |name: &str, payload: &str| {
        read(
            Preset::SolarAssistant,
            &format!("solar_assistant/{name}/state"),
            payload,
        )
    };
    assert_eq!(
        read("total/grid_power", "1140"),
        both("solar-assistant-grid", 1_140.0, None)
    );
    assert_eq!(
        read("total/grid_energy_in", "1000"),
        [row("solar-assistant-grid", None, Some(1_000_000.0), None)]
    );
    assert_eq!(
        read("total/grid_energy_out", "129.9"),
        [row(
            "solar-assistant-grid-export",
            None,
            Some(129_900.0),
            None
        )]
    );
    assert_eq!(
        read("total/pv_energy", "129.9"),
        [row("solar-assistant-pv", None, Some(129_900.0), None)]
    );
    assert_eq!(
        read("total/battery_power", "65"),
        both("solar-assistant-battery", 65.0, None)
    );
    assert_eq!(
        read("total/battery_energy_out", "1"),
        [row(
            "solar-assistant-battery-export",
            None,
            Some(1_000.0),
            None
        )]
    );
    assert!(read("inverter_1/grid_power", "0").is_empty());
}

#[test]
fn batteries_have_a_state_of_charge() {
    let at = |sensor: &str, percent| vec![(sensor.to_owned(), percent)];
    for topic in ["evcc/site/battery/soc", "evcc/site/batterySoc"] {
        let evcc = charges(Preset::Evcc, topic, "64.5");
        assert_eq!(evcc, at("evcc-battery", 64.5), "{topic}");
        for nothing in ["", "-1", "101", "nan", "{}"] {
            assert!(charges(Preset::Evcc, topic, nothing).is_empty());
        }
    }
    let topic = "N/c0619ab1/system/0/Dc/Battery/Soc";
    let victron = charges(Preset::Victron, topic, r#"{"value":80}"#);
    assert_eq!(victron, at("victron-battery", 80.0));
    assert!(charges(Preset::Victron, topic, r#"{"value":null}"#).is_empty());
    let topic = "solar_assistant/total/battery_state_of_charge/state";
    let charge = charges(Preset::SolarAssistant, topic, "12 %");
    assert_eq!(charge, at("solar-assistant-battery", 12.0));
    // Of a car.
    assert!(charges(Preset::Evcc, "evcc/loadpoints/1/vehicleSoc", "50").is_empty());
}
