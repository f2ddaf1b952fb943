//! Notifications to systemd, and the unit.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::place::{Place, Serving};

/// The next notification.
fn next_notification(socket: &UnixDatagram) -> String {
    let mut message = [0; 1_024];
    let length = socket.recv(&mut message).unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}

/// A socket in the place of systemd's, and a service that notifies it.
fn supervised(place: &Place) -> (UnixDatagram, Serving) {
    let path = place.dir.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_mins(2)))
        .unwrap();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command
        .env("NOTIFY_SOCKET", &path)
        .env("WATCHDOG_USEC", "200000");
    (socket, Serving::start(command))
}

#[test]
fn a_start_a_reload_and_a_stop_are_notified() {
    let place = Place::new();
    let (socket, server) = supervised(&place);
    let mut received = Vec::new();
    let mut wait_until = |state: &str| {
        loop {
            let message = next_notification(&socket);
            received.push(message.clone());
            if message.starts_with(state) {
                return message;
            }
        }
    };
    // Before the store is open: that may take longer than a start may.
    let more = wait_until("EXTEND_TIMEOUT_USEC=");
    let more: u64 = more.trim().split_once('=').unwrap().1.parse().unwrap();
    assert!(more >= 60_000_000, "{more}");
    wait_until("READY=1");
    wait_until("WATCHDOG=1");
    // Nor does a reload end it if there is no certificate.
    server.signal("HUP");
    assert!(wait_until("RELOADING=1").contains("MONOTONIC_USEC="));
    wait_until("READY=1");
    wait_until("WATCHDOG=1");
    wait_until("WATCHDOG=1");
    server.signal("TERM");
    wait_until("STOPPING=1");
    let mut server = server;
    assert!(server.ended(0).contains("nothing to reload"));
    let of_start = |message: &String| message.starts_with("EXTEND_TIMEOUT_USEC=");
    assert!(of_start(&received[0]), "{received:?}");
    let ready = received.iter().position(|it| it.starts_with("READY=1"));
    let late = &received[ready.unwrap()..];
    assert!(!late.iter().any(of_start), "{received:?}");
}

#[test]
fn the_journal_gets_priorities_and_no_second_time() {
    let place = Place::new();
    place.prepare();
    let in_journal = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("JOURNAL_STREAM", "8:12345");
        command
    };
    let serve = ["--json", "serve", "--listen", "127.0.0.1:0"];
    let server = Serving::start(in_journal(&serve));
    assert_eq!(server.upload("nobody", "nothing", "house", 5.0), 401);
    let said = server.stop();
    // The address for the first password is no log line.
    let said: String = (said
        .lines()
        .filter(|line| !line.starts_with("Open this once")))
    .map(|line| line.to_owned() + "\n")
    .collect();
    assert!(said.contains("<6>[INFO access] "), "{said}");
    assert!(
        said.lines()
            .any(|line| line.starts_with("<6>[INFO wattkeeper::server] stopping")),
        "{said}"
    );
    assert!(said.lines().all(|line| line.starts_with('<')), "{said}");
    let failed = crate::place::Run::of(in_journal(&["--config", "missing", "serve"]), b"");
    assert!(failed.err.starts_with("<3>error: "), "{failed:?}");
    // In a terminal of a desktop the variable is set, too; what is written to a file is for people.
    let path = place.dir.path().join("log");
    let mut command = in_journal(&["--config", "missing", "serve"]);
    command.stderr(std::fs::File::create(&path).unwrap());
    assert_eq!(command.status().unwrap().code(), Some(1));
    let said = std::fs::read_to_string(path).unwrap();
    assert!(said.starts_with("error: "), "{said}");
}

/// Whether this process ignores hangups, as under `nohup`; its children inherit that.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(|mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn without_one_a_hangup_ends_it() {
    let place = Place::new();
    let mut server = place.serve(&[]);
    server.signal("HUP");
    if is_hangup_ignored() {
        server.signal("TERM");
        server.ended(0);
    } else {
        let ended = crate::place::wait(&mut server.child);
        assert_eq!(ended, None, "by the signal");
    }
}

/// The unit, changed to run the binary under test, in a folder.
#[test]
#[ignore = "needs systemd"]
fn systemd_takes_the_unit_and_finds_little_exposed() {
    let place = Place::new();
    let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/packaging/wattkeeper.service");
    let text = std::fs::read_to_string(unit).unwrap();
    let text = text.replace("/usr/bin/wattkeeper", env!("CARGO_BIN_EXE_wattkeeper"));
    place.file("wattkeeper.service", text.as_bytes());
    let analyze = |arguments: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        command
            .args(arguments)
            .arg(place.dir.path().join("wattkeeper.service"));
        let output = command.output().unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.success(), said.into_owned())
    };
    let (is_sound, said) = analyze(&["verify", "--man=no"]);
    assert!(is_sound && !said.contains("wattkeeper.service"), "{said}");
    // In tenths.
    let (is_little, said) = analyze(&["security", "--offline=true", "--threshold=11"]);
    assert!(is_little, "{said}");
}

/// A file of the project.
fn project_file(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_unit_forbids_core_dumps_and_limits_memory() {
    let unit = project_file("scripts/packaging/wattkeeper.service");
    // No core dump with keys in it, and no memory that other services need.
    for (name, value) in [("LimitCORE", "0"), ("MemoryMax", "256M")] {
        let settings = unit.lines().filter_map(|line| line.split_once('='));
        let values: Vec<&str> = settings.filter(|it| it.0 == name).map(|it| it.1).collect();
        // The last one would count.
        assert_eq!(values, [value], "{name}");
    }
}

#[test]
fn the_package_has_the_unit_and_the_licences_of_what_it_contains() {
    let manifest: toml::Table = project_file("Cargo.toml").parse().unwrap();
    let deb = &manifest["package"]["metadata"]["deb"];
    let notices = [
        "target/packaging/third-party-notices.gz",
        "usr/share/doc/wattkeeper/",
        "644",
    ];
    let assets = deb["assets"].as_array().unwrap();
    let files = assets
        .iter()
        .filter(|it| it[0].as_str() == Some(notices[0]));
    let files: Vec<_> = files.collect();
    assert_eq!(files, [&toml::Value::from(notices.to_vec())]);
    let units = deb["systemd-units"].as_table().unwrap();
    assert_eq!(units["unit-scripts"].as_str(), Some("scripts/packaging"));
    // The script that makes that file for each package.
    let script = project_file("scripts/package");
    let made = r#"scripts/packaging/notices "${target[@]}" >"$made/third-party-notices""#;
    assert!(script.lines().any(|line| line == made));
}
