//! The thread that keeps a connection to the broker open as long as the service runs. A broken
//! connection is made again, at first after a second, then at growing intervals.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::FutureExt as _;
use rumqttc::mqttbytes::v4::Connect;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::error::{ClientError, chain};
use super::link::Link;
use super::listener::DeviceListener;
use super::monitor::BrokerMonitor;
use super::session::{self, Parts};
use super::settings::{CONNECT_WITHIN, ClientSettings};
use crate::domain::Clock;
use crate::ingest::Ingest;
use crate::mqtt::intake::Intake;
use crate::store::Store;

/// The wait before the second attempt to connect. It doubles for each later attempt, up to the
/// longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Threads for blocking work: reading registers, adding sensors.
const BLOCKING_THREADS: usize = 2;

/// The threads of the client: one receives readings, one listens for devices. Dropping this stops
/// them.
pub struct Client {
    stop: watch::Sender<bool>,
    threads: Vec<JoinHandle<()>>,
    monitor: Arc<BrokerMonitor>,
}

impl Client {
    /// Starts the threads. `monitor` receives their state.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        (store, ingest): (Arc<Store>, Ingest),
        settings: ClientSettings,
        clock: Clock,
        monitor: Arc<BrokerMonitor>,
    ) -> io::Result<Self> {
        let (stop, stopping) = watch::channel(false);
        monitor.connecting(&settings.broker);
        let listener = DeviceListener {
            settings: settings.clone(),
            monitor: Arc::clone(&monitor),
            clock: Arc::clone(&clock),
            stop: stopping.clone(),
        };
        let mut client = Self {
            stop,
            threads: vec![listener.start()?],
            monitor: Arc::clone(&monitor),
        };
        // One thread is enough for one connection. Blocking work has its own threads.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(BLOCKING_THREADS)
            .build()?;
        let subscriptions = settings.subscriptions.clone();
        let intake = Arc::new(Intake::new(Arc::clone(&store), ingest, subscriptions));
        let connection = ConnectionThread {
            settings,
            intake,
            store,
            clock,
            monitor,
            stop: stopping,
        };
        let thread = thread::Builder::new()
            .name("mqtt".into())
            .spawn(move || runtime.block_on(connection.run()))?;
        client.threads.push(thread);
        Ok(client)
    }
}

impl Drop for Client {
    /// Finishes storing, for some seconds at most, and disconnects.
    fn drop(&mut self) {
        self.stop.send_replace(true);
        for thread in self.threads.drain(..) {
            // A panic of the thread was already logged.
            let _ = thread.join();
        }
        self.monitor.off();
    }
}

struct ConnectionThread {
    settings: ClientSettings,
    intake: Arc<Intake>,
    store: Arc<Store>,
    clock: Clock,
    monitor: Arc<BrokerMonitor>,
    stop: watch::Receiver<bool>,
}

impl ConnectionThread {
    async fn run(self) {
        let mut wait = FIRST_WAIT;
        let mut logged = String::new();
        let mut stop = self.stop.clone();
        while !*stop.borrow() {
            let began = Instant::now();
            // Unwind safe: nothing of a connection that panicked is used again.
            let ended = AssertUnwindSafe(self.connection()).catch_unwind().await;
            let Err(error) = ended.unwrap_or(Err(ClientError::Panic)) else {
                return;
            };
            // No failed attempt takes this long, so there was a connection, and its end is a new
            // problem.
            if began.elapsed() > LONGEST_WAIT {
                wait = FIRST_WAIT;
                logged.clear();
            }
            self.monitor.failed(&error, (self.clock)().time, wait);
            let text = chain(&error);
            // A broker that stays away would fill the log, so repetitions are logged for debugging
            // only.
            if text == logged {
                log::debug!("mqtt: {text}");
            } else {
                log::warn!("mqtt: {text}; trying again in {} s", wait.as_secs());
                logged = text;
            }
            // A stop cuts the wait short.
            let _ = timeout(wait, stop.changed()).await;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
    }

    /// Connects and serves until stopped.
    async fn connection(&self) -> Result<(), ClientError> {
        // While nothing can be stored, messages are better kept by the broker.
        self.intake.check_ready((self.clock)())?;
        let settings = &self.settings;
        let mut connect = Connect::new(settings.client_id.clone());
        connect.login = settings.login()?;
        let mut stop = self.stop.clone();
        let connecting = settings.broker.connect(settings.ca_file.as_deref());
        let stream = tokio::select! {
            stream = timeout(CONNECT_WITHIN, connecting) => stream,
            _ = stop.changed() => return Ok(()),
        };
        let no_answer = |_| ClientError::Unreachable(settings.broker.to_string());
        let link = Link::new(stream.map_err(no_answer)??);
        let parts = Parts {
            intake: Arc::clone(&self.intake),
            store: Arc::clone(&self.store),
            clock: &*self.clock,
            monitor: &self.monitor,
            stop,
        };
        session::run(link, connect, settings.home_assistant.clone(), parts).await
    }
}
