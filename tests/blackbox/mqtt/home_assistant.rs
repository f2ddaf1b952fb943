//! Home Assistant itself (`home_assistant.py`): its entities by MQTT discovery and as a reader of
//! Emoncms, and its energy sums.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::{House, eventually};
use crate::place::{Serving, wait};
use crate::port::free_port;

/// The Python that `scripts/test` sets up with it.
const PYTHON: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/target/venv-homeassistant/bin/python"
);
const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/blackbox/mqtt/home_assistant.py"
);

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;
/// 2026-01-05T00:00:00Z, long ago; all is uploaded late.
const MIDNIGHT: u64 = 1_767_571_200;

/// It at work, with a folder of its own.
pub(crate) struct HomeAssistant {
    /// Its address, and the token of an administrator.
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) folder: TempDir,
    /// What it was started with.
    config: Value,
    child: Child,
    questions: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl HomeAssistant {
    /// With the broker, and with the feeds of the service; its clock stands at `now`.
    pub(crate) fn start(broker: &Mosquitto, house: &House, serving: &Serving, now: u64) -> Self {
        let more = json!({"broker": broker.port, "now": now, "emoncms": serving.url, "key": house.token()});
        Self::with(more, &["mqtt", "recorder", "emoncms.sensor"])
    }

    /// With its Energy dashboard alone; its clock is that of the machine, or stands at a time.
    pub(crate) fn alone(now: Option<u64>) -> Self {
        let of_commits = json!({"now": now, "commit_interval": 5});
        Self::with(of_commits, &["recorder", "history", "energy"])
    }

    fn with(mut config: Value, components: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        config["folder"] = json!(folder.path());
        config["port"] = port.into();
        let (child, questions, answers) = started(&config, &folder);
        let mut started = Self {
            url: format!("http://127.0.0.1:{port}"),
            token: String::new(),
            folder,
            config,
            child,
            questions,
            answers,
        };
        let ready = started.answer();
        ready["token"]
            .as_str()
            .unwrap()
            .clone_into(&mut started.token);
        for component in components {
            let all = ready["ready"].as_array().unwrap();
            assert!(
                all.contains(&(*component).into()),
                "{ready}: {}",
                started.log()
            );
        }
        started
    }

    /// Kills it, as a power cut does, or stops it.
    pub(crate) fn end(&mut self, is_kill: bool) {
        self.questions = None;
        if is_kill {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        } else {
            assert_eq!(wait(&mut self.child), Some(0), "{}", self.log());
        }
    }

    /// Starts again what was killed or stopped, at the same address.
    pub(crate) fn start_again(&mut self) {
        self.config["token"] = self.token.clone().into();
        (self.child, self.questions, self.answers) = started(&self.config, &self.folder);
        self.answer();
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    #[track_caller]
    fn answer(&mut self) -> Value {
        let line = self.answers.next().and_then(Result::ok);
        let line = line.unwrap_or_else(|| panic!("{}", self.log()));
        serde_json::from_str(&line).unwrap()
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, question: &Value) -> Value {
        let questions = self.questions.as_mut().unwrap();
        writeln!(questions, "{question}").unwrap();
        self.answer()
    }

    /// Its clock goes on to a time, in seconds since 1970.
    #[track_caller]
    fn set_clock(&mut self, now: u64) {
        assert_eq!(self.ask(&json!({ "at": now })), Value::Null);
    }

    /// Waits until entities have these states.
    #[track_caller]
    fn wait_for(&mut self, states: &Value) {
        let others = self.ask(&json!({ "wait_for": states }));
        assert_eq!(others, Value::Null, "{states} in {}", self.log());
    }

    /// Its state of an entity.
    #[track_caller]
    fn entity(&mut self, name: &str) -> Value {
        self.ask(&json!({ "entities": [name] }))[name].take()
    }

    /// Its energy of an entity in each hour of a day, in watt-hours.
    #[track_caller]
    fn hours(&mut self, entity: &str, day: u64) -> Vec<f64> {
        let question = json!({"entities": [entity], "from": day, "to": day + DAY});
        let all = self.ask(&json!({ "statistics": question }));
        let rows = all[entity].as_array().unwrap_or_else(|| panic!("{all}"));
        let sums: Vec<f64> = rows
            .iter()
            .map(|row| row["sum"].as_f64().unwrap())
            .collect();
        let before = [&[0.0], sums.as_slice()].concat();
        before
            .iter()
            .zip(&sums)
            .map(|(before, sum)| sum - before)
            .collect()
    }

    /// Its sums of a statistic in the hours from one time until another, each with its start, in
    /// seconds since 1970.
    #[track_caller]
    pub(crate) fn sums(&mut self, id: &str, (from, to): (u64, u64)) -> Vec<(f64, f64)> {
        let question = json!({"entities": [id], "from": from, "to": to});
        let all = self.ask(&json!({ "statistics": question }));
        let rows = all[id].as_array().cloned().unwrap_or_default();
        let number = |row: &Value, name: &str| row[name].as_f64().unwrap();
        rows.iter()
            .map(|row| (number(row, "start"), number(row, "sum")))
            .collect()
    }

    pub(crate) fn stop(mut self) {
        self.questions = None;
        assert_eq!(wait(&mut self.child), Some(0), "{}", self.log());
    }
}

impl Drop for HomeAssistant {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn started(
    config: &Value,
    folder: &TempDir,
) -> (Child, Option<ChildStdin>, Lines<BufReader<ChildStdout>>) {
    let log = File::create(folder.path().join("log")).unwrap();
    let mut child = Command::new(PYTHON)
        .args([SCRIPT, &config.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let questions = child.stdin.take();
    (child, questions, answers)
}

/// The registers at the start of the day.
const METER: f64 = 5_000_000.0;
const HOUSE: f64 = 7_000_000.0;
/// In this hour, both meters are replaced by others that begin with 0.
const REPLACED: u64 = 12;

/// The meter's energy in an hour of the day, without feed-in.
fn of_meter(hour: u64) -> f64 {
    100.5 + f64::from(u32::try_from(hour * 370 % 500).unwrap())
}

/// The same of the house, where the sun shines for a part of the day.
fn of_house(hour: u64) -> f64 {
    f64::from(u32::try_from(hour * 530 % 2_000).unwrap()) - 800.25
}

fn service(broker: &Mosquitto) -> (House, Serving) {
    let settings = "[home_assistant]\ndiscovery = true\n[[mqtt.subscriptions]]\n\
        topic = \"statestream/sensor/boiler_energy/state\"\nsensor = \"boiler\"\nwatthours = \"\"\nwatthours_unit = \"kWh\"";
    let sensors = ["house", "meter", "silent", "boiler"];
    let house = House::new(broker.port, &sensors, settings);
    for set in [
        ["house", "--role", "grid", "--register", "net"].as_slice(),
        &["meter", "--register", "counter"],
        &["silent", "--silent-after", "1m"],
    ] {
        house.place.ok(&[&["sensor", "set"], set].concat());
    }
    let serving = house.serve();
    (house, serving)
}

#[test]
#[ignore = "needs mosquitto and homeassistant"]
fn homeassistant_shows_and_counts_what_we_do_by_mosquitto() {
    let broker = Mosquitto::start();
    let (house, serving) = service(&broker);
    let upload = |sensor: &str, time: u64, watthours: f64| {
        let reading = json!({"sensor_id": sensor, "time": time_of(time), "watthours": watthours, "watts": 240.5});
        house.post(&serving, &reading);
    };
    house.post(&serving, &json!({"sensor_id": "silent", "watts": 100}));
    upload("meter", MIDNIGHT, METER);
    upload("house", MIDNIGHT, HOUSE);
    let mut home = HomeAssistant::start(&broker, &house, &serving, MIDNIGHT + 30);
    home.wait_for(&json!({"sensor.house_energy": HOUSE, "sensor.meter_energy": METER}));
    assert_shown(&mut home);
    let (mut meter, mut net) = (METER, HOUSE);
    for hour in 0..24 {
        let (start, half_past) = (MIDNIGHT + hour * HOUR + 60, MIDNIGHT + hour * HOUR + 1_800);
        if hour == REPLACED {
            (meter, net) = (0.0, 0.0);
            home.set_clock(start);
        }
        // Nothing flows around full hours, so that each hour is known exactly.
        upload("meter", start, meter);
        upload("house", start, net);
        if hour == REPLACED {
            home.wait_for(&json!({"sensor.house_energy": 0, "sensor.meter_energy": 0}));
        }
        (meter, net) = (meter + of_meter(hour), net + of_house(hour));
        home.set_clock(half_past);
        upload("meter", half_past, meter);
        upload("house", half_past, net);
        home.wait_for(&json!({"sensor.house_energy": net, "sensor.meter_energy": meter}));
    }
    home.set_clock(MIDNIGHT + DAY + 300);
    for (sensor, counted) in [("meter", of_meter as fn(u64) -> f64), ("house", of_house)] {
        let theirs = home.hours(&format!("sensor.{sensor}_energy"), MIDNIGHT);
        let ours = hours(&house, &serving, sensor, MIDNIGHT);
        assert_eq!((theirs.len(), ours.len()), (24, 24), "{}", home.log());
        for (hour, (theirs, ours)) in (0..).zip(theirs.into_iter().zip(ours)) {
            let is_near = |one: f64, other: f64| (one - other).abs() < 1e-3;
            assert!(
                is_near(theirs, ours) && is_near(ours, counted(hour)),
                "{sensor} at {hour}: theirs {theirs}, ours {ours}, uploaded {}",
                counted(hour)
            );
        }
    }
    // The newest values of feeds, to the hundredth; one has none.
    home.wait_for(&json!({
        "sensor.emoncms_meter_power": 240.5, "sensor.emoncms_meter_energy": (meter * 100.0).round() / 100.0,
        "sensor.emoncms_house_energy": (net * 100.0).round() / 100.0, "sensor.emoncms_silent_power": 100,
        "sensor.emoncms_silent_energy": "unknown",
    }));
    assert_silent(&mut home, &house, &serving);
    assert_outage(&mut home, &house, serving);
    home.stop();
}

/// Its statestream sends no times. Its messages of an outage of the service make one register, at
/// the moment of the return.
fn assert_outage(home: &mut HomeAssistant, house: &House, serving: Serving) {
    let mut set = |kilowatthours: f64| {
        let states = json!({"sensor.boiler_energy": kilowatthours.to_string()});
        assert_eq!(home.ask(&json!({ "set": states })), Value::Null);
    };
    set(1.0);
    house.wait_for("boiler", 1);
    serving.stop();
    for hundredths in 1_u32..=480 {
        set(1.0 + f64::from(hundredths) / 60.0);
    }
    let serving = house.serve();
    eventually("the register", || {
        let last = house.readings("boiler").pop()?;
        (last.2 == Some(9_000.0)).then_some(())
    });
    let registers: Vec<_> = house.readings("boiler").iter().map(|it| it.2).collect();
    assert_eq!(registers, [Some(1_000.0), Some(9_000.0)]);
    serving.stop();
}

/// Names, units, classes, the device and its model.
fn assert_shown(home: &mut HomeAssistant) {
    for (entity, name, class, unit, state_class, model) in [
        (
            "house_energy",
            "house Energy",
            "energy",
            "Wh",
            "total",
            "grid",
        ),
        (
            "house_power",
            "house Power",
            "power",
            "W",
            "measurement",
            "grid",
        ),
        (
            "meter_energy",
            "meter Energy",
            "energy",
            "Wh",
            "total_increasing",
            "sub-meter",
        ),
    ] {
        let shown = home.entity(&format!("sensor.{entity}"));
        let attributes = &shown["attributes"];
        let known = [
            "friendly_name",
            "device_class",
            "unit_of_measurement",
            "state_class",
        ];
        assert_eq!(
            known.map(|key| attributes[key].as_str().unwrap_or_default()),
            [name, class, unit, state_class],
            "{shown}"
        );
        assert_eq!(
            (&shown["manufacturer"], &shown["model"]),
            (&json!("wattkeeper"), &json!(model))
        );
        assert_eq!(shown["precision"], 0, "{shown}");
    }
    assert_eq!(home.entity("binary_sensor.house_problem")["state"], "off");
}

/// A sensor that went silent, comes back, loses its readings, and is taken back.
fn assert_silent(home: &mut HomeAssistant, house: &House, serving: &Serving) {
    home.wait_for(&json!({"sensor.silent_power": "unavailable", "sensor.house_power": 240.5}));
    house.post(serving, &json!({"sensor_id": "silent", "watts": 150}));
    home.wait_for(&json!({"sensor.silent_power": 150}));
    let range = ["--start", "1970-01-01", "--end", "2100-01-01", "--yes"];
    let delete = ["readings", "delete", "--sensor", "silent"];
    house.place.ok(&[&delete[..], &range].concat());
    home.wait_for(&json!({"sensor.silent_power": "unknown"}));
    house
        .place
        .ok(&["sensor", "set", "silent", "--home-assistant", "off"]);
    eventually("its removal", || {
        home.entity("sensor.silent_power").is_null().then_some(())
    });
}

/// The ledger's energy of each hour: import less export, in watt-hours.
fn hours(house: &House, serving: &Serving, sensor: &str, day: u64) -> Vec<f64> {
    let net = |hour: u64| {
        let (start, end) = (time_of(day + hour * HOUR), time_of(day + (hour + 1) * HOUR));
        let range = format!("start_time={start}&end_time={end}");
        let answer = house.get(
            serving,
            &format!("sensor_id={sensor}&type=net_consumption&corrected=1&{range}"),
        );
        answer["data"][0]["v"]
            .as_f64()
            .unwrap_or_else(|| panic!("{answer}"))
    };
    (0..24).map(net).collect()
}

fn time_of(seconds: u64) -> String {
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).unwrap()).unwrap();
    time.to_string()
}
