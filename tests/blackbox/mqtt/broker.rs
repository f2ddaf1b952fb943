//! mosquitto with its own folder and port, and its clients.

use std::fs;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::mqtt::house::eventually;
use crate::port::free_port;

pub(crate) struct Mosquitto {
    pub(crate) port: u16,
    dir: TempDir,
    /// None while it is down.
    running: Option<Child>,
}

impl Mosquitto {
    pub(crate) fn start() -> Self {
        Self::start_with("allow_anonymous true\n")
    }

    /// With additional settings; `DIR` in them is replaced by its folder.
    pub(crate) fn start_with(settings: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self::start_in(dir, settings)
    }

    pub(crate) fn start_in(dir: TempDir, settings: &str) -> Self {
        let port = free_port();
        let folder = dir.path().to_str().unwrap();
        let settings = settings.replace("DIR", folder);
        // Messages are kept for subscribers that are away, and are on disk when it is killed a
        // moment later.
        let config = format!(
            "listener {port} 127.0.0.1\npersistence true\npersistence_location {folder}/\nautosave_on_changes true\n\
             autosave_interval 1\nmax_queued_messages 100000\nlog_dest file {folder}/log\nlog_type all\nuser root\n{settings}"
        );
        fs::write(dir.path().join("conf"), config).unwrap();
        let mut broker = Self {
            port,
            dir,
            running: None,
        };
        broker.run();
        broker
    }

    pub(crate) fn run(&mut self) {
        let child = Command::new(program())
            .arg("-c")
            .arg(self.dir.path().join("conf"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.running = Some(child);
        let before = self.log().matches(" running").count();
        eventually("mosquitto", || {
            let is_new = self.log().matches(" running").count() > before;
            let listens = std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok();
            (is_new || listens).then_some(())
        });
    }

    /// Sends it the signal of that name and waits until it exits.
    pub(crate) fn end(&mut self, signal: &str) {
        let mut child = self.running.take().unwrap();
        crate::place::signal(&child, signal);
        child.wait().unwrap();
    }

    /// Makes it save all that it has acknowledged, and waits for that: a kill loses what was not
    /// saved.
    pub(crate) fn save(&self) {
        let saved = || {
            let file = fs::metadata(self.dir.path().join("mosquitto.db"));
            file.and_then(|file| file.modified()).ok()
        };
        // One thread acknowledges and saves, so any save that ends from now on has everything.
        let before = saved();
        crate::place::signal(self.running.as_ref().unwrap(), "USR1");
        eventually("the broker's file", || (saved() != before).then_some(()));
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    /// How many times the service subscribed for its readings.
    pub(crate) fn subscriptions(&self) -> usize {
        self.subacks("wattkeeper")
    }

    /// How many times it subscribed to listen for devices.
    pub(crate) fn listens(&self) -> usize {
        self.subacks("wattkeeper-devices")
    }

    fn subacks(&self, client: &str) -> usize {
        let end = format!("Sending SUBACK to {client}");
        let log = self.log();
        log.lines().filter(|line| line.ends_with(&end)).count()
    }

    /// Publishes at quality 1 with `mosquitto_pub`.
    pub(crate) fn publish(&self, topic: &str, payload: &str) {
        self.publish_with(topic, payload, &[]);
    }

    pub(crate) fn publish_with(&self, topic: &str, payload: &str, further: &[&str]) {
        let mut command = self.client("mosquitto_pub");
        command
            .args(["-q", "1", "-t", topic, "-m", payload])
            .args(further);
        assert!(command.status().unwrap().success(), "{topic}");
    }

    /// A client program, with the address of the broker.
    pub(crate) fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]);
        command
    }
}

impl Drop for Mosquitto {
    fn drop(&mut self) {
        if let Some(mut child) = self.running.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Debian installs it where only root has it in the PATH.
fn program() -> &'static str {
    let place = "/usr/sbin/mosquitto";
    if fs::exists(place).unwrap_or(false) {
        place
    } else {
        "mosquitto"
    }
}
