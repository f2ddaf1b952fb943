//! Energy by its rate, netted and capped: the sum of energy at each price.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::energy_terms::PriceCap;
use super::period::{Periods, days_between};
use super::price_finder::PriceFinder;
use super::series::PriceSeries;
use crate::domain::{Decimal, MicroWh, Timestamp, Zone};

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

/// Energy, and the amount of it.
#[derive(Clone, Copy, Debug, Default)]
struct PricedEnergy(MicroWh, Amount);

/// The energy of a period so far, which determines the tier.
#[derive(Clone, Debug)]
pub(super) struct TierCount {
    periods: Periods,
    zone: Zone,
    /// Where the period ends.
    end: Timestamp,
    /// The ends of its tiers.
    ends: Vec<MicroWh>,
    counted: MicroWh,
}

/// Drawn less fed-in energy of a period so far.
#[derive(Clone, Debug)]
pub(super) struct NetAccount {
    periods: Periods,
    end: Timestamp,
    by_zone: bool,
    /// For each zone if they net separately, else one.
    net: Vec<MicroWh>,
    /// The price of energy fed in beyond that, where there is one.
    surplus: Option<Decimal>,
    of_surplus: PricedEnergy,
}

/// The energy of a period so far under a cap.
#[derive(Clone, Debug)]
pub(super) struct CapCount {
    cap: PriceCap,
    /// `None` if it applies to all energy.
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

    /// Whether its tier can go back, as fed-in energy is netted.
    pub(super) const fn has_netted_tiers(&self) -> bool {
        self.tiers.is_some() && self.netting.is_some()
    }

    /// Whether its amounts depend on the energy of a period.
    pub(super) const fn has_periods(&self) -> bool {
        self.tiers.is_some() || self.netting.is_some() || self.cap.is_some()
    }

    /// Until when prices and periods hold that hold at `time`. A tier can end sooner, by energy.
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

    /// Begins the periods that a time lies in.
    fn begin(&mut self, time: Timestamp) {
        if let Some(tiers) = self.tiers.as_mut().filter(|it| it.end <= time) {
            let (start, end) = tiers.periods.around(time);
            let days = days_between(start, end, &tiers.zone);
            if let PriceFinder::Tiers(of) = &self.finder {
                tiers.ends = of.ends(days);
            }
            (tiers.end, tiers.counted) = (end, MicroWh::ZERO);
        }
        if let Some(netting) = self.netting.as_mut().filter(|it| it.end <= time) {
            netting.end = netting.periods.around(time).1;
            netting.net.fill(MicroWh::ZERO);
        }
        if let Some(cap) = self.cap.as_mut().filter(|it| it.end <= time) {
            let around = cap.periods.as_mut().map(|periods| periods.around(time).1);
            (cap.end, cap.counted) = (around.unwrap_or(Timestamp::MAX), MicroWh::ZERO);
        }
    }

    /// The price of the next energy after so much more, if there is one: from the time on that was
    /// last asked for.
    fn price_after(&self, found: Option<(usize, Decimal)>, energy: MicroWh) -> Option<Decimal> {
        let (_, price) = found?;
        let price = match &self.tiers {
            Some(tiers) => self.finder.price(tiers.at(tiers.counted + energy)?)?,
            None => price,
        };
        let cap = self.cap.as_ref();
        let cap = cap.filter(|cap| cap.counted + energy < cap.cap.end());
        Some(cap.map_or(price, |cap| price.min(cap.cap.price)))
    }

    /// The price at a time after so much more energy, if there is one; netting does not count.
    pub(super) fn marginal_price(&mut self, time: Timestamp, energy: MicroWh) -> Option<Decimal> {
        self.begin(time);
        let (found, _) = self.finder.at(time);
        self.price_after(found, energy)
    }

    /// After how much energy the price ends that holds after so much: from the time on that was
    /// last asked for.
    pub(super) fn price_end(&self, energy: MicroWh) -> Option<MicroWh> {
        // A netted tier holds for a whole slot, which is short.
        if self.has_netted_tiers() {
            return None;
        }
        let tier = self.tiers.as_ref().and_then(|tiers| {
            let end = tiers.ends.get(tiers.at(tiers.counted + energy)?)?;
            Some(*end - tiers.counted)
        });
        let cap = self.cap.as_ref().map(|cap| cap.cap.end() - cap.counted);
        let cap = cap.filter(|end| *end > energy);
        tier.into_iter().chain(cap).min()
    }

    /// Prices energy from `time` on, less the energy in the other direction where it is netted.
    /// Returns the energy that has no price.
    pub(super) fn add(&mut self, time: Timestamp, counted: MicroWh, other: MicroWh) -> MicroWh {
        self.begin(time);
        let (found, _) = self.finder.at(time);
        // Without a price, energy is not netted: all of it is unpriced.
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
        let (before, after) = (tiers.counted, tiers.counted + energy);
        tiers.counted = after;
        let mut start = MicroWh::new(i64::MIN);
        for (index, end) in tiers.ends.clone().into_iter().enumerate() {
            let within = after.clamp(start, end) - before.clamp(start, end);
            if within != MicroWh::ZERO
                && let Some(price) = self.finder.price(index)
            {
                self.book(index, price, within);
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

    /// The amount so far, and the credit for a surplus.
    pub(super) fn amounts(&self) -> (Amount, Amount) {
        let amount: Amount = self.parts.iter().map(|part| part.1).sum();
        let capped = self.cap.as_ref().map(|cap| cap.of_capped.1);
        let surplus = self.netting.as_ref().map(|netting| netting.of_surplus.1);
        (
            amount + capped.unwrap_or_default(),
            surplus.unwrap_or_default(),
        )
    }

    /// Begins to bill: nothing of the energy so far, which still counts for periods.
    pub(super) fn forget(&mut self) {
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
    pub(super) const fn new(periods: Periods, zone: Zone) -> Self {
        Self {
            periods,
            zone,
            end: Timestamp::MIN,
            ends: Vec::new(),
            counted: MicroWh::ZERO,
        }
    }

    /// The index of the tier of the next energy after so much.
    fn at(&self, counted: MicroWh) -> Option<usize> {
        self.ends.iter().position(|end| counted < *end)
    }
}

impl NetAccount {
    /// An account for each of so many zones, or one for all.
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

    /// Adds drawn less fed-in energy of a zone, and returns by how much that changes the energy to
    /// pay.
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
