//! What the committing thread and the readers share.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use crate::store::embedded::engine::{Closing, DataDirHold, Failure};

use crate::store::embedded::state::trees::Trees;
use crate::store::home::CommitMetrics;
use crate::store::registry::{LastUses, Registry};
use crate::store::settings::StoreSettings;

/// An open store.
pub(crate) struct Shared {
    pub(crate) trees: Trees,
    /// Held for writing while sealed readings and hot rows change places, for reading while both are looked at.
    pub(crate) swap: RwLock<()>,
    pub(crate) registry: RwLock<Arc<Registry>>,
    /// How often history was imported or deleted.
    pub(crate) history_edits: AtomicU64,
    pub(crate) last_uses: LastUses,
    pub(crate) commit_metrics: CommitMetrics,
    pub(crate) failure: Arc<Failure>,
    /// What sled was opened with. sled keeps its error here, too.
    pub(crate) config: sled::Config,
    pub(crate) settings: StoreSettings,
    /// The data dir.
    pub(crate) dir: PathBuf,
    // Fields are dropped in order: the database is closed once no tree is open, and another process may open the folder
    // once the files are closed.
    pub(crate) _closing: Closing,
    pub(crate) _hold: DataDirHold,
}
