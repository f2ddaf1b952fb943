//! Tasmota: `tele/.../SENSOR` (tasmota.github.io/docs, MQTT and Smart-Meter-Interface).

use super::row::{
    BACK, BOTH, FORTH, KWH, NumberRow, PresetUnits, Sheet, W, power, register, sheet,
};
use crate::ingest::DeviceKind;

/// The group `ENERGY`: a number, or a list with one for each channel.
pub(super) fn plugs() -> Vec<Sheet> {
    let rows = vec![
        power(BOTH, W, "/ENERGY/Power"),
        // `Total` runs backwards during export (arendst/Tasmota#17178), on devices that count
        // exports.
        register(FORTH, KWH, "/ENERGY/ImportActive").or("/ENERGY/Total + /ENERGY/ExportActive?"),
        register(BACK, KWH, "/ENERGY/ExportActive"),
    ];
    vec![sheet(DeviceKind::Plug, "", rows).at("/Time")]
}

/// The names of the import register in the documented scripts, most frequent first.
const TAKEN: [&str; 9] = [
    "/Total_in",
    "/E_in",
    "/1_8_0",
    "/total_in",
    "/Total_IN",
    "/energy_imported",
    "/energy_forward",
    "/energy_import",
    "/Bezug",
];
/// The same for the export register.
const FED: [&str; 8] = [
    "/Total_out",
    "/E_out",
    "/2_8_0",
    "/total_out",
    "/energy_exported",
    "/energy_reverse",
    "/energy_export",
    "/Einspeisung",
];
/// The same for power. If there is a `Power2`, it is the export, and `Power` the import.
const POWER: [&str; 8] = [
    "/Power_curr",
    "/Power - /Power2?",
    "/Power_cur",
    "/16_7_0",
    "/curr_w",
    "/power",
    "/P",
    "/Leistung",
];

/// Meters read by a script. Each is a group; people choose its name, and those of the numbers.
pub(super) fn scripts(units: PresetUnits) -> Vec<Sheet> {
    let (watts, watthours) = (units.watts.unwrap_or(W), units.watthours.unwrap_or(KWH));
    let any = |row, others: &[&str]| {
        let others = others.iter().skip(1);
        others.fold(row, |row: NumberRow, name| row.or(*name))
    };
    let rows = vec![
        any(power(BOTH, watts, POWER[0]), &POWER),
        // Readers send 0 until the meter has reported, and occasionally later
        // (arendst/Tasmota#15212).
        any(register(FORTH, watthours, TAKEN[0]), &TAKEN).above(0.0),
        any(register(BACK, watthours, FED[0]), &FED).above(0.0),
    ];
    let sheet = sheet(DeviceKind::UtilityMeter, "", rows);
    vec![sheet.at("/Time").grouped("SML")]
}
