//! Inverters, batteries, chargers, and their managers.
//!
//! Formats: OpenDTU (opendtu.solar, MQTT topics), AhoyDTU (github.com/lumapu/ahoy, its manual),
//! evcc (docs.evcc.io, MQTT API), Venus OS (github.com/victronenergy/dbus-flashmq and the wiki of
//! venus, dbus), SolarAssistant (as observed by its users; the vendor has no description).

use super::row::{BACK, BOTH, FORTH, KWH, Sheet, W, power, register, sheet};
use crate::ingest::DeviceKind;
use crate::ingest::devices::channel::Channel;

/// Channel 0 of an inverter is its AC side, and contains the sum of the others. Its register is 0
/// after a restart of either.
pub(super) fn opendtu() -> Vec<Sheet> {
    let rows = vec![
        power(FORTH, W, "0/power#"),
        register(FORTH, KWH, "0/yieldtotal#").above(0.0),
    ];
    vec![sheet(DeviceKind::Inverter, "", rows)]
}

/// The same, as plain numbers or as JSON with a time. The register is 0 at night.
pub(super) fn ahoydtu() -> Vec<Sheet> {
    let plain = vec![
        power(FORTH, W, "P_AC#"),
        register(FORTH, KWH, "YieldTotal#").above(0.0),
    ];
    let json = vec![
        power(FORTH, W, "/P_AC"),
        register(FORTH, KWH, "/YieldTotal").above(0.0),
    ];
    vec![
        sheet(DeviceKind::Inverter, "ch0", plain),
        sheet(DeviceKind::Inverter, "ch0", json).at("/ts"),
    ]
}

/// Before version 0.133, the grid and the battery had other names. A charging battery has power
/// below 0; since version 0.315, its `energy` is the discharged energy, and `returnEnergy` the
/// charged energy. Both are sums, and 0 while no battery reports.
pub(super) fn evcc() -> Vec<Sheet> {
    let grid = vec![
        power(BOTH, W, "grid/power#").or("gridPower#"),
        register(FORTH, KWH, "grid/energy#").or("gridEnergy#"),
        register(BACK, KWH, "grid/returnEnergy#"),
    ];
    let panels = vec![
        power(FORTH, W, "pv/+/power#"),
        register(FORTH, KWH, "pv/+/energy#"),
    ];
    let battery = vec![
        power(BOTH, W, "-battery/power#").or("-batteryPower#"),
        register(FORTH, KWH, "battery/returnEnergy#").above(0.0),
        register(BACK, KWH, "battery/energy#")
            .or("batteryEnergy#")
            .above(0.0),
    ];
    let chargers = vec![
        power(FORTH, W, "+/chargePower#"),
        register(FORTH, KWH, "+/chargeTotalImport#"),
    ];
    [
        (
            DeviceKind::UtilityMeter,
            "site",
            Channel::Part("grid", None),
            grid,
        ),
        (
            DeviceKind::Inverter,
            "site",
            Channel::Part("pv", Some(0)),
            panels,
        ),
        (
            DeviceKind::Battery,
            "site",
            Channel::Part("battery", None),
            battery,
        ),
        (
            DeviceKind::Charger,
            "loadpoints",
            Channel::Part("loadpoint", Some(0)),
            chargers,
        ),
    ]
    .into_iter()
    .map(|(kind, levels, channel, rows)| {
        let rows = rows.into_iter().map(|row| row.of(channel.clone()));
        let sheet = sheet(kind, levels, rows.collect());
        match kind {
            DeviceKind::Battery => sheet
                .charged_at("battery/soc#", channel.clone())
                .charged_at("batterySoc#", channel),
            _ => sheet,
        }
    })
    .collect()
}

/// `{"value": 5}` on a topic for each number. A charging battery has power above 0; no register of
/// a battery is documented.
pub(super) fn victron() -> Vec<Sheet> {
    let grid = vec![
        power(BOTH, W, "grid/+/Ac/Power#/value"),
        register(FORTH, KWH, "grid/+/Ac/Energy/Forward#/value"),
        register(BACK, KWH, "grid/+/Ac/Energy/Reverse#/value"),
    ];
    let panels = vec![
        power(FORTH, W, "pvinverter/+/Ac/Power#/value"),
        register(FORTH, KWH, "pvinverter/+/Ac/Energy/Forward#/value"),
    ];
    let battery = vec![power(BOTH, W, "system/0/Dc/Battery/Power#/value")];
    [
        (
            DeviceKind::UtilityMeter,
            Channel::Part("grid", Some(0)),
            grid,
        ),
        (DeviceKind::Inverter, Channel::Part("pv", Some(0)), panels),
        (DeviceKind::Battery, Channel::Part("battery", None), battery),
    ]
    .into_iter()
    .map(|(kind, channel, rows)| {
        let rows = rows.into_iter().map(|row| row.of(channel.clone()));
        let sheet = sheet(kind, "", rows.collect());
        match kind {
            DeviceKind::Battery => sheet.charged_at("system/0/Dc/Battery/Soc#/value", channel),
            _ => sheet,
        }
    })
    .collect()
}

/// The sums of all inverters. A charging battery has power above 0.
pub(super) fn solar_assistant() -> Vec<Sheet> {
    let grid = vec![
        power(BOTH, W, "grid_power/state#"),
        register(FORTH, KWH, "grid_energy_in/state#"),
        register(BACK, KWH, "grid_energy_out/state#"),
    ];
    let panels = vec![register(FORTH, KWH, "pv_energy/state#")];
    let battery = vec![
        power(BOTH, W, "battery_power/state#"),
        register(FORTH, KWH, "battery_energy_in/state#"),
        register(BACK, KWH, "battery_energy_out/state#"),
    ];
    [
        (DeviceKind::UtilityMeter, "grid", grid),
        (DeviceKind::Inverter, "pv", panels),
        (DeviceKind::Battery, "battery", battery),
    ]
    .into_iter()
    .map(|(kind, name, rows)| {
        let channel = Channel::Part(name, None);
        let rows = rows.into_iter().map(|row| row.of(channel.clone()));
        let sheet = sheet(kind, "total", rows.collect());
        match kind {
            DeviceKind::Battery => sheet.charged_at("battery_state_of_charge/state#", channel),
            _ => sheet,
        }
    })
    .collect()
}
