//! Too few file descriptors (`ulimit -n`): requests are answered, refused or wait, and everything
//! works again once connections are closed.

use std::process::Command;
use std::time::Duration;

use crate::load::BEGIN_MS;
use crate::service::{PATIENCE, Place, SENSORS, Service};
use crate::truth::Truth;
use crate::wire::Wire;

/// More than a service can hold under the limits here.
const CLIENTS: i64 = 80;
/// A slower answer probably waits for a descriptor.
const SOON: Duration = Duration::from_secs(1);
/// The line in the log.
const EXHAUSTED: &str = "Too many open files";

/// The same command with no more than `descriptors`.
fn limited(command: &Command, descriptors: u32) -> Command {
    let mut limited = Command::new("sh");
    limited
        .arg("-c")
        .arg(format!("ulimit -n {descriptors} && exec \"$@\""))
        .arg("sh")
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// Uploads until there is an answer, or no descriptor is left.
fn upload_or_exhaust(
    service: &Service,
    wire: &mut Wire,
    reading: (i64, f64),
) -> std::io::Result<u16> {
    let mut answer = wire.upload(SENSORS[0], reading);
    // On a slow machine, either the answer or the line in the log is still to come.
    for _ in 0..PATIENCE.as_secs() {
        if answer.is_ok() || service.said().contains(EXHAUSTED) {
            break;
        }
        answer = wire.answer();
    }
    answer
}

#[test]
fn connections_beyond_the_descriptors_wait_and_do_no_harm() {
    let place = Place::new();
    let truth = Truth::default();
    let service = place.start(limited(&place.serve_command(), 64));
    let service = service.unwrap_or_else(|ended| panic!("{ended:?}"));
    let reading = |number: i64| (BEGIN_MS + number * 1_000, 1.0);
    let mut answered = Vec::new();
    let mut waiting = Vec::new();
    for number in 0..CLIENTS {
        let Ok(mut wire) = Wire::open(&service, SOON) else {
            continue;
        };
        let ticket = truth.sending(SENSORS[0], &[reading(number)]);
        match upload_or_exhaust(&service, &mut wire, reading(number)) {
            Ok(status) => {
                assert_eq!(status, 200, "{}", service.said());
                truth.acknowledged(&ticket, 0);
                wire.wait_for(PATIENCE).unwrap();
                answered.push(wire);
            }
            Err(_) => waiting.push((wire, ticket)),
        }
        // A few waiting ones show as much as many.
        if waiting.len() == 3 {
            break;
        }
    }
    assert!(
        answered.len() > 5 && waiting.len() == 3,
        "{}, {}",
        answered.len(),
        waiting.len()
    );
    // It logs that, and serves its existing connections.
    let said = service.said();
    assert!(said.contains(EXHAUSTED), "{said}");
    for (number, wire) in (CLIENTS..).zip(&mut answered) {
        let ticket = truth.sending(SENSORS[1], &[reading(number)]);
        let status = wire.upload(SENSORS[1], reading(number)).unwrap();
        assert_eq!(status, 200, "{}", service.said());
        truth.acknowledged(&ticket, 0);
    }
    eprintln!(
        "{} connections answered, {} waited",
        answered.len(),
        waiting.len()
    );
    // Waiting connections are answered once others close.
    drop(answered);
    for (wire, ticket) in &mut waiting {
        wire.wait_for(PATIENCE).unwrap();
        assert_eq!(wire.answer().unwrap(), 200);
        truth.acknowledged(ticket, 0);
    }
    drop(waiting);
    for number in 0..20 {
        let mut wire = Wire::open(&service, PATIENCE).unwrap();
        let ticket = truth.sending(SENSORS[2], &[reading(number)]);
        assert_eq!(wire.upload(SENSORS[2], reading(number)).unwrap(), 200);
        truth.acknowledged(&ticket, 0);
    }
    service.assert_holds(&truth);
    assert_eq!(service.stop().status, Some(0));
    place.assert_sound(&truth);
}

/// With any limit, it starts or says why not; the store is unchanged.
#[test]
fn a_start_with_too_few_descriptors_is_refused_clearly() {
    let place = Place::new();
    let truth = Truth::default();
    let service = place.serve();
    for number in 0..50 {
        let readings = [(BEGIN_MS + number * 1_000, 1.0)];
        let ticket = truth.sending(SENSORS[0], &readings);
        assert_eq!(service.upload(SENSORS[0], &readings), Some(200));
        truth.acknowledged(&ticket, 0);
    }
    assert_eq!(service.stop().status, Some(0));
    let (mut refused, mut started) = (0, 0);
    // An MQTT client needs some, too, even without a broker.
    let both = |descriptors| [(descriptors, ""), (descriptors, "mqtt://127.0.0.1:1")];
    for (descriptors, broker) in (4..56).step_by(2).flat_map(both) {
        let mut command = place.serve_command();
        command.env("WATTKEEPER_MQTT_BROKER", broker);
        match place.start(limited(&command, descriptors)) {
            Ok(service) => {
                started += 1;
                assert_eq!(service.stop().status, Some(0), "{descriptors}");
            }
            Err(ended) => {
                refused += 1;
                assert_eq!(ended.status, Some(1), "{descriptors}: {ended:?}");
                ended.assert_clear();
                assert!(ended.said.contains(EXHAUSTED), "{descriptors}: {ended:?}");
            }
        }
        place.assert_sound(&truth);
    }
    assert!(refused > 0 && started > 0, "{refused}, {started}");
    eprintln!("{refused} starts refused, {started} made");
}
