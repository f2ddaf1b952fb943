//! The state of a front-end: its copy of the registry.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::copy::{HeldRegistry, MovedRecords, RegistryCopy};
use super::database::Postgres;
use super::leader::Leadership;
use crate::store::error::StoreError;
use crate::store::records::RecordKind;
use crate::store::registry::LastUses;

/// How soon a front-end sees the changes of others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegistryPace {
    /// How often it looks, even without a notification.
    pub(crate) look_every: Duration,
    /// The time without a successful look after which it accepts no more requests.
    pub(crate) stale_after: Duration,
}

impl Default for RegistryPace {
    fn default() -> Self {
        Self {
            look_every: Duration::from_secs(5),
            stale_after: Duration::from_secs(10),
        }
    }
}

/// State shared by calls and the watching thread.
pub(crate) struct RegistryCore {
    pub(crate) postgres: Arc<Postgres>,
    pub(crate) pace: RegistryPace,
    pub(crate) held: HeldRegistry,
    pub(crate) last_uses: LastUses,
    pub(crate) leadership: Leadership,
    /// Whether it may become the leader. A command may not: while it ran, nobody would do the
    /// leader's jobs.
    pub(crate) seeks_leadership: bool,
    /// Notified when there may be something to look at.
    pub(crate) wake: Arc<Notify>,
    /// Notified when there are removals to finish.
    pub(crate) removals: Notify,
    /// Serializes the changes of this front-end: those that wait for others hold no connection
    /// meanwhile.
    pub(crate) turn: Mutex<()>,
}

impl RegistryCore {
    pub(crate) fn leads(&self) -> bool {
        self.leadership.leads(self.pace.stale_after)
    }

    /// Returns the copy with these changes applied, and updates the last uses.
    pub(crate) fn learn(
        &self,
        known: &RegistryCopy,
        moved: &MovedRecords,
    ) -> Result<RegistryCopy, StoreError> {
        let copy = known.after(moved)?;
        if moved.has(RecordKind::LastUses) {
            self.last_uses.merge(moved)?;
        }
        if moved.has(RecordKind::LastUses) || moved.has(RecordKind::Credentials) {
            self.last_uses.keep(&copy.registry);
        }
        Ok(copy)
    }
}
