//! The library of `preload.c`: building it, loading it into a service, and communicating with it
//! while that runs.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::service::Place;

/// Kinds of calls, as in `preload.c`.
pub(crate) const WRITE: i64 = 1;
pub(crate) const SYNC: i64 = 2;
pub(crate) const CREATE: i64 = 4;
pub(crate) const NAME: i64 = 8;
pub(crate) const OPEN: i64 = 16;
/// Combined with kinds: only those calls on the files that commits land in, the log and the blocks.
pub(crate) const ONLY_LANDING: i64 = 32;
pub(crate) const READ: i64 = 64;
/// Combined with [`SYNC`]: only the syncs of folders.
pub(crate) const ONLY_FOLDERS: i64 = 128;

/// Error numbers of the system, the same on every Linux.
pub(crate) const EIO: i64 = 5;
pub(crate) const ENOSPC: i64 = 28;
pub(crate) const EDQUOT: i64 = 122;

/// The fields of the library's `struct control`, each of eight bytes.
#[derive(Clone, Copy)]
enum Field {
    Calls,
    Records,
    FailFrom,
    FailMany,
    Error,
    Kinds,
    Torn,
}

/// The calls that fail, and their failure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// The number of the first one, from 1, among calls of these kinds.
    pub(crate) from: i64,
    pub(crate) many: i64,
    pub(crate) kinds: i64,
    pub(crate) error: i64,
    /// Failing writes have written their first half.
    pub(crate) torn: bool,
}

/// The shared memory of the library and the test.
pub(crate) struct Control {
    file: File,
    path: PathBuf,
    data_dir: PathBuf,
    log: PathBuf,
}

impl Control {
    pub(crate) fn new(place: &Place) -> Self {
        let path = place.path().join("control");
        fs::write(&path, [0; 7 * 8]).unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        Self {
            file,
            path,
            data_dir: place.data_dir(),
            log: place.path().join("log"),
        }
    }

    /// `command` with the library loaded.
    pub(crate) fn load(&self, mut command: Command) -> Command {
        command
            .env("LD_PRELOAD", library())
            .env("FAULT_DIR", &self.data_dir)
            .env("FAULT_CONTROL", &self.path);
        command
    }

    /// `command` with the library loaded and recording.
    pub(crate) fn record(&self, command: Command) -> Command {
        let mut command = self.load(command);
        command.env("FAULT_LOG", &self.log);
        command
    }

    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    fn get(&self, field: Field) -> i64 {
        let mut bytes = [0; 8];
        self.file
            .read_exact_at(&mut bytes, field as u64 * 8)
            .unwrap();
        i64::from_le_bytes(bytes)
    }

    fn set(&self, field: Field, value: i64) {
        self.file
            .write_all_at(&value.to_le_bytes(), field as u64 * 8)
            .unwrap();
    }

    /// Makes these calls fail from now on, counted from now.
    pub(crate) fn fail(&self, fault: Fault) {
        self.set(Field::FailFrom, 0);
        self.set(Field::Kinds, fault.kinds);
        self.set(Field::FailMany, fault.many);
        self.set(Field::Error, fault.error);
        self.set(Field::Torn, fault.torn.into());
        self.set(Field::Calls, 0);
        self.set(Field::FailFrom, fault.from);
    }

    /// Whether all calls of `fault` have failed.
    pub(crate) fn is_over(&self, fault: Fault) -> bool {
        self.calls() >= fault.from.saturating_add(fault.many - 1)
    }

    /// Makes all calls succeed from now on.
    pub(crate) fn heal(&self) {
        self.set(Field::FailFrom, 0);
    }

    /// The number of calls of the chosen kinds so far.
    pub(crate) fn calls(&self) -> i64 {
        self.get(Field::Calls)
    }

    /// The number of records written so far.
    pub(crate) fn records(&self) -> u64 {
        self.get(Field::Records).try_into().unwrap()
    }
}

/// The library, built once in each run of the tests.
fn library() -> &'static Path {
    static BUILT: OnceLock<tempfile::TempDir> = OnceLock::new();
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let dir = BUILT.get_or_init(|| tempfile::tempdir().unwrap());
        let path = dir.path().join("preload.so");
        let source = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/faults/with_cc/preload.c"
        );
        let built = Command::new("cc")
            .args([
                "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o",
            ])
            .arg(&path)
            .args([source, "-ldl", "-lpthread"])
            .output()
            .unwrap();
        assert!(built.status.success(), "{built:?}");
        path
    })
}
