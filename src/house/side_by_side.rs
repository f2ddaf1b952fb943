//! Statements of one house, or of several contracts or changes of it side by side, by one walk, in bounded memory.

use std::ops::Range;
use std::ptr;

use super::flows::FlowSlot;
use super::metered::MeteredSum;
use super::price_walk::{PriceWalk, WalkCuts, WalkedPricer};
pub(super) use super::price_window::SeriesWindow;
use super::priced_part::{LeftOut, PricedPart};
use super::prices::HousePrices;
use super::scenario::{self, Scenario};
use super::sensors::HouseSensors;
use super::slot_count::are_too_many;
use crate::domain::{Currency, TimeRange, Timestamp};
use crate::ledger::contract::{Label, SlotCost};
use crate::ledger::house::{HouseSums, MeasuredSlot};
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{ConvertedSeries, CostStatement, Flow, TouchCount};
use crate::store::{Store, StoreError};

/// A house and its prices.
pub(super) struct AskedSide<'a> {
    pub(super) prices: &'a HousePrices,
    /// The place of its price series.
    pub(super) window: usize,
    /// `None` for the house as it was.
    pub(super) scenario: Option<Box<dyn Scenario>>,
}

/// The result for a side.
pub(super) struct WalkedSide {
    /// The statement of the range.
    pub(super) statement: CostStatement,
    /// The parts of the range.
    pub(super) parts: Vec<PricedPart>,
    /// The energy of the house in the range; `None` for an empty one. Without a scenario, that of
    /// the sensors at the grid alone.
    pub(super) sums: Option<HouseQuarter>,
    /// Where it is priced as it was.
    pub(super) left_out: LeftOut,
    /// The energy at the grid in measured quarters of an hour, in which some energy of the house was
    /// read less often.
    pub(super) coarse: Flow,
}

/// The pricings of a range. Each is exactly that of its statement: slots are cut for the walk, and
/// put together again before they are priced.
pub(super) struct SideBySide {
    walk: PriceWalk,
    range: Range<Timestamp>,
    /// The ends of the parts of the range, each with costs of its own. The last one is that of the
    /// range.
    ends: Vec<Timestamp>,
    /// Of each pricing, in their order.
    pricers: Vec<WalkedPricer>,
    pricings: Vec<Pricing>,
}

/// The pricing of some contracts.
struct Pricing {
    scenario: Option<Box<dyn Scenario>>,
    currency: Option<Currency>,
    other_currency: Vec<(Label, Currency)>,
    converted: Vec<ConvertedSeries>,
    /// The places of the sensors that its contracts name.
    named: Vec<Option<usize>>,
    /// The energy of the next slot, so far.
    so_far: Option<MeteredSum>,
    /// The cost of that slot in the parts of the range that are over.
    told: SlotCost,
    parts: Vec<PricedPart>,
    known: MeasuredSlot,
    sums: Option<HouseQuarter>,
    left_out: LeftOut,
    coarse: Flow,
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
        let mut pricers: Vec<WalkedPricer> = Vec::with_capacity(sides.len());
        for (nth, side) in sides.iter().enumerate() {
            let mut own = WalkedPricer::new(side.prices.pricer(), side.window);
            let mut before = sides.iter().take(nth);
            own.like = before.position(|it| ptr::eq(it.prices, side.prices));
            pricers.push(own);
        }
        let priced = sides.into_iter().zip(&pricers);
        let pricings = priced.map(|(side, own)| Pricing::new(side, own, (&house, ends.len())));
        let pricings = pricings.collect();
        // Energy before the range counts for some.
        let begins = pricers.iter_mut().filter_map(|it| it.pricer.next_slot());
        let at = begins.map(|slot| slot.from()).min().unwrap_or(range.end);
        let cuts = WalkCuts::Energy {
            ends: ends.clone(),
            by_quarters,
        };
        Self {
            walk: PriceWalk::new(house, windows, cuts, (at, range.clone())),
            range,
            ends,
            pricers,
            pricings,
        }
    }

    /// Prices the whole range, and returns the result of each side; `None` if that takes more than
    /// `most` slots of prices. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn all(
        self,
        store: &Store,
        most: usize,
    ) -> Result<Option<Vec<WalkedSide>>, StoreError> {
        let alike = |nth| self.pricers.iter().filter(move |it| it.like == Some(nth));
        let firsts = self.pricers.iter().enumerate();
        let firsts = firsts.filter(|(_, it)| it.like.is_none());
        let counted =
            firsts.map(|(nth, it)| (it.pricer.clone(), it.window, 1 + alike(nth).count()));
        let asked = (self.walk.windows(), self.walk.at()..self.range.end);
        if are_too_many(store, counted.collect(), asked, most)? {
            return Ok(None);
        }
        self.price(store).map(Some)
    }

    /// Prices the whole range, and returns the result of each side. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn price(mut self, store: &Store) -> Result<Vec<WalkedSide>, StoreError> {
        loop {
            let flows = self.walk.step(store, &mut self.pricers)?;
            if flows.is_empty() {
                return Ok(self.finish());
            }
            for slot in &flows {
                self.add(slot);
            }
        }
    }

    /// The result of each side, after the last step.
    fn finish(self) -> Vec<WalkedSide> {
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        let touched = TouchCount {
            events: self.walk.events(),
            corrections: 0,
        };
        let finish = |(pricing, own): (Pricing, WalkedPricer)| {
            let bill = own.pricer.finish();
            let known = pricing.known;
            WalkedSide {
                statement: CostStatement {
                    other_currency: pricing.other_currency,
                    converted: pricing.converted,
                    ..CostStatement::of(range, pricing.currency, bill, known, touched)
                },
                parts: pricing.parts,
                sums: pricing.sums,
                left_out: pricing.left_out,
                coarse: pricing.coarse,
            }
        };
        let priced = self.pricings.into_iter().zip(self.pricers);
        priced.map(finish).collect()
    }

    fn add(&mut self, flows: &FlowSlot) {
        let house = &self.walk.house;
        let sums = house.sums(flows);
        let part = self.ends.partition_point(|end| *end <= flows.start);
        let walked = WalkedSlot {
            at_grid: house.grid_of(&sums, flows.length_ms()),
            was: HouseQuarter::of(flows.start..flows.end, &sums),
            measured: HouseQuarter::measured(flows.start..flows.end, &sums),
            sums,
            is_in_range: self.range.start <= flows.start,
            part,
            is_end: self.ends.get(part) == Some(&flows.end),
            flows,
        };
        for (pricing, own) in self.pricings.iter_mut().zip(&mut self.pricers) {
            pricing.add(own, &walked);
        }
        // The energies of all houses are those of the same time.
        let is_known = |it: &Pricing| it.here.is_none_or(|(_, is_left_out)| !is_left_out);
        if !self.pricings.iter().all(is_known) {
            for pricing in &mut self.pricings {
                let (flow, _) = pricing.here.unwrap_or_default();
                pricing.left_out.flow = pricing.left_out.flow + flow;
                pricing.left_out.own = pricing.left_out.own + walked.was.own();
            }
        }
    }
}

impl Pricing {
    /// The pricing of a side by its pricer, in so many parts of a range.
    fn new(
        side: AskedSide<'_>,
        own: &WalkedPricer,
        (house, parts): (&HouseSensors, usize),
    ) -> Self {
        let place = |id: &_| house.sensors.iter().position(|it| it.sensor.id == *id);
        Self {
            scenario: side.scenario,
            currency: side.prices.currency().cloned(),
            other_currency: side.prices.other_currency().to_vec(),
            converted: side.prices.converted().to_vec(),
            named: own.pricer.sensors().iter().map(place).collect(),
            so_far: None,
            told: SlotCost::default(),
            parts: vec![PricedPart::default(); parts],
            known: MeasuredSlot::default(),
            sums: None,
            left_out: LeftOut::default(),
            coarse: Flow::default(),
            here: None,
        }
    }

    /// Adds a slot of energy.
    fn add(&mut self, own: &mut WalkedPricer, walked: &WalkedSlot<'_>) {
        let at_grid = self.at_grid(walked);
        let flows = walked.flows;
        let next = own.ahead.front().copied();
        let Some(slot) = next.filter(|slot| slot.from() <= flows.start) else {
            return;
        };
        let here = MeteredSum::new(at_grid, self.named(own, walked), flows.length_ms());
        let sum = match self.so_far.take() {
            Some(so_far) => so_far.and_then(&here),
            None => here,
        };
        if flows.end < slot.to() {
            if walked.is_end && slot.is_billed() {
                let (_, energy) = sum.energy();
                let mut pricer = own.pricer.clone();
                let cost = pricer.add_known(slot.until(flows.end), &energy);
                self.tell(walked.part, cost);
            }
            self.so_far = Some(sum);
            return;
        }
        let (measured, energy) = sum.energy();
        own.ahead.pop_front();
        let cost = own.pricer.add_known(slot, &energy);
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
        let flow = at_grid.0.flow.unwrap_or_default();
        self.here = Some((flow, is_left_out));
        if quarter.is_coarse && at_grid.0.is_measured() {
            self.coarse = self.coarse + flow;
        }
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
    fn named(&self, own: &WalkedPricer, walked: &WalkedSlot<'_>) -> Vec<Option<MeasuredSlot>> {
        let places = own.pricer.sensors().iter().zip(&self.named);
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
