//! Charges for energy by a rate, with netting and caps: the sum of the energy at each price.

use super::amount::{Amount, PricedEnergy};
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::cap_count::CapCount;
use super::period::Periods;
use super::price_finder::PriceFinder;
use super::scope::{InScope, ScopeCount};
use super::series::PriceSeries;
use super::tier_count::TierCount;
use crate::domain::{Decimal, MicroWh, Timestamp};

/// A rate and the energy priced by it.
#[derive(Clone, Debug)]
pub(super) struct RateCharge {
    finder: PriceFinder,
    /// The energy that counts; `None` for all.
    scope: Option<ScopeCount>,
    tiers: Option<TierCount>,
    netting: Option<NetAccount>,
    cap: Option<CapCount>,
    /// Energy and amount for each zone or tier; one for other rates.
    parts: Vec<PricedEnergy>,
}

/// Drawn less fed-in energy of a period so far.
#[derive(Clone, Debug)]
pub(super) struct NetAccount {
    periods: Periods,
    end: Timestamp,
    by_zone: bool,
    /// One balance for each zone if zones net separately, otherwise one for all.
    net: Vec<MicroWh>,
    /// The part of the fed-in energy that counts, in millionths, and the fed-in energy of each balance.
    factor: Decimal,
    fed: Vec<MicroWh>,
    /// The price of energy fed in beyond the drawn energy, if there is one.
    surplus: Option<Decimal>,
    of_surplus: PricedEnergy,
}

impl RateCharge {
    pub(super) fn new(
        (finder, scope): (PriceFinder, Option<ScopeCount>),
        tiers: Option<TierCount>,
        netting: Option<NetAccount>,
        cap: Option<CapCount>,
    ) -> Self {
        let parts = vec![PricedEnergy::default(); finder.parts()];
        Self {
            finder,
            scope,
            tiers,
            netting,
            cap,
            parts,
        }
    }

    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        self.finder.set_series(series);
        if let Some(scope) = &mut self.scope {
            scope.set_series(series);
        }
    }

    /// Whether its tier can go down, because fed-in energy is netted.
    pub(super) const fn has_netted_tiers(&self) -> bool {
        self.tiers.is_some() && self.netting.is_some()
    }

    /// Whether its amounts depend on the energy of a period.
    pub(super) fn has_periods(&self) -> bool {
        let of_scope = self.scope.as_ref().is_some_and(ScopeCount::has_periods);
        of_scope || self.tiers.is_some() || self.netting.is_some() || self.cap.is_some()
    }

    /// The end of the prices and periods at `time`. A tier may end sooner, depending on energy.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.begin(time);
        let (_, until) = self.finder.at(time);
        let cap = self.cap.as_mut();
        let ends = [
            self.scope.as_mut().map(|scope| scope.at(time).1),
            self.tiers.as_ref().map(TierCount::end),
            self.netting.as_ref().map(|it| it.end),
            cap.map(|cap| cap.until(time)),
        ];
        ends.into_iter().flatten().fold(until, Timestamp::min)
    }

    /// Begins the periods that contain a time.
    fn begin(&mut self, time: Timestamp) {
        if let Some(tiers) = &mut self.tiers {
            tiers.begin(time);
        }
        if let Some(netting) = self.netting.as_mut().filter(|it| it.end <= time) {
            netting.end = netting.periods.containing(time).1;
            netting.net.fill(MicroWh::ZERO);
            netting.fed.fill(MicroWh::ZERO);
        }
        if let Some(cap) = &mut self.cap {
            cap.until(time);
        }
    }

    /// Goes on where the same charge of the contract before ended at `time`: its periods count on.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        if let Some((scope, was)) = self.scope.as_mut().zip(before.scope.as_ref()) {
            scope.continue_from(was, time);
        }
        if let Some((tiers, was)) = self.tiers.as_mut().zip(before.tiers.as_ref()) {
            tiers.continue_from(was, time);
        }
        if let Some((netting, was)) = self.netting.as_mut().zip(before.netting.as_ref())
            && let Some((_, end)) = netting.periods.going_on(&was.periods, time)
            && end == was.end
            && netting.by_zone == was.by_zone
        {
            netting.end = end;
            for (index, net) in netting.net.iter_mut().enumerate() {
                let name = self.finder.part(index);
                let mut parts = 0..was.net.len();
                let same = parts.find(|part| !was.by_zone || before.finder.part(*part) == name);
                let of_same = |all: &[MicroWh]| {
                    let found = same.and_then(|part| all.get(part));
                    found.copied().unwrap_or_default()
                };
                *net = of_same(&was.net);
                if let Some(fed) = netting.fed.get_mut(index) {
                    *fed = of_same(&was.fed);
                }
            }
        }
        if let Some((cap, was)) = self.cap.as_mut().zip(before.cap.as_ref()) {
            cap.continue_from(was, time);
        }
    }

    /// The price after this much more energy, at the time of the last query; `None` if there is
    /// none.
    fn price_after(&self, found: Option<(usize, Decimal)>, energy: MicroWh) -> Option<Decimal> {
        let (_, price) = found?;
        let price = match &self.tiers {
            Some(tiers) => self.finder.price(tiers.after(energy)?)?,
            None => price,
        };
        let cap = self.cap.as_ref();
        let cap = cap.filter(|cap| energy < cap.left());
        Some(cap.map_or(price, |cap| price.min(cap.price())))
    }

    /// The price at a time after this much more energy, without netting; `None` if there is none.
    pub(super) fn marginal_price(&mut self, time: Timestamp, energy: MicroWh) -> Option<Decimal> {
        self.begin(time);
        let (found, _) = self.finder.at(time);
        if let Some(scope) = &mut self.scope {
            match scope.at(time).0 {
                InScope::Unknown => return None,
                InScope::Yes if energy < scope.left() => {}
                InScope::Yes | InScope::No => return Some(Decimal::ZERO),
            }
        }
        if let Some(cap) = &mut self.cap {
            cap.until(time);
        }
        self.price_after(found, energy)
    }

    /// The end of the price after `energy`, as an energy, at the time of the last query.
    pub(super) fn price_end(&self, energy: MicroWh) -> Option<MicroWh> {
        // A netted tier applies to a whole slot, which is short.
        if self.has_netted_tiers() {
            return None;
        }
        let tiers = self.tiers.as_ref();
        let ends = [
            tiers.and_then(|tiers| tiers.end_after(energy)),
            self.cap.as_ref().map(CapCount::left),
            self.scope.as_ref().map(ScopeCount::left),
        ];
        let ends = ends.into_iter().flatten();
        ends.filter(|end| *end > energy).min()
    }

    /// Prices energy from `time` on, netted against the energy in the other direction if the
    /// component nets. Returns unpriced energy.
    pub(super) fn add(&mut self, time: Timestamp, counted: MicroWh, other: MicroWh) -> MicroWh {
        self.begin(time);
        let counted = match &mut self.scope {
            Some(scope) => match scope.at(time).0 {
                InScope::Yes => scope.add(counted),
                InScope::No => return MicroWh::ZERO,
                InScope::Unknown => return counted,
            },
            None => counted,
        };
        if let Some(cap) = &mut self.cap {
            cap.until(time);
        }
        let (found, _) = self.finder.at(time);
        // Energy without a price is not netted: all of it is unpriced.
        let Some((part, price)) = found else {
            return counted;
        };
        let energy = match &mut self.netting {
            Some(netting) => netting.add(part, counted, other),
            None => counted,
        };
        let Some(mut tiers) = self.tiers.take() else {
            self.book(part, price, energy);
            return MicroWh::ZERO;
        };
        tiers.add(energy, |place, energy| {
            if let Some(price) = self.finder.price(place) {
                self.book(place, price, energy);
            }
        });
        self.tiers = Some(tiers);
        MicroWh::ZERO
    }

    fn book(&mut self, part: usize, price: Decimal, energy: MicroWh) {
        if let Some(sum) = self.parts.get_mut(part) {
            sum.add(price, energy);
        }
        if let Some(cap) = &mut self.cap {
            cap.add(price, energy);
        }
    }

    /// The amount so far, and the credit for surplus energy.
    pub(super) fn amounts(&self) -> (Amount, Amount) {
        let amount: Amount = self.parts.iter().map(|part| part.1).sum();
        let capped = self.cap.as_ref().map(|cap| cap.of_capped.1);
        let surplus = self.netting.as_ref().map(|netting| netting.of_surplus.1);
        (
            amount + capped.unwrap_or_default(),
            surplus.unwrap_or_default(),
        )
    }

    /// Starts the bill: energy so far costs nothing, but still counts for periods.
    pub(super) fn start_bill(&mut self) {
        self.parts.fill(PricedEnergy::default());
        if let Some(cap) = &mut self.cap {
            cap.of_capped = PricedEnergy::default();
        }
        if let Some(netting) = &mut self.netting {
            netting.of_surplus = PricedEnergy::default();
        }
    }

    /// Its lines; of several zones or tiers, those with energy.
    pub(super) fn lines(&self, kind: LineKind) -> Vec<ChargeLine> {
        let is_credit = kind == LineKind::Export;
        let signed = |amount: Amount| if is_credit { -amount } else { amount };
        let line = |kind, part, price, &PricedEnergy(energy, amount): &PricedEnergy| ChargeLine {
            kind,
            part,
            quantity: BilledQuantity::Energy(energy),
            price,
            amount,
        };
        let used = |it: &&PricedEnergy| it.0 != MicroWh::ZERO || it.1 != Amount::ZERO;
        let parts = self.parts.iter().enumerate();
        let parts = parts.filter(|(_, part)| self.parts.len() == 1 || used(part));
        let parts = parts.map(|(index, part)| {
            let (name, price) = (self.finder.part(index), self.finder.price(index));
            let line = line(kind, name, price, part);
            let amount = signed(line.amount);
            ChargeLine { amount, ..line }
        });
        let capped = self.cap.as_ref().map(|cap| &cap.of_capped).filter(used);
        let capped = capped.map(|capped| line(kind, Some(LinePart::Cap), None, capped));
        let netting = self.netting.as_ref();
        let surplus = netting.and_then(|it| Some((it.surplus?, &it.of_surplus)));
        let surplus = surplus.filter(|(_, energy)| used(energy));
        let surplus = surplus.map(|(price, energy)| {
            let line = line(
                LineKind::Export,
                Some(LinePart::Surplus),
                Some(price),
                energy,
            );
            let amount = -line.amount;
            ChargeLine { amount, ..line }
        });
        parts.chain(capped).chain(surplus).collect()
    }
}

impl NetAccount {
    /// An account with a balance for each of `zones` zones, or one balance for all.
    /// Of the fed-in energy, `factor` counts.
    pub(super) fn new(
        periods: Periods,
        zones: Option<usize>,
        (factor, surplus): (Decimal, Option<Decimal>),
    ) -> Self {
        Self {
            periods,
            end: Timestamp::MIN,
            by_zone: zones.is_some(),
            net: vec![MicroWh::ZERO; zones.unwrap_or(1)],
            factor,
            fed: vec![MicroWh::ZERO; zones.unwrap_or(1)],
            surplus,
            of_surplus: PricedEnergy::default(),
        }
    }

    /// Adds drawn and fed-in energy in a zone. Returns the change of the energy to pay.
    fn add(&mut self, zone: usize, drawn: MicroWh, fed: MicroWh) -> MicroWh {
        let account = if self.by_zone { zone } else { 0 };
        let accounts = self.net.get_mut(account).zip(self.fed.get_mut(account));
        let Some((net, so_far)) = accounts else {
            return drawn - fed;
        };
        // All of the period is rounded at once: slots add up to it.
        let [factor, one] = [self.factor, Decimal::ONE].map(MicroWh::of_kilowatthours);
        let counting = |fed: MicroWh| fed.scaled(factor, one);
        let fed_before = std::mem::replace(so_far, *so_far + fed);
        let energy = drawn - (counting(*so_far) - counting(fed_before));
        let before = std::mem::replace(net, *net + energy);
        let after = *net;
        if let Some(price) = self.surplus {
            let surplus = (-after).max(MicroWh::ZERO) - (-before).max(MicroWh::ZERO);
            self.of_surplus.add(price, surplus);
        }
        after.max(MicroWh::ZERO) - before.max(MicroWh::ZERO)
    }
}
