//! A Home Assistant that answers the questions of the comparison, of prices and of its user with what no program should.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::{Entity, HomeAssistant, HostileAnswer, NEW, TOKEN};
use super::history::{await_live, registers};
use super::house::{HOUR, now, rising};
use super::put_token;
use crate::cli::memory::peak_kib;
use crate::mqtt::house::eventually;
use crate::place::{Place, Serving};

/// The memory that no answer may exceed.
const MOST_KIB: u64 = 256 << 10;
/// An answer may take so long, and a little more on a slow machine.
const ONE_ANSWER: Duration = Duration::from_secs(50);

fn at_once(text: String) -> Vec<(Duration, String)> {
    vec![(Duration::ZERO, text)]
}

fn result(id: u64, result: &str) -> Vec<(Duration, String)> {
    at_once(format!(
        "{{\"id\":{id},\"type\":\"result\",\"success\":true,\"result\":{result}}}"
    ))
}

fn is(command: &Value, kind: &str, period: &str) -> bool {
    command["type"] == kind && (period.is_empty() || command["period"] == period)
}

const STATISTICS: &str = "recorder/statistics_during_period";

/// What it says, and what the command for the comparison then prints: an error with this text, or an answer.
type HostileCount = (&'static str, HostileAnswer, Option<&'static str>);

const COUNTS: [HostileCount; 13] = [
    (
        "a million months",
        |command, id| {
            let rows = (0..100_000).map(|row| format!("{{\"start\":{row}}}"));
            let rows: Vec<String> = rows.collect();
            let rows = format!("{{\"sensor.e\":[{}]}}", rows.join(","));
            is(command, STATISTICS, "month").then(|| result(id, &rows))
        },
        Some("it does not speak the WebSocket API"),
    ),
    (
        "too many bytes of months",
        |command, id| {
            let rows = "{\"start\":1},".repeat(400_000);
            is(command, STATISTICS, "month").then(|| result(id, &format!("[{rows}0]")))
        },
        Some("it sent a message of more than 4194304 bytes"),
    ),
    (
        "months of all times",
        |command, id| {
            let rows = r#"{"sensor.e":[{"start":-9e99,"sum":1},{"start":9e99,"sum":1e308},{"start":0,"sum":-1e308},
                {"start":253402300799999,"sum":5,"state":-5}]}"#;
            is(command, STATISTICS, "month").then(|| result(id, rows))
        },
        None,
    ),
    (
        "hours that are no numbers",
        |command, id| {
            let rows = r#"{"sensor.e":[{"start":"x"},{"start":null,"sum":[]},7,null,"NaN",[1],{"sum":"NaN","start":1e12}]}"#;
            is(command, STATISTICS, "hour").then(|| result(id, rows))
        },
        None,
    ),
    (
        "NaN, which is no JSON",
        |command, id| {
            is(command, STATISTICS, "hour")
                .then(|| result(id, r#"{"sensor.e":[{"start":1,"sum":NaN}]}"#))
        },
        Some("it does not speak the WebSocket API"),
    ),
    (
        "sums of both ends",
        |command, id| {
            let begin = now() / HOUR - 40 * 24;
            let rows = (0..900).map(|hour| {
                let sum = if hour % 2 == 0 { "1e308" } else { "-1e308" };
                format!(
                    "{{\"start\":{},\"sum\":{sum},\"state\":{sum}}}",
                    (begin + hour) * HOUR
                )
            });
            let rows: Vec<String> = rows.collect();
            is(command, STATISTICS, "hour")
                .then(|| result(id, &format!("{{\"sensor.e\":[{}]}}", rows.join(","))))
        },
        None,
    ),
    (
        "another type",
        |command, id| is(command, STATISTICS, "hour").then(|| result(id, "\"none\"")),
        None,
    ),
    (
        "depth",
        |command, id| is(command, STATISTICS, "hour").then(|| result(id, &"[".repeat(1_000_000))),
        Some("it does not speak the WebSocket API"),
    ),
    (
        "answers to others without end",
        |command, id| {
            let other = |count: u64| {
                format!(
                    "{{\"id\":{},\"type\":\"result\",\"success\":true,\"result\":[{}0]}}",
                    id + count,
                    "0,".repeat(50_000)
                )
            };
            let others = (1..3_000).map(|count| (Duration::from_millis(20), other(count)));
            is(command, STATISTICS, "hour").then(|| others.collect())
        },
        Some("it did not answer within 30 s"),
    ),
    (
        "no answer",
        |command, _| is(command, STATISTICS, "hour").then(Vec::new),
        Some("it did not answer within 30 s"),
    ),
    (
        "a user of many bytes",
        |command, id| {
            let user = format!(
                "{{\"name\":\"{}\",\"is_admin\":true}}",
                "\\u0007<b>&".repeat(100_000)
            );
            is(command, "auth/current_user", "").then(|| result(id, &user))
        },
        None,
    ),
    (
        "a user that is none",
        |command, id| {
            is(command, "auth/current_user", "")
                .then(|| result(id, "[null,{\"is_admin\":\"yes\"}]"))
        },
        Some("it does not speak the WebSocket API"),
    ),
    (
        "a refusal of many bytes",
        |command, id| {
            let code = "x\u{1b}[31m".repeat(100_000);
            is(command, "auth/current_user", "").then(|| {
                at_once(
                    json!({"id": id, "type": "result", "success": false, "error": {"code": code}})
                        .to_string(),
                )
            })
        },
        Some("it refuses current_user, with the code "),
    ),
];

/// A service that reads a meter at the grid, and a price.
fn served(home: &HomeAssistant) -> (Place, Serving) {
    home.with(|state| {
        let grid = json!({"type": "grid", "stat_energy_from": "sensor.e", "entity_energy_price": "sensor.price"});
        state.prefs = json!({"energy_sources": [grid], "device_consumption": []});
        let (meter, time) = (rising(60 * 24, now(), 0.0), now() - HOUR);
        state.entities.insert("sensor.e".to_owned(), meter);
        let price = Entity {
            unit: "EUR/kWh",
            states: vec![(time, "0.3".to_owned())],
            ..Entity::default()
        };
        state.entities.insert("sensor.price".to_owned(), price);
    });
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    put_token(&place, TOKEN);
    place.ok(&[
        "ha",
        "add",
        &home.url(),
        "--token-file",
        "token",
        "--with-prices",
    ]);
    let serving = place.serve(&[]);
    (place, serving)
}

#[test]
fn hostile_answers_to_the_comparison_are_told_and_take_no_memory() {
    let home = HomeAssistant::start(NEW);
    let (place, serving) = served(&home);
    await_live(&place);
    for (what, says, error) in COUNTS {
        home.with(|state| state.says = Some(says));
        let begun = Instant::now();
        let run = place.run(&["ha", "compare"]);
        assert!(
            begun.elapsed() < ONE_ANSWER,
            "{what}: {:?}",
            begun.elapsed()
        );
        match error {
            Some(error) => assert!(
                run.status != 0 && run.err.contains(error),
                "{what}: {run:?}"
            ),
            None => assert_eq!(run.status, 0, "{what}: {run:?}"),
        }
        assert!(run.err.len() + run.out.len() < 20_000, "{what}");
        assert!(
            !run.out.contains('\u{7}') && !run.err.contains('\u{1b}'),
            "{what}: {run:?}"
        );
        let peak = peak_kib(&serving);
        assert!(peak < MOST_KIB, "{what}: {peak} KiB");
    }
    home.with(|state| state.says = None);
    let compared = place.json(&["ha", "compare"]);
    assert_eq!(compared["months"][0]["reasons"], json!([]));
    let stderr = serving.stop();
    assert!(!stderr.contains(TOKEN) && stderr.len() < 20_000, "{stderr}");
}

/// What it says about a price.
const PRICES: [(&str, HostileAnswer); 4] = [
    ("wrong types", |command, id| {
        let states = r#"{"sensor.price":[{"s":"NaN","lu":1e9},{"s":"1e300","lu":"x"},{"s":{},"lu":-1},{"s":"5","lu":1e99},5,null]}"#;
        (command["entity_ids"] == json!(["sensor.price"])).then(|| result(id, states))
    }),
    ("states without end", |command, id| {
        let states = "{\"s\":\"0.1\",\"lu\":1},".repeat(180_000);
        let states = format!("{{\"sensor.price\":[{states}0]}}");
        (command["entity_ids"] == json!(["sensor.price"])).then(|| result(id, &states))
    }),
    ("many bytes", |command, id| {
        let states = format!("\"{}\"", "x".repeat(5 << 20));
        (command["entity_ids"] == json!(["sensor.price"])).then(|| result(id, &states))
    }),
    ("hours that are none", |command, id| {
        let rows = r#"{"sensor.price":[{"start":1,"mean":"x"},{"start":null},{"start":1e12,"mean":1e308}]}"#;
        let is_price = command["statistic_ids"] == json!(["sensor.price"]);
        (is_price && is(command, STATISTICS, "")).then(|| result(id, rows))
    }),
];

#[test]
fn hostile_histories_of_a_price_take_no_memory() {
    for (what, says) in PRICES {
        let home = HomeAssistant::start(NEW);
        home.with(|state| state.says = Some(says));
        let (place, serving) = served(&home);
        let is_told = what != "wrong types" && what != "hours that are none";
        eventually(what, || {
            let shown = place.json(&["ha", "show"])[0]["reading"].clone();
            let is_there = if is_told {
                !shown["failed"].is_null()
            } else {
                shown["stage"] == "live"
            };
            is_there.then_some(())
        });
        let peak = peak_kib(&serving);
        assert!(peak < MOST_KIB, "{what}: {peak} KiB");
        // It goes on once it is better.
        home.with(|state| {
            state.says = None;
            state.restarts += 1;
        });
        eventually("a state", || {
            home.with(|state| state.tell("sensor.e", now(), "2000"));
            (registers(&place, "grid-import").last()?.1 == 2_000_000.0).then_some(())
        });
        let stderr = serving.stop();
        assert!(stderr.len() < 20_000, "{what}: {stderr}");
    }
}
