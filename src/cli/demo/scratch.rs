//! A temporary folder.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::admin::random;
use crate::cli::output::note;

/// A new folder that only its owner can read, removed when dropped.
pub(super) struct ScratchDir(PathBuf);

impl ScratchDir {
    /// Creates a folder in the system's temporary folder.
    pub(super) fn create() -> Result<Self> {
        let name = format!("wattkeeper-demo-{:016x}", u64::from_ne_bytes(random()?));
        let path = std::env::temp_dir().join(name);
        // Fails if the path exists: in a shared folder nobody else can prepare it, or a link
        // instead of it.
        DirBuilder::new()
            .mode(0o700)
            .create(&path)
            .with_context(|| format!("creating {}", path.display()))?;
        Ok(Self(path))
    }

    /// Its path.
    pub(super) const fn path(&self) -> &PathBuf {
        &self.0
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            note(&format!("cannot remove {}: {error}", self.0.display()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_all_that_is_in_it() {
        let scratch = ScratchDir::create().unwrap();
        let path = scratch.path().clone();
        fs::write(path.join("file"), "x").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
