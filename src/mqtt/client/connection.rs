//! The thread that keeps a connection to the broker open, for as long as the service runs. A connection that breaks is made
//! again, after a second at first, then after longer and longer.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::FutureExt as _;
use rumqttc::mqttbytes::v4::{Connect, Login};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::broker::BrokerAddress;
use super::error::ClientError;
use super::link::Link;
use super::session::{self, Parts};
use crate::domain::Clock;
use crate::ingest::Ingest;
use crate::mqtt::home_assistant::DiscoverySettings;
use crate::mqtt::intake::{Intake, Subscription};
use crate::store::Store;

/// The wait before the second attempt to connect. Each later one is twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long connecting may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(20);
/// Threads for blocking work: reading registers, adding sensors.
const BLOCKING_THREADS: usize = 2;

/// The settings of the client. They have no `Debug`: they contain the password.
#[derive(Clone)]
pub struct ClientSettings {
    /// The address of the broker.
    pub broker: BrokerAddress,
    /// The user name there, if any.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The file with the password in its first line; read for each connection.
    pub password_file: Option<PathBuf>,
    /// The name of the session that the broker keeps for this client. Two clients with the same name disconnect each other.
    pub client_id: String,
    /// The trusted certificates, in PEM; `None` for those of the system.
    pub ca_file: Option<PathBuf>,
    /// The subscriptions.
    pub subscriptions: Vec<Subscription>,
    /// How sensors are announced to Home Assistant, if they are.
    pub home_assistant: Option<DiscoverySettings>,
}

/// The thread of the client. Dropping this stops it.
pub struct Client {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Client {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system's error if it cannot start a thread.
    pub fn start(
        store: Arc<Store>,
        ingest: Ingest,
        settings: ClientSettings,
        clock: Clock,
    ) -> io::Result<Self> {
        let (stop, stopping) = watch::channel(false);
        // One thread is enough for one connection. Work that blocks has threads of its own.
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(BLOCKING_THREADS)
            .build()?;
        let subscriptions = settings.subscriptions.clone();
        let intake = Arc::new(Intake::new(Arc::clone(&store), ingest, subscriptions));
        let client = ConnectionThread {
            settings,
            intake,
            store,
            clock,
            stop: stopping,
        };
        let thread = thread::Builder::new()
            .name("mqtt".into())
            .spawn(move || runtime.block_on(client.run()))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Client {
    /// Finishes storing, for some seconds at most, and disconnects.
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // A panic in it was logged when it happened.
            let _ = thread.join();
        }
    }
}

struct ConnectionThread {
    settings: ClientSettings,
    intake: Arc<Intake>,
    store: Arc<Store>,
    clock: Clock,
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
            // No failed attempt takes so long, so there was a connection: its end is a new problem.
            if began.elapsed() > LONGEST_WAIT {
                wait = FIRST_WAIT;
                logged.clear();
            }
            let text = chain(&error);
            // A broker that stays away would fill the log, so repetitions are for debugging only.
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
        // While nothing can be stored the broker is the better place to keep messages.
        self.intake.check_ready((self.clock)())?;
        let settings = &self.settings;
        let mut connect = Connect::new(settings.client_id.clone());
        connect.login = self.login()?;
        let mut stop = self.stop.clone();
        let connecting = settings.broker.connect(settings.ca_file.as_ref());
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
            stop,
        };
        session::run(link, connect, settings.home_assistant.clone(), parts).await
    }

    fn login(&self) -> Result<Option<Login>, ClientError> {
        // MQTT 3.1.1 allows no password without a user name.
        let Some(user) = self.settings.user.clone() else {
            return Ok(None);
        };
        let password = match &self.settings.password_file {
            Some(path) => {
                // Blocks this thread, which has nothing else to do while there is no connection.
                let text = std::fs::read_to_string(path)
                    .map_err(|error| ClientError::PasswordFile(path.clone(), error))?;
                text.lines().next().unwrap_or_default().to_owned()
            }
            None => self.settings.password.clone().unwrap_or_default(),
        };
        Ok(Some(Login::new(user, password)))
    }
}

/// An error with its causes.
fn chain(error: &ClientError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let cause_text = error.to_string();
        // Some errors repeat their cause in their own text.
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        cause = error.source();
    }
    text
}
