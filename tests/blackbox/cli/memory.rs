//! The peak memory of the service while it answers queries over ten years, and while somebody
//! guesses passwords.
//!
//! The measure is the peak of resident memory (`VmHWM`): a limit on addresses (`ulimit -v`) also
//! counts what threads and the C library only reserve. With 32 bits, where addresses are few, their
//! number is tested as well (scripts/test-on).

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;

use wattkeeper::SensorId;
use wattkeeper::Timestamp;
use wattkeeper::{Measures, Reading};
use wattkeeper::{OpenMode, Store};

use crate::cli::password::{self, Browser};
use crate::place::{Place, Serving};

/// A reading each minute.
const TEN_YEARS: i64 = 10 * 365 * 1_440;
pub(crate) const LIMIT_KIB: u64 = 64 * 1_024;
/// The pages of a debug build that count.
const PROGRAM_KIB: u64 = 42 * 1_024;
/// Of addresses where there are 4 GiB of them at most; a few systems leave 1 GiB to a process.
const ADDRESSES_KIB: u64 = 512 * 1_024;

/// Imports as many readings as that into the house's history.
pub(crate) fn fill(place: &Place, count: i64) {
    let store = place.open(OpenMode::Existing);
    let house = SensorId::new("house").unwrap();
    let begin = Timestamp::parse("2010-01-01T00:00:00").unwrap();
    let reading = |n: i64| Reading {
        time: begin.saturating_add_millis(n * 60_000),
        // Noise, as in a real house; the register counts up.
        measures: Measures::new(
            Some(f64::from(u16::try_from(n * n % 7_919).unwrap())),
            Some(f64::from(i32::try_from(n).unwrap()) * 10.0),
        )
        .unwrap(),
    };
    let mut done = 0;
    while done < count {
        let end = count.min(done + i64::try_from(Store::IMPORT_CHUNK).unwrap());
        let chunk = (done..end).map(reading).collect();
        store.import_durably(&house, chunk).unwrap();
        done = end;
    }
    store.close().unwrap();
}

/// How often `byte` occurs in the answer, which is not kept in memory.
pub(crate) fn count(server: &Serving, parameters: &str, encoding: &str, byte: u8) -> i64 {
    let url = format!(
        "{}?sensor_id=house&start_time=2000-01-01&end_time=2030-01-01&{parameters}",
        server.elec()
    );
    let request = ureq::get(url).header("Accept-Encoding", encoding);
    let answer = request.call().unwrap();
    let packed = answer.headers().get("content-encoding").is_some();
    assert_eq!(packed, encoding == "gzip");
    let plain = answer.into_body().into_reader();
    let mut text: Box<dyn io::Read> = if packed {
        Box::new(flate2::read::GzDecoder::new(plain))
    } else {
        Box::new(plain)
    };
    let mut part = vec![0; 65_536];
    let mut found = 0;
    loop {
        let length = text.read(&mut part).unwrap();
        if length == 0 {
            return found;
        }
        let here = part[..length].iter().filter(|&&other| other == byte);
        found += i64::try_from(here.count()).unwrap();
    }
}

/// The most memory that it has had. A debug build grows with each line of code, so the program
/// itself counts up to a fixed size: the service may allocate as much as before.
pub(crate) fn peak_kib(server: &Serving) -> u64 {
    allocated_kib(server) + program_kib(server).min(PROGRAM_KIB)
}

/// The most memory that it has had beside the program itself.
pub(crate) fn allocated_kib(server: &Serving) -> u64 {
    status_kib(server, "VmHWM:").saturating_sub(program_kib(server))
}

/// The program itself: the pages of its file that are in memory, and its tables of addresses.
fn program_kib(server: &Serving) -> u64 {
    status_kib(server, "RssFile:") + relocated_kib(server)
}

/// The addresses in the program's file that the dynamic linker wrote while loading it. The kernel
/// takes them for allocated memory.
fn relocated_kib(server: &Serving) -> u64 {
    let folder = PathBuf::from(format!("/proc/{}", server.child.id()));
    let program = fs::read_link(folder.join("exe")).unwrap();
    let maps = fs::read_to_string(folder.join("smaps")).unwrap();
    let mut of_program = false;
    let mut changed = 0;
    for line in maps.lines() {
        // "55d0-55d8 r--p 00000000 fe:00 1234   /path" begins a mapping, "Anonymous: 12 kB" is of it.
        let (name, rest) = line.split_once(char::is_whitespace).unwrap();
        if !name.ends_with(':') {
            of_program = rest.ends_with(program.to_str().unwrap());
        } else if of_program && name == "Anonymous:" {
            let number = rest.trim().strip_suffix(" kB").unwrap();
            changed += number.parse::<u64>().unwrap();
        }
    }
    assert!(changed > 0, "no mapping of {}", program.display());
    changed
}

/// Whether its addresses have 32 bits.
fn is_narrow(server: &Serving) -> bool {
    let mut head = [0; 5];
    let program = File::open(format!("/proc/{}/exe", server.child.id()));
    program.unwrap().read_exact(&mut head).unwrap();
    head == *b"\x7fELF\x01"
}

/// A line of the kernel's status of the process.
pub(crate) fn status_kib(server: &Serving, name: &str) -> u64 {
    let path = format!("/proc/{}/status", server.child.id());
    let status = fs::read_to_string(path).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.unwrap().trim().strip_suffix(" kB").unwrap();
    number.parse().unwrap()
}

#[test]
fn ten_years_are_downloaded_in_64_mib() {
    let place = Place::new();
    place.prepare();
    fill(&place, TEN_YEARS);
    let (api_id, api_key) = place.key();
    let server = place.serve(&[]);
    let credentials = format!("api_id={api_id}&api_key={api_key}");
    let count = |parameters: &str, encoding: &str, byte| {
        count(
            &server,
            &format!("{credentials}&{parameters}"),
            encoding,
            byte,
        )
    };
    // The result's own brace, and one for each point.
    assert_eq!(count("type=rate", "identity", b'{'), 1 + TEN_YEARS);
    // A first line, and one for each register but the first.
    let consumption = "type=consumption&format=csv";
    assert_eq!(count(consumption, "gzip", b'\n'), TEN_YEARS);
    let years = "type=rate&interval=1y&format=ndjson";
    assert_eq!(count(years, "identity", b'\n'), 10);
    let peak = peak_kib(&server);
    assert!(peak <= LIMIT_KIB, "{peak} KiB");
    if is_narrow(&server) {
        let addresses = status_kib(&server, "VmPeak:");
        assert!(addresses <= ADDRESSES_KIB, "{addresses} KiB");
    }
    server.stop();
}

#[test]
#[cfg(target_env = "gnu")]
fn a_start_takes_little_memory_without_any_setting() {
    let place = Place::new();
    place.prepare();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command.env_remove("MALLOC_ARENA_MAX");
    let server = Serving::start(command);
    let environment = fs::read(format!("/proc/{}/environ", server.child.id())).unwrap();
    let mut variables = environment.split(|&byte| byte == 0);
    assert!(variables.any(|variable| variable == b"MALLOC_ARENA_MAX=2"));
    let allocated = status_kib(&server, "RssAnon:") - relocated_kib(&server);
    assert!(allocated <= 18 * 1_024, "{allocated} KiB");
    server.stop();
}

#[test]
fn guesses_of_a_password_at_once_take_no_more_memory_than_two() {
    let place = Place::new();
    place.prepare();
    password::set(&place, b"correct horse\n");
    let server = place.serve(&[]);
    let guess = || {
        let (status, _) = Browser::new(&server.url).sign_in("a wrong guess");
        assert_eq!(status, 403);
    };
    guess();
    let before = peak_kib(&server);
    std::thread::scope(|scope| {
        for _ in 0..19 {
            scope.spawn(guess);
        }
    });
    let more = peak_kib(&server) - before;
    // Two are checked at once, and each takes 19 MiB.
    assert!(more <= 48 * 1_024, "{more} KiB");
    server.stop();
}
