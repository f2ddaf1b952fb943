//! The one walk of prices over the energy of a house, in bounded memory: the next slots of each
//! pricer, and the energy between all their ends. `cost` prices one house by it, and `side_by_side`
//! several.

use std::collections::VecDeque;
use std::ops::Range;

use super::flows::FlowSlot;
use super::price_window::SeriesWindow;
use super::sensors::HouseSensors;
use crate::domain::Timestamp;
use crate::domain::time::MS_PER_DAY;
use crate::ledger::Event;
use crate::ledger::contract::{PriceSlot, Pricer};
use crate::ledger::scenario::HouseQuarter;
use crate::store::{Store, StoreError};

/// The number of slots to look ahead: one walk reads their energy.
pub(super) const MOST_AHEAD: usize = 4_096;
/// The maximum length to look ahead if each minute is read.
const MOST_NETTED_MS: i64 = 31 * MS_PER_DAY;

/// A walk over the energy of a range.
pub(super) struct PriceWalk {
    pub(super) house: HouseSensors,
    windows: Vec<SeriesWindow>,
    cuts: WalkCuts,
    /// Until here energy was read.
    at: Timestamp,
    /// In this range events are counted: so many so far. The walk ends with it.
    range: Range<Timestamp>,
    events: usize,
}

/// The ascending times at which energy is cut, besides the ends of slots.
pub(super) enum WalkCuts {
    /// Slots end at these times, too. Behind the last one nothing is looked at.
    Slots(Vec<Timestamp>),
    /// Energy is read by these times and, if asked for, by quarters of an hour. Slots are as long as
    /// without them.
    Energy {
        ends: Vec<Timestamp>,
        by_quarters: bool,
    },
}

/// A pricer of a walk, which has looked ahead.
pub(super) struct WalkedPricer {
    pub(super) pricer: Pricer,
    /// The place of its price series.
    pub(super) window: usize,
    /// The place of an earlier one with the same contracts, which has the same slots.
    pub(super) like: Option<usize>,
    /// The next slots.
    pub(super) ahead: VecDeque<PriceSlot>,
}

impl WalkedPricer {
    pub(super) const fn new(pricer: Pricer, window: usize) -> Self {
        Self {
            pricer,
            window,
            like: None,
            ahead: VecDeque::new(),
        }
    }

    /// Finds the next slots, as far as prices are known. Their ends do not depend on energy.
    fn look_ahead(&mut self, known: &SeriesWindow, (cuts, until): (&WalkCuts, Timestamp)) {
        self.pricer.set_series(known.series.clone());
        let known_until = known.window.until();
        let mut pricer = self.pricer.clone();
        while self.ahead.len() < MOST_AHEAD
            && let Some(slot) = pricer.next_slot()
            && slot.from() < known_until
        {
            let slot = slot.until(known_until);
            let slot = match cuts {
                WalkCuts::Energy { .. } => slot,
                WalkCuts::Slots(cuts) => {
                    let next = cuts.partition_point(|cut| *cut <= slot.from());
                    match cuts.get(next).filter(|_| slot.from() < until) {
                        Some(cut) => slot.until(*cut).until(until),
                        None => break,
                    }
                }
            };
            pricer.add(slot, None);
            self.ahead.push_back(slot);
        }
    }

    /// Takes the slots of a pricer of the same contracts, which has looked ahead.
    fn look_ahead_like(&mut self, first: &Self, known: &SeriesWindow) {
        if self.ahead.is_empty() && !first.ahead.is_empty() {
            self.pricer.set_series(known.series.clone());
            self.ahead.clone_from(&first.ahead);
        }
    }
}

impl PriceWalk {
    /// A walk over the energy of `house`, from `at` on.
    pub(super) const fn new(
        house: HouseSensors,
        windows: Vec<SeriesWindow>,
        cuts: WalkCuts,
        (at, range): (Timestamp, Range<Timestamp>),
    ) -> Self {
        Self {
            house,
            windows,
            cuts,
            at,
            range,
            events: 0,
        }
    }

    /// Slots end at these ascending times from now on, all after the earlier ones.
    pub(super) fn cut_slots_at(&mut self, cuts: Vec<Timestamp>) {
        self.cuts = WalkCuts::Slots(cuts);
    }

    /// Until here energy was read.
    pub(super) const fn at(&self) -> Timestamp {
        self.at
    }

    /// The price series.
    pub(super) fn windows(&self) -> &[SeriesWindow] {
        &self.windows
    }

    /// The number of events in the range so far.
    pub(super) const fn events(&self) -> usize {
        self.events
    }

    /// The energy of the next stretch, some thousand slots: each is all or a part of the next slot of
    /// each pricer. Empty at the end of the range, or behind the last cut. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn step(
        &mut self,
        store: &Store,
        pricers: &mut [WalkedPricer],
    ) -> Result<Vec<FlowSlot>, StoreError> {
        if self.at >= self.range.end {
            return Ok(Vec::new());
        }
        let times = self.look_ahead(store, pricers)?;
        let count = |event: Event| self.events += usize::from(self.range.contains(&event.time));
        let flows = self.house.between(store, &times)?.all(count)?;
        let flows = self.house.each(&times, flows);
        self.at = times.last().copied().unwrap_or(self.range.end);
        Ok(flows)
    }

    /// The times between which energy is read next: the ends of all slots.
    fn look_ahead(
        &mut self,
        store: &Store,
        pricers: &mut [WalkedPricer],
    ) -> Result<Vec<Timestamp>, StoreError> {
        let mut until = self.range.end;
        if self.house.nets_phases {
            until = until.min(self.at.saturating_add_millis(MOST_NETTED_MS));
        }
        let mut times = vec![self.at];
        for nth in 0..pricers.len() {
            let (before, rest) = pricers.split_at_mut(nth);
            let Some(own) = rest.first_mut() else {
                break;
            };
            let Some(window) = self.windows.get_mut(own.window) else {
                break;
            };
            if let Some(first) = own.like.and_then(|first| before.get(first)) {
                own.look_ahead_like(first, window);
                continue;
            }
            if own.ahead.is_empty() {
                let next = own.pricer.next_slot();
                let begin = next.map_or(self.range.end, |slot| slot.from());
                if begin > self.at {
                    // Its energy begins to count later.
                    until = until.min(begin);
                    continue;
                }
                window.load(store, self.at)?;
                own.look_ahead(window, (&self.cuts, until));
            }
            times.extend(own.ahead.iter().map(PriceSlot::to));
            // Behind the last cut nothing is looked at.
            let known = own.ahead.back().map_or(self.at, PriceSlot::to);
            until = until.min(known);
        }
        times.push(until);
        if let WalkCuts::Energy { ends, by_quarters } = &self.cuts {
            times.extend(ends);
            if *by_quarters {
                let next = HouseQuarter::number_of(self.at) + 1;
                let quarters =
                    (next..).map_while(|nth| Timestamp::from_millis(nth * HouseQuarter::LENGTH_MS));
                let ahead = quarters.take_while(|time| *time < until);
                times.extend(ahead.take(MOST_AHEAD));
            }
        }
        times.retain(|time| self.at <= *time && *time <= until);
        times.sort_unstable();
        times.dedup();
        times.truncate(MOST_AHEAD + 1);
        Ok(times)
    }
}

impl HouseSensors {
    /// The energy between each two neighbours of these times, of which some is known.
    pub(super) fn each(&self, times: &[Timestamp], known: Vec<FlowSlot>) -> Vec<FlowSlot> {
        let mut known = known.into_iter().peekable();
        let slots = times.iter().zip(times.iter().skip(1));
        let each = slots.map(|(&start, &end)| {
            let found = known.next_if(|slot| slot.start == start);
            found.unwrap_or_else(|| self.nothing(start, end))
        });
        each.collect()
    }
}
