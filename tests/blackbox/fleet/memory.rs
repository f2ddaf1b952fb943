//! The peak memory of a front-end while many download a whole history at once.

#![cfg(target_os = "linux")]

use std::thread;

use crate::backend::TestBackend;
use crate::cli::memory::{LIMIT_KIB, allocated_kib, count, fill};
use crate::place::{Place, Serving};

/// The pages of a released program that are in memory at most.
const PROGRAM_KIB: u64 = 28 * 1_024;
const CLIENTS: usize = 64;
const READINGS: i64 = 300_000;

#[test]
#[ignore = "needs postgres"]
fn postgres_history_is_downloaded_by_64_at_once_in_64_mib() {
    let place = Place::at(TestBackend::postgres());
    place.prepare();
    fill(&place, READINGS);
    let (api_id, api_key) = place.key();
    let credentials = format!("api_id={api_id}&api_key={api_key}");
    let values = |client: usize| match client % 2 {
        0 => ("&format=ndjson", b'\n', READINGS),
        // The result's own brace, and one for each point.
        _ => ("&format=json", b'{', READINGS + 1),
    };
    assert_bounded(&place, &credentials, values);
    // Hourly means are read further ahead, and there is less to send. Of each minute there is as
    // much.
    let hourly = |_| ("&format=ndjson&interval=1h", b'\n', READINGS / 60);
    assert_bounded(&place, &credentials, hourly);
    let by_minute = |_| ("&format=ndjson&interval=1m", b'\n', READINGS);
    assert_bounded(&place, &credentials, by_minute);
}

/// Has all clients download at once from a front-end that has just started. For each there are the
/// parameters, and how often a byte is in the answer.
fn assert_bounded(
    place: &Place,
    credentials: &str,
    download: impl Fn(usize) -> (&'static str, u8, i64) + Sync,
) {
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    // As many as by default.
    command.env_remove("WATTKEEPER_STORE_ENGINE_CONNECTIONS");
    let server = Serving::start(command);
    thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (server, download) = (&server, &download);
            scope.spawn(move || {
                let (parameters, byte, times) = download(client);
                let parameters = format!("{credentials}&type=rate{parameters}");
                assert_eq!(count(server, &parameters, "identity", byte), times);
            });
        }
    });
    let allocated = allocated_kib(&server);
    assert!(allocated + PROGRAM_KIB <= LIMIT_KIB, "{allocated} KiB");
    server.stop();
}
