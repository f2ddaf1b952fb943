//! `wattkeeper serve` with a certificate.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::place::{Place, Serving};

const NAME: &str = "wattkeeper.test";

/// Makes a certificate for [`NAME`], and writes it and its key to the configured files.
fn certify(place: &Place) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    place.file("cert.pem", made.cert.pem().as_bytes());
    place.file("key.pem", made.signing_key.serialize_pem().as_bytes());
    CertificateDer::from_pem_slice(made.cert.pem().as_bytes()).unwrap()
}

fn serve(place: &Place) -> Serving {
    serve_with(place, &[])
}

/// With settings from the environment.
fn serve_with(place: &Place, settings: &[(&str, &str)]) -> Serving {
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command
        .env("WATTKEEPER_HTTP_TLS_CERT_FILE", "cert.pem")
        .env("WATTKEEPER_HTTP_TLS_KEY_FILE", "key.pem")
        .env("WATTKEEPER_HTTP_HOSTS", NAME)
        .env("WATTKEEPER_LOG_LEVEL", "info,access=debug")
        .envs(settings.iter().copied());
    Serving::start(command)
}

/// Sends a request over TLS to a service that must present `certificate`; returns the raw answer.
fn exchange(
    server: &Serving,
    certificate: &CertificateDer<'static>,
    request: &str,
) -> Result<String, String> {
    exchange_by(&[], server, certificate, request)
}

/// The same of a client that offers these protocols.
fn exchange_by(
    protocols: &[&str],
    server: &Serving,
    certificate: &CertificateDer<'static>,
    request: &str,
) -> Result<String, String> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let name = ServerName::try_from(NAME).unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let socket = TcpStream::connect(address(server)).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    let mut stream = StreamOwned::new(connection, socket);
    stream
        .write_all(request.as_bytes())
        .map_err(|error| error.to_string())?;
    let mut answer = String::new();
    stream
        .read_to_string(&mut answer)
        .map_err(|error| error.to_string())?;
    Ok(answer)
}

fn address(server: &Serving) -> &str {
    server.url.strip_prefix("https://").unwrap()
}

#[test]
fn a_client_may_offer_either_version_of_http() {
    let place = Place::new();
    let certificate = certify(&place);
    let server = serve(&place);
    for protocols in [&["http/1.0"][..], &["http/1.1"], &["h2", "http/1.0"]] {
        let answer = exchange_by(protocols, &server, &certificate, &get("/healthz")).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    // Refused before any handler, also here.
    let two = format!("GET / HTTP/1.1\r\nHost: {NAME}\r\nHost: {NAME}\r\n\r\n");
    let answer = exchange(&server, &certificate, &two).unwrap();
    assert!(answer.contains("expected one Host"), "{answer}");
    server.stop();
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n")
}

#[test]
fn clients_and_commands_are_served() {
    let place = Place::new();
    let certificate = certify(&place);
    let server = serve(&place);
    // Through the running server.
    place.prepare();
    let (api_id, api_key) = place.key();
    let basic = BASE64_STANDARD.encode(format!("{api_id}:{api_key}"));
    let body = r#"{"sensor_id":"house","watts":234}"#;
    let mut request =
        format!("POST /api/v0.2/elec HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n");
    write!(
        request,
        "Authorization: Basic {basic}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let answer = exchange(&server, &certificate, &request).unwrap();
    assert!(answer.ends_with(r#"{"accepted":1}"#), "{answer}");
    assert_eq!(place.json(&["sensor", "list"])[0]["readings"], 1);
    assert_eq!(place.ok(&["health"]), "ok\n");
    let log = server.stop();
    assert!(log.contains("POST /api/v0.2/elec 200"), "{log}");
}

#[test]
fn cookies_are_for_tls_only() {
    let place = Place::new();
    let certificate = certify(&place);
    let server = serve(&place);
    let answer = exchange(&server, &certificate, &get("/sign-in")).unwrap();
    let cookie = answer
        .lines()
        .find(|line| line.to_lowercase().starts_with("set-cookie:"));
    let cookie = cookie.unwrap();
    assert!(
        cookie.contains("Secure") && cookie.contains("__Host-"),
        "{answer}"
    );
}

#[test]
fn browsers_get_a_promise_of_tls() {
    let place = Place::new();
    let certificate = certify(&place);
    let server = serve(&place);
    for path in ["/sign-in", "/healthz", "/nowhere", "/openapi.json"] {
        let answer = exchange(&server, &certificate, &get(path)).unwrap();
        let answer = answer.to_lowercase();
        assert!(
            answer.contains("strict-transport-security: max-age=31536000\r\n"),
            "{path}: {answer}"
        );
    }
}

#[test]
fn without_tls_nobody_is_served() {
    let place = Place::new();
    certify(&place);
    let server = serve(&place);
    let mut socket = TcpStream::connect(address(&server)).unwrap();
    socket.write_all(get("/healthz").as_bytes()).unwrap();
    let mut answer = Vec::new();
    // The connection may be reset.
    let _ = socket.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        answer.is_empty() || answer.starts_with("HTTP/1.1 400 "),
        "{answer}"
    );
}

#[test]
fn clients_that_never_shake_hands_make_room() {
    let place = Place::new();
    let certificate = certify(&place);
    let settings = [
        ("WATTKEEPER_HTTP_MAX_CONNECTIONS", "8"),
        ("WATTKEEPER_HTTP_HEAD_TIMEOUT", "1h"),
    ];
    let server = serve_with(&place, &settings);
    let mut silent = Vec::new();
    for _ in 0..4 {
        for _ in 0..8 {
            silent.push(TcpStream::connect(address(&server)).unwrap());
        }
        // They give way once they are idle for a moment.
        thread::sleep(Duration::from_millis(300));
    }
    let answer = exchange(&server, &certificate, &get("/healthz")).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    drop(silent);
}

#[test]
fn another_certificate_takes_its_place_without_a_restart() {
    let place = Place::new();
    let first = certify(&place);
    let mut server = serve(&place);
    assert!(exchange(&server, &first, &get("/healthz")).is_ok());

    // An unusable one is ignored.
    let made = rcgen::generate_simple_self_signed([NAME.to_owned()]).unwrap();
    place.file("cert.pem", made.cert.pem().as_bytes());
    server.signal("HUP");
    server.wait_for("stays in use");
    assert!(exchange(&server, &first, &get("/healthz")).is_ok());

    let second = certify(&place);
    server.signal("HUP");
    let begun = Instant::now();
    while let Err(error) = exchange(&server, &second, &get("/healthz")) {
        assert!(begun.elapsed() < Duration::from_mins(2), "{error}");
        thread::sleep(Duration::from_millis(20));
    }
    assert!(exchange(&server, &first, &get("/healthz")).is_err());
    server.signal("TERM");
    let log = server.ended(0);
    assert!(
        log.contains("cert.pem and the key in key.pem cannot be used"),
        "{log}"
    );
    assert!(!log.contains("PRIVATE KEY"), "{log}");
}

#[test]
fn a_certificate_that_cannot_be_used_is_an_error() {
    let place = Place::new();
    certify(&place);
    let error = |cert: &str, key: &str| {
        let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        command
            .env("WATTKEEPER_HTTP_TLS_CERT_FILE", cert)
            .env("WATTKEEPER_HTTP_TLS_KEY_FILE", key);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    place.file("empty.pem", b"");
    for (cert, key, expected) in [
        ("cert.pem", "", "http.tls.key_file go together"),
        ("missing.pem", "key.pem", "missing.pem"),
        ("cert.pem", "missing.pem", "missing.pem"),
        ("empty.pem", "key.pem", "no certificate in empty.pem"),
        ("cert.pem", "cert.pem", "a private key from cert.pem"),
    ] {
        let said = error(cert, key);
        assert!(said.contains(expected), "{said}");
    }
    assert!(!place.data_dir().exists());
}

/// The raw answer to bytes without TLS.
fn exchange_plain(server: &Serving, sent: &[u8]) -> String {
    let mut socket = TcpStream::connect(address(server)).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    socket.write_all(sent).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn who_sends_http_to_the_port_of_https_is_told_so() {
    let place = Place::new();
    place.prepare();
    let certificate = certify(&place);
    let server = serve_with(&place, &[("WATTKEEPER_LOG_LEVEL", "info")]);
    let request = "GET /healthz?api_key=S3CRET HTTP/1.1\r\nHost: wattkeeper.test\r\n\r\n";
    // With a body that is still being sent, and of a client that sends its request in two parts.
    let upload = format!(
        "POST /x HTTP/1.1\r\nContent-Length: 90000\r\n\r\n{}",
        "x".repeat(90_000)
    );
    for plain in [request, request, &upload, "GET / HTTP/1.0\r\n\r\n", "g"] {
        let answer = exchange_plain(&server, plain.as_bytes());
        assert!(
            answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
            "{answer}"
        );
        assert!(answer.contains("use https://"), "{answer}");
        assert!(!answer.contains("S3CRET"), "{answer}");
    }
    // Bytes that are neither get at most the alert of TLS.
    let answer = exchange_plain(&server, b"\x01\x02\x03\x04\x05\x06");
    assert!(!answer.contains("HTTP"), "{answer}");
    let answer = exchange(&server, &certificate, request).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let log = server.stop();
    let lines: Vec<_> = log
        .lines()
        .filter(|line| line.contains("use https://"))
        .collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].contains("127.0.0.1 GET /healthz 400"), "{log}");
    assert!(!log.contains("S3CRET"), "{log}");
}
