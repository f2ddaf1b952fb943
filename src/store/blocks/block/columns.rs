//! Encoding of columns: the choice of a coding for each, and its part of the directory.

use pco::ChunkConfig;

use crate::domain::Reading;
use crate::store::blocks::block::directory::{PageEntry, PagePower, PageRegisters};
use crate::store::blocks::block::format::{EncodeError, PAGE, RAW};
use crate::store::blocks::block::packed;
use crate::store::blocks::block::packed::Packed;
use crate::store::blocks::block::presence::MeasurePresence;
use crate::store::blocks::block::steps::{Predictor, Scale, energies, energy_steps, phase};
use crate::store::blocks::measure::Measure;

/// A column ready to be put into a block.
pub(crate) struct EncodedColumn {
    pub(crate) presence: MeasurePresence,
    pub(crate) coding: u8,
    /// `None` unless the coding is one of steps.
    pub(crate) scale: Option<Scale>,
    pub(crate) packed: Packed,
    /// The number of packed numbers in each page.
    pub(crate) counts: Vec<usize>,
}

/// The differences of steps from the predictions of one predictor.
struct Differences {
    predictor: Predictor,
    numbers: Vec<i64>,
    /// One per page if the predictor needs power, else none.
    phases: Vec<u8>,
}

/// The values of a measure, only of readings that have it.
struct PresentValues {
    presence: MeasurePresence,
    values: Vec<f64>,
    /// Their number in each page.
    counts: Vec<usize>,
}

impl EncodedColumn {
    pub(crate) fn of_times(ms: &[i64], entries: &mut [PageEntry]) -> Result<Self, EncodeError> {
        // No decimals to find: times are whole milliseconds.
        let (scale, steps) = Scale::of_whole(ms.to_vec());
        // Every reading has a time, so pages of times are simply chunks.
        let mut pages: Vec<&[i64]> = steps.chunks(PAGE).collect();
        for (entry, page) in entries.iter_mut().zip(&mut pages) {
            entry.time = page.first().copied().unwrap_or_default();
            if let Some(spacing) = common_distance(page) {
                entry.spacing = spacing;
                // The first time and the spacing determine all others: leave nothing to be packed.
                *page = page.get(..1).unwrap_or_default();
            }
        }
        let ways =
            [Predictor::Last, Predictor::Trend].map(|predictor| Differences::of(predictor, &pages));
        Self::of_steps(MeasurePresence::All, scale, &pages, shortest(ways))
    }

    pub(crate) fn of_watts(
        readings: &[Reading],
        entries: &mut [PageEntry],
    ) -> Result<Self, EncodeError> {
        let watts = PresentValues::of(readings, Measure::Watts);
        let Some((scale, steps)) = Scale::of(&watts.values) else {
            // At least one number is not a short decimal, such as a mean that a device computed.
            return watts.unchanged();
        };
        let pages = split(&steps, &watts.counts);
        for (entry, page) in entries.iter_mut().zip(&pages) {
            entry.watts = PagePower::of(page);
        }
        let ways = [Predictor::None, Predictor::Last, Predictor::Trend];
        let ways = ways.map(|predictor| Differences::of(predictor, &pages));
        Self::of_steps(watts.presence, scale, &pages, shortest(ways))
    }

    pub(crate) fn of_watthours(
        readings: &[Reading],
        ms: &[i64],
        entries: &mut [PageEntry],
    ) -> Result<Self, EncodeError> {
        let watthours = PresentValues::of(readings, Measure::Watthours);
        let Some((scale, steps)) = Scale::of(&watthours.values) else {
            return watthours.unchanged();
        };
        let pages = split(&steps, &watthours.counts);
        let ways = [Predictor::Last, Predictor::Trend];
        let mut ways = Vec::from(ways.map(|predictor| Differences::of(predictor, &pages)));
        // Without any power, these would only repeat the step before.
        if readings.iter().any(|r| r.measures.watts().is_some()) {
            let by_power = [Predictor::Power, Predictor::MeanPower];
            ways.extend(
                by_power
                    .map(|predictor| Differences::by_power(predictor, &pages, readings, ms, scale)),
            );
        }
        let way = shortest(ways);
        // Predictors without power have no phases: the directory then gets 0.
        let mut phases = way.iter().flat_map(|way| way.phases.iter().copied());
        for (entry, page) in entries.iter_mut().zip(&pages) {
            entry.watthours = PageRegisters::of(page, phases.next().unwrap_or(0));
        }
        Self::of_steps(watthours.presence, scale, &pages, way)
    }

    /// `way` is `None` if there are no steps.
    fn of_steps(
        presence: MeasurePresence,
        scale: Scale,
        pages: &[&[i64]],
        way: Option<Differences>,
    ) -> Result<Self, EncodeError> {
        let (Some(way), false) = (way, matches!(presence, MeasurePresence::None)) else {
            return Ok(Self {
                presence,
                coding: 0,
                scale: None,
                packed: Packed::default(),
                counts: Vec::new(),
            });
        };
        // The first step of each page is in the directory.
        let counts = pages.iter().map(|page| page.len().saturating_sub(1));
        let (mut counts, mut numbers): (Vec<usize>, Vec<i64>) = (counts.collect(), Vec::new());
        let differences = split(&way.numbers, &counts);
        for (count, page) in counts.iter_mut().zip(differences) {
            // Times never are all 0 here: they ascend, and pages of equal spacing were cut to one
            // step.
            if page.iter().all(|&number| number == 0) {
                // Readers assume zeros if nothing is packed.
                *count = 0;
            } else {
                numbers.extend_from_slice(page);
            }
        }
        Ok(Self {
            presence,
            // Never `RAW`: there are at most 6 decimals.
            coding: scale.decimals << 4 | way.predictor as u8,
            scale: Some(scale),
            packed: packed::pack(&numbers, filled(&counts), packed::differences())?,
            counts,
        })
    }

    /// Whether a page has packed numbers of this column.
    pub(crate) fn is_packed(&self, page: usize) -> bool {
        self.counts.get(page).is_some_and(|&count| count > 0)
    }
}

impl PresentValues {
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
            presence: MeasurePresence::of(readings, measure),
            values: numbers,
            counts,
        }
    }

    fn unchanged(self) -> Result<EncodedColumn, EncodeError> {
        // Nothing was predicted, so here pco may look for structure, unlike in
        // `packed::differences`.
        let config = ChunkConfig::default();
        Ok(EncodedColumn {
            packed: packed::pack(&self.values, filled(&self.counts), config)?,
            presence: self.presence,
            coding: RAW,
            scale: None,
            counts: self.counts,
        })
    }
}

impl Differences {
    fn of(predictor: Predictor, pages: &[&[i64]]) -> Self {
        let mut numbers = Vec::with_capacity(pages.len() * PAGE);
        for page in pages {
            predictor.differences(page, [], &mut numbers);
        }
        Self {
            predictor,
            numbers,
            phases: Vec::new(),
        }
    }

    fn by_power(
        predictor: Predictor,
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
                // The same default as in `Pages::unpack`: both must predict the same.
                .map(|reading| reading.measures.watts().unwrap_or(0.0))
                .collect();
            let mut since_first = Vec::with_capacity(readings.len());
            energies(ms, &watts, scale, predictor, &mut since_first);
            // Predicting only needs the readings with a register.
            let mut has = readings.iter().map(|r| r.measures.watthours().is_some());
            since_first.retain(|_| has.next().unwrap_or(false));
            let phase = phase(steps, &since_first);
            predictor.differences(steps, energy_steps(&since_first, phase), &mut numbers);
            phases.push(phase);
        }
        Self {
            predictor,
            numbers,
            phases,
        }
    }

    /// Estimates the packed size in bits, ignoring a constant offset.
    fn weight(&self) -> u64 {
        const SAMPLE: usize = 64;
        let every = self.numbers.len() / SAMPLE + 1;
        let mut sample: Vec<i64> = self.numbers.iter().copied().step_by(every).collect();
        sample.sort_unstable();
        // The median: the compressor stores a constant offset only once.
        let middle = sample.get(sample.len() / 2).copied().unwrap_or_default();
        let bits = |number: &i64| u64::from(u64::BITS - number.abs_diff(middle).leading_zeros());
        self.numbers.iter().map(bits).sum()
    }
}

/// The distance of neighbours, if it is the same for all.
fn common_distance(steps: &[i64]) -> Option<i64> {
    let pairs = steps.iter().zip(steps.get(1..)?);
    let mut distances = pairs.map(|(step, next)| next.wrapping_sub(*step));
    let first = distances.next()?;
    distances.all(|distance| distance == first).then_some(first)
}

fn shortest(ways: impl IntoIterator<Item = Differences>) -> Option<Differences> {
    // Of equals, the first one: simpler predictors come first.
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

/// The counts without zeros: pco does not allow empty pages.
fn filled(counts: &[usize]) -> Vec<usize> {
    counts.iter().copied().filter(|&count| count > 0).collect()
}
