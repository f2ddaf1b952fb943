//! Connecting to PostgreSQL: to the server that was promoted last.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};

use super::checks;
use super::error::{PostgresError, chain};
use super::guard::{Guarded, Unfit};
use super::refusal::PostgresRefusal;
use super::settings::PostgresSettings;
use super::tls::{PostgresTrust, Unencrypted};
use super::url::{PostgresHost, PostgresTls};
use crate::locks::lock;

/// The time that a server has to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How long to wait for the other servers once a primary has answered.
const OTHERS_WITHIN: Duration = Duration::from_secs(1);
/// How often to ask all servers although the current one is fit: another one may have been
/// promoted.
const ASK_ALL_EVERY: Duration = Duration::from_secs(15);
/// How long a connection may stay open without a sign of life from the other machine.
const ALIVE_WITHIN: Duration = Duration::from_secs(15);
/// Limits that PostgreSQL itself enforces, for the case that a front-end is gone or paused: for a
/// statement, for the wait for a lock, and for an idle transaction, which may hold locks that
/// others wait for.
const LIMITS: &str =
    "-c statement_timeout=30s -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s";

/// Makes connections.
pub(crate) struct Connector {
    settings: PostgresSettings,
    is_spread: AtomicBool,
    /// The newest timeline of any server that answered since the start; 0 if none has one.
    newest: AtomicU32,
    /// When to ask all servers next.
    ask_all_at: Mutex<Instant>,
}

/// Notifies the listener of a connection, once there is one.
type ConnectionListener = Arc<OnceLock<Arc<Notify>>>;

/// A server that accepted a connection.
struct Met {
    client: Client,
    listener: ConnectionListener,
    /// 0 if it has none.
    timeline: u32,
    is_primary: bool,
}

impl Connector {
    pub(crate) fn new(settings: PostgresSettings) -> Self {
        Self {
            settings,
            is_spread: AtomicBool::new(false),
            newest: AtomicU32::new(0),
            ask_all_at: Mutex::new(Instant::now()),
        }
    }

    /// The minimum timeline of connections that may be used again. Each promotion begins a new
    /// timeline.
    pub(crate) fn newest_timeline(&self) -> u32 {
        self.newest.load(Ordering::Relaxed)
    }

    /// Whether Citus distributes readings over several servers, as of the last check.
    pub(crate) fn is_spread(&self) -> bool {
        self.is_spread.load(Ordering::Relaxed)
    }

    /// Connects to the server that was promoted last, if it is fit. The connection lives on the
    /// runtime that calls this.
    pub(crate) async fn connect(&self) -> Result<Client, PostgresError> {
        self.connect_with(None).await
    }

    /// As [`Self::connect`]. Notifies `wake` for each notification from PostgreSQL, and when the
    /// connection ends.
    pub(crate) async fn connect_to_listen(
        &self,
        wake: Arc<Notify>,
    ) -> Result<Client, PostgresError> {
        self.connect_with(Some(wake)).await
    }

    async fn connect_with(&self, wake: Option<Arc<Notify>>) -> Result<Client, PostgresError> {
        let (mut met, mut worst) = self.meet_all().await;
        // If several have the newest timeline, the first one.
        met.sort_by_key(|it| std::cmp::Reverse(it.timeline));
        for Met {
            client, listener, ..
        } in met
        {
            let checked = timeout(CONNECT_WITHIN, self.check(&client)).await;
            let silent = || Err(PostgresError::silent(CONNECT_WITHIN));
            match checked.unwrap_or_else(|_| silent()) {
                Ok(()) => {
                    if let Some(wake) = wake {
                        // This is the only place that sets it.
                        let _ = listener.set(wake);
                    }
                    return Ok(client);
                }
                Err(error) => keep_worst(&mut worst, error),
            }
        }
        // An address has at least one server.
        Err(worst.unwrap_or_else(|| PostgresError::Away("PostgreSQL has no server".into())))
    }

    /// Signs in to all servers at once. A server that was the primary before a promotion looks fit
    /// by itself: only the timeline of another server reveals it. Once a primary has answered, slow
    /// servers are not waited for.
    async fn meet_all(&self) -> (Vec<Met>, Option<PostgresError>) {
        *lock(&self.ask_all_at) = Instant::now() + ASK_ALL_EVERY;
        let hosts = self.settings.url.hosts().iter().enumerate();
        let meeting = hosts.map(|(place, host)| async move { (place, self.meet(host).await) });
        let mut meeting: FuturesUnordered<_> = meeting.collect();
        let mut until = Instant::now() + 2 * CONNECT_WITHIN;
        let (mut met, mut worst) = (Vec::new(), None);
        while let Ok(Some((place, one))) = timeout_at(until, meeting.next()).await {
            match one {
                Ok(one) => {
                    self.newest.fetch_max(one.timeline, Ordering::Relaxed);
                    if one.is_primary {
                        until = until.min(Instant::now() + OTHERS_WITHIN);
                    }
                    met.push((place, one));
                }
                Err(error) => keep_worst(&mut worst, error),
            }
        }
        met.sort_by_key(|(place, _)| *place);
        (met.into_iter().map(|(_, one)| one).collect(), worst)
    }

    async fn meet(&self, host: &PostgresHost) -> Result<Met, PostgresError> {
        let work = async {
            let listener = ConnectionListener::default();
            let client = self.sign_in(host, &listener).await?;
            let (timeline, is_primary) = checks::place_of(&client).await?;
            Ok(Met {
                client,
                listener,
                timeline,
                is_primary,
            })
        };
        timeout(CONNECT_WITHIN, work).await.unwrap_or_else(|_| {
            let cause = format!("no answer within {} s", CONNECT_WITHIN.as_secs());
            Err(unreachable(host, cause))
        })
    }

    /// Checks the server at the other end of a connection. Asks the other servers, too, if the last
    /// time was long ago.
    pub(crate) async fn check(&self, client: &Client) -> Result<(), PostgresError> {
        let has_others = self.settings.url.hosts().len() > 1;
        if has_others && *lock(&self.ask_all_at) <= Instant::now() {
            drop(self.meet_all().await);
        }
        let (timeline, is_primary) = checks::place_of(client).await?;
        let newest = self.newest.fetch_max(timeline, Ordering::Relaxed);
        if is_primary && timeline < newest {
            return Err(PostgresRefusal::OldPrimary { timeline, newest }.into());
        }
        let is_spread = checks::of_server(client, self.settings.allow_async).await?;
        self.is_spread.store(is_spread, Ordering::Relaxed);
        Ok(())
    }

    async fn sign_in(
        &self,
        host: &PostgresHost,
        listener: &ConnectionListener,
    ) -> Result<Client, PostgresError> {
        let mut config = self.config(host)?;
        let failed = |error| self.failed(host, error);
        let listener = Arc::clone(listener);
        let allows_clear_text = self.settings.allow_clear_text_password;
        match (self.settings.url.tls(), host) {
            (PostgresTls::Off, PostgresHost::Tcp { .. }) => {
                let unencrypted = Unencrypted { allows_clear_text };
                // No negotiation before: the connection is used as it is.
                config.ssl_negotiation(SslNegotiation::Direct);
                let (client, connection) = config.connect(unencrypted).await.map_err(failed)?;
                follow(connection, listener);
                Ok(client)
            }
            (PostgresTls::Off, PostgresHost::Socket { folder, port }) => {
                config.ssl_mode(SslMode::Disable);
                let path = folder.join(format!(".s.PGSQL.{port}"));
                let stream = UnixStream::connect(path).await;
                let stream = stream.map_err(|error| unreachable(host, error.to_string()))?;
                let stream = Guarded::new(stream, allows_clear_text);
                let connected = config.connect_raw(stream, NoTls).await;
                let (client, connection) = connected.map_err(failed)?;
                follow(connection, listener);
                Ok(client)
            }
            (PostgresTls::Verified { ca_file }, _) => {
                // Certificates are read for each connection, so new ones need no restart.
                let trust = PostgresTrust::new(ca_file.as_deref())?;
                let (client, connection) = config.connect(trust).await.map_err(failed)?;
                follow(connection, listener);
                Ok(client)
            }
        }
    }

    fn config(&self, host: &PostgresHost) -> Result<Config, PostgresError> {
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
            .ssl_mode(SslMode::Require);
        match host {
            PostgresHost::Tcp { name, port } => config.host(name).port(*port),
            PostgresHost::Socket { folder, port } => config.host_path(folder).port(*port),
        };
        let password = self.settings.password()?;
        if password.is_set() {
            config.password(password.reveal());
        }
        Ok(config)
    }

    /// Turns a failure to sign in into a refusal.
    fn failed(&self, host: &PostgresHost, error: tokio_postgres::Error) -> PostgresError {
        let url = &self.settings.url;
        let user = url.user().to_owned();
        let refusal = match error.code() {
            Some(&SqlState::INVALID_PASSWORD) => PostgresRefusal::WrongPassword { user },
            Some(&SqlState::INVALID_CATALOG_NAME) => {
                PostgresRefusal::NoDatabase(url.database().to_owned())
            }
            // Not allowed on this server from here, or not in this database.
            Some(
                &SqlState::INVALID_AUTHORIZATION_SPECIFICATION | &SqlState::INSUFFICIENT_PRIVILEGE,
            ) => PostgresRefusal::NotLetIn {
                user,
                cause: said(&error),
            },
            Some(_) => return error.into(),
            // The library distinguishes these by its texts alone.
            None => match error.to_string() {
                text if text.starts_with("invalid configuration") => {
                    PostgresRefusal::PasswordMissing { user }
                }
                _ if unfit(&error) == Some(&Unfit::ClearText) => {
                    PostgresRefusal::ClearText { user }
                }
                text if text.contains("TLS") => PostgresRefusal::Tls(chain(&error)),
                _ => return unreachable(host, cause_of(&error)),
            },
        };
        refusal.into()
    }
}

fn is_warning(notice: &DbError) -> bool {
    notice.parsed_severity() == Some(Severity::Warning)
}

/// Which error to report when all servers fail: a misconfigured server goes before an old primary,
/// that before an unreachable server, and that before a replica.
const fn weight(error: &PostgresError) -> u8 {
    match error {
        PostgresError::Refused(PostgresRefusal::Replica) => 0,
        PostgresError::Refused(PostgresRefusal::Unreachable { .. }) => 1,
        PostgresError::Refused(PostgresRefusal::OldPrimary { .. }) => 2,
        _ => 3,
    }
}

fn keep_worst(worst: &mut Option<PostgresError>, error: PostgresError) {
    let is_worse = |known| weight(&error) > weight(known);
    if worst.as_ref().is_none_or(is_worse) {
        *worst = Some(error);
    }
}

fn unreachable(host: &PostgresHost, cause: String) -> PostgresError {
    let at = host.to_string();
    PostgresRefusal::Unreachable { at, cause }.into()
}

/// PostgreSQL's message, without details.
fn said(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(String::new, |said| said.message().to_owned())
}

/// Why the guard refuses the other end.
fn unfit(error: &tokio_postgres::Error) -> Option<&Unfit> {
    let error = error.source()?.downcast_ref::<io::Error>()?;
    error.get_ref()?.downcast_ref()
}

/// The system's message, without the library's words before it.
fn cause_of(error: &tokio_postgres::Error) -> String {
    match error.source().filter(|source| source.is::<io::Error>()) {
        Some(source) => chain(source),
        None => chain(error),
    }
}

/// Serves a connection until its client is dropped, or PostgreSQL warns. PostgreSQL warns if
/// somebody cancels its wait for the second server, and then reports the commit as done. Notifies
/// the listener, if there is one by then, for each notification and at the end.
fn follow<S, T>(mut connection: Connection<S, T>, listener: ConnectionListener)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    Handle::current().spawn(async move {
        let notify = || {
            listener
                .get()
                .into_iter()
                .for_each(|wake| wake.notify_one());
        };
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notification(_)) => notify(),
                Ok(AsyncMessage::Notice(notice)) if is_warning(&notice) => {
                    log::warn!(
                        "PostgreSQL warned about a commit, which therefore does not count: {}",
                        notice.message()
                    );
                    break;
                }
                Ok(_) => {}
                // Callers that wait for an answer get the error, too.
                Err(error) => {
                    log::debug!("a connection to PostgreSQL ended: {}", chain(&error));
                    break;
                }
            }
        }
        // Closed before the listener is notified.
        drop(connection);
        notify();
    });
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Connects to a server that answers like this, with the password `hunter2`. Returns the error,
    /// the number of bytes the server sent, and the bytes it received.
    async fn meet(
        answer: &[u8],
        times: usize,
        allow_clear_text_password: bool,
    ) -> (PostgresError, usize, Vec<u8>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at: SocketAddr = listener.local_addr().unwrap();
        let url = format!("postgres://w:hunter2@{at}/e?sslmode=disable");
        let connector = Connector::new(PostgresSettings {
            url: url.parse().unwrap(),
            password_file: None,
            allow_async: true,
            allow_clear_text_password,
            connections: 1,
        });
        let other = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut came = vec![0; 4_096];
            let length = stream.read(&mut came).await.unwrap();
            came.truncate(length);
            let mut sent = 0;
            for _ in 0..times {
                if stream.write_all(answer).await.is_err() {
                    break;
                }
                sent += answer.len();
            }
            // Until the other end closes.
            let _ = stream.read_to_end(&mut came).await;
            (sent, came)
        };
        let (connected, (sent, came)) = tokio::join!(connector.connect(), other);
        (connected.err().unwrap(), sent, came)
    }

    fn has_password(came: &[u8]) -> bool {
        came.windows(7).any(|part| part == b"hunter2")
    }

    #[tokio::test]
    async fn the_password_goes_out_in_clear_text_only_if_that_is_allowed() {
        let asks = b"R\0\0\0\x08\0\0\0\x03";
        let (error, _, came) = meet(asks, 1, false).await;
        let is_refused = matches!(
            error,
            PostgresError::Refused(PostgresRefusal::ClearText { .. })
        );
        assert!(is_refused && !has_password(&came), "{error}");
        // The server receives the password, and answers with an error.
        let closes = [&asks[..], b"E\0\0\0\x14SFATAL\0C28P01\0\0"].concat();
        let (error, _, came) = meet(&closes, 1, true).await;
        assert!(has_password(&came), "{error}");
    }

    #[tokio::test]
    async fn a_false_server_is_not_listened_to_for_long() {
        let ready = &b"R\0\0\0\x08\0\0\0\0"[..];
        let notice = b"N\0\0\0\x17SNOTICE\0C00000\0Mhi\0\0".repeat(500);
        let parameter = b"S\0\0\0\x08a\0b\0".repeat(500);
        for (answer, times) in [
            ([ready, &notice].concat(), 100_000),
            ([ready, &parameter].concat(), 100_000),
            (
                [b"N\x7f\xff\xff\xf0", &vec![b'x'; 65_536][..]].concat(),
                100_000,
            ),
        ] {
            let (error, sent, _) = meet(&answer, times, false).await;
            // The system's buffers count, too.
            assert!(sent < 16 << 20, "{sent}: {error}");
            assert!(error.to_string().contains("it sends"), "{error}");
        }
    }
}
