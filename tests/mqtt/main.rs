//! Black-box tests of docs/MQTT.md: the binary, its settings, and a broker. The broker is mosquitto, or a hostile one that
//! these tests play themselves.

// Marked as test code for clippy, which takes only what is marked for such.
#[cfg(test)]
#[allow(dead_code, reason = "the commands' tests need more of it")]
#[path = "../cli/place.rs"]
mod place;
#[cfg(test)]
#[allow(
    dead_code,
    unused_imports,
    reason = "the support of tests/http has more than this needs"
)]
#[path = "../http/support/mod.rs"]
mod support;

#[cfg(test)]
mod broker;
#[cfg(test)]
mod clock;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod discovery;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod house;
#[cfg(test)]
mod paho;
#[cfg(test)]
mod restarts;
#[cfg(test)]
mod settings;
