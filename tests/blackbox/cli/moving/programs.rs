//! Exports of other programs: values are written to them, exported by them, imported, and compared
//! one by one.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Row, import, row, stored};
use crate::place::Place;
use crate::port::free_port;

/// 2024-01-05T10:00:00Z: neither program takes what is far ahead of its clock.
const TEN_S: u64 = 1_704_448_800;

/// A program that serves HTTP; it is killed when dropped.
pub(in crate::cli) struct Listening {
    child: Child,
    pub(in crate::cli) url: String,
    agent: ureq::Agent,
}

impl Listening {
    /// Starts it on a free port, as `command` says, and waits until it answers at `ready`.
    fn start(command: impl Fn(&str) -> Command, ready: &str) -> Self {
        let begun = Instant::now();
        loop {
            let address = format!("127.0.0.1:{}", free_port());
            let mut command = command(&address);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let config = ureq::Agent::config_builder().http_status_as_error(false);
            let mut program = Self {
                child: command.spawn().unwrap(),
                url: format!("http://{address}"),
                agent: config.build().new_agent(),
            };
            // It ends if somebody else has taken the port meanwhile.
            while program.child.try_wait().unwrap().is_none() {
                let answer = program.agent.get(format!("{}{ready}", program.url)).call();
                if answer.is_ok_and(|answer| answer.status().is_success()) {
                    return program;
                }
                assert!(begun.elapsed() < Duration::from_mins(2), "{address}");
                thread::sleep(Duration::from_millis(50));
            }
            assert!(
                begun.elapsed() < Duration::from_mins(2),
                "it does not start"
            );
        }
    }

    /// The program `victoria-metrics`, with its data in the folder of a test.
    pub(in crate::cli) fn victoria_metrics(place: &Place) -> Self {
        let program = |address: &str| {
            let mut command = Command::new("victoria-metrics");
            command
                .current_dir(place.dir.path())
                .args(["-storageDataPath", "metrics", "-retentionPeriod", "100y"])
                .args(["-httpListenAddr", address]);
            command
        };
        Self::start(program, "/health")
    }

    pub(in crate::cli) fn get(&self, path: &str) -> String {
        let mut answer = self
            .agent
            .get(format!("{}{path}", self.url))
            .call()
            .unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.body_mut().read_to_string().unwrap()
    }

    fn post(&self, path: &str, body: &str) {
        let url = format!("{}{path}", self.url);
        let answer = self.agent.post(&url).send(body).unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Power and register each minute for some hours, with gaps: seconds since 1970, tenths of a watt,
/// watt-hours.
fn history() -> Vec<(u64, i32, u32)> {
    let minutes = (0_u32..300).filter(|n| !(120..150).contains(n));
    let value = |n: u32| {
        let tenths = i32::try_from(n * 7_919 % 30_001).unwrap() - 5_000;
        (TEN_S + 60 * u64::from(n), tenths, 9_410_938 + 13 * n)
    };
    minutes.map(value).collect()
}

fn expected() -> Vec<Row> {
    let rows = history().into_iter().map(|(seconds, tenths, register)| {
        let minutes = (seconds - TEN_S) / 60;
        let time = format!(
            "2024-01-05T{:02}:{:02}:00Z",
            10 + minutes / 60,
            minutes % 60
        );
        row(&time, f64::from(tenths) / 10.0, f64::from(register))
    });
    rows.collect()
}

#[test]
#[ignore = "needs victoria-metrics"]
fn victoria_metrics_value_by_value() {
    let place = Place::new();
    place.prepare();
    let victoria = Listening::victoria_metrics(&place);
    let lines = history().into_iter().map(|(seconds, tenths, register)| {
        let [watts, kwh] = [f64::from(tenths) / 10.0, f64::from(register) / 1_000.0];
        format!(
            "house_power_w{{meter=\"a\"}} {watts} {seconds}000\nhouse_energy_kwh{{meter=\"a\"}} {kwh} {seconds}000\n"
        )
    });
    victoria.post("/api/v1/import/prometheus", &lines.collect::<String>());
    // Points can be exported once they are flushed, and this may take a moment.
    let begun = Instant::now();
    let export = loop {
        victoria.get("/internal/force_flush");
        let text = victoria.get("/api/v1/export?match[]=%7Bmeter=%22a%22%7D&max_rows_per_line=100");
        if text.matches("house_").count() >= 6 {
            break text;
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "{text}");
        thread::sleep(Duration::from_millis(100));
    };
    place.file("export.jsonl", export.as_bytes());
    let columns = [
        "--watts-column",
        "house_power_w",
        "--watthours-column",
        "house_energy_kwh",
    ];
    import(
        &place,
        &[&["export.jsonl", "--sensor", "house"], &columns[..]].concat(),
    );
    assert_eq!(stored(&place, "house"), expected());
}

#[test]
#[ignore = "needs influxd"]
fn influxd_value_by_value() {
    let place = Place::new();
    place.prepare();
    let dir = place.dir.path().join("influx");
    let program = |address: &str| influxd(&dir, address);
    let influx = Listening::start(program, "/ping");
    influx.post("/query?q=CREATE%20DATABASE%20home", "");
    // As Home Assistant writes them: the measurement is the unit.
    let lines = history().into_iter().map(|(seconds, tenths, register)| {
        let [watts, kwh] = [f64::from(tenths) / 10.0, f64::from(register) / 1_000.0];
        format!(
            "W,entity_id=house_power value={watts} {seconds}\nkWh,entity_id=house_energy value={kwh} {seconds}\n"
        )
    });
    influx.post("/write?db=home&precision=s", &lines.collect::<String>());
    let (host, port) = influx.url["http://".len()..].split_once(':').unwrap();
    for (measurement, option, unit) in [
        ("W", "--watts-column", "W"),
        ("kWh", "--watthours-column", "kWh"),
    ] {
        let query = format!("SELECT * FROM {measurement}");
        let output = Command::new("influx")
            .args(["-host", host, "-port", port, "-database", "home"])
            .args(["-format", "csv", "-precision", "ns", "-execute", &query])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        place.file("influx.csv", &output.stdout);
        let arguments = [
            "influx.csv",
            "--sensor",
            "house",
            option,
            "value",
            "--unit",
            unit,
        ];
        import(&place, &arguments);
    }
    assert_eq!(stored(&place, "house"), expected());
}

/// The program with all its files in `dir`.
fn influxd(dir: &Path, address: &str) -> Command {
    let mut command = Command::new("influxd");
    command
        .args(["-config", "/dev/null"])
        .env("INFLUXDB_META_DIR", dir.join("meta"))
        .env("INFLUXDB_DATA_DIR", dir.join("data"))
        .env("INFLUXDB_DATA_WAL_DIR", dir.join("wal"))
        .env("INFLUXDB_HTTP_BIND_ADDRESS", address)
        .env("INFLUXDB_BIND_ADDRESS", "127.0.0.1:0")
        .env("INFLUXDB_REPORTING_DISABLED", "true");
    command
}
