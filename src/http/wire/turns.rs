//! Turns of long-running work: few run at once, so that uploads and other accounts are not held up.
//!
//! A turn is never handed out: it exists while a closure runs on a thread of its own, where nothing
//! can be awaited. So no request holds a turn while it waits for another one, or for its client.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::body::in_background;
use super::error::ApiError;
use crate::domain::AccountName;
use crate::locks::lock;

/// Work of one kind takes turns. An account has at most one turn at a time, which leaves turns for
/// others.
pub(crate) struct Turns {
    all: Arc<Semaphore>,
    /// One entry for each account that has a turn or waits for one.
    accounts: Mutex<BTreeMap<AccountName, Arc<Semaphore>>>,
    within: Duration,
}

/// A turn, held until it is dropped. The closure has it, because the work continues when its client
/// leaves.
struct Turn {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Turns {
    /// At most `at_once` turns at a time; others wait for `within` at most.
    pub(crate) fn new(at_once: usize, within: Duration) -> Arc<Self> {
        Arc::new(Self {
            all: Arc::new(Semaphore::new(at_once)),
            accounts: Mutex::default(),
            within,
        })
    }

    /// Runs work on a thread of its own, in a turn of an account.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if the others take too long; as [`in_background`].
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        account: &AccountName,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let turn = self.take(account).await?;
        let in_turn = move || {
            let _turn = turn;
            work()
        };
        in_background(in_turn).await
    }

    /// Waits for a turn of an account.
    async fn take(&self, account: &AccountName) -> Result<Turn, ApiError> {
        let own = self.of_account(account).acquire_owned();
        // The account's own turn first, so that only one request of each account is in the common
        // queue.
        let both = async {
            let own = own.await.ok()?;
            let of_all = Arc::clone(&self.all).acquire_owned().await.ok()?;
            Some(Turn {
                _of_all: of_all,
                _own: own,
            })
        };
        let turn = timeout(self.within, both).await.ok();
        turn.flatten().ok_or(ApiError::Overloaded)
    }

    /// A turn that is kept, for tests.
    #[cfg(test)]
    pub(crate) async fn hold(&self, account: &AccountName) -> impl Sized + use<> {
        self.take(account).await.unwrap()
    }

    fn of_account(&self, account: &AccountName) -> Arc<Semaphore> {
        let mut accounts = lock(&self.accounts);
        // Entries with no other reference have no turn and wait for none.
        accounts.retain(|_, own| Arc::strong_count(own) > 1);
        let own = accounts.entry(account.clone());
        Arc::clone(own.or_insert_with(|| Arc::new(Semaphore::new(1))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(name: &str) -> AccountName {
        AccountName::new(name).unwrap()
    }

    #[tokio::test]
    async fn one_account_leaves_turns_for_the_others() {
        let turns = Turns::new(2, Duration::from_millis(20));
        let home = turns.take(&account("home")).await.unwrap();
        let again = turns.take(&account("home")).await.err();
        assert!(matches!(again, Some(ApiError::Overloaded)), "{again:?}");
        let barn = turns.take(&account("barn")).await.unwrap();
        let third = turns.take(&account("shed")).await.err();
        assert!(matches!(third, Some(ApiError::Overloaded)), "{third:?}");
        drop(barn);
        drop(turns.take(&account("shed")).await.unwrap());
        drop(home);
        drop(turns.take(&account("home")).await.unwrap());
        // Accounts are forgotten with their turns.
        drop(turns.of_account(&account("home")));
        assert_eq!(turns.accounts.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn who_waits_in_vain_holds_nothing() {
        let turns = Turns::new(1, Duration::from_millis(20));
        let home = turns.take(&account("home")).await.unwrap();
        assert!(turns.take(&account("barn")).await.is_err());
        drop(home);
        assert!(turns.take(&account("barn")).await.is_ok());
    }
}
