//! A block of version 2, read page by page.

use std::ops::Range;

use pco::wrapped::FileDecompressor;

use crate::domain::reading::Reading;
use crate::domain::summary::Falls;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::block::directory;
use crate::store::blocks::block::directory::{Entry, Power};
use crate::store::blocks::block::packed;
use crate::store::blocks::block::packed::{Chunk, ROOM};
use crate::store::blocks::block::presence::{Presence, spread};
use crate::store::blocks::block::steps;
use crate::store::blocks::block::steps::{Foretold, Scale};
use crate::store::blocks::block::times::Times;
use crate::store::blocks::block::{
    Checked, DecodeError, HEADER_BYTES, PAGE, RAW, VERSION, assemble, finite, timestamps,
};
use crate::store::blocks::measure::{Measure, Run, Totals, Values};

const TOO_SHORT: DecodeError = DecodeError::Malformed("shorter than its pages");
/// The differences of a page that has none.
const ZEROS: [i64; PAGE] = [0; PAGE];

/// A block whose directory is read; its pages are unpacked one by one.
pub(crate) struct Pages {
    /// The block, and [`ROOM`] behind it.
    bytes: Vec<u8>,
    count: usize,
    times: Times,
    watts: Column,
    /// Not to be unpacked where only power is asked for.
    watthours: Column,
    places: Vec<Page>,
    page: Unpacked,
}

/// What was unpacked last, beside the measures; kept for its memory.
#[derive(Default)]
struct Unpacked {
    ms: Vec<i64>,
    energies: Vec<f64>,
}

struct Page {
    at: Range<usize>,
    first: Timestamp,
    entry: Entry,
}

/// One measure.
struct Column {
    presence: Presence,
    /// `None` where the numbers stand as they are.
    steps: Option<(Scale, Foretold)>,
    chunk: Numbers,
    /// What was unpacked last, of those readings of a page that have the measure; steps only where they are steps.
    page_steps: Vec<i64>,
    page_numbers: Vec<f64>,
}

enum Numbers {
    None,
    Differences(Chunk<i64>),
    Raw(Chunk<f64>),
}

impl Pages {
    /// `wanted` says which measure will be asked for, if only one will be.
    pub(crate) fn open(mut bytes: Vec<u8>, wanted: Option<Measure>) -> Result<Self, DecodeError> {
        let Checked {
            count, presence, ..
        } = Checked::of(&bytes, VERSION)?;
        let length = bytes.len();
        bytes.resize(length + ROOM, 0);
        let mut rest = bytes.get(HEADER_BYTES..).unwrap_or_default();
        let (codes, behind) = rest
            .split_first_chunk::<3>()
            .ok_or(DecodeError::Malformed("shorter than its header"))?;
        rest = behind;
        let [times, watts, watthours] = *codes;
        let of_watts = Presence::take(presence & 3, count, &mut rest)?;
        let of_watthours = Presence::take(presence >> 2, count, &mut rest)?;
        let (scale, by) = take_coding(times, &mut rest)?
            .filter(|(scale, by)| scale.decimals == 0 && !by.needs_power())
            .ok_or(DecodeError::Malformed("unknown coding of times"))?;
        let mut watts = Column::take(of_watts, watts, &mut rest)?;
        if watts.steps.is_some_and(|(_, by)| by.needs_power()) {
            return Err(DecodeError::Malformed("power foretold from itself"));
        }
        let mut watthours = Column::take(of_watthours, watthours, &mut rest)?;
        let tells = |page| {
            let of = readings_of(page, count);
            [watts.is_told_of(&of), watthours.is_told_of(&of)]
        };
        let entries = directory::read(count, tells, &mut rest)?;

        let file = packed::take_header(&mut rest)?;
        let mut packed = [false; 3];
        for entry in &entries {
            for (any, packed) in packed.iter_mut().zip(entry.packed) {
                *any |= packed;
            }
        }
        let [are_times, are_watts, are_watthours] = packed;
        let chunk = are_times.then(|| Chunk::take(&file, &mut rest));
        let times = Times {
            scale,
            by,
            chunk: chunk.transpose()?,
        };
        if are_watts {
            watts.take_chunk(&file, &mut rest)?;
        }
        if are_watthours && wanted != Some(Measure::Watts) {
            watthours.take_chunk(&file, &mut rest)?;
        }
        let lengths = entries.iter().map(|entry| entry.length);
        let packed = lengths.fold(0, usize::saturating_add);
        // What is not to be unpacked lies between.
        let left = rest.len().saturating_sub(ROOM);
        let is_long = left > packed && wanted != Some(Measure::Watts);
        if is_long || left < packed {
            return Err(DecodeError::Malformed("not as long as its pages"));
        }
        let pages = placed(entries, length - packed, scale)?;
        Ok(Self {
            bytes,
            count,
            times,
            watts,
            watthours,
            places: pages,
            page: Unpacked::default(),
        })
    }

    /// How many pages there are.
    pub(crate) const fn len(&self) -> usize {
        self.places.len()
    }

    /// All readings. It is looked whether the directory is true.
    pub(crate) fn readings(&mut self) -> Result<Vec<Reading>, DecodeError> {
        let mut readings = Vec::with_capacity(self.count);
        for page in 0..self.places.len() {
            let times = self.unpack(page, None)?;
            let (watts, watthours) = (&self.watts, &self.watthours);
            let told = self.places.get(page).map(|page| &page.entry);
            let is_true = told.is_some_and(|told| {
                let registers = watthours
                    .page_steps
                    .first()
                    .zip(watthours.page_steps.last());
                told.watts == Power::of(&watts.page_steps)
                    && told.watthours.as_ref().map(|r| (&r.first, &r.last)) == registers
            });
            if !is_true {
                return Err(DecodeError::Malformed("a page is not as it is told"));
            }
            let of = readings_of(page, self.count);
            assemble(
                &times,
                spread(&watts.presence, of.clone(), &watts.page_numbers),
                spread(&watthours.presence, of, &watthours.page_numbers),
                &mut readings,
            )?;
        }
        Ok(readings)
    }

    /// From when to when the readings of a page are, given the time of the block's last one: it is known of the last of a page
    /// only that it lies before the next page.
    pub(crate) fn reach(&self, page: usize, block_end: Timestamp) -> Option<TimeRange> {
        let first = self.places.get(page)?.first;
        let next = self.places.get(page + 1);
        let last = next.map_or(block_end, |next| next.first.saturating_add_millis(-1));
        TimeRange::new(first, last)
    }

    /// What the directory says of `measure` in a page, if it does: where the numbers are steps and there are any.
    pub(crate) fn run(&self, page: usize, measure: Measure, reach: TimeRange) -> Option<Run> {
        let entry = &self.places.get(page)?.entry;
        let of = readings_of(page, self.count);
        let totals = match measure {
            Measure::Watts => {
                let ((scale, _), power) = self.watts.steps.zip(entry.watts)?;
                let count = u32::try_from(self.watts.presence.count(of)).ok()?;
                Totals::Power {
                    count,
                    sum: scale.sum(count, power.sum),
                    min: scale.number(power.min),
                    max: scale.number(power.max),
                }
            }
            Measure::Watthours => {
                let ((scale, _), registers) = self.watthours.steps.zip(entry.watthours)?;
                let is_one = self.watthours.presence.count(of) == 1;
                Totals::Registers {
                    first: scale.number(registers.first),
                    last: (!is_one).then(|| scale.number(registers.last)),
                    falls: is_one.then(Falls::default),
                }
            }
        };
        Some(Run {
            first: reach.start(),
            last: reach.end(),
            totals,
        })
    }

    /// The values of `measure` in a page.
    pub(crate) fn values(&mut self, page: usize, measure: Measure) -> Result<Values, DecodeError> {
        let mut times = self.unpack(page, Some(measure))?;
        let column = match measure {
            Measure::Watts => &self.watts,
            Measure::Watthours => &self.watthours,
        };
        let of = readings_of(page, self.count);
        column.presence.retain(of, &mut times);
        Ok(Values {
            times,
            numbers: column.page_numbers.clone(),
        })
    }

    /// Unpacks a page: its times are given, its watts and watt-hours are in their columns, the last not where only watts are
    /// wanted.
    fn unpack(
        &mut self,
        page: usize,
        wanted: Option<Measure>,
    ) -> Result<Vec<Timestamp>, DecodeError> {
        let of = readings_of(page, self.count);
        let next = self.places.get(page + 1).map(|next| next.first);
        let Page { at, entry, .. } = self.places.get(page).ok_or(TOO_SHORT)?;
        let mut rest = self.bytes.get(at.start..).ok_or(TOO_SHORT)?;
        let behind = self.bytes.len().saturating_sub(at.end);

        let Unpacked { ms, energies } = &mut self.page;
        self.times.unpack(&mut rest, entry, of.len(), ms)?;
        let times = timestamps(ms)?;
        if next.is_some_and(|next| times.last() >= Some(&next)) {
            return Err(DecodeError::Malformed("times out of order"));
        }
        let first = entry.watts.map(|power| power.first);
        let [_, are_watts, are_watthours] = entry.packed;
        self.watts.unpack(&mut rest, &of, are_watts, first, [])?;
        if rest.len() < behind {
            return Err(DecodeError::Malformed("a page shorter than its columns"));
        }
        if wanted == Some(Measure::Watts) {
            return Ok(times);
        }
        energies.clear();
        let mut phase = 0;
        if let (Some((scale, by)), Some(registers)) = (self.watthours.steps, entry.watthours)
            && by.needs_power()
        {
            let watts = &self.watts;
            let filled = watts.presence.filled(of.clone(), &watts.page_numbers, 0.0);
            steps::energies(ms, &filled, scale, by, energies);
            self.watthours.presence.retain(of.clone(), energies);
            phase = registers.phase;
        }
        let first = entry.watthours.map(|registers| registers.first);
        let foretold = steps::whole(energies, phase);
        self.watthours
            .unpack(&mut rest, &of, are_watthours, first, foretold)?;
        if rest.len() != behind {
            return Err(DecodeError::Malformed("a page not as long as its columns"));
        }
        Ok(times)
    }
}

impl Column {
    fn take(presence: Presence, code: u8, rest: &mut &[u8]) -> Result<Self, DecodeError> {
        let steps = match presence {
            Presence::None => None,
            Presence::All | Presence::Mapped(_) => take_coding(code, rest)?,
        };
        Ok(Self {
            presence,
            steps,
            chunk: Numbers::None,
            page_steps: Vec::new(),
            page_numbers: Vec::new(),
        })
    }

    fn is_told_of(&self, of: &Range<usize>) -> bool {
        self.steps.is_some() && self.presence.count(of.clone()) > 0
    }

    fn take_chunk(&mut self, file: &FileDecompressor, rest: &mut &[u8]) -> Result<(), DecodeError> {
        self.chunk = if self.steps.is_some() {
            Numbers::Differences(Chunk::take(file, rest)?)
        } else {
            Numbers::Raw(Chunk::take(file, rest)?)
        };
        Ok(())
    }

    fn unpack(
        &mut self,
        rest: &mut &[u8],
        of: &Range<usize>,
        is_packed: bool,
        first: Option<i64>,
        foretold: impl IntoIterator<Item = i64>,
    ) -> Result<(), DecodeError> {
        let count = self.presence.count(of.clone());
        // The first step is in the directory.
        let count = count.saturating_sub(usize::from(self.steps.is_some()));
        self.page_steps.clear();
        self.page_numbers.clear();
        let differences = match &mut self.chunk {
            _ if count == 0 => &[],
            Numbers::Differences(chunk) if is_packed => chunk.take_page(rest, count)?,
            Numbers::Raw(chunk) if is_packed => {
                self.page_numbers
                    .extend_from_slice(chunk.take_page(rest, count)?);
                finite(&self.page_numbers)?;
                &[]
            }
            _ if self.steps.is_none() => return Err(TOO_SHORT),
            _ => ZEROS.get(..count).unwrap_or_default(),
        };
        if let (Some((scale, by)), Some(first)) = (self.steps, first) {
            by.steps(first, differences, foretold, &mut self.page_steps);
            let numbers = self.page_steps.iter().map(|&step| scale.number(step));
            self.page_numbers.extend(numbers);
        }
        Ok(())
    }
}

/// How the numbers of a column are coded, and the scale of steps behind it; `None` where they stand as they are.
fn take_coding(code: u8, rest: &mut &[u8]) -> Result<Option<(Scale, Foretold)>, DecodeError> {
    if code == RAW {
        return Ok(None);
    }
    let by = Foretold::of(code & 0xF).ok_or(DecodeError::Malformed("unknown coding"))?;
    Ok(Some((Scale::take(code >> 4, rest)?, by)))
}

fn readings_of(page: usize, count: usize) -> Range<usize> {
    let first = PAGE * page;
    first..(first + PAGE).min(count)
}

/// The pages, which lie behind each other from `start` on.
fn placed(entries: Vec<Entry>, start: usize, times: Scale) -> Result<Vec<Page>, DecodeError> {
    let mut pages: Vec<Page> = Vec::with_capacity(entries.len());
    let mut end = start;
    for entry in entries {
        let start = end;
        end += entry.length;
        let first = Timestamp::from_millis(times.whole(entry.time))
            .ok_or(DecodeError::Malformed("impossible time"))?;
        if pages.last().is_some_and(|before| before.first >= first) {
            return Err(DecodeError::Malformed("times out of order"));
        }
        pages.push(Page {
            at: start..end,
            first,
            entry,
        });
    }
    Ok(pages)
}
