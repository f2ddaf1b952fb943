//! Decoding of a block, page by page.

use std::ops::Range;

use crate::domain::{Measures, Reading, TimeRange, Timestamp};
use crate::ledger::{PowerRun, RegisterRun};
use crate::store::blocks::block::directory::{Described, PageEntry, PagePower};
use crate::store::blocks::block::format::{
    CHECKED_FROM, DecodeError, HEADER_BYTES, MAX_READINGS, PAGE, VERSION,
};
use crate::store::blocks::block::numbers::{BlockColumn, take_coding};
use crate::store::blocks::block::packed::{Chunk, ROOM};
use crate::store::blocks::block::presence::MeasurePresence;
use crate::store::blocks::block::steps::Scale;
use crate::store::blocks::block::times::TimeColumn;
use crate::store::blocks::block::{directory, packed, steps, totals};
use crate::store::blocks::measure::{Measure, Run, Totals, Values};
use crate::store::blocks::summary::{power_of, registers_of};

const TOO_SHORT: DecodeError = DecodeError::Malformed("shorter than its pages");

/// A block whose directory has been read. Its pages are unpacked on demand.
pub(crate) struct Pages {
    /// The block, followed by [`ROOM`].
    bytes: Vec<u8>,
    count: usize,
    times: TimeColumn,
    watts: BlockColumn,
    /// Unpacked only if wanted.
    watthours: BlockColumn,
    places: Vec<PlacedPage>,
    scratch: Scratch,
}

/// Buffers of [`Pages::unpack`], kept to reuse their memory.
#[derive(Default)]
struct Scratch {
    ms: Vec<i64>,
    energies: Vec<f64>,
}

struct PlacedPage {
    at: Range<usize>,
    first: Timestamp,
    entry: PageEntry,
}

impl Pages {
    /// Reads the header and the directory. `wanted` is the only measure that will be read; `None`
    /// means both.
    pub(crate) fn open(mut bytes: Vec<u8>, wanted: Option<Measure>) -> Result<Self, DecodeError> {
        let (count, presence, codings) = check_header(&bytes)?;
        // Taken before the padding, which is no part of the block.
        let length = bytes.len();
        // Padding, so that pco need not copy the pages.
        bytes.resize(length + ROOM, 0);
        let mut rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let [times, watts, watthours] = codings;
        let has_watts = MeasurePresence::take(presence & 3, count, &mut rest)?;
        let has_watthours = MeasurePresence::take(presence >> 2, count, &mut rest)?;
        let (scale, predictor) = take_coding(times, &mut rest)?
            // Times are whole milliseconds, and are unpacked first, when no power is known yet.
            .filter(|(scale, predictor)| scale.decimals == 0 && !predictor.needs_power())
            .ok_or(DecodeError::Malformed("unknown coding of times"))?;
        let mut watts = BlockColumn::take(has_watts, watts, &mut rest)?;
        if watts.coding.is_some_and(|(_, by)| by.needs_power()) {
            return Err(DecodeError::Malformed("power predicted from itself"));
        }
        let mut watthours = BlockColumn::take(has_watthours, watthours, &mut rest)?;
        let described = |page| {
            let of = readings_of(page, count);
            Described {
                count: of.len(),
                has_power: watts.described(&of) > 0,
                registers: watthours.described(&of),
                is_block_of_registers: !matches!(watthours.presence, MeasurePresence::None),
            }
        };
        let entries = directory::read(count, described, &mut rest)?;

        let file = packed::take_header(&mut rest)?;
        let any_packed = entries.iter().fold([false; 3], |[t, w, h], entry| {
            let [times, watts, watthours] = entry.packed;
            [t | times, w | watts, h | watthours]
        });
        let [are_times, are_watts, are_watthours] = any_packed;
        let chunk = are_times.then(|| Chunk::take(&file, &mut rest));
        let times = TimeColumn {
            scale,
            predictor,
            chunk: chunk.transpose()?,
        };
        if are_watts {
            watts.take_chunk(&file, &mut rest)?;
        }
        // Registers may be predicted from power, so power is always read.
        if are_watthours && wanted != Some(Measure::Watts) {
            watthours.take_chunk(&file, &mut rest)?;
        }
        let lengths = entries.iter().map(|entry| entry.length);
        // Saturating: forged lengths may have any sum. The check below refuses it.
        let packed = lengths.fold(0, usize::saturating_add);
        let left = rest.len().saturating_sub(ROOM);
        // With watts alone the metadata of watt-hours was skipped: it comes in between.
        let is_long = left > packed && wanted != Some(Measure::Watts);
        if is_long || left < packed {
            return Err(DecodeError::Malformed("length differs from its pages"));
        }
        // The pages end the block, so their lengths give their beginning.
        let places = placed(entries, length - packed, scale)?;
        Ok(Self {
            bytes,
            count,
            times,
            watts,
            watthours,
            places,
            scratch: Scratch::default(),
        })
    }

    /// The number of pages.
    pub(crate) const fn len(&self) -> usize {
        self.places.len()
    }

    /// All readings. Checks the directory against them.
    pub(crate) fn readings(&mut self) -> Result<Vec<Reading>, DecodeError> {
        let mut readings = Vec::with_capacity(self.count);
        for page in 0..self.places.len() {
            let times = self.unpack(page, None)?;
            let (watts, watthours) = (&self.watts, &self.watthours);
            let of = readings_of(page, self.count);
            let watts = watts.presence.spread(of.clone(), &watts.page_numbers);
            let watthours = watthours.presence.spread(of, &watthours.page_numbers);
            for ((time, watts), watthours) in times.into_iter().zip(watts).zip(watthours) {
                let measures = Measures::new(watts, watthours)
                    .map_err(|_| DecodeError::Malformed("a reading without a finite measure"))?;
                readings.push(Reading { time, measures });
            }
            if !self.is_described_by(page, readings.get(PAGE * page..).unwrap_or_default()) {
                return Err(DecodeError::Malformed("a page contradicts the directory"));
            }
        }
        Ok(readings)
    }

    /// Whether the directory agrees with `readings`, which are those of the page unpacked last.
    fn is_described_by(&self, page: usize, readings: &[Reading]) -> bool {
        let Some(entry) = self.places.get(page).map(|page| &page.entry) else {
            return false;
        };
        let of = readings_of(page, self.count);
        let plain = |power: PagePower| PagePower {
            energy: None,
            ..power
        };
        let steps = &self.watthours.page_steps;
        // Totals are omitted if they would not be exact.
        let register_run = self.register_run(page, &of);
        let power_run = self.power_run(page, &of);
        entry.watts.map(plain) == PagePower::of(&self.watts.page_steps).map(plain)
            && entry.watthours.as_ref().map(|r| (&r.first, &r.last))
                == steps.first().zip(steps.last())
            && register_run.is_none_or(|run| RegisterRun::of(registers_of(readings)) == Some(run))
            && power_run.is_none_or(|run| {
                let found = PowerRun::of(power_of(readings));
                found.is_some_and(|found| run.agrees_with(&found))
            })
    }

    fn register_run(&self, page: usize, of: &Range<usize>) -> Option<RegisterRun> {
        let entry = &self.places.get(page)?.entry;
        let (scale, _) = self.watthours.coding?;
        let count = self.watthours.presence.count(of.clone());
        totals::register_run(entry, count, [self.times.scale, scale])
    }

    fn power_run(&self, page: usize, of: &Range<usize>) -> Option<PowerRun> {
        let entry = &self.places.get(page)?.entry;
        let (scale, _) = self.watts.coding?;
        totals::power_run(entry, of.len(), [self.times.scale, scale])
    }

    /// The times that a page may cover, given the last time of the block. A page's own last time is
    /// not in the directory; the next page bounds it.
    pub(crate) fn reach(&self, page: usize, block_end: Timestamp) -> Option<TimeRange> {
        let first = self.places.get(page)?.first;
        let next = self.places.get(page + 1);
        // So a page may seem to extend over a gap up to the next one: `Run::last` allows for that.
        let last = next.map_or(block_end, |next| next.first.saturating_add_millis(-1));
        TimeRange::new(first, last)
    }

    /// The totals of `measure` in a page, from the directory; `None` if it lacks them.
    pub(crate) fn run(&self, page: usize, measure: Measure, reach: TimeRange) -> Option<Run> {
        let entry = &self.places.get(page)?.entry;
        let of = readings_of(page, self.count);
        let totals = match measure {
            Measure::Watts => {
                let ((scale, _), power) = self.watts.coding.zip(entry.watts)?;
                let count = u32::try_from(self.watts.presence.count(of.clone())).ok()?;
                Totals::Power {
                    count,
                    sum: scale.sum(count, power.sum),
                    min: scale.number(power.min),
                    max: scale.number(power.max),
                    run: self.power_run(page, &of),
                }
            }
            Measure::Watthours => Totals::Registers(self.register_run(page, &of)?),
        };
        Some(Run {
            first: reach.start(),
            last: reach.end(),
            totals,
        })
    }

    /// The values of `measure` in a page.
    pub(crate) fn values(&mut self, page: usize, measure: Measure) -> Result<Values, DecodeError> {
        // All times of the page at first: those of readings without the measure are removed below.
        let mut times = self.unpack(page, Some(measure))?;
        let column = match measure {
            Measure::Watts => &self.watts,
            Measure::Watthours => &self.watthours,
        };
        let of = readings_of(page, self.count);
        column.presence.retain(of, &mut times);
        Ok(Values {
            times,
            // A copy: the column keeps its buffer for the next page.
            numbers: column.page_numbers.clone(),
        })
    }

    /// Unpacks a page: returns its times, and leaves its numbers in their columns. Skips watt-hours
    /// if only watts are wanted.
    fn unpack(
        &mut self,
        page: usize,
        wanted: Option<Measure>,
    ) -> Result<Vec<Timestamp>, DecodeError> {
        let of = readings_of(page, self.count);
        let next = self.places.get(page + 1).map(|next| next.first);
        let PlacedPage { at, entry, .. } = self.places.get(page).ok_or(TOO_SHORT)?;
        // Up to the end of the padding: pco reads beyond the page.
        let mut rest = self.bytes.get(at.start..).ok_or(TOO_SHORT)?;
        let behind = self.bytes.len().saturating_sub(at.end);

        let Scratch { ms, energies } = &mut self.scratch;
        self.times.unpack(&mut rest, entry, of.len(), ms)?;
        let times = timestamps(ms)?;
        if next.is_some_and(|next| times.last() >= Some(&next)) {
            return Err(DecodeError::Malformed("times out of order"));
        }
        let first = entry.watts.map(|power| power.first);
        let [_, are_watts, are_watthours] = entry.packed;
        self.watts.unpack(&mut rest, &of, are_watts, first, [])?;
        // A damaged column may have taken bytes of the next page.
        if rest.len() < behind {
            return Err(DecodeError::Malformed("a page shorter than its columns"));
        }
        if wanted == Some(Measure::Watts) {
            return Ok(times);
        }
        energies.clear();
        let mut phase = 0;
        if let (Some((scale, predictor)), Some(registers)) =
            (self.watthours.coding, entry.watthours)
            && predictor.needs_power()
        {
            let watts = &self.watts;
            let filled = watts.presence.filled(of.clone(), &watts.page_numbers, 0.0);
            steps::energies(ms, &filled, scale, predictor, energies);
            // Every reading adds energy, also one without a register; only then are those removed.
            self.watthours.presence.retain(of.clone(), energies);
            phase = registers.phase;
        }
        let first = entry.watthours.map(|registers| registers.first);
        let energies = steps::energy_steps(energies, phase);
        self.watthours
            .unpack(&mut rest, &of, are_watthours, first, energies)?;
        if rest.len() != behind {
            return Err(DecodeError::Malformed(
                "a page's length differs from its columns",
            ));
        }
        Ok(times)
    }
}

/// Checks the bytes before the maps; returns the number of readings, the presence bits, and the
/// codings.
fn check_header(block: &[u8]) -> Result<(usize, u8, [u8; 3]), DecodeError> {
    let header = block
        .first_chunk::<HEADER_BYTES>()
        .ok_or(DecodeError::Malformed("shorter than its header"))?;
    let [version, c1, c2, c3, c4, n1, n2, presence, codings @ ..] = *header;
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    let checksum = u32::from_le_bytes([c1, c2, c3, c4]);
    if block.get(CHECKED_FROM..).map(crc32fast::hash) != Some(checksum) {
        return Err(DecodeError::Checksum);
    }
    let count = usize::from(u16::from_le_bytes([n1, n2]));
    if count == 0 || count > MAX_READINGS {
        return Err(DecodeError::Malformed("impossible number of readings"));
    }
    if presence >> 4 != 0 {
        return Err(DecodeError::Malformed("unknown presence"));
    }
    Ok((count, presence, codings))
}

fn readings_of(page: usize, count: usize) -> Range<usize> {
    let first = PAGE * page;
    first..(first + PAGE).min(count)
}

/// The pages, which follow each other from `start` on.
fn placed(
    entries: Vec<PageEntry>,
    start: usize,
    times: Scale,
) -> Result<Vec<PlacedPage>, DecodeError> {
    let mut pages: Vec<PlacedPage> = Vec::with_capacity(entries.len());
    let mut end = start;
    for entry in entries {
        let start = end;
        end += entry.length;
        let first = Timestamp::from_millis(times.whole(entry.time))
            .ok_or(DecodeError::Malformed("impossible time"))?;
        if pages.last().is_some_and(|before| before.first >= first) {
            return Err(DecodeError::Malformed("times out of order"));
        }
        pages.push(PlacedPage {
            at: start..end,
            first,
            entry,
        });
    }
    Ok(pages)
}

/// Checks that times are valid and strictly ascending.
fn timestamps(ms: &[i64]) -> Result<Vec<Timestamp>, DecodeError> {
    // Counting all offending pairs is several times as fast as stopping at the first one: the loop
    // has no exit to test for.
    let pairs = ms.iter().zip(ms.get(1..).unwrap_or_default());
    if pairs.filter(|(earlier, later)| earlier >= later).count() > 0 {
        return Err(DecodeError::Malformed("times out of order"));
    }
    let ends = ms.first().zip(ms.last());
    let (first, last) = ends.ok_or(DecodeError::Malformed("no times"))?;
    if Timestamp::from_millis(*first).is_none() || Timestamp::from_millis(*last).is_none() {
        return Err(DecodeError::Malformed("impossible time"));
    }
    // Ascending times between two valid ones are valid, so the fallback is never taken.
    let time = |&ms| Timestamp::from_millis(ms).unwrap_or(Timestamp::MIN);
    Ok(ms.iter().map(time).collect())
}
