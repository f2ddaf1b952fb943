//! Making a connection to the engine: the first of its servers that takes readings.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};

use super::checks;
use super::error::{EngineError, chain};
use super::refusal::EngineRefusal;
use super::settings::EngineSettings;
use super::tls::EngineTrust;
use super::url::{EngineHost, EngineTls};

/// How long a server may take to let somebody in.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How long a connection may stay without a sign of life of the other machine.
const ALIVE_WITHIN: Duration = Duration::from_secs(15);
/// Limits that the engine itself keeps, for a front-end that is gone or paused: a statement, the wait for a lock, and a
/// transaction in which nothing happens, which may hold locks that others wait for.
const LIMITS: &str =
    "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s";

/// Makes connections.
pub(crate) struct Connector {
    settings: EngineSettings,
    is_spread: AtomicBool,
}

impl Connector {
    pub(crate) const fn new(settings: EngineSettings) -> Self {
        Self {
            settings,
            is_spread: AtomicBool::new(false),
        }
    }

    /// Whether the last server that was checked spreads readings over others.
    pub(crate) fn is_spread(&self) -> bool {
        self.is_spread.load(Ordering::Relaxed)
    }

    /// Connects to the first server that is fit. Connections live on the runtime that this is called on.
    pub(crate) async fn connect(&self) -> Result<Client, EngineError> {
        self.connect_with(None).await
    }

    /// [`Self::connect`], and `bell` rings for each notification of the engine, and when the connection ends.
    pub(crate) async fn connect_to_listen(&self, bell: Arc<Notify>) -> Result<Client, EngineError> {
        self.connect_with(Some(bell)).await
    }

    async fn connect_with(&self, bell: Option<Arc<Notify>>) -> Result<Client, EngineError> {
        let mut worst: Option<EngineError> = None;
        for host in self.settings.url.hosts() {
            match self.connect_to(host, bell.clone()).await {
                Ok(client) => return Ok(client),
                Err(error) => {
                    let is_worse = |known| weight(&error) > weight(known);
                    if worst.as_ref().is_none_or(is_worse) {
                        worst = Some(error);
                    }
                }
            }
        }
        // An address has at least one server.
        Err(worst.unwrap_or_else(|| EngineError::Away("the engine has no server".into())))
    }

    async fn connect_to(
        &self,
        host: &EngineHost,
        bell: Option<Arc<Notify>>,
    ) -> Result<Client, EngineError> {
        let work = async {
            let client = self.sign_in(host, bell).await?;
            self.check(&client).await?;
            Ok(client)
        };
        timeout(CONNECT_WITHIN, work).await.unwrap_or_else(|_| {
            let cause = format!("no answer within {} s", CONNECT_WITHIN.as_secs());
            Err(unreachable(host, cause))
        })
    }

    /// Checks the server at the other end of a connection.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), EngineError> {
        let is_spread = checks::of_server(client, self.settings.allow_async).await?;
        self.is_spread.store(is_spread, Ordering::Relaxed);
        Ok(())
    }

    async fn sign_in(
        &self,
        host: &EngineHost,
        bell: Option<Arc<Notify>>,
    ) -> Result<Client, EngineError> {
        let config = self.config(host)?;
        let failed = |error| self.failed(host, error);
        match self.settings.url.tls() {
            EngineTls::Off => {
                let (client, connection) = config.connect(NoTls).await.map_err(failed)?;
                follow(connection, bell);
                Ok(client)
            }
            EngineTls::Verified { ca_file } => {
                // Certificates are read for each connection, so new ones need no restart.
                let trust = EngineTrust::new(ca_file.as_deref())?;
                let (client, connection) = config.connect(trust).await.map_err(failed)?;
                follow(connection, bell);
                Ok(client)
            }
        }
    }

    fn config(&self, host: &EngineHost) -> Result<Config, EngineError> {
        let url = &self.settings.url;
        let mut config = Config::new();
        config
            .user(url.user())
            .dbname(url.database())
            .application_name("wattkeeper")
            .options(LIMITS)
            .tcp_user_timeout(ALIVE_WITHIN)
            .keepalives_idle(ALIVE_WITHIN)
            .keepalives_interval(ALIVE_WITHIN / 3)
            .keepalives_retries(3)
            .ssl_mode(match url.tls() {
                EngineTls::Off => SslMode::Disable,
                EngineTls::Verified { .. } => SslMode::Require,
            });
        match host {
            EngineHost::Tcp { name, port } => config.host(name).port(*port),
            EngineHost::Socket { folder, port } => config.host_path(folder).port(*port),
        };
        let password = self.settings.password()?;
        if password.is_set() {
            config.password(password.reveal());
        }
        Ok(config)
    }

    /// What a failure to sign in means.
    fn failed(&self, host: &EngineHost, error: tokio_postgres::Error) -> EngineError {
        let url = &self.settings.url;
        let user = url.user().to_owned();
        let refusal = match error.code() {
            Some(&SqlState::INVALID_PASSWORD) => EngineRefusal::WrongPassword { user },
            Some(&SqlState::INVALID_CATALOG_NAME) => {
                EngineRefusal::NoDatabase(url.database().to_owned())
            }
            // Not to this server from here, or not to this database.
            Some(
                &SqlState::INVALID_AUTHORIZATION_SPECIFICATION | &SqlState::INSUFFICIENT_PRIVILEGE,
            ) => EngineRefusal::NotLetIn {
                user,
                cause: said(&error),
            },
            Some(_) => return error.into(),
            // The library tells these apart in its texts alone.
            None => match error.to_string() {
                text if text.starts_with("invalid configuration") => {
                    EngineRefusal::PasswordMissing { user }
                }
                text if text.contains("TLS") => EngineRefusal::Tls(chain(&error)),
                _ => return unreachable(host, cause_of(&error)),
            },
        };
        refusal.into()
    }
}

fn is_warning(notice: &DbError) -> bool {
    notice.parsed_severity() == Some(Severity::Warning)
}

/// How much an error tells of several servers: a replica is no news, one that is gone may be replaced by another, and what is wrong
/// with that one has to be mended.
const fn weight(error: &EngineError) -> u8 {
    match error {
        EngineError::Refused(EngineRefusal::Replica) => 0,
        EngineError::Refused(EngineRefusal::Unreachable { .. }) => 1,
        _ => 2,
    }
}

fn unreachable(host: &EngineHost, cause: String) -> EngineError {
    let at = host.to_string();
    EngineRefusal::Unreachable { at, cause }.into()
}

/// What the engine says, without details.
fn said(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(String::new, |said| said.message().to_owned())
}

/// What the system says, without the library's words before it.
fn cause_of(error: &tokio_postgres::Error) -> String {
    match error.source().filter(|source| source.is::<io::Error>()) {
        Some(source) => chain(source),
        None => chain(error),
    }
}

/// Keeps a connection at work until its client is gone, or the engine warns: it does so, and then reports the commit as done, if
/// somebody cancelled the wait for the second server. Rings `bell` for each notification, and at the end.
fn follow<S, T>(mut connection: Connection<S, T>, bell: Option<Arc<Notify>>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Handle::current().spawn(async move {
        let ring = || bell.iter().for_each(|bell| bell.notify_one());
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notification(_)) => ring(),
                Ok(AsyncMessage::Notice(notice)) if is_warning(&notice) => {
                    log::warn!(
                        "the engine warns, and what it did then does not count: {}",
                        notice.message()
                    );
                    break;
                }
                Ok(_) => {}
                // Whoever waits for an answer is told, too.
                Err(error) => {
                    log::debug!("a connection to the engine ended: {}", chain(&error));
                    break;
                }
            }
        }
        // Closed before anybody hears of it.
        drop(connection);
        ring();
    });
}
