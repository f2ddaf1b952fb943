//! States of entities, from events of `subscribe_entities` and from answers of
//! `history/history_during_period`. Both have the compressed form: `s` is the state, `lc` when it
//! changed last and `lu` when it was last updated, in seconds, which is left out if it is the same;
//! `a` are its attributes. An event has new entities in `a`, and changes in `+` of those in `c`.

use std::sync::LazyLock;

use serde_json::Value;

use crate::domain::{EntityId, Timestamp};
use crate::home_assistant::error::HomeAssistantError;
use crate::ingest::wanted::{StoppedWalk, WantedPlaces};

/// The most states of an entity in an answer.
const MOST_STATES: usize = 50_000;

/// The number of an entity in a message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SaidValue {
    /// Nothing: it stays as it is.
    Same,
    /// It has none, such as `unavailable`.
    None,
    /// This one.
    Number(f64),
}

/// An entity in a message.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SaidState {
    pub(super) value: SaidValue,
    pub(super) time: Option<Timestamp>,
    pub(super) unit: Option<String>,
}

static STATE: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::at(["/s", "/lc", "/lu", "/a/unit_of_measurement"]));
static CHANGE: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::at(["/+/s", "/+/lc", "/+/lu", "/+/a/unit_of_measurement"]));

/// Gives `take` each entity in an event.
pub(super) fn each_in_event(
    event: &str,
    mut take: impl FnMut(&str, SaidState),
) -> Result<(), HomeAssistantError> {
    let other = |_: StoppedWalk<()>| HomeAssistantError::OtherProtocol;
    let new = STATE.each(event.as_bytes(), "/event/a", |entity, state| {
        take(entity.unwrap_or_default(), said(&state));
        Ok(())
    });
    new.map_err(other)?;
    let changed = CHANGE.each(event.as_bytes(), "/event/c", |entity, change| {
        if let Some(state) = change.get("+") {
            take(entity.unwrap_or_default(), said(state));
        }
        Ok(())
    });
    changed.map_err(other).map(drop)
}

/// The states of an entity in an answer, those that are numbers.
pub(super) fn states_of(
    answer: &str,
    entity: &EntityId,
) -> Result<Vec<(Timestamp, f64)>, HomeAssistantError> {
    let escaped = entity.as_str().replace('~', "~0").replace('/', "~1");
    let (mut states, mut seen) = (Vec::new(), 0);
    let walked = STATE.each(
        answer.as_bytes(),
        &format!("/result/{escaped}"),
        |_, state| {
            seen += 1;
            let said = said(&state);
            if let (Some(time), SaidValue::Number(value)) = (said.time, said.value) {
                states.push((time, value));
            }
            (seen <= MOST_STATES).then_some(()).ok_or(())
        },
    );
    walked.map_err(|_: StoppedWalk<()>| HomeAssistantError::OtherProtocol)?;
    states.sort_by_key(|(time, _)| *time);
    Ok(states)
}

fn said(state: &Value) -> SaidState {
    let seconds = |name: &str| state.get(name).and_then(Value::as_f64);
    let value = match state.get("s") {
        None => SaidValue::Same,
        Some(state) => {
            let number = state
                .as_str()
                .and_then(|text| text.trim().parse::<f64>().ok());
            let number = number.filter(|number| number.is_finite());
            number.map_or(SaidValue::None, SaidValue::Number)
        }
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`as` goes to the nearest end"
    )]
    // The time of a state is a float in events, and was rounded to microseconds elsewhere: without
    // that here, a state close to half a millisecond would have two times.
    let micros = |seconds: f64| (seconds * 1e6).round() as i64;
    let millis = |seconds: f64| {
        Timestamp::from_millis(micros(seconds).saturating_add(500).div_euclid(1_000))
    };
    let unit = state.pointer("/a/unit_of_measurement");
    SaidState {
        value,
        time: seconds("lu").or(seconds("lc")).and_then(millis),
        unit: unit.and_then(Value::as_str).map(str::to_owned),
    }
}

/// Reads an event and an answer, for a fuzzer.
///
/// # Panics
/// If a number is not finite.
#[cfg(any(test, fuzzing))]
pub fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = each_in_event(&text, |_, said| {
        assert!(!matches!(said.value, SaidValue::Number(value) if !value.is_finite()));
    });
    if let Ok(entity) = EntityId::new("sensor.a") {
        let states = states_of(&text, &entity).unwrap_or_default();
        assert!(states.iter().all(|(_, value)| value.is_finite()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(event: &str) -> Vec<(String, SaidState)> {
        let mut all = Vec::new();
        each_in_event(event, |entity, said| all.push((entity.to_owned(), said))).unwrap();
        all
    }

    fn at(ms: i64) -> Option<Timestamp> {
        Timestamp::from_millis(ms)
    }

    #[test]
    fn events_have_new_entities_and_changes() {
        let event = r#"{"id":3,"type":"event","event":{
            "a":{"sensor.p":{"s":"12.5","a":{"unit_of_measurement":"kW","friendly_name":"P"},"c":"x","lc":1700000000.25,"lu":1700000001.5}},
            "c":{"sensor.e":{"+":{"s":"unavailable","lc":1700000002.0,"c":"y"},"-":{"a":["x"]}},"sensor.f":{"+":{"lu":1700000003.0}},"sensor.g":{"-":{}}},
            "r":["sensor.old"]}}"#;
        let [new, changed, touched] = &shown(event)[..] else {
            panic!("three");
        };
        let p = SaidState {
            value: SaidValue::Number(12.5),
            time: at(1_700_000_001_500),
            unit: Some("kW".to_owned()),
        };
        assert_eq!((new.0.as_str(), &new.1), ("sensor.p", &p));
        let e = SaidState {
            value: SaidValue::None,
            time: at(1_700_000_002_000),
            unit: None,
        };
        assert_eq!((changed.0.as_str(), &changed.1), ("sensor.e", &e));
        assert_eq!(
            (touched.0.as_str(), touched.1.value),
            ("sensor.f", SaidValue::Same)
        );
        for strange in [
            "{}",
            r#"{"event":[]}"#,
            r#"{"event":{"a":{"x":5},"c":{"x":{"+":[]}}}}"#,
        ] {
            assert!(
                shown(strange)
                    .iter()
                    .all(|(_, said)| !matches!(said.value, SaidValue::Number(_)))
            );
        }
        assert!(each_in_event("{", |_, _| {}).is_err());
    }

    #[test]
    fn a_state_has_one_time_however_it_was_rounded() {
        let time = |seconds: &str| {
            let event =
                format!(r#"{{"event":{{"c":{{"sensor.e":{{"+":{{"s":"1","lc":{seconds}}}}}}}}}}}"#);
            shown(&event)[0].1.time
        };
        for (seconds, ms) in [
            ("1795978512.0365", 1_795_978_512_037),
            ("1795978512.0364998", 1_795_978_512_037),
            ("1795978512.0365002", 1_795_978_512_037),
            ("1795978512.036499", 1_795_978_512_036),
            ("-1.5", -1_500),
        ] {
            assert_eq!(time(seconds), at(ms), "{seconds}");
        }
        assert_eq!(time("1e99"), None);
    }

    #[test]
    fn numbers_of_answers_come_in_order() {
        let entity = EntityId::new("sensor.e").unwrap();
        let answer = r#"{"result":{"sensor.e":[{"s":"2","lu":2.0},{"s":"1","lc":1.0},{"s":"unknown","lu":3.0},{"s":"nan","lu":4},{"s":5,"lu":5}],"other":[]}}"#;
        let states = states_of(answer, &entity).unwrap();
        assert_eq!(
            states,
            [(at(1_000).unwrap(), 1.0), (at(2_000).unwrap(), 2.0)]
        );
        assert_eq!(states_of("{}", &entity), Ok(Vec::new()));
        fuzz(answer.as_bytes());
        fuzz(b"\xff{");
    }
}
