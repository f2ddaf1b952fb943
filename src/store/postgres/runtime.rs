//! The thread of the connections. Callers do the rest of the work on threads of their own.

use std::future::Future;
use std::thread::{self, JoinHandle};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::error::PostgresError;

/// A thread that moves bytes between connections and the kernel, until this is dropped.
pub(crate) struct PostgresRuntime {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PostgresRuntime {
    pub(crate) fn start() -> Result<Self, PostgresError> {
        let failed =
            |error| PostgresError::Failed(format!("starting the thread for PostgreSQL: {error}"));
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::Builder::new()
            .name("postgres".into())
            .spawn(move || {
                // An error means the same: the sender is gone.
                let _ = runtime.block_on(stopped);
            })
            .map_err(failed)?;
        Ok(Self {
            handle,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Waits on the calling thread, which must not run other futures.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Runs on the thread of the connections. The caller awaits the result on its own thread.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T, PostgresError>> + Send + 'static,
    ) -> Result<T, PostgresError> {
        let done = self.handle.spawn(future).await;
        done.unwrap_or_else(|error| Err(PostgresError::Away(format!("the call ended: {error}"))))
    }
}

impl Drop for PostgresRuntime {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            // It does not panic, and there is nobody to report to.
            let _ = thread.join();
        }
    }
}
