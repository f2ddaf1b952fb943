//! Readings that were checked and wait to be stored: on disk, since a file of any length must fit.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::admin::ReadingRow;
use crate::domain::reading::Reading;

/// A row is its time, one byte that says which measures it has, watts, watt-hours.
const HAS_WATTS: u8 = 1;
const HAS_WATTHOURS: u8 = 2;
const ROW_BYTES: usize = 25;

/// Takes readings in.
pub(super) struct Spool {
    file: BufWriter<File>,
    readings: u64,
}

/// Gives them back, in the same order.
pub(super) struct Spooled {
    file: BufReader<File>,
    readings: u64,
}

impl Spool {
    /// An empty spool under `dir`. It has no name there: however this process ends, nothing is left.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        let mut random = [0; 8];
        getrandom::fill(&mut random)?;
        let path = dir.join(format!("import-{:016x}.tmp", u64::from_ne_bytes(random)));
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
        })
    }

    /// Adds a reading.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn push(&mut self, reading: Reading) -> io::Result<()> {
        let (watts, watthours) = (reading.measures.watts(), reading.measures.watthours());
        let mut present = 0;
        if watts.is_some() {
            present |= HAS_WATTS;
        }
        if watthours.is_some() {
            present |= HAS_WATTHOURS;
        }
        let mut row = [0; ROW_BYTES];
        row[..8].copy_from_slice(&reading.time.millis().to_ne_bytes());
        row[8] = present;
        row[9..17].copy_from_slice(&watts.unwrap_or_default().to_ne_bytes());
        row[17..].copy_from_slice(&watthours.unwrap_or_default().to_ne_bytes());
        self.file.write_all(&row)?;
        self.readings += 1;
        Ok(())
    }

    /// Ends it, for reading.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn finish(self) -> io::Result<Spooled> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Spooled {
            file: BufReader::with_capacity(64 * 1024, file),
            readings: self.readings,
        })
    }
}

impl Spooled {
    /// How many readings are left.
    pub(super) const fn len(&self) -> u64 {
        self.readings
    }

    /// The next readings, at most `limit`; none after the last.
    ///
    /// # Errors
    /// What the system said.
    pub(super) fn next_chunk(&mut self, limit: usize) -> io::Result<Vec<ReadingRow>> {
        let count = usize::try_from(self.readings).map_or(limit, |left| left.min(limit));
        let mut rows = Vec::with_capacity(count);
        for _ in 0..count {
            rows.push(self.next_row()?);
        }
        self.readings -= u64::try_from(count).unwrap_or_default();
        Ok(rows)
    }

    fn next_row(&mut self) -> io::Result<ReadingRow> {
        let mut row = [0; ROW_BYTES];
        self.file.read_exact(&mut row)?;
        let mut rest = row.as_slice();
        let time_ms = i64::from_ne_bytes(next_bytes(&mut rest)?);
        let [present] = next_bytes(&mut rest)?;
        let watts = f64::from_ne_bytes(next_bytes(&mut rest)?);
        let watthours = f64::from_ne_bytes(next_bytes(&mut rest)?);
        Ok(ReadingRow {
            time_ms,
            watts: (present & HAS_WATTS != 0).then_some(watts),
            watthours: (present & HAS_WATTHOURS != 0).then_some(watthours),
        })
    }
}

fn next_bytes<const LENGTH: usize>(row: &mut &[u8]) -> io::Result<[u8; LENGTH]> {
    let (bytes, rest) = row
        .split_first_chunk()
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    *row = rest;
    Ok(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::reading::Measures;
    use crate::domain::time::Timestamp;

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
