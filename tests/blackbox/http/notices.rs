//! `/notices`, and the messages to a webhook.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use wattkeeper::Secret;
use wattkeeper::WebhookFormat;
use wattkeeper::{Plan, Scope};

use crate::support::{
    API_ID, HOUR, MINUTE, NOTICES, SENSOR, Service, basic, house_basic, key_of, request,
};

const SILENT: &str = "sensor-silent:house";

fn dismiss_as(service: &Service, credentials: &str, body: &Value) -> (u16, Value) {
    let headers = [("Authorization", credentials)];
    let body = body.to_string();
    let answer = service.send(&request("POST", NOTICES, &headers, body.as_bytes()));
    (answer.status(), answer.json())
}

fn dismiss(service: &Service, id: &str) -> (u16, Value) {
    dismiss_as(service, &house_basic(), &json!({ "dismiss": id }))
}

/// Two uploads a minute apart: the sensor is silent after ten minutes.
fn upload_twice(service: &Service) {
    for watts in [1, 2] {
        service.clock.advance(MINUTE);
        service.accept(&json!({ "watts": watts }));
    }
}

#[test]
fn a_sensor_that_dies_is_told_until_it_uploads_again() {
    let mut service = Service::start();
    assert_eq!(service.notices(), json!([]));
    upload_twice(&service);
    service.clock.advance(10 * MINUTE + 1);
    let found = service.await_notices(&[SILENT]);
    assert_eq!(
        found[0],
        json!({
            "id": SILENT, "account": "home", "kind": "sensor-silent", "subject": {"sensor": "house"},
            "since": "2026-01-05T10:32:00.000Z",
            "happened": "The sensor house has uploaded nothing for more than 10 min.",
            "advice": "Check its power supply, its network and the program that uploads for it.",
            "opened": "2026-01-05T10:42:00.001Z", "dismissed": null, "dismissed_by": null,
        })
    );
    let metrics = service.send(&request("GET", "/metrics", &[], b""));
    let open =
        |kind: &str, count: u8| format!("wattkeeper_notices_open{{kind=\"{kind}\"}} {count}\n");
    assert!(
        metrics.text().contains(&open("sensor-silent", 1)),
        "{}",
        metrics.text()
    );
    assert!(
        metrics.text().contains(&open("wrong-clock", 0)),
        "{}",
        metrics.text()
    );
    // A restart changes nothing.
    service.restart();
    service.clock.advance(HOUR);
    assert_eq!(service.notices(), found);
    upload_twice(&service);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
}

/// A time of `ms` from now, without an offset, as a device with local time sends it.
fn local(service: &Service, ms: i64) -> String {
    let time = service.clock.now().saturating_add_millis(ms).to_string();
    time.trim_end_matches('Z').to_owned()
}

#[test]
fn local_time_that_is_sent_as_utc_is_stored_and_told_once() {
    for (upload, hours) in [("elec", 1), ("elec", 2), ("influx", 1), ("emoncms", 2)] {
        let service = Service::start();
        let clock = "sensor-clock:house";
        for watts in [1, 2, 3] {
            service.clock.advance(MINUTE);
            let ahead = hours * HOUR - 30_000;
            let time = local(&service, ahead);
            let seconds = service.clock.now().saturating_add_millis(ahead).millis() / 1_000;
            let authorization = house_basic();
            let headers = [("Authorization", authorization.as_str())];
            let send = |target: &str, body: String| {
                service.send(&request("POST", target, &headers, body.as_bytes()))
            };
            match upload {
                "elec" => service.accept(&json!({"watts": watts, "time": time})),
                "influx" => {
                    let line = format!("p,sensor=house watts={watts} {seconds}");
                    assert_eq!(send("/write?precision=s", line).status(), 204);
                }
                _ => {
                    let form = format!("node=house&time={seconds}&json={{power:{watts}}}");
                    assert_eq!(send("/input/post", form).text(), "ok");
                }
            }
        }
        let found = service.await_notices(&[clock]);
        assert_eq!(found[0]["kind"], "sensor-clock");
        assert_eq!(found[0]["subject"], json!({"sensor": "house"}));
        let happened = format!("The clock of house is {hours} h ahead.");
        assert_eq!(found[0]["happened"], happened);
        assert_eq!(found[0]["since"], "2026-01-05T10:31:00.000Z");
        // The times are as they were sent.
        let newest = local(&service, hours * HOUR - 30_000);
        let all = service.all_watts();
        assert_eq!(all.len(), 3);
        assert_eq!(all[2].0, format!("{newest}Z"));
    }
}

#[test]
fn a_wrong_clock_is_told_until_it_is_right_for_a_day() {
    let mut service = Service::start();
    let clock = "sensor-clock:house";
    service.accept(&json!({"watts": 1, "time": local(&service, HOUR)}));
    service.clock.advance(MINUTE);
    let found = service.await_notices(&[clock]);
    // Nobody knows after a restart whether it goes on.
    service.restart();
    service.clock.advance(2 * HOUR);
    assert_eq!(service.notices(), found);
    service.accept(&json!({"watts": 1, "time": local(&service, HOUR + MINUTE)}));
    for _ in 0..25 {
        service.clock.advance(HOUR);
        service.accept(&json!({"watts": 1, "time": local(&service, 0)}));
    }
    assert_eq!(service.notices(), found);
    service.clock.advance(HOUR);
    service.accept(&json!({ "watts": 1 }));
    service.await_notices(&[]);
    // Other times are no local ones.
    for ahead in [0, 10 * MINUTE, 50 * MINUTE, 90 * MINUTE, 3 * HOUR, -HOUR] {
        service.accept(&json!({"watts": 1, "time": local(&service, ahead)}));
    }
    service.clock.advance(MINUTE);
    service.clock.advance(MINUTE);
    assert_eq!(service.notices(), json!([]));
}

#[test]
fn a_field_with_the_wrong_name_is_told_once() {
    let service = Service::start();
    // A field that a client always sends besides.
    service
        .accept(&json!({"watts": 512, "watthours": "882301.5", "rate": 0.25, "erate_avg": "0.31"}));
    service.clock.advance(MINUTE);
    assert_eq!(service.notices(), json!([]));
    for watts in [1, 2] {
        service.clock.advance(MINUTE);
        let fields = json!({"watts": watts, "timestamp": "2020-01-05T10:00:00", "rate": 1});
        service.accept(&fields);
    }
    let found = service.await_notices(&["unknown-field:house"]);
    assert_eq!(
        found[0]["happened"],
        "Uploads of house have a field \"timestamp\", which is left out: its name should be time."
    );
    assert_eq!(service.all_watts().len(), 3);
    // One of another account's sensor is none of theirs, and nothing is stored of it.
    service.add_account("other", Plan::Free);
    service.add_sensor("other", "theirs");
    let fields = json!({"sensor_id": "theirs", "watts": 1, "ts": 5});
    assert_eq!(service.upload(&fields).status(), 403);
    service.clock.advance(MINUTE);
    assert_eq!(service.notices(), found);
}

#[test]
fn a_dismissed_notice_stays_dismissed() {
    let mut service = Service::start();
    upload_twice(&service);
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    let (status, dismissed) = dismiss(&service, SILENT);
    assert_eq!(
        (status, &dismissed["dismissed"], &dismissed["dismissed_by"]),
        (
            200,
            &json!("2026-01-05T10:43:00.000Z"),
            &json!(format!("credential {API_ID}"))
        )
    );
    service.restart();
    service.clock.advance(HOUR);
    assert_eq!(service.notices(), json!([dismissed]));
    assert_eq!(dismiss(&service, SILENT), (200, dismissed));
    let metrics = service.send(&request("GET", "/metrics", &[], b""));
    let none = "wattkeeper_notices_open{kind=\"sensor-silent\"} 0\n";
    assert!(metrics.text().contains(none), "{}", metrics.text());
    upload_twice(&service);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
}

#[test]
fn notices_are_for_those_that_they_concern() {
    let service = Service::start();
    upload_twice(&service);
    // An upload from the future, so the clock was set back: that concerns the service.
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    service.clock.jump(-15 * MINUTE);
    let found = service.await_notices(&["wrong-clock"]);
    assert_eq!(
        json!([found[0]["account"], found[0]["subject"]]),
        json!([null, "service"])
    );
    // With a second account nobody sees them but administrators.
    service.add_account("other", Plan::Free);
    assert_eq!(service.notices(), json!([]));
    let (status, problem) = dismiss(&service, "wrong-clock");
    assert_eq!(status, 400, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("dismiss: expected the id of an open notice"),
        "{detail}"
    );

    for (id, scope) in [("reader", Scope::Read), ("writer", Scope::Write)] {
        service.add_key("home", id, scope);
        let (status, problem) = dismiss_as(
            &service,
            &basic(id, &key_of(id)),
            &json!({"dismiss": SILENT}),
        );
        assert_eq!(
            (status, &problem["code"]),
            (403, &json!("scope_insufficient")),
            "{problem}"
        );
    }
    for body in [json!({}), json!({"dismiss": 5}), json!([])] {
        let (status, problem) = dismiss_as(&service, &house_basic(), &body);
        assert_eq!(
            (status, &problem["code"]),
            (400, &json!("malformed_json")),
            "{problem}"
        );
    }
    let wrong = [("Authorization", basic("writer", &key_of("writer")))];
    let wrong = wrong
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let answer = service.send(&request("GET", NOTICES, &wrong, b""));
    assert_eq!(answer.status(), 403);
    let answer = service.send(&request("GET", NOTICES, &[], b""));
    assert_eq!(answer.status(), 400);
}

#[test]
fn an_open_jump_is_told_until_it_is_decided() {
    let service = Service::start();
    for (hour, watthours) in [(8, 1_000), (9, 1_100), (10, 9_000_000), (10, 9_000_100)] {
        let minute = if watthours == 9_000_100 { 20 } else { 0 };
        let time = format!("2026-01-05T{hour:02}:{minute:02}:00");
        service.accept(&json!({"time": time, "watthours": watthours}));
    }
    service.clock.advance(25 * HOUR);
    let told = "event-open:house:2026-01-05T10:00:00.000Z";
    service.accept(&json!({"watthours": 9_000_200}));
    service.clock.advance(HOUR);
    service.await_notices(&[told]);
    let decided =
        json!({"sensor_id": SENSOR, "kind": "event", "at": "2026-01-05T10:00:00", "counts": false});
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let body = decided.to_string();
    let answer = service.send(&request(
        "POST",
        "/api/v0.2/corrections",
        &headers,
        body.as_bytes(),
    ));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
}

/// A server on loopback that answers with these statuses in turn, then with 200; gives each
/// request.
pub(crate) struct Webhook {
    pub(crate) port: u16,
    requests: Receiver<(Vec<String>, String)>,
}

impl Webhook {
    pub(crate) fn start(statuses: &'static [u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, requests) = channel();
        thread::spawn(move || {
            let answers = statuses.iter().copied().chain(std::iter::repeat(200));
            for (stream, status) in listener.incoming().zip(answers) {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head: Vec<String> = Vec::new();
                let mut line = String::new();
                while stream.read_line(&mut line).unwrap() > 2 {
                    head.push(std::mem::take(&mut line).trim().to_owned());
                }
                let length = head.iter().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.parse().unwrap())
                });
                let mut body = vec![0; length.unwrap()];
                stream.read_exact(&mut body).unwrap();
                let answer = format!(
                    "HTTP/1.1 {status} x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                );
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
                if sender
                    .send((head, String::from_utf8(body).unwrap()))
                    .is_err()
                {
                    return;
                }
            }
        });
        Self { port, requests }
    }

    #[track_caller]
    pub(crate) fn next(&self) -> (Vec<String>, String) {
        self.requests.recv_timeout(Duration::from_mins(2)).unwrap()
    }

    /// Waits for some ticks of the service: nothing comes.
    #[track_caller]
    pub(crate) fn stays_silent(&self) {
        let request = self.requests.recv_timeout(Duration::from_millis(2_500));
        assert!(request.is_err(), "{request:?}");
    }

    /// Waits for a request while time passes, a minute at a time, as after a failure.
    #[track_caller]
    pub(crate) fn next_while_waiting(&self, service: &Service) -> (Vec<String>, String) {
        for _ in 0..1_000 {
            if let Ok(request) = self.requests.recv_timeout(Duration::from_millis(100)) {
                return request;
            }
            service.clock.advance(MINUTE);
        }
        panic!("no request");
    }
}

#[test]
fn a_webhook_gets_each_opening_and_each_end_once_in_order() {
    let receiver = Webhook::start(&[500, 302]);
    let address = format!("http://127.0.0.1:{}/s3cret", receiver.port);
    let mut service = Service::start_with(|config| {
        config.notices.webhook = Some(address.parse().unwrap());
        config.notices.token = Secret::new("t0ken".into());
    });
    upload_twice(&service);
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    // It fails twice, once by a redirection, and is the same message each time.
    let (head, first) = receiver.next();
    assert_eq!(head[0], "POST /s3cret HTTP/1.1");
    let has = |line: &str| head.iter().any(|other| other.eq_ignore_ascii_case(line));
    assert!(
        has("authorization: Bearer t0ken") && has("content-type: application/json"),
        "{head:?}"
    );
    let sent: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(
        json!([sent["state"], sent["id"], sent["account"]]),
        json!(["open", SILENT, "home"])
    );
    for _ in 0..2 {
        assert_eq!(receiver.next_while_waiting(&service).1, first);
    }
    // After a restart it is not sent again: the next one is the end.
    thread::sleep(Duration::from_millis(300));
    service.restart();
    upload_twice(&service);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
    let sent: Value = serde_json::from_str(&receiver.next_while_waiting(&service).1).unwrap();
    assert_eq!(json!([sent["state"], sent["id"]]), json!(["ended", SILENT]));
}

#[test]
fn home_assistant_shows_a_notice_until_it_ends() {
    let receiver = Webhook::start(&[401]);
    let address = format!("http://127.0.0.1:{}/core/", receiver.port);
    let service = Service::start_with(|config| {
        config.notices.webhook = Some(address.parse().unwrap());
        config.notices.format = WebhookFormat::HomeAssistant;
        config.notices.language = "de".to_owned();
        config.notices.token = Secret::new("t0ken".into());
    });
    upload_twice(&service);
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    receiver.next();
    // It was refused, and comes again.
    let (head, body) = receiver.next_while_waiting(&service);
    let path = "POST /core/api/services/persistent_notification/create HTTP/1.1";
    assert_eq!(head[0], path);
    let has = |line: &str| head.iter().any(|other| other.eq_ignore_ascii_case(line));
    assert!(has("authorization: Bearer t0ken"), "{head:?}");
    let sent: Value = serde_json::from_str(&body).unwrap();
    let id = "wattkeeper home sensor-silent:house";
    assert_eq!(
        json!([sent["title"], sent["notification_id"]]),
        json!(["wattkeeper", id])
    );
    let text = sent["message"].as_str().unwrap();
    assert!(text.contains("sendet nichts mehr"), "{text}");
    thread::sleep(Duration::from_millis(300));
    upload_twice(&service);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
    let (head, body) = receiver.next_while_waiting(&service);
    assert!(
        head[0].contains("/persistent_notification/dismiss"),
        "{head:?}"
    );
    let sent: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(sent, json!({"notification_id": id}));
}

#[test]
fn a_dismissed_notice_is_not_sent() {
    let receiver = Webhook::start(&[500]);
    let address = format!("http://127.0.0.1:{}/topic", receiver.port);
    let service = Service::start_with(|config| {
        config.notices.webhook = Some(address.parse().unwrap());
        config.notices.format = WebhookFormat::Ntfy;
    });
    upload_twice(&service);
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    let (head, body) = receiver.next();
    assert!(
        head.iter()
            .any(|line| line.eq_ignore_ascii_case("title: wattkeeper: sensor-silent")),
        "{head:?}"
    );
    assert!(
        body.starts_with("The sensor house has uploaded nothing"),
        "{body}"
    );
    assert_eq!(dismiss(&service, SILENT).0, 200);
    // It is over and happens again: only that is sent.
    upload_twice(&service);
    service.clock.advance(MINUTE);
    service.await_notices(&[]);
    service.clock.advance(11 * MINUTE);
    service.await_notices(&[SILENT]);
    assert_eq!(receiver.next_while_waiting(&service).1, body);
}
