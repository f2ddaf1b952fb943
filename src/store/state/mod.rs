//! The open store as the committing thread and the readers share it: the trees, what is kept in memory, and whether writing
//! still works. Nothing here changes a reading.

pub(crate) mod commits;
pub(crate) mod trees;
pub(crate) mod watch;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, RwLock};

use self::commits::Commits;
use self::trees::Trees;
use super::engine::open::{Closing, Hold};
use super::error::StoreError;
use super::registry::last_used::Uses;
use super::registry::registered::Registry;
use super::rows::activity::Activities;
use super::settings::StoreSettings;

/// What the committing thread and the readers share.
pub(crate) struct Shared {
    pub(crate) trees: Trees,
    /// Held for writing while sealed readings and hot rows change places, for reading while both are looked at.
    pub(crate) swap: RwLock<()>,
    pub(crate) registry: RwLock<Arc<Registry>>,
    pub(crate) activity: RwLock<Activities>,
    pub(crate) uses: Uses,
    pub(crate) commits: Commits,
    /// Why nothing is written any more.
    pub(crate) failure: OnceLock<StoreError>,
    /// Whether the committing thread may not come back from a write that failed.
    pub(crate) stuck: tokio::sync::watch::Sender<bool>,
    /// What sled was opened with; it keeps sled's error, too.
    pub(crate) config: sled::Config,
    pub(crate) settings: StoreSettings,
    /// The data dir.
    pub(crate) dir: PathBuf,
    /// After the trees.
    pub(crate) _closing: Closing,
    /// Let go of last: the files are closed by then.
    pub(crate) _hold: Hold,
}
