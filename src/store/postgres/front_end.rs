//! What a front-end keeps in memory of what is registered in an engine.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Notify;

use super::copy::{HeldRegistry, MovedRecords, RegistryCopy};
use super::engine::Engine;
use super::leader::Leadership;
use crate::store::error::StoreError;
use crate::store::records::RecordKind;
use crate::store::registry::LastUses;

/// How soon a front-end sees what others changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegistryPace {
    /// How often it looks, even if nobody tells it of a change.
    pub(crate) look_every: Duration,
    /// After how long without a successful look it accepts nothing any more.
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

/// What calls and the watching thread share.
pub(crate) struct RegistryCore {
    pub(crate) engine: Arc<Engine>,
    pub(crate) pace: RegistryPace,
    pub(crate) held: HeldRegistry,
    pub(crate) last_uses: LastUses,
    pub(crate) leadership: Leadership,
    /// Rings when there is something to look at.
    pub(crate) bell: Arc<Notify>,
    /// Rings when there are removals to finish.
    pub(crate) removals: Notify,
    /// Changes of this front-end come one after the other: those that wait for others hold no connection meanwhile.
    pub(crate) turn: Mutex<()>,
}

impl RegistryCore {
    pub(crate) fn leads(&self) -> bool {
        self.leadership.leads(self.pace.stale_after)
    }

    /// The copy after what moved.
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
