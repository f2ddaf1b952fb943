//! The log of a real process: its lines, without secrets and without a line for each upload.

use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::place::{program, without_settings};
use crate::support::{
    API_ID, API_KEY, Connection, ELEC, SENSOR, SENSORS, Service, basic, house_basic, request,
    with_house,
};

/// The service as a process of its own, killed when a test ends early.
struct Process {
    child: Child,
    address: SocketAddr,
    /// Its stderr; taken when it ends.
    log: Option<JoinHandle<io::Result<String>>>,
}

impl Process {
    /// Runs `serve` on the store of a service that was stopped, logging all there is at this level.
    fn start(service: &Service, level: &str) -> Self {
        let data_dir = service.data_dir().join("data");
        let mut command = program();
        without_settings(&mut command);
        service.backend().tell(&mut command);
        let mut child = command
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(&data_dir)
            .env("WATTKEEPER_LOG_LEVEL", level)
            .current_dir(data_dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        let log = thread::spawn(move || io::read_to_string(stderr));
        let mut ready = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut ready).unwrap();
        let ready: Value = serde_json::from_str(&ready).unwrap();
        let address = ready["listening"].as_str().unwrap();
        Self {
            child,
            address: address.trim_start_matches("http://").parse().unwrap(),
            log: Some(log),
        }
    }

    /// Stops it as a service manager does; returns its log.
    fn stop(mut self) -> String {
        let kill = format!("kill -TERM {}", self.child.id());
        let kill = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(kill.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.log.take().unwrap().join().unwrap().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn requests_are_logged_without_secrets() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "trace");
    let mut connection = Connection::open(process.address);
    let mut exchange = |bytes: Vec<u8>| connection.exchange(&bytes).status();

    let upload = with_house(&json!({"watts": 1})).to_string();
    let query = format!("sensor_id={SENSOR}&api_id={API_ID}&api_key={API_KEY}&type=latest_rate");
    let get = |path: &str| request("GET", &format!("{path}?{query}"), &[], b"");
    let (right, wrong) = (house_basic(), basic(API_ID, "wr0ng-S3CRET"));
    assert_eq!(exchange(request("POST", ELEC, &[], upload.as_bytes())), 200);
    let broken = &upload.as_bytes()[1..];
    assert_eq!(exchange(request("POST", ELEC, &[], broken)), 400);
    assert_eq!(exchange(get(ELEC)), 200);
    assert_eq!(exchange(get("/nowhere")), 404);
    let put = request("PUT", &format!("{ELEC}?{query}"), &[], b"");
    assert_eq!(exchange(put), 405);
    for (header, status) in [(&right, 200), (&wrong, 401)] {
        let headers = [("Authorization", header.as_str())];
        assert_eq!(exchange(request("GET", SENSORS, &headers, b"")), status);
    }

    let log = process.stop();
    let encoded = |header: &str| header.trim_start_matches("Basic ").to_owned();
    for secret in [
        "S3CRET",
        "api_key",
        "?sensor_id",
        &encoded(&right),
        &encoded(&wrong),
    ] {
        assert!(!log.contains(secret), "{secret} in:\n{log}");
    }
    for part in [ELEC, SENSORS, "POST", "GET", "PUT", "401", "404", "405"] {
        assert!(log.contains(part), "no {part} in:\n{log}");
    }
}

#[test]
fn the_usual_log_has_refused_requests_and_a_summary() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "info");
    let mut connection = Connection::open(process.address);
    let mut exchange = |bytes: Vec<u8>| connection.exchange(&bytes).status();
    let upload = with_house(&json!({"watts": 1})).to_string();
    for _ in 0..20 {
        assert_eq!(exchange(request("POST", ELEC, &[], upload.as_bytes())), 200);
    }
    for _ in 0..20 {
        assert_eq!(exchange(request("POST", ELEC, &[], b"{}")), 400);
    }
    assert_eq!(exchange(request("GET", "/healthz", &[], b"")), 200);
    let log = process.stop();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("access")).collect();
    let [line] = lines.as_slice() else {
        panic!("{log}");
    };
    let expected = format!("127.0.0.1 POST {ELEC} 400 ");
    assert!(
        line.contains(&expected) && line.ends_with(" missing_field"),
        "{log}"
    );
    assert!(
        log.contains("uploads since the last summary: elec 20 with 20 readings, 20 refused"),
        "{log}"
    );
}

#[test]
fn a_write_that_is_refused_for_good_is_explained_once_an_hour() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "info");
    let basic = house_basic();
    let headers = [("Authorization", basic.as_str())];
    let mut connection = Connection::open(process.address);
    // As Home Assistant sends them, every few seconds.
    for n in 0..5 {
        let lines = format!(
            "°C,domain=sensor,entity_id=hall friendly_name_str=\"Hall\",value=20.{n} 1767607200\n\
             kWh,domain=sensor,entity_id=house_energy friendly_name_str=\"House\",value=12.{n} 1767607200\n"
        );
        let write = request(
            "POST",
            "/write?db=home&precision=s",
            &headers,
            lines.as_bytes(),
        );
        assert_eq!(connection.exchange(&write).status(), 400);
    }
    let log = process.stop();
    let of_write = |line: &&str| line.contains("/write") || line.contains("refused");
    let lines: Vec<&str> = log.lines().filter(of_write).collect();
    let [line, summary] = lines.as_slice() else {
        panic!("{log}");
    };
    for part in [
        "WARN",
        "influx: a write of the account home was refused: no field of it is mapped to a sensor",
        r#"[[influx.mappings]] with measurement = "kWh", tags = { "domain" = "sensor", "entity_id" = "house_energy" }, field = "value""#,
        r#"measure = "watthours", unit = "kWh""#,
        "(this is logged once an hour)",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(
        summary.contains("influx 0 with 0 readings, 5 refused"),
        "{summary}"
    );
}

#[test]
fn what_a_queue_can_never_store_is_explained_once_an_hour() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "info");
    let mut connection = Connection::open(process.address);
    for n in 0..5 {
        let target = format!("/input/bulk?sentat={n}&apikey={API_ID}:{API_KEY}");
        let data = format!("data=[[{n},\"attic\",{{\"power\":{n}}}]]");
        let bulk = request("POST", &target, &[], data.as_bytes());
        let answer = connection.exchange(&bulk);
        assert_eq!((answer.status(), answer.text()), (200, "ok"));
    }
    let log = process.stop();
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("emoncms"))
        .collect();
    let [line, summary] = lines.as_slice() else {
        panic!("{log}");
    };
    for part in [
        "WARN",
        "emoncms: account home sent bulks with values that cannot be stored",
        "sensor 'attic' does not exist or is not authorized",
        "answered ok, so that the sender's queue goes on",
    ] {
        let line = line.replace('"', "'");
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(
        summary.contains("emoncms 0 with 0 readings, 5 refused"),
        "{summary}"
    );
}

#[test]
fn what_a_stranger_sends_is_cut() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "info");
    let sixty_thousand = "x".repeat(60_000);
    let send = |bytes: &[u8]| Connection::open(process.address).exchange(bytes).status();
    let agent = [("User-Agent", &*sixty_thousand)];
    assert_eq!(
        send(&request("GET", &format!("/{sixty_thousand}"), &agent, b"")),
        404
    );
    assert_eq!(
        send(&request(&sixty_thousand, "/openapi.json", &[], b"")),
        405
    );
    let host = format!("GET / HTTP/1.1\r\nHost: {sixty_thousand}\r\n\r\n");
    assert_eq!(send(host.as_bytes()), 421);
    // A measurement that is none of the settings is named in the log.
    let (basic, line) = (house_basic(), format!("{sixty_thousand} other=1"));
    let headers = [("Authorization", basic.as_str())];
    assert_eq!(
        send(&request("POST", "/write", &headers, line.as_bytes())),
        400
    );
    let log = process.stop();
    // The refused write is explained instead.
    for part in [
        " 404 ",
        " 405 ",
        " 421 ",
        "a write of the account home was refused",
    ] {
        assert!(log.contains(part), "{part} in {log}");
    }
    let longest = log.lines().map(str::len).max().unwrap();
    assert!(longest < 600, "{longest}");
}

#[test]
fn what_the_web_server_refuses_is_logged_within_the_limit() {
    let mut service = Service::start();
    service.stop();
    let process = Process::start(&service, "info");
    let two = format!("GET {ELEC}?api_key=s3cret HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    for _ in 0..20 {
        let mut connection = Connection::open(process.address);
        assert_eq!(connection.exchange(two.as_bytes()).status(), 400);
        connection.wait_until_closed();
    }
    // A browser opens connections in stock.
    drop(Connection::open(process.address));
    let log = process.stop();
    let refused = format!("127.0.0.1 GET {ELEC} 400 ");
    let lines: Vec<_> = log.lines().filter(|line| line.contains(&refused)).collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(
        lines[0].ends_with("malformed_request: expected one Host; got several"),
        "{log}"
    );
    assert!(!log.contains("s3cret"), "{log}");
}
