//! docs/MQTT.md: the binary, its settings, and a broker. The broker is mosquitto, or a hostile one that the tests play
//! themselves.

mod broker;
mod clock;
mod devices;
mod discovery;
mod hostile;
mod house;
mod paho;
mod restarts;
mod settings;
