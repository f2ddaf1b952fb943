//! The columns of a block to be written: how each is coded, and what the directory says of its pages.

use pco::ChunkConfig;

use crate::domain::reading::Reading;
use crate::store::blocks::block::directory::{Entry, Power, Registers};
use crate::store::blocks::block::packed;
use crate::store::blocks::block::packed::Packed;
use crate::store::blocks::block::presence::Presence;
use crate::store::blocks::block::steps::{Foretold, Scale, energies, phase, whole};
use crate::store::blocks::block::{EncodeError, PAGE, RAW};
use crate::store::blocks::measure::Measure;

pub(crate) struct Column {
    pub(crate) presence: Presence,
    pub(crate) coding: u8,
    /// Where it is one of steps.
    pub(crate) scale: Option<Scale>,
    pub(crate) packed: Packed,
    /// How many numbers of each page are packed.
    pub(crate) counts: Vec<usize>,
}

/// Steps less what foretells them.
struct Differences {
    by: Foretold,
    numbers: Vec<i64>,
    /// Of each page.
    phases: Vec<u8>,
}

/// A measure of the readings that have it, and how many of each page do.
struct Numbers {
    presence: Presence,
    values: Vec<f64>,
    counts: Vec<usize>,
}

impl Column {
    pub(crate) fn of_times(ms: &[i64], entries: &mut [Entry]) -> Result<Self, EncodeError> {
        let (scale, steps) = Scale::of_whole(ms.to_vec());
        let mut pages: Vec<&[i64]> = steps.chunks(PAGE).collect();
        for (entry, page) in entries.iter_mut().zip(&mut pages) {
            entry.time = page.first().copied().unwrap_or_default();
            if let Some(every) = distance(page) {
                entry.every = every;
                // Nothing but the first is left to be written.
                *page = page.get(..1).unwrap_or_default();
            }
        }
        let ways = [Foretold::Last, Foretold::Trend].map(|by| Differences::of(by, &pages));
        Self::of_steps(Presence::All, scale, &pages, shortest(ways))
    }

    pub(crate) fn of_watts(
        readings: &[Reading],
        entries: &mut [Entry],
    ) -> Result<Self, EncodeError> {
        let watts = Numbers::of(readings, Measure::Watts);
        let Some((scale, steps)) = Scale::of(&watts.values) else {
            return watts.kept();
        };
        let pages = split(&steps, &watts.counts);
        for (entry, page) in entries.iter_mut().zip(&pages) {
            entry.watts = Power::of(page);
        }
        let ways = [Foretold::Not, Foretold::Last, Foretold::Trend];
        let ways = ways.map(|by| Differences::of(by, &pages));
        Self::of_steps(watts.presence, scale, &pages, shortest(ways))
    }

    pub(crate) fn of_watthours(
        readings: &[Reading],
        ms: &[i64],
        entries: &mut [Entry],
    ) -> Result<Self, EncodeError> {
        let watthours = Numbers::of(readings, Measure::Watthours);
        let Some((scale, steps)) = Scale::of(&watthours.values) else {
            return watthours.kept();
        };
        let pages = split(&steps, &watthours.counts);
        let ways = [Foretold::Last, Foretold::Trend];
        let mut ways = Vec::from(ways.map(|by| Differences::of(by, &pages)));
        if readings.iter().any(|r| r.measures.watts().is_some()) {
            let by_power = [Foretold::Power, Foretold::MeanPower];
            ways.extend(by_power.map(|by| Differences::by_power(by, &pages, readings, ms, scale)));
        }
        let way = shortest(ways);
        let mut phases = way.iter().flat_map(|way| way.phases.iter().copied());
        for (entry, page) in entries.iter_mut().zip(&pages) {
            entry.watthours = Registers::of(page, phases.next().unwrap_or(0));
        }
        Self::of_steps(watthours.presence, scale, &pages, way)
    }

    /// `way` is `None` where there are no steps.
    fn of_steps(
        presence: Presence,
        scale: Scale,
        pages: &[&[i64]],
        way: Option<Differences>,
    ) -> Result<Self, EncodeError> {
        let (Some(way), false) = (way, matches!(presence, Presence::None)) else {
            return Ok(Self::none(presence));
        };
        let counts = pages.iter().map(|page| page.len().saturating_sub(1));
        let (mut counts, mut numbers): (Vec<usize>, Vec<i64>) = (counts.collect(), Vec::new());
        let differences = split(&way.numbers, &counts);
        for (count, page) in counts.iter_mut().zip(differences) {
            if page.iter().all(|&number| number == 0) {
                *count = 0;
            } else {
                numbers.extend_from_slice(page);
            }
        }
        Ok(Self {
            presence,
            coding: scale.decimals << 4 | way.by as u8,
            scale: Some(scale),
            packed: packed::pack(&numbers, filled(&counts), packed::differences())?,
            counts,
        })
    }

    /// Whether a page has numbers of it.
    pub(crate) fn is_packed(&self, page: usize) -> bool {
        self.counts.get(page).is_some_and(|&count| count > 0)
    }

    const fn none(presence: Presence) -> Self {
        Self {
            presence,
            coding: 0,
            scale: None,
            packed: Packed::new(),
            counts: Vec::new(),
        }
    }
}

impl Numbers {
    fn of(readings: &[Reading], measure: Measure) -> Self {
        let number = |reading: &Reading| measure.of(reading).map(|value| value.number);
        let mut numbers = Vec::with_capacity(readings.len());
        let mut counts = Vec::new();
        for page in readings.chunks(PAGE) {
            let before = numbers.len();
            numbers.extend(page.iter().filter_map(number));
            counts.push(numbers.len() - before);
        }
        Self {
            presence: Presence::of(readings, measure),
            values: numbers,
            counts,
        }
    }

    fn kept(self) -> Result<Column, EncodeError> {
        let config = ChunkConfig::default();
        Ok(Column {
            packed: packed::pack(&self.values, filled(&self.counts), config)?,
            presence: self.presence,
            coding: RAW,
            scale: None,
            counts: self.counts,
        })
    }
}

impl Differences {
    fn of(by: Foretold, pages: &[&[i64]]) -> Self {
        let mut numbers = Vec::with_capacity(pages.len() * PAGE);
        for page in pages {
            by.differences(page, [], &mut numbers);
        }
        Self {
            by,
            numbers,
            phases: Vec::new(),
        }
    }

    fn by_power(
        by: Foretold,
        pages: &[&[i64]],
        readings: &[Reading],
        ms: &[i64],
        scale: Scale,
    ) -> Self {
        let mut numbers = Vec::with_capacity(readings.len());
        let mut phases = Vec::with_capacity(pages.len());
        let columns = readings.chunks(PAGE).zip(ms.chunks(PAGE));
        for (steps, (readings, ms)) in pages.iter().zip(columns) {
            let watts: Vec<f64> = readings
                .iter()
                .map(|reading| reading.measures.watts().unwrap_or(0.0))
                .collect();
            let mut foretold = Vec::with_capacity(readings.len());
            energies(ms, &watts, scale, by, &mut foretold);
            let mut has = readings.iter().map(|r| r.measures.watthours().is_some());
            foretold.retain(|_| has.next().unwrap_or(false));
            let phase = phase(steps, &foretold);
            by.differences(steps, whole(&foretold, phase), &mut numbers);
            phases.push(phase);
        }
        Self {
            by,
            numbers,
            phases,
        }
    }

    /// About how many bits they take, less what one that is in all of them would.
    fn weight(&self) -> u64 {
        const SAMPLE: usize = 64;
        let every = self.numbers.len() / SAMPLE + 1;
        let mut sample: Vec<i64> = self.numbers.iter().copied().step_by(every).collect();
        sample.sort_unstable();
        let middle = sample.get(sample.len() / 2).copied().unwrap_or_default();
        let bits = |number: &i64| u64::from(u64::BITS - number.abs_diff(middle).leading_zeros());
        self.numbers.iter().map(bits).sum()
    }
}

/// How far neighbours are from each other, where that is the same for all.
fn distance(steps: &[i64]) -> Option<i64> {
    let pairs = steps.iter().zip(steps.get(1..)?);
    let mut distances = pairs.map(|(step, next)| next.wrapping_sub(*step));
    let first = distances.next()?;
    distances.all(|distance| distance == first).then_some(first)
}

fn shortest(ways: impl IntoIterator<Item = Differences>) -> Option<Differences> {
    ways.into_iter().min_by_key(Differences::weight)
}

fn split<'a>(steps: &'a [i64], counts: &[usize]) -> Vec<&'a [i64]> {
    let mut rest = steps;
    let mut next = |&count: &usize| {
        let (page, behind) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        rest = behind;
        page
    };
    counts.iter().map(&mut next).collect()
}

/// pco has no pages without numbers.
fn filled(counts: &[usize]) -> Vec<usize> {
    counts.iter().copied().filter(|&count| count > 0).collect()
}
