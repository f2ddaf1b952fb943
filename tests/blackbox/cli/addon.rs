//! The binary as Home Assistant runs it as an add-on: with its options, and a Supervisor that
//! offers a broker.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;

use crate::mqtt::house::eventually;
use crate::mqtt::played::PlayedBroker;
use crate::place::{Place, Serving};

const TOKEN: &str = "t0ken-0f-the-Supervisor";
const PASSWORD: &str = "pa55word-of-the-broker";

/// A Supervisor that offers this; returns its address and the requests that it got.
fn supervisor(status: &'static str, answer: String) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::<Mutex<String>>::default();
    let noted = Arc::clone(&asked);
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut request = [0; 4_096];
            let read = client.read(&mut request).unwrap();
            noted
                .lock()
                .unwrap()
                .push_str(&String::from_utf8_lossy(&request[..read]));
            let length = answer.len();
            let _ = write!(
                client,
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
            );
        }
    });
    (address, asked)
}

fn offer(broker: &str) -> String {
    let (host, port) = broker.split_once(':').unwrap();
    let port: u16 = port.parse().unwrap();
    json!({"result": "ok", "data": {"addon": "core_mosquitto", "host": host, "port": port, "ssl": false,
        "username": "addons", "password": PASSWORD, "protocol": "3.1.1"}})
    .to_string()
}

/// The service as an add-on with these options.
fn addon(place: &Place, supervisor: &str, options: &str) -> Serving {
    let options = place.file("options.json", options.as_bytes());
    let mut command = place.command(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    command
        .env("WATTKEEPER_OPTIONS", options)
        .env("SUPERVISOR_TOKEN", TOKEN)
        .env("SUPERVISOR", supervisor);
    Serving::start(command)
}

#[test]
fn the_broker_that_home_assistant_offers_is_used() {
    let (place, broker) = (Place::new(), PlayedBroker::start());
    let (address, asked) = supervisor("200 OK", offer(&broker.address));
    let options =
        r#"{"log_level": "debug", "http_hosts": ["homeassistant.local"], "mqtt_broker": null}"#;
    let service = addon(&place, &address, options);
    service.wait_for(&format!(
        "Home Assistant offers the broker mqtt://{}",
        broker.address
    ));
    eventually("a connection with the password", || {
        broker.has_subscription(PASSWORD).then_some(())
    });
    assert!(broker.has_subscription("addons"));
    {
        let asked = asked.lock().unwrap();
        assert!(
            asked.starts_with("GET /services/mqtt HTTP/1.1\r\n"),
            "{asked}"
        );
        assert!(
            asked
                .to_lowercase()
                .contains(&format!("authorization: bearer {}", TOKEN.to_lowercase()))
        );
    }
    let said = service.stop();
    assert!(!said.contains(PASSWORD) && !said.contains(TOKEN), "{said}");
    // No address of the add-on's own network is shown to anybody.
    assert!(said.contains("Open wattkeeper in Home Assistant"), "{said}");
}

#[test]
fn what_people_set_goes_before_what_is_offered() {
    let (place, own, other) = (Place::new(), PlayedBroker::start(), PlayedBroker::start());
    let (address, asked) = supervisor("200 OK", offer(&other.address));
    let options = json!({"mqtt_broker": format!("mqtt://{}", own.address), "mqtt_user": "meter"});
    let service = addon(&place, &address, &options.to_string());
    eventually("a connection", || {
        own.has_subscription("meter").then_some(())
    });
    service.stop();
    assert_eq!(*asked.lock().unwrap(), "");
}

#[test]
fn without_a_broker_the_service_runs() {
    for (status, answer, said) in [
        (
            "400 Bad Request",
            r#"{"result":"error","message":"Service not enabled"}"#,
            "Home Assistant offers no MQTT broker",
        ),
        (
            "404 Not Found",
            "{}",
            "Home Assistant offers no MQTT broker",
        ),
        (
            "403 Forbidden",
            "{}",
            "the Supervisor answers with status 403",
        ),
        (
            "200 OK",
            r#"{"data":{"host":"x","port":"pa55"}}"#,
            "cannot parse the Supervisor's answer",
        ),
    ] {
        let place = Place::new();
        let (address, _) = supervisor(status, answer.to_owned());
        let service = addon(&place, &address, "{}");
        service.wait_for(said);
        let said = service.stop();
        assert!(!said.contains("pa55"), "{said}");
    }
}

#[test]
fn options_that_cannot_be_used_are_named() {
    let place = Place::new();
    let run = |options: &str| {
        let options = place.file("options.json", options.as_bytes());
        let mut command = place.command(&["config"]);
        let output = command.env("WATTKEEPER_OPTIONS", options).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    for (options, expected) in [
        (r#"{"log_levle": "info"}"#, "the closest one is log_level"),
        (
            r#"{"http_max_readings": 0}"#,
            "the add-on's options: http.max_readings is 0, expected",
        ),
        (r#"{"mqtt_password": 12}"#, "something else (not shown)"),
        ("[", "options.json, line 1: expected an object of JSON"),
    ] {
        let error = run(options);
        assert!(error.contains(expected), "{options}: {error}");
    }
}
