//! An engine in use.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::connect::Connector;
use super::error::EngineError;
use super::migrate;
use super::pool::{Lent, Pool};
use super::runtime::EngineRuntime;
use super::settings::EngineSettings;
use crate::store::error::StoreError;

/// How long a call may wait for the engine: a little longer than the engine lets a statement run.
const ANSWER_WITHIN: Duration = Duration::from_secs(35);

/// An engine that is fit to keep readings, with connections to it.
///
/// A call that fails with [`StoreError::NotForNow`] may be made again: the engine is tried anew by then. Any other error lasts
/// until somebody does what it says.
pub struct Engine {
    pool: Pool,
    // Connections end before the thread that they live on.
    runtime: EngineRuntime,
}

impl Engine {
    /// Connects, checks that the engine is fit, and brings its tables up to date. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Engine`] if the engine is not fit, with what to do; [`StoreError::NotForNow`] if it is busy.
    pub fn open(settings: EngineSettings) -> Result<Self, StoreError> {
        let runtime = EngineRuntime::start()?;
        let most = settings.connections;
        let connector = Arc::new(Connector::new(settings));
        let first = runtime.wait(async {
            let connecting = Arc::clone(&connector);
            let mut client = runtime
                .run(async move { connecting.connect().await })
                .await?;
            migrate::run(&mut client).await?;
            Ok::<_, EngineError>(client)
        })?;
        let pool = Pool::new(connector, most, first);
        Ok(Self { pool, runtime })
    }

    /// Whether the engine answers. Blocks; not for threads that run futures.
    ///
    /// # Errors
    /// [`StoreError::NotForNow`] if it does not.
    pub fn check(&self) -> Result<(), StoreError> {
        self.wait(async {
            let client = self.lend().await?;
            client.simple_query("").await?;
            client.give_back();
            Ok(())
        })
    }

    /// Waits for an answer on the calling thread, for a while. Not for threads that run futures.
    pub(crate) fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, StoreError> {
        Ok(self.runtime.wait(within(answer))?)
    }

    /// A connection of the pool.
    pub(crate) async fn lend(&self) -> Result<Lent, EngineError> {
        self.pool.lend(&self.runtime).await
    }
}

/// An answer that comes in time. Without it the connection is of no use: whoever holds it drops it.
async fn within<T>(answer: impl Future<Output = Result<T, EngineError>>) -> Result<T, EngineError> {
    timeout(ANSWER_WITHIN, answer)
        .await
        .unwrap_or_else(|_| Err(EngineError::silent(ANSWER_WITHIN)))
}
