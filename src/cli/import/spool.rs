//! Checked readings waiting to be stored. They wait on disk, because they may not fit in memory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Seek as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::admin::{ReadingRow, random};
use crate::domain::Reading;
use crate::store::{KEPT_FREE, free_bytes};

/// Before the first reading, and after this many, the free disk space is checked: it must suffice
/// for as many again, besides the reserve.
const LOOK_EVERY: u64 = 65_536;
/// The maximum size of a reading: a time, and two measures, each with a byte that tells whether it
/// is present.
const LONGEST_READING: u64 = 27;
const NEEDED: u64 = KEPT_FREE + LOOK_EVERY * LONGEST_READING;

/// Collects readings.
pub(super) struct Spool {
    file: BufWriter<File>,
    readings: u64,
    dir: PathBuf,
    free_bytes: fn(&Path) -> io::Result<u64>,
}

/// Returns readings in the order in which they were added.
pub(super) struct SpooledReadings {
    file: BufReader<File>,
    readings: u64,
}

impl Spool {
    /// Creates an empty spool in `dir`. The file is unlinked at once, so nothing is left however
    /// this process ends.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let path = dir.join(format!("import-{:016x}.tmp", u64::from_ne_bytes(random()?)));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        fs::remove_file(&path)?;
        Ok(Self {
            file: BufWriter::with_capacity(64 * 1024, file),
            readings: 0,
            dir: dir.to_owned(),
            free_bytes,
        })
    }

    /// Adds a reading.
    ///
    /// # Errors
    /// Those of the system, or if the disk would be too full.
    pub(super) fn push(&mut self, reading: Reading) -> io::Result<()> {
        if self.readings.is_multiple_of(LOOK_EVERY) {
            self.check_room()?;
        }
        let row = ReadingRow::from(reading);
        bincode::serde::encode_into_std_write(row, &mut self.file, bincode::config::standard())
            .map_err(io::Error::other)?;
        self.readings += 1;
        Ok(())
    }

    /// Checks that the same space stays free as with backups, because uploading sensors need it.
    fn check_room(&self) -> io::Result<()> {
        let free = (self.free_bytes)(&self.dir)?;
        if free >= NEEDED {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::StorageFull,
            format!(
                "{free} bytes are free there, and {KEPT_FREE} must stay free: free some space, or import the file in parts"
            ),
        ))
    }

    /// Ends writing, and begins to read.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn finish(self) -> io::Result<SpooledReadings> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(SpooledReadings {
            file: BufReader::with_capacity(64 * 1024, file),
            readings: self.readings,
        })
    }
}

impl SpooledReadings {
    /// The number of readings left.
    pub(super) const fn len(&self) -> u64 {
        self.readings
    }

    /// Returns the next readings, at most `limit`; none after the last.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn next_chunk(&mut self, limit: usize) -> io::Result<Vec<ReadingRow>> {
        let count = usize::try_from(self.readings).map_or(limit, |left| left.min(limit));
        self.readings -= u64::try_from(count).unwrap_or_default();
        (0..count)
            .map(|_| {
                bincode::serde::decode_from_std_read(&mut self.file, bincode::config::standard())
                    .map_err(io::Error::other)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Measures, Timestamp};

    #[test]
    fn it_leaves_room_on_the_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(dir.path()).unwrap();
        let reading = Reading {
            time: Timestamp::from_millis(0).unwrap(),
            measures: Measures::new(Some(1.0), None).unwrap(),
        };
        let mut push = |free_bytes| {
            spool.free_bytes = free_bytes;
            let pushed: io::Result<()> = (0..LOOK_EVERY).try_for_each(|_| spool.push(reading));
            (pushed.err().map(|error| error.kind()), spool.readings)
        };
        assert_eq!(push(|_| Ok(NEEDED)), (None, LOOK_EVERY));
        let full = Some(io::ErrorKind::StorageFull);
        assert_eq!(push(|_| Ok(NEEDED - 1)), (full, LOOK_EVERY));
    }

    #[test]
    fn what_goes_in_comes_out() {
        let dir = tempfile::tempdir().unwrap();
        let mut spool = Spool::create(dir.path()).unwrap();
        let readings: Vec<_> = [
            (-5, Some(1.5), None),
            (0, None, Some(-0.0)),
            (1_767_607_200_000, Some(f64::MIN_POSITIVE), Some(f64::MAX)),
        ]
        .into_iter()
        .map(|(ms, watts, watthours)| Reading {
            time: Timestamp::from_millis(ms).unwrap(),
            measures: Measures::new(watts, watthours).unwrap(),
        })
        .collect();
        for reading in &readings {
            spool.push(*reading).unwrap();
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut spooled = spool.finish().unwrap();
        assert_eq!(spooled.len(), 3);
        let mut rows = spooled.next_chunk(2).unwrap();
        assert_eq!((rows.len(), spooled.len()), (2, 1));
        rows.extend(spooled.next_chunk(2).unwrap());
        assert!(spooled.next_chunk(2).unwrap().is_empty());
        let back: Vec<_> = rows.iter().map(|row| row.reading().unwrap()).collect();
        assert_eq!(back, readings);
    }
}
