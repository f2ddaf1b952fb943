//! Answers as JSON over HTTP, up to their last byte: the difference to the query alone is the cost of the JSON.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use wattkeeper::Config;
use wattkeeper::Moment;
use wattkeeper::Server;
use wattkeeper::Timestamp;
use wattkeeper::{ApiId, ApiKey, Credential, Scope};

use crate::{readings, stores};

const ID: &str = "bench";
const KEY: &str = "bench-key";

pub(crate) fn run(criterion: &mut Criterion) {
    let history = readings::history();
    let now = history[history.len() - 1].time;
    let folder = stores::folder();
    let mut config = Config {
        data_dir: folder.path().to_owned(),
        ..Config::default()
    };
    config.http.listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let server = Server::build(
        &config,
        Arc::new(move || Moment {
            time: now,
            elapsed: Duration::ZERO,
        }),
    )
    .unwrap();
    let store = server.store();
    stores::register(&store, 1);
    add_credential(&server, now);
    stores::import(&store, &history);
    let (address, handle) = (server.address(), server.handle());
    let (ready, is_ready) = mpsc::channel();
    let running = thread::spawn(move || server.run_until_stopped(move || ready.send(()).unwrap()));
    is_ready.recv().unwrap();

    let mut group = criterion.benchmark_group("json");
    for (name, kind) in [
        ("power of all years", "rate"),
        ("consumption of all years", "consumption"),
    ] {
        group.throughput(Throughput::Elements(history.len() as u64));
        let mut buffer = vec![0; 256 * 1024];
        assert!(
            download(address, kind, &mut buffer) > history.len() * 40,
            "{name}"
        );
        group.bench_function(name, |bencher| {
            bencher.iter(|| download(address, kind, &mut buffer));
        });
    }
    group.finish();
    handle.stop();
    running.join().unwrap().unwrap();
}

fn add_credential(server: &Server, created: Timestamp) {
    let credential = Credential {
        api_id: ApiId::new(ID).unwrap(),
        account: stores::account(),
        scope: Scope::Full,
        label: String::new(),
        key_hash: ApiKey::new(KEY).unwrap().hash(),
        created,
    };
    server
        .store()
        .edit(move |edit| edit.put_credential(credential))
        .unwrap();
}

/// Reads the whole answer; returns its length.
fn download(address: SocketAddr, kind: &str, buffer: &mut [u8]) -> usize {
    let mut connection = TcpStream::connect(address).unwrap();
    let id = stores::sensor(0);
    // HTTP/1.0: the end of the connection is the end of the answer, with no chunks in between.
    write!(
        connection,
        "GET /api/v0.2/elec?sensor_id={}&api_id={ID}&api_key={KEY}&type={kind}&start_time=1970-01-01&end_time=2100-01-01 HTTP/1.0\r\n\r\n",
        id.as_str()
    )
    .unwrap();
    let mut length = 0;
    loop {
        match connection.read(buffer).unwrap() {
            0 => return length,
            read => length += read,
        }
    }
}
