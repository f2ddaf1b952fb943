//! Elects the leader: the front-end that does the jobs of only one, such as receiving messages from
//! a broker. The leader is the front-end whose listening connection holds an advisory lock in
//! PostgreSQL. It loses the lock with the connection.

use std::sync::RwLock;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::error::PostgresError;
use crate::locks::{read, write};

/// Names the lock, together with the number of a table: one database may hold several wattkeepers,
/// each in a schema of its own. An arbitrary number.
const LOCK: i32 = 0x7761_7474;

/// Whether this front-end is the leader: when it last knew that it was.
#[derive(Default)]
pub(crate) struct Leadership(RwLock<Option<Instant>>);

impl Leadership {
    /// Stays the leader, after a sign of life from the connection later than `asked`, or becomes
    /// the leader if there is none.
    pub(crate) async fn seek(&self, client: &Client, asked: Instant) -> Result<(), PostgresError> {
        let has_lock = read(&self.0).is_some() || {
            let take = "select pg_try_advisory_lock($1, 'registry_versions'::regclass::oid::int)";
            let row = client.query_typed_one(take, &[(&LOCK, Type::INT4)]).await?;
            let is_taken: bool = row.try_get(0)?;
            if is_taken {
                log::info!("this front-end is the leader now");
            }
            is_taken
        };
        *write(&self.0) = has_lock.then_some(asked);
        Ok(())
    }

    /// The connection is lost.
    pub(crate) fn lose(&self) {
        if write(&self.0).take().is_some() {
            log::warn!("no longer the leader");
        }
    }

    /// Whether this front-end is the leader, and knew so within `age`: PostgreSQL misses signs of
    /// life for longer than that before it gives the lock to another front-end.
    pub(crate) fn leads(&self, age: Duration) -> bool {
        read(&self.0).is_some_and(|known| known.elapsed() <= age)
    }
}
