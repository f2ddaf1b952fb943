//! The real binary on its own data dir, and the store that it leaves.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};
use wattkeeper::Role;
use wattkeeper::SentParts;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, ApiId, ApiKey, Credential, Phases, Plan, Scope};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{OpenMode, Store, StoreError, StoreSettings};
use wattkeeper::{Sensor, SensorId};
use wattkeeper::{TimeRange, Timestamp};

use crate::truth::{Readings, Truth};

/// Anything slower is a hang.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);
pub(crate) const SENSORS: [&str; 4] = ["one", "two", "three", "four"];
const ACCOUNT: &str = "home";
pub(crate) const API_ID: &str = "home-id";
pub(crate) const API_KEY: &str = "home-id-S3CRET";

/// A folder with `data`, the data dir, with an account, its credential and [`SENSORS`], and `said`,
/// the stderr of services.
pub(crate) struct Place {
    dir: TempDir,
    /// The number of readings in a block: few, so that it seals often.
    block_readings: usize,
}

/// A running `serve`; it is killed when dropped.
pub(crate) struct Service {
    pub(crate) child: Child,
    url: String,
    agent: ureq::Agent,
    said: PathBuf,
}

/// The end of a `serve`: its exit status, `None` after a signal, and its stderr.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) said: String,
}

/// The words of a service that only serves the page of a repair.
const NOT_OPEN: &str = "The store is not open. Open this to repair it";

impl Place {
    /// With a store, an account, a credential and sensors.
    pub(crate) fn new() -> Self {
        let place = Self::empty();
        register(&open(&place.data_dir(), OpenMode::CreateIfMissing).unwrap());
        place
    }

    /// The same, with this number of readings in a block.
    pub(crate) fn with_blocks_of(block_readings: usize) -> Self {
        Self {
            block_readings,
            ..Self::new()
        }
    }

    /// Without a store.
    pub(crate) fn empty() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("said")).unwrap();
        Self {
            dir,
            block_readings: 16,
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.path().join("data")
    }

    /// The command, not yet run.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattkeeper"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("WATTKEEPER_") {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.dir.path())
            .env(
                "WATTKEEPER_STORE_BLOCK_READINGS",
                self.block_readings.to_string(),
            )
            .env("WATTKEEPER_LOG_LEVEL", "info,access=off")
            .env("RUST_BACKTRACE", "0")
            .arg("--data-dir")
            .arg(self.data_dir())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// Runs a command that reads `input`; returns its output if it succeeded.
    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> Option<String> {
        printed(self.begin(arguments, input))
    }

    /// The same, but kills it after a while.
    pub(crate) fn run_killed(
        &self,
        arguments: &[&str],
        input: &[u8],
        after: Duration,
    ) -> Option<String> {
        let mut child = self.begin(arguments, input);
        thread::sleep(after);
        // It may have ended.
        let _ = child.kill();
        printed(child)
    }

    fn begin(&self, arguments: &[&str], input: &[u8]) -> Child {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // It may end before reading anything.
        let _ = child.stdin.take().unwrap().write_all(input);
        child
    }

    pub(crate) fn serve_command(&self) -> Command {
        self.command(&["--json", "serve", "--listen", "127.0.0.1:0"])
    }

    pub(crate) fn serve(&self) -> Service {
        let started = self.start(self.serve_command());
        started.unwrap_or_else(|ended| panic!("{ended:?}"))
    }

    /// Starts a `serve`. It must become ready or fail. One that only serves the page of a repair is
    /// stopped.
    pub(crate) fn start(&self, mut command: Command) -> Result<Service, Ended> {
        // A file for each: one may still write while another starts.
        let said = NamedTempFile::new_in(self.dir.path().join("said"));
        let (stderr, said) = said.unwrap().keep().unwrap();
        command.stdout(Stdio::piped()).stderr(stderr);
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // Drain the output after the ready line, so that the pipe never fills up.
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE));
        let mut service = Service {
            child,
            url: String::new(),
            agent: config.build().new_agent(),
            said,
        };
        let begun = Instant::now();
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => {
                    let ready: Value = serde_json::from_str(&line).unwrap();
                    // The page of a repair says another word.
                    let Some(url) = ready["listening"].as_str() else {
                        return Err(service.stop());
                    };
                    url.clone_into(&mut service.url);
                    return Ok(service);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(service.ended()),
                // It stays for the page that repairs its store. Nobody does, and stops it.
                Err(mpsc::RecvTimeoutError::Timeout) if service.said().contains(NOT_OPEN) => {
                    return Err(service.stop());
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    assert!(begun.elapsed() < PATIENCE, "it hangs: {}", service.said());
                }
            }
        }
    }

    /// Opens the store and asserts that it is clean and complete.
    #[track_caller]
    pub(crate) fn assert_sound(&self, truth: &Truth) {
        let store = open(&self.data_dir(), OpenMode::Existing).unwrap();
        assert_eq!(store.check().problems, []);
        assert_nothing(&truth.breaches(u64::MAX, |sensor| readings(&store, sensor)));
        store.close().unwrap();
    }
}

impl Service {
    /// Uploads readings of a sensor with times in milliseconds; returns the status, `None` without
    /// an answer.
    pub(crate) fn upload(&self, sensor: &str, readings: &[(i64, f64)]) -> Option<u16> {
        let with_time =
            |(ms, watts): &(i64, f64)| json!({"time": at(*ms).to_string(), "watts": watts});
        let body = match readings {
            [one] => with_time(one),
            many => json!({"readings": many.iter().map(with_time).collect::<Vec<_>>()}),
        };
        self.post(sensor, body)
    }

    /// Uploads a reading without a time; returns the status.
    pub(crate) fn upload_untimed(&self, sensor: &str, watts: f64) -> Option<u16> {
        self.post(sensor, json!({"watts": watts}))
    }

    fn post(&self, sensor: &str, mut body: Value) -> Option<u16> {
        body["sensor_id"] = sensor.into();
        body["api_id"] = API_ID.into();
        body["api_key"] = API_KEY.into();
        let sent = self.agent.post(self.elec()).send(body.to_string());
        let mut answer = match sent {
            Err(ureq::Error::Timeout(_)) => panic!("an upload hangs: {}", self.said()),
            other => other.ok()?,
        };
        let text = answer.body_mut().read_to_string().ok()?;
        if answer.status().is_server_error() {
            assert!(text.contains("\"storage_"), "{text}");
        }
        Some(answer.status().as_u16())
    }

    /// All readings of a sensor; `None` if the answer is incomplete or an error.
    pub(crate) fn download(&self, sensor: &str) -> Option<Readings> {
        let url = format!(
            "{}?type=rate&sensor_id={sensor}&api_id={API_ID}&api_key={API_KEY}&start_time=0000-01-01&end_time=9999-12-31",
            self.elec()
        );
        let mut answer = match self.agent.get(url).call() {
            Err(ureq::Error::Timeout(_)) => panic!("a download hangs: {}", self.said()),
            other => other.ok()?,
        };
        let body = answer.body_mut().with_config().limit(1 << 30).read_to_vec();
        let result: Value = serde_json::from_slice(&body.ok()?).ok()?;
        let points = result["data"].as_array()?.iter();
        let reading = |point: &Value| {
            let time = Timestamp::parse(point["t"].as_str().unwrap()).unwrap();
            (time.millis(), point["v"].as_f64().unwrap())
        };
        Some(points.map(reading).collect())
    }

    /// The address that it listens on.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    fn elec(&self) -> String {
        format!("{}/api/v0.2/elec", self.url)
    }

    /// Asserts over HTTP that everything acknowledged is there, and nothing that was not sent.
    #[track_caller]
    pub(crate) fn assert_holds(&self, truth: &Truth) {
        assert_nothing(&truth.breaches(u64::MAX, |sensor| {
            self.download(sensor)
                .unwrap_or_else(|| panic!("a download fails: {}", self.said()))
        }));
    }

    /// Its stderr so far.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap()
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops it as a service manager does.
    pub(crate) fn stop(self) -> Ended {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", "TERM", &pid]).status();
        assert!(sent.unwrap().success());
        self.ended()
    }

    /// Waits for its end.
    fn ended(mut self) -> Ended {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Ended {
                    status: status.code(),
                    said: self.said(),
                };
            }
            assert!(begun.elapsed() < PATIENCE, "it hangs: {}", self.said());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Ended {
    /// Asserts that it ended by itself, and that its last line says why if it failed.
    #[track_caller]
    pub(crate) fn assert_clear(&self) {
        let last = self.said.lines().last().unwrap_or_default();
        let is_clear = self.status == Some(0)
            || self.status == Some(1) && last.starts_with("error: ") && last.len() > 20;
        assert!(is_clear, "{self:?}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a command, if it succeeded.
fn printed(command: Child) -> Option<String> {
    let output = command.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    output.status.success().then_some(printed)
}

/// Opens a store with small blocks. Retries while it is locked: a process that another test starts
/// shares the open lock until it runs its own program.
pub(crate) fn open(data_dir: &Path, mode: OpenMode) -> Result<Store, StoreError> {
    let settings = StoreSettings {
        block_readings: 16,
        ..StoreSettings::default()
    };
    let begun = Instant::now();
    loop {
        match Store::open(data_dir, settings, mode) {
            Err(StoreError::Locked { .. }) if begun.elapsed() < PATIENCE => {
                thread::sleep(Duration::from_millis(5));
            }
            opened => return opened,
        }
    }
}

/// All power readings of a sensor in an open store.
pub(crate) fn readings(store: &Store, sensor: &str) -> Readings {
    let mut scan = store.scan(&SensorId::new(sensor).unwrap(), TimeRange::ALL);
    let mut readings = Readings::new();
    while let Some(run) = scan.next_run().unwrap() {
        readings.extend(
            run.iter()
                .map(|reading| (reading.time.millis(), reading.measures.watts().unwrap())),
        );
    }
    readings
}

pub(crate) fn register(store: &Store) {
    let name = AccountName::new(ACCOUNT).unwrap();
    let account = Account {
        name: name.clone(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    let credential = Credential {
        api_id: ApiId::new(API_ID).unwrap(),
        account: name.clone(),
        scope: Scope::Full,
        label: String::new(),
        key_hash: ApiKey::new(API_KEY).unwrap().hash(),
        created: at(0),
    };
    store
        .edit(move |edit| edit.put_credential(credential))
        .unwrap();
    for id in SENSORS {
        let sensor = Sensor {
            id: SensorId::new(id).unwrap(),
            account: name.clone(),
            name: id.to_owned(),
            authorized: true,
            role: Role::Grid,
            meter: Meter::new(MeterKind::Net),
            part_of: None,
            silent_after: None,
            is_announced: true,
            sent_parts: SentParts::default(),
            created: at(0),
        };
        store.put_sensor_durably(sensor).unwrap();
    }
    store.close().unwrap();
}

pub(crate) fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

/// A folder in memory, if there is one: its files need not survive anything.
pub(crate) fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// The sorted names in a folder.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Copies a folder with its files; the socket that a kill leaves is no file.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        // The index is not persistent, and changes meanwhile.
        if path.ends_with("index") {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else if path.is_file() {
            fs::copy(path, target).unwrap();
        }
    }
}

#[track_caller]
pub(crate) fn assert_nothing(breaches: &[String]) {
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}
