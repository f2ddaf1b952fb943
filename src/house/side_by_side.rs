//! Several contracts priced side by side: one walk reads the energy for all of them, in bounded
//! memory.

use std::collections::VecDeque;
use std::ops::Range;

use super::cost::{MOST_AHEAD, MOST_NETTED_MS};
use super::flows::FlowSlot;
use super::metered::MeteredSum;
use super::price_window::PriceWindow;
use super::prices::HousePrices;
use super::sensors::HouseSensors;
use crate::domain::{Currency, TimeRange, Timestamp};
use crate::ledger::contract::{PriceSeries, PriceSlot, Pricer, SlotCost};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::{CostStatement, TouchCount};
use crate::store::{Store, StoreError};

/// The pricings of a range. Each is exactly that of its statement: slots are cut for the walk, and
/// put together again before they are priced.
pub(super) struct SideBySide {
    house: HouseSensors,
    range: Range<Timestamp>,
    /// The ends of the parts of the range, each with costs of its own. The last one is that of the
    /// range.
    ends: Vec<Timestamp>,
    /// The energy at the grid in each part.
    grid: Vec<MeasuredSlot>,
    windows: Vec<SeriesWindow>,
    pricings: Vec<Pricing>,
    /// Until here energy was read.
    at: Timestamp,
}

/// Prices that several pricings share.
pub(super) struct SeriesWindow {
    window: PriceWindow,
    series: Vec<PriceSeries>,
}

/// The pricing of some contracts.
struct Pricing {
    pricer: Pricer,
    currency: Option<Currency>,
    /// The place of its prices.
    window: usize,
    /// The places of the sensors that its contracts name.
    named: Vec<Option<usize>>,
    /// The next slots.
    ahead: VecDeque<PriceSlot>,
    /// The energy of the first of them, so far.
    so_far: Option<MeteredSum>,
    /// The cost of that slot in the parts of the range that are over.
    told: SlotCost,
    /// The cost of each part of the range.
    parts: Vec<SlotCost>,
    known: MeasuredSlot,
    slots: usize,
}

/// The result for some contracts.
pub(super) struct PricedSide {
    /// The statement of the range.
    pub(super) statement: CostStatement,
    /// The cost of each part of the range.
    pub(super) parts: Vec<SlotCost>,
}

impl SeriesWindow {
    pub(super) const fn new(window: PriceWindow) -> Self {
        Self {
            window,
            series: Vec::new(),
        }
    }
}

impl SideBySide {
    /// The pricing of a range that ends with the last of these ascending `ends`. Each of `sides` has
    /// its prices, and the place of its price series in `windows`.
    pub(super) fn new(
        house: &HouseSensors,
        range: Range<Timestamp>,
        ends: Vec<Timestamp>,
        (sides, windows): (&[(HousePrices, usize)], Vec<SeriesWindow>),
    ) -> Self {
        let house = house.only(|it| sides.iter().any(|(prices, _)| prices.need(it)));
        let parts = ends.len();
        let pricing = |(prices, window): &(HousePrices, usize)| {
            let pricer = prices.pricer();
            let place = |id: &_| house.sensors.iter().position(|it| it.sensor.id == *id);
            Pricing {
                named: pricer.sensors().iter().map(place).collect(),
                pricer,
                currency: prices.currency().cloned(),
                window: *window,
                ahead: VecDeque::new(),
                so_far: None,
                told: SlotCost::default(),
                parts: vec![SlotCost::default(); parts],
                known: MeasuredSlot::default(),
                slots: 0,
            }
        };
        let mut pricings: Vec<Pricing> = sides.iter().map(pricing).collect();
        // Energy before the range counts for some.
        let begins = pricings.iter_mut().filter_map(|it| it.pricer.next_slot());
        let at = begins.map(|slot| slot.from()).min().unwrap_or(range.end);
        Self {
            grid: vec![MeasuredSlot::default(); parts],
            house,
            range,
            ends,
            windows,
            pricings,
            at,
        }
    }

    /// Prices the next stretch, some thousand slots; false at the end of the range. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn step(&mut self, store: &Store) -> Result<bool, StoreError> {
        if self.at >= self.range.end {
            return Ok(false);
        }
        let times = self.look_ahead(store)?;
        let flows = self.house.between(store, &times)?.all(|_| {})?;
        let mut flows = flows.into_iter().peekable();
        for (&start, &end) in times.iter().zip(times.iter().skip(1)) {
            let known = flows.next_if(|known| known.start == start);
            let slot = known.unwrap_or_else(|| self.house.nothing(start, end));
            self.add(&slot);
        }
        Ok(true)
    }

    /// The number of slots priced so far.
    pub(super) fn slots(&self) -> usize {
        self.pricings.iter().map(|pricing| pricing.slots).sum()
    }

    /// The energy at the grid in each part of the range.
    pub(super) fn grid(&self) -> &[MeasuredSlot] {
        &self.grid
    }

    /// The result of each side, after the last step.
    pub(super) fn finish(self) -> Vec<PricedSide> {
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        let finish = |pricing: Pricing| PricedSide {
            statement: CostStatement::of(
                range,
                pricing.currency,
                pricing.pricer.finish(),
                pricing.known,
                TouchCount::default(),
            ),
            parts: pricing.parts,
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
        for pricing in &mut self.pricings {
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
        times.retain(|time| self.at <= *time && *time <= until);
        times.sort_unstable();
        times.dedup();
        times.truncate(MOST_AHEAD + 1);
        Ok(times)
    }

    fn add(&mut self, flows: &FlowSlot) {
        let at_grid = self.house.measured_at_grid(flows);
        let part = self.ends.partition_point(|end| *end <= flows.start);
        let is_in_range = self.range.start <= flows.start;
        if let Some(sum) = self.grid.get_mut(part).filter(|_| is_in_range) {
            *sum = *sum + at_grid.0;
        }
        let is_end = self.ends.get(part) == Some(&flows.end);
        for pricing in &mut self.pricings {
            pricing.add(at_grid, flows, (part, is_end));
        }
        self.at = flows.end;
    }
}

impl SeriesWindow {
    fn load(&mut self, store: &Store, time: Timestamp) -> Result<(), StoreError> {
        if let Some(series) = self.window.load(store, time)? {
            self.series = series;
        }
        Ok(())
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

    /// Adds a slot of energy, which is all or a part of the next slot of prices. It lies in this
    /// part of the range, and may end it.
    fn add(
        &mut self,
        at_grid: (MeasuredSlot, bool),
        flows: &FlowSlot,
        (part, is_end): (usize, bool),
    ) {
        let next = self.ahead.front().copied();
        let Some(slot) = next.filter(|slot| slot.from() <= flows.start) else {
            return;
        };
        let of = |place: &Option<usize>| flows.measured.get((*place)?).copied();
        let named = self.named.iter().map(of).collect();
        let own = MeteredSum::new(at_grid, named, flows.length_ms());
        let sum = match self.so_far.take() {
            Some(so_far) => so_far.and_then(&own),
            None => own,
        };
        if flows.end < slot.to() {
            if is_end && slot.is_billed() {
                let (_, energy) = sum.energy();
                let mut pricer = self.pricer.clone();
                let cost = pricer.add_known(slot.until(flows.end), &energy);
                self.tell(part, cost);
            }
            self.so_far = Some(sum);
            return;
        }
        let (measured, energy) = sum.energy();
        self.ahead.pop_front();
        self.slots += 1;
        let cost = self.pricer.add_known(slot, &energy);
        if slot.is_billed() {
            self.known = self.known + measured;
            self.tell(part, cost);
            self.told = SlotCost::default();
        }
    }

    /// Adds the cost of the slot so far to a part of the range, without what earlier parts have.
    fn tell(&mut self, part: usize, cost: SlotCost) {
        if let Some(sum) = self.parts.get_mut(part) {
            *sum = *sum + (cost - self.told);
        }
        self.told = cost;
    }
}
