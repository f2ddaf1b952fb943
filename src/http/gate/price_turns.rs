//! Turns of uploads of prices, the largest bodies by far: one is worked on at a time. Bodies come before that, as slowly as their clients
//! like, so none of them holds up others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::domain::{AccountName, ApiId, SessionOwner};
use crate::http::wire::ApiError;
use crate::locks::lock;

/// How many uploads there may be at once, from the first byte until they are stored. A further one is refused: the memory for bodies, and
/// the line before the turn, are there for all.
const MOST_OF_SENDER: usize = 2;
/// By the keys of an account together.
const MOST_OF_ACCOUNT: usize = 4;

/// Who sends prices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PriceSender {
    /// Somebody who has signed in, in whatever session.
    Person(SessionOwner),
    /// A key of an account.
    Key(AccountName, ApiId),
}

/// What has a limit of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Sender(PriceSender),
    Account(AccountName),
}

/// How many uploads of each are under way; those without any are not there.
type Shares = Arc<Mutex<BTreeMap<Share, usize>>>;

/// The turns.
pub(super) struct PriceTurns {
    free: Arc<Semaphore>,
    shares: Shares,
}

/// An upload under way, until this is dropped: also when the client goes away.
pub(crate) struct PriceUpload {
    shares: Shares,
    own: Vec<Share>,
    free: Arc<Semaphore>,
}

/// The turn of an upload whose body is there.
pub(crate) struct PriceTurn {
    _turn: OwnedSemaphorePermit,
    _upload: PriceUpload,
}

impl Default for PriceTurns {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(1)),
            shares: Shares::default(),
        }
    }
}

impl PriceTurns {
    /// Begins an upload.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if this sender, or its account, has as many as it may have.
    pub(super) fn begin(&self, sender: PriceSender) -> Result<PriceUpload, ApiError> {
        let mut upload = PriceUpload {
            shares: Arc::clone(&self.shares),
            own: Vec::new(),
            free: Arc::clone(&self.free),
        };
        let account = match &sender {
            PriceSender::Person(_) => None,
            PriceSender::Key(account, _) => Some(Share::Account(account.clone())),
        };
        upload.take(Share::Sender(sender), MOST_OF_SENDER)?;
        if let Some(account) = account {
            upload.take(account, MOST_OF_ACCOUNT)?;
        }
        Ok(upload)
    }
}

impl PriceUpload {
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

    /// Waits for the turn, once the body is there.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if it takes longer.
    pub(super) async fn turn(self, within: Duration) -> Result<PriceTurn, ApiError> {
        let turn = timeout(within, Arc::clone(&self.free).acquire_owned()).await;
        let turn = turn.ok().and_then(Result::ok).ok_or(ApiError::Overloaded)?;
        Ok(PriceTurn {
            _turn: turn,
            _upload: self,
        })
    }
}

impl Drop for PriceUpload {
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
        let turns = PriceTurns::default();
        let soon = Duration::from_millis(50);
        let slow = [0, 0, 1, 1].map(|number| turns.begin(key("home", number)).unwrap());
        for refused in [key("home", 0), key("home", 2)] {
            assert!(turns.begin(refused).is_err());
        }
        let other = turns.begin(key("barn", 0)).unwrap();
        let turn = other.turn(soon).await.unwrap();
        // One is worked on at a time, and whoever gives up frees its place.
        let mut slow = slow.into_iter();
        let first = slow.next().unwrap();
        assert!(first.turn(soon).await.is_err());
        drop(turn);
        assert!(
            turns
                .begin(key("home", 0))
                .unwrap()
                .turn(soon)
                .await
                .is_ok()
        );
        drop(slow);
        assert!(lock(&turns.shares).is_empty());
    }

    #[test]
    fn a_person_has_so_many_in_all_sessions() {
        let turns = PriceTurns::default();
        let person = || PriceSender::Person(SessionOwner::Administrator);
        let uploads = [person(), person()].map(|of| turns.begin(of).unwrap());
        assert!(turns.begin(person()).is_err());
        drop(uploads);
        assert!(turns.begin(person()).is_ok());
    }
}
