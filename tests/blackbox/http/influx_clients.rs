//! Clients of InfluxDB themselves, at work on the service.

use std::process::{Command, Output};

use crate::support::{API_ID, API_KEY, SENSOR, Service, points};

/// What Python's packages are installed into, by scripts/test.
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/venv-influx/bin/python");

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    let (out, err) = (&output.stdout, &output.stderr);
    let (out, err) = (String::from_utf8_lossy(out), String::from_utf8_lossy(err));
    assert!(output.status.success(), "{command:?}: {out}{err}");
    output
}

/// The command-line client of InfluxDB 1, with the house's credentials.
fn influx(service: &Service) -> Command {
    let mut command = Command::new("influx");
    command
        .args(["-host", "127.0.0.1", "-port"])
        .arg(service.address().port().to_string())
        .args(["-username", API_ID, "-password", API_KEY])
        .args(["-database", "home", "-precision", "s"]);
    command
}

#[test]
#[ignore = "needs influx"]
fn influx_inserts_and_imports() {
    let service = Service::start();
    run(influx(&service).args([
        "-execute",
        "INSERT power,sensor=house watts=234.5,watthours=1010 1767607200",
    ]));
    let file = service.data_dir().join("import.txt");
    let head = "# DML\n# CONTEXT-DATABASE: home\n\n";
    let lines = (1..=3).map(|n| format!("power,sensor=house watts={n} {}\n", 1_767_607_200 + n));
    let lines: Vec<String> = lines.collect();
    std::fs::write(&file, format!("{head}{}", lines.concat())).unwrap();
    let output = run(influx(&service).arg("-import").arg("-path").arg(&file));
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed);
    assert!(printed.contains("Failed 0 inserts"), "{printed}");
    assert_eq!(
        service.all_watts(),
        points([
            ("2026-01-05T10:00:00.000Z", 234.5),
            ("2026-01-05T10:00:01.000Z", 1.0),
            ("2026-01-05T10:00:02.000Z", 2.0),
            ("2026-01-05T10:00:03.000Z", 3.0),
        ])
    );
}

#[test]
#[ignore = "needs influx"]
fn influx_shows_why_it_failed() {
    let service = Service::start();
    for (line, why) in [
        (
            "power,sensor=garage watts=1",
            "sensor \\\"garage\\\" does not exist",
        ),
        ("power,sensor=house watts=x", "invalid number or boolean"),
    ] {
        let output = influx(&service)
            .args(["-execute", &format!("INSERT {line}")])
            .output()
            .unwrap();
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        assert!(printed.contains(why), "{why} in {printed}");
    }
    let output = run(influx(&service).args(["-execute", "SHOW DATABASES"]));
    assert!(String::from_utf8_lossy(&output.stdout).contains("home"));
}

/// Runs lines of Python with `host`, `port`, `api_id` and `api_key` defined.
fn python(service: &Service, lines: &str) {
    let program = format!(
        "host, port, api_id, api_key = '127.0.0.1', {}, '{API_ID}', '{API_KEY}'\n{lines}",
        service.address().port()
    );
    run(Command::new(PYTHON).args(["-c", &program]));
}

#[test]
#[ignore = "needs python"]
fn python_influxdb_writes() {
    let service = Service::start();
    python(
        &service,
        "
from influxdb import InfluxDBClient
from influxdb.exceptions import InfluxDBClientError
for packed in (False, True):
    client = InfluxDBClient(host, port, api_id, api_key, 'home', gzip=packed)
    assert client.ping() == '1.8.10'
    client.create_database('home')
    assert client.get_list_database() == [{'name': 'home'}]
    second = 1767607200 + packed
    fields = {'watts': 1.5 + packed, 'watthours': 10, 'note': 'a \"quoted\" text', 'on': True}
    point = {'measurement': 'my power', 'tags': {'sensor': 'house', 'room': 'a, b'}, 'time': second, 'fields': fields}
    assert client.write_points([point], time_precision='s')
    assert client.write_points([])
found = list(client.query(\"SELECT LAST(watts) FROM \\\"my power\\\" WHERE sensor='house'\").get_points())
assert found == [{'time': '2026-01-05T10:00:01Z', 'last': 2.5}], found
try:
    client.write_points([dict(point, tags={'sensor': 'garage'})], time_precision='s')
    raise SystemExit('it was not refused')
except InfluxDBClientError as error:
    assert error.code == 403 and 'garage' in error.content, error
",
    );
    let stored = points([
        ("2026-01-05T10:00:00.000Z", 1.5),
        ("2026-01-05T10:00:01.000Z", 2.5),
    ]);
    assert_eq!(service.all_watts(), stored);
}

#[test]
#[ignore = "needs python"]
fn python_influxdb_client_writes() {
    let service = Service::start();
    python(
        &service,
        "
from influxdb_client import InfluxDBClient, Point, WritePrecision
from influxdb_client.client.write_api import SYNCHRONOUS
from influxdb_client.rest import ApiException
for packed in (False, True):
    token = f'{api_id}:{api_key}'
    client = InfluxDBClient(f'http://{host}:{port}', token, org='home', enable_gzip=packed)
    assert client.ping()
    writer = client.write_api(write_options=SYNCHRONOUS)
    point = Point('power').tag('sensor_id', 'house').field('watts', 1.5 + packed).field('watthours', 10)
    writer.write('home', record=point.time(1767607200 + packed, WritePrecision.S))
    writer.write('home', record=f'power,sensor=house Watts=7 {1767607210 + packed}', write_precision='s')
with client.write_api() as batching:
    for n in range(100):
        batching.write('home', record=Point('power').tag('sensor', 'house').field('Wh', n).time((1767600000 + n) * 10**9))
try:
    writer.write('home', record='power,sensor=garage watts=1')
    raise SystemExit('it was not refused')
except ApiException as error:
    assert error.status == 403 and 'garage' in error.body, error
",
    );
    let stored = points([
        ("2026-01-05T10:00:00.000Z", 1.5),
        ("2026-01-05T10:00:01.000Z", 2.5),
        ("2026-01-05T10:00:10.000Z", 7.0),
        ("2026-01-05T10:00:11.000Z", 7.0),
    ]);
    assert_eq!(service.all_watts(), stored);
    assert_eq!(service.sensor(SENSOR)["latest_watts"], 7.0);
    let registers = service.points("consumption", "2026-01-05", "2026-01-06");
    assert_eq!(registers.len(), 101);
}
