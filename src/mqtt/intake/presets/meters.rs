//! Meters of the utility, and their readers.
//!
//! Formats: DSMR-reader (dsmr-reader.readthedocs.io, MQTT), dsmr2mqtt
//! (github.com/hansij66/dsmr2mqtt), homewizard-p1-mqtt (github.com/oh2th/homewizard-p1-mqtt), the
//! AMS reader (github.com/UtilitechAS/amsreader-firmware, its JSON and its raw topics),
//! tibber-pulse-bot (github.com/0Bu/tibber-pulse-bot), Glow (docs.glowmarkt.com, local MQTT),
//! IAMMETER (iammeter.com, the JSON values of its energy meters).

use super::row::{BACK, BOTH, FORTH, KW, KWH, NumberRow, Sheet, W, WH, power, register, sheet};
use crate::ingest::DeviceKind;

/// A sheet of the utility's meter, with a time.
fn meter(levels: &str, time: &'static str, rows: Vec<NumberRow>) -> Vec<Sheet> {
    vec![sheet(DeviceKind::UtilityMeter, levels, rows).at(time)]
}

/// Two tariffs each way, as JSON and also on separate topics, where only changes are sent.
pub(super) fn dsmr_reader() -> Vec<Sheet> {
    let rows = |before: &str, after: &str| {
        let at = |name: &str| format!("{before}electricity_{name}{after}");
        let both = |way: &str| format!("{} + {}", at(&format!("{way}_1")), at(&format!("{way}_2")));
        vec![
            power(FORTH, KW, at("currently_delivered")),
            power(BACK, KW, at("currently_returned")),
            register(FORTH, KWH, both("delivered")),
            register(BACK, KWH, both("returned")),
        ]
    };
    let json = meter("json", "/timestamp", rows("/", ""));
    let topics = sheet(DeviceKind::UtilityMeter, "reading", rows("", "#"));
    json.into_iter().chain([topics]).collect()
}

pub(super) fn dsmr2mqtt() -> Vec<Sheet> {
    let rows = vec![
        power(FORTH, W, "/p_consumed"),
        power(BACK, W, "/p_generated"),
        register(FORTH, WH, "/el_consumed"),
        register(BACK, WH, "/el_returned"),
    ];
    meter("", "/timestamp", rows)
}

pub(super) fn homewizard_p1_mqtt() -> Vec<Sheet> {
    let rows = vec![
        power(BOTH, W, "/active_power_w"),
        register(FORTH, KWH, "/total_power_import_kwh"),
        register(BACK, KWH, "/total_power_export_kwh"),
    ];
    meter("", "", rows)
}

/// `P` and `PO` are never below 0. The shortest list has no `PO`: then the export is unknown.
/// Registers are sent once an hour, and as 0 if the meter does not send them.
pub(super) fn amsreader() -> Vec<Sheet> {
    let json = vec![
        power(FORTH, W, "/data/P").or("/P"),
        power(BACK, W, "/data/PO").or("/PO"),
        register(FORTH, KWH, "/data/tPI").or("/tPI").above(0.0),
        register(BACK, KWH, "/data/tPO").or("/tPO").above(0.0),
    ];
    let raw = vec![
        power(FORTH, W, "import/active#"),
        power(BACK, W, "export/active#"),
        register(FORTH, KWH, "import/active/accumulated#").above(0.0),
        register(BACK, KWH, "export/active/accumulated#").above(0.0),
    ];
    let raw = sheet(DeviceKind::UtilityMeter, "meter", raw);
    meter("", "/t", json).into_iter().chain([raw]).collect()
}

pub(super) fn tibber_pulse_bot() -> Vec<Sheet> {
    let rows = vec![
        power(BOTH, W, "power_total#"),
        register(FORTH, WH, "energy_import_total#"),
        register(BACK, WH, "energy_export_total#"),
    ];
    vec![sheet(DeviceKind::UtilityMeter, "", rows)]
}

/// While Glow knows no power, it sends -8388.608 kW. The registers are 0 then.
pub(super) fn glow() -> Vec<Sheet> {
    let rows = vec![
        power(BOTH, KW, "/electricitymeter/power/value").above(-8_388_000.0),
        register(FORTH, KWH, "/electricitymeter/energy/import/cumulative").above(0.0),
        register(BACK, KWH, "/electricitymeter/energy/export/cumulative").above(0.0),
    ];
    meter(
        "SENSOR/electricitymeter",
        "/electricitymeter/timestamp",
        rows,
    )
}

/// A row for each phase: V, A, W, kWh imported, kWh exported. If there is a fourth row, it has the
/// sums.
pub(super) fn iammeter() -> Vec<Sheet> {
    let column = |number: u32| {
        let phases = [0, 1, 2].map(|phase| format!("/Datas/{phase}/{number}"));
        (
            format!("/Datas/3/{number}"),
            phases.join(" + "),
            format!("/Data/{number}"),
        )
    };
    let any = |row: fn(String) -> NumberRow, number| {
        let (sum, phases, single) = column(number);
        row(sum).or(phases).or(single)
    };
    let rows = vec![
        any(|at| power(BOTH, W, at), 2),
        any(|at| register(FORTH, KWH, at), 3),
        any(|at| register(BACK, KWH, at), 4),
    ];
    vec![sheet(DeviceKind::Meter, "", rows)]
}
