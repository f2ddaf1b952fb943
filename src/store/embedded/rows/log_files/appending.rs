//! Appending to the log of rows, and what becomes of its files.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _};
use std::path::Path;

use crate::store::embedded::blocks::{VolumeRecord, Volumes};
use crate::store::embedded::engine::{WriteBatch, open, sync};
use crate::store::embedded::rows::chunk::{self, RowChunk};
use crate::store::embedded::rows::log_files::{KEY, bytes_of, folder, in_order};
use crate::store::error::StoreError;

/// Chunks that would make a file longer go into another one. Little in debug builds, which tests run, so that these have several files,
/// and write over some.
pub(super) const MAX_BYTES: usize = if cfg!(any(test, debug_assertions)) {
    4 * 1024
} else {
    256 * 1024
};
/// So many files are kept to be written over.
pub(super) const MOST_SPARE: usize = 2;

/// The files, being written by the committing thread.
pub(crate) struct LogFiles {
    files: Volumes,
    /// It stays open: without a descriptor left, a new file could not be made durable.
    folder: File,
    /// The numbers of the files in the order of their chunks, each with that of the first chunk which it may have. The last one is
    /// written to.
    pub(super) kept: VecDeque<(u32, u64)>,
    /// The numbers of files that may be written over.
    spare: Vec<u32>,
    /// The number of the next file that is made.
    next: u32,
    newest: File,
    /// The end of the last chunk in the newest file.
    pub(super) end: usize,
    /// Whether the newest file has chunks that are not synced.
    is_unsynced: bool,
    /// Whether there are chunks that the database does not name.
    is_ahead: bool,
    /// The number of the first chunk that the database, once it is synced, names.
    first_named: u64,
}

impl LogFiles {
    /// Opens the files in the data dir `dir`, of which `numbers` count. The chunks behind these are cut off.
    pub(crate) fn open(dir: &Path, numbers: &Range<u64>) -> Result<Self, StoreError> {
        let files = Volumes::in_folder(folder(dir));
        let prepare = || {
            match DirBuilder::new().mode(0o700).create(files.folder()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let folder = File::open(files.folder())?;
            let (mut kept, mut end) = (VecDeque::new(), 0);
            for file in in_order(&files)? {
                let bytes = bytes_of(&files, file.number)?;
                let records = file.records(&bytes);
                let named = records.filter(|(number, ..)| numbers.contains(number));
                if let Some((.., named_end)) = named.last() {
                    kept.push_back((file.number, file.chunks.start));
                    end = named_end;
                }
            }
            // The others are outdated, or were being written when the process ended.
            for file in files.numbers()? {
                if !kept.iter().any(|(kept, _)| *kept == file) {
                    fs::remove_file(files.path(file))?;
                }
            }
            if kept.is_empty() {
                kept.push_back((1, numbers.end));
            }
            let last = kept.back().map_or(1, |(file, _)| *file);
            let newest = open::to_write(&files.path(last))?;
            newest.set_len(end as u64)?;
            // The names, and that of the folder in the data dir, which may be new.
            folder.sync_all()?;
            File::open(dir)?.sync_all()?;
            Ok((folder, kept, newest, end))
        };
        let failed =
            |error| StoreError::io(format!("opening {}", files.folder().display()), &error);
        let (folder, kept, newest, end) = prepare().map_err(failed)?;
        let last = kept.iter().map(|(file, _)| *file).max();
        Ok(Self {
            files,
            folder,
            kept,
            spare: Vec::new(),
            next: last.unwrap_or_default().saturating_add(1),
            newest,
            end,
            is_unsynced: false,
            is_ahead: false,
            first_named: numbers.start,
        })
    }

    /// Appends chunks, the first of which has this number. They are durable after [`Self::name`].
    pub(crate) fn append(&mut self, first: u64, chunks: &[RowChunk]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (number, chunk) in (first..).zip(chunks) {
            let record = VolumeRecord {
                key: &chunk::key(number),
                value: &chunk.value,
            };
            record
                .write_to(&mut bytes)
                .ok_or_else(|| io::Error::other("a chunk of rows is too long"))?;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        if self.end > 0 && self.end + bytes.len() > MAX_BYTES {
            // First: a sync goes to the newest one only.
            self.sync()?;
            // Without one, for lack of descriptors, say, the file gets longer, which does no harm.
            if let Some((number, file)) = self.next_file()? {
                (self.newest, self.end) = (file, 0);
                self.kept.push_back((number, first));
            }
        }
        (self.is_unsynced, self.is_ahead) = (true, true);
        self.newest.write_all_at(&bytes, self.end as u64)?;
        sync::count_written(bytes.len());
        self.end += bytes.len();
        Ok(())
    }

    /// A file to be written over, or else a new one, which is durable and has its length already; `None` if none can be opened.
    fn next_file(&mut self) -> io::Result<Option<(u32, File)>> {
        let number = self.spare.last().copied();
        let number = number.unwrap_or(self.next);
        let file = match open::to_write(&self.files.path(number)) {
            Ok(file) => file,
            Err(error) => {
                log::debug!("a file of rows gets longer than usual: {error}");
                return Ok(None);
            }
        };
        if self.spare.pop().is_none() {
            file.write_all_at(&vec![0; MAX_BYTES], 0)?;
            sync::count_written(MAX_BYTES);
            file.sync_all()?;
            self.folder.sync_all()?;
            self.next = number.saturating_add(1);
        }
        Ok(Some((number, file)))
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.is_unsynced {
            sync::data(&self.newest)?;
            self.is_unsynced = false;
        }
        Ok(())
    }

    /// Makes the chunks durable, and lets the database name those of `numbers`.
    pub(crate) fn name(
        &mut self,
        numbers: &Range<u64>,
        meta: &sled::Tree,
        batch: &mut WriteBatch,
    ) -> io::Result<()> {
        self.sync()?;
        let value = [numbers.start, numbers.end].map(u64::to_le_bytes);
        batch.of(meta).insert(KEY, value.concat());
        self.first_named = numbers.start;
        self.is_ahead = false;
        Ok(())
    }

    /// Whether there are chunks that the database does not name.
    pub(crate) const fn is_ahead(&self) -> bool {
        self.is_ahead
    }

    /// Lets the files be written over of which the database names nothing, and removes those that are too many. It must be synced since
    /// it named something else.
    pub(crate) fn free_outdated(&mut self) {
        // The second begins after all chunks of the first.
        while let Some((_, second)) = self.kept.get(1)
            && *second <= self.first_named
            && let Some((file, _)) = self.kept.pop_front()
        {
            if self.spare.len() < MOST_SPARE {
                self.spare.push(file);
                continue;
            }
            let path = self.files.path(file);
            // The removal need not be durable: the next start repeats it, as it does if this fails.
            if let Err(error) = fs::remove_file(&path) {
                log::warn!(
                    "cannot remove {}, which is no longer needed: {error}",
                    path.display()
                );
            }
        }
    }
}
