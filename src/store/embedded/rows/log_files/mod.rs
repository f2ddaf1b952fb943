//! The files of the log of rows, in the folder `rows` of the data dir.
//!
//! They are volumes (`blocks/volumes.rs`): eight digits name each, and each is a sequence of records. The key of a record is the number
//! of a chunk, its value the chunk (`chunk.rs`). Numbers are consecutive. A file has up to 256 KiB; then another one goes on, be it new or one
//! whose chunks no longer count, which is written over. So a sync seldom stores more than content. A file begins with a record, and has
//! those up to the first of another file; behind its last one there may be anything.
//!
//! `meta` has the numbers of the first chunk and of the one after the last under [`KEY`], both u64 little-endian. It names only chunks
//! that are synced, and a file is written over or removed only after the sync of what no longer names its chunks. So what `meta` names
//! is there, or it is missing because of damage. What comes behind it was being written when the process ended; the next start cuts it
//! off.
//!
//! Here they are read.
//!
//! | file | content |
//! | --- | --- |
//! | `appending` | what the committing thread does with them |

mod appending;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

pub(crate) use self::appending::LogFiles;
use crate::store::embedded::blocks::{VolumeRecord, VolumeRecords, Volumes};
use crate::store::embedded::rows::chunk;
use crate::store::error::StoreError;

/// The folder in the data dir.
const FOLDER: &str = "rows";
/// The key in `meta` of the numbers of the chunks.
pub(crate) const KEY: &str = "hot";

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
    for file in in_order(files).map_err(failed)? {
        let bytes = bytes_of(files, file.number).map_err(failed)?;
        for (number, record, _) in file.records(&bytes).filter(|it| numbers.contains(&it.0)) {
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

/// A file and its place in the log.
struct LogFile {
    number: u32,
    /// The numbers of the chunks that it may have.
    chunks: Range<u64>,
}

/// The files that begin with a whole record, in the order of their chunks.
fn in_order(files: &Volumes) -> io::Result<Vec<LogFile>> {
    let mut found = Vec::new();
    for number in files.numbers()? {
        let bytes = bytes_of(files, number)?;
        found.extend(first_in(&bytes).map(|first| (number, first)));
    }
    Ok(ordered(found))
}

/// Files in the order of their chunks, given the number of each and that of its first chunk.
fn ordered(mut found: Vec<(u32, u64)>) -> Vec<LogFile> {
    found.sort_by_key(|(_, first)| *first);
    let ends = found.iter().skip(1).map(|(_, first)| *first);
    let ends: Vec<u64> = ends.chain([u64::MAX]).collect();
    let files = found.into_iter().zip(ends);
    files
        .map(|((number, first), end)| LogFile {
            number,
            chunks: first..end,
        })
        .collect()
}

/// The number of the chunk with which a file begins.
fn first_in(bytes: &[u8]) -> Option<u64> {
    let (at, record) = VolumeRecords::from(bytes, 0).next()?;
    chunk::number_of(record.key).ok().filter(|_| at == 0)
}

fn bytes_of(files: &Volumes, number: u32) -> io::Result<Vec<u8>> {
    match fs::read(files.path(number)) {
        // It was removed meanwhile: nothing in it counts.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => bytes,
    }
}

/// All chunks in files with these contents, by their numbers, also those behind damage, and outdated ones.
pub(crate) fn all_in(contents: &[Vec<u8>]) -> BTreeMap<u64, &[u8]> {
    let firsts = (0..).zip(contents);
    let firsts = firsts.filter_map(|(nth, bytes)| Some((nth, first_in(bytes)?)));
    let mut chunks = BTreeMap::new();
    for file in ordered(firsts.collect()) {
        let bytes = usize::try_from(file.number).ok();
        let bytes = bytes.and_then(|nth| contents.get(nth));
        let records = file.records(bytes.map_or(&[], Vec::as_slice));
        chunks.extend(records.map(|(number, record, _)| (number, record.value)));
    }
    // Only in place of what is missing: some of them may be parts of others.
    for (_, record) in contents
        .iter()
        .flat_map(|bytes| VolumeRecords::from(bytes, 0))
    {
        if let Ok(number) = chunk::number_of(record.key) {
            chunks.entry(number).or_insert(record.value);
        }
    }
    chunks
}

impl LogFile {
    /// Its records in `bytes`, up to the first that is damaged or incomplete: the number of each, and its end. What comes behind that may
    /// be a part of an older one, which clients uploaded, and which looks like a record.
    fn records<'a>(
        &self,
        bytes: &'a [u8],
    ) -> impl Iterator<Item = (u64, VolumeRecord<'a>, usize)> + use<'a> {
        let (mut end, mut numbers) = (0, self.chunks.clone());
        VolumeRecords::from(bytes, 0).map_while(move |(at, record)| {
            let number = numbers.next()?;
            let is_next = at == end && chunk::number_of(record.key).ok() == Some(number);
            end = at + record.length();
            is_next.then_some((number, record, end))
        })
    }
}

/// The error for chunks that are not those of `numbers`: up to `number`, they are.
fn missing(number: u64, numbers: &Range<u64>) -> StoreError {
    let Range { start, end } = numbers;
    StoreError::Damaged(format!(
        "the chunks of hot rows should be those from {start} to before {end}: {number} is missing or cannot be read"
    ))
}
