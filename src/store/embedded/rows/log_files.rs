//! The files of the log of rows, in the folder `rows` of the data dir.
//!
//! They are volumes (`blocks/volumes.rs`): eight digits name each, and each is a sequence of records. The key of a record is the number
//! of a chunk, its value the chunk (`chunk.rs`). The next file begins once one has 256 KiB, and the first one is removed once no chunk
//! in it counts.
//!
//! `meta` has the numbers of the first chunk and of the one after the last under [`KEY`], both u64 little-endian. It names only chunks
//! that are synced, and a file goes only after the sync of what no longer names its chunks. So what `meta` names is there, or it is
//! missing because of damage. What comes behind it was being written when the process ended; the next start cuts it off.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _};
use std::path::{Path, PathBuf};

use crate::store::embedded::blocks::{VolumeRecord, VolumeRecords, Volumes};
use crate::store::embedded::engine::{WriteBatch, open, sync};
use crate::store::embedded::rows::chunk::{self, RowChunk};
use crate::store::error::StoreError;

/// The folder in the data dir.
const FOLDER: &str = "rows";
/// The key in `meta` of the numbers of the chunks.
pub(crate) const KEY: &str = "hot";
/// A file that is as long gets no more chunks. Few in tests, so that these have several files.
const LONG: u64 = if cfg!(test) { 4 * 1024 } else { 256 * 1024 };

/// The folder of the files in the data dir `dir`.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join(FOLDER)
}

/// The numbers of the chunks that the database names.
pub(crate) fn numbers(meta: &sled::Tree) -> Result<Range<u64>, StoreError> {
    let Some(value) = meta.get(KEY)? else {
        return Ok(0..0);
    };
    let numbers = value
        .split_first_chunk::<8>()
        .and_then(|(first, end)| Some((*first, <[u8; 8]>::try_from(end).ok()?)));
    let (first, end) = numbers.ok_or_else(|| {
        let value = value.escape_ascii();
        StoreError::Damaged(format!("invalid numbers of the chunks of rows: {value}"))
    })?;
    Ok(u64::from_le_bytes(first)..u64::from_le_bytes(end))
}

/// Calls `each` with the chunks of these numbers, in order.
///
/// # Errors
/// Those of `each`, [`StoreError::Io`], and [`StoreError::Damaged`] if a chunk is missing.
pub(crate) fn read(
    files: &Volumes,
    numbers: &Range<u64>,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(format!("reading {}", files.folder().display()), &error);
    let mut next = numbers.start;
    for file in files.numbers().map_err(failed)? {
        let bytes = match fs::read(files.path(file)) {
            // It was removed meanwhile: nothing in it counts.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            bytes => bytes.map_err(failed)?,
        };
        for (number, record, _) in intact(&bytes).filter(|it| numbers.contains(&it.0)) {
            if number != next {
                return Err(missing(next, numbers));
            }
            each(number, record.value)?;
            next = next.wrapping_add(1);
        }
    }
    if next == numbers.end {
        Ok(())
    } else {
        Err(missing(next, numbers))
    }
}

/// The records up to the first that is damaged or incomplete: the number of each, and its end. What comes behind that may be a part of
/// it, which clients uploaded, and which looks like a record.
fn intact(bytes: &[u8]) -> impl Iterator<Item = (u64, VolumeRecord<'_>, usize)> {
    let mut end = 0;
    VolumeRecords::from(bytes, 0).map_while(move |(at, record)| {
        let is_next = at == end;
        end = at + record.length();
        let number = chunk::number_of(record.key).ok().filter(|_| is_next)?;
        Some((number, record, end))
    })
}

/// The error for chunks that are not those of `numbers`: up to `number`, they are.
fn missing(number: u64, numbers: &Range<u64>) -> StoreError {
    let Range { start, end } = numbers;
    StoreError::Damaged(format!(
        "the chunks of hot rows should be those from {start} to before {end}: {number} is missing or cannot be read"
    ))
}

/// The files, being written by the committing thread.
pub(crate) struct LogFiles {
    files: Volumes,
    /// It stays open: without a descriptor left, a new file could not be made durable.
    folder: File,
    /// The numbers of the files, each with that of the first chunk which it may have. The last one is written to.
    kept: VecDeque<(u32, u64)>,
    newest: File,
    /// The length of the newest file.
    end: u64,
    /// Whether the newest file has chunks that are not synced.
    is_unsynced: bool,
    /// Whether there are chunks that the database does not name.
    is_ahead: bool,
    /// Whether the name of the newest file is not durable.
    is_unnamed: bool,
    /// The number of the first chunk that the database, once it is synced, names.
    first_named: u64,
}

impl LogFiles {
    /// Opens the files in the data dir `dir`, of which `numbers` count. The chunks behind these are cut off.
    pub(crate) fn open(dir: &Path, numbers: &Range<u64>) -> Result<Self, StoreError> {
        let files = Volumes::in_folder(folder(dir));
        let read = || {
            match DirBuilder::new().mode(0o700).create(files.folder()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let folder = File::open(files.folder())?;
            let (mut kept, mut end) = (VecDeque::new(), 0);
            let mut first = numbers.start;
            for file in files.numbers()? {
                let bytes = fs::read(files.path(file))?;
                let named = intact(&bytes).filter(|it| numbers.contains(&it.0));
                let Some((last, _, named_end)) = named.last() else {
                    // Outdated, or being written when the process ended.
                    fs::remove_file(files.path(file))?;
                    continue;
                };
                kept.push_back((file, first));
                first = last.saturating_add(1);
                end = named_end as u64;
            }
            let number = kept.back().map_or(1, |(file, _)| *file);
            let newest = open::to_write(&files.path(number))?;
            newest.set_len(end)?;
            if kept.is_empty() {
                kept.push_back((number, first));
            }
            // The folder itself may be new: its name is in the data dir.
            folder.sync_all()?;
            File::open(dir)?.sync_all()?;
            Ok((folder, kept, newest, end))
        };
        let failed =
            |error| StoreError::io(format!("opening {}", files.folder().display()), &error);
        let (folder, kept, newest, end) = read().map_err(failed)?;
        Ok(Self {
            files,
            folder,
            kept,
            newest,
            end,
            is_unsynced: false,
            is_ahead: false,
            is_unnamed: false,
            first_named: numbers.start,
        })
    }

    /// Appends chunks, the first of which has this number. They are durable after [`Self::name`].
    pub(crate) fn append(&mut self, first: u64, chunks: &[RowChunk]) -> io::Result<()> {
        if chunks.is_empty() {
            return Ok(());
        }
        if self.end >= LONG {
            self.begin_file(first)?;
        }
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
        (self.is_unsynced, self.is_ahead) = (true, true);
        self.newest.write_all_at(&bytes, self.end)?;
        sync::count_written(bytes.len());
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn begin_file(&mut self, first: u64) -> io::Result<()> {
        // First: a sync goes to the newest one only.
        self.sync()?;
        let last = self.kept.back().map_or(0, |(file, _)| *file);
        let number = last.saturating_add(1);
        match open::to_write(&self.files.path(number)) {
            Ok(file) => {
                self.newest = file;
                self.end = 0;
                self.is_unnamed = true;
                self.kept.push_back((number, first));
            }
            // Without a descriptor left, say: a long file does no harm.
            Err(error) => log::debug!("a file of rows gets longer than usual: {error}"),
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.is_unsynced {
            sync::data(&self.newest)?;
            self.is_unsynced = false;
        }
        if self.is_unnamed {
            self.folder.sync_all()?;
            self.is_unnamed = false;
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

    /// Removes the files of which the database names nothing. It must be synced since it named something else.
    pub(crate) fn remove_outdated(&mut self) {
        // The second begins after all chunks of the first.
        while let Some((_, second)) = self.kept.get(1)
            && *second <= self.first_named
            && let Some((file, _)) = self.kept.pop_front()
        {
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Key and chunk of each record.
    pub(crate) type Chunks = Vec<(Vec<u8>, Vec<u8>)>;

    /// Changes the chunks in `files`, which are all in one file afterwards.
    pub(crate) fn rewrite(files: &Volumes, change: impl FnOnce(&mut Chunks)) {
        let (mut chunks, mut bytes) = (Chunks::new(), Vec::new());
        let numbers = files.numbers().unwrap();
        let (newest, older) = numbers.split_last().unwrap();
        for file in &numbers {
            let content = fs::read(files.path(*file)).unwrap();
            let records = VolumeRecords::from(&content, 0);
            chunks.extend(records.map(|(_, it)| (it.key.to_vec(), it.value.to_vec())));
        }
        change(&mut chunks);
        for (key, value) in &chunks {
            VolumeRecord { key, value }.write_to(&mut bytes).unwrap();
        }
        fs::write(files.path(*newest), bytes).unwrap();
        for file in older {
            fs::remove_file(files.path(*file)).unwrap();
        }
    }

    struct FilesBench {
        dir: tempfile::TempDir,
        meta: sled::Tree,
        files: LogFiles,
    }

    impl FilesBench {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let db = sled::open(dir.path().join("sled")).unwrap();
            Self {
                files: LogFiles::open(dir.path(), &(0..0)).unwrap(),
                meta: db.open_tree("meta").unwrap(),
                dir,
            }
        }

        fn append(&mut self, numbers: Range<u64>) {
            let chunks: Vec<RowChunk> = numbers.clone().map(content).collect();
            self.files.append(numbers.start, &chunks).unwrap();
        }

        fn name(&mut self, numbers: &Range<u64>) {
            let mut batch = WriteBatch::default();
            self.files.name(numbers, &self.meta, &mut batch).unwrap();
            batch.apply().unwrap();
            self.files.remove_outdated();
        }

        fn volumes(&self) -> Volumes {
            Volumes::in_folder(folder(self.dir.path()))
        }

        fn lengths(&self) -> Vec<u64> {
            let volumes = self.volumes();
            let numbers = volumes.numbers().unwrap();
            let length = |file| fs::metadata(volumes.path(file)).unwrap().len();
            numbers.into_iter().map(length).collect()
        }

        /// Reads the chunks that the database names.
        fn read(&self) -> Result<Vec<u64>, StoreError> {
            let mut found = Vec::new();
            read(&self.volumes(), &numbers(&self.meta)?, |number, value| {
                assert_eq!(value, content(number).value);
                found.push(number);
                Ok(())
            })?;
            Ok(found)
        }

        fn reopen(&mut self) {
            let numbers = numbers(&self.meta).unwrap();
            self.files = LogFiles::open(self.dir.path(), &numbers).unwrap();
        }
    }

    /// A chunk of half a kilobyte that its number determines.
    fn content(number: u64) -> RowChunk {
        RowChunk {
            value: number.to_le_bytes().repeat(64),
            weight: 1,
        }
    }

    #[test]
    fn chunks_that_are_named_are_read_and_their_files_stay() {
        let mut bench = FilesBench::new();
        assert_eq!(bench.read().unwrap(), Vec::<u64>::new());
        for end in 1..100 {
            bench.append(end - 1..end);
            let named = end.saturating_sub(20)..end;
            bench.name(&named);
            assert_eq!(bench.read().unwrap(), named.collect::<Vec<_>>());
            // Twenty chunks, and what is left of the first file.
            assert!(bench.lengths().len() <= 4, "{:?}", bench.lengths());
            if end % 7 == 0 {
                bench.reopen();
            }
        }
    }

    #[test]
    fn what_is_not_named_is_cut_off_by_the_next_start() {
        let mut bench = FilesBench::new();
        bench.append(0..3);
        bench.name(&(0..3));
        let named = bench.lengths();
        // Into several files.
        for number in 3..30 {
            bench.append(number..number + 1);
        }
        assert!(bench.files.is_ahead() && bench.lengths().len() > 2);
        assert_eq!(bench.read().unwrap(), [0, 1, 2]);
        bench.reopen();
        assert_eq!(bench.lengths(), named);
        assert!(!bench.files.is_ahead());
        bench.append(3..4);
        bench.name(&(1..4));
        assert_eq!(bench.read().unwrap(), [1, 2, 3]);
    }

    /// A client can upload what looks like a record. It is none where the record around it is torn.
    #[test]
    fn what_is_in_a_torn_record_is_none() {
        let mut bench = FilesBench::new();
        bench.append(0..3);
        bench.name(&(0..3));
        let (path, named) = (bench.volumes().path(1), bench.lengths());
        let mut forged = Vec::new();
        let record = VolumeRecord {
            key: &chunk::key(2),
            value: b"forged",
        };
        record.write_to(&mut forged).unwrap();
        let torn = [fs::read(&path).unwrap(), b"torn".to_vec(), forged].concat();
        fs::write(&path, torn).unwrap();
        assert_eq!(bench.read().unwrap(), [0, 1, 2]);
        bench.reopen();
        assert_eq!(bench.lengths(), named);
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let mut bench = FilesBench::new();
        for number in 0..12 {
            bench.append(number..number + 1);
        }
        bench.name(&(0..12));
        assert_eq!(bench.lengths().len(), 2);
        let refused = |bench: &FilesBench| {
            let error = bench.read().unwrap_err().to_string();
            assert!(error.contains("is missing or cannot be read"), "{error}");
        };
        for file in bench.volumes().numbers().unwrap() {
            let path = bench.volumes().path(file);
            let whole = fs::read(&path).unwrap();
            for place in (0..whole.len()).step_by(5) {
                let mut damaged = whole.clone();
                damaged[place] ^= 0x10;
                fs::write(&path, &damaged).unwrap();
                refused(&bench);
                fs::write(&path, &whole[..place]).unwrap();
                refused(&bench);
            }
            fs::remove_file(&path).unwrap();
            refused(&bench);
            fs::write(&path, &whole).unwrap();
            assert_eq!(bench.read().unwrap().len(), 12);
        }
    }

    /// Without descriptors left, say.
    #[test]
    fn a_file_that_cannot_be_followed_gets_longer() {
        let mut bench = FilesBench::new();
        let next = bench.volumes().path(2);
        fs::create_dir(&next).unwrap();
        for number in 0..30 {
            bench.append(number..number + 1);
        }
        bench.name(&(0..30));
        fs::remove_dir(&next).unwrap();
        assert_eq!(bench.read().unwrap().len(), 30);
        assert_eq!(bench.lengths().len(), 1);
        bench.append(30..31);
        assert_eq!(bench.lengths().len(), 2);
    }
}
