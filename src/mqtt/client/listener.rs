//! A second connection to the broker, which listens for devices. It has its own thread, and limits
//! how much it reads per second: a busy broker slows down discovery, not the readings. The broker
//! keeps nothing for it: its messages have quality 0, and its session ends with it.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::FutureExt as _;
use rumqttc::mqttbytes::QoS;
use rumqttc::mqttbytes::v4::{Connect, Packet};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::timeout;

use super::error::{ClientError, chain};
use super::link::{Link, LinkEvent};
use super::monitor::{BrokerMonitor, BrokerState};
use super::publisher::every;
use super::session::{KEEP_ALIVE, greet, subscribe};
use super::settings::{CONNECT_WITHIN, ClientSettings};
use crate::domain::Clock;
use crate::mqtt::devices::DeviceDiscovery;

/// The wait before another attempt. The connection for readings is already up by then.
const WAIT: Duration = Duration::from_secs(30);
/// The messages looked at per second, each of at most a kibibyte; a longer one counts as several.
const LOOKS_PER_SECOND: i64 = 100;
/// The most messages looked at at once: at first, the broker sends all messages that it has
/// retained.
const BURST: i64 = 2_000;
/// The most that a huge message costs: reading continues after a minute.
const LONGEST_DEBT: i64 = 60 * LOOKS_PER_SECOND;
const REFILL_EVERY: Duration = Duration::from_millis(100);

/// The thread that listens.
pub(super) struct DeviceListener {
    pub(super) settings: ClientSettings,
    pub(super) monitor: Arc<BrokerMonitor>,
    pub(super) clock: Clock,
    pub(super) stop: watch::Receiver<bool>,
}

/// The number of messages that may be read now. It is negative after a huge message.
struct LookBudget(i64);

impl LookBudget {
    fn has_some(&self) -> bool {
        self.0 > 0
    }

    fn refill(&mut self) {
        self.0 = (self.0 + LOOKS_PER_SECOND / 10).min(BURST);
    }

    fn spend(&mut self, bytes: usize) {
        let kibibytes = i64::try_from(bytes / 1_024).unwrap_or(i64::MAX);
        let spent = kibibytes.saturating_add(1);
        self.0 = self.0.saturating_sub(spent).max(-LONGEST_DEBT);
    }
}

impl DeviceListener {
    pub(super) fn start(self) -> io::Result<JoinHandle<()>> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(1)
            .build()?;
        let named = thread::Builder::new().name("mqtt-devices".into());
        named.spawn(move || runtime.block_on(self.run()))
    }

    async fn run(self) {
        let mut stop = self.stop.clone();
        let mut logged = String::new();
        while !*stop.borrow() {
            // Unwind safe: nothing of a connection that panicked is used again.
            let listening = AssertUnwindSafe(self.listen()).catch_unwind();
            let ended = tokio::select! {
                ended = listening => ended.unwrap_or(Err(ClientError::Panic)),
                _ = stop.changed() => return,
            };
            if let Err(error) = ended {
                let text = chain(&error);
                if text != logged {
                    log::warn!("mqtt: cannot look for devices, will retry: {text}");
                    logged = text;
                }
            }
            // A stop cuts the wait short.
            let _ = timeout(WAIT, stop.changed()).await;
        }
    }

    /// Listens while the readings have a connection.
    async fn listen(&self) -> Result<(), ClientError> {
        let mut state = self.monitor.watch();
        // This fails only if the monitor is dropped, and `self` holds a reference to it.
        let _ = state.wait_for(BrokerState::is_connected).await;
        let mut link = self.connect().await?;
        let mut discovery =
            DeviceDiscovery::new(&self.settings.subscriptions, self.monitor.devices());
        subscribe(&mut link, &discovery.filters(), QoS::AtMostOnce).await?;
        let mut budget = LookBudget(BURST);
        let mut refills = every(REFILL_EVERY);
        let mut pings = every(KEEP_ALIVE / 2);
        loop {
            tokio::select! {
                // The broker slows down because nothing is read.
                received = link.receive(), if budget.has_some() => match received? {
                    LinkEvent::Packet(Packet::Publish(publish)) => {
                        budget.spend(publish.payload.len());
                        let message = (&*publish.topic, &*publish.payload);
                        let now = (self.clock)();
                        discovery.receive(message, publish.retain, self.monitor.devices(), now);
                    }
                    LinkEvent::TooLarge { bytes, .. } => budget.spend(bytes),
                    LinkEvent::Packet(_) => budget.spend(0),
                },
                _ = refills.tick() => budget.refill(),
                _ = pings.tick() => link.send(&Packet::PingReq).await?,
                // The other connection notices when the broker is gone.
                _ = state.wait_for(|state| !state.is_connected()) => return Ok(()),
            }
        }
    }

    async fn connect(&self) -> Result<Link, ClientError> {
        let settings = &self.settings;
        // Two clients with the same name disconnect each other.
        let mut connect = Connect::new(format!("{}-devices", settings.client_id));
        connect.login = settings.login()?;
        connect.clean_session = true;
        let connecting = settings.broker.connect(settings.ca_file.as_deref());
        let no_answer = |_| ClientError::Unreachable(settings.broker.to_string());
        let stream = timeout(CONNECT_WITHIN, connecting).await;
        let mut link = Link::new(stream.map_err(no_answer)??);
        greet(&mut link, connect).await?;
        Ok(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_cost_what_they_are_long() {
        let mut budget = LookBudget(3);
        budget.spend(1_000);
        assert_eq!(budget.0, 2);
        budget.spend(2_048);
        assert!(!budget.has_some());
        budget.refill();
        assert!(budget.has_some());
        budget.spend(usize::MAX);
        assert_eq!(budget.0, -LONGEST_DEBT);
        for _ in 0..600 {
            budget.refill();
        }
        assert!(!budget.has_some());
        for _ in 0..1_000 {
            budget.refill();
        }
        assert_eq!(budget.0, BURST);
    }
}
