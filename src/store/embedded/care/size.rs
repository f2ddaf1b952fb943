//! Disk use.

use std::fs;
use std::io;
use std::path::Path;

use crate::store::backend::DiskUse;
use crate::store::embedded::disk::reserve::free_bytes;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

impl Shared {
    /// Measures the disk use of the store. Blocks: looks at every file.
    pub(crate) fn disk_use(&self) -> Result<DiskUse, StoreError> {
        let dir = &self.dir;
        let measure = || {
            Ok(DiskUse {
                bytes: bytes_below(dir)?,
                free: Some(free_bytes(dir)?),
            })
        };
        measure().map_err(|error: io::Error| {
            StoreError::io(format!("measuring {}", dir.display()), &error)
        })
    }
}

fn bytes_below(dir: &Path) -> io::Result<u64> {
    let mut bytes = 0_u64;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let measured = entry.metadata().and_then(|kind| {
            if kind.is_dir() {
                bytes_below(&entry.path())
            } else {
                Ok(kind.len())
            }
        });
        bytes = bytes.saturating_add(match measured {
            // Volumes and snapshots are replaced meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            other => other?,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::handle::Store;
    use crate::store::tests::{NOW, at, open_registered, upload};

    #[test]
    fn all_files_count() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 64);
        let before = store.disk_use().unwrap();
        assert!(before.free > Some(0));
        fs::write(dir.path().join("log/more"), [7; 1_000]).unwrap();
        fs::write(dir.path().join("more"), [7; 100]).unwrap();
        assert_eq!(store.disk_use().unwrap().bytes, before.bytes + 1_100);
    }

    #[test]
    fn written_bytes_are_counted() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 64);
        let before = Store::bytes_written();
        for n in 0..3 {
            store
                .append_durably_blocking(upload(&[Some(n)]), at(NOW + n))
                .unwrap();
        }
        // At least three pages of the journal; other tests write meanwhile.
        assert!(Store::bytes_written() >= before + 3 * 4_096);
    }
}
