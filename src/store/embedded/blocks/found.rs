//! The volumes as a start finds them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::store::embedded::blocks::volumes::{Volumes, records_from};
use crate::store::embedded::disk::{Mark, open, sync};
use crate::store::error::StoreError;

/// The referenced part of a volume.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VolumeUse {
    pub(crate) bytes: u64,
    /// The end of the last referenced record.
    pub(crate) end: u64,
}

/// Creates, opens and syncs the folder of the volumes.
pub(super) fn create_folder(dir: &Path, volumes: &Volumes) -> io::Result<File> {
    open::folder(volumes.folder())?;
    // A killed process may have left names that are not synced.
    let folder = File::open(volumes.folder())?;
    sync::all(&folder)?;
    // The folder itself may be new: its name is in the data dir.
    sync::folder(dir)?;
    Ok(folder)
}

/// Cuts off the records that an unfinished commit left at the end of the volumes: those behind the
/// last one that is referred to, with a number greater than `committed`.
pub(super) fn cut_uncommitted(
    volumes: &Volumes,
    mark: Mark,
    lengths: &mut BTreeMap<u32, u64>,
    live: &BTreeMap<u32, VolumeUse>,
    committed: u64,
) -> io::Result<()> {
    for (number, length) in lengths.iter_mut().rev() {
        let end = live.get(number).map_or(0, |live| live.end);
        let rest = usize::try_from(length.saturating_sub(end)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; rest];
        let path = volumes.path(*number);
        let file = OpenOptions::new().read(true).write(true).open(&path)?;
        file.read_exact_at(&mut bytes, end)?;
        let (mut is_older, mut first) = (end > 0, None);
        for (at, _, record) in records_from(&bytes, 0, mark) {
            if record.number > committed {
                first = Some(end + at as u64);
                break;
            }
            is_older = true;
        }
        if let Some(first) = first {
            file.set_len(first)?;
            sync::all(&file)?;
            *length = first;
        }
        // A commit may be in several volumes, one behind the other.
        if is_older {
            break;
        }
    }
    Ok(())
}

/// The last durable position of the log that the newest volumes know; 0 without any.
///
/// # Errors
/// [`StoreError::Io`] if the disk cannot return them.
pub(crate) fn known_durable(dir: &Path, mark: Mark) -> Result<u64, StoreError> {
    let volumes = Volumes::of(dir);
    let failed = |error| StoreError::io(format!("reading {}", volumes.folder().display()), &error);
    let numbers = volumes.numbers().map_err(failed)?;
    let mut known = 0;
    // The newest one may be empty, or damaged.
    for number in numbers.iter().rev().take(2) {
        let bytes = open::content(&volumes.path(*number))?.unwrap_or_default();
        let records = records_from(&bytes, 0, mark).map(|(_, _, record)| record.durable);
        known = records.fold(known, u64::max);
    }
    Ok(known)
}

/// The length of each volume in bytes.
pub(super) fn lengths(volumes: &Volumes) -> io::Result<BTreeMap<u32, u64>> {
    let mut lengths = BTreeMap::new();
    for number in volumes.numbers()? {
        lengths.insert(number, fs::metadata(volumes.path(number))?.len());
    }
    Ok(lengths)
}
