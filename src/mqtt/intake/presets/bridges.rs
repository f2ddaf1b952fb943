//! Programs that pass on the messages of other devices.
//!
//! Formats: Zigbee2MQTT (www.zigbee2mqtt.io, MQTT topics and messages, and `advanced.last_seen`;
//! the names of its converters), ESPHome (esphome.io, MQTT client component), `rtl_433`
//! (`github.com/merbanan/rtl_433`, its MQTT output and decoders), openHAB (its MQTT event bus,
//! `statePublishTopic`).

use super::row::{
    BACK, BOTH, FORTH, KWH, NumberRow, PresetUnits, Sheet, W, announced, power, register, sheet,
    with_unit,
};
use crate::ingest::devices::channel::Channel;
use crate::ingest::{DeviceKind, Quantity};
use crate::store::Measure;

/// Suffixes of the numbers of devices with several channels.
const ENDPOINTS: [&str; 14] = [
    "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "left", "right", "center", "a", "b", "c",
];

/// Names may contain `/`, so everything below the topic is the name of a device, or a command to
/// one. `power` is the total of a device with three phases, but for some devices it is the first
/// phase (`sum`).
pub(super) fn zigbee2mqtt(sum: &str) -> Vec<Sheet> {
    let mut rows: Vec<NumberRow> = vec![
        power(BOTH, W, sum).turned_by("/energy_flow"),
        register(FORTH, KWH, "/energy"),
        register(BACK, KWH, "/produced_energy").or("/energy_produced"),
    ];
    for ending in ENDPOINTS {
        let of_endpoint = [
            power(BOTH, W, format!("/power_{ending}")).turned_by(format!("/energy_flow_{ending}")),
            register(FORTH, KWH, format!("/energy_{ending}")),
            register(BACK, KWH, format!("/produced_energy_{ending}"))
                .or(format!("/energy_produced_{ending}")),
        ];
        rows.extend(of_endpoint.map(|row| row.of(Channel::Part(ending, None))));
    }
    let sheet = sheet(DeviceKind::Plug, "", rows).at("/last_seen");
    vec![sheet.without_topics(&["bridge/", "/availability", "/set", "/get"])]
}

/// A plain number for each sensor of a node. Its name distinguishes power from energy, and the
/// announcement contains the unit. There is no usual unit: components of ESPHome count in Wh or in
/// kWh.
pub(super) fn esphome(units: PresetUnits) -> Vec<Sheet> {
    let watts = units.watts.map(Quantity::Power);
    let watthours = units.watthours.map(Quantity::Register);
    let rows = vec![
        announced(BOTH, Measure::Watts, watts, "+/state#").of(Channel::Stem(0, "power")),
        announced(FORTH, Measure::Watthours, watthours, "+/state#").of(Channel::Stem(0, "energy")),
    ];
    vec![sheet(DeviceKind::Unknown, "", rows)]
}

/// One topic for all devices; the decoder and the id in the message distinguish them.
pub(super) fn rtl_433() -> Vec<Sheet> {
    let rows = vec![
        power(FORTH, W, "/power_W").or("/power1_W + /power2_W + /power3_W"),
        register(FORTH, KWH, "/energy_kWh").or("/total_kWh"),
    ];
    let sheet = sheet(DeviceKind::Meter, "", rows).at("/time");
    // Its `energy_kWh` is not a register, and appears five times, for meters with different pulses.
    vec![sheet.without("model", &["Efergy-Optical"])]
}

/// The state of each item. Only items with a unit of power or energy count.
pub(super) fn openhab() -> Vec<Sheet> {
    vec![sheet(DeviceKind::Unknown, "", vec![with_unit("")])]
}
