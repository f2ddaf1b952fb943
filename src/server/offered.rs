//! The broker that Home Assistant offers to its add-ons. Requested at the start and once a minute,
//! because it may be installed later, or get another password.

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;
use ureq::Agent;

use crate::config::{LiveSettings, OfferedBroker, Setting, Supervisor};
use crate::domain::Secret;
use crate::store::Store;

/// The interval of requests to the Supervisor.
pub(super) const ASK_EVERY: Duration = Duration::from_mins(1);
const TIMEOUT: Duration = Duration::from_secs(5);
const MAX_BYTES: u64 = 64 << 10;

/// Follows the Supervisor's offers, with a request every `ask_every`, until the settings are
/// closed.
///
/// # Errors
/// The error of the operating system if it cannot start a thread.
pub(super) fn follow(
    supervisor: Supervisor,
    (settings, store): (Arc<LiveSettings>, Arc<Store>),
    ask_every: Duration,
) -> io::Result<JoinHandle<()>> {
    let mut follower = Follower {
        supervisor,
        agent: agent(),
        said: String::new(),
    };
    thread::Builder::new()
        .name("supervisor".into())
        .spawn(move || {
            if let Some(Setting { key, origin, .. }) = settings.without_broker() {
                log::warn!(
                    "ignoring the broker that Home Assistant offers: {key} is set ({origin}); also set mqtt.broker, or neither"
                );
            }
            let mut number = 0;
            loop {
                if settings.wants_offer() {
                    follower.ask(&settings, &store);
                }
                let asked = Instant::now();
                // A change of other settings is no reason to ask.
                while asked.elapsed() < ask_every {
                    let left = ask_every.saturating_sub(asked.elapsed());
                    match settings.wait(number, left) {
                        Some((now, _)) => number = now,
                        None => return,
                    }
                }
            }
        })
}

struct Follower {
    supervisor: Supervisor,
    agent: Agent,
    /// The last logged text, which is not logged again every minute.
    said: String,
}

/// The answer to `GET /services/mqtt`.
#[derive(Deserialize)]
struct ServiceAnswer {
    data: MqttService,
}

#[derive(Deserialize)]
struct MqttService {
    host: String,
    port: u16,
    #[serde(default)]
    ssl: bool,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    password: Option<String>,
}

impl Follower {
    fn ask(&mut self, settings: &LiveSettings, store: &Store) {
        let said = match self.offered() {
            Ok(Some(offered)) => match settings.offer(store, &offered) {
                Ok(()) => format!("Home Assistant offers the broker {}", offered.address),
                Err(error) => {
                    format!("Home Assistant offers a broker that cannot be used: {error}")
                }
            },
            Ok(None) => {
                settings.take_back_offer(store);
                "Home Assistant offers no MQTT broker; looking again once a minute".into()
            }
            Err(why) => format!("cannot ask Home Assistant for its MQTT broker: {why}"),
        };
        if said != self.said {
            log::info!("{said}");
            self.said = said;
        }
    }

    /// The current offer; `None` for nothing. An error never contains the answer, because that has
    /// the password.
    fn offered(&self) -> Result<Option<OfferedBroker>, String> {
        let url = format!("{}/services/mqtt", self.supervisor.url);
        let token = format!("Bearer {}", self.supervisor.token.reveal());
        let asked = self.agent.get(url).header("Authorization", token).call();
        let mut answer = asked.map_err(|error| error.to_string())?;
        match answer.status().as_u16() {
            200 => {}
            // The service does not exist, or is not enabled.
            400 | 404 => return Ok(None),
            status => return Err(format!("the Supervisor answers with status {status}")),
        }
        let body = answer.body_mut().with_config().limit(MAX_BYTES);
        let body = body.read_to_vec().map_err(|error| error.to_string())?;
        let answer: ServiceAnswer = serde_json::from_slice(&body)
            .map_err(|_| "cannot parse the Supervisor's answer".to_owned())?;
        let MqttService {
            host,
            port,
            ssl,
            username,
            password,
        } = answer.data;
        let scheme = if ssl { "mqtts" } else { "mqtt" };
        Ok(Some(OfferedBroker {
            address: format!("{scheme}://{host}:{port}"),
            user: username.unwrap_or_default(),
            password: Secret::new(password.unwrap_or_default()),
        }))
    }
}

/// A client for the Supervisor only: no proxies, no redirects.
fn agent() -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_idle_connections(0)
        .max_redirects(0)
        .http_status_as_error(false)
        .proxy(None)
        .build();
    config.into()
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;
    use crate::config::Config;
    use crate::domain::ServiceSetting;
    use crate::store::{OpenMode, StoreSettings};

    fn offer(password: &str) -> String {
        format!(
            r#"{{"data": {{"host": "mosquitto", "port": 1883, "ssl": true, "username": "addons", "password": "{password}"}}}}"#
        )
    }

    /// A Supervisor that gives these answers, and keeps giving the last one.
    fn supervisor(answers: Vec<(u16, String)>) -> Supervisor {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            let last = answers.last().cloned().into_iter().cycle();
            let clients = listener.incoming().flatten();
            for (mut client, (status, body)) in clients.zip(answers.into_iter().chain(last)) {
                let _ = client.read(&mut [0; 4_096]);
                let length = body.len();
                let head = format!("HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n\r\n");
                let _ = client.write_all((head + &body).as_bytes());
            }
        });
        Supervisor {
            url: format!("http://{address}"),
            ingress: address.ip(),
            token: Secret::new("t0ken".into()),
        }
    }

    /// Follows the offers of a Supervisor until the user has this password.
    fn follow_until(settings: &Arc<LiveSettings>, store: Arc<Store>, password: &str) {
        let answers = vec![
            (400, "{}".into()),
            (200, offer("first")),
            (200, offer("second")),
        ];
        let of = (Arc::clone(settings), store);
        let follower = follow(supervisor(answers), of, Duration::from_millis(10)).unwrap();
        let mut number = 0;
        while settings.in_force().config.mqtt.password.reveal() != password {
            (number, _) = settings.wait(number, Duration::from_secs(1)).unwrap();
        }
        settings.close();
        follower.join().unwrap();
    }

    #[test]
    fn a_broker_that_is_installed_later_is_found_and_followed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(
            dir.path(),
            StoreSettings::default(),
            OpenMode::CreateIfMissing,
        );
        let store = Arc::new(store.unwrap());
        let settings = Arc::new(LiveSettings::new(&Config::default(), &store));
        follow_until(&settings, Arc::clone(&store), "second");
        let in_force = settings.in_force();
        let broker = in_force.of(ServiceSetting::MqttBroker);
        assert_eq!(broker.value, "mqtts://mosquitto:1883");
        assert_eq!(broker.held_by.as_deref(), Some("Home Assistant"));
        // Pages show neither the password nor another broker.
        let password = in_force.of(ServiceSetting::MqttPassword);
        assert!(password.is_set && !password.value.contains("second"));
        let typed = [(
            ServiceSetting::MqttBroker,
            Some("mqtt://evil.example".to_owned()),
        )];
        assert!(settings.change(&store, typed.into()).is_err());
        // Settings other than the broker's can still be changed.
        let typed = [(ServiceSetting::BackupKeep, Some("3".to_owned()))];
        settings.change(&store, typed.into()).unwrap();
        assert!(settings.in_force().config.mqtt.broker.is_some());
    }

    #[test]
    fn a_broker_that_is_gone_leaves_room_for_another() {
        let dir = tempfile::tempdir().unwrap();
        let create = OpenMode::CreateIfMissing;
        let store = Store::open(dir.path(), StoreSettings::default(), create);
        let store = store.unwrap();
        let settings = LiveSettings::new(&Config::default(), &store);
        let answers = vec![(200, offer("first")), (404, "{}".into())];
        let mut follower = Follower {
            supervisor: supervisor(answers),
            agent: agent(),
            said: String::new(),
        };
        follower.ask(&settings, &store);
        assert!(settings.in_force().config.mqtt.broker.is_some());
        follower.ask(&settings, &store);
        let mqtt = settings.in_force().config.mqtt.clone();
        assert_eq!(mqtt.broker, None);
        assert!(mqtt.user.is_empty() && mqtt.password.reveal().is_empty());
        let own = "mqtt://own.lan";
        let typed = [(ServiceSetting::MqttBroker, Some(own.to_owned()))];
        settings.change(&store, typed.into()).unwrap();
        assert_eq!(settings.in_force().config.mqtt.broker, own.parse().ok());
    }

    #[test]
    fn what_was_set_in_the_browser_stays() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(
            dir.path(),
            StoreSettings::default(),
            OpenMode::CreateIfMissing,
        );
        let store = store.unwrap();
        let settings = LiveSettings::new(&Config::default(), &store);
        let typed = [(
            ServiceSetting::MqttBroker,
            Some("mqtt://own.lan".to_owned()),
        )];
        settings.change(&store, typed.into()).unwrap();
        assert!(!settings.wants_offer());
        let offered = OfferedBroker {
            address: "mqtt://mosquitto:1883".into(),
            user: String::new(),
            password: Secret::default(),
        };
        settings.offer(&store, &offered).unwrap();
        let broker = settings.in_force().config.mqtt.broker.clone();
        assert_eq!(broker, "mqtt://own.lan".parse().ok());
        // Once it is removed, the other one is used.
        settings
            .change(&store, [(ServiceSetting::MqttBroker, None)].into())
            .unwrap();
        settings.offer(&store, &offered).unwrap();
        let broker = settings.in_force().config.mqtt.broker.clone();
        assert_eq!(broker, offered.address.parse().ok());
    }
}
