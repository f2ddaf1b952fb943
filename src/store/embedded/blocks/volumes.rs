//! Volumes: append-only files that hold the bytes of blocks, in the folder `blocks` of the data dir. The log of rows has some of its
//! own (`rows/log_files/mod.rs`).
//!
//! sled rewrites a whole page whenever one of its values changes, and leaves segments half empty, so blocks would take a
//! multiple of their size there. The tree `blocks` holds only their locations.
//!
//! A volume is named by its number, eight digits, and has up to two megabytes. It is a sequence of records:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..4 | `wkb1`: lets readers find the next record after damage |
//! | 4..8 | CRC-32 of all that follows, little-endian |
//! | 8..12 | length of the value, u32 little-endian |
//! | 12 | length of the key |
//! | 13.. | the key (`records/keys.rs`), the value: the block (`block/`) |
//!
//! So a record can be identified without the database. Whatever no location refers to, as after a crash, is garbage. A
//! location, the value in the tree:
//!
//! | bytes | content |
//! | --- | --- |
//! | 0 | version, 1 |
//! | 1..5 | number of the volume, u32 little-endian |
//! | 5..9 | offset of the record, u32 little-endian |
//! | 9..13 | length of the record, u32 little-endian |

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::store::error::StoreError;

/// The folder in the data dir.
const FOLDER: &str = "blocks";
/// A record that would make a volume longer goes into the next one.
pub(crate) const MAX_BYTES: usize = 2 * 1024 * 1024;
/// The most volumes kept open for reading: connections need descriptors, too.
const MOST_OPEN: usize = 8;
const MARK: [u8; 4] = *b"wkb1";
const CHECKED_FROM: usize = 8;
const HEAD_BYTES: usize = 13;
const VERSION: u8 = 1;

/// The location of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Location {
    pub(crate) volume: u32,
    pub(crate) offset: u32,
    /// Of the whole record.
    pub(crate) length: u32,
}

impl Location {
    /// The location of a record of `length` bytes at `offset`. A volume is far shorter than 4 GiB, so both fit.
    pub(crate) fn new(volume: u32, offset: usize, length: usize) -> Self {
        Self {
            volume,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            length: u32::try_from(length).unwrap_or(u32::MAX),
        }
    }

    /// Encodes the location as a value of the tree.
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut value = vec![VERSION];
        for number in [self.volume, self.offset, self.length] {
            value.extend(number.to_le_bytes());
        }
        value
    }

    /// Decodes a value of the tree.
    pub(crate) fn decode(value: &[u8]) -> Option<Self> {
        let (version, mut rest) = value.split_first()?;
        let mut number = || {
            let (number, behind) = rest.split_first_chunk::<4>()?;
            rest = behind;
            Some(u32::from_le_bytes(*number))
        };
        let location = Self {
            volume: number()?,
            offset: number()?,
            length: number()?,
        };
        (*version == VERSION && rest.is_empty()).then_some(location)
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
    /// Those of blocks in the data dir `dir`. Reads nothing.
    pub(crate) fn of(dir: &Path) -> Self {
        Self::in_folder(folder(dir))
    }

    /// Those in `folder`. Reads nothing.
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

    /// Reads the block of `key` at `location`. The caller ensures that the tree still holds the location: a volume that it
    /// no longer refers to may be removed.
    pub(crate) fn read(&self, location: Location, key: &[u8]) -> Result<Vec<u8>, StoreError> {
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
        let record = VolumeRecord::first_of(&bytes).ok_or_else(|| damaged("checksum mismatch"))?;
        // A page that sled reverted may hold an old location, where another record is valid in itself.
        if record.key != key || record.length() != length {
            return Err(damaged("it is the record of another block"));
        }
        // The block is the end of the record: drop what precedes it instead of copying the block.
        let head = length - record.value.len();
        bytes.drain(..head);
        Ok(bytes)
    }

    fn file(&self, volume: u32) -> io::Result<Arc<File>> {
        // Locked while a file is opened, so that several readers do not open it at once.
        let mut open = self.opened();
        let found = open.iter().position(|(number, _)| *number == volume);
        // Taken out and put last: the first one is closed when there are too many.
        let file = match found {
            Some(place) => open.remove(place).1,
            None => Arc::new(File::open(self.path(volume))?),
        };
        if open.len() >= MOST_OPEN {
            // Readers that still use the file hold an `Arc` of it: it closes after the last of them.
            open.remove(0);
        }
        open.push((volume, Arc::clone(&file)));
        Ok(file)
    }

    /// Closes a volume that is to be removed, so that the system frees its space.
    pub(crate) fn close(&self, volume: u32) {
        self.opened().retain(|(number, _)| *number != volume);
    }

    fn opened(&self) -> MutexGuard<'_, Vec<(u32, Arc<File>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folder of the volumes of blocks in the data dir `dir`.
pub(crate) fn folder(dir: &Path) -> PathBuf {
    dir.join(FOLDER)
}

/// A valid record.
pub(crate) struct VolumeRecord<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) value: &'a [u8],
}

impl<'a> VolumeRecord<'a> {
    /// Its length in bytes.
    pub(crate) const fn length(&self) -> usize {
        HEAD_BYTES + self.key.len() + self.value.len()
    }

    /// Appends its bytes to `bytes`; `None` if key or value is too long.
    pub(crate) fn write_to(&self, bytes: &mut Vec<u8>) -> Option<()> {
        let key_length = u8::try_from(self.key.len()).ok()?;
        let value_length = u32::try_from(self.value.len()).ok()?;
        let mut hasher = crc32fast::Hasher::new();
        let lengths = [&value_length.to_le_bytes()[..], &[key_length]].concat();
        let checked = [&lengths, self.key, self.value];
        for part in checked {
            hasher.update(part);
        }
        bytes.extend(MARK);
        bytes.extend(hasher.finalize().to_le_bytes());
        for part in checked {
            bytes.extend_from_slice(part);
        }
        Some(())
    }

    /// The record at the start of `bytes`.
    fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&MARK)?;
        let (checksum, rest) = rest.split_first_chunk::<4>()?;
        let (value_length, rest) = rest.split_first_chunk::<4>()?;
        let value_length = usize::try_from(u32::from_le_bytes(*value_length)).ok()?;
        let (key_length, rest) = rest.split_first()?;
        let (key, rest) = rest.split_at_checked((*key_length).into())?;
        let value = rest.get(..value_length)?;
        let record = Self { key, value };
        let checked = bytes.get(CHECKED_FROM..record.length())?;
        (crc32fast::hash(checked) == u32::from_le_bytes(*checksum)).then_some(record)
    }
}

/// The valid records of a volume in order, each with its offset. Skips damaged and incomplete ones.
pub(crate) struct VolumeRecords<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> VolumeRecords<'a> {
    /// The records in `bytes`, the content of a volume, from the offset `at` on.
    pub(crate) const fn from(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }
}

impl<'a> Iterator for VolumeRecords<'a> {
    type Item = (usize, VolumeRecord<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            // The first bytes, unless the record before is damaged: then its length is not to be trusted either.
            let begin = rest.windows(MARK.len()).position(|bytes| bytes == MARK)?;
            let (at, rest) = (self.at + begin, rest.get(begin..)?);
            if let Some(record) = VolumeRecord::first_of(rest) {
                self.at = at + record.length();
                return Some((at, record));
            }
            // The mark was part of a damaged record or of a block.
            self.at = at + 1;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes a block of `key` to a volume of its own.
    pub(crate) fn put(volumes: &Volumes, key: &[u8], block: &[u8]) -> Location {
        let mut bytes = Vec::new();
        VolumeRecord { key, value: block }
            .write_to(&mut bytes)
            .unwrap();
        let volume = volumes.numbers().unwrap().last().map_or(1, |last| last + 1);
        fs::create_dir_all(volumes.folder()).unwrap();
        fs::write(volumes.path(volume), &bytes).unwrap();
        Location::new(volume, 0, bytes.len())
    }

    fn volume(blocks: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (key, block) in blocks {
            let (key, block) = (key.as_bytes(), block.as_bytes());
            VolumeRecord { key, value: block }
                .write_to(&mut bytes)
                .unwrap();
        }
        bytes
    }

    fn found(bytes: &[u8]) -> Vec<(usize, &str, &str)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        VolumeRecords::from(bytes, 0)
            .map(|(at, record)| (at, text(record.key), text(record.value)))
            .collect()
    }

    #[test]
    fn locations_round_trip() {
        let location = Location {
            volume: 7,
            offset: 70_000,
            length: 700,
        };
        let value = location.encode();
        assert_eq!(Location::decode(&value), Some(location));
        assert_eq!(Location::decode(&value[..12]), None);
        assert_eq!(Location::decode(&[&value[..], &[0]].concat()), None);
        assert_eq!(Location::decode(&[&[2], &value[1..]].concat()), None);
    }

    /// Whatever byte is damaged, only its record is gone; and so where a volume ends too early.
    #[test]
    fn records_are_found_past_damage() {
        // One with the mark in it.
        let blocks = [
            ("a", "first"),
            ("b", "wkb1wkb1wkb1wkb1"),
            ("c", ""),
            ("d", "last"),
        ];
        let whole = volume(&blocks);
        let all = found(&whole);
        assert_eq!(all.len(), 4);
        let ends = [all[1].0, all[2].0, all[3].0, whole.len()];
        for place in 0..whole.len() {
            let hit = ends.iter().position(|end| place < *end).unwrap();
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            let mut left = all.clone();
            left.remove(hit);
            assert_eq!(found(&damaged), left, "{place}");
            assert_eq!(found(&whole[..place]), all[..hit], "{place}");
        }
        let torn = [&whole[..ends[0] + 9], &whole[..]].concat();
        assert_eq!(found(&torn).len(), 5);
    }

    #[test]
    fn a_record_is_read_or_it_is_said_why_not() {
        let dir = tempfile::tempdir().unwrap();
        let volumes = Volumes::of(dir.path());
        assert_eq!(volumes.numbers().unwrap(), Vec::<u32>::new());
        let locations: Vec<Location> = (0..20_u8).map(|n| put(&volumes, &[n], &[n; 9])).collect();
        // More of them than are kept open, each more than once.
        for _ in 0..2 {
            for (n, location) in (0..20_u8).zip(&locations) {
                assert_eq!(volumes.read(*location, &[n]).unwrap(), [n; 9]);
            }
        }
        assert_eq!(volumes.opened().len(), MOST_OPEN);
        let refused = |location, key: &[u8]| volumes.read(location, key).unwrap_err().to_string();
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
