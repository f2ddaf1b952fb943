//! InfluxDB's protocol: docs/INFLUX.md line by line, with requests as clients write them.

use std::io::Write as _;
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use wattkeeper::FieldRule;
use wattkeeper::Quantity;
use wattkeeper::SensorId;
use wattkeeper::{Plan, Scope};

use crate::support::{
    ACCOUNT, API_ID, API_KEY, Connection, Response, SENSOR, START, Service, basic, house_basic,
    key_of, points, request,
};

/// 2026-01-05T10:00:00Z in seconds.
const TEN: i64 = 1_767_607_200;

/// `POST /write` with these parameters behind `db=home` and the house's credentials by Basic.
fn write(service: &Service, parameters: &str, lines: &str) -> Response {
    let target = format!("/write?db=home{parameters}");
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    service.send(&request("POST", &target, &headers, lines.as_bytes()))
}

/// `POST /api/v2/write` with this `Authorization`.
fn write_v2(service: &Service, authorization: &str, lines: &str) -> Response {
    let target = "/api/v2/write?org=home&bucket=home&precision=s";
    let headers = [("Authorization", authorization)];
    service.send(&request("POST", target, &headers, lines.as_bytes()))
}

#[track_caller]
fn assert_done(answer: &Response) {
    assert_eq!((answer.status(), answer.text()), (204, ""));
    assert_eq!(answer.head.header("x-influxdb-version"), Some("1.8.10"));
}

/// Asserts an error of version 1 with `mentions` in its text.
#[track_caller]
fn assert_error(answer: &Response, status: u16, mentions: &str) {
    assert_eq!(answer.status(), status, "{}", answer.text());
    assert_eq!(answer.head.header("content-type"), Some("application/json"));
    let error = answer.json();
    assert_eq!(error.as_object().unwrap().len(), 1, "{error}");
    let text = error["error"].as_str().unwrap();
    assert!(text.contains(mentions), "{mentions:?} in {text}");
    let header = answer.head.header("x-influxdb-error").unwrap();
    assert_eq!(header.len(), text.chars().count(), "{header}");
}

#[test]
fn lines_become_readings() {
    let service = Service::start();
    service.add_sensor(ACCOUNT, "solar");
    let lines = format!(
        "# a comment\npower,sensor_id=house watts=234.5,watthours=1010i {TEN}\npower,sensor=house watts=366,watthours=1016.1,volts=230 {}\nroof,sensor=solar,panel=1 Watts=-5u {TEN}\n",
        TEN + 60
    );
    // A number that is no unsigned one is a bad line; the others stay.
    let answer = write(&service, "&precision=s", &lines);
    let problem = "line 4: field \"Watts\": invalid number or boolean; got -5u dropped=1";
    assert_error(&answer, 400, problem);
    let both = points([
        ("2026-01-05T10:00:00.000Z", 234.5),
        ("2026-01-05T10:01:00.000Z", 366.0),
    ]);
    assert_eq!(service.all_watts(), both);
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([("2026-01-05T10:01:00.000Z", 6.1)]));
    assert_done(&write(
        &service,
        "&precision=s",
        &format!("roof,sensor=solar Watts=5 {TEN}"),
    ));
    assert_eq!(service.sensor("solar")["latest_watts"], 5.0);
    assert_eq!(service.sensor("solar")["active"], true);
}

#[test]
fn precisions_are_those_of_both_versions() {
    for (parameters, time) in [
        ("", TEN * 1_000_000_000 + 999_999),
        ("&precision=", TEN * 1_000_000_000),
        ("&precision=n", TEN * 1_000_000_000),
        ("&precision=ns", TEN * 1_000_000_000),
        ("&precision=u", TEN * 1_000_000),
        ("&precision=us", TEN * 1_000_000),
        ("&precision=ms", TEN * 1_000),
        ("&precision=s", TEN),
        ("&precision=m", TEN / 60),
        ("&precision=h", TEN / 3_600),
    ] {
        let service = Service::start();
        let line = format!("p,sensor=house watts=1 {time}");
        assert_done(&write(&service, parameters, &line));
        let stored = points([("2026-01-05T10:00:00.000Z", 1.0)]);
        assert_eq!(service.all_watts(), stored, "{parameters}");
    }
    let service = Service::start();
    let answer = write(&service, "&precision=d", "p,sensor=house watts=1");
    assert_error(&answer, 400, "invalid precision (use ns, u, ms, s, m or h)");
}

/// Milliseconds, microseconds and seconds that are taken for nanoseconds lie in 1970, and all of an
/// hour on one millisecond.
#[test]
fn a_time_before_2005_needs_a_precision() {
    for time in [TEN, TEN * 1_000, TEN * 1_000_000, 1, -1, 0] {
        let service = Service::start();
        let lines = format!(
            "p,sensor=house watts=1 {time}\np,sensor=house watts=2 {}\np,sensor=house watts=3\n",
            TEN * 1_000_000_000
        );
        let answer = write(&service, "", &lines);
        assert_error(&answer, 400, "name its unit with the parameter precision");
        assert_error(&answer, 400, "partial write: line 1: the time");
        assert_error(&answer, 400, "dropped=1");
        let stored = points([("2026-01-05T10:00:00.000Z", 2.0), (START, 3.0)]);
        assert_eq!(service.all_watts(), stored, "{time}");
        let headers = [("Authorization", house_basic())];
        let headers = headers
            .each_ref()
            .map(|(name, value)| (*name, value.as_str()));
        let line = format!("p,sensor=house watts=1 {time}");
        let target = "/api/v2/write?org=home&bucket=home";
        let answer = service.send(&request("POST", target, &headers, line.as_bytes()));
        assert_eq!(answer.status(), 400, "{}", answer.text());
        let message = answer.json()["message"].to_string();
        assert!(message.contains("precision=s"), "{message}");
        assert_eq!(service.all_watts(), stored, "{time}");
    }
    // Years of history have their unit.
    let service = Service::start();
    for (precision, time) in [("s", 86_400), ("ms", 5), ("ns", 1_000_000), ("u", 9_000)] {
        let line = format!("p,sensor=house watts=1 {time}");
        assert_done(&write(&service, &format!("&precision={precision}"), &line));
    }
    assert_eq!(service.all_watts().len(), 4);
}

#[test]
fn a_value_that_is_no_number_costs_itself_alone() {
    let lines = |value: &str| {
        format!(
            "p,sensor=house watts=1,Wh=1 {TEN}\np,sensor=house watts={value},Wh=2,volts={value} {}\np,sensor=house watts=3,Wh=3 {}\n",
            TEN + 60,
            TEN + 120
        )
    };
    let stored = points([
        ("2026-01-05T10:00:00.000Z", 1.0),
        ("2026-01-05T10:02:00.000Z", 3.0),
    ]);
    let registers = points([
        ("2026-01-05T10:01:00.000Z", 1.0),
        ("2026-01-05T10:02:00.000Z", 1.0),
    ]);
    for value in [
        "NaN",
        "nan",
        "-inf",
        "+Inf",
        "n/a",
        "-",
        "null",
        "\"NaN\"",
        "\"unavailable\"",
        "\"\"",
    ] {
        let service = Service::start();
        assert_done(&write(&service, "&precision=s", &lines(value)));
        assert_eq!(service.all_watts(), stored, "{value}");
        let rises = service.points("consumption", "2026-01-05", "2026-01-06");
        assert_eq!(rises, registers, "{value}");
        let metrics = service.send(&request("GET", "/metrics", &[], b""));
        let counted = "wattkeeper_unused_messages_total{protocol=\"influx\"} 1\n";
        assert!(metrics.text().contains(counted), "{value}");
    }
    for value in ["12W", "x", "1e999", "\"12\"", "true", "1.5i"] {
        let service = Service::start();
        let answer = write(&service, "&precision=s", &lines(value));
        assert_error(&answer, 400, "partial write: line 2: field \"watts\": ");
        assert_error(&answer, 400, "dropped=1");
        assert_eq!(service.all_watts(), stored, "{value}");
        let rises = service.points("consumption", "2026-01-05", "2026-01-06");
        assert_eq!(rises, registers, "{value}");
    }
    // Nothing else in the request: a writer that repeats what is refused goes on.
    let service = Service::start();
    assert_done(&write(&service, "", "p,sensor=house watts=nan"));
    assert!(service.all_watts().is_empty());
}

#[test]
fn without_a_time_it_is_now_and_measures_find_each_other() {
    let service = Service::start();
    let lines = "p,sensor=house watts=1\np,sensor=house watthours=5\n";
    assert_done(&write(&service, "", lines));
    assert_eq!(service.all_watts(), points([(START, 1.0)]));
    let net = service.points("net_consumption", "2026-01-05", "2026-01-06");
    assert_eq!(net, points([(START, 0.0)]));
}

#[test]
fn credentials_come_in_each_of_influxdbs_ways() {
    let service = Service::start();
    let key_alone = "a-key-of-some-length-by-itself";
    service.add_key_with(ACCOUNT, "iotawatt", Scope::Write, key_alone);
    let line = "p,sensor=house watts=1 1";
    for authorization in [
        house_basic(),
        format!("Token {API_ID}:{API_KEY}"),
        format!("Bearer {API_ID}:{API_KEY}"),
        format!("Token {key_alone}"),
        format!("token iotawatt:{key_alone}"),
    ] {
        let answer = write_v2(&service, &authorization, line);
        assert_eq!(answer.status(), 204, "{authorization}: {}", answer.text());
    }
    let target = format!("/write?db=x&precision=s&u={API_ID}&p={API_KEY}");
    let wrong = [("Authorization", "Token nonsense")];
    // The value in the address wins.
    assert_done(&service.send(&request("POST", &target, &wrong, line.as_bytes())));
}

#[test]
fn wrong_credentials_are_refused_as_clients_expect() {
    let service = Service::start();
    service.add_key_with(ACCOUNT, "short", Scope::Full, "too-short-alone");
    service.add_key_with(
        ACCOUNT,
        "twin-1",
        Scope::Full,
        "one-key-for-two-credentials",
    );
    service.add_key_with(
        ACCOUNT,
        "twin-2",
        Scope::Full,
        "one-key-for-two-credentials",
    );
    let line = "p,sensor=house watts=1";
    let bare = service.send(&request("POST", "/write?db=home", &[], line.as_bytes()));
    assert_error(&bare, 401, "unable to parse authentication credentials");
    assert!(bare.head.header("www-authenticate").is_some());
    for authorization in [
        basic(API_ID, "wrong"),
        basic("", ""),
        "Token ".to_owned() + API_KEY,
        "Token too-short-alone".to_owned(),
        "Token one-key-for-two-credentials".to_owned(),
        format!("Token {API_ID}:"),
        "Token a:b:c".to_owned(),
    ] {
        let answer = write_v2(&service, &authorization, line);
        assert_eq!(answer.status(), 401, "{authorization}");
        assert_eq!(
            answer.json(),
            json!({"code": "unauthorized", "message": "unauthorized access"})
        );
    }
    let wrong = service.send(&request(
        "POST",
        "/write?u=house-id&p=wrong",
        &[],
        line.as_bytes(),
    ));
    assert_error(&wrong, 401, "authorization failed");
    assert!(service.all_watts().is_empty());
}

#[test]
fn failed_sign_ins_are_throttled() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 3);
    let line = "p,sensor=house watts=1 1";
    let alone = "Token some-key-that-nobody-ever-had";
    for authorization in [alone.to_owned(), basic(API_ID, "wrong")] {
        let statuses: Vec<u16> = (0..4)
            .map(|_| write_v2(&service, &authorization, line).status())
            .collect();
        assert_eq!(statuses, [401, 401, 401, 429], "{authorization}");
    }
    let answer = write_v2(&service, alone, line);
    assert_eq!(answer.json()["code"], "too many requests");
    assert!(answer.head.header("retry-after").is_some());
    assert_eq!(write_v2(&service, &house_basic(), line).status(), 204);
}

#[test]
fn a_scope_that_only_reads_may_not_write() {
    let service = Service::start();
    service.add_key(ACCOUNT, "reader", Scope::Read);
    let authorization = basic("reader", &key_of("reader"));
    let answer = write_v2(&service, &authorization, "p,sensor=house watts=1");
    assert_eq!(answer.status(), 403);
    assert_eq!(
        answer.json(),
        json!({"code": "forbidden", "message": "these credentials do not allow uploads"})
    );
}

#[test]
fn good_lines_are_stored_and_bad_ones_reported() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_sensor("other", "theirs");
    let lines = format!(
        "p,sensor=house watts=1 {TEN}\np,sensor=house watts=\"a lot\" {TEN}\np,sensor=theirs watts=2 {TEN}\np,sensor=house watts=3 {}\nnonsense\n",
        TEN + 26 * 3_600
    );
    let answer = write(&service, "&precision=s", &lines);
    assert_error(&answer, 400, "partial write: line 2: field \"watts\"");
    assert_error(
        &answer,
        400,
        "unable to parse 'nonsense': missing fields (line 5)",
    );
    assert_error(
        &answer,
        400,
        "more than 24 hours ahead of the server's clock",
    );
    assert_error(
        &answer,
        400,
        "sensor \"theirs\" does not exist or is not authorized",
    );
    assert_error(&answer, 400, "dropped=4");
    let stored = points([("2026-01-05T10:00:00.000Z", 1.0)]);
    assert_eq!(service.all_watts(), stored);
}

#[test]
fn a_sensor_of_nobody_is_refused() {
    let service = Service::start();
    let line = "p,sensor=garage watts=1 1";
    let answer = write(&service, "&precision=s", line);
    assert_error(
        &answer,
        403,
        "sensor \"garage\" does not exist or is not authorized",
    );
    let answer = write_v2(&service, &house_basic(), line);
    assert_eq!(
        (answer.status(), &answer.json()["code"]),
        (403, &json!("forbidden"))
    );
    service.add_sensor(ACCOUNT, "garage");
    assert_done(&write(&service, "&precision=s", line));
}

#[test]
fn lines_without_a_reading_are_refused_only_where_there_is_no_other() {
    let service = Service::start();
    let other = "cpu,host=pi usage=5 1\n";
    let answer = write(&service, "&precision=s", other);
    let why = "field \"usage\" of measurement \"cpu\" is not mapped to a sensor by the settings of [influx]";
    assert_error(&answer, 400, why);
    assert_error(&answer, 400, "dropped=1");
    let untagged = write(&service, "", "power watts=1");
    assert_error(&untagged, 400, "has no tag that names a sensor");
    let both = format!("{other}p,sensor=house watts=1 1\n");
    assert_done(&write(&service, "&precision=s", &both));
    for nothing in ["", "\n\n", "# a comment\n"] {
        assert_done(&write(&service, "", nothing));
    }
}

#[test]
fn bodies_come_packed_and_within_limits() {
    let service = Service::start_with(|config| config.http.max_body = 100_000);
    let pack = |plain: &str| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(plain.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let send = |body: &[u8]| {
        let authorization = house_basic();
        let headers = [
            ("Authorization", authorization.as_str()),
            ("Content-Encoding", "gzip"),
        ];
        service.send(&request("POST", "/write?precision=s", &headers, body))
    };
    let lines = |count: i64| {
        let lines = (0..count).map(|n| format!("p,sensor=house watts={n} {}\n", TEN - n));
        lines.collect::<Vec<_>>().concat()
    };
    assert_done(&send(&pack(&lines(2_000))));
    assert_eq!(service.all_watts().len(), 2_000);
    assert_error(&send(&pack(&lines(3_000))), 413, "at most 100000 bytes");
    assert_error(&send(b"not gzip"), 400, "gzip");
    assert_eq!(service.all_watts().len(), 2_000);
}

/// A mapping with these settings.
fn mapping(measurement: &str, tag: Option<(&str, &str)>, sensor: &str, unit: &str) -> FieldRule {
    let own = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
    let measure = if unit.ends_with('h') {
        "watthours"
    } else {
        "watts"
    };
    FieldRule {
        measurement: Some(measurement.into()),
        tags: tag.map(own).into_iter().collect(),
        field: "value".into(),
        sensor: Some(SensorId::new(sensor).unwrap()),
        quantity: Quantity::new(measure, Some(unit)).unwrap(),
    }
}

#[test]
fn home_assistant_writes_by_mappings() {
    let entity = |name| Some(("entity_id", name));
    let service = Service::start_with(|config| {
        config.influx.mappings = vec![
            mapping("kW", entity("house_power"), SENSOR, "kW"),
            mapping("kWh", entity("house_energy"), SENSOR, "kWh"),
        ];
    });
    // As the integration writes it: the unit is the measurement, the other attributes are texts.
    let line = |unit, name, value| {
        format!(
            "{unit},domain=sensor,entity_id={name} device_class_str=\"energy\",friendly_name_str=\"House\",value={value} {TEN}000000000\n"
        )
    };
    let lines = [
        line("kW", "house_power", 1.25),
        line("kWh", "house_energy", 1010.5),
        line("°C", "kitchen", 21.5),
    ]
    .concat();
    assert_done(&write(&service, "", &lines));
    let stored = points([("2026-01-05T10:00:00.000Z", 1_250.0)]);
    assert_eq!(service.all_watts(), stored);
    let answer = query(
        &service,
        "SELECT LAST(value) FROM kWh WHERE entity_id='house_energy'",
    );
    assert_eq!(
        answer.json()["results"][0]["series"][0]["values"][0],
        json!(["2026-01-05T10:00:00Z", 1010.5])
    );
}

/// `GET /query` with the house's credentials.
fn query(service: &Service, query: &str) -> Response {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    let query: String = query
        .bytes()
        .map(|byte| {
            if plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect();
    let authorization = house_basic();
    let headers = [("Authorization", authorization.as_str())];
    service.send(&request(
        "GET",
        &format!("/query?db=home&q={query}"),
        &headers,
        b"",
    ))
}

#[test]
fn iotawatt_finds_where_to_go_on_by_influxql() {
    let service = Service::start();
    service.add_key(ACCOUNT, "writer", Scope::Write);
    // As IoTaWatt sends it: a form with spaces and quotes that are not encoded.
    let ask = |api_id: &str, field: &str, sensor: &str| {
        let body = format!(
            "db=home&epoch=s&q= SELECT LAST(\"{field}\") FROM power  WHERE device='IotaWatt' AND sensor='{sensor}'"
        );
        let authorization = basic(api_id, &key_of(api_id));
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("Authorization", authorization.as_str()),
        ];
        service.send(&request("POST", "/query", &headers, body.as_bytes()))
    };
    let nothing = r#"{"results":[{"statement_id":0}]}"#;
    ask(API_ID, "Watts", SENSOR).assert_json(nothing);
    let lines = format!(
        "power,device=IotaWatt,sensor=house Watts=1.50,Wh=10.2500 {TEN}\npower,device=IotaWatt,sensor=house Watts=2.50 {}\n",
        TEN + 10
    );
    assert_done(&write(&service, "&precision=s", &lines));
    for (api_id, field, row) in [
        (API_ID, "Watts", json!([TEN + 10, 2.5])),
        (API_ID, "Wh", json!([TEN, 10.25])),
        // A key that may only upload gets the time, but no value.
        ("writer", "Watts", json!([TEN + 10, null])),
    ] {
        let answer = ask(api_id, field, SENSOR);
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let series = json!([{"name": "power", "columns": ["time", "last"], "values": [row]}]);
        assert_eq!(
            answer.json(),
            json!({"results": [{"statement_id": 0, "series": series}]})
        );
    }
    for (field, sensor) in [("Volts", SENSOR), ("Watts", "garage")] {
        ask(API_ID, field, sensor).assert_json(nothing);
    }
    service.add_account("other", Plan::Paid);
    service.add_key("other", "stranger", Scope::Full);
    ask("stranger", "Watts", SENSOR).assert_json(nothing);
    assert_error(
        &ask(API_ID, "Watts\" FROM x; DROP", SENSOR),
        400,
        "error parsing query",
    );
}

#[test]
fn iotawatt_finds_where_to_go_on_by_flux() {
    let service = Service::start();
    let token = "0123456789abcdef".repeat(5) + "01234==";
    assert_eq!(token.len(), 87);
    let token = token + "=";
    service.add_key_with(ACCOUNT, "iotawatt", Scope::Write, &token);
    let ask = |start: i64, stop: i64| {
        let body = format!(
            "from(bucket: \"home\")\n  |> range(start: {start}, stop: {stop})\n  |> filter(fn: (r) =>\n    (r._measurement == \"power\" and r.sensor == \"house\" and r._field == \"Watts\") or\n    (r._measurement == \"power\" and r.sensor == \"solar\" and r._field == \"Watts\"))\n  |> last()\n  |> map(fn: (r) => ({{_measurement: r._measurement, _time: (uint(v:r._time)) / uint(v:1000000000)}}))\n  |> sort (columns: [\"_time\"], desc: true)\n"
        );
        let authorization = format!("Token {token}");
        let headers = [
            ("content-type", "application/vnd.flux"),
            ("Authorization", authorization.as_str()),
        ];
        let target = "/api/v2/query?orgID=0123456789abcdef";
        service.send(&request("POST", target, &headers, body.as_bytes()))
    };
    let text = |answer: &Response| {
        assert_eq!(answer.status(), 200, "{}", answer.text());
        answer.text().to_owned()
    };
    assert_eq!(text(&ask(TEN - 3_600, TEN)), "\r\n");
    let line = format!("power,sensor=house Watts=5.00 {TEN}\n");
    assert_eq!(
        write_v2(&service, &format!("Token {token}"), &line).status(),
        204
    );
    // The stop is not in the range, the start is.
    assert_eq!(text(&ask(TEN - 3_600, TEN)), "\r\n");
    let found = format!(",result,table,_measurement,_time\r\n,_result,0,power,{TEN}\r\n\r\n");
    assert_eq!(text(&ask(TEN, TEN + 3_600)), found);
    assert_eq!(text(&ask(TEN + 1, TEN + 3_600)), "\r\n");
    let answer = service.send(&request(
        "POST",
        "/api/v2/query",
        &[("Authorization", &house_basic())],
        br#"{"query": "buckets()"}"#,
    ));
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.json()["code"], "invalid");
}

#[test]
fn clients_make_sure_of_the_server_and_its_database() {
    let service = Service::start();
    for method in ["GET", "HEAD"] {
        assert_done(&service.send(&request(method, "/ping", &[], b"")));
    }
    let shown = query(&service, "SHOW DATABASES");
    assert_eq!(
        shown.json()["results"][0]["series"][0],
        json!({"name": "databases", "columns": ["name"], "values": [["home"]]})
    );
    // The database may be in the form, like the query.
    let basic = house_basic();
    let headers = [
        ("Authorization", basic.as_str()),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    let shown = service.send(&request(
        "POST",
        "/query",
        &headers,
        b"db=cellar&q=SHOW+DATABASES",
    ));
    let databases = &shown.json()["results"][0]["series"][0]["values"];
    assert_eq!(*databases, json!([["cellar"]]));
    query(&service, "CREATE DATABASE \"home\"").assert_json(r#"{"results":[{"statement_id":0}]}"#);
    assert_error(
        &query(&service, "SELECT * FROM power"),
        400,
        "error parsing query",
    );
    assert_error(
        &query(&service, ""),
        400,
        "missing required parameter \"q\"",
    );
    let bare = service.send(&request("GET", "/query?q=SHOW+DATABASES", &[], b""));
    assert_error(&bare, 401, "unable to parse authentication credentials");
}

#[test]
fn clients_of_version_2_ask_how_the_server_is() {
    let service = Service::start();
    let get = |target: &str, headers: &[(&str, &str)]| {
        service.send(&request("GET", target, headers, b""))
    };
    let health = get("/health", &[]);
    assert_eq!(health.status(), 200);
    assert_eq!(
        health.json(),
        json!({
            "name": "influxdb", "message": "ready for queries and writes", "status": "pass", "checks": [],
            "version": env!("CARGO_PKG_VERSION"), "commit": "",
        })
    );
    service.clock.advance(3_723_400);
    let ready = get("/ready", &[]);
    assert_eq!(
        ready.json(),
        json!({"status": "ready", "started": START, "up": "1h2m3.4s"})
    );
    assert_eq!(get("/api/v2/buckets", &[]).status(), 401);
    let token = format!("Token {API_ID}:{API_KEY}");
    let headers = [("Authorization", token.as_str())];
    let own = get("/api/v2/buckets", &headers).json();
    assert_eq!(own["buckets"][0]["name"], "home");
    let found = get("/api/v2/buckets?name=cellar&limit=1", &headers).json();
    let [bucket] = found["buckets"].as_array().unwrap().as_slice() else {
        panic!("{found}");
    };
    assert_eq!(bucket["name"], "cellar");
    for id in [&bucket["id"], &bucket["orgID"]] {
        let id = id.as_str().unwrap();
        assert!(
            id.len() == 16 && u64::from_str_radix(id, 16).is_ok(),
            "{id}"
        );
    }
    let id = bucket["id"].as_str().unwrap();
    let again = get(&format!("/api/v2/buckets?name=cellar&id={id}"), &headers).json();
    assert_eq!(again["buckets"], found["buckets"]);
    for page in [
        "?offset=20",
        "?after=0123456789abcdef",
        "?id=0123456789abcdef",
    ] {
        let rest = get(&format!("/api/v2/buckets{page}"), &headers).json();
        assert_eq!(rest["buckets"], json!([]), "{page}");
    }
    service.add_key(ACCOUNT, "reader", Scope::Read);
    let token = format!("Token reader:{}", key_of("reader"));
    let refused = get("/api/v2/buckets", &[("Authorization", &token)]);
    assert_eq!(
        (refused.status(), &refused.json()["code"]),
        (403, &json!("forbidden"))
    );
    service.store().close().unwrap();
    let health = get("/health", &[]);
    assert_eq!(health.status(), 503);
    assert_eq!(health.json()["status"], "fail");
}

#[test]
fn nothing_of_it_is_there_where_it_is_off() {
    let service = Service::start_with(|config| config.influx.enabled = false);
    let answer = write(&service, "", "p,sensor=house watts=1");
    assert_eq!(answer.status(), 404);
    assert_eq!(
        service.send(&request("GET", "/ping", &[], b"")).status(),
        404
    );
}

#[test]
fn a_wrong_method_names_the_right_ones() {
    let service = Service::start();
    let answer = service.send(&request("GET", "/write", &[], b""));
    assert_eq!(answer.status(), 405);
    assert_eq!(answer.head.header("allow"), Some("POST"));
}

#[test]
fn the_protocols_are_there_beside_an_empty_base_path() {
    let service = Service::start_with(|config| config.http.base_path = "/".into());
    assert_done(&write(&service, "&precision=s", "p,sensor=house watts=1 1"));
}

#[test]
fn readings_survive_a_restart() {
    let mut service = Service::start();
    assert_done(&write(
        &service,
        "&precision=s",
        &format!("p,sensor=house watts=1 {TEN}"),
    ));
    service.restart();
    let stored = points([("2026-01-05T10:00:00.000Z", 1.0)]);
    assert_eq!(service.all_watts(), stored);
}

/// A key that is revoked while the body comes stores nothing.
#[test]
fn credentials_count_at_the_end_of_the_body() {
    let service = Service::start_with(|config| {
        config.http.request_timeout = Duration::from_mins(10);
    });
    let lines = "power,sensor=house watts=1";
    for target in ["/write?db=home", "/query?q=x", "/api/v2/query"] {
        service.add_key("home", "old", Scope::Full);
        let who = basic("old", &key_of("old"));
        let headers = [("Authorization", who.as_str())];
        let whole = request("POST", target, &headers, lines.as_bytes());
        let (now, rest) = whole.split_at(whole.len() - 1);
        let mut connection = Connection::open(service.address());
        connection.send(now);
        // The service has read the head by then.
        thread::sleep(Duration::from_millis(300));
        service.revoke_key("old");
        assert_eq!(connection.exchange(rest).status(), 401, "{target}");
    }
    assert!(service.all_watts().is_empty());
}
