//! The folder of an export: it appears once it is complete.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::files::ExportTarget;
use crate::store::{KEPT_FREE, free_bytes};

/// How much is written between two looks at the free space.
const LOOK_EVERY: u64 = 4 * 1024 * 1024;

/// An unfinished folder. Dropping it removes it.
pub(crate) struct ExportFolder {
    target: PathBuf,
    path: PathBuf,
    /// The file that began last, until it ends.
    open: Option<(PathBuf, File)>,
    /// Written since the last look at the free space.
    unseen: u64,
    is_done: bool,
}

impl ExportFolder {
    /// Begins the folder `target`, which must not exist yet. Only its owner can read it: it holds
    /// everything about a house.
    ///
    /// # Errors
    /// If the folder exists or cannot be made, or another export writes it.
    pub(crate) fn create(target: &Path) -> Result<Self> {
        // Not `exists`: a dangling link counts as taken, too.
        if fs::symlink_metadata(target).is_ok() {
            bail!("{} exists: name a new folder", target.display());
        }
        let Some(name) = target.file_name() else {
            bail!("{} is not the name of a folder", target.display());
        };
        let path = target.with_file_name(format!(".{}.unfinished", name.to_string_lossy()));
        let made = DirBuilder::new().mode(0o700).create(&path);
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => bail!(
                "{} is there: another export writes it, or one was cut off. If none runs, remove it",
                path.display()
            ),
            made => made.with_context(|| format!("cannot make {}", path.display()))?,
        }
        Ok(Self {
            target: target.to_owned(),
            path,
            open: None,
            unseen: LOOK_EVERY,
            is_done: false,
        })
    }

    /// Gives the folder its name, once all of it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written, or something has its name meanwhile.
    pub(crate) fn finish(mut self) -> Result<()> {
        let failed = || format!("cannot finish {}", self.target.display());
        for folder in fs::read_dir(&self.path).with_context(failed)? {
            let path = folder.with_context(failed)?.path();
            if path.is_dir() {
                sync(&path).with_context(failed)?;
            }
        }
        sync(&self.path).with_context(failed)?;
        // It replaces nothing but an empty folder, and says so otherwise.
        fs::rename(&self.path, &self.target).with_context(failed)?;
        self.is_done = true;
        let parent = self.target.parent().filter(|it| !it.as_os_str().is_empty());
        sync(parent.unwrap_or(Path::new("."))).with_context(failed)
    }
}

impl ExportTarget for ExportFolder {
    fn begin(&mut self, path: &str) -> Result<()> {
        let path = self.path.join(path);
        let failed = || format!("cannot write {}", path.display());
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            let made = DirBuilder::new().mode(0o700).create(folder);
            made.with_context(failed)?;
        }
        let file = File::create_new(&path).with_context(failed)?;
        self.open = Some((path, file));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some((path, file)) = &mut self.open else {
            return Err(io::Error::other("no file of the export is open"));
        };
        self.unseen += bytes.len() as u64;
        if self.unseen >= LOOK_EVERY {
            self.unseen = 0;
            check_free(path)?;
        }
        file.write_all(bytes)
    }

    fn end(&mut self) -> Result<()> {
        let Some((path, file)) = self.open.take() else {
            return Ok(());
        };
        let synced = file.sync_all();
        synced.with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Drop for ExportFolder {
    fn drop(&mut self) {
        if !self.is_done {
            // The error that led here is more important than one of this.
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

/// Leaves the space that a store on the same disk needs.
fn check_free(path: &Path) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let free = free_bytes(folder)?;
    if free >= KEPT_FREE + LOOK_EVERY {
        return Ok(());
    }
    let text = format!(
        "writing {}: {free} bytes are free there, and {KEPT_FREE} must stay free; choose another disk, or free some space",
        path.display()
    );
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("all");
        let mut folder = ExportFolder::create(&target).unwrap();
        let error = ExportFolder::create(&target).err().unwrap().to_string();
        assert!(error.contains("another export writes it"), "{error}");
        folder.begin("readings/house.csv").unwrap();
        folder.write(b"time\n").unwrap();
        assert!(!target.exists());
        drop(folder);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

        let mut folder = ExportFolder::create(&target).unwrap();
        for path in ["readings/house.csv", "readings/car.csv", "keys.json"] {
            folder.begin(path).unwrap();
            folder.write(b"time").unwrap();
            folder.write(b"\n").unwrap();
            folder.end().unwrap();
        }
        folder.finish().unwrap();
        for path in ["readings/house.csv", "readings/car.csv", "keys.json"] {
            assert_eq!(fs::read(target.join(path)).unwrap(), b"time\n");
        }
        let error = ExportFolder::create(&target).err().unwrap().to_string();
        assert!(error.ends_with("exists: name a new folder"), "{error}");
    }
}
