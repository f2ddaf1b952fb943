use super::*;

/// Without the zeros of exports, which no device here has.
fn used(preset: Preset, topic: &str, payload: &str) -> Vec<ReadRow> {
    let mut rows = read(preset, topic, payload);
    rows.retain(|(sensor, watts, watthours, _)| {
        !sensor.ends_with("-export") || watts.or(*watthours) != Some(0.0)
    });
    rows
}

#[test]
fn first_generation() {
    let used = |topic: &str, payload: &str| used(Preset::ShellyGen1, topic, payload);
    // A Plug S: power in W, energy in watt-minutes.
    assert_eq!(
        used("shellies/shellyplug-s-041AB2/relay/0/power", "42.37"),
        [row("shellyplug-s-041AB2", Some(42.37), None, None)]
    );
    assert_eq!(
        used("shellies/shellyplug-s-041AB2/relay/0/energy", "8190"),
        [row("shellyplug-s-041AB2", None, Some(136.5), None)]
    );
    // An RGBW2 as four white channels; a Shelly 2 as a relay.
    assert_eq!(
        used("shellies/shellyrgbw2-0A/white/3/power", "7.5"),
        [row("shellyrgbw2-0A-4", Some(7.5), None, None)]
    );
    assert_eq!(
        used("shellies/shellyswitch-0B/relay/energy", "60"),
        [row("shellyswitch-0B", None, Some(1.0), None)]
    );
    // An EM: power in W, total and total_returned in Wh.
    let em = "shellies/shellyem-123456789012/emeter/0";
    let read =
        |name: &str, payload: &str| read(Preset::ShellyGen1, &format!("{em}/{name}"), payload);
    assert_eq!(
        read("power", "611.53"),
        both("shellyem-123456789012", 611.53, None)
    );
    assert_eq!(
        read("total", "1891.9"),
        [row("shellyem-123456789012", None, Some(1_891.9), None)]
    );
    assert_eq!(
        read("total_returned", "53.0"),
        [row("shellyem-123456789012-export", None, Some(53.0), None)]
    );
    assert!(read("voltage", "231.2").is_empty());
    assert!(read("energy", "12").is_empty());
}

#[test]
fn three_phases_of_the_first_generation() {
    let mut talk = Talk::new(Preset::ShellyGen1ThreePhases);
    let mut read = |phase: u32, name: &str, payload: &str| {
        talk.read(
            &format!("shellies/shellyem3-B1/emeter/{phase}/{name}"),
            payload,
        )
    };
    assert!(read(0, "power", "250.5").is_empty());
    assert!(read(1, "power", "-312.55").is_empty());
    let [_, export] = both("shellyem3-B1", -12.05, None);
    assert_eq!(read(2, "power", "50")[1], export);
    for (phase, total) in [(0, "21831.1"), (1, "5.5")] {
        assert!(read(phase, "total", total).is_empty());
        assert!(read(phase, "total_returned", "53.0").is_empty());
    }
    assert_eq!(
        read(2, "total", "100"),
        [row("shellyem3-B1", None, Some(21_936.6), None)]
    );
    assert_eq!(
        read(2, "total_returned", "0.0"),
        [row("shellyem3-B1-export", None, Some(106.0), None)]
    );
}

#[test]
fn loads_of_later_generations() {
    let used = |topic: &str, payload: &str| used(Preset::Shelly, topic, payload);
    // A Plus Plug S.
    let plug = r#"{"src":"shellyplusplugs-b0b21c1a2b3c","dst":"shellyplusplugs-b0b21c1a2b3c/events","method":"NotifyStatus",
        "params":{"ts":1701430260.52,"switch:0":{"id":0,"aenergy":{"by_minute":[54.2,53.9,54.0],"minute_ts":1701430259,
        "total":11.679},"apower":3.2,"current":0.04}}}"#;
    assert_eq!(
        used("shellyplusplugs-b0b21c1a2b3c/events/rpc", plug),
        [row(
            "shellyplusplugs-b0b21c1a2b3c",
            Some(3.2),
            Some(11.679),
            Some("2023-12-01T11:31:00.520Z")
        )]
    );
    // A PM Mini: both registers come together.
    let pm = r#"{"src":"shellyplugpmg3-907069531520","method":"NotifyStatus","params":{"ts":1783004880.01,"pm1:0":{
        "aenergy":{"by_minute":[0,0,0],"minute_ts":1783004880,"total":1},"apower":27,"current":0.123,"freq":50.01,
        "ret_aenergy":{"by_minute":[0,0,0],"minute_ts":1783004880,"total":0},"voltage":233.3}}}"#;
    assert_eq!(used("pm/events/rpc", pm)[0].2, Some(1.0));
    // Exported energy is in both registers.
    let panel = r#"{"id":0, "source":"HTTP_in", "output":true, "apower":-25.7, "voltage":239.7, "freq":50.2, "current":0.188,
        "aenergy":{"total":913.252,"by_minute":[404.631,404.631,404.631],"minute_ts":1782936360},
        "ret_aenergy":{"total":900.1,"by_minute":[0.000,0.000,0.000],"minute_ts":1782936360},"temperature":{"tC":68.1, "tF":154.6}}"#;
    assert_eq!(
        used("shelly1pmminig3-a0/status/switch:0", panel),
        [
            row("shelly1pmminig3-a0", Some(0.0), Some(13.152), None),
            row("shelly1pmminig3-a0-export", Some(25.7), Some(900.1), None)
        ]
    );
    let cover = r#"{"params":{"ts":1678018620.04,"cover:0":{"id":0,"aenergy":{"by_minute":[0.000,0.000,0.000],
        "minute_ts":1678018619,"total":0.000}}}}"#;
    let time = Some("2023-03-05T12:17:00.040Z");
    assert_eq!(
        used("c/events/rpc", cover),
        [row("c", None, Some(0.0), time)]
    );
    // The components with a light have the same fields (gen2, RGB, RGBW, CCT, RGBCCT, Light).
    for part in ["light", "rgb", "rgbw", "cct", "rgbcct"] {
        let lamp =
            r#"{"id":1,"brightness":3.00,"output":true,"apower":4.5,"aenergy":{"total":17.5}}"#;
        assert_eq!(
            used(&format!("l/status/{part}:1"), lamp),
            [row("l-2", Some(4.5), Some(17.5), None)]
        );
    }
    // A light without a meter, a pressed button, a device that does not know the time yet.
    let dark = r#"{"params":{"light:0":{"id":0,"brightness":3.00,"output":false,"source":"ui"}}}"#;
    assert!(used("a/events/rpc", dark).is_empty());
    let event = r#"{"src":"a","method":"NotifyEvent","params":{"ts":1701430320,"events":[{"component":"input:0","event":"single_push"}]}}"#;
    assert!(used("a/events/rpc", event).is_empty());
    let early = r#"{"method":"NotifyStatus","params":{"ts":12.5,"pm1:0":{"id":0,"apower":7}}}"#;
    assert_eq!(
        used("a/events/rpc", early),
        [row("a", Some(7.0), None, Some("1970-01-01T00:00:12.500Z"))]
    );
}

#[test]
fn meters_of_later_generations() {
    let read = |topic: &str, payload: &str| read(Preset::Shelly, topic, payload);
    // A Pro 3EM: power each second, the registers once a minute.
    let power = r#"{"src":"shellypro3em-1234567890ab","dst":"aiida/events","method":"NotifyStatus","params":{"ts":1757059829.08,
        "em:0":{"id":0,"a_act_power":0,"c_act_power":-18,"n_current":null,"total_act_power":-18.017,"total_aprt_power":108.708,
        "total_current":0.531}}}"#;
    assert_eq!(
        read("shellypro3em/events/rpc", power),
        both("shellypro3em", -18.017, Some("2025-09-05T08:10:29.080Z"))
    );
    let register = r#"{"src":"shellypro3em-1234567890ab","method":"NotifyStatus","params":{"ts":1757060280.21,"emdata:0":{"id":0,
        "a_total_act_energy":0.06,"a_total_act_ret_energy":0,"c_total_act_ret_energy":131881.85,"total_act":26289.57,
        "total_act_ret":131881.86}}}"#;
    let time = Some("2025-09-05T08:18:00.210Z");
    assert_eq!(
        read("shellypro3em/events/rpc", register),
        [
            row("shellypro3em", None, Some(26_289.57), time),
            row("shellypro3em-export", None, Some(131_881.86), time)
        ]
    );
    // A Pro EM-50: two meters; and the same as the status of each.
    let two = r#"{"src":"shellyproem50-a1","method":"NotifyStatus","params":{"ts":1701430320,
        "em1:1":{"id":1,"current":22.780,"voltage":224.6,"act_power":5080.3},
        "em1data:1":{"id":1,"total_act_energy":6644.90,"total_act_ret_energy":2595.26}}}"#;
    let time = Some("2023-12-01T11:32:00.000Z");
    assert_eq!(
        read("shellyproem50-a1/events/rpc", two),
        [
            row("shellyproem50-a1-2", Some(5_080.3), Some(6_644.9), time),
            row("shellyproem50-a1-2-export", Some(0.0), Some(2_595.26), time)
        ]
    );
    assert_eq!(
        read(
            "shellyproem50-a1/status/em1data:1",
            r#"{"id":1,"total_act_energy":6644.90,"total_act_ret_energy":2595.26}"#
        ),
        [
            row("shellyproem50-a1-2", None, Some(6_644.9), None),
            row("shellyproem50-a1-2-export", None, Some(2_595.26), None)
        ]
    );
}
