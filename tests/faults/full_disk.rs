//! A disk that is full to the last byte: a start removes the reserve, and this space suffices to
//! delete readings.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use wattkeeper::{OpenMode, free_bytes};

use crate::service::{Place, SENSORS, Service, at, open, register};
use crate::truth::Truth;

const MIB: u64 = 1024 * 1024;
/// Enough space for the store, for a start that makes a reserve, and for the readings to import,
/// which leave 64 MiB free while they wait.
const DISK_MIB: u64 = 160;
/// Some 3 bytes each: two volumes.
const READINGS: i64 = 1_000_000;
const SECONDS: i64 = 1_600_000_000;

/// A disk in memory with the data dir of a place.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf) -> Self {
        fs::create_dir(&at).unwrap();
        let size = format!("size={DISK_MIB}m,mode=700");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]);
        assert!(mount.arg(&at).status().unwrap().success());
        Self(at)
    }

    /// Fills the disk with a file.
    fn fill(&self) {
        let mut filler = File::create(self.0.join("filler")).unwrap();
        while filler.write_all(&[7; 4_096]).is_ok() {}
        assert_eq!(self.free(), 0);
    }

    fn free(&self) -> u64 {
        free_bytes(&self.0).unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Also while a service left by a failed test has files open.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Readings that do not compress.
fn history() -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut table = b"time,watts\n".to_vec();
    for nth in 0..READINGS {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        writeln!(table, "{},{}", SECONDS + nth, state >> 44).unwrap();
    }
    table
}

#[test]
#[ignore = "needs the right to mount"]
fn readings_are_deleted_on_a_mounted_disk_that_is_full() {
    let place = Place::empty();
    let disk = Disk::mount(place.data_dir());
    register(&open(&place.data_dir(), OpenMode::CreateIfMissing).unwrap());
    let reserve = place.data_dir().join("reserve");
    let start = || {
        let mut command = place.serve_command();
        command.env("WATTKEEPER_STORE_BLOCK_READINGS", "4096");
        place.start(command).unwrap()
    };
    let service = start();
    let import = ["import", "-", "--sensor", SENSORS[0]];
    place.run(&import, &history()).unwrap();
    service.stop().assert_clear();
    assert!(reserve.exists());
    disk.fill();
    let service = start();
    let said = service.said();
    assert!(said.contains("its reserve of 1 MiB was removed"), "{said}");
    assert!(!reserve.exists());
    for share in 1..=5 {
        delete_until(&place, SECONDS + READINGS * share / 5 - 1);
        go_on(&service);
    }
    // More than the reserve was.
    assert!(disk.free() > 2 * MIB, "{}", disk.free());
    service.stop().assert_clear();
    start().stop().assert_clear();
    place.assert_sound(&Truth::default());
}

fn delete_until(place: &Place, seconds: i64) {
    let (start, end) = (at(0).to_string(), at(seconds * 1_000).to_string());
    let range = ["--start", &start, "--end", &end, "--yes"];
    let delete = ["readings", "delete", "--sensor", SENSORS[0]];
    let deleted = place.run(&[&delete[..], &range].concat(), b"").unwrap();
    let expected = format!("deleted {} readings", READINGS / 5);
    assert!(deleted.contains(&expected), "{deleted}");
}

/// Uploads are stored. After each, the service does a slice of due work, such as moving blocks.
fn go_on(service: &Service) {
    for nth in 0..64 {
        let status = service.upload(SENSORS[1], &[(nth, 1.0)]);
        assert_eq!(status, Some(200), "{}", service.said());
    }
}
