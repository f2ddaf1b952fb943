//! The trees of the database, by name.

use std::path::Path;
use std::sync::Arc;

use crate::store::embedded::blocks::{Sealed, Volumes};
use crate::store::embedded::rows::Hot;
use crate::store::embedded::state::record_trees::RecordTrees;
use crate::store::error::StoreError;

/// The trees of the database.
pub(crate) struct Trees {
    pub(crate) db: sled::Db,
    pub(crate) meta: sled::Tree,
    pub(crate) records: RecordTrees,
    pub(crate) hot: Hot,
    pub(crate) sealed: Sealed,
}

impl Trees {
    /// Opens all trees, and creates those that are missing. Blocks and hot rows are in files of the data dir `dir`.
    pub(crate) fn open(db: sled::Db, dir: &Path) -> Result<Self, StoreError> {
        Ok(Self {
            meta: db.open_tree("meta")?,
            records: RecordTrees::open(&db)?,
            hot: Hot::of(dir),
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

#[cfg(test)]
mod tests {
    use crate::domain::{SensorId, Timestamp};
    use crate::store::records::keys;

    /// With times as plain integers, sled panicked here: pages on both sides of 1970, read backwards.
    #[test]
    fn stepping_backwards_crosses_every_page() {
        let dir = tempfile::tempdir().unwrap();
        let db = sled::open(dir.path()).unwrap();
        let sensor = SensorId::new("ab").unwrap();
        // Where a page begins depends on where the rows begin.
        for (start, centre) in (0..60).flat_map(|start| [(start, 0), (start, 1 << 40)]) {
            let tree = db.open_tree(format!("{start} {centre}")).unwrap();
            for ms in centre - 100 - start..centre + 100 {
                tree.insert(
                    keys::key(&sensor, Timestamp::from_millis(ms).unwrap()),
                    b"a value",
                )
                .unwrap();
            }
            let times: Vec<Timestamp> = tree
                .iter()
                .rev()
                .map(|row| keys::time_of(&row.unwrap().0).unwrap())
                .collect();
            assert_eq!(times.len(), tree.len());
            assert!(times.windows(2).all(|pair| pair[0] > pair[1]));
        }
    }
}
