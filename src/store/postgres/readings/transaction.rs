//! A transaction on a connection of its own.

use std::cell::Cell;

use futures_util::FutureExt as _;
use futures_util::future::try_join;
use tokio_postgres::Row;

use crate::store::error::StoreError;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::error::PostgresError;
use crate::store::postgres::pool::{PooledConnection, Value};

/// A transaction under way. Dropping it rolls back the uncommitted changes, without waiting for
/// that. All calls block.
pub(crate) struct PostgresTransaction<'a> {
    postgres: &'a Postgres,
    /// `None` once the transaction has ended.
    connection: Option<PooledConnection>,
    /// After an error the next answer on the connection is unknown: it is closed.
    is_broken: Cell<bool>,
}

impl<'a> PostgresTransaction<'a> {
    /// Sends `begin` together with the first statements. Returns the transaction, and their rows.
    pub(crate) fn begin(
        postgres: &'a Postgres,
        begin: &str,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<(Self, Vec<Row>), StoreError> {
        let (connection, rows) = postgres.wait(async {
            let connection = postgres.connection().await?;
            let asked = try_join(
                connection.batch_execute(begin),
                connection.ask_all(statements),
            );
            let ((), rows) = asked.await?;
            Ok((connection, rows.into_iter().flatten().collect()))
        })?;
        let transaction = Self {
            postgres,
            connection: Some(connection),
            is_broken: Cell::new(false),
        };
        Ok((transaction, rows))
    }

    /// Waits for an answer. An error ends the transaction.
    fn wait<T>(
        &self,
        answer: impl AsyncFnOnce(&PooledConnection) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreError> {
        let ended = || PostgresError::Failed("the transaction has ended".into());
        let connection = self.connection.as_ref().ok_or_else(ended)?;
        let answer = self.postgres.wait(async { Ok(answer(connection).await?) });
        self.is_broken.set(self.is_broken.get() || answer.is_err());
        answer
    }

    /// Whether an error ended it.
    pub(crate) const fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// Runs one statement, and returns its rows.
    pub(crate) fn query(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.wait(async |connection| connection.ask(statement, values).await)
    }

    /// Runs several statements, which go in one message, and returns the rows of each.
    pub(crate) fn query_all(
        &self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        self.wait(async |connection| connection.ask_all(statements).await)
    }

    /// Runs the last statements and commits, in one message. On return the changes are durable;
    /// returns the rows of the last statement. After [`StoreError::NotForNow`] they may be durable,
    /// too, if the connection was lost in between.
    pub(crate) fn commit(
        mut self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Row>, StoreError> {
        let (mut rows, ()) = self.wait(async |connection| {
            connection.prepare_all(statements).await?;
            // After an error PostgreSQL turns `commit` into a rollback; the error is returned here.
            try_join(
                connection.ask_all(statements),
                connection.batch_execute("commit"),
            )
            .await
        })?;
        if let Some(connection) = self.connection.take() {
            connection.give_back();
        }
        Ok(rows.pop().unwrap_or_default())
    }
}

impl Drop for PostgresTransaction<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        // The first poll sends it. Its answer precedes that to the next caller's first statement,
        // and nobody waits for it.
        let sent = connection.batch_execute("rollback").now_or_never();
        if !self.is_broken.get() && sent.is_none() {
            connection.give_back();
        }
    }
}
