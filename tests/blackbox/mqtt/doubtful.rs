//! Messages that must not be taken at their word: those that waited at the broker, times of wrong clocks, sums without a part.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};

use wattkeeper::{DeviceAccount, DeviceClock, Quantity, Way};
use wattkeeper::{MappedNumber, Subscription, TimeForm, TopicMapping};
use wattkeeper::{SensorId, TimeRange};

use crate::mqtt::hostile::{accept, message, resume, wait_for_ack};
use crate::support::{HOUR, SENSOR, Service, request};

const MINUTE: i64 = 60_000;

/// A device of the sensor `house`: power at `/w`, the sum of its register, and the time at `/t`.
fn service(register: &str) -> (TcpListener, Service) {
    let broker = TcpListener::bind("127.0.0.1:0").unwrap();
    let service = Service::start_with(|config| {
        let address = format!("mqtt://{}", broker.local_addr().unwrap());
        config.mqtt.broker = Some(address.parse().unwrap());
        let number =
            |quantity, sum: &str| MappedNumber::plain(Way::Forth, quantity, sum.parse().unwrap());
        let numbers = vec![
            number(Quantity::WATTS, "/w"),
            number(Quantity::WATTHOURS, register),
        ];
        let (topic, sensor) = ("m".parse().unwrap(), SENSOR.parse().unwrap());
        let named: wattkeeper::SensorTemplate = sensor;
        let mapping = TopicMapping::new(Some(&topic), named.clone(), numbers, |it| Ok(it.clone()));
        let mut mapping = mapping.unwrap();
        mapping.time = Some(("/t".parse().unwrap(), TimeForm::Utc));
        config.mqtt.subscriptions = vec![Subscription {
            account: DeviceAccount::default(),
            preset: None,
            topic: Some(topic),
            sensor: named,
            mappings: vec![mapping],
            clock: DeviceClock::default(),
        }];
    });
    (broker, service)
}

/// Sends a message of this number, and waits until it is acknowledged.
fn send(broker: &mut TcpStream, number: u16, payload: &str) {
    broker
        .write_all(&message(b"m", payload.as_bytes(), number, false))
        .unwrap();
    wait_for_ack(broker, number);
}

/// The readings of the sensor: seconds since `start`, watts, watt-hours.
fn readings(service: &Service, start: i64) -> Vec<(i64, Option<f64>, Option<f64>)> {
    let sensor = SensorId::new(SENSOR).unwrap();
    let mut scan = service.store().scan(&sensor, TimeRange::ALL);
    let mut all = Vec::new();
    while let Some(run) = scan.next_run().unwrap() {
        all.extend(run.into_iter().map(|reading| {
            let seconds = (reading.time.millis() - start) / 1_000;
            (
                seconds,
                reading.measures.watts(),
                reading.measures.watthours(),
            )
        }));
    }
    all
}

#[test]
fn a_queue_is_one_register_at_the_moment_of_the_return() {
    let (listener, service) = service("/e");
    let start = service.clock.now().millis();
    let mut broker = accept(&listener);
    send(&mut broker, 1, r#"{"w":1000,"e":1000}"#);
    drop(broker);
    service.clock.advance(8 * HOUR);
    // 480 messages in a moment; the queue had no room for those of the last hours.
    let mut broker = resume(&listener);
    for number in 1..=480 {
        let payload = format!("{{\"w\":{number},\"e\":{}}}", 1_000 + number * 10);
        let packet = message(b"m", payload.as_bytes(), number, false);
        broker.write_all(&packet).unwrap();
    }
    wait_for_ack(&mut broker, 480);
    let waited = readings(&service, start);
    assert_eq!(
        waited,
        [
            (0, Some(1_000.0), Some(1_000.0)),
            (8 * 3_600, None, Some(5_800.0))
        ]
    );
    // The first new message tells the register of that moment.
    service.clock.advance(10_000);
    send(&mut broker, 481, r#"{"w":500,"e":9000}"#);
    service.clock.advance(10_000);
    send(&mut broker, 482, r#"{"w":600,"e":9001}"#);
    assert_eq!(
        readings(&service, start),
        [
            (0, Some(1_000.0), Some(1_000.0)),
            (8 * 3_600, None, Some(9_000.0)),
            (8 * 3_600 + 10, Some(500.0), Some(9_000.0)),
            (8 * 3_600 + 20, Some(600.0), Some(9_001.0)),
        ]
    );
}

#[test]
fn messages_that_waited_with_a_time_keep_it() {
    let (listener, service) = service("/e");
    let start = service.clock.now().millis();
    send(&mut accept(&listener), 1, r#"{"w":1,"e":1000}"#);
    service.clock.advance(72 * HOUR);
    let mut broker = resume(&listener);
    let at = |hours: i64| (start + hours * HOUR) / 1_000;
    send(
        &mut broker,
        2,
        &format!("{{\"w\":2,\"e\":1100,\"t\":{}}}", at(1)),
    );
    send(
        &mut broker,
        3,
        &format!("{{\"w\":3,\"e\":1200,\"t\":{}}}", at(2)),
    );
    assert_eq!(
        readings(&service, start),
        [
            (0, Some(1.0), Some(1_000.0)),
            (3_600, Some(2.0), Some(1_100.0)),
            (7_200, Some(3.0), Some(1_200.0)),
        ]
    );
}

#[test]
fn a_wrong_clock_gives_way_to_the_time_of_arrival() {
    let (listener, service) = service("/e");
    let start = service.clock.now().millis();
    let mut broker = accept(&listener);
    let ahead = |seconds: i64| (service.clock.now().millis() / 1_000 + 60 + seconds).to_string();
    let time = |number: u16| match number {
        1 => "946684800".to_owned(),
        2 => "\"2000-01-01 00:00:10\"".to_owned(),
        3 => "12".to_owned(),
        4 => ahead(365 * 86_400),
        5 => ahead(-150 * 86_400),
        // Local time as if it were UTC.
        6 => ahead(3_600),
        _ => ahead(7_200),
    };
    for number in 1..=7 {
        let time = time(number);
        service.clock.advance(MINUTE);
        let payload = format!("{{\"w\":{number},\"t\":{time}}}");
        send(&mut broker, number, &payload);
    }
    let minutes = |number: i64, watts| (60 * number, Some(watts), None);
    let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    let expected: Vec<_> = (1..)
        .zip(expected)
        .map(|(at, watts)| minutes(at, watts))
        .collect();
    assert_eq!(readings(&service, start), expected);
    // It went on for long enough to be no matter of a start.
    let found = service.await_notices(&["sensor-clock:house"]);
    assert_eq!(found[0]["happened"], "The clock of house is 1 h ahead.");
    // A right one counts, to the microsecond.
    let right = start * 1_000 + 5_000_000;
    send(&mut broker, 100, &format!("{{\"w\":9,\"t\":{right}}}"));
    assert_eq!(readings(&service, start)[0], (5, Some(9.0), None));
}

#[test]
fn a_value_that_is_none_costs_only_itself() {
    let (listener, service) = service("/e");
    let start = service.clock.now().millis();
    let mut broker = accept(&listener);
    let payloads = [
        "{\"w\":nan,\"e\":1500}",
        "{\"w\":-inf,\"e\":1500}",
        "{\"w\":\"n/a\",\"e\":1500}",
        "{\"w\":\"-\",\"e\":1500}",
        "{\"w\":{},\"e\":1500}",
        "\u{FEFF}{\"w\":1e999,\"e\":1500}\0",
    ];
    for (number, payload) in (1..).zip(payloads) {
        service.clock.advance(MINUTE);
        send(&mut broker, number, payload);
    }
    let stored = readings(&service, start);
    assert_eq!(stored.len(), payloads.len());
    let is_register =
        |reading: &(i64, Option<f64>, Option<f64>)| (reading.1, reading.2) == (None, Some(1_500.0));
    assert!(stored.iter().all(is_register), "{stored:?}");
    let answer = service.send(&request("GET", "/metrics", &[], b""));
    let metrics = answer.text();
    let unused = "wattkeeper_unused_messages_total{protocol=\"mqtt\"} 6\n";
    assert!(metrics.contains(unused), "{metrics}");
}

#[test]
fn after_a_restart_a_sum_waits_for_the_parts_that_it_had() {
    let (listener, mut service) = service("/e - /b?");
    let start = service.clock.now().millis();
    let mut broker = accept(&listener);
    // A device that lacks the part has a sum all the same.
    send(&mut broker, 1, r#"{"e":3000}"#);
    service.clock.advance(MINUTE);
    send(&mut broker, 2, r#"{"e":5000,"b":1000}"#);
    service.restart();
    service.clock.advance(MINUTE);
    let mut broker = accept(&listener);
    send(&mut broker, 1, r#"{"w":7,"e":5001}"#);
    service.clock.advance(3 * MINUTE);
    send(&mut broker, 2, r#"{"w":8,"e":5002}"#);
    service.clock.advance(MINUTE);
    send(&mut broker, 3, r#"{"w":9,"e":5003,"b":1000}"#);
    service.clock.advance(MINUTE);
    send(&mut broker, 4, r#"{"e":5004}"#);
    assert_eq!(
        readings(&service, start),
        [
            (0, None, Some(3_000.0)),
            (60, None, Some(4_000.0)),
            (120, Some(7.0), None),
            (300, Some(8.0), None),
            (360, Some(9.0), Some(4_003.0)),
            (420, None, Some(4_004.0)),
        ]
    );
}
