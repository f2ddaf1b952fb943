//! The files of an export, one after another: their names, their hashes, and the list of all.

use std::collections::BTreeSet;
use std::io::{self, BufWriter, Write};

use anyhow::Result;
use sha2::{Digest as _, Sha256};

/// The list of all other files.
const LIST: &str = "files";
/// The most characters of a name in the name of its file.
const LONGEST: usize = 60;

/// Where the files go.
pub(crate) trait ExportTarget {
    /// Begins a file, by its path in the export.
    ///
    /// # Errors
    /// If it cannot be made.
    fn begin(&mut self, path: &str) -> Result<()>;

    /// Writes the next bytes of the file that began last.
    ///
    /// # Errors
    /// If they cannot be written.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Ends this file.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn end(&mut self) -> Result<()>;
}

/// The content of a file: its kind, and its account and name. Empty where there is none.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    /// The folder of files of this kind, or the name of the only one.
    pub(super) kind: &'a str,
    pub(super) account: &'a str,
    pub(super) name: &'a str,
}

/// All files so far.
pub(super) struct ExportFiles<'a> {
    target: &'a mut dyn ExportTarget,
    /// In small letters: some file systems take `House` and `house` for the same.
    taken: BTreeSet<String>,
    list: Vec<[String; 6]>,
}

/// A file of it.
pub(super) type ExportFile<'a> = BufWriter<HashedFile<'a>>;

/// A file, and the hash of its bytes so far.
pub(super) struct HashedFile<'a> {
    target: &'a mut dyn ExportTarget,
    hash: Sha256,
}

impl<'a> ExportFiles<'a> {
    pub(super) fn new(target: &'a mut dyn ExportTarget) -> Self {
        Self {
            target,
            taken: BTreeSet::new(),
            list: Vec::new(),
        }
    }

    /// Adds a file; `write` writes it, and returns the number of its rows. With a name, it is in a
    /// folder of its kind.
    pub(super) fn file(
        &mut self,
        content: Content<'_>,
        ending: &str,
        write: impl FnOnce(&mut ExportFile<'_>) -> Result<u64>,
    ) -> Result<()> {
        let path = self.free_path(content, ending);
        self.target.begin(&path)?;
        let file = HashedFile {
            target: &mut *self.target,
            hash: Sha256::new(),
        };
        let mut file = BufWriter::with_capacity(64 * 1024, file);
        let rows = write(&mut file)?;
        let written = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let digits = written.hash.finalize();
        let digits = digits.iter().map(|byte| format!("{byte:02x}"));
        let hash = digits.collect::<Vec<_>>().concat();
        self.target.end()?;
        let [kind, account, name] =
            [content.kind, content.account, content.name].map(str::to_owned);
        self.list
            .push([path, kind, account, name, rows.to_string(), hash]);
        Ok(())
    }

    fn free_path(&mut self, content: Content<'_>, ending: &str) -> String {
        let Content { kind, name, .. } = content;
        let stem = if name.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}/{}", plain(name))
        };
        let mut path = format!("{stem}.{ending}");
        let mut number = 1;
        while !self.taken.insert(path.to_lowercase()) {
            number += 1;
            path = format!("{stem}-{number}.{ending}");
        }
        path
    }

    /// Writes the list. Returns the number of its other files.
    pub(super) fn finish(mut self) -> Result<usize> {
        let list = std::mem::take(&mut self.list);
        self.file(Content::only(LIST), "csv", |file| {
            let mut table = csv::Writer::from_writer(file);
            table.write_record(["file", "content", "account", "name", "rows", "sha256"])?;
            list.iter().try_for_each(|row| table.write_record(row))?;
            table.flush()?;
            Ok(list.len() as u64)
        })?;
        Ok(list.len())
    }
}

impl<'a> Content<'a> {
    /// The only file of a kind.
    pub(super) const fn only(kind: &'a str) -> Self {
        Self {
            kind,
            account: "",
            name: "",
        }
    }
}

impl Write for HashedFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.target.write(bytes)?;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A name as that of a file, on any system.
fn plain(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let fitting = name.chars().map(|c| if fits(c) { c } else { '-' });
    fitting.take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn sensor(name: &str) -> Content<'_> {
        Content {
            kind: "readings",
            account: "home",
            name,
        }
    }

    /// The files in memory.
    #[derive(Default)]
    struct InMemory {
        files: BTreeMap<String, Vec<u8>>,
        open: Option<String>,
    }

    impl ExportTarget for InMemory {
        fn begin(&mut self, path: &str) -> Result<()> {
            assert_eq!(self.open.replace(path.to_owned()), None);
            assert_eq!(self.files.insert(path.to_owned(), Vec::new()), None);
            Ok(())
        }

        fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
            let open = self.open.as_ref().unwrap();
            self.files.get_mut(open).unwrap().extend_from_slice(bytes);
            Ok(())
        }

        fn end(&mut self) -> Result<()> {
            self.open.take().unwrap();
            Ok(())
        }
    }

    #[test]
    fn names_become_files_of_their_own() {
        let mut target = InMemory::default();
        let mut files = ExportFiles::new(&mut target);
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
        let paths = names.map(|name| files.free_path(sensor(name), "csv"));
        assert_eq!(
            paths[..7],
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
        assert_eq!(paths[7].len(), "readings/.csv".len() + LONGEST);
    }

    #[test]
    fn the_list_has_all_other_files() {
        let mut target = InMemory::default();
        let mut files = ExportFiles::new(&mut target);
        let write = |file: &mut ExportFile<'_>| {
            file.write_all(b"time\n")?;
            Ok(0)
        };
        files.file(sensor("house"), "csv", write).unwrap();
        assert_eq!(files.finish().unwrap(), 1);
        assert_eq!(target.open, None);
        assert_eq!(target.files["readings/house.csv"], b"time\n");
        let list = String::from_utf8(target.files["files.csv"].clone()).unwrap();
        // By sha256sum.
        let hash = "6e0447537050cf871f9ab6a3fec5715f9c6fff5212f6666993f1fc46b1f717a3";
        assert_eq!(
            list,
            format!(
                "file,content,account,name,rows,sha256\nreadings/house.csv,readings,home,house,0,{hash}\n"
            )
        );
    }
}
