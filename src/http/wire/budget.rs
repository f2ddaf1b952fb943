//! The memory that large bodies may take together.
//!
//! Memory is granted as bytes arrive, never in advance. A body that cannot have more is refused and
//! gives back its memory, so no body holds memory while it waits for memory that others hold.

use crate::locks::lock;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

/// The divisor for the part of the whole that one client may take.
const SHARE: usize = 4;

/// The memory that large bodies may take together.
pub(super) struct Budget {
    /// The size of the whole, in bytes.
    whole: usize,
    taken: Mutex<Taken>,
    given_back: Notify,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_client: HashMap<IpAddr, usize>,
}

/// The part of the budget that one body holds, until it is dropped.
pub(crate) struct Reservation {
    budget: Arc<Budget>,
    client: IpAddr,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(whole: usize) -> Self {
        Self {
            whole,
            taken: Mutex::default(),
            given_back: Notify::new(),
        }
    }

    /// Waits until `client` could have `bytes`, and takes nothing.
    pub(super) async fn wait_for(&self, client: IpAddr, bytes: usize) {
        loop {
            let given_back = self.given_back.notified();
            tokio::pin!(given_back);
            // Before the check, so that memory given back after it is not missed.
            given_back.as_mut().enable();
            if self.has(&lock(&self.taken), client, bytes) {
                return;
            }
            given_back.await;
        }
    }

    /// An empty reservation for a body of `client`.
    pub(super) fn reservation(self: &Arc<Self>, client: IpAddr) -> Reservation {
        Reservation {
            budget: Arc::clone(self),
            client,
            bytes: 0,
        }
    }

    fn has(&self, taken: &Taken, client: IpAddr, bytes: usize) -> bool {
        let own = taken.by_client.get(&client).copied().unwrap_or(0);
        let fits = |taken: usize, most| taken.saturating_add(bytes) <= most;
        fits(taken.all, self.whole) && fits(own, self.whole / SHARE)
    }
}

impl Reservation {
    /// Raises the reservation to `bytes` in all; returns false if there is no more for its client.
    pub(super) fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.bytes);
        let mut taken = lock(&self.budget.taken);
        let has = self.budget.has(&taken, self.client, more);
        if has && more > 0 {
            taken.all += more;
            *taken.by_client.entry(self.client).or_default() += more;
            self.bytes = bytes;
        }
        has
    }

    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut taken = lock(&self.budget.taken);
        taken.all = taken.all.saturating_sub(self.bytes);
        if let Some(own) = taken.by_client.get_mut(&self.client) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                taken.by_client.remove(&self.client);
            }
        }
        drop(taken);
        self.budget.given_back.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const fn client(number: u8) -> IpAddr {
        IpAddr::V4(Ipv4Addr::new(127, 0, 0, number))
    }

    #[test]
    fn a_client_has_a_quarter_and_all_have_the_whole() {
        let budget = Arc::new(Budget::new(100));
        let mut first = budget.reservation(client(1));
        assert!(first.grow_to(20) && first.grow_to(25) && !first.grow_to(26));
        assert!(!budget.reservation(client(1)).grow_to(1));
        let mut others: Vec<_> = (2..6).map(|n| budget.reservation(client(n))).collect();
        let got = others
            .iter_mut()
            .filter_map(|other| other.grow_to(25).then_some(()));
        assert_eq!(got.count(), 3);
        drop(first);
        assert!(budget.reservation(client(1)).grow_to(25));
        drop(others);
        assert!(lock(&budget.taken).by_client.is_empty());
    }

    #[tokio::test]
    async fn who_waits_goes_on_once_there_is_room() {
        let budget = Arc::new(Budget::new(100));
        let mut first = budget.reservation(client(1));
        assert!(first.grow_to(20));
        budget.wait_for(client(2), 25).await;
        let moment = Duration::from_millis(20);
        assert!(
            timeout(moment, budget.wait_for(client(1), 6))
                .await
                .is_err()
        );
        let waiting = tokio::spawn({
            let budget = Arc::clone(&budget);
            async move { budget.wait_for(client(1), 6).await }
        });
        tokio::task::yield_now().await;
        drop(first);
        waiting.await.unwrap();
    }
}
