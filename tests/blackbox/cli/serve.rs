//! `wattkeeper serve`, and how the other commands find it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use serde_json::{Value, json};
use wattkeeper::Request;
use wattkeeper::SOCKET;
use wattkeeper::{OpenMode, Store, StoreSettings};

use super::password::setup_address;
use crate::place::{Place, Serving, signal, wait};

/// Whether the data dir has the socket; one that others may open fails the test.
fn has_socket(place: &Place) -> bool {
    let metadata = match std::fs::metadata(place.data_dir().join(SOCKET)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
        metadata => metadata.unwrap(),
    };
    assert!(metadata.file_type().is_socket());
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    true
}

#[test]
fn the_ready_line_is_first() {
    let place = Place::new();
    let mut child = place
        .command(&["serve", "--listen", "127.0.0.1:0"])
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let address = line
        .trim()
        .strip_prefix("wattkeeper is listening on http://127.0.0.1:");
    assert!(address.unwrap().parse::<u16>().unwrap() > 0, "{line}");
    assert!(has_socket(&place));
    signal(&child, "INT");
    assert_eq!(wait(&mut child), Some(0));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap();
    let (said, token) = rest.trim().split_once("?token=").unwrap();
    assert_eq!(
        said,
        format!(
            "Open this once, here or on a phone, to set the password and add a sensor: {url}/setup"
        )
    );
    assert_eq!(token.len(), 43, "{rest}");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    // One way on is enough.
    assert!(!stderr.contains("account add"), "{stderr}");
    assert!(!stderr.contains(token), "{stderr}");
}

#[test]
fn the_setup_address_is_printed_while_there_is_no_administrator() {
    let place = Place::new();
    let first = setup_address(&place.serve(&[]).stop());
    let second = setup_address(&place.serve(&[]).stop());
    assert_ne!(first.unwrap(), second.unwrap());
    let run = place.run_on(b"correct horse\n", &["password"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(setup_address(&place.serve(&[]).stop()), None);
}

#[test]
fn as_json() {
    let place = Place::new();
    place.ok(&["account", "add", "home"]);
    let server = place.serve(&[]);
    assert_eq!(server.ready, json!({"listening": server.url}));
    assert!(server.url.starts_with("http://127.0.0.1:"));
    assert!(has_socket(&place));
    let said = server.stop();
    assert!(!said.contains("account add"), "{said}");
    assert!(!has_socket(&place));
}

#[test]
fn one_server_a_store() {
    let place = Place::new();
    let server = place.serve(&[]);
    let error = place.error(&["serve", "--listen", "127.0.0.1:0"]);
    let pid = server.child.id().to_string();
    assert!(error.contains("in use") && error.contains(&pid), "{error}");
    let other = Place::new();
    let address = server.url.strip_prefix("http://").unwrap();
    let error = other.error(&["serve", "--listen", address]);
    assert!(error.contains(address), "{error}");
}

#[test]
fn a_server_that_listens_everywhere_is_reached() {
    let place = Place::new();
    let server = Serving::start(place.command(&["--json", "serve", "--listen", "0.0.0.0:0"]));
    assert!(
        server.url.starts_with("http://127.0.0.1:"),
        "{}",
        server.url
    );
    place.prepare();
    let said = server.stop();
    assert!(said.contains("every address"), "{said}");
}

#[test]
fn it_can_be_asked_how_it_is() {
    let place = Place::new();
    let error = place.error(&["health"]);
    assert!(error.contains("no server runs on data"), "{error}");
    let server = place.serve(&[]);
    assert_eq!(place.ok(&["health"]), "ok\n");
    assert_eq!(place.json(&["health"]), json!({"status": "ok"}));
    server.stop();
    place.error(&["health"]);
}

#[test]
fn an_api_without_base_path_does_not_hide_it() {
    let place = Place::new();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command.env("WATTKEEPER_HTTP_BASE_PATH", "/");
    let server = Serving::start(command);
    place.prepare();
    server.stop();
}

#[test]
fn a_killed_server_is_not_waited_for() {
    let place = Place::new();
    let mut server = place.serve(&[]);
    place.prepare();
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert!(has_socket(&place));
    assert_eq!(
        place.json(&["sensor", "list"])[0]["sensor_id"],
        json!("house")
    );
    // A new one replaces the socket.
    let server = place.serve(&[]);
    assert_eq!(
        place.json(&["sensor", "list"])[0]["sensor_id"],
        json!("house")
    );
    server.stop();
}

/// Sends a request to the socket; returns the status and the body of the answer.
fn ask_socket(place: &Place, method: &str, path: &str, body: &[u8]) -> (u16, String) {
    let mut socket = UnixStream::connect(place.data_dir().join(SOCKET)).unwrap();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    // A body that is too long is refused before it is read.
    let _ = socket.write_all(&[head.as_bytes(), body].concat());
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.parse().unwrap(), body.to_owned())
}

#[test]
fn requests_of_commands_are_taken_at_the_socket_only() {
    let place = Place::new();
    let server = place.serve(&["-v"]);
    let version = env!("CARGO_PKG_VERSION");
    let path = format!("/admin/{version}");
    assert_eq!(ask_socket(&place, "POST", &path, b"\0").0, 200);
    assert_eq!(ask_socket(&place, "POST", &path, b"").0, 400);
    assert_eq!(ask_socket(&place, "POST", &path, b"\xff").0, 400);
    // A list of readings that claims to be longer than memory.
    let endless = b"\x0d\x01x\xfd\xff\xff\xff\xff\xff\xff\xff\x7f";
    assert_eq!(ask_socket(&place, "POST", &path, endless).0, 400);
    // A backup of very many sensors: the cursor has all of their ids.
    let ids: Vec<String> = (0..40_000).map(|n| format!("{n:064}")).collect();
    let cursor = json!({"sensors": ids, "series": [], "from_ms": null});
    let request = Request::BackupPage(serde_json::from_value(cursor).unwrap());
    let config = bincode::config::standard();
    let request = bincode::serde::encode_to_vec(&request, config).unwrap();
    assert_eq!(ask_socket(&place, "POST", &path, &request).0, 200);
    let too_long = vec![0; 65 * 1024 * 1024];
    assert_eq!(ask_socket(&place, "POST", &path, &too_long).0, 413);
    for (method, other) in [
        ("GET", path.as_str()),
        ("POST", "/admin/9.9.9"),
        ("POST", "/api/v0.2/elec"),
        ("GET", "/"),
    ] {
        let answer = ask_socket(&place, method, other, b"");
        assert_eq!(answer, (404, version.to_owned()), "{method} {other}");
    }

    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = config.build().new_agent();
    let url = format!("{}{path}", server.url);
    assert_eq!(agent.post(&url).send(b"\0").unwrap().status(), 404);
    assert_eq!(agent.get(&url).call().unwrap().status(), 404);
    let log = server.stop();
    assert!(log.contains(&format!("- POST {path} 200")), "{log}");
}

/// Answers one request on `listener` with 404 and `body`.
fn answer_once(listener: &UnixListener, body: &str) {
    loop {
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(&stream).lines();
        // Without a request: a command checks whether a server listens.
        if lines.next().is_none() {
            continue;
        }
        while !lines.next().unwrap().unwrap().is_empty() {}
        let head = format!(
            "HTTP/1.1 404 Not Found\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        (&stream)
            .write_all(format!("{head}{body}").as_bytes())
            .unwrap();
        return;
    }
}

#[test]
fn a_server_of_another_version_is_refused() {
    let place = Place::new();
    let settings = StoreSettings::default();
    // This process holds the store, as that server would.
    let store = Store::open(&place.data_dir(), settings, OpenMode::CreateIfMissing).unwrap();
    let listener = UnixListener::bind(place.data_dir().join(SOCKET)).unwrap();
    let server = thread::spawn(move || answer_once(&listener, "9.9.9"));
    let error = place.error(&["account", "list"]);
    assert!(
        error.contains("9.9.9") && error.contains(env!("CARGO_PKG_VERSION")),
        "{error}"
    );
    server.join().unwrap();
    drop(store);
}

#[test]
fn a_server_that_goes_away_is_an_error() {
    let place = Place::new();
    let settings = StoreSettings::default();
    let store = Store::open(&place.data_dir(), settings, OpenMode::CreateIfMissing).unwrap();
    let listener = UnixListener::bind(place.data_dir().join(SOCKET)).unwrap();
    // It ends with the tests.
    thread::spawn(move || listener.incoming().for_each(drop));
    let error = place.error(&["account", "list"]);
    assert!(error.contains("did it stop?"), "{error}");
    drop(store);
}

#[test]
fn a_store_that_is_held_without_answer_is_given_up() {
    let place = Place::new();
    let settings = StoreSettings::default();
    let store = Store::open(&place.data_dir(), settings, OpenMode::CreateIfMissing).unwrap();
    let error = place.error(&["account", "list"]);
    let pid = std::process::id().to_string();
    assert!(error.contains("in use") && error.contains(&pid), "{error}");
    assert!(error.contains("does not answer"), "{error}");
    drop(store);
}

#[test]
fn a_server_that_is_starting_is_waited_for() {
    let place = Place::new();
    place.prepare();
    let command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    let starting = thread::spawn(move || Serving::start(command));
    for _ in 0..5 {
        let listed: Value = place.json(&["sensor", "list"]);
        assert_eq!(listed[0]["sensor_id"], json!("house"));
    }
    starting.join().unwrap().stop();
}

/// The log counts the bytes that were sent of a download.
#[test]
fn a_download_ends_when_its_client_goes_away() {
    let place = Place::new();
    place.prepare();
    let row = |n: i64| format!("{},{}\n", 1_700_000_000 + 60 * n, n % 5_000);
    let table: String = std::iter::once("time,watts\n".to_owned())
        .chain((0..300_000).map(row))
        .collect();
    let imported = place.run_on(table.as_bytes(), &["import", "-", "--sensor", "house"]);
    assert_eq!(imported.status, 0, "{imported:?}");
    let (api_id, api_key) = place.key();
    let server = place.serve(&["-v"]);
    let whole = server.elec()
        + &format!(
            "?sensor_id=house&api_id={api_id}&api_key={api_key}&type=rate&start_time=2000-01-01&end_time=2100-01-01"
        );
    let mut answer = ureq::get(&whole).call().unwrap();
    let length = answer
        .body_mut()
        .with_config()
        .limit(u64::MAX)
        .read_to_vec()
        .unwrap()
        .len();
    let mut begun = [0; 1_000];
    let mut other = ureq::get(&whole).call().unwrap().into_body().into_reader();
    other.read_exact(&mut begun).unwrap();
    drop(other);
    let log = server.stop();
    let sent = log.lines().filter_map(|line| {
        line.split_once("GET /api/v0.2/elec 200 ")?
            .1
            .split(' ')
            .next()?
            .parse()
            .ok()
    });
    let sent: Vec<usize> = sent.collect();
    assert_eq!(sent.len(), 2, "{log}");
    assert_eq!(sent[0], length);
    assert!(sent[1] < length / 2, "{} of {length} bytes", sent[1]);
}
