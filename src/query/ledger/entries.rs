//! The ledger's entries for a sensor's readings: the walk over the stored readings, with people's
//! corrections replacing its results.

use std::mem;
use std::ops::Range;

use super::beginning::beginning;
use super::meter_walk::MeterWalk;
use super::replaced::replacements;
use crate::domain::{Meter, SensorId, TimeRange, Timestamp};
use crate::ledger::{CalibrationWalk, Calibrations, Entry, Facts, ReplacementWalk};
use crate::query::walk::ValueSlices;
use crate::store::{Digest, Piece, Run, Store, StoreError};

/// The entries of a sensor that matter to a range: a walk under way.
pub(super) struct Entries {
    /// `None` without readings, or when the range is complete.
    digest: Option<Digest>,
    walk: MeterWalk,
    calibrated: CalibrationWalk,
    known: ReplacementWalk,
    /// Readings are not merged over these times: ends of wrong ranges, and beginnings of factors.
    calibrations: Calibrations,
    /// The beginnings and ends of known energies, ascending: a stretch over such a time would hide
    /// the energy on either side of it.
    cuts: Vec<Timestamp>,
    range: Range<Timestamp>,
}

impl Entries {
    /// By registers, or by power alone.
    pub(super) fn new(
        store: &Store,
        sensor: &SensorId,
        (meter, mut facts): (Meter, Facts),
        (range, by_register): (Range<Timestamp>, bool),
    ) -> Result<Self, StoreError> {
        let energies = mem::take(&mut facts.energies);
        let ends = energies
            .iter()
            .flat_map(|known| [known.range.start, known.range.end]);
        let mut cuts: Vec<Timestamp> = ends.collect();
        cuts.sort_unstable();
        let known = replacements(store, sensor, (meter, &facts), (&energies, &range))?;

        let calibrations = mem::take(&mut facts.calibrations);
        let start = calibrations.walk_start(range.start);
        let walk = MeterWalk::new(meter, facts.clone(), by_register);
        let all = store.totals(sensor, walk.measure(), TimeRange::ALL);
        let begin = if range.is_empty() {
            None
        } else {
            beginning(&all, &walk, (meter, facts), start)?
        };
        let digest = begin
            .and_then(|begin| TimeRange::new(begin, Timestamp::MAX))
            .map(|rest| all.within(rest));
        Ok(Self {
            digest,
            walk,
            calibrated: CalibrationWalk::new(calibrations.clone()),
            known: ReplacementWalk::new(known),
            calibrations,
            cuts,
            range,
        })
    }

    /// Whether the block of the last piece continues.
    pub(super) fn is_in_block(&self) -> bool {
        self.digest.as_ref().is_some_and(Digest::is_in_block)
    }

    /// Reads on, and passes on the next entries: stretches in time order, and the events that lie
    /// in the range. Returns false after the last ones. `together` is, for a time, the last one
    /// whose reading may be put together with it. Blocks on the disk.
    pub(super) fn next_piece(
        &mut self,
        mut together: impl FnMut(Timestamp) -> Timestamp,
        sink: &mut impl FnMut(Entry),
    ) -> Result<bool, StoreError> {
        let Self {
            digest: open,
            walk,
            calibrated,
            known,
            calibrations,
            cuts,
            range,
        } = self;
        let Some(digest) = open else {
            known.finish(&mut |stretch| sink(Entry::Stretch(stretch)));
            return Ok(false);
        };
        let mut last_with = |first: Timestamp| {
            let passed = cuts.partition_point(|cut| *cut <= first);
            let cut = cuts.get(passed).copied().unwrap_or(Timestamp::MAX);
            let cut = cut.min(calibrations.next_cut(first));
            together(first).min(cut.saturating_add_millis(-1))
        };
        let mut sink = |entry| match entry {
            Entry::Stretch(stretch) => {
                calibrated.add(stretch, &mut |stretch| {
                    known.add(&stretch, &mut |stretch| sink(Entry::Stretch(stretch)));
                });
            }
            Entry::Event(event) if range.contains(&event.time) => sink(Entry::Event(event)),
            Entry::Event(_) => {}
        };
        let is_enough = |run: &Run| {
            let is_together = |it: TimeRange| it.end() <= last_with(it.start());
            walk.is_plain(run) && walk.range_of(run).is_some_and(is_together)
        };
        match digest.next_piece(is_enough)? {
            Some(Piece::Run(run)) => {
                if !walk.add_run(&run, &mut sink) {
                    // Only here it shows that something before the run concerns it.
                    let within = walk.range_of(&run).map(|within| digest.within(within));
                    if let Some(mut readings) = within {
                        while let Some(Piece::Values(values, page)) =
                            readings.next_piece(|_| false)?
                        {
                            let all = (values.times.as_slice(), values.numbers.as_slice());
                            walk.add_values(all, page.as_ref(), &mut sink);
                        }
                    }
                }
            }
            Some(Piece::Values(values, page)) => {
                let mut rest = ValueSlices::of(&values);
                while let Some(first) = rest.first() {
                    let (times, numbers) = rest.take_until(last_with(first));
                    walk.add_values((times, numbers), page.as_ref(), &mut sink);
                }
            }
            None => {
                walk.finish(&mut sink);
                *open = None;
                return Ok(true);
            }
        }
        if walk.decided_until() >= Some(range.end) {
            *open = None;
        }
        Ok(true)
    }
}
