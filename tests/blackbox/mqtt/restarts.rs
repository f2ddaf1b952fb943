//! Readings flow while the broker and the service are killed and restarted: no message that the
//! broker accepted is lost.

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
    let lines: String = (from..from + count)
        .map(|number| message(number) + "\n")
        .collect();
    publish_lines(broker, &lines);
}

/// One client for many messages: a line each.
fn publish_lines(broker: &Mosquitto, lines: &str) {
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

const UNTIMED: &str = "[[mqtt.subscriptions]]\ntopic = \"m/+\"\nwatts = \"/w\"\nwatthours = \"/e\"";

#[test]
#[ignore = "needs mosquitto"]
fn a_full_queue_of_mosquitto_tells_one_register() {
    // It keeps the first ones, and drops what comes after them.
    let broker = Mosquitto::start_with("allow_anonymous true\nmax_queued_messages 50\n");
    let house = House::new(broker.port, &["p"], UNTIMED);
    let serving = house.subscribed(&broker);
    broker.publish("m/p", r#"{"w":1000,"e":1000}"#);
    house.wait_for("p", 1);
    serving.stop();
    let queued = (1..300).map(|number| format!("{{\"w\":{number},\"e\":{}}}", 1_000 + number));
    publish_lines(&broker, &(queued.collect::<Vec<_>>().join("\n") + "\n"));
    let serving = house.serve();
    eventually("the queue", || {
        let last = house.readings("p").pop()?;
        (last.2 > Some(1_000.0)).then_some(())
    });
    // The queue has drained by the first of these, or by the second one.
    for (watts, watthours) in [(500, 9_000), (600, 9_001), (700, 9_002)] {
        thread::sleep(Duration::from_millis(2_500));
        broker.publish("m/p", &format!("{{\"w\":{watts},\"e\":{watthours}}}"));
    }
    let is_last = |readings: &[(String, Option<f64>, Option<f64>)]| {
        readings.last().is_some_and(|last| last.2 == Some(9_002.0))
    };
    eventually("the last one", || {
        is_last(&house.readings("p")).then_some(())
    });
    let stored = house.readings("p");
    serving.stop();
    assert_eq!((stored[0].1, stored[0].2), (Some(1_000.0), Some(1_000.0)));
    assert!(
        stored[1..].iter().all(|reading| reading.2 >= Some(9_000.0)),
        "{stored:?}"
    );
    let powers: Vec<f64> = stored[1..].iter().filter_map(|reading| reading.1).collect();
    assert!(
        !powers.is_empty() && powers.iter().all(|watts| *watts >= 500.0),
        "{stored:?}"
    );
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
        // The broker keeps messages until the service is back.
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
