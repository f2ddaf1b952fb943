//! The peak memory of a front-end while many download a whole history at once.

#![cfg(target_os = "linux")]

use std::thread;

use crate::cli::memory::{LIMIT_KIB, count, fill, peak_kib, status_kib};
use crate::home::TestHome;
use crate::place::{Place, Serving};

/// The pages of a released program that are in memory at most: it has 21.4 MB, and its libraries 3.2 MB.
const PROGRAM_KIB: u64 = 24 * 1_024;
const CLIENTS: usize = 64;
const READINGS: i64 = 300_000;

#[test]
#[ignore = "needs postgres"]
fn postgres_history_is_downloaded_by_64_at_once_in_64_mib() {
    let place = Place::at(TestHome::at_engine());
    place.prepare();
    fill(&place, READINGS);
    let (api_id, api_key) = place.key();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    // As many as by default.
    command.env_remove("WATTKEEPER_STORE_ENGINE_CONNECTIONS");
    let server = Serving::start(command);
    let credentials = format!("api_id={api_id}&api_key={api_key}");
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (server, credentials) = (&server, &credentials);
            scope.spawn(move || {
                let (format, byte, more) = match client % 2 {
                    0 => ("ndjson", b'\n', 0),
                    // The result's own brace, and one for each point.
                    _ => ("json", b'{', 1),
                };
                let parameters = format!("{credentials}&type=rate&format={format}");
                let found = count(server, &parameters, "identity", byte);
                assert_eq!(found, READINGS + more);
            });
        }
    });
    // Means are read further ahead. There is less to send, but of each minute as much as there was.
    for (interval, readings) in [("1h", 60), ("1m", 1)] {
        let parameters = format!("{credentials}&type=rate&interval={interval}&format=ndjson");
        thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let found = count(&server, &parameters, "identity", b'\n');
                    assert_eq!(found, READINGS / readings);
                });
            }
        });
    }
    // What it keeps. Of the program's own pages, a released one has less.
    let kept = peak_kib(&server) - status_kib(&server, "RssFile:");
    assert!(kept + PROGRAM_KIB <= LIMIT_KIB, "{kept} KiB");
    server.stop();
}
