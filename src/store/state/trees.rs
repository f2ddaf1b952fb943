//! The trees of the database, by name.

use std::path::Path;
use std::sync::Arc;

use crate::store::blocks::{Sealed, Volumes};
use crate::store::error::StoreError;
use crate::store::rows::Hot;
use crate::store::state::record_trees::RecordTrees;

/// The trees of the database.
pub(crate) struct Trees {
    pub(crate) db: sled::Db,
    pub(crate) meta: sled::Tree,
    pub(crate) records: RecordTrees,
    pub(crate) hot: Hot,
    pub(crate) sealed: Sealed,
}

impl Trees {
    /// Opens all trees, and creates those that are missing. The blocks are in the data dir `dir`.
    pub(crate) fn open(db: sled::Db, dir: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            meta: db.open_tree("meta")?,
            records: RecordTrees::open(&db)?,
            hot: Hot::new(db.open_tree("hot")?),
            sealed: Sealed {
                blocks: db.open_tree("blocks")?,
                volumes: Arc::new(Volumes::of(dir)),
                summaries: db.open_tree("summaries")?,
            },
            db,
        })
    }
}

/// Whether nothing was ever written here. There may be trees without content, as after a first start that was cut short.
pub(crate) fn is_empty(db: &sled::Db) -> Result<bool, StoreError> {
    // All trees, also foreign ones: data of another program must not pass for a new store.
    for name in db.tree_names() {
        if !db.open_tree(name)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}
