//! The trees of the database, by name.

use std::path::Path;
use std::sync::Arc;

use crate::domain::SensorId;
use crate::store::blocks::{Sealed, Volumes};
use crate::store::error::StoreError;
use crate::store::registry::RegistryTrees;
use crate::store::rows::{Activities, Hot, activity};

/// The trees of the database.
pub(crate) struct Trees {
    pub(crate) db: sled::Db,
    pub(crate) meta: sled::Tree,
    pub(crate) registry: RegistryTrees,
    pub(crate) hot: Hot,
    pub(crate) sealed: Sealed,
    pub(crate) activity: sled::Tree,
}

impl Trees {
    /// Opens all trees, and creates those that are missing. The blocks are in the data dir `dir`.
    pub(crate) fn open(db: sled::Db, dir: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            meta: db.open_tree("meta")?,
            registry: RegistryTrees::open(&db)?,
            hot: Hot::new(db.open_tree("hot")?),
            sealed: Sealed {
                blocks: db.open_tree("blocks")?,
                volumes: Arc::new(Volumes::of(dir)),
                summaries: db.open_tree("summaries")?,
            },
            activity: db.open_tree("activity")?,
            db,
        })
    }

    /// The activity of each sensor.
    pub(crate) fn load_activity(&self) -> Result<Activities, StoreError> {
        let mut all = Activities::new();
        for row in &self.activity {
            let (key, value) = row?;
            let sensor = std::str::from_utf8(&key)
                .ok()
                .and_then(|id| SensorId::new(id).ok());
            let (sensor, activity) = sensor.zip(activity::decode(&value)).ok_or_else(|| {
                StoreError::Damaged(format!("the activity of {} is damaged", key.escape_ascii()))
            })?;
            all.insert(sensor, activity);
        }
        Ok(all)
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
