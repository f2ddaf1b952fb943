//! Each preset with an answer that a device gave.

use std::time::Duration;

use super::device::{Device, ok};
use super::house::{PolledHouse, metrics, section};
use crate::mqtt::house::eventually;

/// A Pro 3EM, firmware 1.1.0, shortened.
const PRO_3EM: &str = r#"{"em:0":{"a_act_power":375.5,"b_act_power":170.8,"c_act_power":12.7,"id":0,"n_current":null,"total_act_power":558.965,"user_calibrated_phase":[]},"emdata:0":{"a_total_act_energy":2034616.71,"b_total_act_ret_energy":40.7,"id":0,"total_act":2589773.39,"total_act_ret":1026.61},"sys":{"mac":"AABBCCDDEEFF","time":null,"unixtime":null}}"#;
/// A 2PM Gen3 as two switches: nothing behind the first ever fed back, behind the second a panel
/// does.
const TWO_SWITCHES: &str = r#"{"switch:0":{"id":0,"output":true,"apower":0.0,"aenergy":{"total":110.046,"by_minute":[0,0,0]},"ret_aenergy":{"total":0.0}},"switch:1":{"id":1,"output":true,"apower":-250.0,"aenergy":{"total":5000.0},"ret_aenergy":{"total":4000.0}}}"#;
const SHELLY_EM: &str = r#"{"emeters":[{"power":-620.34,"reactive":714.48,"pf":-0.66,"voltage":235.68,"is_valid":true,"total":401472.9,"total_returned":653673.7},{"power":0.00,"is_valid":true,"total":173411.3,"total_returned":294.2}],"unixtime":1676110566}"#;
const P1: &str = r#"{"smr_version":50,"meter_model":"Landis + Gyr","active_tariff":2,"total_power_import_kwh":18664.997,"total_power_import_t1_kwh":10909.724,"total_power_import_t2_kwh":7755.273,"total_power_export_kwh":13823.608,"active_power_w":203.000,"total_gas_m3":5175.363}"#;
const FRONIUS_METER: &str = r#"{"Body":{"Data":{"0":{"Details":{"Model":"Smart Meter 63A"},"Enable":1,"EnergyReal_WAC_Minus_Absolute":35623065,"EnergyReal_WAC_Plus_Absolute":15303334,"EnergyReal_WAC_Sum_Consumed":15303334,"EnergyReal_WAC_Sum_Produced":35623065,"Meter_Location_Current":0,"PowerReal_P_Sum":5592.57,"TimeStamp":1633977078,"Visible":1}}},"Head":{"Status":{"Code":0,"Reason":"","UserMessage":""},"Timestamp":"2021-10-11T20:31:18+02:00"}}"#;
const FRONIUS_INVERTER: &str = r#"{"Body":{"Data":{"DAY_ENERGY":{"Unit":"Wh","Value":1113},"DeviceStatus":{"ErrorCode":0,"StatusCode":7},"PAC":{"Unit":"W","Value":1190},"TOTAL_ENERGY":{"Unit":"Wh","Value":44188000}}},"Head":{"Status":{"Code":0,"Reason":"","UserMessage":""},"Timestamp":"2021-10-07T10:01:17+02:00"}}"#;

#[test]
fn shellys_and_homewizard() {
    let (meter, switches) = (Device::with(PRO_3EM), Device::with(TWO_SWITCHES));
    let (em, p1) = (Device::with(SHELLY_EM), Device::with(P1));
    let added = "add_sensors = true";
    let house = PolledHouse::new(
        &[
            "grid",
            "grid-export",
            "plug-2-export",
            "em-export",
            "em-2-export",
        ],
        &[
            section("shelly", meter.address, "grid", ""),
            section("shelly", switches.address, "plug", added),
            section("shelly-gen1", em.address, "em", added),
            section(
                "homewizard",
                p1.address,
                "p1",
                "add_sensors = true\naccount = \"home\"",
            ),
        ],
    );
    let serving = house.serve();
    let readings = [
        ("grid", 558.965, 2_589_773.39),
        ("grid-export", 0.0, 1_026.61),
        ("plug", 0.0, 110.046),
        ("plug-2", 0.0, 1_000.0),
        ("plug-2-export", 250.0, 4_000.0),
        ("em", 0.0, 401_472.9),
        ("em-export", 620.34, 653_673.7),
        ("em-2", 0.0, 173_411.3),
        ("em-2-export", 0.0, 294.2),
        ("p1", 203.0, 18_664_997.0),
        ("p1-export", 0.0, 13_823_608.0),
    ];
    house.check_first(&readings);
    // No sensor for a direction without any flow.
    assert_eq!(house.sensors().len(), readings.len());
    house.check_added(&[
        ("plug-2", "sub-meter"),
        ("em", "sub-meter"),
        ("p1", "grid-import"),
        ("p1-export", "grid-export"),
    ]);
    let metrics = metrics(&serving);
    for device in ["grid", "plug", "em", "p1"] {
        let line = format!("wattkeeper_poll_failures_total{{device=\"{device}\"}} 0\n");
        assert!(metrics.contains(&line), "{metrics}");
    }
    assert!(metrics.contains("wattkeeper_received_readings_total{protocol=\"poll\"}"));
    let log = serving.stop();
    assert!(!log.contains("WARN"), "{log}");
    // The path of each is that of the documents.
    let path = |device: &Device| device.requests()[0].1.lines().next().unwrap().to_owned();
    assert_eq!(path(&meter), "GET /rpc/Shelly.GetStatus HTTP/1.1");
    assert_eq!(path(&em), "GET /status HTTP/1.1");
    assert_eq!(path(&p1), "GET /api/v1/data HTTP/1.1");
}

#[test]
fn a_meter_and_an_inverter_behind_one_address() {
    let fronius = Device::start(|head| {
        ok(if head.contains("GetMeter") {
            FRONIUS_METER
        } else {
            FRONIUS_INVERTER
        })
    });
    let added = "add_sensors = true";
    let unit = "add_sensors = true\nunit = 2";
    let house = PolledHouse::new(
        &[],
        &[
            section("fronius-meter", fronius.address, "smart", added),
            section("fronius-inverter", fronius.address, "roof", unit),
        ],
    );
    let serving = house.serve();
    house.check_first(&[
        ("smart", 5_592.57, 15_303_334.0),
        ("smart-export", 0.0, 35_623_065.0),
        ("roof", 1_190.0, 44_188_000.0),
    ]);
    house.check_added(&[
        ("smart", "grid-import"),
        ("smart-export", "grid-export"),
        ("roof", "solar"),
    ]);
    let log = serving.stop();
    assert!(!log.contains("WARN"), "{log}");
    // They are asked one after the other, with the pause that Fronius wants.
    let asked = fronius.requests();
    let (meter, inverter) = (&asked[0], &asked[1]);
    let path = "/solar_api/v1/GetMeterRealtimeData.cgi?Scope=System ";
    assert!(meter.1.contains(path), "{}", meter.1);
    let query = "DeviceId=2&DataCollection=CommonInverterData ";
    assert!(inverter.1.contains(query), "{}", inverter.1);
    let pause = inverter.0 - meter.0;
    assert!(pause >= Duration::from_secs(4), "{pause:?}");
}

#[test]
fn readings_that_cannot_be_stored_are_told_once() {
    let p1 = Device::with(P1);
    let further = "interval = \"1s\"";
    let house = PolledHouse::new(&["p1"], &[section("homewizard", p1.address, "p1", further)]);
    let serving = house.serve();
    eventually("some polls", || {
        (house.readings("p1").len() > 4).then_some(())
    });
    let unused = metrics(&serving);
    assert!(!unused.contains("wattkeeper_unused_messages_total{protocol=\"poll\"} 0\n"));
    let log = serving.stop();
    let problem = "the account home has no sensor \"p1-export\": add it with `wattkeeper sensor add`, or set add_sensors in the section [[poll]]";
    assert_eq!(log.matches(problem).count(), 1, "{log}");
    // Each poll is a second after the one before it, not sooner; the first may have been late.
    let asked = p1.requests();
    let (first, last) = (asked[0].0, asked[asked.len() - 1].0);
    let pauses = u64::try_from(asked.len()).unwrap() - 2;
    assert!(last - first >= Duration::from_secs(pauses));
}
