//! PostgreSQL for tests: servers in a temporary folder, run from the programs of Debian's package.
//! They end with the test process, however that ends. This file uses only the standard library, so
//! that other test binaries can include it.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio, id};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// The password of the superuser `postgres`.
const PASSWORD: &str = "of-the-tests";
/// The password of other roles.
const ROLE_PASSWORD: &str = "of-a-test";
/// Small, as several servers may run at once. Their data must survive killed processes, but not a
/// power cut.
const SETTINGS: &str = "shared_buffers=16MB max_connections=60 max_wal_senders=4 wal_level=replica \
    wal_sync_method=fdatasync listen_addresses=127.0.0.1 max_wal_size=128MB logging_collector=off";
/// The standby's name in `synchronous_standby_names`.
const STANDBY: &str = "standby";

static COUNTER: AtomicUsize = AtomicUsize::new(0);

/// A running server.
pub(crate) struct PostgresServer {
    /// Contains its data, its socket and its log; belongs to the user that runs the server.
    folder: PathBuf,
    port: u16,
    /// Waits for the end of its input, which comes when this process ends; then stops the server
    /// and removes the folder.
    keeper: Child,
}

impl PostgresServer {
    /// The server shared by all tests of this process that need no special settings.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<PostgresServer> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[]))
    }

    /// Starts another server, with settings such as `fsync=off`.
    pub(crate) fn start(settings: &[&str]) -> Self {
        Self::start_with(settings, Self::init)
    }

    /// Starts a server on a disk in memory; needs the right to mount.
    pub(crate) fn start_on_disk(mib: u64) -> Self {
        // Segments of the usual size would fill most of the disk.
        Self::start_with(&["max_wal_size=8MB", "min_wal_size=2MB"], |server| {
            let size = format!("size={mib}m,mode=700");
            let mut mount = Command::new("mount");
            mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]);
            let data = server.data();
            fs::create_dir(&data).unwrap();
            done("mount", &mount.arg(&data).output().unwrap());
            give(&data);
            server.init_with(&["--wal-segsize=1"]);
        })
    }

    /// Fills the disk of [`Self::start_on_disk`] with a file.
    pub(crate) fn fill_disk(&self) -> PathBuf {
        let filler = self.data().join("filler");
        let mut file = fs::File::create(&filler).unwrap();
        // Until it is full.
        while file.write_all(&[7; 4_096]).is_ok() {}
        filler
    }

    fn init(&self) {
        self.init_with(&[]);
    }

    fn init_with(&self, arguments: &[&str]) {
        let server = self;
        let password = server.folder.join("password");
        fs::write(&password, PASSWORD).unwrap();
        let output = server
            .program("initdb")
            .args(["--username=postgres", "--auth=scram-sha-256", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C", "--no-instructions", "-D"])
            .arg(server.data())
            .arg("--pwfile")
            .arg(&password)
            .args(arguments)
            .output()
            .unwrap();
        done("initdb", &output);
    }

    /// Starts a server that follows this one. From then on, this one waits for its confirmation.
    pub(crate) fn standby(&self) -> Self {
        let standby = Self::start_with(&[], |standby| {
            let output = standby
                .program("pg_basebackup")
                .args(["--write-recovery-conf", "--no-sync", "--checkpoint=fast"])
                .arg("--pgdata")
                .arg(standby.data())
                .arg("--dbname")
                .arg(format!(
                    "host=127.0.0.1 port={} user=postgres application_name={STANDBY}",
                    self.port
                ))
                .output()
                .unwrap();
            done("pg_basebackup", &output);
        });
        self.set("synchronous_standby_names", STANDBY);
        let state = "select count(*) from pg_stat_replication where sync_state = 'sync'";
        while self.sql("postgres", state) != "1" {
            sleep(Duration::from_millis(20));
        }
        standby
    }

    fn start_with(settings: &[&str], make_data: impl FnOnce(&Self)) -> Self {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("wattkeeper-postgres-{}-{number}", id()));
        fs::create_dir(&folder).unwrap();
        give(&folder);
        let server = Self {
            port: free_port(),
            keeper: keeper(&folder),
            folder,
        };
        make_data(&server);
        let own = SETTINGS.split_whitespace().chain(settings.iter().copied());
        let mut lines: Vec<String> = own
            .map(|setting| setting.split_once('=').unwrap())
            .map(|(name, value)| format!("{name} = '{value}'"))
            .collect();
        lines.push(format!("port = {}", server.port));
        lines.push(format!(
            "unix_socket_directories = '{}'",
            server.folder.display()
        ));
        let path = server.data().join("postgresql.conf");
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        writeln!(file, "{}", lines.join("\n")).unwrap();
        server.start_again();
        server
    }

    /// Creates a database for a test.
    pub(crate) fn create_database(&self) -> String {
        let name = format!("test_{}", COUNTER.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("create database {name}"));
        name
    }

    /// Creates a role with an empty schema of its own, and returns the role and an address that
    /// uses the schema. Takes less time than a database.
    pub(crate) fn create_schema(&self) -> (String, String) {
        let role = format!("test_{}", COUNTER.fetch_add(1, Ordering::Relaxed));
        let statements = format!(
            "create role {role} login password '{ROLE_PASSWORD}'; create schema authorization {role};"
        );
        self.sql("postgres", &statements);
        let url = self.url_of(&role, ROLE_PASSWORD, "postgres");
        (role, url)
    }

    /// The address of a database, for the superuser.
    pub(crate) fn url(&self, database: &str) -> String {
        self.url_of("postgres", PASSWORD, database)
    }

    /// The address of a database, for a role.
    pub(crate) fn url_of(&self, role: &str, password: &str, database: &str) -> String {
        let port = self.port;
        format!("postgres://{role}:{password}@127.0.0.1:{port}/{database}?sslmode=disable")
    }

    /// The address of a database through the socket, for the superuser.
    pub(crate) fn socket_url(&self, database: &str) -> String {
        let folder = self.folder.to_str().unwrap().replace('/', "%2F");
        format!(
            "postgres://postgres:{PASSWORD}@{folder}:{}/{database}",
            self.port
        )
    }

    /// The port on 127.0.0.1.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Runs statements as the superuser, each by itself. Returns the rows, with `|` between their
    /// values.
    pub(crate) fn sql(&self, database: &str, statements: &str) -> String {
        let arguments = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", database];
        let rows = self.client("psql", &arguments, statements);
        rows.trim().to_owned()
    }

    /// The output of a client that connects as the superuser.
    pub(crate) fn client(&self, name: &str, arguments: &[&str], input: &str) -> String {
        let mut client = Command::new(programs().join(name))
            .args(["-U", "postgres", "-p", &self.port.to_string(), "-h"])
            .arg(&self.folder)
            .args(arguments)
            .env("PGPASSWORD", PASSWORD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = client.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        let output = client.wait_with_output().unwrap();
        done(input, &output);
        String::from_utf8(output.stdout).unwrap()
    }

    /// Changes a setting of the whole server.
    pub(crate) fn set(&self, setting: &str, value: &str) {
        self.sql(
            "postgres",
            &format!("alter system set {setting} = '{value}'"),
        );
        self.sql("postgres", "select pg_reload_conf()");
        let shown = format!("show {setting}");
        while self.sql("postgres", &shown) != value {
            sleep(Duration::from_millis(20));
        }
    }

    /// Creates a file that only the server may read, such as a key.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        give(&path);
        path
    }

    /// Stops it without waiting for its clients.
    pub(crate) fn stop(&self) {
        self.control(&["-m", "fast", "stop"]);
    }

    /// Starts it after a stop or a kill.
    pub(crate) fn start_again(&self) {
        let log = self.folder.join("log");
        let log = log.to_str().unwrap();
        self.control(&["-t", "120", "-l", log, "start"]);
    }

    /// Kills it as the kernel would; returns when none of its processes runs.
    pub(crate) fn kill(&self) {
        let pid_file = self.data().join("postmaster.pid");
        let text = fs::read_to_string(&pid_file).unwrap();
        let pid = text.lines().next().unwrap();
        // Ended processes may stay in the process table until their new parent reaps them.
        let script = "all=\"$0 $(cat /proc/$0/task/$0/children)\"; kill -KILL $all; for one in $all; do \
            while grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$one/status; do sleep 0.01; done; done 2>/dev/null; true";
        let output = Command::new("sh").args(["-c", script, pid]).output();
        done("kill", &output.unwrap());
        // These files would stop a server from starting while such a process exists.
        let socket = format!(".s.PGSQL.{}.lock", self.port);
        for lock in [pid_file, self.folder.join(socket)] {
            fs::remove_file(lock).unwrap();
        }
    }

    /// Makes a standby a primary.
    pub(crate) fn promote(&self) {
        self.control(&["promote"]);
    }

    fn control(&self, arguments: &[&str]) {
        let mut control = self.program("pg_ctl");
        control.arg("-s").arg("-w").arg("-D").arg(self.data());
        let output = control.args(arguments).output().unwrap();
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        done(&format!("pg_ctl {arguments:?}, log: {log}"), &output);
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A program of PostgreSQL, run as the server's user.
    fn program(&self, name: &str) -> Command {
        let mut command = as_other_user(&programs().join(name));
        command
            .current_dir(&self.folder)
            .env("PGPASSWORD", PASSWORD)
            .stdin(Stdio::null());
        command
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Starts a process that outlives this one until it has cleaned up.
fn keeper(folder: &Path) -> Child {
    // Usually there is no separate disk, and nothing is unmounted.
    let script = "cat >/dev/null; \"$@\" -s -D \"$0/data\" -m immediate stop; cd /; \
        umount -q \"$0/data\" 2>/dev/null; rm -rf \"$0\"";
    let stop = as_other_user(&programs().join("pg_ctl"));
    Command::new("sh")
        .args(["-c", script])
        .arg(folder)
        .arg(stop.get_program())
        .args(stop.get_args())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Signals that end the test, such as Ctrl-C, must not end this process.
        .process_group(0)
        .spawn()
        .unwrap()
}

/// The folder with the programs of the newest installed version.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let found = versions.filter_map(|entry| {
            let path = entry.ok()?.path();
            let version: u32 = path.file_name()?.to_str()?.parse().ok()?;
            let programs = path.join("bin");
            programs
                .join("initdb")
                .exists()
                .then_some((version, programs))
        });
        let newest = found.max();
        newest
            .expect("PostgreSQL is needed: install Debian's postgresql")
            .1
    })
}

/// The user to run a server as if this is root, which PostgreSQL refuses.
fn other_user() -> Option<&'static str> {
    static USER: OnceLock<Option<&str>> = OnceLock::new();
    *USER.get_or_init(|| {
        let is = |arguments: &[&str]| Command::new("id").args(arguments).output().unwrap();
        if is(&["-u"]).stdout != b"0\n" {
            return None;
        }
        let has_own = is(&["postgres"]).status.success();
        Some(if has_own { "postgres" } else { "nobody" })
    })
}

/// Gives a file or folder to the server's user.
fn give(path: &Path) {
    if let Some(user) = other_user() {
        let output = Command::new("chown").arg(user).arg(path).output();
        done("chown", &output.unwrap());
    }
}

fn as_other_user(program: &Path) -> Command {
    let Some(user) = other_user() else {
        return Command::new(program);
    };
    let mut command = Command::new("setpriv");
    command
        .args(["--reuid", user, "--clear-groups", "--"])
        .arg(program);
    command
}

/// A free port, below those that the kernel gives to clients: these could take it while the server
/// is stopped.
fn free_port() -> u16 {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    // Processes that start one after the other search in different places.
    let start = usize::try_from(id()).unwrap() * 37;
    loop {
        let port = 10_000 + (start + ASKED.fetch_add(1, Ordering::Relaxed)) % 20_000;
        let port = u16::try_from(port).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn done(what: &str, output: &std::process::Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {said}");
}
