//! Moves readings into blocks: new ones after the last block, late ones into the block that covers
//! their time, which may split; small neighbours merge.
//!
//! This only plans: a [`Step`] lists which blocks replace which, and the writer carries it out.

use std::thread;

use crate::domain::{Reading, TimeRange, Timestamp};
use crate::store::blocks::block;
use crate::store::blocks::block::{EncodeError, MAX_BYTES};
use crate::store::blocks::source::BlockSource;
use crate::store::blocks::summary::Summary;
use crate::store::error::StoreError;

/// The length to aim for, in bytes. It leaves a margin, because the length of an encoding is only
/// estimated.
const AIM_BYTES: usize = MAX_BYTES / 100 * 97;

/// The maximum number of blocks in a step. Each step costs a sync of the volume, so few large ones
/// are cheaper; but memory holds a whole step.
const STEP_BLOCKS: usize = 16;

/// One replacement of blocks of a sensor.
#[derive(Default)]
pub(crate) struct Step {
    /// The first times of the blocks to remove.
    pub(crate) replaced: Vec<Timestamp>,
    /// The blocks to insert.
    pub(crate) packs: Vec<Pack>,
    /// The number of the given rows in them, starting with the first.
    pub(crate) used: usize,
}

/// A block to write, with its summary.
pub(crate) struct Pack {
    pub(crate) bytes: Vec<u8>,
    pub(crate) summary: Summary,
}

/// How to treat rows after the last block that do not fill one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Seal them too.
    Seal,
    /// Leave them if others are sealed: a block of them would soon be replaced.
    Leave,
}

/// Plans the first step of moving `rows` (ascending in time, not empty) into the blocks of a
/// sensor, each of at most `block_readings`. The measures of a row replace those of a sealed
/// reading at the same time.
pub(crate) fn step(
    sealed: &dyn BlockSource,
    rows: &[Reading],
    tail: Tail,
    block_readings: usize,
) -> Result<Step, StoreError> {
    let step = step_with_tail(sealed, rows, tail, block_readings)?;
    let step = without_tail(sealed, rows, step)?;
    // Without rows, there is nothing to do.
    Ok(if step.used == 0 {
        Step::default()
    } else {
        step
    })
}

fn step_with_tail(
    sealed: &dyn BlockSource,
    rows: &[Reading],
    tail: Tail,
    block_readings: usize,
) -> Result<Step, StoreError> {
    let Some(start) = rows.first().map(|row| row.time) else {
        return Ok(Step::default());
    };
    let after = sealed.after(start)?;
    // Rows from the next block on are left for another step.
    let in_reach = after.map_or(rows.len(), |after| {
        rows.partition_point(|row| row.time < after.first)
    });
    let run = rows
        .get(..in_reach.min(STEP_BLOCKS * block_readings))
        .unwrap_or(rows);
    let mut replaced = Vec::new();

    let mut merged = Vec::new();
    let mut replace = |block: Summary| {
        replaced.push(block.first);
        sealed.readings(block.first)
    };
    let before = sealed.at_or_before(start)?;
    let filled = match before {
        // Late rows go into the block that covers them, or fill up one with space left.
        Some(before) if before.last >= start => vec![before],
        Some(before) if after.is_some() => {
            let has_room = is_small(sealed, &before, block_readings)?;
            has_room.then_some(before).into_iter().collect()
        }
        before => small_before(sealed, before, run.len(), block_readings)?,
    };
    for block in filled {
        merged.extend(replace(block)?);
    }
    let end_of_old = merged.last().map(|reading| reading.time);
    merged = overlay(merged, run);
    // The next block can only be merged if no row is left in between.
    if let Some(after) = after
        && run.len() == in_reach
        && is_small(sealed, &after, block_readings)?
    {
        merged.extend(replace(after)?);
    }

    let mut packs = pack(&merged, block_readings)?;
    let mut used = run.len();
    // Only after the last block, where more rows will come; and only if other blocks use some rows.
    if tail == Tail::Leave && after.is_none() && run.len() == rows.len() && packs.len() > 1 {
        // A block that starts with the rows may be left. One that also holds older readings must be
        // sealed: leaving it would use none of the rows, and the next step would be the same again.
        let last = packs.pop_if(|last| {
            start < last.summary.first && end_of_old.is_none_or(|end| end < last.summary.first)
        });
        if let Some(left) = last {
            used = run.partition_point(|row| row.time < left.summary.first);
        }
    }
    Ok(Step {
        replaced,
        packs,
        used,
    })
}

/// Leaves a last block that is not full to the next step, if `rows` go on and the block holds
/// nothing else: the next step would replace it at once.
fn without_tail(
    sealed: &dyn BlockSource,
    rows: &[Reading],
    mut step: Step,
) -> Result<Step, StoreError> {
    let (Some(first), Some(tail)) = (step.packs.first(), step.packs.last()) else {
        return Ok(step);
    };
    let is_full = tail.summary.count >= first.summary.count;
    let tail = tail.summary;
    let left = rows.partition_point(|row| row.time < tail.first);
    if is_full || left == 0 || step.used == rows.len() {
        return Ok(step);
    }
    let older = sealed.at_or_before(tail.last)?;
    if older.is_none_or(|older| older.last < tail.first) {
        step.packs.pop();
        step.used = left;
    }
    Ok(step)
}

/// Plans how to store the readings that are `left` (ascending in time) of the blocks that fill
/// `span`, all of which are removed: as one block if they fit, and merged with small neighbours if
/// they are few. Many deletions would otherwise leave many small blocks.
pub(crate) fn rest(
    sealed: &dyn BlockSource,
    (span, mut left): (TimeRange, Vec<Reading>),
    block_readings: usize,
) -> Result<Step, StoreError> {
    let mut packs = pack(&left, block_readings)?;
    let mut replaced = Vec::new();
    if let [only] = &packs[..]
        && is_half(only.summary.count, only.bytes.len(), block_readings)
    {
        // A filter, because there is no time before the first one.
        let before = sealed.at_or_before(span.start().saturating_add_millis(-1))?;
        if let Some(before) = before.filter(|before| before.last < span.start())
            && is_small(sealed, &before, block_readings)?
        {
            replaced.push(before.first);
            left.splice(..0, sealed.readings(before.first)?);
        }
        if let Some(after) = sealed.after(span.end())?
            && is_small(sealed, &after, block_readings)?
        {
            replaced.push(after.first);
            left.extend(sealed.readings(after.first)?);
        }
        if !replaced.is_empty() {
            packs = pack(&left, block_readings)?;
        }
    }
    Ok(Step {
        replaced,
        packs,
        used: 0,
    })
}

/// The small blocks before the `last` one, ascending, that are replaced together with this many new
/// `rows`. Each has at most as many readings as all that follow it, and together they fit into one
/// block. So the blocks at the end get shorter and shorter, and a reading is rewritten only a few
/// times, however few rows are sealed at once.
fn small_before(
    sealed: &dyn BlockSource,
    mut last: Option<Summary>,
    rows: usize,
    block_readings: usize,
) -> Result<Vec<Summary>, StoreError> {
    let (mut blocks, mut readings) = (Vec::new(), 0);
    while let Some(block) = last
        && let count = block.count as usize
        && count <= rows + readings
        && readings + count <= block_readings
        && is_small(sealed, &block, block_readings)?
    {
        readings += count;
        blocks.push(block);
        // A filter, because there is no time before the first one.
        let before = sealed.at_or_before(block.first.saturating_add_millis(-1))?;
        last = before.filter(|before| before.first < block.first);
    }
    blocks.reverse();
    Ok(blocks)
}

/// Whether a block is at most half full, and readable. An unreadable one stays as it is, and later
/// readings are sealed without it.
fn is_small(
    sealed: &dyn BlockSource,
    summary: &Summary,
    block_readings: usize,
) -> Result<bool, StoreError> {
    // The summary is at hand: the bytes are read from the disk only if needed.
    if !is_half(summary.count, 0, block_readings) {
        return Ok(false);
    }
    match sealed.bytes(summary.first) {
        Ok(bytes) => Ok(is_half(summary.count, bytes.len(), block_readings)),
        Err(error) if error.is_unreadable() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether this many readings in this many bytes are at most half a block.
const fn is_half(count: u32, bytes: usize, block_readings: usize) -> bool {
    2 * count as usize <= block_readings && 2 * bytes <= MAX_BYTES
}

/// Merges two sequences in ascending order of time. At equal times, the measures of `newer` replace
/// those of `older`.
pub(crate) fn overlay(older: Vec<Reading>, newer: &[Reading]) -> Vec<Reading> {
    if older
        .last()
        .zip(newer.first())
        .is_none_or(|(old, new)| old.time < new.time)
    {
        let mut both = older;
        both.extend_from_slice(newer);
        return both;
    }
    let mut both = Vec::with_capacity(older.len() + newer.len());
    let mut older = older.into_iter().peekable();
    for new in newer {
        while let Some(old) = older.next_if(|old| old.time < new.time) {
            both.push(old);
        }
        let same = older.next_if(|old| old.time == new.time);
        let measures = same.map_or(new.measures, |old| old.measures.overlaid_by(new.measures));
        both.push(Reading {
            time: new.time,
            measures,
        });
    }
    both.extend(older);
    both
}

/// Encodes `readings` as blocks of at most `block_readings` readings and [`MAX_BYTES`] bytes, each
/// as full as estimated.
pub(crate) fn pack(readings: &[Reading], block_readings: usize) -> Result<Vec<Pack>, StoreError> {
    let mut packs = Vec::new();
    let mut rest = readings;
    let mut guess = block_readings;
    while !rest.is_empty() {
        let count = guess.clamp(1, block_readings).min(rest.len());
        let (head, behind) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        // A guess: if the first one turns out too long, the second one starts at the wrong reading
        // and is dropped.
        let (next, _) = behind.split_at_checked(count).unwrap_or((behind, &[]));
        let (first, second) = encode_both(head, next);
        for (readings, encoded) in [(head, Some(first)), (next, second)] {
            match encoded {
                Some(Ok(bytes)) => {
                    // Neighbours compress about equally well.
                    guess = readings.len() * AIM_BYTES / bytes.len();
                    if let Some(summary) = Summary::of(readings) {
                        packs.push(Pack { bytes, summary });
                    }
                    rest = rest.get(readings.len()..).unwrap_or_default();
                }
                Some(Err(EncodeError::TooLong(bytes))) => {
                    // Two or more: a block of one reading always fits.
                    let count = readings.len();
                    // At least one fewer, so that this terminates. Anything encoded after it is
                    // dropped.
                    guess = (count * AIM_BYTES / bytes).min(count - 1);
                    break;
                }
                Some(Err(EncodeError::Refused(cause))) => {
                    return Err(StoreError::Io {
                        what: "sealing readings".into(),
                        cause,
                    });
                }
                None => {}
            }
        }
    }
    Ok(packs)
}

type Encoded = Result<Vec<u8>, EncodeError>;

/// Encodes `first` and `second` in parallel. The second result is `None` if `second` is empty or no
/// thread can be started.
fn encode_both(first: &[Reading], second: &[Reading]) -> (Encoded, Option<Encoded>) {
    if second.is_empty() {
        return (block::encode(first), None);
    }
    thread::scope(|scope| {
        let beside = thread::Builder::new().name("encode".into());
        let beside = beside.spawn_scoped(scope, || block::encode(second));
        let encoded = block::encode(first);
        // Without a thread, or after a panic in it, `pack` encodes these readings again, on its own
        // thread.
        (encoded, beside.ok().and_then(|beside| beside.join().ok()))
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::domain::{Measures, SensorId};
    use crate::store::records::Order;
    use crate::store::tests::noise;

    /// The blocks of a sensor, by their first times.
    struct Blocks(SensorId, BTreeMap<Timestamp, Pack>);

    impl Blocks {
        fn of(packs: Vec<Pack>) -> Self {
            let mut blocks = Self(SensorId::new("house").unwrap(), BTreeMap::new());
            blocks.insert(packs);
            blocks
        }

        fn insert(&mut self, packs: Vec<Pack>) {
            let packs = packs.into_iter().map(|pack| (pack.summary.first, pack));
            self.1.extend(packs);
        }

        fn counts(&self) -> Vec<usize> {
            let packs = self.1.values();
            packs.map(|pack| pack.summary.count as usize).collect()
        }
    }

    impl BlockSource for Blocks {
        fn sensor(&self) -> &SensorId {
            &self.0
        }

        fn summaries(
            &self,
            range: TimeRange,
            order: Order,
            most: usize,
        ) -> Result<Vec<Summary>, StoreError> {
            let found = self.1.range(range.start()..=range.end());
            let mut found: Vec<_> = found.map(|(_, pack)| pack.summary).collect();
            if order == Order::Descending {
                found.reverse();
            }
            found.truncate(most);
            Ok(found)
        }

        fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
            Ok(self.1[&first].bytes.clone())
        }
    }

    fn reading(ms: i64, watts: f64) -> Reading {
        let time = Timestamp::from_millis(ms).unwrap();
        Reading {
            time,
            measures: Measures::new(Some(watts), None).unwrap(),
        }
    }

    #[test]
    fn blocks_are_well_filled_and_never_too_long() {
        let readings: Vec<Reading> = (0..5_000).map(|n| reading(n * 1_000, noise(n))).collect();
        let packs = pack(&readings, 4_096).unwrap();
        assert_eq!(
            packs.iter().map(|pack| pack.summary.count).sum::<u32>(),
            5_000
        );
        assert!(packs.iter().all(|pack| pack.bytes.len() <= MAX_BYTES));
        let full = packs
            .iter()
            .filter(|pack| pack.bytes.len() > MAX_BYTES * 9 / 10)
            .count();
        assert!(full + 2 >= packs.len(), "{full} of {}", packs.len());
        let unpacked: Vec<Reading> = packs
            .iter()
            .flat_map(|pack| block::decode(&pack.bytes).unwrap())
            .collect();
        assert_eq!(unpacked, readings);
    }

    /// Of two neighbours, the second, the first or neither is too long.
    #[test]
    fn blocks_encoded_in_parallel_keep_their_order() {
        let watts = |part: i64, n| if part == 1 { noise(n) } else { 1.0 };
        for parts in [[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 0]] {
            let readings: Vec<Reading> = (0..3 * 1_000)
                .map(|n| reading(n, watts(parts[usize::try_from(n / 1_000).unwrap()], n)))
                .collect();
            let packs = pack(&readings, 1_000).unwrap();
            let unpacked: Vec<Reading> = packs
                .iter()
                .flat_map(|pack| block::decode(&pack.bytes).unwrap())
                .collect();
            assert_eq!(unpacked, readings, "{parts:?}");
            for pack in packs {
                assert_eq!(
                    Summary::of(&block::decode(&pack.bytes).unwrap()),
                    Some(pack.summary)
                );
            }
        }
    }

    #[test]
    fn blocks_respect_the_limit_of_readings() {
        let flat: Vec<Reading> = (0..1_000).map(|n| reading(n, 1.0)).collect();
        let counts: Vec<u32> = pack(&flat, 300)
            .unwrap()
            .iter()
            .map(|pack| pack.summary.count)
            .collect();
        assert_eq!(counts, [300, 300, 300, 100]);
        assert_eq!(pack(&flat, 1).unwrap().len(), 1_000);
    }

    #[test]
    fn the_newer_measures_win() {
        let both = |older: &[i64], newer: &[i64]| {
            let older = older.iter().map(|&ms| reading(ms, 1.0)).collect();
            let newer: Vec<Reading> = newer.iter().map(|&ms| reading(ms, 2.0)).collect();
            let both = overlay(older, &newer);
            both.iter()
                .map(|r| (r.time.millis(), r.measures.watts().unwrap()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            both(&[1, 3], &[2, 3, 4]),
            [(1, 1.0), (2, 2.0), (3, 2.0), (4, 2.0)]
        );
        assert_eq!(both(&[1, 5], &[2]), [(1, 1.0), (2, 2.0), (5, 1.0)]);
        assert_eq!(both(&[], &[2]), [(2, 2.0)]);
        assert_eq!(both(&[1], &[]), [(1, 1.0)]);
        assert_eq!(both(&[1], &[2]), [(1, 1.0), (2, 2.0)]);
    }

    /// A tail that does not fill a block stays hot, but never all rows: the next step would be the
    /// same. To hit that case, try many counts until a block with space and the rows together are
    /// cut exactly at the beginning of the rows.
    #[test]
    fn every_step_seals_something() {
        let rows: Vec<Reading> = (0..700)
            .map(|n| reading(10_000_000 + n * 1_000, noise(n)))
            .collect();
        for count in 2_000..2_004 {
            // A seventh of them do not compress.
            let watts = |n| if n % 7 == 0 { noise(n) } else { 1.0 };
            let old: Vec<Reading> = (0..count).map(|n| reading(n * 1_000, watts(n))).collect();
            let mut packs = pack(&old, 4_096).unwrap();
            packs.truncate(1);
            let sealed = Blocks::of(packs);
            for length in 540..640 {
                let rows = &rows[..length];
                let step = step(&sealed, rows, Tail::Leave, 4_096).unwrap();
                assert!(step.used > 0, "{count} sealed and {length} rows");
            }
        }
    }

    /// Adjacent blocks are at most half full if readings between them were deleted.
    #[test]
    fn a_step_rewrites_at_most_one_block_of_older_readings() {
        let readings: Vec<Reading> = (0..10 * 2_048).map(|n| reading(n * 1_000, 1.0)).collect();
        let sealed = Blocks::of(pack(&readings, 2_048).unwrap());
        let new: Vec<Reading> = (0..5_000)
            .map(|n| reading(30_000_000 + n * 1_000, 1.0))
            .collect();
        let step = step(&sealed, &new, Tail::Seal, 4_096).unwrap();
        assert_eq!((step.replaced.len(), step.used), (2, 5_000));
    }

    /// A few rows at a time: if all were put into the last block, each would be rewritten 64 times.
    #[test]
    fn a_reading_is_rewritten_a_few_times_however_few_are_sealed_at_once() {
        const ROWS: usize = 64 * 1_024;
        for at_once in [1, 32, 65, 2_049] {
            let rows: Vec<Reading> = (0..).take(ROWS).map(|n| reading(n * 1_000, 1.0)).collect();
            let (mut sealed, mut encoded) = (Blocks::of(Vec::new()), 0);
            for rows in rows.chunks(at_once) {
                let step = step(&sealed, rows, Tail::Seal, 4_096).unwrap();
                assert_eq!(step.used, rows.len());
                encoded += step
                    .packs
                    .iter()
                    .map(|it| it.summary.count as usize)
                    .sum::<usize>();
                sealed.1.retain(|first, _| !step.replaced.contains(first));
                sealed.insert(step.packs);
                let counts = sealed.counts();
                let full = counts.partition_point(|count| *count > 4_096 / 2);
                assert!(
                    counts[full..].is_sorted_by(|before, behind| before > behind),
                    "{counts:?}"
                );
            }
            let all: Vec<Reading> = sealed
                .1
                .keys()
                .flat_map(|first| sealed.readings(*first).unwrap())
                .collect();
            assert_eq!(all, rows);
            // Each time in a block that is at least twice as long.
            let times = (4_096 / at_once).ilog2() as usize + 1;
            assert!(encoded <= times * ROWS, "{at_once}: {}", encoded / ROWS);
        }
    }
}
