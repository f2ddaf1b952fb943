//! Who used the sun: the energy of sub-meters by its sources, quarter of an hour by quarter, in
//! bounded memory (docs/DECIDE.md).

use std::ops::Range;
use std::task::Poll;

use super::cost::{HouseCosts, NamedCost};
use super::flows::FlowSlot;
use super::prices::HousePrices;
use super::sensor_cost::sensor_cost;
use super::sensors::{HouseSensor, HouseSensors};
use super::table::is_device;
use crate::domain::time::{MS_PER_DAY, MS_PER_MINUTE};
use crate::domain::{Account, Calendar, Decimal, Interval, MicroWh, Role, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{MarginalPrice, MeteredEnergy, PriceSlot, SlotCost};
use crate::ledger::house::{
    BatteryStocks, MeasuredSlot, SlotWorth, SourceMix, UsedSources, ValuedEnergy,
};
use crate::store::{Store, StoreError};

/// The time that is read at once.
const CHUNK_MS: i64 = 14 * MS_PER_DAY;
const QUARTER_MS: i64 = 15 * MS_PER_MINUTE;
/// The number of slots in a step.
const SLOTS_A_STEP: usize = 4_096;

/// The sub-meters of a house, with their energy by source: a walk under way.
///
/// Slots are quarters of an hour, divided where a price changes or a range ends.
/// With a battery, the walk begins a week or two earlier, because the battery gives what it took.
pub(super) struct SourceWalk {
    costs: HouseCosts,
    prices: HousePrices,
    /// With the sub-meters, until the range begins: before it, they need not be read.
    whole: Option<HouseSensors>,
    /// The places of the sub-meters in the whole house.
    devices: Vec<usize>,
    stocks: BatteryStocks,
    weeks: Calendar,
    /// Where the next week begins.
    next_week: Timestamp,
    range: Range<Timestamp>,
    /// The ends that were asked for, ascending. Behind the last one nothing is looked at.
    ends: Vec<Timestamp>,
    /// Until here slots are cut.
    cut_until: Timestamp,
    /// Of each sub-meter, in the range that is under way.
    sums: Vec<UsedSources>,
}

/// A slot of the range.
pub(super) struct SourceSlot {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    /// Of each sub-meter, in their order.
    pub(super) sources: Vec<UsedSources>,
    /// The energy that each sub-meter measured.
    pub(super) measured: Vec<MeasuredSlot>,
    /// The price of drawn energy; `None` if there is none, or several.
    pub(super) drawn: Option<Decimal>,
    /// The credit that own energy would have earned; `None` without a price.
    pub(super) own: Option<Decimal>,
}

/// Whether it measures panels or batteries, where own energy comes from.
pub(super) fn is_own_source(it: &HouseSensor) -> bool {
    !is_device(it) && !it.sensor.role.is_at_grid() && it.has_data()
}

fn has_battery(house: &HouseSensors) -> bool {
    let is_battery = |it: &HouseSensor| is_own_source(it) && it.sensor.role != Role::Solar;
    house.sensors.iter().any(is_battery)
}

impl SourceWalk {
    /// A walk over `range`, which is past and has at most [`HousePrices::MOST_DAYS`] days, for the
    /// sub-meters of `house` that are `wanted`.
    pub(super) fn new(
        store: &Store,
        account: &Account,
        (house, wanted): (&HouseSensors, &dyn Fn(&HouseSensor) -> bool),
        range: Range<Timestamp>,
    ) -> Self {
        let is_wanted = |it: &HouseSensor| is_device(it) && wanted(it);
        let range = from_first(house.sensors.iter().filter(|it| is_wanted(it)), range);
        let mut weeks = Calendar::new(account.zone.clone(), Interval::Week);
        let mut begin = range.start;
        if has_battery(house) && range.start < range.end {
            let week = weeks.bucket(begin).start();
            let before = weeks.bucket(week.saturating_add_millis(-1)).start();
            // The longest range has no room for more prices: its stock begins with it.
            let is_short = HousePrices::may_be_priced(&(before..range.end));
            begin = if is_short { before } else { begin };
        }
        let prices = HousePrices::of(store, account, begin..range.end);
        let is_needed = |it: &HouseSensor| !is_device(it) || prices.need(it);
        let costs = HouseCosts::new(house.only(is_needed), &prices);
        let whole = house.only(|it| is_needed(it) || is_wanted(it));
        let places = whole.sensors.iter().enumerate();
        let devices: Vec<usize> = places
            .filter(|(_, it)| is_wanted(it))
            .map(|(place, _)| place)
            .collect();
        Self {
            costs,
            prices,
            sums: vec![UsedSources::default(); devices.len()],
            devices,
            whole: Some(whole),
            stocks: BatteryStocks::default(),
            next_week: next_of(&mut weeks, begin),
            weeks,
            cut_until: begin,
            ends: Vec::new(),
            range,
        }
    }

    /// The next possible ends: ascending times, all after the earlier ones.
    pub(super) fn cut_at(&mut self, ends: Vec<Timestamp>) {
        self.ends = ends;
    }

    /// The sources of each sub-meter in the next range, whose ends are among those of
    /// [`Self::cut_at`]. Pending if that takes more steps: the same is to be asked again. Blocks on
    /// the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn within(
        &mut self,
        store: &Store,
        range: Range<Timestamp>,
    ) -> Result<Poll<Vec<UsedSources>>, StoreError> {
        for _ in 0..SLOTS_A_STEP {
            let Some(slot) = self.next_slot(store, range.end)? else {
                let nothing = vec![UsedSources::default(); self.devices.len()];
                return Ok(Poll::Ready(std::mem::replace(&mut self.sums, nothing)));
            };
            if slot.start < range.start {
                continue;
            }
            for (sum, sources) in self.sums.iter_mut().zip(slot.sources) {
                *sum = *sum + sources;
            }
        }
        Ok(Poll::Pending)
    }

    /// The sources of each sub-meter in all of the range. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn all(mut self, store: &Store) -> Result<Vec<UsedSources>, StoreError> {
        let range = self.range.clone();
        self.cut_at(vec![range.end]);
        loop {
            if let Poll::Ready(sums) = self.within(store, range.clone())? {
                return Ok(sums);
            }
        }
    }

    /// The next slot before `end`; `None` at the end. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn next_slot(
        &mut self,
        store: &Store,
        end: Timestamp,
    ) -> Result<Option<SourceSlot>, StoreError> {
        loop {
            let next = self.costs.next_slot(store)?;
            let Some((slot, flows)) = next else {
                if self.cut_on() {
                    continue;
                }
                return Ok(None);
            };
            if slot.from() >= end {
                self.costs.put_back(Some((slot, flows)));
                return Ok(None);
            }
            let found = self.add(slot, &flows);
            if slot.from() >= self.range.start {
                return Ok(Some(found));
            }
        }
    }

    /// Cuts the next stretch into quarters of an hour; false if there is none.
    fn cut_on(&mut self) -> bool {
        let from = self.cut_until;
        let mut stop = from.saturating_add_millis(CHUNK_MS).min(self.range.end);
        if from < self.range.start {
            stop = stop.min(self.range.start);
        } else {
            stop = stop.min(self.ends.last().copied().unwrap_or(from));
            if let Some(whole) = self.whole.take() {
                self.costs.look_at(whole, &self.prices);
            }
        }
        if stop <= from {
            return false;
        }
        let quarters = from.millis().div_euclid(QUARTER_MS) + 1..;
        let quarters = quarters.map_while(|count| Timestamp::from_millis(count * QUARTER_MS));
        let mut cuts: Vec<Timestamp> = quarters.take_while(|cut| *cut < stop).collect();
        let is_within = |end: &&Timestamp| (from..stop).contains(*end);
        cuts.extend(self.ends.iter().filter(is_within));
        cuts.push(stop);
        cuts.sort_unstable();
        cuts.dedup();
        self.costs.cut_at(cuts);
        self.cut_until = stop;
        true
    }

    fn add(&mut self, slot: PriceSlot, flows: &FlowSlot) -> SourceSlot {
        while self.next_week <= slot.from() {
            self.stocks.begin_week();
            self.next_week = next_of(&mut self.weeks, self.next_week);
        }
        let (_, energy) = self.costs.metered(flows);
        let prices = self.costs.pricer().marginal_prices(&energy, None);
        let own = prices.first().and_then(|(_, price)| price.export);
        let apart = self.apart(&energy);
        let mix = if slot.is_billed() {
            self.mix(flows, (&prices, own), &apart)
        } else {
            None
        };
        // Before the range, the house is known without them.
        let is_begun = self.whole.is_none();
        let devices = || self.devices.iter().filter(move |_| is_begun);
        let of = |place: &usize| self.sources_of(*place, flows, (mix.as_ref(), &apart));
        let measured = |place: &usize| flows.measured.get(*place).copied().unwrap_or_default();
        let found = SourceSlot {
            start: slot.from(),
            end: slot.to(),
            sources: devices().map(of).collect(),
            measured: devices().map(measured).collect(),
            drawn: match prices.as_slice() {
                [(_, only)] => only.import,
                _ => None,
            },
            own,
        };
        self.costs.pricer().add_known(slot, &energy);
        found
    }

    /// The sensors that the contract in force prices by themselves, each with its energy and cost;
    /// `None` for those of other contracts.
    fn apart(&mut self, energy: &MeteredEnergy) -> Vec<Option<NamedCost>> {
        let named = self.costs.named_costs(energy).into_iter();
        let pricer = self.costs.pricer();
        let now = |named: NamedCost| pricer.names_now(&named.id).then_some(named);
        named.map(now).collect()
    }

    /// The sources of the house; `None` if they are unknown.
    fn mix(
        &mut self,
        flows: &FlowSlot,
        (prices, own): (&[(MicroWh, MarginalPrice)], Option<Decimal>),
        apart: &[Option<NamedCost>],
    ) -> Option<SourceMix> {
        let house = self.costs.house();
        let balance = house.sums(flows).balance()?;
        let devices = || house.sensors.iter().filter(|it| is_device(it));
        let apart = apart.iter().flatten();
        let of_devices = apart.filter(|named| devices().any(|it| it.sensor.id == named.id));
        let mut drawn_apart = MicroWh::ZERO;
        for named in of_devices {
            let place = house.sensors.iter().position(|it| it.sensor.id == named.id);
            let slot = place.and_then(|place| flows.measured.get(place));
            // The others share what it leaves.
            slot.filter(|slot| slot.is_measured())?;
            drawn_apart = drawn_apart + named.imported;
        }
        let drawn = |imported| {
            let exported = MicroWh::ZERO;
            let flow = Flow { imported, exported };
            valued(imported, sensor_cost(Role::SubMeter, flow, prices))
        };
        let worth = SlotWorth {
            own: &|energy| ValuedEnergy::at(own, energy),
            drawn: &drawn,
        };
        Some(self.stocks.mix(&balance, drawn_apart, &worth))
    }

    /// The sources of the sub-meter at this place; unknown if it did not measure all of it. Of the energy that contracts price by itself the
    /// grid, of the rest those of the house.
    fn sources_of(
        &self,
        place: usize,
        flows: &FlowSlot,
        (mix, apart): (Option<&SourceMix>, &[Option<NamedCost>]),
    ) -> UsedSources {
        let slot = flows.measured.get(place).copied().unwrap_or_default();
        let net = slot.flow.map_or(MicroWh::ZERO, Flow::net);
        if !slot.is_measured() {
            return UsedSources::of_unknown(net);
        }
        let inside = self.costs.named_inside.get(place).into_iter().flatten();
        let inside = inside.filter_map(|at| apart.get(*at)?.as_ref());
        let own = self.costs.house().sensors.get(place);
        let is_own = |named: &&NamedCost| own.is_some_and(|it| it.sensor.id == named.id);
        let all = inside.chain(apart.iter().flatten().filter(is_own));
        let priced = all.map(|named| valued(named.imported, named.cost));
        let priced = priced.fold(ValuedEnergy::default(), |sum, one| sum + one);
        let rest = net - priced.energy;
        let rest = match mix {
            Some(mix) if rest != MicroWh::ZERO => mix.split(rest),
            Some(_) => UsedSources::default(),
            None => UsedSources::of_unknown(rest),
        };
        rest + UsedSources::of_grid(priced)
    }
}

fn valued(energy: MicroWh, cost: SlotCost) -> ValuedEnergy {
    ValuedEnergy {
        energy,
        value: cost.cost,
        unpriced: cost.unpriced.imported,
    }
}

/// The range from the first reading of one of the sensors on: before it, there is nothing to share.
pub(super) fn from_first<'a>(
    sensors: impl Iterator<Item = &'a HouseSensor>,
    range: Range<Timestamp>,
) -> Range<Timestamp> {
    let known = sensors.filter(|it| it.has_data());
    let first = known.map(|it| it.expected.start).min();
    let first = first.unwrap_or(range.end).millis();
    let quarter = Timestamp::from_millis(first.div_euclid(QUARTER_MS) * QUARTER_MS);
    let start = quarter.unwrap_or(range.start).max(range.start);
    start.min(range.end)..range.end
}

/// The beginning of the next bucket.
fn next_of(calendar: &mut Calendar, time: Timestamp) -> Timestamp {
    calendar.bucket(time).end().saturating_add_millis(1)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::domain::{MeterKind, TimeRange};
    use crate::house::tests::{at, id, import, open};
    use crate::house::{EnergyColumn, EnergyQuestion, EnergyReport, EnergyRow};
    use crate::ledger::contract::ContractChange;

    const DAY_AND_NIGHT: &str = r#"[{"from":"2025-01-01","name":"Two","currency":"€","components":[
        {"energy":{"zones":[{"name":"day","price":0.3},{"name":"night","price":0.2,"hours":"22:00-06:00"}]}},
        {"fixed":{"name":"standing","price":0.5,"per":"day"}},{"export":{"price":0.08}}]}]"#;
    /// Sunday evening in Berlin: five hours later a week begins.
    const START: &str = "2026-01-04T18:00:00";

    /// Watt-hours of each quarter of an hour: produced, charged, given by the battery, of the three
    /// devices and of the rest.
    type Quarter = [u32; 7];

    fn quarter(nth: usize) -> Timestamp {
        at(START).saturating_add_millis(i64::try_from(nth).unwrap() * QUARTER_MS)
    }

    /// Drawn from the grid, and fed into it.
    fn at_grid([solar, charged, given, a, b, c, rest]: Quarter) -> [u32; 2] {
        let needed = i64::from(a + b + c + rest + charged) - i64::from(solar + given);
        [needed, -needed].map(|flow| u32::try_from(flow.max(0)).unwrap())
    }

    /// A house with these quarters; its devices have the ids `names`.
    fn house(
        dir: &std::path::Path,
        quarters: &[Quarter],
        names: [&str; 3],
        contracts: &str,
    ) -> (Arc<Store>, Account) {
        let fixed = [
            ("import", Role::GridImport),
            ("export", Role::GridExport),
            ("roof", Role::Solar),
            ("takes", Role::BatteryCharge),
            ("gives", Role::BatteryDischarge),
        ];
        let devices = names.map(|name| (name, Role::SubMeter));
        let sensors = fixed.into_iter().chain(devices);
        let sensors: Vec<_> = sensors
            .map(|(name, role)| (name, role, MeterKind::Counter))
            .collect();
        let (store, account) = open(dir, &sensors);
        let put = ContractChange::parse(contracts).unwrap();
        let name = account.name.clone();
        let edited = store.edit(move |edit| edit.change_contracts(&name, put));
        edited.unwrap();
        let flows = |quarter: &Quarter| {
            let [solar, charged, given, a, b, c, _] = *quarter;
            let [imported, exported] = at_grid(*quarter);
            [imported, exported, solar, charged, given, a, b, c]
        };
        for (nth, (name, ..)) in sensors.iter().enumerate() {
            // No whole hundreds, which would look like steps of a coarse register.
            let mut shown = 7.5;
            let mut registers = vec![(quarter(0), shown)];
            for (end, of) in (1..).zip(quarters) {
                shown += f64::from(flows(of)[nth]);
                registers.push((quarter(end), shown));
            }
            import(&store, name, &registers);
        }
        (Arc::new(store), account)
    }

    /// The sources of the devices in a range of quarters, by id.
    fn sources(
        store: &Store,
        account: &Account,
        [from, to]: [usize; 2],
    ) -> Vec<(String, UsedSources)> {
        let now = quarter(1_000);
        let house = HouseSensors::of(store, &account.name, now).unwrap();
        let range = quarter(from)..quarter(to);
        let found = SourceWalk::new(store, account, (&house, &|_| true), range).all(store);
        let devices = house.sensors.iter().filter(|it| is_device(it));
        let ids = devices.map(|it| it.sensor.id.to_string());
        ids.zip(found.unwrap()).collect()
    }

    fn of(all: &[(String, UsedSources)], name: &str) -> UsedSources {
        all.iter().find(|(id, _)| id == name).unwrap().1
    }

    /// The rules of docs/DECIDE.md in plain numbers: for each device its solar, battery, stored and
    /// grid energy, and the real cost.
    fn model(quarters: &[Quarter]) -> [[f64; 5]; 3] {
        let mut found = [[0.0; 5]; 3];
        // Energy and worth of own energy, and of that from the grid.
        let mut stock = [[0.0_f64; 2]; 2];
        for (nth, of) in quarters.iter().enumerate() {
            let [imported, exported] = at_grid(*of).map(f64::from);
            let [solar, charged, given, a, b, c, rest] = of.map(f64::from);
            // From 18:00 to 21:00 UTC it is day in Berlin, and from 5:00 UTC on.
            let is_day = !(12..44).contains(&nth);
            let price = if is_day { 0.3 } else { 0.2 } / 1_000.0;
            let credit = 0.08 / 1_000.0;
            let by_sun = charged.min((solar - exported).max(0.0));
            let by_grid = charged - by_sun;
            for (part, energy, price) in [(0, by_sun, credit), (1, by_grid, price)] {
                stock[part][0] += energy;
                stock[part][1] += energy * price;
            }
            let all = stock[0][0] + stock[1][0];
            let taken = given.min(all);
            let mut out = stock.map(|part| {
                let share = if all > 0.0 { taken / all } else { 0.0 };
                part.map(|sum| sum * share)
            });
            for (part, out) in stock.iter_mut().zip(out) {
                *part = [part[0] - out[0], part[1] - out[1]];
            }
            out[0][0] += given - taken;
            out[0][1] += (given - taken) * credit;
            let fed = (exported - solar).max(0.0);
            let used = a + b + c + rest;
            let grid = imported - by_grid;
            let at_once = used - (given - fed) - grid;
            let inside = if given > 0.0 {
                (given - fed) / given
            } else {
                0.0
            };
            let parts = [
                (at_once, at_once * credit),
                (out[0][0] * inside, out[0][1] * inside),
                (out[1][0] * inside, out[1][1] * inside),
                (grid, grid * price),
            ];
            for (device, energy) in found.iter_mut().zip([a, b, c]) {
                let share = if used > 0.0 { energy / used } else { 0.0 };
                for (sum, (energy, worth)) in (0..).zip(parts) {
                    device[sum] += energy * share;
                    device[4] += worth * share;
                }
            }
        }
        found
    }

    fn plain(used: &UsedSources) -> [f64; 5] {
        let parts = [used.solar, used.battery, used.stored, used.grid];
        let [solar, battery, stored, grid] = parts.map(|part| part.energy.watthours());
        let cost = used.known().value.rounded().to_f64();
        [solar, battery, stored, grid, cost]
    }

    fn quarters() -> impl Strategy<Value = Vec<Quarter>> {
        let flow = || prop_oneof![Just(0_u32), 0..700_u32];
        let quarter = (
            0..900_u32,
            flow(),
            flow(),
            flow(),
            flow(),
            flow(),
            0..200_u32,
        );
        let quarter = quarter.prop_map(|(solar, charged, given, a, b, c, rest)| {
            let solar = if solar < 300 { 0 } else { solar };
            // No battery charges another one.
            let charged = if given > 0 { 0 } else { charged };
            [solar, charged, given, a, b, c, rest]
        });
        proptest::collection::vec(quarter, 1..60)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn devices_have_the_sources_of_a_plain_model(
            quarters in quarters(), cut in 0..60_usize, has_own: bool,
        ) {
            let mut quarters = quarters;
            if !has_own {
                for quarter in &mut quarters {
                    quarter[..3].fill(0);
                }
            }
            let (dir, turned) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let (store, account) = house(dir.path(), &quarters, ["a", "b", "c"], DAY_AND_NIGHT);
            let length = quarters.len();
            let found = sources(&store, &account, [0, length]);
            let models = model(&quarters);
            let mut of_grid = 0;
            for (nth, name) in ["a", "b", "c"].into_iter().enumerate() {
                let used = of(&found, name);
                // To the millionth.
                let all: u32 = quarters.iter().map(|quarter| quarter[3 + nth]).sum();
                let sum = used.known().energy + used.unknown;
                prop_assert_eq!(sum, MicroWh::from_watthours(f64::from(all)));
                prop_assert_eq!(used.unknown, MicroWh::ZERO);
                for (found, expected) in plain(&used).into_iter().zip(models[nth]) {
                    prop_assert!((found - expected).abs() < 1e-3, "{} {:?} {:?}", name, used, models[nth]);
                }
                if !has_own {
                    prop_assert_eq!(used.own(), MicroWh::ZERO);
                }
                of_grid += used.grid_energy().millionths();
            }
            let imported: u32 = quarters.iter().map(|quarter| at_grid(*quarter)[0]).sum();
            prop_assert!(of_grid <= MicroWh::from_watthours(f64::from(imported)).millionths());
            // Parts of a range add up.
            let cut = cut.min(length);
            let parts = [[0, cut], [cut, length]].map(|range| sources(&store, &account, range));
            for name in ["a", "b", "c"] {
                let [first, second] = parts.each_ref().map(|part| of(part, name));
                prop_assert_eq!(first + second, of(&found, name));
            }
            // The order of sensors does not matter.
            let (store, account) = house(turned.path(), &quarters, ["z", "b", "a"], DAY_AND_NIGHT);
            let other = sources(&store, &account, [0, length]);
            for (name, other_name) in [("a", "z"), ("b", "b"), ("c", "a")] {
                prop_assert_eq!(of(&other, other_name), of(&found, name));
            }
        }
    }

    /// The rows of the API, with sources.
    fn rows(
        store: &Arc<Store>,
        account: &Account,
        of: Option<&str>,
        (range, interval): (Range<Timestamp>, Option<Interval>),
    ) -> Vec<EnergyRow> {
        let question = EnergyQuestion {
            of: of.map(id),
            range,
            interval,
            zone: account.zone.clone(),
            with_sources: true,
        };
        question
            .check_sources(&store.registry(), &account.name)
            .unwrap();
        let report = EnergyReport::open(store, account, question, quarter(1_000)).unwrap();
        let (mut report, mut rows) = (report.unwrap(), Vec::new());
        while report.next_run(&mut rows).unwrap() {}
        rows
    }

    /// Two days: sun from the 32nd quarter to the 64th of each, a battery, and devices.
    fn two_days() -> Vec<Quarter> {
        let quarter = |nth: u32| match nth % 96 {
            20..24 => [0, 400, 0, 0, 100, 0, 50],
            32..64 => [800, 300, 0, 200, 0, 30, 50],
            64..90 => [0, 0, 250, 50, 300, 0, 60],
            _ => [0, 0, 0, 0, 100, 0, 40],
        };
        (0..192).map(quarter).collect()
    }

    #[test]
    fn hours_add_up_to_their_days() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = house(dir.path(), &two_days(), ["a", "b", "c"], DAY_AND_NIGHT);
        // Longer than there are readings.
        let range = || quarter(0).saturating_add_millis(-MS_PER_DAY)..quarter(400);
        let whole = rows(&store, &account, None, (range(), None)).remove(0);
        let value = |row: &EnergyRow, name: &str, column| {
            let (_, values) = row.parts.iter().find(|(part, _)| part.as_str() == name)?;
            let found = values.iter().find(|(of, _)| *of == column);
            found.map(|(_, value)| *value)
        };
        for name in ["a", "b", "c"] {
            let alone = rows(&store, &account, Some(name), (range(), None)).remove(0);
            for column in [
                EnergyColumn::FromSolar,
                EnergyColumn::FromBattery,
                EnergyColumn::FromGrid,
                EnergyColumn::RealCost,
            ] {
                let sum = value(&whole, name, column).unwrap();
                assert_eq!(alone.value(column), Some(sum), "{name} {column:?}");
                for by in [Interval::QuarterHour, Interval::Hour, Interval::Day] {
                    let parts = rows(&store, &account, None, (range(), Some(by)));
                    let parts = parts.iter().filter_map(|row| value(row, name, column));
                    let parts: f64 = parts.sum();
                    assert!(
                        (parts - sum).abs() < 2e-4,
                        "{name} {column:?} {by:?}: {parts} {sum}"
                    );
                }
            }
            assert!(value(&whole, name, EnergyColumn::OwnShare).unwrap() > 0.0);
            assert_eq!(value(&whole, name, EnergyColumn::FromUnknown), None);
        }
    }

    #[test]
    fn sources_are_unknown_while_a_meter_of_the_house_is_silent() {
        let dir = tempfile::tempdir().unwrap();
        let quarters = [[400, 0, 0, 200, 0, 0, 100]; 24];
        let (store, account) = house(dir.path(), &quarters, ["a", "b", "c"], DAY_AND_NIGHT);
        // The panels' meter began later: until then the house feeds in energy of nowhere.
        store
            .delete_durably(&id("roof"), TimeRange::new(quarter(0), quarter(7)).unwrap())
            .unwrap();
        let a = of(&sources(&store, &account, [0, 24]), "a");
        assert_eq!(a.unknown, MicroWh::from_watthours(1_600.0));
        assert_eq!(a.known().energy, MicroWh::from_watthours(3_200.0));
        let late = of(&sources(&store, &account, [8, 24]), "a");
        assert_eq!(late.solar.energy, MicroWh::from_watthours(3_200.0));
        // It is silent from the last reading on, long before now.
        store
            .delete_durably(
                &id("roof"),
                TimeRange::new(quarter(20), quarter(24)).unwrap(),
            )
            .unwrap();
        let late = of(&sources(&store, &account, [8, 24]), "a");
        assert_eq!(late.unknown, MicroWh::from_watthours(1_000.0));
        assert_eq!(late.solar.energy, MicroWh::from_watthours(2_200.0));
        let known = late.known();
        assert_eq!(
            (known.unpriced, late.left_out()),
            (MicroWh::ZERO, late.unknown)
        );
    }

    #[test]
    fn a_sensor_with_a_price_of_its_own_pays_for_all_it_draws() {
        let dir = tempfile::tempdir().unwrap();
        // 600 Wh of the sun, and 400 of the grid: 300 for b, which the contract names.
        let quarters = [[600, 0, 0, 700, 300, 0, 0]; 4];
        let contracts = r#"[{"from":"2025-01-01","name":"Two","currency":"€","components":[
            {"energy":{"price":0.4}},{"energy":{"name":"heat","price":0.25,"of":["b"]}}]}]"#;
        let (store, account) = house(dir.path(), &quarters, ["a", "b", "c"], contracts);
        let found = sources(&store, &account, [0, 4]);
        let (a, b) = (of(&found, "a"), of(&found, "b"));
        assert_eq!(plain(&b), [0.0, 0.0, 0.0, 1_200.0, 0.3]);
        // Of 700 used by others, 600 are of the sun, which would have earned nothing.
        assert_eq!(plain(&a), [2_400.0, 0.0, 0.0, 400.0, 0.16]);
    }
}
