//! Volumes: append-only files with the bytes of blocks, in the folder `blocks` of the data dir.
//!
//! A volume is named by its number, eight digits, and has up to two megabytes. It is a sequence of
//! records (`disk/record.rs`). The number of a record is that of the commit that made the block.
//! Keys: length of the block's key, 1 byte; the key (`records/keys.rs`); its number less the last
//! durable position of the log, a varint; the summary (`summary_record`). Values: the block (`block/`).
//!
//! So all blocks can be recovered from the volumes alone. Records that the log does not refer to,
//! as after a crash, are garbage.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::locks::lock;
use crate::store::blocks::block::varint;
use crate::store::embedded::disk::record::{self, Mark, StoredRecord};
use crate::store::error::StoreError;

/// The folder in the data dir.
const FOLDER: &str = "blocks";
/// A record that would make a volume longer goes into the next one.
pub(crate) const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The most volumes kept open for reading: connections need descriptors, too.
const MOST_OPEN: usize = 8;

/// The location of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Location {
    pub(crate) volume: u32,
    pub(crate) offset: u32,
    /// Of the whole record.
    pub(crate) length: u32,
}

impl Location {
    /// Creates the location of a record of `length` bytes at `offset`. A volume is far shorter than
    /// 4 GiB, so both fit.
    pub(crate) fn new(volume: u32, offset: usize, length: usize) -> Self {
        Self {
            volume,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    /// Appends the location, as three varints.
    pub(crate) fn put(self, bytes: &mut Vec<u8>) {
        for number in [self.volume, self.offset, self.length] {
            varint::put(bytes, number.into());
        }
    }

    /// Reads a location; `None` if the bytes are invalid.
    pub(crate) fn take(rest: &mut &[u8]) -> Option<Self> {
        let mut number = || u32::try_from(varint::take(rest).ok()?).ok();
        Some(Self {
            volume: number()?,
            offset: number()?,
            length: number()?,
        })
    }

    /// The offset after the record.
    pub(crate) fn end(self) -> u64 {
        u64::from(self.offset) + u64::from(self.length)
    }
}

/// The volumes of a store, for reading.
pub(crate) struct Volumes {
    folder: PathBuf,
    /// In order of use, the latest last.
    open: Mutex<Vec<(u32, Arc<File>)>>,
}

impl Volumes {
    /// Opens the volumes of blocks in the data dir `dir`. Reads nothing.
    pub(crate) fn of(dir: &Path) -> Self {
        Self::in_folder(folder(dir))
    }

    /// Opens the volumes in `folder`. Reads nothing.
    pub(crate) const fn in_folder(folder: PathBuf) -> Self {
        Self {
            folder,
            open: Mutex::new(Vec::new()),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn path(&self, volume: u32) -> PathBuf {
        self.folder.join(format!("{volume:08}"))
    }

    /// The numbers of the existing volumes, ascending.
    pub(crate) fn numbers(&self) -> io::Result<Vec<u32>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let number = name.to_str().and_then(|name| name.parse::<u32>().ok());
            // Ignore foreign files such as `1` or `00000001.bak`.
            numbers.extend(number.filter(|number| *name == *format!("{number:08}")));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Reads the block of `key` at `location`, made by the commit with this number. The caller
    /// ensures that the index still contains the location: a volume without references may be
    /// removed.
    pub(crate) fn read(
        &self,
        location: Location,
        key: &[u8],
        number: u64,
        mark: Mark,
    ) -> Result<Vec<u8>, StoreError> {
        let path = self.path(location.volume);
        let damaged = |why: &str| {
            StoreError::Damaged(format!("{} at {}: {why}", path.display(), location.offset))
        };
        let length = usize::try_from(location.length).unwrap_or(usize::MAX);
        // Checked before allocating: the location may be damaged.
        if length > MAX_BYTES {
            return Err(damaged("impossible length of the record"));
        }
        let mut bytes = vec![0; length];
        let file = self.file(location.volume);
        // A positioned read: readers share the descriptor, and must not move each other's offset.
        let read = file.and_then(|file| file.read_exact_at(&mut bytes, location.offset.into()));
        read.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => damaged("the file is missing"),
            io::ErrorKind::UnexpectedEof => damaged("the file ends too early"),
            _ => StoreError::io(format!("reading {}", path.display()), &error),
        })?;
        let record = record::at(&bytes, 0, mark).filter(|record| record.values.is_some());
        let record = record.ok_or_else(|| damaged("checksum mismatch"))?;
        let found = VolumeRecord::of(&record);
        let found = found.filter(|it| it.key == key && it.number == number);
        let block = found
            .and_then(|it| it.block)
            .filter(|_| record.length == length);
        let block = block.ok_or_else(|| damaged("it is the record of another block"))?;
        // The block is the end of the record: remove the bytes before it instead of copying the
        // block.
        let head = length - block.len();
        bytes.drain(..head);
        Ok(bytes)
    }

    fn file(&self, volume: u32) -> io::Result<Arc<File>> {
        // Locked while a file is opened, so that several readers do not open it at once.
        let mut open = lock(&self.open);
        let found = open.iter().position(|(number, _)| *number == volume);
        // Taken out and put last: the first one is closed when there are too many.
        let file = match found {
            Some(place) => open.remove(place).1,
            None => Arc::new(File::open(self.path(volume))?),
        };
        if open.len() >= MOST_OPEN {
            // Readers that still use the file hold an `Arc` of it: it closes after the last of
            // them.
            open.remove(0);
        }
        open.push((volume, Arc::clone(&file)));
        Ok(file)
    }

    /// Closes a volume that is to be removed, so that the system frees its space.
    pub(crate) fn close(&self, volume: u32) {
        lock(&self.open).retain(|(number, _)| *number != volume);
    }
}

/// The folder of the volumes of blocks in the data dir `dir`.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join(FOLDER)
}

/// A record of a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VolumeRecord<'a> {
    pub(crate) key: &'a [u8],
    /// The number of the commit that made the block.
    pub(crate) number: u64,
    /// The last durable position of the log when it was written: a log that ends before it is older.
    pub(crate) durable: u64,
    /// Encoded (`summary_record`).
    pub(crate) summary: &'a [u8],
    /// `None` if it is damaged.
    pub(crate) block: Option<&'a [u8]>,
}

impl<'a> VolumeRecord<'a> {
    pub(crate) fn of(record: &StoredRecord<'a>) -> Option<Self> {
        let (length, rest) = record.keys.split_first()?;
        let (key, mut summary) = rest.split_at_checked(usize::from(*length))?;
        let behind = varint::take(&mut summary).ok()?;
        Some(Self {
            key,
            number: record.number,
            durable: record.number.checked_sub(behind)?,
            summary,
            block: record.values,
        })
    }

    /// Appends its bytes; `None` if the key is too long.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>, mark: Mark) -> Option<()> {
        let mut keys = vec![u8::try_from(self.key.len()).ok()?];
        keys.extend_from_slice(self.key);
        varint::put(&mut keys, self.number.saturating_sub(self.durable));
        keys.extend_from_slice(self.summary);
        record::put(bytes, mark, self.number, &keys, self.block?);
        Some(())
    }
}

/// The records in `bytes`, the content of a volume, from the offset `from` on, each with its offset
/// and its length.
pub(crate) fn records_from(
    bytes: &[u8],
    from: usize,
    mark: Mark,
) -> impl Iterator<Item = (usize, usize, VolumeRecord<'_>)> {
    let rest = bytes.get(from..).unwrap_or_default();
    record::all(rest, mark).filter_map(move |record| {
        let of_block = VolumeRecord::of(&record)?;
        Some((from + record.at, record.length, of_block))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const MARK: Mark = Mark(*b"ourstore");
    /// The commit number of the blocks that [`put`] writes.
    pub(crate) const NUMBER: u64 = 7;

    /// Writes a block of `key` to a volume of its own.
    pub(crate) fn put(volumes: &Volumes, key: &[u8], block: &[u8], mark: Mark) -> Location {
        let mut bytes = Vec::new();
        let record = VolumeRecord {
            key,
            number: NUMBER,
            durable: NUMBER - 1,
            summary: b"summary",
            block: Some(block),
        };
        record.write_to(&mut bytes, mark).unwrap();
        let volume = volumes.numbers().unwrap().last().map_or(1, |last| last + 1);
        fs::create_dir_all(volumes.folder()).unwrap();
        fs::write(volumes.path(volume), &bytes).unwrap();
        Location::new(volume, 0, bytes.len())
    }

    #[test]
    fn locations_round_trip() {
        let location = Location {
            volume: 7,
            offset: 70_000,
            length: 700,
        };
        let mut bytes = Vec::new();
        location.put(&mut bytes);
        assert_eq!(Location::take(&mut bytes.as_slice()), Some(location));
        let end = bytes.len() - 1;
        assert_eq!(Location::take(&mut &bytes[..end]), None);
    }

    #[test]
    fn a_record_is_read_or_it_is_said_why_not() {
        let dir = tempfile::tempdir().unwrap();
        let volumes = Volumes::of(dir.path());
        assert_eq!(volumes.numbers().unwrap(), Vec::<u32>::new());
        let locations: Vec<Location> = (0..20_u8)
            .map(|n| put(&volumes, &[n], &[n; 9], MARK))
            .collect();
        // More than are kept open, each more than once.
        for _ in 0..2 {
            for (n, location) in (0..20_u8).zip(&locations) {
                assert_eq!(volumes.read(*location, &[n], NUMBER, MARK).unwrap(), [n; 9]);
            }
        }
        assert_eq!(lock(&volumes.open).len(), MOST_OPEN);
        let refused = |location, key: &[u8]| {
            let read = volumes.read(location, key, NUMBER, MARK);
            read.unwrap_err().to_string()
        };
        let first = locations[0];
        assert!(refused(first, &[1]).contains("another block"));
        let cut = Location {
            length: first.length - 1,
            ..first
        };
        assert!(refused(cut, &[0]).contains("checksum"));
        let beyond = Location { offset: 5, ..first };
        assert!(refused(beyond, &[0]).contains("ends too early"));
        let long = Location {
            length: u32::MAX,
            ..first
        };
        assert!(refused(long, &[0]).contains("impossible length"));
        let missing = Location {
            volume: 99,
            ..first
        };
        assert!(refused(missing, &[0]).contains("00000099 at 0: the file is missing"));
        fs::write(volumes.folder().join("123"), b"somebody else's").unwrap();
        fs::write(volumes.folder().join("notes.txt"), b"somebody else's").unwrap();
        assert_eq!(volumes.numbers().unwrap(), (1..=20).collect::<Vec<u32>>());
    }
}
