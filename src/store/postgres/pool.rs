//! A pool of connections. Each has one user at a time, keeps its prepared statements, and is used
//! again. The listening connection, outside of the pool, also keeps a lock. So there must be no
//! pooler in front of PostgreSQL that shares connections between transactions, such as pgbouncer.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::try_join_all;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, Statement};

use super::connect::Connector;
use super::error::PostgresError;
use super::runtime::PostgresRuntime;
use crate::locks::lock;

/// A value of a statement, and its type: with the type, PostgreSQL need not be asked for it first.
pub(crate) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

/// How long a caller waits for a connection.
const FREE_WITHIN: Duration = Duration::from_secs(10);
/// The pause after a failed attempt to connect: this long at first, then longer and longer.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The connections to PostgreSQL.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    turns: Arc<Semaphore>,
    most: usize,
    idle: Arc<Mutex<Vec<OpenConnection>>>,
    outage: Mutex<Option<PostgresOutage>>,
}

/// A connection, and its prepared statements by their text.
struct OpenConnection {
    client: Client,
    /// The newest timeline that was known when the connection was made. The connection is useless
    /// once there is a newer one.
    timeline: u32,
    prepared: Mutex<HashMap<String, Statement>>,
}

impl OpenConnection {
    fn new(client: Client, connector: &Connector) -> Self {
        Self {
            client,
            timeline: connector.newest_timeline(),
            prepared: Mutex::default(),
        }
    }

    fn is_usable(&self, connector: &Connector) -> bool {
        !self.client.is_closed() && self.timeline >= connector.newest_timeline()
    }
}

/// PostgreSQL cannot be reached.
struct PostgresOutage {
    why: PostgresError,
    pause: Duration,
    until: Instant,
}

/// A connection for one caller. [`Self::give_back`] returns it to the pool. One that is dropped
/// instead, as after an error or in the middle of an answer, is closed, and PostgreSQL rolls back
/// its uncommitted changes.
pub(crate) struct PooledConnection {
    open: OpenConnection,
    idle: Arc<Mutex<Vec<OpenConnection>>>,
    // Dropped after the client is back in its place.
    _turn: OwnedSemaphorePermit,
}

impl Pool {
    /// Creates a pool of up to `most` connections, with the first one.
    pub(crate) fn new(connector: Arc<Connector>, most: usize, first: Client) -> Self {
        let most = most.max(1);
        let first = OpenConnection::new(first, &connector);
        Self {
            connector,
            turns: Arc::new(Semaphore::new(most)),
            most,
            idle: Arc::new(Mutex::new(vec![first])),
            outage: Mutex::new(None),
        }
    }

    /// Takes a connection. Waits for a while if all are in use.
    pub(crate) async fn connection(
        &self,
        runtime: &PostgresRuntime,
    ) -> Result<PooledConnection, PostgresError> {
        let turn = timeout(FREE_WITHIN, Arc::clone(&self.turns).acquire_owned()).await;
        // The semaphore is never closed.
        let Ok(Ok(turn)) = turn else {
            return Err(PostgresError::Away(format!(
                "all {} connections to PostgreSQL are in use: raise store.engine_connections",
                self.most
            )));
        };
        let idle = Arc::clone(&self.idle);
        // Drops closed connections, and those to the primary before a promotion.
        while let Some(open) = lock(&self.idle).pop() {
            if open.is_usable(&self.connector) {
                return Ok(PooledConnection {
                    open,
                    idle,
                    _turn: turn,
                });
            }
        }
        if let Some(why) = self.pausing() {
            return Err(why);
        }
        let connector = Arc::clone(&self.connector);
        let made = runtime.run(async move { connector.connect().await }).await;
        let client = made.map_err(|error| self.failed(error.for_now()))?;
        if lock(&self.outage).take().is_some() {
            log::info!("PostgreSQL is reachable again");
        }
        Ok(PooledConnection {
            open: OpenConnection::new(client, &self.connector),
            idle,
            _turn: turn,
        })
    }

    /// Why no attempt is made now; `None` outside of a pause.
    fn pausing(&self) -> Option<PostgresError> {
        let outage = lock(&self.outage);
        let outage = outage.as_ref().filter(|it| Instant::now() < it.until);
        outage.map(|it| it.why.clone())
    }

    fn failed(&self, why: PostgresError) -> PostgresError {
        let mut outage = lock(&self.outage);
        // A new reason is worth logging: a server was promoted, and lacks a standby, say.
        if outage.as_ref().map(|known| known.why.to_string()) != Some(why.to_string()) {
            log::warn!("cannot reach PostgreSQL, retrying: {why}");
        }
        let pause = match outage.as_ref() {
            // Several attempts at the same time count as one.
            Some(known) if Instant::now() < known.until => known.pause,
            Some(known) => (known.pause * 2).min(LONGEST_PAUSE),
            None => FIRST_PAUSE,
        };
        *outage = Some(PostgresOutage {
            why: why.clone(),
            pause,
            until: Instant::now() + pause,
        });
        why
    }
}

impl PooledConnection {
    /// Returns the connection to the pool. By then all its requests must be answered, or their
    /// answers must be irrelevant, and each transaction must have ended.
    pub(crate) fn give_back(self) {
        let Self {
            open,
            idle,
            _turn: turn,
        } = self;
        lock(&idle).push(open);
        drop(turn);
    }

    /// Runs a statement and returns its rows. PostgreSQL parses each text once for each connection:
    /// there must be few texts.
    pub(crate) async fn ask(
        &self,
        text: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        let statement = self.prepare(text, values).await?;
        let values: Vec<_> = values.iter().map(|(value, _)| *value).collect();
        self.open.client.query(&statement, &values).await
    }

    /// Runs several statements, which go in one message, and returns the rows of each.
    pub(crate) async fn ask_all(
        &self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Vec<Row>>, tokio_postgres::Error> {
        // Prepared before any of them is sent, so that they keep their order.
        self.prepare_all(statements).await?;
        let asked = statements.iter();
        try_join_all(asked.map(|(text, values)| self.ask(text, values))).await
    }

    /// Prepares statements that are unknown to PostgreSQL, before [`Self::ask_all`] sends them
    /// along with others.
    pub(crate) async fn prepare_all(
        &self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<(), tokio_postgres::Error> {
        for (text, values) in statements {
            self.prepare(text, values).await?;
        }
        Ok(())
    }

    async fn prepare(
        &self,
        text: &str,
        values: &[Value<'_>],
    ) -> Result<Statement, tokio_postgres::Error> {
        let known = lock(&self.open.prepared).get(text).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let types: Vec<Type> = values.iter().map(|(_, of)| of.clone()).collect();
        let made = self.open.client.prepare_typed(text, &types).await?;
        lock(&self.open.prepared).insert(text.to_owned(), made.clone());
        Ok(made)
    }
}

impl Deref for PooledConnection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.open.client
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.open.client
    }
}
