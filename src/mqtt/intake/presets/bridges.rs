//! What passes on the messages of other devices.
//!
//! Formats: Zigbee2MQTT (www.zigbee2mqtt.io, MQTT topics and messages, and `advanced.last_seen`; the names of its converters),
//! ESPHome (esphome.io, MQTT client component), `rtl_433` (`github.com/merbanan/rtl_433`, its MQTT output and decoders), openHAB
//! (its MQTT event bus, `statePublishTopic`).

use super::row::{
    BACK, BOTH, FORTH, KWH, NumberRow, PresetUnits, Sheet, W, power, register, sheet, with_unit,
};
use crate::ingest::DeviceKind;
use crate::mqtt::intake::channel::Channel;

/// Endings of the numbers of devices with several channels.
const ENDPOINTS: [&str; 14] = [
    "l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8", "left", "right", "center", "a", "b", "c",
];

/// Names may contain `/`, so all that is below the topic is the name of a device, or an order to one.
pub(super) fn zigbee2mqtt() -> Vec<Sheet> {
    let mut rows: Vec<NumberRow> = vec![
        // Where there are phases, the plain name is the first of them.
        power(BOTH, W, "/power + /power_phase_b? + /power_phase_c?"),
        register(FORTH, KWH, "/energy"),
        register(BACK, KWH, "/produced_energy").or("/energy_produced"),
    ];
    for ending in ENDPOINTS {
        let of_endpoint = [
            power(BOTH, W, format!("/power_{ending}")),
            register(FORTH, KWH, format!("/energy_{ending}")),
            register(BACK, KWH, format!("/produced_energy_{ending}"))
                .or(format!("/energy_produced_{ending}")),
        ];
        rows.extend(of_endpoint.map(|row| row.of(Channel::Part(ending, None))));
    }
    let sheet = sheet(DeviceKind::Plug, "", rows).at("/last_seen");
    vec![sheet.without_topics(&["bridge/", "/availability", "/set", "/get"])]
}

/// A plain number for each sensor of a node. Its message says neither what it is nor in which unit, but its name may.
pub(super) fn esphome(units: PresetUnits) -> Vec<Sheet> {
    let (watts, watthours) = (units.watts.unwrap_or(W), units.watthours.unwrap_or(KWH));
    let rows = vec![
        power(BOTH, watts, "+/state#").of(Channel::Stem(0, "power")),
        register(FORTH, watthours, "+/state#").of(Channel::Stem(0, "energy")),
    ];
    vec![sheet(DeviceKind::Unknown, "", rows)]
}

/// One topic for all devices; the decoder and the id in the message tell them apart.
pub(super) fn rtl_433() -> Vec<Sheet> {
    let rows = vec![
        power(FORTH, W, "/power_W").or("/power1_W + /power2_W + /power3_W"),
        register(FORTH, KWH, "/energy_kWh").or("/total_kWh"),
    ];
    let sheet = sheet(DeviceKind::Meter, "", rows).at("/time");
    // Its `energy_kWh` is no register, and comes five times, for meters of different pulses.
    vec![sheet.without("model", &["Efergy-Optical"])]
}

/// The state of each item. Only one with a unit of power or energy counts.
pub(super) fn openhab() -> Vec<Sheet> {
    vec![sheet(DeviceKind::Unknown, "", vec![with_unit("")])]
}
