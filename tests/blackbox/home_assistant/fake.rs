//! A Home Assistant on loopback: its WebSocket API as far as statistics go, with the checks of its own schemas.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};
use wattkeeper::Timestamp;

/// The token that it knows.
pub(crate) const TOKEN: &str = "eyJ0eXAi.s3cret.token";
pub(crate) const OLD: &str = "2024.3.3";
pub(crate) const NEW: &str = "2026.1.0";
const HOUR: i64 = 3_600_000;

/// A statistic or an entity of the house that it knows.
#[derive(Clone, Default)]
pub(crate) struct Entity {
    /// Its unit there, such as kWh.
    pub(crate) unit: &'static str,
    /// Hours: the begin in milliseconds, the state, and the sum, in that unit.
    pub(crate) hours: Vec<(i64, f64, f64)>,
    /// Five minutes, likewise.
    pub(crate) fine: Vec<(i64, f64, f64)>,
    /// States: the time in milliseconds, and the text.
    pub(crate) states: Vec<(i64, String)>,
}

/// It at work, as long as the test lives.
pub(crate) struct HomeAssistant {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
}

/// Its statistics, and the messages to it.
#[derive(Default)]
pub(crate) struct State {
    /// The sums of each statistic by hour, in milliseconds since 1970.
    pub(crate) sums: BTreeMap<String, BTreeMap<i64, f64>>,
    pub(crate) metadata: BTreeMap<String, Value>,
    /// All commands, without the hours of imports.
    pub(crate) commands: Vec<Value>,
    /// The hours of all imports, one after another.
    pub(crate) imported: Vec<(String, i64)>,
    pub(crate) connections: usize,
    pub(crate) failed_sign_ins: usize,
    /// It ends the connection at this command.
    pub(crate) closes_at: Option<usize>,
    /// It refuses imports with this code.
    pub(crate) refuses: Option<&'static str>,
    /// The token belongs to somebody who is no administrator.
    pub(crate) is_for_reading: bool,
    /// It is the Supervisor of an add-on, with the way to its Home Assistant.
    pub(crate) is_supervisor: bool,
    /// The Energy dashboard; null for none.
    pub(crate) prefs: Value,
    pub(crate) entities: BTreeMap<String, Entity>,
    /// States that are told to subscribers: the entity, the time, and the text.
    pub(crate) news: Vec<(String, i64, String)>,
    /// It closes all connections when this changes.
    pub(crate) restarts: usize,
    /// Entities that are not there until they have news: after its restart they come one by one.
    pub(crate) absent: BTreeSet<String>,
    /// Its recorder writes states so many milliseconds after they came.
    pub(crate) written_after: i64,
    /// What it says to a command instead: texts, after pauses.
    pub(crate) says: Option<HostileAnswer>,
}

/// The texts that answer a command with an id, each after a pause; `None` for the usual answer.
pub(crate) type HostileAnswer = fn(&Value, u64) -> Option<Vec<(Duration, String)>>;

impl HomeAssistant {
    pub(crate) fn start(version: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::<Mutex<State>>::default();
        let of_all = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, state) = (stream.unwrap(), Arc::clone(&of_all));
                thread::spawn(move || serve(stream, version, &state));
            }
        });
        Self { address, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn with<T>(&self, of: impl FnOnce(&mut State) -> T) -> T {
        of(&mut self.state.lock().unwrap())
    }

    /// The sums of a statistic: the time as text to the hour, and the sum.
    pub(crate) fn sums(&self, id: &str) -> Vec<(String, f64)> {
        self.with(|state| {
            let hours = state.sums.get(&format!("wattkeeper:{id}"));
            let hours = hours.into_iter().flatten();
            hours.map(|(time, sum)| (shown(*time), *sum)).collect()
        })
    }

    pub(crate) fn has(&self, id: &str, sums: &[(&str, f64)]) -> Option<()> {
        let expected = sums.iter().map(|(time, sum)| ((*time).to_owned(), *sum));
        let expected: Vec<(String, f64)> = expected.collect();
        (self.sums(id) == expected).then_some(())
    }
}

/// A time to the hour.
pub(crate) fn shown(ms: i64) -> String {
    Timestamp::from_millis(ms).unwrap().to_string()[..13].to_owned()
}

fn serve(stream: TcpStream, version: &str, state: &Arc<Mutex<State>>) {
    let mut path = String::new();
    #[expect(clippy::result_large_err, reason = "the library's own type")]
    let look = |request: &tungstenite::handshake::server::Request, answer| {
        path = request.uri().to_string();
        Ok(answer)
    };
    let Ok(mut socket) = tungstenite::accept_hdr(stream, look) else {
        return;
    };
    let is_supervisor = state.lock().unwrap().is_supervisor;
    let expected = if is_supervisor {
        "/core/websocket"
    } else {
        "/api/websocket"
    };
    assert_eq!(path, expected);
    state.lock().unwrap().connections += 1;
    // The service may be gone at any time.
    let _ = talk(&mut socket, version, state);
}

fn talk(
    socket: &mut WebSocket<TcpStream>,
    version: &str,
    state: &Arc<Mutex<State>>,
) -> Result<(), tungstenite::Error> {
    let say = |socket: &mut WebSocket<TcpStream>, value: Value| {
        socket.send(Message::text(value.to_string()))
    };
    if !greet(socket, version, state)? {
        return socket.close(None);
    }
    let mut last_id = 0;
    let restarts = state.lock().unwrap().restarts;
    let mut subscribed = None;
    let mut told = 0;
    let short = Some(Duration::from_millis(20));
    socket.get_ref().set_read_timeout(short)?;
    loop {
        let command = match heard(socket) {
            Err(tungstenite::Error::Io(error)) if is_idle(&error) => {
                if state.lock().unwrap().restarts != restarts {
                    return Ok(());
                }
                if let Some(id) = subscribed {
                    told = tell_news(socket, id, told, state)?;
                }
                continue;
            }
            command => command?,
        };
        let id = command["id"].as_u64().unwrap();
        assert!(id > last_id, "{command}");
        last_id = id;
        let answer = {
            let mut state = state.lock().unwrap();
            if state.closes_at == Some(state.commands.len()) {
                state.closes_at = None;
                return Ok(());
            }
            state.answer(&command, version == NEW)
        };
        if command["type"] == "ping" {
            say(socket, json!({"id": id, "type": "pong"}))?;
            continue;
        }
        let hostile = state.lock().unwrap().says;
        if let Some(texts) = hostile.and_then(|says| says(&command, id)) {
            for (pause, text) in texts {
                thread::sleep(pause);
                socket.send(Message::text(text))?;
            }
            continue;
        }
        answer_among_others(socket, id, answer)?;
        if command["type"] == "subscribe_entities" {
            subscribed = Some(id);
            let (first, known) = {
                let state = state.lock().unwrap();
                (state.first_event(&command), state.news.len())
            };
            told = known;
            say(socket, json!({"id": id, "type": "event", "event": first}))?;
        }
    }
}

fn answer_among_others(
    socket: &mut WebSocket<TcpStream>,
    id: u64,
    answer: Result<Value, &'static str>,
) -> Result<(), tungstenite::Error> {
    socket.send(Message::Ping(vec![1].into()))?;
    let other = json!({"id": id + 1_000, "type": "event", "event": {}});
    socket.send(Message::text(other.to_string()))?;
    let answer = match answer {
        Ok(result) => json!({"id": id, "type": "result", "success": true, "result": result}),
        Err(code) => json!({
            "id": id, "type": "result", "success": false, "error": {"code": code, "message": "no"},
        }),
    };
    socket.send(Message::text(answer.to_string()))
}

/// Signs a client in; returns whether its token is known.
fn greet(
    socket: &mut WebSocket<TcpStream>,
    version: &str,
    state: &Arc<Mutex<State>>,
) -> Result<bool, tungstenite::Error> {
    let tell = |socket: &mut WebSocket<TcpStream>, value: Value| {
        socket.send(Message::text(value.to_string()))
    };
    tell(
        socket,
        json!({"type": "auth_required", "ha_version": version}),
    )?;
    let auth = heard(socket)?;
    assert_eq!(auth["type"], "auth");
    if auth["access_token"] != TOKEN {
        state.lock().unwrap().failed_sign_ins += 1;
        tell(
            socket,
            json!({"type": "auth_invalid", "message": "Invalid access token or password"}),
        )?;
        return Ok(false);
    }
    tell(socket, json!({"type": "auth_ok", "ha_version": version}))?;
    Ok(true)
}

/// A time in seconds, as it has them.
#[expect(clippy::cast_precision_loss, reason = "times have fewer digits")]
fn seconds(ms: i64) -> f64 {
    ms as f64 / 1e3
}

/// Tells a subscriber the states that it was not told; returns how many were.
fn tell_news(
    socket: &mut WebSocket<TcpStream>,
    id: u64,
    told: usize,
    state: &Arc<Mutex<State>>,
) -> Result<usize, tungstenite::Error> {
    let news: Vec<_> = state
        .lock()
        .unwrap()
        .news
        .iter()
        .skip(told)
        .cloned()
        .collect();
    let count = news.len();
    for (entity, time, text) in news {
        let mut said = json!({"s": text, "lc": seconds(time), "c": "x"});
        let mut state = state.lock().unwrap();
        let event = if state.absent.remove(&entity) {
            let unit = state.entities[&entity].unit;
            said["a"] = json!({"unit_of_measurement": unit});
            json!({"a": {entity: said}})
        } else {
            json!({"c": {entity: {"+": said}}})
        };
        drop(state);
        let event = json!({"id": id, "type": "event", "event": event});
        socket.send(Message::text(event.to_string()))?;
    }
    Ok(told + count)
}

fn is_idle(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    [TimedOut, WouldBlock].contains(&error.kind())
}

fn heard(socket: &mut WebSocket<TcpStream>) -> Result<Value, tungstenite::Error> {
    loop {
        if let Message::Text(text) = socket.read()? {
            return Ok(serde_json::from_str(text.as_str()).unwrap());
        }
    }
}

impl State {
    fn answer(&mut self, command: &Value, is_new: bool) -> Result<Value, &'static str> {
        let mut said = command.clone();
        said.as_object_mut().unwrap().remove("stats");
        self.commands.push(said);
        match command["type"].as_str().unwrap() {
            "energy/get_prefs" if self.prefs.is_null() => Err("not_found"),
            "energy/get_prefs" => Ok(self.prefs.clone()),
            "recorder/get_statistics_metadata" | "recorder/list_statistic_ids" => {
                Ok(self.metadata_of(command))
            }
            "history/history_during_period" => Ok(self.states_during(command)),
            "ping" | "subscribe_entities" => Ok(Value::Null),
            "get_config" => Ok(json!({
                "location_name": "Our <house>", "version": "2024.3.3", "currency": "EUR", "components": ["sun", "energy"],
            })),
            "auth/current_user" => Ok(json!({
                "id": "1", "name": "Anna", "is_owner": false, "is_admin": !self.is_for_reading,
                "credentials": [{"auth_provider_type": "homeassistant"}], "mfa_modules": [],
            })),
            "recorder/statistics_during_period" => Ok(self.during(command)),
            "recorder/import_statistics" => self.import(command, is_new),
            "recorder/clear_statistics" => {
                for id in command["statistic_ids"].as_array().unwrap() {
                    self.sums.remove(id.as_str().unwrap());
                }
                Ok(Value::Null)
            }
            _ => Err("unknown_command"),
        }
    }

    fn during(&self, command: &Value) -> Value {
        let time = |name: &str| {
            let text = command[name].as_str().unwrap();
            Timestamp::parse(text).unwrap().millis()
        };
        let range = time("start_time")..time("end_time");
        if command.get("units").is_some() {
            return self.values_during(command, range);
        }
        assert!(["hour", "month"].contains(&command["period"].as_str().unwrap()));
        let ids = command["statistic_ids"].as_array().unwrap().iter();
        let found = ids.filter_map(|id| {
            let id = id.as_str().unwrap();
            let hours = self.sums.get(id)?.range(range.clone());
            let hours: Vec<Value> = hours
                .map(|(start, sum)| json!({"start": start, "end": start + HOUR, "sum": sum}))
                .collect();
            (!hours.is_empty()).then(|| (id.to_owned(), hours.into()))
        });
        Value::Object(found.collect())
    }

    /// The states of entities, with their attributes.
    fn first_event(&self, command: &Value) -> Value {
        let ids = command["entity_ids"].as_array().unwrap().iter();
        let found = ids.filter_map(|id| {
            let id = id.as_str().filter(|id| !self.absent.contains(*id))?;
            let entity = self.entities.get(id)?;
            let (time, text) = entity.states.last()?;
            let changed = seconds(*time);
            let attributes = json!({"unit_of_measurement": entity.unit, "friendly_name": "x"});
            let state = json!({"s": text, "a": attributes, "c": "x", "lc": changed});
            Some((id.to_owned(), state))
        });
        json!({"a": Value::Object(found.collect())})
    }

    fn metadata_of(&self, command: &Value) -> Value {
        let wanted = command["statistic_ids"].as_array();
        let kind = command["statistic_type"].as_str();
        let all = self.entities.iter().filter(|(id, entity)| {
            let is_energy = ["Wh", "kWh"].contains(&entity.unit);
            wanted.is_none_or(|wanted| wanted.contains(&json!(id)))
                && kind.is_none_or(|kind| (kind == "sum") == is_energy)
        });
        let all = all.map(|(id, entity)| {
            let class = match entity.unit {
                "W" | "kW" => json!("power"),
                "Wh" | "kWh" => json!("energy"),
                _ => Value::Null,
            };
            let is_energy = ["Wh", "kWh"].contains(&entity.unit);
            let source = if id.contains(':') { "other" } else { "recorder" };
            json!({
                "statistic_id": id, "source": source, "name": null, "unit_class": class,
                "display_unit_of_measurement": entity.unit, "statistics_unit_of_measurement": entity.unit,
                "has_sum": is_energy, "has_mean": !is_energy,
            })
        });
        all.collect()
    }

    /// Its statistics in watt-hours and watts, as `units` asks for.
    fn values_during(&self, command: &Value, range: std::ops::Range<i64>) -> Value {
        assert_eq!(command["units"], json!({"energy": "Wh", "power": "W"}));
        let period = command["period"].as_str().unwrap();
        let ids = command["statistic_ids"].as_array().unwrap().iter();
        let found = ids.filter_map(|id| {
            let entity = self.entities.get(id.as_str().unwrap())?;
            let factor = if entity.unit.starts_with('k') { 1e3 } else { 1.0 };
            let rows = match period {
                "5minute" => &entity.fine,
                _ => &entity.hours,
            };
            let rows = rows.iter().filter(|row| range.contains(&row.0));
            let mut rows: Vec<_> = rows.copied().collect();
            if period == "month" {
                // With the values at its end.
                rows.dedup_by(|later, first| {
                    let month = |row: &(i64, f64, f64)| row.0 / (31 * 24 * HOUR);
                    let is_same = month(later) == month(first);
                    if is_same {
                        (first.1, first.2) = (later.1, later.2);
                    }
                    is_same
                });
            }
            let rows = rows.into_iter().map(|(start, state, sum)| {
                if ["Wh", "kWh"].contains(&entity.unit) {
                    json!({"start": start, "end": start + HOUR, "state": state * factor, "sum": sum * factor})
                } else {
                    json!({"start": start, "end": start + HOUR, "mean": state * factor})
                }
            });
            let rows: Vec<Value> = rows.collect();
            (!rows.is_empty()).then(|| (id.as_str().unwrap().to_owned(), rows.into()))
        });
        Value::Object(found.collect())
    }

    fn states_during(&self, command: &Value) -> Value {
        let time = |name: &str| {
            let text = command[name].as_str().unwrap();
            Timestamp::parse(text).unwrap().millis()
        };
        let written = super::house::now() - self.written_after;
        let range = time("start_time")..time("end_time").min(written);
        let ids = command["entity_ids"].as_array().unwrap().iter();
        let found = ids.filter_map(|id| {
            let entity = self.entities.get(id.as_str().unwrap())?;
            let states = entity
                .states
                .iter()
                .filter(|state| range.contains(&state.0));
            let states = states.map(|(time, text)| json!({"s": text, "lu": seconds(*time)}));
            let states: Vec<Value> = states.collect();
            (!states.is_empty()).then(|| (id.as_str().unwrap().to_owned(), states.into()))
        });
        Value::Object(found.collect())
    }

    /// Tells a new state.
    pub(crate) fn tell(&mut self, entity: &str, time: i64, text: &str) {
        let known = self.entities.get_mut(entity).unwrap();
        known.states.push((time, text.to_owned()));
        self.news.push((entity.to_owned(), time, text.to_owned()));
    }

    /// With the checks of its schemas: each version refuses keys that it does not know.
    fn import(&mut self, command: &Value, is_new: bool) -> Result<Value, &'static str> {
        if let Some(code) = self.refuses {
            return Err(code);
        }
        let metadata = command["metadata"].as_object().unwrap();
        let mut keys = BTreeSet::from([
            "has_sum",
            "name",
            "source",
            "statistic_id",
            "unit_of_measurement",
        ]);
        if is_new {
            keys.extend(["mean_type", "unit_class"]);
        } else {
            keys.insert("has_mean");
        }
        if metadata.keys().map(String::as_str).collect::<BTreeSet<_>>() != keys {
            return Err("invalid_format");
        }
        let id = metadata["statistic_id"].as_str().unwrap().to_owned();
        let (source, name) = id.split_once(':').unwrap();
        let is_slug = !name.contains("__")
            && !name.starts_with('_')
            && !name.ends_with('_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_slug || metadata["source"] != source {
            return Err("home_assistant_error");
        }
        for hour in command["stats"].as_array().unwrap() {
            let start = Timestamp::parse(hour["start"].as_str().unwrap())
                .unwrap()
                .millis();
            assert_eq!(start % HOUR, 0, "{hour}");
            assert_eq!(hour["state"], hour["sum"]);
            let sum = hour["sum"].as_f64().unwrap();
            self.sums.entry(id.clone()).or_default().insert(start, sum);
            self.imported.push((id.clone(), start));
        }
        self.metadata.insert(id, command["metadata"].clone());
        Ok(Value::Null)
    }
}
