//! The version of the layout on disk, and the check that syncs are real.
//!
//! The tree `meta` holds
//!
//! | key | value |
//! | --- | --- |
//! | `format` | version of the layout, u32 little-endian |
//! | `starts` | how often the store was opened, u64 little-endian |

use crate::store::embedded::engine::sync;
use crate::store::error::StoreError;

/// The layout.
const FORMAT: u32 = 5;

/// Checks that the layout of the store is known; writes it to a new store. `is_new` says that the database is still empty.
pub(crate) fn check(meta: &sled::Tree, is_new: bool) -> Result<(), StoreError> {
    match meta.get("format")? {
        None if is_new => {
            meta.insert("format", &FORMAT.to_le_bytes())?;
            Ok(())
        }
        // Data without a version: sled may have lost its page, or another program wrote the data.
        None => Err(StoreError::Damaged(
            "it has no format version: not a store of wattkeeper".into(),
        )),
        Some(value) => match <[u8; 4]>::try_from(&*value).map(u32::from_le_bytes) {
            Ok(FORMAT) => Ok(()),
            Ok(found) if found > FORMAT => Err(StoreError::NewerFormat {
                found,
                newest: FORMAT,
            }),
            _ => Err(StoreError::Damaged(format!(
                "its format version is {}",
                value.escape_ascii()
            ))),
        },
    }
}

/// Counts this start durably, and fails if that caused no real sync. Then linking lost the symbol of `sync.rs`, and no
/// promise of durability would hold.
pub(crate) fn count_start(db: &sled::Db, meta: &sled::Tree) -> Result<(), StoreError> {
    let before = meta
        .get("starts")?
        .and_then(|value| <[u8; 8]>::try_from(&*value).ok())
        // A damaged count starts again at 0: it only has to change, so that the flush below writes something.
        .map_or(0, u64::from_le_bytes);
    let syncs = sync::count();
    meta.insert("starts", &before.wrapping_add(1).to_le_bytes())?;
    db.flush()?;
    // On other systems sled calls `sync_all` itself, which nothing counts.
    if cfg!(target_os = "linux") && sync::count() == syncs {
        return Err(StoreError::io(
            "checking that syncs reach the disk",
            "this binary was linked without its own syncs: build it again from unchanged sources",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> (tempfile::TempDir, sled::Db) {
        let dir = tempfile::tempdir().unwrap();
        let db = sled::Config::new()
            .path(dir.path().join("db"))
            .flush_every_ms(None)
            .open()
            .unwrap();
        (dir, db)
    }

    #[test]
    fn only_known_formats_are_opened() {
        let (_dir, db) = database();
        let meta = db.open_tree("meta").unwrap();
        assert!(matches!(check(&meta, false), Err(StoreError::Damaged(_))));
        check(&meta, true).unwrap();
        check(&meta, false).unwrap();
        meta.insert("format", &6_u32.to_le_bytes()).unwrap();
        assert!(matches!(
            check(&meta, false),
            Err(StoreError::NewerFormat {
                found: 6,
                newest: 5
            })
        ));
        for older in [&4_u32.to_le_bytes()[..], b"??"] {
            meta.insert("format", older).unwrap();
            assert!(matches!(check(&meta, false), Err(StoreError::Damaged(_))));
        }
    }

    #[test]
    fn a_start_is_a_real_sync() {
        let (_dir, db) = database();
        let meta = db.open_tree("meta").unwrap();
        let syncs = sync::count();
        count_start(&db, &meta).unwrap();
        count_start(&db, &meta).unwrap();
        assert_eq!(meta.get("starts").unwrap().unwrap(), &2_u64.to_le_bytes());
        assert!(cfg!(not(target_os = "linux")) || sync::count() >= syncs + 2);
    }
}
