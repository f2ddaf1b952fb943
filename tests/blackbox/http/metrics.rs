//! What Prometheus scrapes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use wattkeeper::Secret;

use crate::backend::TestBackend;
use crate::port::free_port;
use crate::support::{
    API_ID, API_KEY, HOUR, MINUTE, Response, Service, WRONG, basic, download_as, house_basic,
    request, with_house,
};

const TOKEN: &str = "s3cret-of-metrics";

fn scrape(service: &Service) -> Response {
    service.send(&request("GET", "/metrics", &[], b""))
}

/// The samples by name and labels as written.
#[track_caller]
fn samples(answer: &Response) -> BTreeMap<String, f64> {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let lines = answer.text().lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

#[test]
fn metrics_show_the_state_of_the_service() {
    let service = Service::start();
    let before = samples(&scrape(&service));
    assert_eq!(before["wattkeeper_sensors"], 1.0);
    assert_eq!(before["wattkeeper_sensors_active"], 0.0);
    assert_eq!(before["wattkeeper_store_writable"], 1.0);
    assert!(before["wattkeeper_store_bytes"] > 0.0);
    // The disk of PostgreSQL is on another machine.
    let free = before.get("wattkeeper_disk_free_bytes");
    assert!(free.map_or_else(TestBackend::is_postgres, |free| *free > 0.0));
    assert!(before["process_resident_memory_bytes"] > 1_000_000.0);
    assert_eq!(before["wattkeeper_commit_readings_count"], 0.0);
    let own = "wattkeeper_sensor_watts{account=\"home\",sensor=\"house\"}";
    assert!(!before.contains_key(own));
    assert!(!before.contains_key("wattkeeper_last_backup_timestamp_seconds"));

    let body = with_house(&json!({"readings": [{"watts": 1}, {"watts": 2}]})).to_string();
    service.clock.advance(MINUTE);
    service.post(&body).assert_json(r#"{"accepted":2}"#);
    service.clock.advance(MINUTE);
    service.accept(&json!({"watts": -234.5}));
    let answer = scrape(&service);
    let content_type = answer.head.header("content-type");
    assert_eq!(content_type, Some("text/plain; version=0.0.4"));
    let after = samples(&answer);
    assert_eq!(
        after["wattkeeper_received_readings_total{protocol=\"elec\"}"],
        3.0
    );
    let bytes = after["wattkeeper_received_bytes_total{protocol=\"elec\"}"];
    assert!(
        bytes > f64::from(u32::try_from(body.len()).unwrap()),
        "{bytes}"
    );
    assert_eq!(after["wattkeeper_sensors_active"], 1.0);
    assert_eq!(after[own], -234.5);
    let last = "wattkeeper_sensor_last_upload_timestamp_seconds{account=\"home\",sensor=\"house\"}";
    assert_eq!(after[last], 1_767_609_120.0);
    assert_eq!(after["wattkeeper_uptime_seconds"], 120.0);
    for (name, count) in [
        ("count", 2.0),
        ("sum", 3.0),
        ("bucket{le=\"1\"}", 1.0),
        ("bucket{le=\"+Inf\"}", 2.0),
    ] {
        assert_eq!(
            after[&format!("wattkeeper_commit_readings_{name}")],
            count,
            "{name}"
        );
    }
    assert_eq!(after["wattkeeper_commit_duration_seconds_count"], 2.0);
    let took = after["wattkeeper_commit_duration_seconds_sum"];
    assert!(took > 0.0 && took < 60.0, "{took}");
}

#[test]
fn each_protocol_has_its_own_counts() {
    let service = Service::start();
    let authorization = [("Authorization", house_basic())];
    let headers = authorization
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let lines = b"power,sensor=house watts=1,watthours=5 1767607200";
    let answer = service.send(&request("POST", "/write?precision=s", &headers, lines));
    assert_eq!(answer.status(), 204, "{}", answer.text());
    let form = b"node=house&time=1767607260&json={power:2}";
    let answer = service.send(&request("POST", "/input/post", &headers, form));
    assert_eq!(answer.text(), "ok");
    let all = samples(&scrape(&service));
    for (protocol, readings, bytes) in [
        ("elec", 0, 0),
        ("mqtt", 0, 0),
        ("influx", 1, lines.len()),
        ("emoncms", 1, form.len()),
        ("poll", 0, 0),
        ("home_assistant", 0, 0),
    ] {
        let of = |what: &str| all[&format!("wattkeeper_{what}_total{{protocol=\"{protocol}\"}}")];
        let counted = (of("received_readings"), of("received_bytes"));
        let bytes = f64::from(u32::try_from(bytes).unwrap());
        assert_eq!(counted, (f64::from(readings), bytes), "{protocol}");
    }
    let unused = all
        .iter()
        .filter(|(name, _)| name.starts_with("wattkeeper_unused_messages_total"));
    let unused: Vec<_> = unused
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    let none = ["emoncms", "home_assistant", "influx", "mqtt", "poll"].map(|protocol| {
        let name = format!("wattkeeper_unused_messages_total{{protocol=\"{protocol}\"}}");
        (name, 0.0)
    });
    let none: Vec<_> = none
        .iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    assert_eq!(unused, none);
}

#[test]
fn power_is_exported_for_authorized_sensors_that_upload() {
    let service = Service::start();
    let exported = || {
        let all = samples(&scrape(&service));
        all.keys()
            .filter(|name| name.starts_with("wattkeeper_sensor_watts"))
            .count()
    };
    service.accept(&json!({"watts": 1}));
    assert_eq!(exported(), 1);
    service.clock.advance(2 * HOUR + 1);
    assert_eq!(exported(), 0);
    service.accept(&json!({"watts": 1}));
    assert_eq!(exported(), 1);
    service.revoke_sensor("home", "house");
    let all = scrape(&service);
    assert!(!all.text().contains("sensor=\"house\""), "{}", all.text());
    assert_eq!(samples(&all)["wattkeeper_sensors"], 1.0);
}

#[test]
fn names_are_escaped() {
    let service = Service::start();
    let odd = "a\"} 1\\";
    service.add_sensor("home", odd);
    service
        .post(
            json!({"sensor_id": odd, "api_id": API_ID, "api_key": API_KEY, "watts": 5}).to_string(),
        )
        .assert_json(r#"{"accepted":1}"#);
    let all = samples(&scrape(&service));
    assert_eq!(
        all["wattkeeper_sensor_watts{account=\"home\",sensor=\"a\\\"} 1\\\\\"}"],
        5.0
    );
}

#[test]
fn failed_sign_ins_and_the_newest_backup_are_exported() {
    let copies = tempfile::tempdir().unwrap();
    fs::write(
        copies.path().join("wattkeeper-20260105T093000Z.backup"),
        [7; 10],
    )
    .unwrap();
    let service = Service::start_with(|config| {
        config.backup.dir = copies.path().to_owned();
        config.backup.every = Duration::from_hours(24);
    });
    assert_eq!(download_as(&service, WRONG, None).status(), 401);
    let all = samples(&scrape(&service));
    assert_eq!(all["wattkeeper_failed_sign_ins_total{door=\"api\"}"], 1.0);
    assert_eq!(all["wattkeeper_failed_sign_ins_total{door=\"pages\"}"], 0.0);
    assert_eq!(
        all["wattkeeper_last_backup_timestamp_seconds"],
        1_767_605_400.0
    );
    assert_eq!(all["wattkeeper_last_backup_bytes"], 10.0);
}

#[test]
fn a_token_keeps_others_out() {
    let service = Service::start_with(|config| {
        config.http.metrics.token = Secret::new(TOKEN.into());
        config.http.failed_sign_ins_per_minute = 5;
    });
    let get = |header: Option<&str>| {
        let headers: Vec<_> = header
            .map(|value| ("Authorization", value))
            .into_iter()
            .collect();
        service.send(&request("GET", "/metrics", &headers, b""))
    };
    let right = format!("Bearer {TOKEN}");
    for wrong in [
        None,
        Some("Bearer "),
        Some("Bearer s3cret"),
        Some(&basic("x", TOKEN)),
        Some(TOKEN),
    ] {
        let answer = get(wrong);
        answer.assert_problem(401, "bad_token", "Bearer");
        assert_eq!(
            answer.head.header("www-authenticate"),
            Some("Bearer realm=\"wattkeeper\"")
        );
    }
    assert_eq!(get(Some("Bearer x")).status(), 429);
    let all = get(Some(&right));
    assert!(!all.text().contains(TOKEN));
    assert_eq!(
        samples(&all)["wattkeeper_failed_sign_ins_total{door=\"metrics\"}"],
        6.0
    );
    assert_eq!(get(Some(&right.replace("Bearer", "bearer"))).status(), 200);
}

#[test]
fn they_can_be_switched_off_and_only_be_read() {
    let off = Service::start_with(|config| config.http.metrics.enabled = false);
    scrape(&off).assert_problem(404, "not_found", "");
    let service = Service::start_with(|config| config.http.base_path = "/".to_owned());
    assert_eq!(scrape(&service).status(), 200);
    let answer = service.send(&request("POST", "/metrics", &[], b"x"));
    answer.assert_problem_shape(405);
    assert_eq!(answer.head.header("allow"), Some("GET"));
}

#[test]
#[ignore = "needs promtool"]
fn promtool_finds_nothing_wrong() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    let text = scrape(&service);
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    promtool
        .stdin
        .take()
        .unwrap()
        .write_all(&text.body)
        .unwrap();
    let said = promtool.wait_with_output().unwrap();
    assert!(
        said.status.success() && said.stderr.is_empty() && said.stdout.is_empty(),
        "{said:?}"
    );
}

/// Ends with the test.
struct Prometheus(Child);

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs promtool"]
fn prometheus_which_brings_promtool_scrapes_it() {
    let service = Service::start_with(|config| {
        config.http.metrics.token = Secret::new(TOKEN.into());
    });
    service.accept(&json!({"watts": 234.5}));
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("prometheus.yml");
    let text = format!(
        "scrape_configs:\n- job_name: wattkeeper\n  scrape_interval: 1s\n  authorization:\n    credentials: {TOKEN}\n  \
         static_configs:\n  - targets: ['{}']\n",
        service.address()
    );
    fs::write(&config, text).unwrap();
    let address = format!("127.0.0.1:{}", free_port());
    let prometheus = Command::new("prometheus")
        .arg(format!("--config.file={}", config.display()))
        .arg(format!(
            "--storage.tsdb.path={}",
            dir.path().join("data").display()
        ))
        .arg(format!("--web.listen-address={address}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _prometheus = Prometheus(prometheus.unwrap());
    let query = format!("http://{address}/api/v1/query?query=wattkeeper_sensor_watts");
    let deadline = Instant::now() + Duration::from_mins(10);
    loop {
        let answer = ureq::get(&query).call().ok();
        let text = answer.and_then(|mut answer| answer.body_mut().read_to_string().ok());
        if let Some(text) = text.filter(|text| text.contains("\"sensor\":\"house\"")) {
            assert!(text.contains("\"234.5\""), "{text}");
            return;
        }
        assert!(Instant::now() < deadline, "nothing was scraped");
        thread::sleep(Duration::from_millis(200));
    }
}
