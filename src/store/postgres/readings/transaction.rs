//! A transaction on a connection of its own.

use std::cell::Cell;
use std::future::Future;

use futures_util::FutureExt as _;
use futures_util::future::{try_join, try_join_all};
use tokio_postgres::{Client, Row};

use crate::store::error::StoreError;
use crate::store::postgres::engine::{Engine, Value};
use crate::store::postgres::error::EngineError;
use crate::store::postgres::pool::Lent;

/// A transaction under way. Dropping it takes back what was not committed, without waiting for that. All calls block.
pub(crate) struct EngineTransaction<'a> {
    engine: &'a Engine,
    /// Taken when it ends.
    lent: Option<Lent>,
    /// After an error nobody knows what the connection is about to answer: it is closed.
    is_broken: Cell<bool>,
}

impl<'a> EngineTransaction<'a> {
    /// Begins by `begin`, and asks the first statement along with that.
    pub(crate) fn begin(
        engine: &'a Engine,
        begin: &str,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<(Self, Vec<Row>), StoreError> {
        let (lent, rows) = engine.wait(async {
            let lent = engine.lend().await?;
            let asked = try_join(
                lent.batch_execute(begin),
                lent.query_typed(statement, values),
            );
            let ((), rows) = asked.await?;
            Ok((lent, rows))
        })?;
        let transaction = Self {
            engine,
            lent: Some(lent),
            is_broken: Cell::new(false),
        };
        Ok((transaction, rows))
    }

    /// The connection, for statements that are sent together.
    pub(crate) fn client(&self) -> Result<&Client, StoreError> {
        let ended = || EngineError::Failed("the transaction has ended".into()).into();
        self.lent.as_deref().ok_or_else(ended)
    }

    /// Waits for answers of [`Self::client`]. An error ends the transaction.
    pub(crate) fn wait<T>(
        &self,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StoreError> {
        let answer = self.engine.wait(async { Ok(answer.await?) });
        self.is_broken.set(self.is_broken.get() || answer.is_err());
        answer
    }

    /// Whether an error ended it.
    pub(crate) const fn is_broken(&self) -> bool {
        self.is_broken.get()
    }

    /// The rows of one statement.
    pub(crate) fn query(
        &self,
        statement: &str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        self.wait(self.client()?.query_typed(statement, values))
    }

    /// Asks the last statements and commits, in one message. On return it is durable; returns the rows of the last statement.
    /// After [`StoreError::NotForNow`] it may be durable, too, if the engine went away in between.
    pub(crate) fn commit(
        mut self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Row>, StoreError> {
        let client = self.client()?;
        let statements = statements.iter();
        let asked = statements.map(|(statement, values)| client.query_typed(statement, values));
        // After an error the engine takes `commit` for a rollback; the error is what counts.
        let asked = try_join(try_join_all(asked), client.batch_execute("commit"));
        let (mut rows, ()) = self.wait(asked)?;
        if let Some(lent) = self.lent.take() {
            lent.give_back();
        }
        Ok(rows.pop().unwrap_or_default())
    }
}

impl Drop for EngineTransaction<'_> {
    fn drop(&mut self) {
        let Some(lent) = self.lent.take() else {
            return;
        };
        // The first poll sends it. The answer comes before that to the next caller's question, and nobody waits for it.
        let sent = lent.batch_execute("rollback").now_or_never();
        if !self.is_broken.get() && sent.is_none() {
            lent.give_back();
        }
    }
}
