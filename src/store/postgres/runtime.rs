//! The thread that connections live on. Whoever calls does the rest of the work on a thread of its own.

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
                // An error tells the same: the other end is gone.
                let _ = runtime.block_on(stopped);
            })
            .map_err(failed)?;
        Ok(Self {
            handle,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Waits on the calling thread, which must not be one that runs other futures.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.handle.block_on(future)
    }

    /// Runs on the thread of the connections, and waits wherever the caller is.
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
            // It does not panic, and there is nobody to tell.
            let _ = thread.join();
        }
    }
}
