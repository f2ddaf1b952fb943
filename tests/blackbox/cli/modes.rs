//! Other users of the machine cannot read the store; permitted users can read all of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::{Place, Run, Serving, program};

/// Everything in the folder, itself included.
fn everything_in(dir: &Path) -> Vec<PathBuf> {
    let mut all = vec![dir.to_owned()];
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(everything_in(&path));
        } else {
            all.push(path);
        }
    }
    all
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[track_caller]
fn check_private(place: &Place) {
    for path in everything_in(&place.data_dir()) {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
}

fn open_to_everybody(place: &Place) {
    for path in everything_in(&place.data_dir()) {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, Permissions::from_mode(open)).unwrap();
    }
}

#[test]
fn what_is_new_is_private() {
    let place = Place::new();
    place.prepare();
    check_private(&place);
    let server = place.serve(&[]);
    place.ok(&["key", "add", "home"]);
    check_private(&place);
    server.stop();
    check_private(&place);
}

#[test]
fn what_was_open_to_others_is_closed_at_each_start() {
    let place = Place::new();
    place.prepare();
    open_to_everybody(&place);
    let run = place.run(&["account", "list"]);
    assert_eq!(run.err.matches("could open").count(), 1, "{run:?}");
    check_private(&place);
    let run = place.run(&["account", "list"]);
    assert_eq!(run.err, "");

    open_to_everybody(&place);
    let server = place.serve(&[]);
    check_private(&place);
    let said = server.stop();
    assert_eq!(said.matches("could open").count(), 1, "{said}");
}

#[test]
fn a_start_names_the_files_with_secrets_that_others_can_read() {
    let place = Place::new();
    place.file(
        "config.toml",
        b"[http.metrics]\ntoken = \"0123456789abcdef\"\n",
    );
    let file = place.dir.path().join("config.toml");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    let said = place.serve(&[]).stop();
    assert!(said.contains("config.toml has mode 0644"), "{said}");
    assert!(!said.contains("0123456789abcdef"), "{said}");
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let said = place.serve(&[]).stop();
    assert!(!said.contains("has mode"), "{said}");
}

#[test]
fn man_pages_are_for_everybody() {
    let place = Place::new();
    place.ok(&["man", "."]);
    assert_eq!(mode(&place.dir.path().join("wattkeeper.1")), 0o644);
}

/// The user of the service in the tests below, who has no name.
const SERVICE: u32 = 54_321;
/// Somebody else.
const STRANGER: u32 = 54_322;

/// Where others may come by, as in `/var/lib`, with a data dir of the service that is still empty.
fn place_of_service() -> Place {
    let place = Place::new();
    fs::set_permissions(place.dir.path(), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(place.data_dir()).unwrap();
    give(&place, SERVICE);
    place
}

fn give(place: &Place, user: u32) {
    for path in everything_in(&place.data_dir()) {
        chown(&path, Some(user), Some(user)).unwrap();
    }
}

/// A command as somebody else than root.
fn command_as(place: &Place, user: u32, arguments: &[&str]) -> Command {
    // Others have no access to cargo's target folder.
    let copy = place.dir.path().join("wattkeeper");
    if !copy.exists() {
        // By another process: a file that a test has open for writing is inherited by the processes
        // that tests beside it start, and cannot be run meanwhile.
        let mut copying = Command::new("cp");
        copying.arg(program().get_program()).arg(&copy);
        assert!(copying.status().unwrap().success());
    }
    let mut command = place.command_of(Command::new(copy), arguments);
    command.uid(user).gid(user);
    command
}

fn run_as(place: &Place, user: u32, arguments: &[&str]) -> Run {
    Run::of(command_as(place, user, arguments), b"")
}

fn serve_as(place: &Place, user: u32) -> Serving {
    let arguments = ["--json", "serve", "--listen", "127.0.0.1:0"];
    Serving::start(command_as(place, user, &arguments))
}

#[track_caller]
fn check_owner(place: &Place, user: u32) {
    for path in everything_in(&place.data_dir()) {
        let metadata = fs::symlink_metadata(&path).unwrap();
        assert_eq!(
            [metadata.uid(), metadata.gid()],
            [user; 2],
            "{}",
            path.display()
        );
    }
}

#[test]
#[ignore = "needs root"]
fn a_command_run_as_root_leaves_the_store_to_its_owner() {
    let place = place_of_service();
    place.prepare();
    check_owner(&place, SERVICE);
    let readings = place.file("readings.csv", b"time,watts\n2026-01-05T10:00:00Z,5\n");
    let backups = place.dir.path().join("backups");
    fs::create_dir(&backups).unwrap();
    chown(&backups, Some(SERVICE), None).unwrap();
    for arguments in [
        &["check"][..],
        &["account", "list"],
        &["key", "add", "home"],
        &["import", &readings, "--sensor", "house"],
        &["export", "--sensor", "house"],
        &["backup", "backups/first"],
    ] {
        place.ok(arguments);
        check_owner(&place, SERVICE);
    }
    let password = place.run_on(b"correct horse\n", &["password"]);
    assert_eq!(password.status, 0, "{password:?}");
    // Root's shell opens a file that nobody else may open.
    let imported = place.run_on(
        b"time,watts\n2026-01-05T11:00:00Z,5\n",
        &["import", "-", "--sensor", "house"],
    );
    assert_eq!(imported.status, 0, "{imported:?}");
    check_owner(&place, SERVICE);
    // A service that root starts by hand is one of that user, too.
    place.serve(&[]).stop();
    check_owner(&place, SERVICE);

    let server = serve_as(&place, SERVICE);
    let keys = place.json(&["key", "list"]);
    assert_eq!(keys.as_array().unwrap().len(), 1, "{keys}");
    place.ok(&["key", "add", "home"]);
    server.stop();
    check_owner(&place, SERVICE);

    fs::remove_dir_all(place.data_dir()).unwrap();
    fs::create_dir(place.data_dir()).unwrap();
    give(&place, SERVICE);
    let restored = place.run(&["restore", "backups/first"]);
    assert!(!restored.err.contains("belongs to root"), "{restored:?}");
    check_owner(&place, SERVICE);
    serve_as(&place, SERVICE).stop();

    // Nobody has a folder yet that root makes.
    fs::remove_dir_all(place.data_dir()).unwrap();
    let restored = place.run(&["restore", "backups/first"]);
    let given = "data belongs to root now. If another user runs the service, give it the folder: `chown -R wattkeeper: data`";
    assert!(restored.err.contains(given), "{restored:?}");
}

#[test]
#[ignore = "needs root"]
fn a_command_run_as_root_says_as_whom_it_may_not_write() {
    let place = place_of_service();
    place.prepare();
    let error = place.error(&["backup", "here"]);
    let end = format!("Permission denied (os error 13); this command ran as #{SERVICE}:");
    assert!(error.contains(&end), "{error}");
}

/// A root-only data dir is that of a service that runs as root, in a container, say, wherever the
/// folder came from.
#[test]
#[ignore = "needs root"]
fn a_service_that_runs_as_root_keeps_its_store() {
    let place = Place::new();
    place.prepare();
    chown(place.data_dir(), Some(SERVICE), None).unwrap();
    place.ok(&["account", "list"]);
    place.serve(&[]).stop();
    assert_eq!(
        fs::metadata(place.data_dir().join("lock")).unwrap().uid(),
        0
    );
}

#[test]
#[ignore = "needs root"]
fn a_start_names_the_file_that_was_left_as_root() {
    let place = place_of_service();
    place.prepare();
    let files = everything_in(&place.data_dir());
    assert!(files.len() > 8, "{files:?}");
    for path in files {
        chown(&path, Some(0), Some(0)).unwrap();
        for arguments in [
            &["serve", "--listen", "127.0.0.1:0"][..],
            &["account", "list"],
        ] {
            let error = run_as(&place, SERVICE, arguments).error();
            let named = path.strip_prefix(place.dir.path()).unwrap();
            let expected = format!(
                "{} belongs to root, and wattkeeper runs as #{SERVICE}: ",
                named.display()
            );
            assert!(error.contains(&expected), "{error}");
            let repair = format!("as root: `chown -R {SERVICE}:{SERVICE} data`");
            assert!(error.contains(&repair), "{error}");
        }
        chown(&path, Some(SERVICE), Some(SERVICE)).unwrap();
    }
    serve_as(&place, SERVICE).stop();
}

#[test]
#[ignore = "needs root"]
fn a_start_names_the_file_that_its_owner_closed() {
    let place = place_of_service();
    place.prepare();
    let list = || run_as(&place, SERVICE, &["account", "list"]);
    let mut refused = Vec::new();
    for path in everything_in(&place.data_dir()) {
        fs::set_permissions(&path, Permissions::from_mode(0o0)).unwrap();
        let listed = list();
        if listed.status == 0 {
            // It was not needed.
            continue;
        }
        let error = listed.error();
        let named = path.strip_prefix(place.dir.path()).unwrap();
        let expected = format!(
            "{} belongs to #{SERVICE}, and wattkeeper runs as #{SERVICE}: its mode 0000 denies access to that user, too",
            named.display()
        );
        assert!(error.contains(&expected), "{error}");
        run_repair(&place, &error, SERVICE);
        assert_eq!(list().status, 0, "{}", path.display());
        refused.push(named.to_owned());
    }
    for part in ["data", "data/lock", "data/journal", "data/facts/a"] {
        assert!(refused.iter().any(|it| it.as_os_str() == part), "{part}");
    }
}

/// Runs the one command that an error names as the repair, as that user.
#[track_caller]
fn run_repair(place: &Place, error: &str, user: u32) {
    let (_, rest) = error.split_once("`ch").unwrap();
    let (repair, _) = rest.split_once('`').unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ch{repair}")]);
    command.current_dir(place.dir.path()).uid(user).gid(user);
    assert!(command.status().unwrap().success(), "{error}");
}

#[test]
#[ignore = "needs root"]
fn whoever_may_not_read_the_settings_is_told_what_repairs_that() {
    let place = place_of_service();
    place.prepare();
    place.file("config.toml", b"[log]\nlevel = \"warn\"\n");
    let config = place.dir.path().join("config.toml");
    let list_by = |config: &Path| {
        let arguments = ["--config", config.to_str().unwrap(), "account", "list"];
        run_as(&place, SERVICE, &arguments)
    };
    let list = || list_by(&config);
    // As the package leaves it: for the user of the service.
    chown(&config, Some(0), Some(1)).unwrap();
    fs::set_permissions(&config, Permissions::from_mode(0o640)).unwrap();
    let error = list().error();
    let expected = format!(
        "config.toml belongs to root and has mode 0640, but wattkeeper runs as #{SERVICE}: run it as daemon: `sudo -u daemon wattkeeper ..`"
    );
    assert!(error.ends_with(&expected), "{error}");
    // As root's editor leaves it.
    chown(&config, Some(0), Some(0)).unwrap();
    run_repair(&place, &list().error(), 0);
    assert_eq!(list().status, 0, "{:?}", list());
    // So is a folder above it.
    let folder = place.dir.path().join("settings");
    fs::create_dir(&folder).unwrap();
    let moved = folder.join("config.toml");
    fs::rename(&config, &moved).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let error = list_by(&moved).error();
    assert!(
        error.contains("settings belongs to root and has mode 0700"),
        "{error}"
    );
    run_repair(&place, &error, 0);
    let listed = list_by(&moved);
    assert_eq!(listed.status, 0, "{listed:?}");
}

/// systemd's `PrivateUsers=` shows a service root and its own user only.
#[test]
#[ignore = "needs root"]
fn a_start_in_a_sandbox_does_not_name_a_false_owner() {
    let place = place_of_service();
    place.prepare();
    let facts = place.data_dir().join("facts");
    chown(&facts, Some(STRANGER), Some(STRANGER)).unwrap();
    let program = command_as(&place, SERVICE, &[]).get_program().to_owned();
    let list = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-current-user"]).arg(&program);
        let mut command = place.command_of(unshare, &["account", "list"]);
        command.uid(SERVICE).gid(SERVICE);
        Run::of(command, b"")
    };
    let error = list().error();
    let expected = "data/facts belongs to a user hidden by the sandbox of this service, and";
    assert!(error.contains(expected), "{error}");
    run_repair(&place, &error, 0);
    assert_eq!(list().status, 0, "{:?}", list());
    give(&place, STRANGER);
    let error = list().error();
    assert!(!error.contains("nobody"), "{error}");
    run_repair(&place, &error, 0);
    assert_eq!(list().status, 0, "{:?}", list());
}

#[test]
#[ignore = "needs root"]
fn a_stranger_is_told_to_run_it_as_the_owner_not_as_root() {
    let place = place_of_service();
    place.prepare();
    let salvaged = ["check", "--salvage", "elsewhere"];
    let list = || run_as(&place, STRANGER, &["account", "list"]);
    let server = serve_as(&place, SERVICE);
    let expected = format!(
        "data belongs to #{SERVICE}, and wattkeeper runs as #{STRANGER}: run it as #{SERVICE}: `sudo -u '#{SERVICE}' wattkeeper ..`"
    );
    assert!(list().error().ends_with(&expected), "{:?}", list());
    server.stop();
    for arguments in [&["account", "list"][..], &["check"], &salvaged] {
        let error = run_as(&place, STRANGER, arguments).error();
        assert!(error.ends_with(&expected), "{error}");
        assert!(!error.contains("chown"), "{error}");
    }
    give(&place, 1);
    let error = list().error();
    assert!(error.ends_with("`sudo -u daemon wattkeeper ..`"), "{error}");
}
