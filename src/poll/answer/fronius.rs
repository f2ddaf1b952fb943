//! Fronius' Solar API v1. It always answers with status 200: the code in the answer's head counts.

use serde_json::Value;

use super::{DeviceAnswer, some};
use crate::ingest::DeviceKind;
use crate::poll::channel::{MAX_CHANNELS, PolledChannel};
use crate::poll::error::PollError;

/// The `StatusCode` of an inverter on standby, for example at night. It then leaves out its power.
const STANDBY: u64 = 3;

/// `GetMeterRealtimeData.cgi?Scope=System`: each meter is a channel.
pub(super) fn meters(answer: DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError> {
    check(answer)?;
    let channels = (0..MAX_CHANNELS).filter_map(|number| {
        let meter = answer.at(&format!("/Body/Data/{number}"))?;
        read_meter(number, meter)
    });
    some(channels.collect()).map(once_started)
}

/// The places of the values that are read here.
pub(super) fn places() -> impl Iterator<Item = String> {
    let meters = (0..MAX_CHANNELS).flat_map(|number| {
        let names = [LOCATION, VISIBLE, POWER, PLUS, MINUS].into_iter();
        let names = names.flatten();
        names.map(move |name| format!("/Body/Data/{number}{name}"))
    });
    let others = [CODE, DATA_STATUS, DATA_POWER, DATA_ENERGY];
    meters.chain(others.map(str::to_owned))
}

/// The code of an answer, and the values of an inverter.
const CODE: &str = "/Head/Status/Code";
const DATA_STATUS: &str = "/Body/Data/DeviceStatus/StatusCode";
const DATA_POWER: &str = "/Body/Data/PAC/Value";
const DATA_ENERGY: &str = "/Body/Data/TOTAL_ENERGY/Value";

fn once_started(channels: Vec<PolledChannel>) -> Vec<PolledChannel> {
    let channels = channels.into_iter();
    channels.filter_map(PolledChannel::once_started).collect()
}

/// The values of a meter: names of the Solar API, then those of a GEN24 from 2021
/// (home-assistant/core#49535).
const LOCATION: [&str; 2] = ["/Meter_Location_Current", "/SMARTMETER_VALUE_LOCATION_U16"];
const VISIBLE: [&str; 2] = ["/Visible", "/COMPONENTS_MODE_VISIBLE_U16"];
const POWER: [&str; 2] = ["/PowerReal_P_Sum", "/SMARTMETER_POWERACTIVE_MEAN_SUM_F64"];
const PLUS: [&str; 2] = [
    "/EnergyReal_WAC_Plus_Absolute",
    "/SMARTMETER_ENERGYACTIVE_ABSOLUT_PLUS_F64",
];
const MINUS: [&str; 2] = [
    "/EnergyReal_WAC_Minus_Absolute",
    "/SMARTMETER_ENERGYACTIVE_ABSOLUT_MINUS_F64",
];

/// `None` for a meter that shows nothing, is outdated, or has an unknown location.
fn read_meter(index: usize, meter: DeviceAnswer<'_>) -> Option<PolledChannel> {
    let number = |names: [&str; 2]| names.into_iter().find_map(|name| meter.number(name));
    if number(VISIBLE) == Some(0.0) {
        return None;
    }
    let (kind, is_turned) = place(number(LOCATION)?)?;
    let (watts, plus, minus) = (number(POWER), number(PLUS), number(MINUS));
    let as_is = PolledChannel {
        number: index,
        kind,
        watts,
        register: plus,
        returned: minus,
    };
    let channel = if is_turned {
        PolledChannel {
            watts: watts.map(|watts| -watts),
            register: minus,
            returned: plus,
            ..as_is
        }
    } else {
        as_is
    };
    Some(channel)
}

/// The kind of a meter at this location, and whether its flow has the opposite sign and is counted
/// as `Minus` (Solar API, 4.8.6): a load's meter does, a meter at the grid connection or of a
/// generator does not. `None` for undocumented locations.
fn place(location: f64) -> Option<(DeviceKind, bool)> {
    // Some inverters write all numbers with a decimal point.
    if location == 0.0 {
        Some((DeviceKind::UtilityMeter, false))
    } else if location == 3.0 {
        Some((DeviceKind::Unknown, false))
    } else if location == 1.0 || (256.0..=511.0).contains(&location) {
        Some((DeviceKind::Unknown, true))
    } else {
        None
    }
}

/// `GetInverterRealtimeData.cgi` with `CommonInverterData`: the power of the inverter, and its
/// produced energy.
pub(super) fn inverter(answer: DeviceAnswer<'_>) -> Result<Vec<PolledChannel>, PollError> {
    check(answer)?;
    let status = answer.at(DATA_STATUS);
    let stands_by = status.and_then(|status| status.json.as_u64()) == Some(STANDBY);
    let watts = answer.number(DATA_POWER);
    let channel = PolledChannel {
        number: 0,
        kind: DeviceKind::Inverter,
        watts: watts.or(stands_by.then_some(0.0)),
        register: answer.number(DATA_ENERGY),
        returned: None,
    };
    some(vec![channel]).map(once_started)
}

fn check(answer: DeviceAnswer<'_>) -> Result<(), PollError> {
    let code = answer.json.pointer(CODE);
    let code = code.and_then(Value::as_i64);
    match code {
        Some(0) => Ok(()),
        Some(code) => Err(PollError::SolarApi(code)),
        None => Err(PollError::NoNumbers),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::poll::answer::tests::read;

    fn answer(data: &Value) -> Value {
        json!({"Body": {"Data": data}, "Head": {"Status": {"Code": 0, "Reason": ""}, "Timestamp": "2021-10-11T20:31:18+02:00"}})
    }

    fn meter(location: f64, watts: f64, plus: f64, minus: f64) -> Value {
        json!({"Enable": 1, "Visible": 1, "Meter_Location_Current": location, "PowerReal_P_Sum": watts,
            "EnergyReal_WAC_Plus_Absolute": plus, "EnergyReal_WAC_Minus_Absolute": minus,
            "EnergyReal_WAC_Sum_Consumed": 1, "EnergyReal_WAC_Sum_Produced": 1, "TimeStamp": 1_633_977_078})
    }

    #[test]
    fn a_meter_at_the_grid_has_both_directions() {
        // A Symo with a Smart Meter 63A; a GEN24 with a TS 65A-3 writes the same with decimal
        // points.
        let json = answer(&json!({"0": meter(0.0, 5592.57, 15_303_334.0, 35_623_065.0)}));
        let expected = PolledChannel {
            number: 0,
            kind: DeviceKind::UtilityMeter,
            watts: Some(5_592.57),
            register: Some(15_303_334.0),
            returned: Some(35_623_065.0),
        };
        assert_eq!(read(meters, &json), Ok(vec![expected]));
    }

    #[test]
    fn a_meter_of_a_load_is_turned() {
        let json = answer(&json!({
            "1": meter(1.0, -500.0, 0.0, 6_166_643.0),
            "2": meter(256.0, -70.0, 0.0, 9.0),
            "3": meter(3.0, 300.0, 77.0, 0.0),
        }));
        let channels = read(meters, &json).unwrap();
        assert_eq!(
            channels[0],
            PolledChannel {
                number: 1,
                kind: DeviceKind::Unknown,
                watts: Some(500.0),
                register: Some(6_166_643.0),
                returned: None
            }
        );
        assert_eq!(channels[1].watts, Some(70.0));
        assert_eq!(channels[2].register, Some(77.0));
        // A pulse meter has only power.
        let pulses = json!({"0": {"Meter_Location_Current": 1, "PowerReal_P_Sum": -2216.75, "Visible": 1,
            "EnergyReal_WAC_Minus_Relative": 191.25}});
        let channels = read(meters, &answer(&pulses)).unwrap();
        assert_eq!(
            (channels[0].watts, channels[0].register),
            (Some(2_216.75), None)
        );
    }

    #[test]
    fn outdated_meters_and_zeros_are_left_out() {
        let mut outdated = meter(0.0, 5.0, 6.0, 7.0);
        outdated["Visible"] = json!(0);
        assert_eq!(
            read(meters, &answer(&json!({"0": outdated}))),
            Err(PollError::NoNumbers)
        );
        assert_eq!(read(meters, &answer(&json!({}))), Err(PollError::NoNumbers));
        let zeros = json!({"0": meter(0.0, 0.0, 0.0, 0.0)});
        assert_eq!(read(meters, &answer(&zeros)), Ok(vec![]));
    }

    #[test]
    fn an_inverter_has_power_by_day_and_none_by_night() {
        // A Symo: by day, and at night, when it leaves out its power and reports standby.
        let day = answer(
            &json!({"DeviceStatus": {"StatusCode": 7}, "PAC": {"Unit": "W", "Value": 1190},
            "TOTAL_ENERGY": {"Unit": "Wh", "Value": 44_188_000}, "YEAR_ENERGY": {"Unit": "Wh", "Value": null}}),
        );
        let channel = read(inverter, &day).unwrap()[0];
        assert_eq!(channel.watts, Some(1_190.0));
        assert_eq!(channel.register, Some(44_188_000.0));
        let night = |status: u64| {
            let data = json!({"DeviceStatus": {"ErrorCode": 307, "StatusCode": status},
                "TOTAL_ENERGY": {"Unit": "Wh", "Value": 44_186_900}, "UDC": {"Unit": "V", "Value": 16}});
            read(inverter, &answer(&data)).unwrap()[0].watts
        };
        assert_eq!(night(3), Some(0.0));
        // Its behaviour in any other state is unknown.
        assert_eq!(night(7), None);
        let starting = json!({"PAC": {"Value": 0}, "TOTAL_ENERGY": {"Value": 0}});
        assert_eq!(read(inverter, &answer(&starting)), Ok(vec![]));
    }

    #[test]
    fn a_gen24_of_2021_has_names_of_its_own() {
        let meter = json!({"COMPONENTS_MODE_ENABLE_U16": 1.0, "COMPONENTS_MODE_VISIBLE_U16": 1.0,
            "SMARTMETER_VALUE_LOCATION_U16": 0.0, "SMARTMETER_POWERACTIVE_MEAN_SUM_F64": 1500.5,
            "SMARTMETER_ENERGYACTIVE_ABSOLUT_PLUS_F64": 5_000_000.0, "SMARTMETER_ENERGYACTIVE_ABSOLUT_MINUS_F64": 2_000_000.0,
            "SMARTMETER_ENERGYACTIVE_CONSUMED_SUM_F64": 1.0, "SMARTMETER_ENERGYACTIVE_PRODUCED_SUM_F64": 2.0});
        let expected = PolledChannel {
            number: 0,
            kind: DeviceKind::UtilityMeter,
            watts: Some(1_500.5),
            register: Some(5_000_000.0),
            returned: Some(2_000_000.0),
        };
        let found = read(meters, &answer(&json!({"0": meter})));
        assert_eq!(found, Ok(vec![expected]));
    }

    #[test]
    fn an_answer_of_200_may_be_an_error() {
        let mut json = answer(&json!({"0": meter(0.0, 1.0, 2.0, 3.0)}));
        json["Head"]["Status"]["Code"] = json!(8);
        assert_eq!(read(meters, &json), Err(PollError::SolarApi(8)));
        assert_eq!(read(inverter, &json), Err(PollError::SolarApi(8)));
    }
}
