//! Turns of work that takes long: so few go on at once that uploads and other accounts go on, too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::error::ApiError;
use crate::domain::AccountName;
use crate::locks::lock;

/// Work of one kind takes turns. An account has at most one at a time, so that one alone leaves turns for the others.
pub(crate) struct Turns {
    all: Arc<Semaphore>,
    /// Of the accounts that have a turn or wait for one.
    accounts: Mutex<BTreeMap<AccountName, Arc<Semaphore>>>,
    within: Duration,
}

/// A turn, until it is dropped. It moves into the closure that blocks: the work goes on when its client leaves.
pub(crate) struct Turn {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Turns {
    /// So many at once; the others wait so long.
    pub(crate) fn new(at_once: usize, within: Duration) -> Arc<Self> {
        Arc::new(Self {
            all: Arc::new(Semaphore::new(at_once)),
            accounts: Mutex::default(),
            within,
        })
    }

    /// Waits for a turn of an account.
    ///
    /// # Errors
    /// [`ApiError::Overloaded`] if the others take too long.
    pub(crate) async fn take(&self, account: &AccountName) -> Result<Turn, ApiError> {
        let own = self.of_account(account).acquire_owned();
        // The account's own first: only one request of each account stands in the line of all.
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

    fn of_account(&self, account: &AccountName) -> Arc<Semaphore> {
        let mut accounts = lock(&self.accounts);
        // Nobody else knows those that have no turn and wait for none.
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
