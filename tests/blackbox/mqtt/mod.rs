//! docs/MQTT.md: the binary, its settings, and a broker. The broker is mosquitto, or a hostile one that the tests play
//! themselves.

pub(crate) mod broker;
mod clock;
mod devices;
mod discovery;
mod doubtful;
mod found;
pub(crate) mod home_assistant;
pub(crate) mod hostile;
pub(crate) mod house;
mod in_browser;
mod keep_alive;
mod paho;
pub(crate) mod played;
mod restarts;
mod settings;
