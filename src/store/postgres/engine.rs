//! An engine in use.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::{Client, Row};

use super::connect::Connector;
use super::error::EngineError;
use super::migrate::{self, EnginePurpose};
use super::pool::{Lent, Pool, Value};
use super::runtime::EngineRuntime;
use super::settings::EngineSettings;
use crate::store::error::StoreError;

/// How long a call may wait for the engine: a little longer than the engine lets a statement run.
const ANSWER_WITHIN: Duration = Duration::from_secs(35);
/// Changes nothing, but has to be committed.
const PROBE: &str = "update wattkeeper_schema set version = version";

/// An engine that is fit to keep readings, with connections to it.
///
/// A call that fails with [`StoreError::NotForNow`] may be made again: the engine is tried anew by then. Any other error lasts
/// until somebody does what it says.
pub(crate) struct Engine {
    connector: Arc<Connector>,
    pool: Pool,
    /// Whether a call got no answer, and no commit since then was answered.
    is_silent: AtomicBool,
    // Connections end before the thread that they live on.
    runtime: EngineRuntime,
}

impl Engine {
    /// Connects, checks that the engine is fit, and that its database is for `purpose`, and brings its tables up to date. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Engine`] if the engine is not fit, with what to do; [`StoreError::NotForNow`] if it is busy.
    pub(crate) fn open(
        settings: EngineSettings,
        purpose: EnginePurpose,
    ) -> Result<Self, StoreError> {
        let runtime = EngineRuntime::start()?;
        let most = settings.connections;
        let connector = Arc::new(Connector::new(settings));
        let first = runtime.wait(async {
            let connecting = Arc::clone(&connector);
            let mut client = runtime
                .run(async move { connecting.connect().await })
                .await?;
            migrate::run(&mut client, purpose).await?;
            Ok::<_, EngineError>(client)
        })?;
        let pool = Pool::new(Arc::clone(&connector), most, first);
        Ok(Self {
            connector,
            pool,
            is_silent: AtomicBool::new(false),
            runtime,
        })
    }

    /// Waits until the engine answers, as a sign of life.
    pub(crate) async fn check(&self) -> Result<(), EngineError> {
        let answer = async {
            let client = self.lend().await?;
            client.simple_query("").await?;
            client.give_back();
            Ok(())
        };
        self.within(answer).await
    }

    /// Waits for an answer on the calling thread, for a while. Not for threads that run futures.
    pub(crate) fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, StoreError> {
        Ok(self.runtime.wait(self.within(answer))?)
    }

    /// The rows of one statement, which is a transaction of its own.
    pub(crate) async fn query(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, EngineError> {
        let answer = async {
            let client = self.lend().await?;
            let rows = client.ask(statement, values).await?;
            client.give_back();
            Ok(rows)
        };
        self.within(answer).await
    }

    /// Waits on the calling thread until `work` is done, however long that takes.
    pub(crate) fn attend<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.wait(work)
    }

    /// A connection beside those of the pool. `bell` rings for each notification of the engine, and when the connection ends.
    pub(crate) async fn listen(&self, bell: Arc<Notify>) -> Result<Client, EngineError> {
        let connector = Arc::clone(&self.connector);
        let connecting = async move { connector.connect_to_listen(bell).await };
        self.runtime.run(connecting).await
    }

    /// Checks on a connection that its server still keeps what it is given: its settings may have changed.
    pub(crate) async fn check_fit(&self, line: &Client) -> Result<(), EngineError> {
        let checked = self.connector.check(line).await;
        checked.map_err(EngineError::for_now)
    }

    /// Why no change should be asked for now, if so: the last one got no answer.
    pub(crate) fn silence(&self) -> Option<EngineError> {
        let is_silent = self.is_silent.load(Ordering::Relaxed);
        is_silent.then(|| EngineError::silent(ANSWER_WITHIN))
    }

    /// Ends a silence if a commit on this connection is answered.
    pub(crate) async fn end_silence(&self, line: &Client) -> Result<(), EngineError> {
        if self.silence().is_some() {
            line.batch_execute(PROBE).await?;
            self.is_silent.store(false, Ordering::Relaxed);
            log::info!("the engine commits again");
        }
        Ok(())
    }

    /// Whether Citus spreads the readings over several servers, as of the last connection.
    pub(crate) fn is_spread(&self) -> bool {
        self.connector.is_spread()
    }

    /// A connection of the pool.
    pub(crate) async fn lend(&self) -> Result<Lent, EngineError> {
        self.pool.lend(&self.runtime).await
    }

    /// An answer that comes in time. Without it the connection is of no use: whoever holds it drops it.
    pub(crate) async fn within<T>(
        &self,
        answer: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        timeout(ANSWER_WITHIN, answer).await.unwrap_or_else(|_| {
            self.is_silent.store(true, Ordering::Relaxed);
            let error = EngineError::silent(ANSWER_WITHIN);
            // Whoever calls tells a client to come back later, and nobody else.
            log::warn!("{error}");
            Err(error)
        })
    }
}
