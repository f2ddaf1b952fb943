//! A disk that is full to the last byte: a start removes the reserve, and this space suffices to
//! delete readings. A running service waits until there is space.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use wattkeeper::{OpenMode, free_bytes};

use crate::chance::Chance;
use crate::load::Source;
use crate::service::{Place, SENSORS, Service, at, open, register};
use crate::truth::Truth;

const MIB: u64 = 1024 * 1024;
/// Enough space for the store, for a start that makes a reserve, and for the readings to import,
/// which leave 64 MiB free while they wait.
const DISK_MIB: u64 = 160;
/// Some 3 bytes each: two volumes.
const READINGS: i64 = 1_000_000;
const SECONDS: i64 = 1_600_000_000;

/// The size of a disk in a file. xfs needs 300 MiB.
const IMAGE_MIB: u64 = 320;
/// Uploads, and readings of each: more than the journal has room for.
const UPLOADS: usize = 400;
const UPLOADED: usize = 300;

/// A disk with the data dir of a place.
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

    /// Mounts a file with a file system of this kind.
    fn of_kind(kind: &str, at: PathBuf) -> Self {
        fs::create_dir(&at).unwrap();
        let image = at.with_extension("image");
        let file = File::create(&image).unwrap();
        file.set_len(IMAGE_MIB * MIB).unwrap();
        let made = Command::new(format!("mkfs.{kind}")).arg(&image).output();
        let made = made.unwrap();
        assert!(made.status.success(), "{made:?}");
        let mut mount = Command::new("mount");
        mount.args(["-t", kind, "-o", "loop"]).arg(&image).arg(&at);
        assert!(mount.status().unwrap().success());
        Self(at)
    }

    /// Fills the disk with a file.
    fn fill(&self) {
        let mut filler = File::create(self.0.join("filler")).unwrap();
        while filler.write_all(&[7; 4_096]).is_ok() {}
        assert_eq!(self.free(), 0);
    }

    /// Fills the disk with files, as far as its file system allows.
    fn fill_all(&self) {
        for nth in 0..64 {
            let path = self.0.join(format!("filler-{nth}"));
            let Ok(mut filler) = File::create(path) else {
                return;
            };
            for length in [MIB, 65_536, 4_096, 512] {
                let length = usize::try_from(length).unwrap();
                while filler.write_all(&vec![7; length]).is_ok() {}
                // Space may be given back once the writes are on the disk.
                let _ = filler.sync_all();
            }
        }
    }

    fn free_fillers(&self) {
        for entry in fs::read_dir(&self.0).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().contains("/filler-") {
                fs::remove_file(path).unwrap();
            }
        }
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

/// Uploads to a disk that becomes full, and later has room again.
fn go_on_after(kind: &str) {
    let place = Place::empty();
    let disk = Disk::of_kind(kind, place.data_dir());
    register(&open(&place.data_dir(), OpenMode::CreateIfMissing).unwrap());
    let truth = Truth::default();
    let service = place.serve();
    let mut chance = Chance::of_this_run();
    let sources = [SENSORS[0], SENSORS[2]].map(Source::new);
    let mut send = |nth: usize| {
        let source = &sources[nth % 2];
        source.send_some(UPLOADED, &service, &truth, &mut chance, || 0)
    };
    let import = ["import", "-", "--sensor", SENSORS[3]];
    let imported = [(1_500_000_010_000, 1.0), (1_500_000_020_000, 2.0)];
    // It is deleted later, so it is never expected.
    truth.importing(SENSORS[3], &imported);
    place
        .run(&import, b"time,watts\n1500000010,1\n1500000020,2\n")
        .unwrap();
    (0..8).for_each(|nth| assert_eq!(send(nth), Some(200), "{kind}"));
    disk.fill_all();
    let mut refused = 0;
    for nth in 0..UPLOADS {
        let status = send(nth);
        let said = service.said();
        assert!(
            matches!(status, Some(200 | 503)),
            "{kind}: {status:?}: {said}"
        );
        refused += usize::from(status == Some(503));
        if refused >= 20 {
            break;
        }
    }
    assert!(refused > 0, "{kind}: it never was full");
    // It makes room, or has to wait, too.
    let delete = ["readings", "delete", "--sensor", SENSORS[3], "--yes"];
    let range = [
        "--start",
        "2017-07-14T02:40:15",
        "--end",
        "2018-01-01T00:00:00",
    ];
    let delete = [&delete[..], &range].concat();
    let is_deleted = place.run(&delete, b"").is_some();
    service.assert_holds(&truth);
    disk.free_fillers();
    for nth in 0..UPLOADS / 4 {
        assert_eq!(send(nth), Some(200), "{kind}: {}", service.said());
    }
    place.run(&delete, b"").unwrap();
    let said = service.said();
    assert!(!said.contains("accepts no more changes"), "{kind}: {said}");
    eprintln!("{kind}: {refused} uploads had to wait; deleted at once: {is_deleted}");
    let ended = service.stop();
    assert_eq!(ended.status, Some(0), "{kind}: {ended:?}");
    place.assert_sound(&truth);
}

#[test]
#[ignore = "needs the right to mount"]
fn uploads_go_on_after_a_full_disk_mounted_ext4() {
    go_on_after("ext4");
}

#[test]
#[ignore = "needs the right to mount"]
fn uploads_go_on_after_a_full_disk_mounted_xfs() {
    go_on_after("xfs");
}

#[test]
#[ignore = "needs the right to mount"]
fn uploads_go_on_after_a_full_disk_mounted_btrfs() {
    go_on_after("btrfs");
}
