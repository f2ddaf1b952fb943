//! `wattkeeper serve`, and how the other commands find it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};
use wattkeeper::admin::AdminFile;
use wattkeeper::store::{OpenMode, Store, StoreSettings};

use super::password::setup_address;
use super::place::{Place, Serving, names, signal, wait};

/// What a service that said it is ready has written.
fn admin_file(place: &Place) -> AdminFile {
    AdminFile::read(&place.data_dir()).unwrap().unwrap()
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
    admin_file(&place);
    signal(&child, "INT");
    assert_eq!(wait(&mut child), Some(0));
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    let url = line.trim().rsplit(' ').next().unwrap();
    let (said, token) = rest.trim().split_once("?token=").unwrap();
    assert_eq!(
        said,
        format!("Set the administrator's password, this once: {url}/setup")
    );
    assert_eq!(token.len(), 43, "{rest}");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert!(stderr.contains("wattkeeper account add home"), "{stderr}");
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
    admin_file(&place);
    assert!(names(&place.data_dir()).contains(&"admin.json".to_owned()));
    let said = server.stop();
    assert!(!said.contains("account add"), "{said}");
    assert!(!names(&place.data_dir()).contains(&"admin.json".to_owned()));
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
    admin_file(&place);
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    assert!(names(&place.data_dir()).contains(&"admin.json".to_owned()));
    assert_eq!(
        place.json(&["sensor", "list"])[0]["sensor_id"],
        json!("house")
    );
    // A new one leaves a new file.
    let server = place.serve(&[]);
    assert_eq!(
        place.json(&["sensor", "list"])[0]["sensor_id"],
        json!("house")
    );
    server.stop();
}

#[test]
fn without_its_token_it_does_nothing() {
    let place = Place::new();
    let server = place.serve(&[]);
    let token = admin_file(&place).token;
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = config.build().new_agent();
    let post = |authorization: Option<&str>, body: &[u8]| {
        let mut request = agent.post(format!("{}/admin/run", server.url));
        if let Some(authorization) = authorization {
            request = request.header("Authorization", authorization);
        }
        let mut response = request.send(body).unwrap();
        let text = response.body_mut().read_to_vec().unwrap();
        (response.status().as_u16(), text)
    };
    let right = format!("Bearer {token}");
    for wrong in [
        None,
        Some("Bearer "),
        Some("Bearer x"),
        Some(token.as_str()),
        Some(&right[..right.len() - 1]),
        Some("Basic eDp5"),
    ] {
        assert_eq!(post(wrong, b""), (401, vec![]), "{wrong:?}");
        assert_eq!(post(wrong, b"\0"), (401, vec![]), "{wrong:?}");
    }
    assert_eq!(
        post(Some(&right), b""),
        (200, env!("CARGO_PKG_VERSION").as_bytes().to_vec())
    );
    assert_eq!(post(Some(&right), b"\xff").0, 400);
    // A list of readings that claims to be longer than memory.
    assert_eq!(
        post(
            Some(&right),
            b"\x0d\x01x\xfd\xff\xff\xff\xff\xff\xff\xff\x7f"
        )
        .0,
        400
    );
    assert_eq!(post(Some(&right), &vec![0; 3 * 1024 * 1024]).0, 413);
    let get = agent
        .get(format!("{}/admin/run", server.url))
        .call()
        .unwrap();
    assert!([404, 405].contains(&get.status().as_u16()));
}

/// Answers one request on `listener` with `body`.
fn answer_once(listener: &TcpListener, body: &'static str) {
    let (stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(&stream).lines();
    while !lines.next().unwrap().unwrap().is_empty() {}
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    (&stream)
        .write_all(format!("{head}{body}").as_bytes())
        .unwrap();
}

#[test]
fn a_server_of_another_version_is_refused() {
    let place = Place::new();
    let settings = StoreSettings::default();
    // This process has the store, as that server would.
    let store = Store::open(&place.data_dir(), settings, OpenMode::CreateIfMissing).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let file = AdminFile::new(listener.local_addr().unwrap()).unwrap();
    file.write(&place.data_dir()).unwrap();
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

/// What is logged of a download is what was sent of it.
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
    let server = place.serve(&[]);
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
