//! The cost of looking at a message: of devices, and of everything else from a broker.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use wattkeeper::{PassedMessage, Recognizer};

/// Topics and messages: the first ones are of no device.
const MESSAGES: [(&str, &str, &str); 5] = [
    (
        "other",
        "home/hall/lamp/state",
        r#"{"state":"ON","brightness":120}"#,
    ),
    (
        "sign",
        "hall/climate",
        r#"{"temperature":20.8,"humidity":55,"battery":97,"voltage":3000,"linkquality":120}"#,
    ),
    (
        "zigbee",
        "zigbee2mqtt/hall climate",
        r#"{"temperature":20.8,"humidity":55,"battery":97,"voltage":3000,"linkquality":120}"#,
    ),
    (
        "plug",
        "tele/plug/SENSOR",
        r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"TotalStartTime":"2020-10-21T22:15:00","Total":3.705,"Yesterday":0.028,"Today":0.026,"Period":1,"Power":5,"ApparentPower":5,"ReactivePower":0,"Factor":1.00,"Voltage":233,"Current":0.021}}"#,
    ),
    (
        "shelly",
        "shellypro3em-a0/events/rpc",
        r#"{"src":"shellypro3em-a0","dst":"shellypro3em-a0/events","method":"NotifyStatus","params":{"ts":1701430261.00,"em:0":{"id":0,"a_act_power":250.1,"total_act_power":232.6}}}"#,
    ),
];

pub(crate) fn run(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a message of the broker, looked at");
    group.throughput(Throughput::Elements(1));
    for (name, topic, payload) in MESSAGES {
        let mut recognizer = Recognizer::default();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let at = PassedMessage {
                    topic: black_box(topic),
                    payload: black_box(payload.as_bytes()),
                    is_retained: false,
                    elapsed: Duration::ZERO,
                };
                recognizer.look(at)
            });
        });
    }
    group.finish();
}
