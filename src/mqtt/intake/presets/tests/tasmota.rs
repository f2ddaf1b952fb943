use super::*;
use crate::domain::EnergyUnit;

#[test]
fn plugs() {
    let read = |payload: &str| read(Preset::Tasmota, "tele/plug/SENSOR", payload);
    // A plug (Gosund SP111) with Tasmota 12.
    let plug = r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"TotalStartTime":"2020-10-21T22:15:00","Total":3.705,"Yesterday":0.028,
        "Today":0.026,"Period":1,"Power":5,"ApparentPower":5,"ReactivePower":0,"Factor":1.00,"Voltage":233,"Current":0.021}}"#;
    let back = |time| row("plug-export", Some(0.0), None, time);
    assert_eq!(
        read(plug),
        [row("plug", Some(5.0), Some(3_705.0), None), back(None)]
    );
    // With SetOption52 1 the time has its offset.
    let zoned = plug.replace("21:57:38", "21:57:38+01:00");
    let time = Some("2022-01-11T20:57:38.000Z");
    assert_eq!(
        read(&zoned),
        [row("plug", Some(5.0), Some(3_705.0), time), back(time)]
    );
    // A thermometer measures no energy.
    let thermometer =
        r#"{"Time":"2023-03-01T10:00:00","DS18B20":{"Id":"01","Temperature":20.1},"TempUnit":"C"}"#;
    assert!(read(thermometer).is_empty());
    assert!(super::read(Preset::Tasmota, "tele/plug/STATE", plug).is_empty());
}

#[test]
fn channels() {
    let read = |payload: &str| {
        let mut rows = read(Preset::Tasmota, "tele/dual/SENSOR", payload);
        rows.retain(|(sensor, watts, ..)| !sensor.ends_with("-export") || *watts != Some(0.0));
        rows
    };
    // Two channels (Shelly 2.5), the register of both by default, one each with SetOption129 1.
    let both = r#"{"Time":"2023-03-01T10:00:00","ENERGY":{"TotalStartTime":"2021-01-01T00:00:00","Total":17.954,"Yesterday":0.1,
        "Today":0.02,"Period":[0,1],"Power":[12,34],"Factor":[0.9,0.8],"Frequency":50,"Voltage":232,"Current":[0.05,0.2]},
        "ANALOG":{"Temperature":48.2},"TempUnit":"C"}"#;
    assert_eq!(
        read(both),
        [
            row("dual-1", Some(12.0), None, None),
            row("dual-2", Some(34.0), None, None),
            row("dual", None, Some(17_954.0), None)
        ]
    );
    let split = both.replace("17.954", "[10.5,7.454]");
    assert_eq!(
        read(&split),
        [
            row("dual-1", Some(12.0), Some(10_500.0), None),
            row("dual-2", Some(34.0), Some(7_454.0), None)
        ]
    );
}

#[test]
fn meters_of_tasmota() {
    let read = |payload: &str| read(Preset::Tasmota, "tele/m/SENSOR", payload);
    let meter = r#"{"ENERGY":{"Total":0.017,"TotalTariff":[0.000,0.017],"Today":0.002,"ExportActive":0.000,
        "ExportTariff":[0.000,0.000],"Power":0.00,"ImportActive":12.580}}"#;
    assert_eq!(
        read(meter),
        [
            row("m", Some(0.0), Some(12_580.0), None),
            row("m-export", Some(0.0), Some(0.0), None)
        ]
    );
    // A 3EM: `Total` runs backwards by the exported energy.
    let phases = r#"{"ENERGY":{"Total":0.00627,"Yesterday":-0.00006,"Today":0.00634,"ExportActive":[0.02465,0.00001,0.00001],
        "Period":[0.0,0.0,0.0],"Power":[-0.2,0.0,0.0],"Voltage":[236.9,0.1,0.1]}}"#;
    let found = read(phases);
    assert!(
        found.contains(&row("m", None, Some(30.94), None)),
        "{found:?}"
    );
    assert!(found.contains(&row("m-1-export", Some(0.2), Some(24.65), None)));
    assert!(found.contains(&row("m-1", Some(0.0), None, None)));
}

#[test]
fn scripts() {
    let read = |payload: &str| read(Preset::TasmotaSml, "tele/m/SENSOR", payload);
    let house = r#"{"Time":"2022-07-07T13:01:11","HTU21":{"Temperature":25.2,"Humidity":45.5},"SML":{"Total_in":34507.4761,
        "Total_out":14737.1422,"Power_curr":-894,"Meter_number":"0901454d48000000000"},"Gas":{"Count":1.84},"TempUnit":"C"}"#;
    assert_eq!(
        read(house),
        [
            row("m", Some(0.0), Some(34_507_476.1), None),
            row("m-export", Some(894.0), Some(14_737_142.2), None)
        ]
    );
    let iskra = r#"{"MT175":{"E_in":15503.5,"E_out":27890.3,"P":-4065.00,"L1":-1336.00,"L2":-1462.00,"L3":-1271.00}}"#;
    assert_eq!(
        read(iskra),
        [
            row("m-MT175", Some(0.0), Some(15_503_500.0), None),
            row("m-MT175-export", Some(4_065.0), Some(27_890_300.0), None)
        ]
    );
    // Separate numbers for power each way; part of a message; zeros of a reader without values yet;
    // a plug.
    let ehz = r#"{"Time":"2025-05-10T08:24:13","eHZ":{"E_in":67299.845,"E_out":50268.783,"Power":0,"Power2":4111}}"#;
    assert_eq!(
        read(ehz)[1],
        row("m-eHZ-export", Some(4_111.0), Some(50_268_783.0), None)
    );
    let part = r#"{"Time":"2026-04-18T13:56:52","MT175":{"P":-9097.0}}"#;
    assert_eq!(read(part), both("m-MT175", -9_097.0, None));
    let zeros = r#"{"SML":{"Total_in":0,"Total_out":0,"Power_curr":0}}"#;
    assert_eq!(read(zeros), both("m", 0.0, None));
    assert!(read(r#"{"ENERGY":{"Total":3.705,"Power":5}}"#).is_empty());
    let small = r#"{"SML":{"power":250,"energy_forward":1.5,"energy_reverse":0.25}}"#;
    assert_eq!(
        read(small),
        [
            row("m", Some(250.0), Some(1_500.0), None),
            row("m-export", Some(0.0), Some(250.0), None)
        ]
    );
    // A script whose meter counts Wh.
    let units = PresetUnits {
        watthours: Some(EnergyUnit::WattHours),
        ..PresetUnits::default()
    };
    let mut talk = Talk::with(Preset::TasmotaSml, "tele/+/SENSOR", "{1}", units);
    let found = talk.read("tele/m/SENSOR", r#"{"":{"1_8_0":5000,"2_8_0":7}}"#);
    assert_eq!(found[0].2, Some(5_000.0));
}
