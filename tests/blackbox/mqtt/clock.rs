//! While the clock is not set nothing can be stored, so nothing is acknowledged, and the broker keeps the messages.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use wattkeeper::{DeviceAccount, DeviceClock, Quantity, Way};
use wattkeeper::{MappedNumber, SensorTemplate, Subscription, TopicMapping};

use crate::mqtt::hostile::{accept, message, wait_for_ack};
use crate::support::{HOUR, SENSOR, Service};

#[test]
fn nothing_is_acknowledged_while_the_clock_is_not_set() {
    let broker = TcpListener::bind("127.0.0.1:0").unwrap();
    let service = Service::start_with(|config| {
        let address = format!("mqtt://{}", broker.local_addr().unwrap());
        config.mqtt.broker = Some(address.parse().unwrap());
        let watts = MappedNumber::plain(Way::Forth, Quantity::WATTS, "".parse().unwrap());
        let topic = "m".parse().unwrap();
        let sensor: SensorTemplate = SENSOR.parse().unwrap();
        let named = sensor.clone();
        let mapping = TopicMapping::new(Some(&topic), named, vec![watts], |it| Ok(it.clone()));
        let mapping = mapping.unwrap();
        config.mqtt.subscriptions = vec![Subscription {
            account: DeviceAccount::default(),
            preset: None,
            topic: Some(topic),
            sensor,
            mappings: vec![mapping],
            clock: DeviceClock::default(),
        }];
    });
    let mut stream = accept(&broker);
    stream.write_all(&message(b"m", b"1", 1, false)).unwrap();
    wait_for_ack(&mut stream, 1);
    service.clock.jump(-2 * HOUR);
    stream.write_all(&message(b"m", b"2", 2, false)).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(
        !rest.windows(4).any(|bytes| bytes == [0x40, 2, 0, 2]),
        "{rest:?}"
    );
    service.clock.jump(2 * HOUR);
    let mut stream = accept(&broker);
    stream.write_all(&message(b"m", b"2", 2, false)).unwrap();
    wait_for_ack(&mut stream, 2);
    let watts: Vec<f64> = service
        .all_watts()
        .into_iter()
        .map(|(_, watts)| watts)
        .collect();
    assert_eq!(watts, [1.0, 2.0]);
}
