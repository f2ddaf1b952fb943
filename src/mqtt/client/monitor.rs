//! The state of the broker connection, for pages: whether the service is connected, and the devices
//! that were heard. It outlives the client, which is restarted when settings change.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::watch;

use super::broker::BrokerAddress;
use super::error::ClientError;
use super::problem::BrokerProblem;
use crate::domain::Timestamp;
use crate::locks::lock;
use crate::mqtt::devices::HeardDevices;

/// Whether the service is connected to the broker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BrokerState {
    /// There is no broker, or the service does not follow its settings yet.
    #[default]
    Off,
    /// It connects for the first time.
    Connecting,
    /// It is connected.
    Connected {
        /// The time since when.
        since: Timestamp,
    },
    /// It is not connected.
    Failed {
        /// The cause.
        problem: BrokerProblem,
        /// The time of the next attempt.
        again: Timestamp,
    },
}

/// The state of the connection, and the devices heard.
#[derive(Default)]
pub struct BrokerMonitor {
    state: watch::Sender<BrokerState>,
    heard: Mutex<HeardDevices>,
    /// The broker on which they were heard.
    broker: Mutex<Option<BrokerAddress>>,
}

impl BrokerMonitor {
    /// The state of the connection.
    #[must_use]
    pub fn state(&self) -> BrokerState {
        self.state.borrow().clone()
    }

    /// The devices heard.
    pub fn heard(&self) -> MutexGuard<'_, HeardDevices> {
        lock(&self.heard)
    }

    pub(super) fn devices(&self) -> &Mutex<HeardDevices> {
        &self.heard
    }

    /// Watches the state.
    pub(super) fn watch(&self) -> watch::Receiver<BrokerState> {
        self.state.subscribe()
    }

    pub(super) fn off(&self) {
        self.state.send_replace(BrokerState::Off);
    }

    /// Notes that a connection is being made, and forgets the devices of another broker.
    pub(super) fn connecting(&self, broker: &BrokerAddress) {
        let mut known = lock(&self.broker);
        if known.as_ref() != Some(broker) {
            *self.heard() = HeardDevices::default();
            *known = Some(broker.clone());
        }
        self.state.send_replace(BrokerState::Connecting);
    }

    pub(super) fn connected(&self, since: Timestamp) {
        self.state.send_replace(BrokerState::Connected { since });
    }

    /// Notes a failure; the next attempt follows after `wait`.
    pub(super) fn failed(&self, error: &ClientError, now: Timestamp, wait: Duration) {
        let again = now.saturating_add(wait);
        self.state.send_modify(|state| {
            let problem = match state {
                BrokerState::Connected { .. } => BrokerProblem::of_end(error),
                _ => BrokerProblem::of(error),
            };
            *state = BrokerState::Failed { problem, again };
        });
    }
}

impl BrokerState {
    /// Whether it is connected.
    pub(super) const fn is_connected(&self) -> bool {
        matches!(self, Self::Connected { .. })
    }
}
