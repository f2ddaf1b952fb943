//! Which of the front-ends does what only one may do, such as taking the messages of a broker: the one whose listening
//! connection holds a lock of PostgreSQL. It is lost with the connection.

use std::sync::RwLock;
use std::time::{Duration, Instant};

use tokio_postgres::Client;
use tokio_postgres::types::Type;

use super::error::PostgresError;
use crate::locks::{read, write};

/// With the number of a table, names the lock: there may be several wattkeepers in a database, in schemas of their own. The number
/// is any.
const LOCK: i32 = 0x7761_7474;

/// Whether this front-end leads: when it last knew that it did.
#[derive(Default)]
pub(crate) struct Leadership(RwLock<Option<Instant>>);

impl Leadership {
    /// Keeps the lead, after a sign of life of the connection that came after `asked`, or takes it if nobody has it.
    pub(crate) async fn seek(&self, client: &Client, asked: Instant) -> Result<(), PostgresError> {
        let has_lock = read(&self.0).is_some() || {
            let take = "select pg_try_advisory_lock($1, 'registry_versions'::regclass::oid::int)";
            let row = client.query_typed_one(take, &[(&LOCK, Type::INT4)]).await?;
            let is_taken: bool = row.try_get(0)?;
            if is_taken {
                log::info!("this front-end leads now: it does what only one of them may do");
            }
            is_taken
        };
        *write(&self.0) = has_lock.then_some(asked);
        Ok(())
    }

    /// The connection is lost.
    pub(crate) fn lose(&self) {
        if write(&self.0).take().is_some() {
            log::warn!("this front-end leads no longer");
        }
    }

    /// Whether it leads, and knew so within `age`: PostgreSQL gives the lock to nobody else before it misses signs of life for
    /// longer.
    pub(crate) fn leads(&self, age: Duration) -> bool {
        read(&self.0).is_some_and(|known| known.elapsed() <= age)
    }
}
