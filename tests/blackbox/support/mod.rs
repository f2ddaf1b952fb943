//! A whole service for a test: a throwaway store, a clock that only the test moves, an account
//! `home` with a credential and the sensor `house`.

mod client;
mod sign_in;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use wattkeeper::Config;
use wattkeeper::Moment;
use wattkeeper::Role;
use wattkeeper::SentParts;
use wattkeeper::Timestamp;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, ApiId, ApiKey, Credential, Phases, Plan, Scope};
use wattkeeper::{Clock, Server, ServerError, ServerHandle};
use wattkeeper::{Measures, Reading};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Sensor, SensorId};
use wattkeeper::{Store, StoreError};

use crate::backend::TestBackend;

pub(crate) use client::{Connection, Head, Response, request};
pub(crate) use sign_in::{
    RIGHT, WRONG, basic, both_as, download_as, house_basic, key_of, upload_as,
};

/// The service's time at the start of a test.
pub(crate) const START: &str = "2026-01-05T10:30:00.000Z";
pub(crate) const ACCOUNT: &str = "home";
pub(crate) const SENSOR: &str = "house";
pub(crate) const API_ID: &str = "house-id";
pub(crate) const API_KEY: &str = "house-id-S3CRET";
pub(crate) const ELEC: &str = "/api/v0.2/elec";
pub(crate) const SENSORS: &str = "/api/v0.2/sensors";
pub(crate) const NOTICES: &str = "/api/v0.2/notices";

pub(crate) const SECOND: i64 = 1_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const HOUR: i64 = 60 * MINUTE;

/// The time that `text` means.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

/// A clock that stands still until the test moves it.
#[derive(Clone)]
pub(crate) struct TestClock {
    /// Milliseconds since 1970.
    time: Arc<AtomicI64>,
    /// Milliseconds that passed, regardless of changes to the time.
    elapsed: Arc<AtomicU64>,
}

impl TestClock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.time.load(Ordering::SeqCst)).unwrap()
    }

    pub(crate) fn set(&self, time: Timestamp) {
        self.time.store(time.millis(), Ordering::SeqCst);
    }

    /// Lets this many milliseconds pass; a negative number sets the clock back.
    pub(crate) fn advance(&self, ms: i64) {
        self.jump(ms);
        let passed = u64::try_from(ms).unwrap_or(0);
        self.elapsed.fetch_add(passed, Ordering::SeqCst);
    }

    /// Moves the time by this many milliseconds, forward or back, without any passing.
    pub(crate) fn jump(&self, ms: i64) {
        self.set(self.now().saturating_add_millis(ms));
    }

    fn as_clock(&self) -> Clock {
        let clock = self.clone();
        Arc::new(move || Moment {
            time: clock.now(),
            elapsed: Duration::from_millis(clock.elapsed.load(Ordering::SeqCst)),
        })
    }
}

/// A service that runs in this process.
pub(crate) struct Service {
    pub(crate) clock: TestClock,
    config: Config,
    backend: TestBackend,
    running: Option<Running>,
    // Dropped last: the folder outlives the store in it.
    data_dir: TempDir,
}

struct Running {
    address: SocketAddr,
    store: Arc<Store>,
    setup: Option<String>,
    handle: ServerHandle,
    thread: JoinHandle<Result<(), ServerError>>,
}

impl Service {
    /// A running service with the account `home`, its credential and its sensor `house`.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| {})
    }

    /// The same with settings changed by `tune`.
    pub(crate) fn start_with(tune: impl FnOnce(&mut Config)) -> Self {
        let service = Self::start_at(TestBackend::new(), tune);
        service.register_house();
        service
    }

    /// A running service, whose store is in the backend under test, with its accounts, sensors and
    /// keys.
    pub(crate) fn start_at(backend: TestBackend, tune: impl FnOnce(&mut Config)) -> Self {
        let data_dir = tempfile::tempdir().unwrap();
        let mut config = Config {
            data_dir: data_dir.path().join("data"),
            ..Config::default()
        };
        config.http.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        config.http.workers = 2;
        backend.configure(&mut config.store);
        tune(&mut config);
        let clock = TestClock {
            time: Arc::new(AtomicI64::new(at(START).millis())),
            elapsed: Arc::default(),
        };
        Self {
            running: Some(Running::start(&config, &clock)),
            clock,
            config,
            backend,
            data_dir,
        }
    }

    /// Stops the service gracefully and starts it again on the same folder.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.running = Some(Running::start(&self.config, &self.clock));
    }

    /// Stops the service gracefully; its folder stays.
    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.handle.stop();
            running.thread.join().unwrap().unwrap();
        }
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("the service runs")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.running().address
    }

    /// Where its store lives.
    pub(crate) const fn backend(&self) -> &TestBackend {
        &self.backend
    }

    pub(crate) fn data_dir(&self) -> &std::path::Path {
        self.data_dir.path()
    }

    /// Path and query of the page that sets the administrator's password; `None` if it was set
    /// before the start.
    pub(crate) fn setup_address(&self) -> Option<&str> {
        self.running().setup.as_deref()
    }

    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.running().store
    }

    // ---- accounts, sensors and keys ----

    pub(crate) fn register_house(&self) {
        self.add_account(ACCOUNT, Plan::Paid);
        self.add_key(ACCOUNT, API_ID, Scope::Full);
        self.add_sensor(ACCOUNT, SENSOR);
    }

    pub(crate) fn add_account(&self, name: &str, plan: Plan) {
        let account = Account {
            name: AccountName::new(name).unwrap(),
            plan,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: self.clock.now(),
        };
        self.store()
            .edit(move |edit| edit.put_account(account))
            .unwrap();
    }

    /// Adds a credential. Its key is its `api_id` followed by `-S3CRET`.
    pub(crate) fn add_key(&self, account: &str, api_id: &str, scope: Scope) {
        self.add_key_with(account, api_id, scope, &key_of(api_id));
    }

    /// Adds a credential with this key.
    pub(crate) fn add_key_with(&self, account: &str, api_id: &str, scope: Scope, key: &str) {
        let credential = Credential {
            api_id: ApiId::new(api_id).unwrap(),
            account: AccountName::new(account).unwrap(),
            scope,
            label: String::new(),
            key_hash: ApiKey::new(key).unwrap().hash(),
            created: self.clock.now(),
        };
        self.store()
            .edit(move |edit| edit.put_credential(credential))
            .unwrap();
    }

    pub(crate) fn revoke_key(&self, api_id: &str) {
        let api_id = ApiId::new(api_id).unwrap();
        self.store()
            .edit(move |edit| edit.remove_credential(&api_id))
            .unwrap();
    }

    pub(crate) fn add_sensor(&self, account: &str, id: &str) {
        self.put_sensor(account, id, true);
    }

    /// Revokes a sensor's authorization.
    pub(crate) fn revoke_sensor(&self, account: &str, id: &str) {
        self.put_sensor(account, id, false);
    }

    fn put_sensor(&self, account: &str, id: &str, authorized: bool) {
        let sensor = Sensor {
            id: SensorId::new(id).unwrap(),
            account: AccountName::new(account).unwrap(),
            name: format!("the {id}"),
            authorized,
            role: Role::Grid,
            meter: Meter::new(MeterKind::Net),
            part_of: None,
            silent_after: None,
            is_announced: true,
            sent_parts: SentParts::default(),
            created: self.clock.now(),
        };
        self.store().put_sensor_durably(sensor).unwrap();
    }

    // ---- readings ----

    /// Stores history of the house as an import does: it does not count as an arrival.
    pub(crate) fn import(&self, readings: &[Reading]) {
        let sensor = SensorId::new(SENSOR).unwrap();
        for chunk in readings.chunks(Store::IMPORT_CHUNK) {
            self.store()
                .import_durably(&sensor, chunk.to_vec())
                .unwrap();
        }
    }

    /// Sends a request on a new connection.
    pub(crate) fn send(&self, request: &[u8]) -> Response {
        until_processed(|| {
            let answer = Connection::open(self.address()).exchange(request);
            (answer.status(), answer)
        })
    }

    /// `POST /elec` with this body.
    pub(crate) fn post(&self, body: impl AsRef<[u8]>) -> Response {
        let headers = [("Content-Type", "application/json")];
        self.send(&request("POST", ELEC, &headers, body.as_ref()))
    }

    /// Uploads for the house: `fields`, with sensor and credentials added unless present.
    pub(crate) fn upload(&self, fields: &Value) -> Response {
        self.post(with_house(fields).to_string())
    }

    /// Uploads for the house; must be accepted as one reading.
    #[track_caller]
    pub(crate) fn accept(&self, fields: &Value) {
        self.upload(fields).assert_json(r#"{"accepted":1}"#);
    }

    /// `GET /elec` with exactly this query.
    pub(crate) fn get(&self, query: &str) -> Response {
        self.send(&request("GET", &format!("{ELEC}?{query}"), &[], b""))
    }

    /// `GET /elec` for the house with its credentials and these further parameters.
    pub(crate) fn ask(&self, parameters: &str) -> Response {
        self.get(&format!(
            "sensor_id={SENSOR}&api_id={API_ID}&api_key={API_KEY}&{parameters}"
        ))
    }

    /// The answer for a type over a range.
    pub(crate) fn result(&self, kind: &str, start: &str, end: &str) -> Response {
        self.ask(&format!("type={kind}&start_time={start}&end_time={end}"))
    }

    /// The points of a result, times as text.
    #[track_caller]
    pub(crate) fn points(&self, kind: &str, start: &str, end: &str) -> Vec<(String, f64)> {
        points_of(&self.result(kind, start, end))
    }

    /// All power readings of the house.
    #[track_caller]
    pub(crate) fn all_watts(&self) -> Vec<(String, f64)> {
        self.points("rate", "0000-01-01", "9999-12-31")
    }

    /// The notices of the house's account, after the service has updated them.
    #[track_caller]
    pub(crate) fn notices(&self) -> Value {
        let headers = [("Authorization", house_basic())];
        let headers = headers
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let answer = self.send(&request("GET", NOTICES, &headers, b""));
        assert_eq!(answer.status(), 200, "{}", answer.text());
        answer.json()["notices"].clone()
    }

    /// Waits until the ids of the notices are as expected.
    #[track_caller]
    pub(crate) fn await_notices(&self, expected: &[&str]) -> Value {
        let begun = Instant::now();
        loop {
            let notices = self.notices();
            let rows = notices.as_array().unwrap();
            let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
            if ids == expected {
                return notices;
            }
            assert!(begun.elapsed() < Duration::from_mins(2), "{notices}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The entry of a sensor in `GET /sensors`.
    #[track_caller]
    pub(crate) fn sensor(&self, id: &str) -> Value {
        let answer = self.send(&request(
            "GET",
            SENSORS,
            &[("Authorization", &house_basic())],
            b"",
        ));
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let list = answer.json();
        let entries = list["sensors"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["sensor_id"] == id);
        entry.unwrap_or_else(|| panic!("no {id} in {list}")).clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.handle.stop();
            // A failure here must not hide the test's own.
            let _ = running.thread.join();
        }
    }
}

impl Running {
    fn start(config: &Config, clock: &TestClock) -> Self {
        let (config, clock) = (config.clone(), clock.as_clock());
        let (sender, receiver) = mpsc::channel();
        // Built where it runs: a server need not be able to change threads.
        let thread = thread::spawn(move || {
            let server = build(&config, &clock)?;
            let parts = (
                server.address(),
                server.store(),
                server.setup_address(),
                server.handle(),
            );
            sender.send(parts).expect("the test waits");
            server.run_until_stopped(|| {})
        });
        match receiver.recv() {
            Ok((address, store, setup, handle)) => Self {
                address,
                store,
                setup,
                handle,
                thread,
            },
            Err(mpsc::RecvError) => panic!("no server: {:?}", thread.join().map(Result::err)),
        }
    }
}

/// Repeats an exchange until its status is not 408: a slow machine may take longer to send a
/// request than the service waits for it, above all if the test made the service impatient.
pub(crate) fn until_processed<T>(mut exchange: impl FnMut() -> (u16, T)) -> T {
    loop {
        match exchange() {
            (408, _) => {}
            (_, answer) => return answer,
        }
    }
}

/// Builds a server on a folder that another one may have closed a moment ago. Its threads may still
/// be ending, and a process that another test is starting holds a copy of the lock until it execs.
fn build(config: &Config, clock: &Clock) -> Result<Server, ServerError> {
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        match Server::build(config, Arc::clone(clock)) {
            Err(ServerError::Open(StoreError::Locked { .. })) if Instant::now() < deadline => {
                thread::sleep(Duration::from_millis(10));
            }
            built => return built,
        }
    }
}

/// An upload's fields, with the house's sensor and credentials added unless present.
pub(crate) fn with_house(fields: &Value) -> Value {
    let mut upload = json!({"sensor_id": SENSOR, "api_id": API_ID, "api_key": API_KEY});
    let fields = fields.as_object().unwrap().clone();
    upload.as_object_mut().unwrap().extend(fields);
    upload
}

/// The points of an answer, which must have exactly the documented shape.
#[track_caller]
pub(crate) fn points_of(answer: &Response) -> Vec<(String, f64)> {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(answer.head.header("content-type"), Some("application/json"));
    let result = answer.json();
    assert_eq!(keys_of(&result), ["data", "units"]);
    let points = result["data"].as_array().unwrap();
    points
        .iter()
        .map(|point| {
            assert_eq!(keys_of(point), ["t", "v"]);
            let time = point["t"].as_str().unwrap().to_owned();
            (time, point["v"].as_f64().unwrap())
        })
        .collect()
}

fn keys_of(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// Shorthand for expected points.
pub(crate) fn points<const N: usize>(expected: [(&str, f64); N]) -> Vec<(String, f64)> {
    expected
        .map(|(time, value)| (time.to_owned(), value))
        .to_vec()
}

/// A reading of power.
pub(crate) fn power(time: Timestamp, watts: f64) -> Reading {
    Reading {
        time,
        measures: Measures::new(Some(watts), None).unwrap(),
    }
}

/// A reading of a register.
pub(crate) fn register(time: Timestamp, watthours: f64) -> Reading {
    Reading {
        time,
        measures: Measures::new(None, Some(watthours)).unwrap(),
    }
}
