//! Charges for energy by a rate, with netting and caps: the sum of the energy at each price.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::energy_terms::PriceCap;
use super::period::{Periods, days_between};
use super::price_finder::PriceFinder;
use super::rate::Tiers;
use super::series::PriceSeries;
use crate::domain::{Decimal, MicroWh, Timestamp};

/// A rate and the energy priced by it.
#[derive(Clone, Debug)]
pub(super) struct RateCharge {
    finder: PriceFinder,
    tiers: Option<TierCount>,
    netting: Option<NetAccount>,
    cap: Option<CapCount>,
    /// Energy and amount for each zone or tier; one for other rates.
    parts: Vec<PricedEnergy>,
}

/// Energy and its amount.
#[derive(Clone, Copy, Debug, Default)]
struct PricedEnergy(MicroWh, Amount);

/// The energy of a period so far, which determines the tier.
#[derive(Clone, Debug)]
pub(super) struct TierCount {
    tiers: Tiers,
    periods: Periods,
    /// Where the contract begins and ends: a limit by day is for its days.
    in_force: (Timestamp, Timestamp),
    /// Where the period ends.
    end: Timestamp,
    /// The ends of its tiers.
    ends: Vec<MicroWh>,
    counted: MicroWh,
    /// The energy of the period before the contract, where it does not count for the tiers.
    before: MicroWh,
}

/// Drawn less fed-in energy of a period so far.
#[derive(Clone, Debug)]
pub(super) struct NetAccount {
    periods: Periods,
    end: Timestamp,
    by_zone: bool,
    /// One balance for each zone if zones net separately, otherwise one for all.
    net: Vec<MicroWh>,
    /// The price of energy fed in beyond the drawn energy, if there is one.
    surplus: Option<Decimal>,
    of_surplus: PricedEnergy,
}

/// The energy of a period so far under a cap.
#[derive(Clone, Debug)]
pub(super) struct CapCount {
    cap: PriceCap,
    /// `None` if the cap applies to all energy.
    periods: Option<Periods>,
    end: Timestamp,
    counted: MicroWh,
    of_capped: PricedEnergy,
}

impl RateCharge {
    pub(super) fn new(
        finder: PriceFinder,
        tiers: Option<TierCount>,
        netting: Option<NetAccount>,
        cap: Option<CapCount>,
    ) -> Self {
        let parts = vec![PricedEnergy::default(); finder.parts()];
        Self {
            finder,
            tiers,
            netting,
            cap,
            parts,
        }
    }

    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        self.finder.set_series(series);
    }

    /// Whether its tier can go down, because fed-in energy is netted.
    pub(super) const fn has_netted_tiers(&self) -> bool {
        self.tiers.is_some() && self.netting.is_some()
    }

    /// Whether its amounts depend on the energy of a period.
    pub(super) const fn has_periods(&self) -> bool {
        self.tiers.is_some() || self.netting.is_some() || self.cap.is_some()
    }

    /// The end of the prices and periods at `time`. A tier may end sooner, depending on energy.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.begin(time);
        let (_, until) = self.finder.at(time);
        let ends = [
            self.tiers.as_ref().map(|it| it.end),
            self.netting.as_ref().map(|it| it.end),
            self.cap.as_ref().map(|it| it.end),
        ];
        ends.into_iter().flatten().fold(until, Timestamp::min)
    }

    /// Begins the periods that contain a time.
    fn begin(&mut self, time: Timestamp) {
        if let Some(tiers) = self.tiers.as_mut().filter(|it| it.end <= time) {
            let period = tiers.periods.containing(time);
            tiers.begin(period, MicroWh::ZERO);
        }
        if let Some(netting) = self.netting.as_mut().filter(|it| it.end <= time) {
            netting.end = netting.periods.containing(time).1;
            netting.net.fill(MicroWh::ZERO);
        }
        if let Some(cap) = self.cap.as_mut().filter(|it| it.end <= time) {
            let end = cap
                .periods
                .as_mut()
                .map(|periods| periods.containing(time).1);
            (cap.end, cap.counted) = (end.unwrap_or(Timestamp::MAX), MicroWh::ZERO);
        }
    }

    /// Goes on where the same charge of the contract before ended at `time`: its periods count on.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        if let Some((tiers, was)) = self.tiers.as_mut().zip(before.tiers.as_ref())
            && let Some(period) = tiers.periods.going_on(&was.periods, time)
            && period.1 == was.end
        {
            tiers.begin(period, was.counted);
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
                let same = same.and_then(|part| was.net.get(part));
                *net = same.copied().unwrap_or_default();
            }
        }
        if let Some((cap, was)) = self.cap.as_mut().zip(before.cap.as_ref())
            && let Some((periods, of)) = cap.periods.as_mut().zip(was.periods.as_ref())
            && let Some((_, end)) = periods.going_on(of, time)
            && end == was.end
        {
            (cap.end, cap.counted) = (end, was.counted);
        }
    }

    /// The price after this much more energy, at the time of the last query; `None` if there is
    /// none.
    fn price_after(&self, found: Option<(usize, Decimal)>, energy: MicroWh) -> Option<Decimal> {
        let (_, price) = found?;
        let price = match &self.tiers {
            Some(tiers) => self.finder.price(tiers.at(tiers.so_far() + energy)?)?,
            None => price,
        };
        let cap = self.cap.as_ref();
        let cap = cap.filter(|cap| cap.counted + energy < cap.cap.end());
        Some(cap.map_or(price, |cap| price.min(cap.cap.price)))
    }

    /// The price at a time after this much more energy, without netting; `None` if there is none.
    pub(super) fn marginal_price(&mut self, time: Timestamp, energy: MicroWh) -> Option<Decimal> {
        self.begin(time);
        let (found, _) = self.finder.at(time);
        self.price_after(found, energy)
    }

    /// The end of the price after `energy`, as an energy, at the time of the last query.
    pub(super) fn price_end(&self, energy: MicroWh) -> Option<MicroWh> {
        // A netted tier applies to a whole slot, which is short.
        if self.has_netted_tiers() {
            return None;
        }
        let tier = self.tiers.as_ref().and_then(|tiers| {
            let end = tiers.ends.get(tiers.at(tiers.so_far() + energy)?)?;
            Some(*end - tiers.so_far())
        });
        let cap = self.cap.as_ref().map(|cap| cap.cap.end() - cap.counted);
        let cap = cap.filter(|end| *end > energy);
        tier.into_iter().chain(cap).min()
    }

    /// Prices energy from `time` on, netted against the energy in the other direction if the
    /// component nets. Returns unpriced energy.
    pub(super) fn add(&mut self, time: Timestamp, counted: MicroWh, other: MicroWh) -> MicroWh {
        self.begin(time);
        let (found, _) = self.finder.at(time);
        // Energy without a price is not netted: all of it is unpriced.
        let Some((part, price)) = found else {
            return counted;
        };
        let energy = match &mut self.netting {
            Some(netting) => netting.add(part, counted - other),
            None => counted,
        };
        let Some(tiers) = &mut self.tiers else {
            self.book(part, price, energy);
            return MicroWh::ZERO;
        };
        let before = tiers.so_far();
        tiers.counted = tiers.counted + energy;
        let after = tiers.so_far();
        let mut start = MicroWh::new(i64::MIN);
        for (index, end) in tiers.ends.clone().into_iter().enumerate() {
            let in_tier = after.clamp(start, end) - before.clamp(start, end);
            if in_tier != MicroWh::ZERO
                && let Some(price) = self.finder.price(index)
            {
                self.book(index, price, in_tier);
            }
            start = end;
        }
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

impl PricedEnergy {
    fn add(&mut self, price: Decimal, energy: MicroWh) {
        *self = Self(self.0 + energy, self.1 + Amount::of(price, energy));
    }
}

impl TierCount {
    pub(super) fn new(tiers: &Tiers, periods: Periods, in_force: (Timestamp, Timestamp)) -> Self {
        Self {
            tiers: tiers.clone(),
            periods,
            in_force,
            end: Timestamp::MIN,
            ends: Vec::new(),
            counted: MicroWh::ZERO,
            before: MicroWh::ZERO,
        }
    }

    /// Begins a period that has this much energy already.
    fn begin(&mut self, (start, end): (Timestamp, Timestamp), counted: MicroWh) {
        let (from, until) = self.in_force;
        let days = days_between(start.max(from), end.min(until));
        self.ends = self.tiers.ends(days);
        (self.end, self.counted) = (end, counted);
        // A limit by day is for the energy of its days.
        self.before = if self.tiers.per_day {
            counted
        } else {
            MicroWh::ZERO
        };
    }

    /// The energy so far that counts for the tiers.
    fn so_far(&self) -> MicroWh {
        self.counted - self.before
    }

    /// The index of the tier after this much energy.
    fn at(&self, so_far: MicroWh) -> Option<usize> {
        self.ends.iter().position(|end| so_far < *end)
    }
}

impl NetAccount {
    /// An account with a balance for each of `zones` zones, or one balance for all.
    pub(super) fn new(periods: Periods, zones: Option<usize>, surplus: Option<Decimal>) -> Self {
        Self {
            periods,
            end: Timestamp::MIN,
            by_zone: zones.is_some(),
            net: vec![MicroWh::ZERO; zones.unwrap_or(1)],
            surplus,
            of_surplus: PricedEnergy::default(),
        }
    }

    /// Adds drawn less fed-in energy in a zone. Returns the change of the energy to pay.
    fn add(&mut self, zone: usize, energy: MicroWh) -> MicroWh {
        let account = if self.by_zone { zone } else { 0 };
        let Some(net) = self.net.get_mut(account) else {
            return energy;
        };
        let before = std::mem::replace(net, *net + energy);
        let after = *net;
        if let Some(price) = self.surplus {
            let surplus = (-after).max(MicroWh::ZERO) - (-before).max(MicroWh::ZERO);
            self.of_surplus.add(price, surplus);
        }
        after.max(MicroWh::ZERO) - before.max(MicroWh::ZERO)
    }
}

impl CapCount {
    pub(super) const fn new(cap: PriceCap, periods: Option<Periods>) -> Self {
        Self {
            cap,
            periods,
            end: Timestamp::MIN,
            counted: MicroWh::ZERO,
            of_capped: PricedEnergy(MicroWh::ZERO, Amount::ZERO),
        }
    }

    fn add(&mut self, price: Decimal, energy: MicroWh) {
        let end = self.cap.end();
        let before = self.counted.min(end);
        self.counted = self.counted + energy;
        let within = self.counted.min(end) - before;
        if price > self.cap.price {
            let PricedEnergy(energy, amount) = self.of_capped;
            let less = Amount::of(self.cap.price, within) - Amount::of(price, within);
            self.of_capped = PricedEnergy(energy + within, amount + less);
        }
    }
}
