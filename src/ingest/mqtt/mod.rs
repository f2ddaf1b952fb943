//! MQTT: readings out of the messages of a broker, and what Home Assistant is told through it. Off until a broker is set.
//!
//! A thread of its own holds a connection, for as long as the service runs; where it breaks it is made again, after a second
//! first, then after longer and longer. Nothing of the broker's ends it.

mod announcing;
mod broker;
mod complaints;
mod intake;
mod link;
pub mod mapping;
pub mod payload;
pub mod presets;
mod session;
pub mod template;
pub mod topic;

use std::fmt;
use std::io;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use futures_util::FutureExt as _;
use thiserror::Error;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

pub use self::broker::{AddressError, BrokerAddress};
pub use self::intake::Subscription;
use self::intake::{Intake, Unavailable};
use self::link::Link;
use self::session::{Identity, Parts, SessionError};
use crate::domain::clock::Moment;
use crate::ingest::{Ingest, home_assistant};
use crate::store::Store;

/// The wait before the second attempt to connect. Each after it waits twice as long, up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long making a connection may take.
const CONNECT_WITHIN: Duration = Duration::from_secs(20);
/// Threads for what blocks: reading registers, adding sensors.
const BLOCKING_THREADS: usize = 2;

/// What it takes to be the broker's client.
#[derive(Clone, PartialEq)]
pub struct Settings {
    /// Where it is.
    pub broker: BrokerAddress,
    /// Our name there, if it wants one.
    pub user: Option<String>,
    /// The password.
    pub password: Option<String>,
    /// The file whose first line is the password; read for each connection.
    pub password_file: Option<PathBuf>,
    /// What the broker knows us by after an interruption: nobody else may have it there.
    pub client_id: String,
    /// The certificates, in PEM, of whom it is trusted to be; those of the system where there is none.
    pub ca_file: Option<PathBuf>,
    /// What is listened to.
    pub subscriptions: Vec<Subscription>,
    /// What Home Assistant is told, if anything.
    pub home_assistant: Option<home_assistant::Settings>,
}

/// All but the password.
impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("broker", &self.broker)
            .field("user", &self.user)
            .field("client_id", &self.client_id)
            .field("subscriptions", &self.subscriptions)
            .field("home_assistant", &self.home_assistant)
            .finish_non_exhaustive()
    }
}

/// The thread that is the broker's client, for as long as this lives.
pub struct Client {
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// Reads both clocks.
type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

/// Why there is no connection.
#[derive(Debug, Error)]
enum ClientError {
    #[error(transparent)]
    Way(#[from] broker::WayError),
    #[error("cannot connect to {0}: it does not answer")]
    Silent(BrokerAddress),
    #[error("cannot read mqtt.password_file, {}", .0.display())]
    PasswordFile(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("waiting until readings can be stored: {0}")]
    NotReady(#[from] Unavailable),
    #[error("a bug ended the connection; it is made again")]
    Panic,
}

impl Client {
    /// Starts the thread.
    ///
    /// # Errors
    /// What the system said where it has no thread to give.
    pub fn start(
        store: Arc<Store>,
        ingest: Ingest,
        settings: Settings,
        clock: Clock,
    ) -> io::Result<Self> {
        let (stop, stopping) = watch::channel(false);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(BLOCKING_THREADS)
            .build()?;
        let subscriptions = settings.subscriptions.clone();
        let intake = Arc::new(Intake::new(Arc::clone(&store), ingest, subscriptions));
        let work = Work {
            settings,
            intake,
            store,
            clock,
            stop: stopping,
        };
        let thread = thread::Builder::new()
            .name("mqtt".into())
            .spawn(move || runtime.block_on(work.run()))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Client {
    /// Finishes what is on its way to the store, for some seconds at most, and takes leave of the broker.
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // Its panic was told of by then.
            let _ = thread.join();
        }
    }
}

struct Work {
    settings: Settings,
    intake: Arc<Intake>,
    store: Arc<Store>,
    clock: Clock,
    stop: watch::Receiver<bool>,
}

impl Work {
    async fn run(self) {
        let mut wait = FIRST_WAIT;
        let mut told = String::new();
        let mut stop = self.stop.clone();
        while !*stop.borrow() {
            let began = Instant::now();
            // Nothing of a connection that panicked is used again.
            let ended = AssertUnwindSafe(self.connection()).catch_unwind().await;
            let Err(error) = ended.unwrap_or(Err(ClientError::Panic)) else {
                return;
            };
            if began.elapsed() > LONGEST_WAIT {
                wait = FIRST_WAIT;
                told.clear();
            }
            let text = chain(&error);
            // The same again and again is told once.
            if text == told {
                log::debug!("mqtt: {text}");
            } else {
                log::warn!("mqtt: {text}; trying again in {} s", wait.as_secs());
                told = text;
            }
            // Ends early at a stop.
            let _ = timeout(wait, stop.changed()).await;
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
        }
    }

    /// Connects and works, until it is stopped.
    async fn connection(&self) -> Result<(), ClientError> {
        // The broker keeps what comes, better than we could.
        self.intake.check_ready((self.clock)())?;
        let settings = &self.settings;
        let identity = Identity {
            client_id: settings.client_id.clone(),
            login: self.login()?,
        };
        let mut stop = self.stop.clone();
        let connecting = settings.broker.connect(settings.ca_file.as_ref());
        let stream = tokio::select! {
            stream = timeout(CONNECT_WITHIN, connecting) => stream,
            _ = stop.changed() => return Ok(()),
        };
        let silent = |_| ClientError::Silent(settings.broker.clone());
        let link = Link::new(stream.map_err(silent)??);
        let parts = Parts {
            intake: Arc::clone(&self.intake),
            store: Arc::clone(&self.store),
            clock: &*self.clock,
            stop,
        };
        Ok(session::run(link, &identity, settings.home_assistant.clone(), parts).await?)
    }

    fn login(&self) -> Result<Option<(String, String)>, ClientError> {
        let Some(user) = self.settings.user.clone() else {
            return Ok(None);
        };
        let password = match &self.settings.password_file {
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| ClientError::PasswordFile(path.clone(), error))?;
                text.lines().next().unwrap_or_default().to_owned()
            }
            None => self.settings.password.clone().unwrap_or_default(),
        };
        Ok(Some((user, password)))
    }
}

/// An error and what caused it.
fn chain(error: &ClientError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub(crate) use super::link::fuzz::packets;

    use super::presets::Preset;
    use super::{payload, topic::TopicFilter};

    /// A message is read by all presets; what is read of it is finite. The first line is the topic.
    ///
    /// # Panics
    /// Where it is not.
    pub(crate) fn message(bytes: &[u8]) {
        let line = bytes.iter().position(|byte| *byte == b'\n');
        let (topic, rest) = bytes.split_at(line.unwrap_or(0));
        let (Ok(topic), Ok(message)) = (str::from_utf8(topic), payload::parse(rest)) else {
            return;
        };
        let (Ok(everything), Ok(sensor)) = ("+/#".parse::<TopicFilter>(), "s-{1}".parse()) else {
            return;
        };
        for preset in Preset::ALL {
            let filters = [topic.parse().ok(), Some(everything.clone())];
            for filter in filters.iter().flatten() {
                let mappings = preset.mappings(filter, &sensor).unwrap_or_default();
                for told in mappings
                    .iter()
                    .flat_map(|mapping| mapping.read(topic, &message))
                    .flatten()
                {
                    let measures = told.reading.measures;
                    let numbers = measures.watts().into_iter().chain(measures.watthours());
                    assert!(numbers.into_iter().all(f64::is_finite));
                }
            }
        }
    }
}
