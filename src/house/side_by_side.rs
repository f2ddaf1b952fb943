//! Contracts, or changes of a house, priced side by side by one walk, in bounded memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::ptr;

use super::cost::{MOST_AHEAD, MOST_NETTED_MS};
use super::flows::FlowSlot;
use super::metered::MeteredSum;
pub(super) use super::price_window::SeriesWindow;
pub(super) use super::priced_side::{AskedSide, LeftOut, PricedPart, PricedSide};
use super::prices::HousePrices;
use super::scenario::{self, Scenario};
use super::sensors::HouseSensors;
use super::slot_count::are_too_many;
use crate::domain::{Currency, TimeRange, Timestamp};
use crate::ledger::contract::{PriceSlot, Pricer, SlotCost};
use crate::ledger::house::{HouseSums, MeasuredSlot};
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{CostStatement, Event, Flow, TouchCount};
use crate::store::{Store, StoreError};

/// The pricings of a range. Each is exactly that of its statement: slots are cut for the walk, and
/// put together again before they are priced.
pub(super) struct SideBySide {
    house: HouseSensors,
    range: Range<Timestamp>,
    /// The ends of the parts of the range, each with costs of its own. The last one is that of the
    /// range.
    ends: Vec<Timestamp>,
    /// Whether houses are priced that differ from the one that was: these need quarters of an hour.
    by_quarters: bool,
    windows: Vec<SeriesWindow>,
    pricings: Vec<Pricing>,
    /// Until here energy was read.
    at: Timestamp,
    /// The number of events in the range so far.
    events: usize,
}

/// The pricing of some contracts.
struct Pricing {
    scenario: Option<Box<dyn Scenario>>,
    pricer: Pricer,
    currency: Option<Currency>,
    /// The place of its prices.
    window: usize,
    /// The places of the sensors that its contracts name.
    named: Vec<Option<usize>>,
    /// The place of an earlier one with the same contracts, which has the same slots.
    like: Option<usize>,
    /// The next slots.
    ahead: VecDeque<PriceSlot>,
    /// The energy of the first of them, so far.
    so_far: Option<MeteredSum>,
    /// The cost of that slot in the parts of the range that are over.
    told: SlotCost,
    parts: Vec<PricedPart>,
    known: MeasuredSlot,
    sums: Option<HouseQuarter>,
    left_out: LeftOut,
    /// The energy at the grid in the slot that was added last, if it is in the range, and whether
    /// the house is priced as it was there.
    here: Option<(Flow, bool)>,
}

/// A slot of the walk, which is all or a part of the next slot of each pricing.
struct WalkedSlot<'a> {
    flows: &'a FlowSlot,
    sums: HouseSums,
    at_grid: (MeasuredSlot, bool),
    /// As it was, and without what is estimated or missing.
    was: HouseQuarter,
    measured: HouseQuarter,
    is_in_range: bool,
    /// The part of the range that it lies in, and whether it ends that part.
    part: usize,
    is_end: bool,
}

impl SideBySide {
    /// The pricing of a range that ends with the last of these ascending `ends`, by each of `sides`.
    pub(super) fn new(
        house: &HouseSensors,
        range: Range<Timestamp>,
        ends: Vec<Timestamp>,
        (sides, windows): (Vec<AskedSide<'_>>, Vec<SeriesWindow>),
    ) -> Self {
        let by_quarters = sides.iter().any(|side| side.scenario.is_some());
        let house = house.only(|it| {
            let is_priced = sides.iter().any(|side| side.prices.need(it));
            is_priced || by_quarters && scenario::is_needed(it)
        });
        let parts = ends.len();
        let all_prices: Vec<&HousePrices> = sides.iter().map(|side| side.prices).collect();
        let pricing = |side: AskedSide<'_>| {
            let AskedSide {
                prices,
                window,
                scenario,
            } = side;
            let pricer = prices.pricer();
            let first = all_prices.iter().position(|it| ptr::eq(*it, prices));
            let place = |id: &_| house.sensors.iter().position(|it| it.sensor.id == *id);
            Pricing {
                scenario,
                named: pricer.sensors().iter().map(place).collect(),
                pricer,
                currency: prices.currency().cloned(),
                window,
                like: first,
                ahead: VecDeque::new(),
                so_far: None,
                told: SlotCost::default(),
                parts: vec![PricedPart::default(); parts],
                known: MeasuredSlot::default(),
                sums: None,
                left_out: LeftOut::default(),
                here: None,
            }
        };
        let mut pricings: Vec<Pricing> = sides.into_iter().map(pricing).collect();
        for (nth, pricing) in pricings.iter_mut().enumerate() {
            pricing.like = pricing.like.filter(|first| *first < nth);
        }
        // Energy before the range counts for some.
        let begins = pricings.iter_mut().filter_map(|it| it.pricer.next_slot());
        let at = begins.map(|slot| slot.from()).min().unwrap_or(range.end);
        Self {
            house,
            range,
            ends,
            by_quarters,
            windows,
            pricings,
            at,
            events: 0,
        }
    }

    /// Prices the whole range, and returns the result of each side; `None` if that takes more than
    /// `most` slots of prices. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn all(
        mut self,
        store: &Store,
        most: usize,
    ) -> Result<Option<Vec<PricedSide>>, StoreError> {
        let alike = |nth| self.pricings.iter().filter(move |it| it.like == Some(nth));
        let firsts = self.pricings.iter().enumerate();
        let firsts = firsts.filter(|(_, it)| it.like.is_none());
        let counted =
            firsts.map(|(nth, it)| (it.pricer.clone(), it.window, 1 + alike(nth).count()));
        let asked = (&*self.windows, self.at..self.range.end);
        if are_too_many(store, counted.collect(), asked, most)? {
            return Ok(None);
        }
        while self.step(store)? {}
        Ok(Some(self.finish()))
    }

    /// Prices the next stretch, some thousand slots; false at the end of the range. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    fn step(&mut self, store: &Store) -> Result<bool, StoreError> {
        if self.at >= self.range.end {
            return Ok(false);
        }
        let times = self.look_ahead(store)?;
        let count = |event: Event| self.events += usize::from(self.range.contains(&event.time));
        let flows = self.house.between(store, &times)?.all(count)?;
        let mut flows = flows.into_iter().peekable();
        for (&start, &end) in times.iter().zip(times.iter().skip(1)) {
            let known = flows.next_if(|known| known.start == start);
            let slot = known.unwrap_or_else(|| self.house.nothing(start, end));
            self.add(&slot);
        }
        Ok(true)
    }

    /// The result of each side, after the last step.
    fn finish(self) -> Vec<PricedSide> {
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        let touched = TouchCount {
            events: self.events,
            corrections: 0,
        };
        let finish = |pricing: Pricing| PricedSide {
            statement: CostStatement::of(
                range,
                pricing.currency,
                pricing.pricer.finish(),
                pricing.known,
                touched,
            ),
            parts: pricing.parts,
            sums: pricing.sums,
            left_out: pricing.left_out,
        };
        self.pricings.into_iter().map(finish).collect()
    }

    /// The times between which energy is read next: the ends of all slots.
    fn look_ahead(&mut self, store: &Store) -> Result<Vec<Timestamp>, StoreError> {
        let mut until = self.range.end;
        if self.house.nets_phases {
            until = until.min(self.at.saturating_add_millis(MOST_NETTED_MS));
        }
        let mut times = vec![self.at];
        for nth in 0..self.pricings.len() {
            let (before, rest) = self.pricings.split_at_mut(nth);
            let Some(pricing) = rest.first_mut() else {
                break;
            };
            if let Some(first) = pricing.like.and_then(|first| before.get(first)) {
                if let Some(window) = self.windows.get(pricing.window) {
                    pricing.look_ahead_like(first, window);
                }
                continue;
            }
            if pricing.ahead.is_empty() {
                let next = pricing.pricer.next_slot();
                let begin = next.map_or(self.range.end, |slot| slot.from());
                if begin > self.at {
                    // Its energy begins to count later.
                    until = until.min(begin);
                    continue;
                }
                if let Some(window) = self.windows.get_mut(pricing.window) {
                    window.load(store, self.at)?;
                    pricing.look_ahead(window);
                }
            }
            times.extend(pricing.ahead.iter().map(PriceSlot::to));
            let known = pricing.ahead.back().map(PriceSlot::to);
            until = until.min(known.unwrap_or(until));
        }
        times.extend(&self.ends);
        times.push(until);
        if self.by_quarters {
            let next = self.at.millis().div_euclid(HouseQuarter::LENGTH_MS) + 1;
            let quarters =
                (next..).map_while(|nth| Timestamp::from_millis(nth * HouseQuarter::LENGTH_MS));
            let ahead = quarters.take_while(|time| *time < until);
            times.extend(ahead.take(MOST_AHEAD));
        }
        times.retain(|time| self.at <= *time && *time <= until);
        times.sort_unstable();
        times.dedup();
        times.truncate(MOST_AHEAD + 1);
        Ok(times)
    }

    fn add(&mut self, flows: &FlowSlot) {
        let sums = self.house.sums(flows);
        let part = self.ends.partition_point(|end| *end <= flows.start);
        let walked = WalkedSlot {
            at_grid: self.house.grid_of(&sums, flows.length_ms()),
            was: HouseQuarter::of(flows.start..flows.end, &sums),
            measured: HouseQuarter::measured(flows.start..flows.end, &sums),
            sums,
            is_in_range: self.range.start <= flows.start,
            part,
            is_end: self.ends.get(part) == Some(&flows.end),
            flows,
        };
        for pricing in &mut self.pricings {
            pricing.add(&walked);
        }
        // The energies of all houses are those of the same time.
        let is_known = |it: &Pricing| it.here.is_none_or(|(_, is_left_out)| !is_left_out);
        if !self.pricings.iter().all(is_known) {
            for pricing in &mut self.pricings {
                let (flow, _) = pricing.here.unwrap_or_default();
                pricing.left_out.flow = pricing.left_out.flow + flow;
            }
        }
        self.at = flows.end;
    }
}

impl Pricing {
    /// Finds the next slots, as far as prices are known. Their ends do not depend on energy.
    fn look_ahead(&mut self, known: &SeriesWindow) {
        self.pricer.set_series(known.series.clone());
        let until = known.window.until();
        let mut pricer = self.pricer.clone();
        while self.ahead.len() < MOST_AHEAD
            && let Some(slot) = pricer.next_slot()
            && slot.from() < until
        {
            let slot = slot.until(until);
            pricer.add(slot, None);
            self.ahead.push_back(slot);
        }
    }

    /// Takes the slots of a pricing of the same contracts, which has looked ahead.
    fn look_ahead_like(&mut self, first: &Self, known: &SeriesWindow) {
        if self.ahead.is_empty() && !first.ahead.is_empty() {
            self.pricer.set_series(known.series.clone());
            self.ahead.clone_from(&first.ahead);
        }
    }

    /// Adds a slot of energy.
    fn add(&mut self, walked: &WalkedSlot<'_>) {
        let at_grid = self.at_grid(walked);
        let flows = walked.flows;
        let next = self.ahead.front().copied();
        let Some(slot) = next.filter(|slot| slot.from() <= flows.start) else {
            return;
        };
        let own = MeteredSum::new(at_grid, self.named(walked), flows.length_ms());
        let sum = match self.so_far.take() {
            Some(so_far) => so_far.and_then(&own),
            None => own,
        };
        if flows.end < slot.to() {
            if walked.is_end && slot.is_billed() {
                let (_, energy) = sum.energy();
                let mut pricer = self.pricer.clone();
                let cost = pricer.add_known(slot.until(flows.end), &energy);
                self.tell(walked.part, cost);
            }
            self.so_far = Some(sum);
            return;
        }
        let (measured, energy) = sum.energy();
        self.ahead.pop_front();
        let cost = self.pricer.add_known(slot, &energy);
        if slot.is_billed() {
            self.known = self.known + measured;
            self.tell(walked.part, cost);
            self.told = SlotCost::default();
        }
    }

    /// The energy at the grid in a slot, and whether it is complete: as it was, or as it would have
    /// been.
    fn at_grid(&mut self, walked: &WalkedSlot<'_>) -> (MeasuredSlot, bool) {
        let (quarter, at_grid, is_left_out) = match &mut self.scenario {
            Some(scenario) => {
                let changed = scenario.change(walked.measured);
                let is_known = changed.at_grid().is_some();
                if is_known && changed == walked.measured {
                    // As complete as it was, whatever else is missing.
                    (walked.was, walked.at_grid, false)
                } else {
                    let at_grid = scenario::at_grid(&changed, walked.at_grid.0, &walked.sums);
                    let changed = if is_known { changed } else { walked.was };
                    (changed.or(walked.was), at_grid, !is_known)
                }
            }
            None => (walked.was, walked.at_grid, false),
        };
        self.here = None;
        if !walked.is_in_range {
            return at_grid;
        }
        self.here = Some((at_grid.0.flow.unwrap_or_default(), is_left_out));
        self.sums = Some(self.sums.map_or(quarter, |sums| sums + quarter));
        let left_out_ms = if is_left_out {
            walked.flows.length_ms()
        } else {
            0
        };
        self.left_out.ms = self.left_out.ms.saturating_add(left_out_ms);
        if let Some(part) = self.parts.get_mut(walked.part) {
            part.known = part.known + at_grid.0;
            part.left_out_ms = part.left_out_ms.saturating_add(left_out_ms);
        }
        at_grid
    }

    /// The energy of the sensors that the contracts name.
    fn named(&self, walked: &WalkedSlot<'_>) -> Vec<Option<MeasuredSlot>> {
        let places = self.pricer.sensors().iter().zip(&self.named);
        let measured = |(id, place): (&_, &Option<usize>)| {
            let measured = walked.flows.measured.get((*place)?).copied()?;
            Some(self.scenario.as_ref().map_or(measured, |scenario| {
                scenario.change_sensor(id, &walked.measured, measured)
            }))
        };
        places.map(measured).collect()
    }

    /// Adds the cost of the slot so far to a part of the range, without what earlier parts have.
    fn tell(&mut self, part: usize, cost: SlotCost) {
        if let Some(sum) = self.parts.get_mut(part) {
            sum.cost = sum.cost + (cost - self.told);
        }
        self.told = cost;
    }
}
