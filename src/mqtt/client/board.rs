//! What pages show of the broker: whether the service is connected, and the devices that were heard. It outlives the client, which
//! starts again with other settings.

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
        /// From then on.
        since: Timestamp,
    },
    /// It is not connected.
    Failed {
        /// Why.
        problem: BrokerProblem,
        /// When it tries again.
        again: Timestamp,
    },
}

/// The state of the connection, and the devices.
#[derive(Default)]
pub struct BrokerBoard {
    state: watch::Sender<BrokerState>,
    heard: Mutex<HeardDevices>,
    /// Where they were heard.
    broker: Mutex<Option<BrokerAddress>>,
}

impl BrokerBoard {
    /// The state of the connection.
    #[must_use]
    pub fn state(&self) -> BrokerState {
        self.state.borrow().clone()
    }

    /// The devices that were heard.
    pub fn heard(&self) -> MutexGuard<'_, HeardDevices> {
        lock(&self.heard)
    }

    pub(super) fn devices(&self) -> &Mutex<HeardDevices> {
        &self.heard
    }

    /// Follows the state.
    pub(super) fn watch(&self) -> watch::Receiver<BrokerState> {
        self.state.subscribe()
    }

    pub(super) fn off(&self) {
        self.state.send_replace(BrokerState::Off);
    }

    /// Forgets the devices of another broker.
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

    /// After `wait` it is tried again.
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
