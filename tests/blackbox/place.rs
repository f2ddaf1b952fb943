//! A store, and the binary running on it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use wattkeeper::{OpenMode, Store, StoreSettings};

use crate::backend::TestBackend;

/// A place for one test: a folder that holds `data`, the data dir, and a store, which is there
/// unless it is in PostgreSQL.
pub(crate) struct Place {
    pub(crate) dir: TempDir,
    pub(crate) backend: TestBackend,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A running server; it is killed when dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) ready: Value,
    /// Its stderr so far, and the thread that reads it.
    said: Arc<Mutex<String>>,
    reader: Option<thread::JoinHandle<()>>,
}

/// The program under test: the one that cargo built with the tests or, by
/// `WATTKEEPER_TEST_PROGRAM`, one that another machine runs (scripts/test-on).
pub(crate) fn program() -> Command {
    Command::new(
        std::env::var_os("WATTKEEPER_TEST_PROGRAM")
            .unwrap_or_else(|| env!("CARGO_BIN_EXE_wattkeeper").into()),
    )
}

/// Removes the settings that the command would inherit from this test's environment.
pub(crate) fn without_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WATTKEEPER_") {
            command.env_remove(name);
        }
    }
}

/// Runs a test twice: on a store that the commands open themselves, and on one that a server has
/// open.
pub(crate) fn both_ways(test: impl Fn(&Place)) {
    test(&Place::new());
    let place = Place::new();
    let server = place.serve(&[]);
    test(&place);
    server.stop();
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::at(TestBackend::new())
    }

    /// With its store wherever a test wants it.
    pub(crate) fn at(backend: TestBackend) -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            backend,
        }
    }

    /// With an account `home` and a sensor `house` at the grid.
    pub(crate) fn prepare(&self) {
        self.ok(&["account", "add", "home", "--tz", "Europe/Berlin"]);
        let house = [
            "sensor",
            "add",
            "house",
            "--account",
            "home",
            "--role",
            "grid",
        ];
        self.ok(&house);
    }

    /// A new credential of `home`: its id and its key.
    pub(crate) fn key(&self) -> (String, String) {
        let key = self.json(&["key", "add", "home"]);
        let text = |name: &str| key[name].as_str().unwrap().to_owned();
        (text("api_id"), text("api_key"))
    }

    pub(crate) fn data_dir(&self) -> std::path::PathBuf {
        self.dir.path().join("data")
    }

    /// Opens the store as commands do.
    pub(crate) fn open(&self, mode: OpenMode) -> Store {
        let opened = self
            .backend
            .open(&self.data_dir(), StoreSettings::default(), mode);
        opened.unwrap()
    }

    /// The command, not started yet, without settings from the environment but those of its store.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(program(), arguments)
    }

    /// The same of this program.
    pub(crate) fn command_of(&self, mut command: Command, arguments: &[&str]) -> Command {
        without_settings(&mut command);
        self.backend.tell(&mut command);
        command
            .current_dir(self.dir.path())
            .arg("--data-dir")
            .arg("data")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments), b"")
    }

    pub(crate) fn run_on(&self, input: &[u8], arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped());
        Run::of(command, input)
    }

    /// The output of the command; it must succeed.
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.status, 0, "{arguments:?}: {run:?}");
        run.out
    }

    /// The JSON that the command prints; it must succeed.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let run = self.run(&[&["--json"], arguments].concat());
        run.json()
    }

    /// The last line on stderr of a command that must fail, with nothing on stdout.
    pub(crate) fn error(&self, arguments: &[&str]) -> String {
        self.run(arguments).error()
    }

    /// Writes a file to import; returns its name.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.dir.path().join(name), bytes).unwrap();
        name.to_owned()
    }

    /// Starts a server on this data dir and waits until it is ready.
    pub(crate) fn serve(&self, arguments: &[&str]) -> Serving {
        let first = ["--json", "serve", "--listen", "127.0.0.1:0"];
        Serving::start(self.command(&[&first, arguments].concat()))
    }
}

impl Run {
    pub(crate) fn of(mut command: Command, input: &[u8]) -> Self {
        let mut child = command.spawn().unwrap();
        let pipe = child.stdin.take();
        let output = thread::scope(|scope| {
            scope.spawn(move || {
                // The command need not want it all.
                pipe.map(|mut pipe| pipe.write_all(input))
            });
            child.wait_with_output().unwrap()
        });
        Self {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{self:?}");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn error(&self) -> String {
        assert_eq!(self.status, 1, "{self:?}");
        assert_eq!(self.out, "", "{self:?}");
        let line = self.err.lines().last().unwrap_or_default();
        assert!(line.starts_with("error: "), "{self:?}");
        line.to_owned()
    }
}

impl Serving {
    /// Starts `serve` or `demo` with `--json` and waits for its ready line.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        // First, since a server that logs a lot before it is ready must not block on a full pipe.
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let said = Arc::new(Mutex::new(String::new()));
        let reader = thread::spawn({
            let said = Arc::clone(&said);
            move || {
                for line in stderr.lines() {
                    said.lock().unwrap().push_str(&(line.unwrap() + "\n"));
                }
            }
        });
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str::<Value>(&line) else {
            reader.join().unwrap();
            panic!("{line:?}: {}", said.lock().unwrap());
        };
        Self {
            child,
            url: ready["listening"].as_str().unwrap().to_owned(),
            ready,
            said,
            reader: Some(reader),
        }
    }

    pub(crate) fn elec(&self) -> String {
        format!("{}/api/v0.2/elec", self.url)
    }

    /// Uploads a power reading; returns the status.
    pub(crate) fn upload(&self, api_id: &str, api_key: &str, sensor: &str, watts: f64) -> u16 {
        let body = json!({
            "sensor_id": sensor, "api_id": api_id, "api_key": api_key, "watts": watts,
        });
        let config = ureq::Agent::config_builder().http_status_as_error(false);
        let agent = config.build().new_agent();
        let response = agent.post(self.elec()).send(body.to_string()).unwrap();
        response.status().as_u16()
    }

    /// Waits until it has written `text` to stderr.
    pub(crate) fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.said.lock().unwrap().contains(text) {
            let said = || self.said.lock().unwrap().clone();
            assert!(
                begun.elapsed() < Duration::from_mins(2),
                "no {text:?} in:\n{}",
                said()
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sends the signal of that name.
    pub(crate) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Stops it as a service manager does; returns its stderr.
    pub(crate) fn stop(mut self) -> String {
        self.signal("TERM");
        self.ended(0)
    }

    /// Waits until it exits, which must be with `status`; returns its stderr.
    pub(crate) fn ended(&mut self, status: i32) -> String {
        let ended = wait(&mut self.child);
        self.reader.take().unwrap().join().unwrap();
        let stderr = self.said.lock().unwrap().clone();
        assert_eq!(ended, Some(status), "{stderr}");
        stderr
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(sent.unwrap().success());
}

/// The exit status; a hang is a failure.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "it hangs");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The names of all files in a folder.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
