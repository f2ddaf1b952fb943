//! The database in use.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::{Client, Row};

use super::connect::Connector;
use super::error::PostgresError;
use super::migrate::{self, PostgresPurpose};
use super::pool::{Pool, PooledConnection, Value};
use super::runtime::PostgresRuntime;
use super::settings::PostgresSettings;
use crate::store::error::StoreError;

/// How long a call may wait for PostgreSQL: a little longer than the statement timeout.
const ANSWER_WITHIN: Duration = Duration::from_secs(35);
/// A statement without effect that still has to be committed.
const PROBE: &str = "update wattkeeper_schema set version = version";

/// A PostgreSQL database that is fit to keep readings, with connections to it.
///
/// A call that fails with [`StoreError::NotForNow`] may be repeated: by then PostgreSQL is tried
/// again. Any other error lasts until somebody does what it says.
pub(crate) struct Postgres {
    connector: Arc<Connector>,
    pool: Pool,
    /// Whether a call got no answer, and no commit was answered since.
    is_silent: AtomicBool,
    // Dropped after the connections, which need its thread.
    runtime: PostgresRuntime,
}

impl Postgres {
    /// Connects, checks that the server is fit and that its database is for `purpose`, and migrates
    /// its tables. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Postgres`] if PostgreSQL is unfit, with what to do; [`StoreError::NotForNow`]
    /// if it is busy.
    pub(crate) fn open(
        settings: PostgresSettings,
        purpose: PostgresPurpose,
    ) -> Result<Self, StoreError> {
        let runtime = PostgresRuntime::start()?;
        let most = settings.connections;
        let connector = Arc::new(Connector::new(settings));
        let first = runtime.wait(async {
            let connecting = Arc::clone(&connector);
            let mut client = runtime
                .run(async move { connecting.connect().await })
                .await?;
            migrate::run(&mut client, purpose).await?;
            Ok::<_, PostgresError>(client)
        })?;
        let pool = Pool::new(Arc::clone(&connector), most, first);
        Ok(Self {
            connector,
            pool,
            is_silent: AtomicBool::new(false),
            runtime,
        })
    }

    /// Waits until PostgreSQL answers, as a sign of life.
    pub(crate) async fn check(&self) -> Result<(), PostgresError> {
        let answer = async {
            let client = self.connection().await?;
            client.simple_query("").await?;
            client.give_back();
            Ok(())
        };
        self.within(answer).await
    }

    /// Waits for an answer on the calling thread, with a deadline. Not for threads that run
    /// futures.
    pub(crate) fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, PostgresError>>,
    ) -> Result<T, StoreError> {
        Ok(self.runtime.wait(self.within(answer))?)
    }

    /// Returns the rows of one statement, which is a transaction of its own.
    pub(crate) async fn query(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, PostgresError> {
        let answer = async {
            let client = self.connection().await?;
            let rows = client.ask(statement, values).await?;
            client.give_back();
            Ok(rows)
        };
        self.within(answer).await
    }

    /// Waits on the calling thread until `work` is done, without a deadline.
    pub(crate) fn attend<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.wait(work)
    }

    /// Opens a connection besides those of the pool. It notifies `wake` for each notification from
    /// PostgreSQL, and when the connection ends.
    pub(crate) async fn listen(&self, wake: Arc<Notify>) -> Result<Client, PostgresError> {
        let connector = Arc::clone(&self.connector);
        let connecting = async move { connector.connect_to_listen(wake).await };
        self.runtime.run(connecting).await
    }

    /// Checks on a connection that its server is still fit: its settings may have changed.
    pub(crate) async fn check_fit(&self, client: &Client) -> Result<(), PostgresError> {
        let checked = self.connector.check(client).await;
        checked.map_err(PostgresError::for_now)
    }

    /// Why no change should be requested now: the last one got no answer. `None` if PostgreSQL
    /// answers.
    pub(crate) fn silence(&self) -> Option<PostgresError> {
        let is_silent = self.is_silent.load(Ordering::Relaxed);
        is_silent.then(|| PostgresError::silent(ANSWER_WITHIN))
    }

    /// Ends the silence if a commit on this connection is answered.
    pub(crate) async fn end_silence(&self, client: &Client) -> Result<(), PostgresError> {
        if self.silence().is_some() {
            client.batch_execute(PROBE).await?;
            self.is_silent.store(false, Ordering::Relaxed);
            log::info!("PostgreSQL commits again");
        }
        Ok(())
    }

    /// Whether Citus distributes the readings over several servers, as of the last connection.
    pub(crate) fn is_spread(&self) -> bool {
        self.connector.is_spread()
    }

    /// Takes a connection from the pool.
    pub(crate) async fn connection(&self) -> Result<PooledConnection, PostgresError> {
        self.pool.connection(&self.runtime).await
    }

    /// Waits for an answer until the deadline. After that the connection is useless: the caller
    /// drops it.
    pub(crate) async fn within<T>(
        &self,
        answer: impl Future<Output = Result<T, PostgresError>>,
    ) -> Result<T, PostgresError> {
        timeout(ANSWER_WITHIN, answer).await.unwrap_or_else(|_| {
            self.is_silent.store(true, Ordering::Relaxed);
            let error = PostgresError::silent(ANSWER_WITHIN);
            // Logged here because the caller only tells its client to retry.
            log::warn!("{error}");
            Err(error)
        })
    }
}
