//! Messages of Home Assistant's WebSocket API.
//!
//! Format: developers.home-assistant.io, "WebSocket API": text messages of JSON. After
//! `auth_required`, `auth` and `auth_ok`, each command has an `id` that is higher than the one
//! before, and a `result` with the same one. The commands are those of its component `recorder`
//! (`websocket_api.py`), which are documented there alone.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Value, json};

use super::error::HomeAssistantError;
use super::statistic::{Statistic, SumHour};
use crate::domain::words::words;
use crate::domain::{EntityId, Secret, Timestamp};
use crate::ingest::wanted::WantedPlaces;

/// The longest code of an error that is shown, in bytes.
const MAX_CODE_BYTES: usize = 64;
/// The longest name that is shown, in characters.
const MAX_NAME_CHARS: usize = 128;

/// The most hours of a statistic in an answer: those of two months are asked for.
const MAX_HOURS: usize = 4_096;

/// A message that arrived, without its result.
pub(super) struct HomeAssistantMessage {
    pub(super) kind: String,
    pub(super) id: Option<u64>,
    pub(super) ha_version: Option<String>,
    success: bool,
    code: Option<String>,
}

/// The places of a message that are read, and those of an hour.
static HEAD: LazyLock<WantedPlaces> =
    LazyLock::new(|| WantedPlaces::at(["/type", "/id", "/success", "/error/code", "/ha_version"]));
static HOUR: LazyLock<WantedPlaces> = LazyLock::new(|| WantedPlaces::members(["start", "sum"]));

/// The sums that Home Assistant has, in the statistic's unit, by statistic and hour.
pub(super) type TheirSums = BTreeMap<String, BTreeMap<Timestamp, Option<f64>>>;

/// The periods that sums are asked for by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SumPeriod {
    Hour,
    Month,
}

words! { SumPeriod: Hour "hour", Month "month"; "a period of sums" }

impl HomeAssistantMessage {
    /// Reads a message; `None` if it is none of this API.
    pub(super) fn read(text: &str) -> Option<Self> {
        let message = HEAD.read(text.as_bytes()).ok()?;
        let text = |place: &str| message.pointer(place)?.as_str().map(str::to_owned);
        Some(Self {
            kind: text("/type")?,
            id: message.get("id").and_then(Value::as_u64),
            ha_version: text("/ha_version"),
            success: message.get("success").and_then(Value::as_bool) == Some(true),
            code: text("/error/code").or_else(|| {
                let other = message.pointer("/error/code");
                other.map(ToString::to_string)
            }),
        })
    }

    /// The outcome of a command.
    pub(super) fn outcome(&self, command: &'static str) -> Result<(), HomeAssistantError> {
        if self.success {
            return Ok(());
        }
        let code = self.code.as_deref().unwrap_or_default();
        if code == "unauthorized" {
            return Err(HomeAssistantError::NotAdministrator);
        }
        let visible = code.chars().filter(char::is_ascii_graphic);
        let code = visible.take(MAX_CODE_BYTES).collect();
        Err(HomeAssistantError::Refused { command, code })
    }
}

/// A text of the other side, as pages, commands and logs may show it.
pub(super) fn shown_text(text: &str) -> String {
    let visible = text.trim().chars().filter(|c| !c.is_control());
    visible.take(MAX_NAME_CHARS).collect()
}

/// The sums of these statistics in the answer to [`ask_sums`]. Those without hours are left out.
pub(super) fn their_sums(answer: &str, ids: &[String]) -> Result<TheirSums, HomeAssistantError> {
    let mut sums = TheirSums::new();
    let list = |id: &String| format!("/result/{}", id.replace('~', "~0").replace('/', "~1"));
    let lists = WantedPlaces::at(ids.iter().map(list)).read(answer.as_bytes());
    let lists = lists.map_err(|_| HomeAssistantError::OtherProtocol)?;
    match lists.get("result") {
        None | Some(Value::Null) => return Ok(sums),
        Some(Value::Object(lists)) if lists.values().all(Value::is_array) => {}
        Some(_) => return Err(HomeAssistantError::OtherProtocol),
    }
    for id in ids {
        let mut hours = BTreeMap::new();
        let list = list(id);
        let walked = HOUR.each(answer.as_bytes(), &list, |_, hour| {
            let (start, sum) = their_hour(&hour).ok_or(())?;
            hours.extend(start.map(|start| (start, sum)));
            (hours.len() <= MAX_HOURS).then_some(()).ok_or(())
        });
        walked.map_err(|_| HomeAssistantError::OtherProtocol)?;
        if !hours.is_empty() {
            sums.insert(id.clone(), hours);
        }
    }
    Ok(sums)
}

/// The time and the sum of an hour as Home Assistant has it; `None` if it has another form. Versions
/// before 2023.3 have times as text.
fn their_hour(hour: &Value) -> Option<(Option<Timestamp>, Option<f64>)> {
    let start = hour.get("start")?.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "`as` goes to the nearest end"
    )]
    let start = Timestamp::from_millis(start as i64);
    let sum = match hour.get("sum") {
        None | Some(Value::Null) => None,
        Some(sum) => Some(sum.as_f64()?),
    };
    Some((start, sum))
}

pub(super) fn authentication(token: &Secret) -> Value {
    json!({"type": "auth", "access_token": token.reveal()})
}

/// The question for values of statistics, from a time until another.
#[derive(Serialize)]
pub(super) struct StatisticsQuestion<'a, I> {
    r#type: &'static str,
    start_time: String,
    end_time: String,
    statistic_ids: &'a [I],
    period: &'static str,
    types: &'static [&'static str],
    /// The units of the values by the kind of their unit; else they are those that are shown there.
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<Value>,
}

impl<'a, I: Serialize> StatisticsQuestion<'a, I> {
    /// Asks for values of these statistics by periods.
    pub(super) fn new(
        ids: &'a [I],
        range: &Range<Timestamp>,
        (period, types): (&'static str, &'static [&'static str]),
    ) -> Self {
        Self {
            r#type: "recorder/statistics_during_period",
            start_time: range.start.to_string(),
            end_time: range.end.to_string(),
            statistic_ids: ids,
            period,
            types,
            units: None,
        }
    }

    /// The same in these units.
    pub(super) fn in_units(self, units: Value) -> Self {
        Self {
            units: Some(units),
            ..self
        }
    }
}

/// The question for the states of entities, from a time until another.
#[expect(clippy::struct_excessive_bools, reason = "the other side has them")]
#[derive(Serialize)]
struct StatesQuestion<'a> {
    r#type: &'static str,
    start_time: String,
    end_time: String,
    entity_ids: &'a [&'a EntityId],
    include_start_time_state: bool,
    significant_changes_only: bool,
    minimal_response: bool,
    no_attributes: bool,
}

/// Asks for all states of entities, without their attributes.
pub(super) fn ask_states(entities: &[&EntityId], range: &Range<Timestamp>) -> Value {
    json!(StatesQuestion {
        r#type: "history/history_during_period",
        start_time: range.start.to_string(),
        end_time: range.end.to_string(),
        entity_ids: entities,
        include_start_time_state: false,
        significant_changes_only: false,
        minimal_response: true,
        no_attributes: true,
    })
}

/// Asks for the sums of hours or months.
pub(super) fn ask_sums(ids: &[String], range: &Range<Timestamp>, period: SumPeriod) -> Value {
    let by = (period.as_str(), &["sum"][..]);
    json!(StatisticsQuestion::new(ids, range, by))
}

/// Sends hours of a statistic; without any, only its name and its unit. `is_new` is whether Home
/// Assistant wants kinds of means and units: it has them from 2025.11 on, and refuses them before.
pub(super) fn import(statistic: &Statistic, hours: &[SumHour], is_new: bool) -> Value {
    let mut metadata = json!({
        "has_sum": true,
        "name": statistic.name,
        "source": Statistic::SOURCE,
        "statistic_id": statistic.id,
        "unit_of_measurement": statistic.unit,
    });
    let means = if is_new {
        vec![
            ("mean_type", json!(0)),
            ("unit_class", json!(statistic.unit_class())),
        ]
    } else {
        vec![("has_mean", json!(false))]
    };
    if let Some(members) = metadata.as_object_mut() {
        members.extend(
            means
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value)),
        );
    }
    let hours = hours.iter().map(|hour| {
        let sum = statistic.shown(hour.sum);
        json!({"start": hour.start.to_string(), "state": sum, "sum": sum})
    });
    json!({
        "type": "recorder/import_statistics",
        "metadata": metadata,
        "stats": hours.collect::<Vec<_>>(),
    })
}

/// Removes all hours of statistics.
pub(super) fn clear(ids: &[String]) -> Value {
    json!({"type": "recorder/clear_statistics", "statistic_ids": ids})
}

/// Whether a version, such as `2025.11.0b1`, has kinds of means and units. An unknown form is a
/// newer one.
pub(super) fn has_unit_classes(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(year)), Some(Ok(month))) => (year, month) >= (2025, 11),
        _ => true,
    }
}

/// Reads a message and its sums, for a fuzzer.
///
/// # Panics
/// If the code of an error is longer than it may be.
#[cfg(any(test, fuzzing))]
pub fn fuzz(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(message) = HomeAssistantMessage::read(&text)
        && let Err(HomeAssistantError::Refused { code, .. }) = message.outcome("fuzz")
    {
        assert!(code.len() <= MAX_CODE_BYTES);
    }
    let _ = their_sums(&text, &["a".to_owned(), "a:b".to_owned()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;
    use crate::home_assistant::statistic::SumColumn;

    #[test]
    fn each_version_gets_what_it_takes() {
        for (version, is_new) in [
            ("2024.3.3", false),
            ("2025.10.4", false),
            ("2025.11.0b1", true),
            ("2026.1.0.dev0", true),
            ("2.0", false),
            ("core", true),
            ("", true),
        ] {
            assert_eq!(has_unit_classes(version), is_new, "{version}");
        }
        let statistic = Statistic::new("house", "the house", SumColumn::Imported, None);
        let hours = [SumHour {
            start: at("2026-01-05T10:00:00"),
            sum: 1_234_567_891_000,
            is_leading: false,
        }];
        let old = import(&statistic, &hours, false);
        assert_eq!(
            old,
            json!({
                "type": "recorder/import_statistics",
                "metadata": {
                    "has_sum": true, "has_mean": false, "name": "the house grid import", "source": "wattkeeper",
                    "statistic_id": "wattkeeper:house_imported", "unit_of_measurement": "kWh",
                },
                "stats": [{"start": "2026-01-05T10:00:00.000Z", "state": 1_234.567_891, "sum": 1_234.567_891}],
            })
        );
        let new = import(&statistic, &[], true);
        let metadata = &new["metadata"];
        assert_eq!(
            (
                &metadata["mean_type"],
                &metadata["unit_class"],
                metadata.get("has_mean")
            ),
            (&json!(0), &json!("energy"), None)
        );
        assert_eq!(new["stats"], json!([]));
        let cost = Statistic::new("house", "the house", SumColumn::Cost, Some("EUR"));
        let metadata = &import(&cost, &[], true)["metadata"];
        assert_eq!(
            (&metadata["unit_of_measurement"], &metadata["unit_class"]),
            (&json!("EUR"), &Value::Null)
        );
    }

    #[test]
    fn answers_are_read() {
        let text = r#"{"id":5,"type":"result","success":true,"result":{"a:b":[{"start":1767571200000,"end":1767574800000,"sum":1.5},{"start":1767574800000,"sum":null}]}}"#;
        let arrived = HomeAssistantMessage::read(text).unwrap();
        assert_eq!((arrived.id, arrived.outcome("x")), (Some(5), Ok(())));
        let sums = |text: &str| their_sums(text, &["a:b".to_owned(), "c".to_owned()]);
        let found = sums(text).unwrap();
        assert_eq!(found.len(), 1);
        let hours: Vec<_> = found["a:b"]
            .iter()
            .map(|(time, sum)| (*time, *sum))
            .collect();
        assert_eq!(
            hours,
            [
                (at("2026-01-05T00:00:00"), Some(1.5)),
                (at("2026-01-05T01:00:00"), None)
            ]
        );
        let refused = |code: &str| {
            let text = format!(r#"{{"id":1,"type":"result","success":false,"error":{code}}}"#);
            HomeAssistantMessage::read(&text)
                .unwrap()
                .outcome("x")
                .unwrap_err()
        };
        assert_eq!(
            refused(r#"{"code":"unauthorized","message":"s3cret"}"#),
            HomeAssistantError::NotAdministrator
        );
        let long = format!(r#"{{"code":"a\n{}"}}"#, "b".repeat(100));
        let HomeAssistantError::Refused { code, .. } = refused(&long) else {
            panic!("another error");
        };
        assert_eq!(code, format!("a{}", "b".repeat(63)));
        for result in [
            "[1]",
            r#"{"a:b":1}"#,
            r#"{"a:b":[1]}"#,
            r#"{"a:b":[{"start":"x"}]}"#,
        ] {
            let wrong = sums(&format!(r#"{{"result":{result}}}"#));
            assert_eq!(wrong, Err(HomeAssistantError::OtherProtocol), "{result}");
        }
        for nothing in ["{}", r#"{"result":null}"#, r#"{"result":{"other":[{}]}}"#] {
            assert_eq!(sums(nothing), Ok(TheirSums::new()), "{nothing}");
        }
        assert!(HomeAssistantMessage::read("<html>").is_none());
    }
}
