//! Black-box tests of docs/MQTT.md: the binary, its settings, and a broker. The broker is mosquitto, or a hostile one that
//! these tests play themselves.

// Marked as test code for clippy, which takes only what is marked for such.
#![cfg(test)]

#[allow(dead_code, reason = "the commands' tests need more of it")]
#[path = "../cli/place.rs"]
mod place;
#[allow(
    dead_code,
    unused_imports,
    reason = "the support of tests/http has more than this needs"
)]
#[path = "../http/support/mod.rs"]
mod support;

mod broker;
mod clock;
mod devices;
mod discovery;
mod hostile;
mod house;
mod paho;
mod restarts;
mod settings;
