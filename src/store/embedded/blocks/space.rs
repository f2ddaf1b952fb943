//! Appending to volumes (`volumes.rs`) and garbage collection: live blocks of a volume with much
//! garbage are moved to the newest one, and volumes without live blocks are removed.
//!
//! The order keeps this safe. A record and the name of its volume are synced before the log refers
//! to the record; a volume is removed after the sync of the record of the log that dropped the last
//! reference to it. The records of a commit that failed are cut off before the log gets another
//! one: so a record in a volume was committed if its number is not behind the end of the log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use crate::store::embedded::blocks::found::{VolumeUse, create_folder, cut_uncommitted, lengths};
use crate::store::embedded::blocks::turnover::Turnover;
use crate::store::embedded::blocks::volumes::{
    Location, MAX_BYTES, VolumeRecord, Volumes, records_from,
};
use crate::store::embedded::disk::reserve::free_bytes;
use crate::store::embedded::disk::{Mark, sync};
use crate::store::error::StoreError;

/// Bytes of garbage that are tolerated; a quarter of the live bytes is tolerated, too.
const MUCH_GARBAGE: u64 = 256 * 1024;
/// The free disk space that a move leaves for uploads and the log, in bytes.
const LEFT_BY_MOVE: u64 = 512 * 1024;
/// About how many bytes to move in one commit: uploads wait meanwhile.
const MOVED_AT_ONCE: usize = 64 * 1024;

/// The committing thread's view of the volumes.
pub(crate) struct Space {
    volumes: Arc<Volumes>,
    /// The folder of the volumes, kept open: if a new volume took the last descriptor, the folder
    /// could not be synced.
    folder: File,
    kept: BTreeMap<u32, Kept>,
    /// The volume to append to, once chosen.
    newest: Option<(u32, Arc<File>)>,
    /// Whether the name of the newest volume is not durable yet.
    is_unnamed: bool,
    /// The volumes with records of a commit that is not in the log yet, with their lengths before.
    uncommitted: Vec<(u32, Arc<File>, u64)>,
    /// Whether that commit failed.
    is_refused: bool,
    /// The number of the next volume.
    next: u32,
    moving: Option<Moving>,
    /// Volumes with an unreadable live block, which cannot be moved. They are left for a salvage.
    unmovable: BTreeSet<u32>,
    /// Whether no volume is removed: damage may be the reason why nothing refers to one.
    keeps_all: bool,
}

/// The use of a volume, in bytes.
#[derive(Default)]
struct Kept {
    length: u64,
    /// The live part of the length: blocks that the index refers to.
    live: u64,
}

/// A move of blocks out of a volume.
struct Moving {
    volume: u32,
    bytes: Vec<u8>,
    /// The offset up to which blocks were moved.
    at: usize,
}

/// Reasons why nothing was appended.
#[derive(Debug)]
pub(crate) enum AppendError {
    /// There is no volume to write to: the caller may try again. Nothing refers to the records
    /// written so far.
    NoVolume(io::Error),
    /// The state of the medium is unknown.
    Failed(io::Error),
}

impl Space {
    /// Opens the volumes in the data dir `dir`. `live` is the referenced part of each. Cuts off the
    /// records of commits behind the position `committed`.
    pub(crate) fn open(
        dir: &Path,
        volumes: Arc<Volumes>,
        mark: Mark,
        live: &BTreeMap<u32, VolumeUse>,
        committed: u64,
        keeps_all: bool,
    ) -> Result<Self, StoreError> {
        let failed =
            |error| StoreError::io(format!("opening {}", volumes.folder().display()), &error);
        let folder = create_folder(dir, &volumes).map_err(failed)?;
        let mut lengths = lengths(&volumes).map_err(failed)?;
        cut_uncommitted(&volumes, mark, &mut lengths, live, committed).map_err(failed)?;
        // Chosen from the files, not from the locations: only an existing volume can be appended
        // to.
        let newest = lengths.keys().next_back().copied();
        let with_length = |(volume, length)| (volume, Kept { length, live: 0 });
        let mut kept: BTreeMap<u32, Kept> = lengths.into_iter().map(with_length).collect();
        for (number, live) in live {
            let volume = kept.entry(*number).or_default();
            // Never append where lost blocks were: their locations would then refer to other
            // blocks.
            volume.length = volume.length.max(live.end);
            volume.live = live.bytes;
        }
        let last = kept.keys().next_back();
        // Also after missing volumes: locations that still refer to them must not find new blocks
        // there.
        let next = last.map_or(1, |last| last.saturating_add(1));
        let newest = match newest {
            Some(number) => {
                let file = OpenOptions::new().write(true).open(volumes.path(number));
                Some((number, Arc::new(file.map_err(failed)?)))
            }
            None => None,
        };
        Ok(Self {
            volumes,
            folder,
            kept,
            newest,
            is_unnamed: false,
            uncommitted: Vec::new(),
            is_refused: false,
            next,
            moving: None,
            unmovable: BTreeSet::new(),
            keeps_all,
        })
    }

    /// Appends blocks and syncs them. Returns their locations in the same order. Then either
    /// [`Self::count`] or [`Self::refuse`] follows.
    pub(crate) fn append(
        &mut self,
        blocks: &[VolumeRecord<'_>],
        mark: Mark,
    ) -> Result<Vec<Location>, AppendError> {
        let mut records = Vec::with_capacity(blocks.len());
        for block in blocks {
            let mut record = Vec::new();
            block.write_to(&mut record, mark).ok_or_else(|| {
                AppendError::NoVolume(io::Error::other("the key of a block is too long"))
            })?;
            records.push(record);
        }
        let mut locations = Vec::with_capacity(blocks.len());
        let mut rest = records.as_slice();
        while let Some(first) = rest.first() {
            self.choose(first.len()).map_err(AppendError::NoVolume)?;
            let (bytes, fitting) = self.fitting(rest, &mut locations);
            self.write(&bytes).map_err(AppendError::Failed)?;
            rest = rest.get(fitting..).unwrap_or_default();
        }
        Ok(locations)
    }

    /// Ensures a newest volume with room for a record of `length`.
    fn choose(&mut self, length: usize) -> io::Result<()> {
        let (end, has_one) = (self.end(), self.newest.is_some());
        // An empty volume takes a record of any length.
        if has_one && (end == 0 || end + length as u64 <= MAX_BYTES as u64) {
            return Ok(());
        }
        let number = self.next;
        // Close the old one first, unless its new records may have to be cut off: descriptors may be
        // scarce.
        self.newest = None;
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(self.volumes.path(number))?;
        self.newest = Some((number, Arc::new(file)));
        self.is_unnamed = true;
        self.kept.insert(number, Kept::default());
        self.next = number.saturating_add(1);
        Ok(())
    }

    /// The bytes of as many of the first `records` as fit into the newest volume, and their number.
    /// Appends their locations to `locations`.
    fn fitting(&self, records: &[Vec<u8>], locations: &mut Vec<Location>) -> (Vec<u8>, usize) {
        let volume = self.newest_number().unwrap_or_default();
        let end = usize::try_from(self.end()).unwrap_or(usize::MAX);
        let (mut bytes, mut fitting) = (Vec::new(), 0);
        for record in records {
            let offset = end.saturating_add(bytes.len());
            // The first record always fits: `choose` made sure of that, or the volume is empty.
            if fitting > 0 && offset.saturating_add(record.len()) > MAX_BYTES {
                break;
            }
            locations.push(Location::new(volume, offset, record.len()));
            bytes.extend_from_slice(record);
            fitting += 1;
        }
        (bytes, fitting)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let end = self.end();
        let Some((number, file)) = &self.newest else {
            return Err(io::Error::other("there is no volume to write to"));
        };
        // Before the write, because a part of it may succeed.
        self.uncommitted.push((*number, Arc::clone(file), end));
        file.write_all_at(bytes, end)?;
        sync::count_written(bytes.len());
        sync::data(file)?;
        // The name of a new file is durable only with its folder.
        if self.is_unnamed {
            sync::names(&self.folder, self.volumes.folder())?;
            self.is_unnamed = false;
        }
        self.kept.entry(*number).or_default().length = end + bytes.len() as u64;
        Ok(())
    }

    fn newest_number(&self) -> Option<u32> {
        self.newest.as_ref().map(|(number, _)| *number)
    }

    /// The length of the newest volume.
    fn end(&self) -> u64 {
        let kept = self.newest_number().and_then(|it| self.kept.get(&it));
        kept.map_or(0, |kept| kept.length)
    }

    /// Notes that the log has no commit for the records that were appended last, and cuts them off.
    pub(crate) fn refuse(&mut self) -> io::Result<()> {
        self.is_refused = true;
        self.cut_refused()
    }

    /// Whether records of a failed commit are to be cut off.
    pub(crate) const fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Cuts off records of a failed commit, durably. It is tried again before the next commit.
    pub(crate) fn cut_refused(&mut self) -> io::Result<()> {
        if !self.is_refused {
            return Ok(());
        }
        while let Some((number, file, length)) = self.uncommitted.last() {
            file.set_len(*length)?;
            sync::all(file)?;
            self.kept.entry(*number).or_default().length = *length;
            self.uncommitted.pop();
        }
        self.is_refused = false;
        Ok(())
    }

    /// Counts `added`, which the log names now, as live and `freed` as garbage.
    pub(crate) fn count(&mut self, added: &[Location], freed: &[Location]) {
        self.uncommitted.clear();
        for location in added {
            self.kept.entry(location.volume).or_default().live += u64::from(location.length);
        }
        for location in freed {
            let live = &mut self.kept.entry(location.volume).or_default().live;
            // Never below 0 in a sound store: freed bytes were counted as live before.
            *live = live.saturating_sub(location.length.into());
        }
    }

    /// Removes the volumes without live blocks. The counted changes must be durable.
    pub(crate) fn remove_empty(&mut self) {
        let newest = self.newest_number();
        self.kept.retain(|&number, kept| {
            if kept.live > 0 || Some(number) == newest || self.keeps_all {
                return true;
            }
            // Closed first: an open descriptor would keep the space of a removed file.
            self.volumes.close(number);
            let path = self.volumes.path(number);
            // The removal need not be durable: the next start repeats it, as it does if this fails.
            if let Err(error) = fs::remove_file(&path) {
                log::warn!(
                    "cannot remove {}, which is no longer needed: {error}",
                    path.display()
                );
            }
            false
        });
    }

    /// Whether blocks should be moved.
    pub(crate) fn is_move_due(&self) -> bool {
        self.moving.is_some() || self.emptiest().is_some()
    }

    /// The volume to move blocks from, if there is too much garbage, and space for both volumes
    /// until the old one is removed. On a full disk, a move would take the last space, and stop the
    /// store.
    fn emptiest(&self) -> Option<u32> {
        let is_movable = |(number, _): &(&u32, &Kept)| !self.unmovable.contains(*number);
        let (mut live, mut length) = (0, 0);
        for (_, kept) in self.kept.iter().filter(is_movable) {
            live += kept.live;
            length += kept.length;
        }
        let garbage = length.saturating_sub(live);
        if garbage <= MUCH_GARBAGE.max(live / 4) {
            return None;
        }
        let free = free_bytes(self.volumes.folder()).unwrap_or(u64::MAX);
        let has_room = |(_, kept): &(&u32, &Kept)| kept.live + LEFT_BY_MOVE <= free;
        // Moving a nearly full volume gains next to nothing.
        let is_worth_it = |(_, kept): &(&u32, &Kept)| kept.live < kept.length / 8 * 7;
        // In thousandths, because `min_by_key` needs `Ord`, which `f64` is not.
        let share = |kept: &Kept| kept.live * 1_000 / kept.length.max(1);
        let movable = self.kept.iter().filter(is_movable);
        movable
            // There always is one: more than a fifth of all bytes is garbage, so some volume has
            // that much.
            .filter(is_worth_it)
            .filter(has_room)
            .min_by_key(|(_, kept)| share(kept))
            .map(|(number, _)| *number)
    }

    /// Returns the next blocks to move from a volume, and whether they are its last. `is_live` says
    /// whether the block of a key is at a location.
    pub(crate) fn next_moved(
        &mut self,
        mark: Mark,
        is_live: impl Fn(&[u8], Location) -> Result<bool, StoreError>,
    ) -> Result<(Turnover, bool), StoreError> {
        let mut turnover = Turnover::default();
        let moving = match self.moving.take() {
            Some(moving) => moving,
            None => match self.emptiest() {
                Some(volume) => self.begin_move(volume)?,
                None => return Ok((turnover, true)),
            },
        };
        let moving = self.moving.insert(moving);
        let mut moved = 0;
        for (at, length, record) in records_from(&moving.bytes, moving.at, mark) {
            moving.at = at + length;
            let location = Location::new(moving.volume, at, length);
            // Any other record of the key is garbage.
            if let Some(block) = record.block
                && is_live(record.key, location)?
            {
                moved += length;
                let summary = record.summary.to_vec();
                turnover.insert(record.key.to_vec(), block.to_vec(), summary);
            }
            if moved >= MOVED_AT_ONCE {
                return Ok((turnover, false));
            }
        }
        Ok((turnover, true))
    }

    /// Ends the move of a volume. If a block could not be moved, the volume still exists, and is
    /// not tried again.
    pub(crate) fn finish_move(&mut self) {
        if let Some(moving) = self.moving.take()
            && !self.kept.contains_key(&moving.volume)
        {
            self.unmovable.remove(&moving.volume);
        }
    }

    /// Gives up the move of a volume: for now, or until the next start.
    pub(crate) fn abandon_move(&mut self, is_for_now: bool) {
        if let Some(moving) = self.moving.take()
            && is_for_now
        {
            self.unmovable.remove(&moving.volume);
        }
    }

    fn begin_move(&mut self, volume: u32) -> Result<Moving, StoreError> {
        // Assume the worst; [`Self::finish_move`] clears this.
        self.unmovable.insert(volume);
        // Its own blocks must not be moved to its end.
        if self.newest_number() == Some(volume) {
            self.newest = None;
        }
        let path = self.volumes.path(volume);
        let bytes = fs::read(&path)
            .map_err(|error| StoreError::io(format!("reading {}", path.display()), &error))?;
        Ok(Moving {
            volume,
            bytes,
            at: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::domain::{Reading, TimeRange};
    use crate::store::handle::Store;
    use crate::store::tests::{NOW, at, house, open_registered, open_with, reading, upload};

    /// The volumes of the store in `dir`.
    fn volumes(dir: &Path) -> Vec<PathBuf> {
        let volumes = Volumes::of(dir);
        let numbers = volumes.numbers().unwrap();
        numbers
            .into_iter()
            .map(|number| volumes.path(number))
            .collect()
    }

    /// The bytes of the volumes. One may be removed meanwhile.
    fn length(dir: &Path) -> u64 {
        let lengths = volumes(dir).into_iter().map(fs::metadata);
        lengths
            .map(|found| found.map_or(0, |found| found.len()))
            .sum()
    }

    /// Where the live blocks are.
    fn locations(store: &Store) -> Vec<Location> {
        let mut locations = Vec::new();
        store
            .shared()
            .sealed
            .index
            .each(|_, entry| {
                locations.extend(entry.placed.map(|placed| placed.location));
                Ok(())
            })
            .unwrap();
        locations
    }

    /// The live bytes of the volumes.
    fn live(store: &Store) -> u64 {
        let locations = locations(store).into_iter();
        locations.map(|location| u64::from(location.length)).sum()
    }

    fn all(store: &Store) -> Vec<Reading> {
        let mut scan = store.scan(&house(), TimeRange::ALL);
        let mut readings = Vec::new();
        while let Some(run) = scan.next_run().unwrap() {
            readings.extend(run);
        }
        readings
    }

    /// Readings that do not compress.
    fn noise(from: i64, count: i64) -> Vec<Reading> {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let noise = (from..from + count).map(|n| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let watts = f64::from(u32::try_from(state >> 33).unwrap());
            reading(n * 1_000, watts)
        });
        noise.collect()
    }

    #[test]
    fn appending_continues_after_an_incomplete_record() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        store.import_durably(&house(), noise(0, 32)).unwrap();
        drop(store);
        let [volume] = &volumes(dir.path())[..] else {
            panic!("two blocks are in one volume");
        };
        let mut bytes = fs::read(volume).unwrap();
        let whole = bytes.len();
        // The first half of a record.
        bytes.extend_from_within(..whole / 4);
        fs::write(volume, &bytes).unwrap();
        fs::write(volume.with_file_name("00000009"), b"nothing refers to it").unwrap();
        fs::write(volume.with_file_name("00000005"), b"nothing refers to it").unwrap();
        let store = open_with(dir.path(), 16);
        // The newest stays, because it is appended to. The other is removed after a sync.
        assert_eq!(volumes(dir.path()).len(), 2);
        store.import_durably(&house(), noise(32, 32)).unwrap();
        assert_eq!(fs::read(volume).unwrap(), bytes);
        assert_eq!(store.check().problems, []);
        drop(store);
        let store = open_with(dir.path(), 16);
        assert_eq!(all(&store).len(), 64);
        assert_eq!(store.check().problems, []);
    }

    #[test]
    fn a_missing_volume_costs_its_blocks_only() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        store.import_durably(&house(), noise(0, 32)).unwrap();
        drop(store);
        fs::remove_file(&volumes(dir.path())[0]).unwrap();
        let store = open_with(dir.path(), 16);
        let late = noise(100, 16);
        store.import_durably(&house(), late.clone()).unwrap();
        let problems = store.check().problems;
        // The note of the start, and the two blocks.
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(
            problems
                .iter()
                .skip(1)
                .all(|it| it.what.contains("00000001") && it.range.is_some())
        );
        // New blocks went elsewhere.
        assert_eq!(volumes(dir.path()).len(), 1);
        let range = TimeRange::new(at(100_000), at(200_000)).unwrap();
        assert_eq!(store.count_readings(&house(), range).unwrap(), 16);
    }

    /// Garbage stays bounded under imports, corrections and deletions.
    #[test]
    fn space_is_bounded_under_any_replacements() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 512);
        let bounded = |store: &Store| {
            // Each change lets one step of moving happen.
            for _ in 0..500 {
                store
                    .append_durably_blocking(upload(&[Some(1)]), at(NOW))
                    .unwrap();
                let (live, length) = (live(store), length(dir.path()));
                if length.saturating_sub(live) <= MUCH_GARBAGE.max(live / 4) {
                    return;
                }
            }
            panic!(
                "{} of {} bytes are garbage",
                length(dir.path()) - live(store),
                length(dir.path())
            );
        };
        let mut state = 1_u64;
        for from in 0..8 {
            store
                .import_durably(&house(), noise(from * 16_384, 16_384))
                .unwrap();
        }
        let first = volumes(dir.path()).remove(0);
        for round in 0..20 {
            let late = (0..100).map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                reading(
                    i64::try_from(state >> 33).unwrap() % 131_072_000,
                    f64::from(round),
                )
            });
            store.import_durably(&house(), late.collect()).unwrap();
        }
        bounded(&store);
        assert!(!first.exists());
        let count = all(&store).len();
        assert_eq!(store.check().problems, []);
        drop(store);
        // A start computes the same.
        let store = open_with(dir.path(), 512);
        bounded(&store);
        assert_eq!(all(&store).len(), count);
        let most = TimeRange::new(at(10_000_000), at(300_000_000)).unwrap();
        store.delete_durably(&house(), most).unwrap();
        bounded(&store);
        store.delete_durably(&house(), TimeRange::ALL).unwrap();
        bounded(&store);
        assert_eq!((all(&store).len(), live(&store)), (1, 0));
        assert_eq!(store.check().problems, []);
    }

    /// Its valid blocks are moved; the volume stays, for a salvage.
    #[test]
    fn a_volume_with_a_damaged_block_is_not_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 512);
        store.import_durably(&house(), noise(0, 16_384)).unwrap();
        let first = locations(&store)[0];
        let volume = &volumes(dir.path())[0];
        let mut bytes = fs::read(volume).unwrap();
        bytes[usize::try_from(first.end()).unwrap() - 1] ^= 1;
        fs::write(volume, bytes).unwrap();
        for _ in 0..8 {
            store
                .import_durably(&house(), noise(16_384, 16_384))
                .unwrap();
            let range = TimeRange::new(at(16_384_000), at(32_768_000)).unwrap();
            store.delete_durably(&house(), range).unwrap();
        }
        let left = || {
            let locations = locations(&store).into_iter();
            locations.filter(|location| location.volume == 1).count()
        };
        for _ in 0..500 {
            let one = upload(&[Some(1)]);
            store.append_durably_blocking(one, at(NOW)).unwrap();
            if left() == 1 {
                break;
            }
        }
        assert_eq!(left(), 1);
        assert!(volume.exists());
        let [problem] = &store.check().problems[..] else {
            panic!("one block is damaged");
        };
        assert!(problem.what.contains("00000001"), "{problem:?}");
    }

    #[test]
    fn nothing_refers_to_a_block_after_a_failed_sync() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        store.import_durably(&house(), noise(0, 16)).unwrap();
        let folder = Volumes::of(dir.path()).folder().to_owned();
        sync::fault::fail_below(&folder);
        let range = TimeRange::new(at(3_000), at(4_000)).unwrap();
        let refused = store.delete_durably(&house(), range);
        assert!(
            matches!(refused, Err(StoreError::Poisoned(_))),
            "{refused:?}"
        );
        sync::fault::heal(&folder);
        assert!(store.unavailable().is_some());
        assert_eq!(all(&store), noise(0, 16));
        drop(store);
        // The deletion was announced, so the next start carries it out.
        let mut left = noise(0, 16);
        left.retain(|reading| !range.contains(reading.time));
        assert_eq!(all(&open_with(dir.path(), 16)), left);
    }
}
