//! Shelly: the first generation (shelly-api-docs.shelly.cloud/gen1, MQTT) and later ones
//! (shelly-api-docs.shelly.cloud/gen2, notifications and the status of each component).

use super::row::{BACK, BOTH, FORTH, NumberRow, Sheet, W, WH, power, register, sheet};
use crate::domain::EnergyUnit;
use crate::ingest::DeviceKind;
use crate::ingest::devices::channel::Channel;

/// The most channels of a later Shelly.
const CHANNELS: u32 = 4;

/// Relays, rollers and lights count watt-minutes, from 0 after each restart; meters count Wh,
/// separately each way.
pub(super) fn first_generation() -> Vec<Sheet> {
    let channel = Channel::Wildcard(0);
    let minutes = EnergyUnit::WattMinutes;
    let switches = ["relay", "roller", "light", "white"].map(|part| {
        let rows = vec![
            power(FORTH, W, format!("{part}/+/power#")).of(channel.clone()),
            register(FORTH, minutes, format!("{part}/+/energy#")).of(channel.clone()),
        ];
        sheet(DeviceKind::Plug, "", rows)
    });
    // The Shelly 2 as a relay has one meter for both.
    let both = vec![
        power(FORTH, W, "relay/power#"),
        register(FORTH, minutes, "relay/energy#"),
    ];
    let meter = vec![
        power(BOTH, W, "emeter/+/power#").of(channel.clone()),
        register(FORTH, WH, "emeter/+/total#").of(channel.clone()),
        register(BACK, WH, "emeter/+/total_returned#").of(channel),
    ];
    let mut sheets = Vec::from(switches);
    sheets.push(sheet(DeviceKind::Plug, "", both));
    sheets.push(sheet(DeviceKind::Meter, "", meter));
    sheets
}

/// The phases of a 3EM, added up. Each phase counts separately, so energy that one imports while
/// another exports is in both registers.
pub(super) fn three_phases() -> Vec<Sheet> {
    let sum = |name: &str| {
        [0, 1, 2]
            .map(|phase| format!("emeter/{phase}/{name}#"))
            .join(" + ")
    };
    let rows = vec![
        power(BOTH, W, sum("power")),
        register(FORTH, WH, sum("total")),
        register(BACK, WH, sum("total_returned")),
    ];
    vec![sheet(DeviceKind::Meter, "", rows)]
}

/// Components with a switch or a load. Exported energy is in both of their registers (gen2, Switch,
/// `ret_aenergy`; for PM1 as seen in home-assistant/core#137306), so it is subtracted.
const LOADS: [&str; 8] = [
    "switch", "cover", "light", "pm1", "rgb", "rgbw", "cct", "rgbcct",
];

/// Notifications under `events/rpc`, with their time, and the status of each component under
/// `status/...`, without a time.
pub(super) fn later() -> Vec<Sheet> {
    let events = |kind, rows: Vec<NumberRow>| sheet(kind, "events/rpc", rows).at("/params/ts");
    let channels = || 0..CHANNELS;
    let loads = channels().flat_map(|n| {
        LOADS
            .into_iter()
            .flat_map(move |part| load(n, &format!("/params/{part}:{n}"), ""))
    });
    let meters = channels().flat_map(|n| meter(n, "/params/", ""));
    let mut sheets = vec![
        events(DeviceKind::Plug, loads.collect()),
        events(DeviceKind::Meter, meters.collect()),
    ];
    let status = channels().flat_map(|n| {
        let loads = LOADS.map(|part| {
            let rows = load(n, "", &format!("{part}:{n}#"));
            sheet(DeviceKind::Plug, "status", Vec::from(rows))
        });
        let meters = sheet(
            DeviceKind::Meter,
            "status",
            Vec::from(meter(n, "", "status")),
        );
        loads.into_iter().chain([meters])
    });
    sheets.extend(status);
    sheets
}

/// The component at `path` of a message, below `topic`.
fn load(n: u32, path: &str, topic: &str) -> [NumberRow; 3] {
    let at = |name: &str| format!("{topic}{path}/{name}");
    let returned = at("ret_aenergy/total");
    let rows = [
        power(BOTH, W, at("apower")),
        register(FORTH, WH, format!("{} - {returned}?", at("aenergy/total"))),
        register(BACK, WH, returned),
    ];
    rows.map(|row| row.of(Channel::Number(n)))
}

/// Meters: power and registers are separate components.
fn meter(n: u32, path: &str, topic: &str) -> [NumberRow; 6] {
    let at = |part: &str, name: &str| {
        if topic.is_empty() {
            format!("{path}{part}:{n}/{name}")
        } else {
            format!("{part}:{n}#/{name}")
        }
    };
    let rows = [
        power(BOTH, W, at("em1", "act_power")),
        register(FORTH, WH, at("em1data", "total_act_energy")),
        register(BACK, WH, at("em1data", "total_act_ret_energy")),
        power(BOTH, W, at("em", "total_act_power")),
        register(FORTH, WH, at("emdata", "total_act")),
        register(BACK, WH, at("emdata", "total_act_ret")),
    ];
    rows.map(|row| row.of(Channel::Number(n)))
}
