//! Turns of price uploads, by far the largest bodies: one is processed at a time. Bodies are read
//! before the turn, as slowly as their clients send them, so a slow client holds up nobody. As other
//! turns, one exists only while a closure runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::domain::{AccountName, ApiId, SessionOwner};
use crate::http::wire::ApiError;
use crate::http::wire::body::in_background;
use crate::locks::lock;

/// The most uploads of one sender at once, from the first byte until they are stored. Further ones
/// are refused, because all senders share the memory for bodies and the queue.
const MOST_OF_SENDER: usize = 2;
/// The same for all keys of an account together.
const MOST_OF_ACCOUNT: usize = 4;

/// The sender of an upload of prices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PriceSender {
    /// A signed-in person, in any session.
    Person(SessionOwner),
    /// A key of an account.
    Key(AccountName, ApiId),
}

/// A holder of a limit: a sender, or an account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Sender(PriceSender),
    Account(AccountName),
}

/// The number of uploads under way for each; entries without any are removed.
type Shares = Arc<Mutex<BTreeMap<Share, usize>>>;

/// The turns.
pub(super) struct PriceTurns {
    free: Arc<Semaphore>,
    shares: Shares,
    within: Duration,
}

/// An upload under way. Dropping it ends the upload, also when the client disconnects; work in its
/// turn goes on until its end.
pub(crate) struct PriceUpload {
    own: Arc<OwnShares>,
    free: Arc<Semaphore>,
    within: Duration,
}

/// The shares that an upload takes.
struct OwnShares {
    shares: Shares,
    own: Vec<Share>,
}

impl PriceTurns {
    /// Turns that are waited for so long at most.
    pub(super) fn new(within: Duration) -> Self {
        Self {
            free: Arc::new(Semaphore::new(1)),
            shares: Shares::default(),
            within,
        }
    }

    /// Begins an upload.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if this sender, or its account, is at its limit.
    pub(super) fn begin(&self, sender: PriceSender) -> Result<PriceUpload, ApiError> {
        let mut own = OwnShares {
            shares: Arc::clone(&self.shares),
            own: Vec::new(),
        };
        let account = match &sender {
            PriceSender::Person(_) => None,
            PriceSender::Key(account, _) => Some(Share::Account(account.clone())),
        };
        own.take(Share::Sender(sender), MOST_OF_SENDER)?;
        if let Some(account) = account {
            own.take(account, MOST_OF_ACCOUNT)?;
        }
        Ok(PriceUpload {
            own: Arc::new(own),
            free: Arc::clone(&self.free),
            within: self.within,
        })
    }

    /// A turn that is kept, for tests.
    #[cfg(test)]
    pub(super) async fn hold(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.free).acquire_owned().await.unwrap()
    }
}

impl OwnShares {
    fn take(&mut self, share: Share, most: usize) -> Result<(), ApiError> {
        let mut shares = lock(&self.shares);
        let count = shares.entry(share.clone()).or_default();
        if *count >= most {
            return Err(ApiError::Overloaded);
        }
        *count += 1;
        self.own.push(share);
        Ok(())
    }
}

impl PriceUpload {
    /// Runs work on a thread of its own, in a turn: no other upload is worked on meanwhile.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if the others take too long; as [`in_background`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (turn, own) = (self.turn().await?, Arc::clone(&self.own));
        let in_turn = move || {
            let _held = (turn, own);
            work()
        };
        in_background(in_turn).await
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        let turn = timeout(self.within, Arc::clone(&self.free).acquire_owned()).await;
        turn.ok().and_then(Result::ok).ok_or(ApiError::Overloaded)
    }
}

impl Drop for OwnShares {
    fn drop(&mut self) {
        let mut shares = lock(&self.shares);
        for share in &self.own {
            if let Some(count) = shares.get_mut(share) {
                *count -= 1;
                if *count == 0 {
                    shares.remove(share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(account: &str, number: u8) -> PriceSender {
        let account = AccountName::new(account).unwrap();
        PriceSender::Key(account, ApiId::new(&format!("key{number}")).unwrap())
    }

    #[tokio::test]
    async fn bodies_that_are_under_way_hold_up_nobody() {
        let turns = PriceTurns::new(Duration::from_millis(50));
        let slow = [0, 0, 1, 1].map(|number| turns.begin(key("home", number)).unwrap());
        for refused in [key("home", 0), key("home", 2)] {
            assert!(turns.begin(refused).is_err());
        }
        let other = turns.begin(key("barn", 0)).unwrap();
        let turn = other.turn().await.unwrap();
        // One is processed at a time, and a client that gives up frees its place.
        let mut slow = slow.into_iter();
        let first = slow.next().unwrap();
        assert!(first.run(|| ()).await.is_err());
        drop(first);
        drop(turn);
        let next = turns.begin(key("home", 0)).unwrap();
        assert_eq!(next.run(|| 1).await.unwrap(), 1);
        drop((next, other));
        drop(slow);
        assert!(lock(&turns.shares).is_empty());
    }

    #[test]
    fn a_person_has_so_many_in_all_sessions() {
        let turns = PriceTurns::new(Duration::ZERO);
        let person = || PriceSender::Person(SessionOwner::Administrator);
        let uploads = [person(), person()].map(|of| turns.begin(of).unwrap());
        assert!(turns.begin(person()).is_err());
        drop(uploads);
        assert!(turns.begin(person()).is_ok());
    }
}
