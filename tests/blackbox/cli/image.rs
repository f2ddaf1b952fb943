//! The container image, built by `scripts/image` and run by podman. On this machine's network,
//! without groups of processes and health checks of podman's own: those need systemd.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::place::{Run, Serving};

/// The project's folder.
const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

/// podman with storage of its own, and the image in it.
struct Containers {
    dir: tempfile::TempDir,
    image: String,
}

fn done(mut command: Command) -> Run {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Run::of(command, b"")
}

fn succeeds(command: Command) -> String {
    let run = done(command);
    assert_eq!(run.status, 0, "{run:?}");
    run.out
}

/// The archive of an image with the binary under test, without its symbols: they are most of a
/// debug build.
fn build(dir: &Path) -> PathBuf {
    let binary = dir.join("wattkeeper");
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&binary);
    strip.arg(env!("CARGO_BIN_EXE_wattkeeper"));
    succeeds(strip);
    let mut build = Command::new(Path::new(PROJECT).join("scripts/image"));
    build.args(["--name", "trial", "--out"]).arg(dir);
    // From any folder.
    build.arg(&binary).current_dir(dir);
    let printed = succeeds(build);
    PathBuf::from(printed.lines().next().unwrap())
}

impl Containers {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let archive = build(dir.path());
        let mut containers = Self {
            dir,
            image: String::new(),
        };
        let mut load = containers.podman(&["load", "--input"]);
        load.arg(archive);
        let loaded = succeeds(load);
        let image = loaded.trim().strip_prefix("Loaded image: ").unwrap();
        assert!(image.ends_with(concat!("/wattkeeper:", env!("CARGO_PKG_VERSION"))));
        image.clone_into(&mut containers.image);
        containers
    }

    fn podman(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("podman");
        for (option, folder) in [
            ("--root", "root"),
            ("--runroot", "run"),
            ("--tmpdir", "tmp"),
        ] {
            command.arg(option).arg(self.dir.path().join(folder));
        }
        command.args(["--storage-driver", "vfs", "--runtime", "runc"]);
        command.args(arguments);
        command
    }

    /// A container of the image, not started yet.
    fn command(&self, options: &[&str], arguments: &[&str]) -> Command {
        let always = [
            "run",
            "--rm",
            "--network=host",
            "--no-healthcheck",
            "--ulimit=nofile=1024:1024",
            "--ulimit=nproc=1024:1024",
        ];
        self.podman(&[&always, options, &[&self.image], arguments].concat())
    }

    fn serve(&self, name: &str, options: &[&str]) -> Serving {
        let name = format!("--name={name}");
        let options = [&[name.as_str()], options].concat();
        let mut command = self.command(&options, &["--json", "serve", "--listen", "127.0.0.1:0"]);
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Serving::start(command)
    }

    /// The result of a program in a running container.
    fn exec(&self, name: &str, arguments: &[&str]) -> Run {
        done(self.podman(&[&["exec", name], arguments].concat()))
    }

    /// Stops a container as its image says; it must end by itself, and well.
    fn stop(&self, name: &str, mut server: Serving) -> String {
        succeeds(self.podman(&["stop", "--time", "120", name]));
        server.ended(0)
    }

    /// With what the image says of itself.
    fn health(&self, name: &str) -> Run {
        let inspected = succeeds(self.podman(&["image", "inspect", &self.image]));
        let image: Value = serde_json::from_str(&inspected).unwrap();
        let test = image[0]["Healthcheck"]["Test"].as_array().unwrap();
        let mut words = test.iter().map(|word| word.as_str().unwrap());
        assert_eq!(words.next(), Some("CMD"));
        self.exec(name, &words.collect::<Vec<_>>())
    }
}

impl Drop for Containers {
    fn drop(&mut self) {
        // The containers that a failed test left running.
        let _ = done(self.podman(&["rm", "--all", "--force", "--time", "0"]));
    }
}

/// The next container finds the files that this one left in the volume.
fn keeps_its_volume(containers: &Containers) {
    let volume = "--volume=readings:/data";
    let broker = [
        "--add-host=broker.test:127.0.0.1",
        "--env=WATTKEEPER_MQTT_BROKER=mqtt://broker.test:1",
    ];
    let server = containers.serve("first", &[&[volume], &broker[..]].concat());
    let ok = |arguments: &[&str]| {
        let run = containers.exec("first", &[&["wattkeeper", "--json"], arguments].concat());
        run.json()
    };
    ok(&["account", "add", "home"]);
    ok(&[
        "sensor",
        "add",
        "house",
        "--account",
        "home",
        "--role",
        "grid",
    ]);
    let key = ok(&["key", "add", "home"]);
    let [id, key] = ["api_id", "api_key"].map(|name| key[name].as_str().unwrap());
    assert_eq!(server.upload(id, key, "house", 321.0), 200);
    let health = containers.health("first");
    assert_eq!((health.status, health.out.trim()), (0, "ok"), "{health:?}");
    // There is nothing else in it, and names are found all the same.
    assert_eq!(containers.exec("first", &["sh", "-c", "true"]).status, 127);
    server.wait_for("mqtt://broker.test:1: Connection refused");
    let said = containers.stop("first", server);
    assert!(said.contains("stopping"), "{said}");
    // The volume had the mode that a store needs.
    assert!(!said.contains("other users"), "{said}");

    let checked = succeeds(containers.command(&[volume], &["check"]));
    assert!(checked.contains("1 reading"), "{checked}");
    let server = containers.serve("second", &[volume]);
    assert_eq!(server.upload(id, key, "house", 322.0), 200);
    let exported = containers.exec("second", &["wattkeeper", "export", "--sensor", "house"]);
    let rows: Vec<_> = exported.out.lines().collect();
    assert_eq!(rows.len(), 3, "{exported:?}");
    containers.stop("second", server);
}

/// As another user, and with nothing but the volume to write to.
fn runs_read_only_as_anybody(containers: &Containers) {
    let data = containers.dir.path().join("data");
    fs::create_dir(&data).unwrap();
    chown(&data, Some(12_345), Some(12_345)).unwrap();
    let volume = format!("--volume={}:/data", data.display());
    let options = [
        "--read-only",
        "--read-only-tmpfs=false",
        "--user=12345:12345",
        "--cap-drop=all",
        "--security-opt=no-new-privileges",
        &volume,
    ];
    let server = containers.serve("other", &options);
    let added = containers.exec("other", &["wattkeeper", "account", "add", "home"]);
    assert_eq!(added.status, 0, "{added:?}");
    assert_eq!(containers.health("other").status, 0);
    containers.stop("other", server);
    let facts = fs::metadata(data.join("facts/a")).unwrap();
    assert_eq!((facts.uid(), facts.mode() & 0o777), (12_345, 0o600));
}

#[test]
#[ignore = "needs buildah and podman, as root"]
fn buildah_makes_an_image_that_runs() {
    let containers = Containers::new();
    keeps_its_volume(&containers);
    runs_read_only_as_anybody(&containers);
}
