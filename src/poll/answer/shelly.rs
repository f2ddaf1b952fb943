//! Shellys. Later generations: `Shelly.GetStatus`, all components with their status. First
//! generation: `/status`.

use serde_json::Value;

use super::{DeviceAnswer, some};
use crate::domain::number::to_millionth;
use crate::ingest::DeviceKind;
use crate::poll::channel::{MAX_CHANNELS, PolledChannel};
use crate::poll::error::PollError;

/// Components that meter both directions separately: the place of the power in W, and of the two
/// registers in Wh.
const METERS: [[&str; 5]; 2] = [
    [
        "em",
        "total_act_power",
        "emdata",
        "total_act",
        "total_act_ret",
    ],
    [
        "em1",
        "act_power",
        "em1data",
        "total_act_energy",
        "total_act_ret_energy",
    ],
];
const PHASES: usize = 3;
/// Components whose register `aenergy` counts both directions, and `ret_aenergy` one of them.
const OUTPUTS: [&str; 8] = [
    "switch", "pm1", "cover", "light", "rgb", "rgbw", "cct", "rgbcct",
];

/// The places of the values that are read here.
pub(super) fn places() -> impl Iterator<Item = String> {
    let later = (0..MAX_CHANNELS).flat_map(|index| {
        let meters = METERS.into_iter().flat_map(move |meter| {
            let [power_of, power, register_of, register, returned] = meter;
            let at = |of: &str, name: &str| format!("/{of}:{index}/{name}");
            let registers = [register, returned].map(|name| at(register_of, name));
            registers.into_iter().chain([at(power_of, power)])
        });
        let of_output = move |output: &str| {
            let names = ["apower", "aenergy/total", "ret_aenergy/total"];
            names.map(|name| format!("/{output}:{index}/{name}"))
        };
        meters.chain(OUTPUTS.into_iter().flat_map(of_output))
    });
    let first = ["emeters", "meters"].into_iter().flat_map(|list| {
        let names = ["is_valid", "power", "total", "total_returned"];
        let of_meter = move |index| names.map(|name| format!("/{list}/{index}/{name}"));
        (0..MAX_CHANNELS).flat_map(of_meter)
    });
    later.chain(first)
}

/// A Shelly of the second or a later generation.
pub(in crate::poll) fn later(answer: DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError> {
    let mut channels: Vec<PolledChannel> = Vec::new();
    for index in 0..MAX_CHANNELS {
        for [power_of, power, register_of, register, returned] in METERS {
            let register_at = |name| answer.number(&format!("/{register_of}:{index}/{name}"));
            add(
                &mut channels,
                PolledChannel {
                    number: index,
                    kind: DeviceKind::Meter,
                    watts: answer.number(&format!("/{power_of}:{index}/{power}")),
                    register: register_at(register),
                    returned: register_at(returned),
                },
            );
        }
        for output in OUTPUTS {
            let at = |name: &str| answer.checked_number(&format!("/{output}:{index}/{name}"));
            let returned = at("ret_aenergy/total");
            let both = at("aenergy/total").unwrap_or_default();
            // Also unknown while the part to be subtracted cannot be read.
            let forward = both.zip(returned.as_ref().ok());
            let forward = forward.map(|(both, returned)| both - returned.unwrap_or(0.0));
            let forward = forward.map(|forward| to_millionth(forward).max(0.0));
            add(
                &mut channels,
                PolledChannel {
                    number: index,
                    kind: DeviceKind::Plug,
                    watts: at("apower").unwrap_or_default(),
                    register: forward,
                    returned: returned.unwrap_or_default(),
                },
            );
        }
    }
    some(channels)
}

/// Adds a channel with values. Of two components with the same number, a meter takes precedence
/// over the relay in it.
fn add(channels: &mut Vec<PolledChannel>, channel: PolledChannel) {
    let is_taken = channels.iter().any(|other| other.number == channel.number);
    if !channel.is_empty() && !is_taken {
        channels.push(channel);
    }
}

/// A 3EM of the first generation as one meter: its phases, added up. Each phase counts separately,
/// so energy that one imports while another exports is in both registers.
pub(in crate::poll) fn three_phases(
    answer: DeviceAnswer<'_>,
) -> Result<Vec<PolledChannel>, PollError> {
    let phases = first(answer)?;
    if phases.len() != PHASES {
        return Err(PollError::NoNumbers);
    }
    let sum = |of: fn(&PolledChannel) -> Option<f64>| {
        let numbers: Option<Vec<f64>> = phases.iter().map(of).collect();
        numbers.map(|numbers| to_millionth(numbers.iter().sum()))
    };
    some(vec![PolledChannel {
        number: 0,
        kind: DeviceKind::Meter,
        watts: sum(|phase| phase.watts),
        register: sum(|phase| phase.register),
        returned: sum(|phase| phase.returned),
    }])
}

/// A Shelly of the first generation: `emeters` with registers in Wh, or `meters` with one in
/// watt-minutes.
pub(in crate::poll) fn first(answer: DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError> {
    let (list, kind, per_watthour) = match answer.at("/emeters") {
        Some(emeters) => (Some(emeters), DeviceKind::Meter, 1.0),
        None => (answer.at("/meters"), DeviceKind::Plug, 60.0),
    };
    let list = list
        .and_then(DeviceAnswer::elements)
        .ok_or(PollError::NoNumbers)?;
    let mut channels = Vec::new();
    for (index, meter) in list.take(MAX_CHANNELS).enumerate() {
        let watthours = |place: &str| {
            let counted = meter.number(place);
            counted.map(|counted| to_millionth(counted / per_watthour))
        };
        // Its values are not measured then.
        if meter.json.get("is_valid") == Some(&Value::Bool(false)) {
            continue;
        }
        add(
            &mut channels,
            PolledChannel {
                number: index,
                kind,
                watts: meter.number("/power"),
                register: watthours("/total"),
                returned: watthours("/total_returned"),
            },
        );
    }
    some(channels)
}

#[cfg(test)]
mod tests {
    use serde_json::{from_str, json};

    use super::*;
    use crate::poll::answer::tests::read;

    fn channel(number: usize, watts: f64, register: f64) -> PolledChannel {
        PolledChannel {
            number,
            kind: DeviceKind::Plug,
            watts: Some(watts),
            register: Some(register),
            returned: None,
        }
    }

    #[test]
    fn a_meter_of_three_phases_has_both_directions() {
        // A Pro 3EM with firmware 1.1.0.
        let json = r#"{"em:0":{"a_act_power":375.5,"b_act_power":170.8,"c_act_power":12.7,"id":0,"n_current":null,"total_act_power":558.965,"total_aprt_power":882.413},
            "emdata:0":{"a_total_act_energy":2034616.71,"id":0,"total_act":2589773.39,"total_act_ret":1026.61},
            "sys":{"time":"18:28","unixtime":1707326927}}"#;
        let expected = PolledChannel {
            kind: DeviceKind::Meter,
            returned: Some(1_026.61),
            ..channel(0, 558.965, 2_589_773.39)
        };
        assert_eq!(read(later, &from_str(json).unwrap()), Ok(vec![expected]));
    }

    #[test]
    fn a_meter_of_single_phases_has_a_channel_for_each() {
        // A Pro 3EM in its profile `monophase`; its relay has no meter.
        let json = json!({
            "em1:0": {"id": "0", "current": 1.473, "act_power": -332.2},
            "em1data:0": {"id": "0", "total_act_energy": 1264.15, "total_act_ret_energy": 144_792.28},
            "em1:2": {"act_power": null, "errors": ["power_meter_failure"]},
            "em1data:2": {"total_act_energy": 7, "total_act_ret_energy": 0},
            "switch:0": {"id": 0, "output": false},
        });
        let channels = read(later, &json).unwrap();
        assert_eq!(channels[0].watts, Some(-332.2));
        assert_eq!(channels[0].returned, Some(144_792.28));
        assert_eq!(
            channels[1],
            PolledChannel {
                number: 2,
                kind: DeviceKind::Meter,
                watts: None,
                register: Some(7.0),
                returned: Some(0.0)
            }
        );
        assert_eq!(channels.len(), 2);
    }

    #[test]
    fn the_register_of_an_output_counts_both_directions() {
        // A Plug S Gen3, which knows one direction; a PM Mini Gen3; and a channel behind which
        // panels feed in.
        let json = json!({
            "switch:0": {"id": 0, "apower": 399.2, "aenergy": {"total": 2_574_466.629, "minute_ts": 1_786_033_200}},
            "pm1:1": {"apower": 1780.1, "aenergy": {"total": 3551.682}, "ret_aenergy": {"total": 0.0}},
            "switch:2": {"apower": -300.5, "aenergy": {"total": 1000.0}, "ret_aenergy": {"total": 900.0}},
        });
        let channels = read(later, &json).unwrap();
        assert_eq!(channels[0], channel(0, 399.2, 2_574_466.629));
        assert_eq!(channels[1].register, Some(3_551.682));
        assert_eq!(channels[1].returned, Some(0.0));
        assert_eq!(channels[2].register, Some(100.0));
        assert_eq!(channels[2].returned, Some(900.0));
    }

    #[test]
    fn a_device_without_a_meter_is_another_one() {
        let json = json!({"switch:0": {"output": true}, "sys": {"uptime": 5}});
        assert_eq!(read(later, &json), Err(PollError::NoNumbers));
    }

    #[test]
    fn phases_are_added_up() {
        // A Shelly 3EM, firmware 1.10 or later.
        let mut json = json!({"emeters": [
            {"power": 51.08, "pf": 0.27, "is_valid": true, "total": 1_686_297.2, "total_returned": 428_958.4},
            {"power": 155.02, "is_valid": true, "total": 878_905.6, "total_returned": 4.1},
            {"power": 6.75, "is_valid": true, "total": 206_151.1, "total_returned": 0.0}], "total_power": 212.85});
        let expected = PolledChannel {
            kind: DeviceKind::Meter,
            returned: Some(428_962.5),
            ..channel(0, 212.85, 2_771_353.9)
        };
        assert_eq!(read(three_phases, &json), Ok(vec![expected]));
        // Two of three phases do not make a sum.
        json["emeters"][1]["is_valid"] = json!(false);
        assert_eq!(read(three_phases, &json), Err(PollError::NoNumbers));
        json["emeters"][1] = json!({"is_valid": true, "power": 155.02});
        let channels = read(three_phases, &json).unwrap();
        assert_eq!(
            (channels[0].watts, channels[0].register),
            (Some(212.85), None)
        );
    }

    #[test]
    fn the_first_generation_counts_watt_minutes_or_watthours() {
        // A Shelly 1PM, a Shelly EM, a Shelly 1 with a configured power.
        let plug = json!({"meters": [{"power": 4711.12, "is_valid": true, "timestamp": 1_676_138_370, "total": 6_472_513}]});
        let channels = read(first, &plug).unwrap();
        assert_eq!(channels[0].watts, Some(4_711.12));
        assert_eq!(channels[0].register, Some(107_875.216_667));
        assert_eq!(channels[0].kind, DeviceKind::Plug);
        let em = json!({"emeters": [
            {"power": -620.34, "is_valid": true, "total": 401_472.9, "total_returned": 653_673.7},
            {"power": 0.0, "is_valid": false, "total": 0, "total_returned": 0},
            {"power": 6.75, "is_valid": true, "total": 206_151.1, "total_returned": 0.0}],
            "meters": [{"power": 1, "total": 1}]});
        let channels = read(first, &em).unwrap();
        assert_eq!(channels.len(), 2);
        assert_eq!(channels[0].kind, DeviceKind::Meter);
        assert_eq!(channels[0].returned, Some(653_673.7));
        assert_eq!(channels[1].number, 2);
        let configured = json!({"meters": [{"power": 81.5, "is_valid": true}]});
        assert_eq!(read(first, &configured).unwrap()[0].register, None);
    }
}
