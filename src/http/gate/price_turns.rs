//! Turns of uploads of prices, the largest bodies by far: one is read and stored at a time.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::domain::{ApiId, SessionId};
use crate::http::wire::ApiError;

/// Who sends prices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PriceSender {
    Session(SessionId),
    Key(ApiId),
}

/// The turns.
pub(super) struct PriceTurns {
    free: Arc<Semaphore>,
    /// Those who wait. Each may wait once: a queue of one sender would hold up all others.
    waiting: Mutex<BTreeSet<PriceSender>>,
}

/// A sender who waits, until this is dropped.
struct Waiting<'a> {
    turns: &'a PriceTurns,
    sender: PriceSender,
}

impl Default for PriceTurns {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(1)),
            waiting: Mutex::default(),
        }
    }
}

impl PriceTurns {
    /// The next turn, which goes with the upload.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if it takes longer, or if this sender waits already.
    pub(super) async fn take(
        &self,
        sender: PriceSender,
        within: Duration,
    ) -> Result<OwnedSemaphorePermit, ApiError> {
        if let Ok(turn) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(turn);
        }
        let waiting = Waiting::new(self, sender).ok_or(ApiError::Overloaded)?;
        let turn = Arc::clone(&self.free).acquire_owned();
        let turn = timeout(within, turn).await.ok();
        drop(waiting);
        turn.and_then(Result::ok).ok_or(ApiError::Overloaded)
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeSet<PriceSender>> {
        // A panic cannot leave the set half changed, so a poisoned lock is as good as any.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Waiting<'a> {
    fn new(turns: &'a PriceTurns, sender: PriceSender) -> Option<Self> {
        let is_first = turns.waiting().insert(sender.clone());
        is_first.then_some(Self { turns, sender })
    }
}

/// Also when the client goes away, which drops the future that waits.
impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.turns.waiting().remove(&self.sender);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_sender_waits_once() {
        let turns = PriceTurns::default();
        let [a, b] = [1, 2].map(|number| PriceSender::Session(SessionId([number; 32])));
        let soon = Duration::from_millis(50);
        let turn = turns.take(a.clone(), soon).await.unwrap();
        let (first, second, other) = tokio::join!(
            turns.take(a.clone(), soon),
            turns.take(a.clone(), Duration::from_mins(10)),
            turns.take(b, soon),
        );
        assert!(first.is_err() && second.is_err() && other.is_err());
        assert!(turns.waiting().is_empty());
        // Whoever gives up frees the place.
        assert!(
            timeout(soon, turns.take(a.clone(), Duration::from_mins(10)))
                .await
                .is_err()
        );
        assert!(turns.waiting().is_empty());
        drop(turn);
        assert!(turns.take(a, soon).await.is_ok());
    }
}
