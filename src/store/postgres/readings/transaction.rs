//! A transaction on a connection of its own.

use std::cell::Cell;

use futures_util::FutureExt as _;
use futures_util::future::try_join;
use tokio_postgres::Row;

use crate::store::error::StoreError;
use crate::store::postgres::engine::Engine;
use crate::store::postgres::error::EngineError;
use crate::store::postgres::pool::{Lent, Value};

/// A transaction under way. Dropping it takes back what was not committed, without waiting for that. All calls block.
pub(crate) struct EngineTransaction<'a> {
    engine: &'a Engine,
    /// Taken when it ends.
    lent: Option<Lent>,
    /// After an error nobody knows what the connection is about to answer: it is closed.
    is_broken: Cell<bool>,
}

impl<'a> EngineTransaction<'a> {
    /// Begins by `begin`, and asks the first statements along with that. Returns their rows, too.
    pub(crate) fn begin(
        engine: &'a Engine,
        begin: &str,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<(Self, Vec<Row>), StoreError> {
        let (lent, rows) = engine.wait(async {
            let lent = engine.lend().await?;
            let asked = try_join(lent.batch_execute(begin), lent.ask_all(statements));
            let ((), rows) = asked.await?;
            Ok((lent, rows.into_iter().flatten().collect()))
        })?;
        let transaction = Self {
            engine,
            lent: Some(lent),
            is_broken: Cell::new(false),
        };
        Ok((transaction, rows))
    }

    /// Waits for an answer. An error ends the transaction.
    fn wait<T>(
        &self,
        answer: impl AsyncFnOnce(&Lent) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, StoreError> {
        let ended = || EngineError::Failed("the transaction has ended".into());
        let lent = self.lent.as_ref().ok_or_else(ended)?;
        let answer = self.engine.wait(async { Ok(answer(lent).await?) });
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
        self.wait(async |lent| lent.ask(statement, values).await)
    }

    /// The rows of each of several statements, which go in one message.
    pub(crate) fn query_all(
        &self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        self.wait(async |lent| lent.ask_all(statements).await)
    }

    /// Asks the last statements and commits, in one message. On return it is durable; returns the rows of the last statement.
    /// After [`StoreError::NotForNow`] it may be durable, too, if the engine went away in between.
    pub(crate) fn commit(
        mut self,
        statements: &[(&str, &[Value<'_>])],
    ) -> Result<Vec<Row>, StoreError> {
        let (mut rows, ()) = self.wait(async |lent| {
            lent.prepare_all(statements).await?;
            // After an error the engine takes `commit` for a rollback; the error is what counts.
            try_join(lent.ask_all(statements), lent.batch_execute("commit")).await
        })?;
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
