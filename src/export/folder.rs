//! The folder of an export: it appears once it is complete, and its `files.csv` lists what is in it.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::store::{KEPT_FREE, free_bytes};

/// The list of all other files.
const LIST: &str = "files";
/// The most characters of a name in the name of its file.
const LONGEST: usize = 60;
/// How much is written between two looks at the free space.
const LOOK_EVERY: u64 = 4 * 1024 * 1024;

/// The content of a file: its kind, and its account and name. Empty where there is none.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    /// The folder of files of this kind, or the name of the only one.
    pub(super) kind: &'a str,
    pub(super) account: &'a str,
    pub(super) name: &'a str,
}

/// An unfinished export. Dropping it removes its folder.
pub(super) struct ExportFolder {
    target: PathBuf,
    path: PathBuf,
    /// In small letters: some file systems take `House` and `house` for the same.
    taken: BTreeSet<String>,
    list: Vec<[String; 6]>,
    is_done: bool,
}

/// A file of it.
pub(super) struct ExportFile {
    path: PathBuf,
    /// Its row in the list, as far as it is known: its place and its content.
    row: [String; 4],
    out: BufWriter<File>,
    hash: Sha256,
    /// Written since the last look at the free space.
    unseen: u64,
}

impl ExportFolder {
    /// Begins the folder `target`, which must not exist yet. Only its owner can read it: it holds
    /// everything about a house.
    pub(super) fn create(target: &Path) -> Result<Self> {
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
            taken: BTreeSet::new(),
            list: Vec::new(),
            is_done: false,
        })
    }

    /// Begins a file. With a name, it is in a folder of its kind.
    pub(super) fn file(&mut self, content: Content<'_>, ending: &str) -> Result<ExportFile> {
        let Content {
            kind,
            account,
            name,
        } = content;
        let place = self.free_place(content, ending);
        let path = self.path.join(&place);
        let failed = || format!("cannot write {}", path.display());
        if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
            let made = DirBuilder::new().mode(0o700).create(folder);
            made.with_context(failed)?;
        }
        let file = File::create_new(&path).with_context(failed)?;
        Ok(ExportFile {
            out: BufWriter::with_capacity(64 * 1024, file),
            path,
            row: [place, kind.to_owned(), account.to_owned(), name.to_owned()],
            hash: Sha256::new(),
            unseen: LOOK_EVERY,
        })
    }

    fn free_place(&mut self, content: Content<'_>, ending: &str) -> String {
        let Content { kind, name, .. } = content;
        let stem = if name.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}/{}", plain(name))
        };
        let mut place = format!("{stem}.{ending}");
        let mut number = 1;
        while !self.taken.insert(place.to_lowercase()) {
            number += 1;
            place = format!("{stem}-{number}.{ending}");
        }
        place
    }

    /// Ends a file with so many rows.
    pub(super) fn end(&mut self, file: ExportFile, rows: u64) -> Result<()> {
        let failed = format!("cannot write {}", file.path.display());
        let ExportFile { row, out, hash, .. } = file;
        let written = out.into_inner().map_err(io::IntoInnerError::into_error);
        let synced = written.and_then(|file| file.sync_all());
        synced.context(failed)?;
        let digits = hash.finalize();
        let digits = digits.iter().map(|byte| format!("{byte:02x}"));
        let hash = digits.collect::<Vec<_>>().concat();
        let [place, kind, account, name] = row;
        self.list
            .push([place, kind, account, name, rows.to_string(), hash]);
        Ok(())
    }

    /// Writes the list, and gives the folder its name. Returns the number of its other files.
    pub(super) fn finish(mut self) -> Result<usize> {
        let content = Content {
            kind: LIST,
            account: "",
            name: "",
        };
        let list = std::mem::take(&mut self.list);
        let mut file = self.file(content, "csv")?;
        let mut table = csv::Writer::from_writer(&mut file);
        table.write_record(["file", "content", "account", "name", "rows", "sha256"])?;
        for row in &list {
            table.write_record(row)?;
        }
        table.flush()?;
        drop(table);
        self.end(file, list.len() as u64)?;
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
        sync(parent.unwrap_or(Path::new("."))).with_context(failed)?;
        Ok(list.len())
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

impl Write for ExportFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unseen += bytes.len() as u64;
        if self.unseen >= LOOK_EVERY {
            self.unseen = 0;
            check_free(&self.path)?;
        }
        let written = self.out.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
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

/// A name as that of a file, on any system.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let fitting = name.chars().map(|c| if fits(c) { c } else { '-' });
    fitting.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensor(name: &str) -> Content<'_> {
        Content {
            kind: "readings",
            account: "home",
            name,
        }
    }

    #[test]
    fn names_become_files_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let mut folder = ExportFolder::create(&dir.path().join("all")).unwrap();
        let long = "x".repeat(200);
        let names = [
            "house",
            "House",
            "../../etc",
            "..",
            "a/b",
            "a\\b",
            "Küche",
            &long,
        ];
        let places = names.map(|name| folder.free_place(sensor(name), "csv"));
        assert_eq!(
            places[..7],
            [
                "readings/house.csv",
                "readings/House-2.csv",
                "readings/------etc.csv",
                "readings/--.csv",
                "readings/a-b.csv",
                "readings/a-b-2.csv",
                "readings/K-che.csv",
            ]
        );
        assert_eq!(places[7].len(), "readings/.csv".len() + LONGEST);
    }

    #[test]
    fn it_appears_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("all");
        let mut folder = ExportFolder::create(&target).unwrap();
        let error = ExportFolder::create(&target).err().unwrap().to_string();
        assert!(error.contains("another export writes it"), "{error}");
        let mut file = folder.file(sensor("house"), "csv").unwrap();
        file.write_all(b"time\n").unwrap();
        drop(file);
        assert!(!target.exists());
        drop(folder);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

        let mut folder = ExportFolder::create(&target).unwrap();
        let mut file = folder.file(sensor("house"), "csv").unwrap();
        file.write_all(b"time\n").unwrap();
        folder.end(file, 0).unwrap();
        assert_eq!(folder.finish().unwrap(), 1);
        assert_eq!(
            fs::read(target.join("readings/house.csv")).unwrap(),
            b"time\n"
        );
        let list = fs::read_to_string(target.join("files.csv")).unwrap();
        let line = list.lines().nth(1).unwrap();
        // By sha256sum.
        let hash = "6e0447537050cf871f9ab6a3fec5715f9c6fff5212f6666993f1fc46b1f717a3";
        assert_eq!(
            line,
            format!("readings/house.csv,readings,home,house,0,{hash}")
        );
        let error = ExportFolder::create(&target).err().unwrap().to_string();
        assert!(error.ends_with("exists: name a new folder"), "{error}");
    }
}
