//! Keeps a front-end's copy of the registry up to date: on a thread and a connection of their own, so that neither uploads nor
//! changes hold it up.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::Client;

use super::copy::MovedRecords;
use super::error::PostgresError;
use super::front_end::RegistryCore;
use super::records::{CHANNEL, snapshot};
use super::sensors::go_on_removing;
use crate::store::error::StoreError;

/// How long after a failed look the next one comes.
const RETRY_AFTER: Duration = Duration::from_millis(500);
/// PostgreSQL notices within half a minute that a front-end is gone without a word: then another one may lead.
const SIGNS_OF_LIFE: &str =
    "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/// The thread that looks, until this is dropped.
pub(crate) struct RegistryWatch {
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl RegistryWatch {
    /// Looks once, and then again and again. Blocks until the first look is done.
    pub(crate) fn start(core: &Arc<RegistryCore>) -> Result<Self, StoreError> {
        let stop = Arc::new(Notify::new());
        let first = core.postgres.attend(core.look_anew())?;
        let (core, stopped) = (Arc::clone(core), Arc::clone(&stop));
        let work = move || {
            core.postgres.attend(async {
                tokio::select! {
                    () = stopped.notified() => {}
                    () = core.look_on(first) => {}
                    () = core.finish_removals() => {}
                }
            });
        };
        let thread = thread::Builder::new()
            .name("registry".into())
            .spawn(work)
            .map_err(|error| StoreError::io("starting the thread for the registry", &error))?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for RegistryWatch {
    fn drop(&mut self) {
        self.stop.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of it was told already.
            let _ = thread.join();
        }
    }
}

impl RegistryCore {
    async fn look_on(&self, first: Client) {
        let mut client = Some(first);
        let mut pause = self.pace.look_every;
        loop {
            // Whether the wake rings or not.
            let _ = timeout(pause, self.wake.notified()).await;
            let looked = match client.take() {
                Some(client) => self.look(client).await,
                None => self.look_anew().await,
            };
            client = match looked {
                Ok(client) => {
                    if pause != self.pace.look_every {
                        log::info!("the registry is up to date again");
                    }
                    pause = self.pace.look_every;
                    Some(client)
                }
                Err(error) => {
                    if pause == self.pace.look_every {
                        log::warn!("the registry is not kept up to date: {error}");
                    }
                    pause = RETRY_AFTER.min(self.pace.look_every / 2);
                    self.leadership.lose();
                    self.held.forget_versions();
                    None
                }
            };
        }
    }

    /// Looks by a new connection.
    async fn look_anew(&self) -> Result<Client, StoreError> {
        let client = self.postgres.listen(Arc::clone(&self.wake)).await?;
        let listen = format!("{SIGNS_OF_LIFE}; listen {CHANNEL}");
        let listening = client.batch_execute(&listen);
        self.in_time(async { Ok(listening.await?) }).await?;
        self.look(client).await
    }

    /// Brings the copy up to date. Returns the connection, unless it failed.
    async fn look(&self, mut client: Client) -> Result<Client, StoreError> {
        let asked = Instant::now();
        let (known, edition) = self.held.copy();
        let moved = self
            .in_time(async {
                let transaction = snapshot(&mut client).await?;
                let moved = MovedRecords::since(&known.versions, &transaction).await?;
                transaction.commit().await?;
                self.postgres.check_fit(&client).await?;
                self.postgres.end_silence(&client).await?;
                self.leadership.seek(&client, asked).await?;
                Ok(moved)
            })
            .await?;
        let copy = self.learn(&known, &moved)?;
        let is_removing = !copy.removed.is_empty();
        self.held.publish(copy, edition, asked);
        if is_removing && self.leads() {
            self.removals.notify_one();
        }
        Ok(client)
    }

    /// Finishes the removals that others, or this front-end before a start, did not.
    async fn finish_removals(&self) {
        loop {
            self.removals.notified().await;
            for id in self.held.copy().0.removed.iter() {
                loop {
                    match self.in_time(go_on_removing(&self.postgres, id)).await {
                        Ok(false) => {}
                        Ok(true) => break,
                        Err(error) => {
                            log::warn!(
                                "the sensor {id} is removed, and its readings are not deleted yet: {error}"
                            );
                            break;
                        }
                    }
                }
            }
        }
    }

    async fn in_time<T>(
        &self,
        answer: impl Future<Output = Result<T, PostgresError>>,
    ) -> Result<T, PostgresError> {
        let within = self.pace.stale_after;
        let silent = |_| Err(PostgresError::silent(within));
        timeout(within, answer).await.unwrap_or_else(silent)
    }
}
