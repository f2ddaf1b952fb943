//! State shared by the committing thread and the readers.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, RwLock};

use crate::store::backend::CommitMetrics;
use crate::store::embedded::disk::{DataDirHold, Failure, Positions};
use crate::store::embedded::facts::StoredFacts;
use crate::store::embedded::index::Sealed;
use crate::store::embedded::rows::Hot;
use crate::store::registry::{LastUses, Registry};
use crate::store::settings::StoreSettings;

/// An open store.
pub(crate) struct Shared {
    pub(crate) facts: StoredFacts,
    pub(crate) hot: Hot,
    pub(crate) sealed: Sealed,
    /// Locked for writing while sealed readings, hot rows or facts change; for reading while
    /// several of them are read together.
    pub(crate) swap: RwLock<()>,
    pub(crate) registry: RwLock<Arc<Registry>>,
    /// The number of imports and deletions.
    pub(crate) history_edits: AtomicU64,
    /// How far the files are durable.
    pub(crate) durable: Mutex<Positions>,
    /// The position of the last record of the log that is applied to the index and the memory.
    /// Changes together with them.
    pub(crate) log_applied: AtomicU64,
    pub(crate) last_uses: LastUses,
    pub(crate) commit_metrics: CommitMetrics,
    pub(crate) failure: Arc<Failure>,
    pub(crate) settings: StoreSettings,
    /// The data dir.
    pub(crate) dir: PathBuf,
    // Fields are dropped in order: another process may open the folder once the files are closed.
    pub(crate) _hold: DataDirHold,
}
