//! Readings flow while the broker and the service are killed and restarted: no message that the broker accepted is lost.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::mqtt::broker::Mosquitto;
use crate::mqtt::house::{House, eventually};
use crate::stops::Stops;

const PLAIN: &str = "[[mqtt.subscriptions]]\ntopic = \"m/+\"\nwatts = \"/w\"\ntime = \"/t\"";

/// The message of this number, each at a second of its own.
fn message(number: usize) -> String {
    format!("{{\"w\":{number},\"t\":{}}}", 1_767_600_000 + number)
}

/// Publishes numbered messages until `done`; gives how many the broker took, one after the other.
fn publish(broker: &Mosquitto, from: usize, count: usize) {
    // One client for many messages: a line each.
    let lines: String = (from..from + count)
        .map(|number| message(number) + "\n")
        .collect();
    let mut client = broker
        .client("mosquitto_pub")
        .args(["-q", "1", "-t", "m/p", "-l"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut client.stdin.take().unwrap(), lines.as_bytes()).unwrap();
    assert!(client.wait().unwrap().success());
}

/// That all numbers below `count` were stored.
#[track_caller]
fn assert_all(house: &House, count: usize) {
    let mut stored = 0;
    let all = || {
        stored = house.readings("p").len();
        (stored >= count).then_some(())
    };
    eventually(&format!("all of {count} readings"), all);
    let numbers: Vec<Option<f64>> = house
        .readings("p")
        .into_iter()
        .map(|(_, watts, _)| watts)
        .collect();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let expected: Vec<Option<f64>> = (0..count).map(|number| Some(number as f64)).collect();
    assert_eq!(numbers, expected);
}

#[test]
#[ignore = "needs mosquitto"]
fn messages_for_a_stopped_service_are_kept_by_mosquitto() {
    let broker = Mosquitto::start();
    let house = House::new(broker.port, &["p"], PLAIN);
    house.subscribed(&broker).stop();
    publish(&broker, 0, 200);
    let serving = house.serve();
    assert_all(&house, 200);
    // Stopped and started while they flow.
    let sent = AtomicUsize::new(200);
    let is_done = AtomicBool::new(false);
    let serving = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                let from = sent.load(Ordering::Relaxed);
                publish(&broker, from, 50);
                sent.store(from + 50, Ordering::Relaxed);
            }
        });
        let _stops = Stops(&is_done);
        let mut serving = serving;
        for signal in ["KILL", "TERM", "KILL", "KILL"] {
            thread::sleep(Duration::from_millis(400));
            serving.signal(signal);
            let ended = serving.child.wait().unwrap();
            assert_eq!(ended.success(), signal == "TERM");
            serving = house.serve();
        }
        serving
    });
    assert_all(&house, sent.load(Ordering::Relaxed));
    serving.stop();
}

#[test]
#[ignore = "needs mosquitto"]
fn a_mosquitto_that_is_killed_is_found_again() {
    // The service is there first, and waits.
    let mut broker = Mosquitto::start();
    let house = House::new(broker.port, &["p"], PLAIN);
    broker.end("TERM");
    let serving = house.serve();
    serving.wait_for("cannot connect to mqtt://127.0.0.1:");
    broker.run();
    eventually("the subscription", || {
        (broker.subscriptions() > 0).then_some(())
    });
    let mut sent = 0;
    for signal in ["TERM", "KILL", "KILL"] {
        publish(&broker, sent, 300);
        sent += 300;
        broker.save();
        broker.end(signal);
        let before = broker.subscriptions();
        broker.run();
        // What comes before the service is back is kept for it.
        publish(&broker, sent, 10);
        sent += 10;
        eventually("the subscription", || {
            (broker.subscriptions() > before).then_some(())
        });
    }
    assert_all(&house, sent);
    let log = serving.stop();
    assert!(
        log.contains("the broker closed the connection") || log.contains("the connection broke"),
        "{log}"
    );
}
