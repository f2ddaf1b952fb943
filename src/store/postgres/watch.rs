//! Keeps a front-end's copy of the registry up to date: on a thread and a connection of its own, so
//! that neither uploads nor changes hold it up.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_postgres::Client;

use super::copy::MovedRecords;
use super::error::PostgresError;
use super::front_end::RegistryCore;
use super::migrate;
use super::records::{CHANNEL, snapshot};
use super::sensors::go_on_removing;
use crate::store::error::StoreError;

/// The pause after a failed look.
const RETRY_AFTER: Duration = Duration::from_millis(500);
/// PostgreSQL notices within half a minute that a front-end has vanished: then another one may
/// become the leader.
const SIGNS_OF_LIFE: &str =
    "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/// The watching thread. Dropping this ends it.
pub(crate) struct RegistryWatch {
    stop: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

impl RegistryWatch {
    /// Looks once, then repeatedly. Blocks until the first look is done.
    pub(crate) fn start(core: &Arc<RegistryCore>) -> Result<Self, StoreError> {
        let stop = Arc::new(Notify::new());
        let first = core.postgres.attend(core.look_with_new_connection())?;
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
            // Its panic is logged already.
            let _ = thread.join();
        }
    }
}

impl RegistryCore {
    async fn look_on(&self, first: Client) {
        let mut client = Some(first);
        let mut pause = self.pace.look_every;
        loop {
            // Wakes up for a notification, or after the pause.
            let _ = timeout(pause, self.wake.notified()).await;
            let looked = match client.take() {
                Some(client) => self.look(client).await,
                None => self.look_with_new_connection().await,
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
                        log::warn!("cannot update the registry from PostgreSQL, retrying: {error}");
                    }
                    pause = RETRY_AFTER.min(self.pace.look_every / 2);
                    self.leadership.lose();
                    self.held.forget_versions();
                    None
                }
            };
        }
    }

    /// Looks with a new connection.
    async fn look_with_new_connection(&self) -> Result<Client, StoreError> {
        let client = self.postgres.listen(Arc::clone(&self.wake)).await?;
        let listen = format!("{SIGNS_OF_LIFE}; listen {CHANNEL}");
        let listening = client.batch_execute(&listen);
        self.in_time(async { Ok(listening.await?) }).await?;
        self.look(client).await
    }

    /// Brings the copy up to date. Returns the connection unless it failed.
    async fn look(&self, mut client: Client) -> Result<Client, StoreError> {
        let asked = Instant::now();
        let (known, edition) = self.held.copy();
        let moved = self
            .in_time(async {
                let transaction = snapshot(&mut client).await?;
                let moved = MovedRecords::since(&known.versions, &transaction).await?;
                transaction.commit().await?;
                self.postgres.check_fit(&client).await?;
                migrate::check_known(&client).await?;
                self.postgres.end_silence(&client).await?;
                Ok(moved)
            })
            .await?;
        let copy = self.learn(&known, &moved)?;
        // Not before: who cannot read the registry cannot lead.
        if self.seeks_leadership {
            self.in_time(self.leadership.seek(&client, asked)).await?;
        }
        let is_removing = !copy.removed.is_empty();
        self.held.publish(copy, edition, asked);
        if is_removing && self.leads() {
            self.removals.notify_one();
        }
        Ok(client)
    }

    /// Finishes removals that other front-ends, or an earlier run of this one, left unfinished.
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
                                "the sensor {id} is removed, but its readings are not deleted yet: {error}"
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
