//! The values of a file, in time order. They wait on disk, because they may not fit in memory: each
//! chunk is sorted before it is written, and sorted chunks are merged while they are read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::domain::Timestamp;
use crate::ingest::table::{FileValue, When};
use crate::store::{KEPT_FREE, free_bytes};

/// The number of values sorted in memory at once. Free disk space is checked for each chunk: it
/// must hold another chunk besides the reserve.
const CHUNK: usize = 65_536;
/// The size of a value on disk: seven numbers of 64 bits.
const BYTES: usize = 56;
const NEEDED: u64 = KEPT_FREE + (CHUNK * BYTES) as u64;
/// The maximum number of distances between values that are counted.
const DISTANCES: usize = 1_000;
/// The number of values read from a run at once.
const READ_AT_ONCE: usize = 64;

/// A value, and its place in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spooled {
    pub(super) value: FileValue,
    pub(super) place: u64,
}

impl Spooled {
    /// The key for sorting: for an interval its end, then its start.
    pub(super) const fn key(&self) -> (i64, i64) {
        match self.value.when {
            When::At(time) | When::From(time) | When::Until(time) => (time.millis(), i64::MIN),
            When::Between(start, end) => (end.millis(), start.millis()),
        }
    }

    fn to_bytes(self) -> [u8; BYTES] {
        let (time, start) = self.key();
        // The doubts about times are resolved before.
        let FileValue {
            when,
            doubt: _,
            watts,
            watthours,
            traits,
            doubtful,
        } = self.value;
        let [a, b] = doubtful;
        let kind: u64 = match when {
            When::At(_) => 0,
            When::From(_) => 1,
            When::Between(..) => 2,
            When::Until(_) => 3,
        };
        let flags = kind | u64::from(a) << 2 | u64::from(b) << 3;
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN).to_bits();
        let words = [
            time.cast_unsigned(),
            start.cast_unsigned(),
            self.place,
            traits,
            number(watts),
            number(watthours),
            flags,
        ];
        let mut bytes = [0; BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Decodes a value; `None` for bytes that [`Self::to_bytes`] never returns.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut words = [0; 7];
        for (to, from) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *to = u64::from_le_bytes(from.try_into().ok()?);
        }
        let [time, start, place, traits, watts, watthours, flags] = words;
        let time = Timestamp::from_millis(time.cast_signed())?;
        let when = match flags & 3 {
            0 => When::At(time),
            1 => When::From(time),
            3 => When::Until(time),
            _ => When::Between(Timestamp::from_millis(start.cast_signed())?, time),
        };
        let number = |bits| Some(f64::from_bits(bits)).filter(|number| !number.is_nan());
        let value = FileValue {
            traits,
            doubtful: [flags & 4 != 0, flags & 8 != 0],
            ..FileValue::new(when, number(watts), number(watthours))
        };
        Some(Self { value, place })
    }
}

/// A run of sorted values in the file, from the first number to the last, exclusive.
#[derive(Debug)]
struct SortedRun {
    from: u64,
    to: u64,
    last: (i64, i64),
}

/// Collects values.
pub(crate) struct Spool {
    dir: PathBuf,
    kept: SortedValues,
    written: u64,
    free_bytes: fn(&Path) -> io::Result<u64>,
}

impl Spool {
    /// An empty spool, whose file will be in `dir`.
    pub(crate) fn new(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            kept: SortedValues::default(),
            written: 0,
            free_bytes,
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// If the file cannot be written, or the disk would be too full.
    pub(super) fn push(&mut self, spooled: Spooled) -> io::Result<()> {
        if self.kept.chunk.len() == CHUNK {
            self.write_chunk()?;
        }
        self.kept.has_open |= matches!(spooled.value.when, When::From(_) | When::Until(_));
        self.kept.chunk.push(spooled);
        Ok(())
    }

    fn write_chunk(&mut self) -> io::Result<()> {
        self.check_room()?;
        // Stable, so the later of two values at the same time stays behind the earlier one.
        self.kept.chunk.sort_by_key(Spooled::key);
        let (Some(first), Some(last)) = (self.kept.chunk.first(), self.kept.chunk.last()) else {
            return Ok(());
        };
        let (first, last) = (first.key(), last.key());
        let mut bytes = Vec::with_capacity(self.kept.chunk.len() * BYTES);
        for spooled in &self.kept.chunk {
            bytes.extend_from_slice(&spooled.to_bytes());
        }
        if self.kept.file.is_none() {
            self.kept.file = Some(create(&self.dir)?);
        }
        if let Some(file) = &mut self.kept.file {
            file.write_all(&bytes)?;
        }
        let from = self.written;
        self.written += u64::try_from(self.kept.chunk.len()).unwrap_or_default();
        match self.kept.runs.last_mut() {
            // The rows of most files are in order.
            Some(run) if run.last <= first => (run.to, run.last) = (self.written, last),
            _ => self.kept.runs.push(SortedRun {
                from,
                to: self.written,
                last,
            }),
        }
        self.kept.chunk.clear();
        Ok(())
    }

    /// Checks that enough space stays free for sensors that upload meanwhile, as a backup does.
    fn check_room(&self) -> io::Result<()> {
        let free = (self.free_bytes)(&self.dir)?;
        if free >= NEEDED {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::StorageFull,
            format!(
                "keeping checked readings in {}: {free} bytes are free there, and {KEPT_FREE} must stay free: free some space, or import the file in parts",
                self.dir.display()
            ),
        ))
    }

    /// Ends writing.
    pub(super) fn finish(mut self) -> SortedValues {
        self.kept.chunk.sort_by_key(Spooled::key);
        self.kept
    }
}

/// Creates an empty file and unlinks it at once, so nothing is left behind however this process
/// ends.
fn create(dir: &Path) -> io::Result<File> {
    let mut name = [0; 8];
    getrandom::fill(&mut name)?;
    let path = dir.join(format!("import-{:016x}.tmp", u64::from_ne_bytes(name)));
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// All values of a file; they can be read several times.
#[derive(Default)]
pub(super) struct SortedValues {
    /// `None` until there are more values than one chunk.
    file: Option<File>,
    runs: Vec<SortedRun>,
    chunk: Vec<Spooled>,
    /// Whether a value has only one end.
    has_open: bool,
}

impl SortedValues {
    /// Starts to read the values in order.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn read(&self) -> io::Result<MergedValues<'_>> {
        let mut merged = MergedValues {
            values: self,
            parts: Vec::new(),
            next: BinaryHeap::new(),
        };
        for run in &self.runs {
            merged.parts.push(PartReader {
                range: Some((run.from, run.to)),
                read: Vec::new(),
                at: 0,
            });
        }
        merged.parts.push(PartReader {
            range: None,
            read: self.chunk.clone(),
            at: 0,
        });
        for part in 0..merged.parts.len() {
            merged.advance(part)?;
        }
        Ok(merged)
    }

    /// The most frequent distance between two values that have only one end; 0 if there are none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn usual_distance(&self) -> io::Result<i64> {
        if !self.has_open {
            return Ok(0);
        }
        let (mut counts, mut before) = (BTreeMap::<i64, u64>::new(), None);
        let mut merged = self.read()?;
        while let Some(spooled) = merged.next()? {
            let (When::From(time) | When::Until(time)) = spooled.value.when else {
                continue;
            };
            let distance = before.map_or(0, |before| time.millis() - before);
            if distance > 0 && (counts.len() < DISTANCES || counts.contains_key(&distance)) {
                *counts.entry(distance).or_default() += 1;
            }
            before = Some(time.millis());
        }
        // The shortest of equally frequent ones: a gap is never the usual distance.
        let usual = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        Ok(usual.map_or(0, |(distance, _)| distance))
    }
}

/// A reader that merges the sorted parts.
pub(super) struct MergedValues<'a> {
    values: &'a SortedValues,
    parts: Vec<PartReader>,
    /// The next key of each part. Of equal keys, the earlier part comes first.
    next: BinaryHeap<Reverse<((i64, i64), usize)>>,
}

struct PartReader {
    /// The values that are still in the file, by number.
    range: Option<(u64, u64)>,
    read: Vec<Spooled>,
    at: usize,
}

impl MergedValues<'_> {
    /// The next value; `None` after the last one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Spooled>> {
        let Some(Reverse((_, part))) = self.next.pop() else {
            return Ok(None);
        };
        let Some(reader) = self.parts.get_mut(part) else {
            return Ok(None);
        };
        let spooled = reader.read.get(reader.at).copied();
        reader.at += 1;
        self.advance(part)?;
        Ok(spooled)
    }

    /// Advances to the next value of a part, and queues its key.
    fn advance(&mut self, part: usize) -> io::Result<()> {
        let Some(reader) = self.parts.get_mut(part) else {
            return Ok(());
        };
        if reader.at >= reader.read.len()
            && let (Some((from, to)), Some(file)) = (reader.range, &self.values.file)
            && from < to
        {
            let count = usize::try_from(to - from).map_or(READ_AT_ONCE, |it| it.min(READ_AT_ONCE));
            let mut bytes = vec![0; count * BYTES];
            file.read_exact_at(&mut bytes, from * BYTES as u64)?;
            let read = bytes.chunks_exact(BYTES).map(Spooled::of_bytes);
            let read: Option<Vec<_>> = read.collect();
            reader.read = read.ok_or_else(|| io::Error::other("a temporary file is damaged"))?;
            reader.range = Some((from + u64::try_from(count).unwrap_or_default(), to));
            reader.at = 0;
        }
        if let Some(spooled) = reader.read.get(reader.at) {
            self.next.push(Reverse((spooled.key(), part)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spooled(ms: i64, place: u64) -> Spooled {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let mut value = FileValue::at(at(ms), Some(1.5), None);
        match place % 3 {
            1 => value.when = When::From(at(ms)),
            2 => value.when = When::Between(at(ms - 5), at(ms)),
            _ => value.doubtful = [true, false],
        }
        value.traits = place << 40;
        Spooled { value, place }
    }

    #[test]
    fn it_leaves_room_on_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::new(dir.path());
        let mut push = |free_bytes| {
            spool.free_bytes = free_bytes;
            let pushed: io::Result<()> = (0..CHUNK).try_for_each(|_| spool.push(spooled(0, 0)));
            (pushed.err().map(|error| error.kind()), spool.written)
        };
        let chunk = u64::try_from(CHUNK).unwrap();
        assert_eq!(push(|_| Ok(NEEDED)), (None, 0));
        assert_eq!(push(|_| Ok(NEEDED)), (None, chunk));
        let full = Some(io::ErrorKind::StorageFull);
        assert_eq!(push(|_| Ok(NEEDED - 1)), (full, chunk));
    }

    #[test]
    fn what_goes_in_comes_out_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let many = i64::try_from(CHUNK).unwrap() * 3 + 7;
        for time in [|n: i64| n, |n: i64| -n, |n: i64| n * 7_919 % 100_003] {
            let mut spool = Spool::new(dir.path());
            let mut expected: Vec<_> = (0..many)
                .map(|n| spooled(time(n), n.cast_unsigned()))
                .collect();
            for spooled in &expected {
                spool.push(*spooled).unwrap();
            }
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
            expected.sort_by_key(Spooled::key);
            let sorted = spool.finish();
            for _ in 0..2 {
                let mut merged = sorted.read().unwrap();
                for spooled in &expected {
                    assert_eq!(merged.next().unwrap(), Some(*spooled));
                }
                assert_eq!(merged.next().unwrap(), None);
            }
        }
    }
}
