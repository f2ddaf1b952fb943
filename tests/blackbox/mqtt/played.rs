//! A broker that the test plays: it welcomes everybody, answers pings, and publishes the test's
//! messages.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::mqtt::hostile::message;

/// Real messages: a plug, a meter that counts both ways, a meter whose numbers have names of their
/// own.
pub(crate) const PLUG: (&str, &str) = (
    "tele/plug/SENSOR",
    r#"{"Time":"2022-01-11T21:57:38","ENERGY":{"TotalStartTime":"2020-10-21T22:15:00","Total":3.705,"Yesterday":0.028,"Today":0.026,"Period":1,"Power":5,"ApparentPower":5,"ReactivePower":0,"Factor":1.00,"Voltage":233,"Current":0.021}}"#,
);
pub(crate) const METER: (&str, &str) = (
    "shellypro3em-a0/status/em:0",
    r#"{"id":0,"a_current":4.029,"a_voltage":236.1,"a_act_power":-951.2,"total_act_power":-951.2}"#,
);
pub(crate) const METER_REGISTERS: (&str, &str) = (
    "shellypro3em-a0/status/emdata:0",
    r#"{"id":0,"a_total_act_energy":2413825.82,"total_act":2413825.82,"total_act_ret":12500.5}"#,
);
pub(crate) const UNUSABLE: (&str, &str) = (
    "tele/cellar/SENSOR",
    r#"{"Time":"2022-01-11T21:57:38","Haus":{"kwh_ein":3005.7,"Server_ID":"090149534b000404e6d2"}}"#,
);

pub(crate) struct PlayedBroker {
    pub(crate) address: String,
    connections: Arc<Mutex<PlayedConnections>>,
}

#[derive(Default)]
struct PlayedConnections {
    /// The newest one of each kind.
    readings: Option<TcpStream>,
    devices: Option<TcpStream>,
    /// The bytes that the first of them sent.
    said: Vec<u8>,
}

impl PlayedBroker {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let connections = Arc::<Mutex<PlayedConnections>>::default();
        let all = Arc::clone(&connections);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = Arc::clone(&all);
                thread::spawn(move || serve(stream, &all));
            }
        });
        Self {
            address,
            connections,
        }
    }

    /// Whether the connection of the readings subscribes to this topic, by its name or with `+` for
    /// some of its levels.
    pub(crate) fn has_subscription(&self, topic: &str) -> bool {
        let said = &self.connections.lock().unwrap().said;
        let levels: Vec<&str> = topic.split('/').collect();
        let named = |wildcards: u32| {
            let each = levels.iter().enumerate();
            let each = each.map(|(at, level)| if wildcards >> at & 1 == 1 { "+" } else { level });
            each.collect::<Vec<_>>().join("/")
        };
        (0..1_u32 << levels.len())
            .map(named)
            .any(|filter| said.windows(filter.len()).any(|it| it == filter.as_bytes()))
    }

    /// Whether somebody listens for devices.
    pub(crate) fn has_listener(&self) -> bool {
        self.connections.lock().unwrap().devices.is_some()
    }

    /// Passes a message to the readings, if they subscribe to its topic, and to who listens for
    /// devices.
    pub(crate) fn pass(&self, message: (&str, &str)) {
        self.pass_to_readings(message);
        self.flood(&packet(message));
    }

    /// The same, but not to who listens for devices.
    pub(crate) fn pass_to_readings(&self, message: (&str, &str)) {
        let is_subscribed = self.has_subscription(message.0);
        let mut all = self.connections.lock().unwrap();
        if let Some(stream) = all.readings.as_mut().filter(|_| is_subscribed) {
            // It may have gone a moment ago.
            let _ = stream.write_all(&packet(message));
        }
    }

    /// Sends bytes to who listens for devices; returns whether it took them.
    pub(crate) fn flood(&self, bytes: &[u8]) -> bool {
        let stream = self
            .connections
            .lock()
            .unwrap()
            .devices
            .as_ref()
            .map(|it| it.try_clone().unwrap());
        stream.is_some_and(|mut stream| stream.write_all(bytes).is_ok())
    }

    /// Ends all connections.
    pub(crate) fn hang_up(&self) {
        let mut all = self.connections.lock().unwrap();
        for stream in [all.readings.take(), all.devices.take()]
            .into_iter()
            .flatten()
        {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

fn packet((topic, payload): (&str, &str)) -> Vec<u8> {
    message(topic.as_bytes(), payload.as_bytes(), 0, false)
}

fn serve(mut stream: TcpStream, all: &Mutex<PlayedConnections>) {
    let mut bytes = [0; 4_096];
    let mut is_of_devices = None;
    while let Ok(count @ 1..) = stream.read(&mut bytes) {
        let read = &bytes[..count];
        if is_of_devices.is_none() {
            let of_devices = read.windows(8).any(|it| it == b"-devices");
            let is_test = read.windows(5).any(|it| it == b"-test");
            is_of_devices = Some(of_devices);
            let _ = stream.write_all(b"\x20\x02\x00\x00");
            let ours = stream.try_clone().ok();
            let mut all = all.lock().unwrap();
            if of_devices {
                all.devices = ours;
            } else if !is_test {
                all.readings = ours;
                all.said.clear();
            }
        }
        if read.windows(2).any(|it| it == b"\xc0\x00") {
            let _ = stream.write_all(b"\xd0\x00");
        }
        if is_of_devices == Some(false) {
            all.lock().unwrap().said.extend_from_slice(read);
        }
    }
}
