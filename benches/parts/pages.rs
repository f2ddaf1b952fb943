//! The dashboard over HTTP, up to its last byte: twenty sensors with ten years each, a reading every five minutes, half of them
//! counters that are reset each month.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use criterion::Criterion;
use wattkeeper::Config;
use wattkeeper::Moment;
use wattkeeper::Password;
use wattkeeper::Server;
use wattkeeper::Store;
use wattkeeper::Timestamp;
use wattkeeper::{Session, SessionOwner, SessionToken};

use crate::{houses, stores};

pub(crate) fn run(criterion: &mut Criterion) {
    let folder = stores::folder();
    let now = houses::fill_all(&stores::store(folder.path(), houses::SENSORS));
    let mut config = Config {
        data_dir: folder.path().to_owned(),
        ..Config::default()
    };
    config.http.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let clock = Arc::new(move || Moment {
        time: now,
        elapsed: Duration::ZERO,
    });
    let server = Server::build(&config, clock).unwrap();
    let cookie = sign_in(&server.store(), now);
    let (address, handle) = (server.address(), server.handle());
    let (ready, is_ready) = mpsc::channel();
    let running = thread::spawn(move || server.run_until_stopped(move || ready.send(()).unwrap()));
    is_ready.recv().unwrap();

    let mut group = criterion.benchmark_group("pages");
    for (name, page) in [
        ("dashboard", "/"),
        ("dashboard with a year of power", "/?range=year"),
        ("dashboard with all power", "/?range=all"),
        (
            "dashboard with all energy by month",
            "/?show=energy&by=month&range=all",
        ),
        (
            "power of one sensor, all of it",
            "/chart?sensor=sensor-1&range=all",
        ),
    ] {
        assert!(get(address, page, &cookie).contains("<svg"), "{name}");
        group.bench_function(name, |bencher| {
            bencher.iter(|| get(address, page, &cookie));
        });
    }
    group.finish();
    handle.stop();
    running.join().unwrap().unwrap();
}

/// Starts a session; returns its cookie.
fn sign_in(store: &Store, now: Timestamp) -> String {
    let token = SessionToken::from_random([7; 32]);
    let password = Password::new("correct horse")
        .unwrap()
        .hash([7; 16])
        .unwrap();
    store
        .edit({
            let password = password.clone();
            move |edit| edit.put_administrator(password)
        })
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let session = Session::begun(token.id(), SessionOwner::Administrator, now);
    runtime
        .block_on(store.edit_async(move |edit| edit.begin_session(session, &password)))
        .unwrap();
    format!("wattkeeper_session={}", token.reveal())
}

fn get(address: SocketAddr, page: &str, cookie: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    // HTTP/1.0: the end of the connection is the end of the answer.
    write!(
        connection,
        "GET {page} HTTP/1.0\r\nCookie: {cookie}\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}
