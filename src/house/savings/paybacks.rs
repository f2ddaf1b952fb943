//! The paybacks of all purchases of an account: one walk prices all the time that they ask for.

use std::ops::Range;

use super::amounts::{negative, times};
use super::payback::Payback;
use super::purchase_group::{KnownSavings, PurchaseGroup};
use super::{MOST_SLOTS, SavingsError, asked_sides};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Currency, Decimal, LocalDate, Timestamp, YearStep, Zone};
use crate::house::comparison::in_force;
use crate::house::known_year::{PaybackReason, UnknownPart, check_year};
use crate::house::priced_part::PricedPart;
use crate::house::prices::HousePrices;
use crate::house::scenario::HouseWithout;
use crate::house::sensors::HouseSensors;
use crate::house::side_by_side::{SideBySide, WalkedSide};
use crate::ledger::Purchase;
use crate::ledger::contract::Contract;
use crate::store::Store;

/// How far the purchases of an account have paid for themselves at `now`: its panels, its battery,
/// and all purchases together if that is something else. Also the currency. Blocks on the disk.
///
/// # Errors
/// [`SavingsError`].
pub fn paybacks(
    store: &Store,
    account: &Account,
    now: Timestamp,
) -> Result<(Currency, Vec<Payback>), SavingsError> {
    let until_now = Timestamp::MIN..now;
    let (contracts, currency) =
        in_force(store, account, &until_now).map_err(SavingsError::NoContract)?;
    let registry = store.registry();
    let purchases: Vec<&Purchase> = registry.purchases(&account.name).collect();
    let groups = PurchaseGroup::of(&purchases);
    let house = HouseSensors::of(store, &account.name, now)?;
    let first = contracts.all().first().map(Contract::from);
    let priced_from = first.map_or(now, |first| first.start(&account.zone));
    let oldest = now.saturating_add_millis(-HousePrices::MOST_DAYS * MS_PER_DAY);
    let priced_from = priced_from.max(oldest);
    let known = groups.iter().map(|group| group.known(&house, priced_from));
    let known: Vec<Option<KnownSavings>> = known.collect();
    let today = LocalDate::at(now, &account.zone);
    let begin = today.start(&account.zone);
    let mut asked = AskedPaybacks {
        year: YearStep::Date.back(begin, &account.zone)..begin,
        zone: &account.zone,
        today,
        from: now,
        ends: Vec::new(),
        sides: Vec::new(),
    };
    asked.price(store, account, (&house, &groups, &known), now)?;
    let found = groups.iter().zip(known);
    let found = found.map(|(group, known)| asked.payback(group, known));
    Ok((currency, found.collect()))
}

/// The savings of a house over all the time that its purchases ask for.
struct AskedPaybacks<'a> {
    /// The last twelve months, until today.
    year: Range<Timestamp>,
    zone: &'a Zone,
    today: LocalDate,
    from: Timestamp,
    /// The ends of the parts since then.
    ends: Vec<Timestamp>,
    /// The house as it was, and behind it without some part.
    sides: Vec<(Option<HouseWithout>, WalkedSide)>,
}

impl AskedPaybacks<'_> {
    /// Prices all of it in one walk: from the purchases on, and the last twelve months.
    fn price(
        &mut self,
        store: &Store,
        account: &Account,
        (house, groups, known): (&HouseSensors, &[PurchaseGroup<'_>], &[Option<KnownSavings>]),
        now: Timestamp,
    ) -> Result<(), SavingsError> {
        let begins = groups.iter().zip(known).filter_map(|(group, known)| {
            let (since, known) = (self.since(group), (*known)?.from);
            Some([since, since.min(self.year.start)].map(|begin| begin.max(known)))
        });
        let mut ends: Vec<Timestamp> = begins.flatten().collect();
        let Some(first) = ends.iter().min().copied().filter(|first| *first < now) else {
            return Ok(());
        };
        self.from = first;
        ends.extend([self.year.start, self.year.end, now]);
        ends.retain(|end| first < *end && *end <= now);
        ends.sort_unstable();
        ends.dedup();
        self.ends.clone_from(&ends);
        let parts = HouseWithout::of(house).into_iter().map(Some);
        let without: Vec<Option<HouseWithout>> = [None].into_iter().chain(parts).collect();
        let prices = HousePrices::of(store, account, first..now);
        let asked = asked_sides(&prices, &without);
        let walk = SideBySide::new(house, first..now, ends, asked);
        let sides = walk.all(store, MOST_SLOTS)?.ok_or(SavingsError::TooMany)?;
        self.sides = without.into_iter().zip(sides).collect();
        Ok(())
    }

    /// When the first purchase was made.
    fn since(&self, group: &PurchaseGroup<'_>) -> Timestamp {
        let since = group.since().unwrap_or(self.today);
        since.start(self.zone)
    }

    fn payback(&self, group: &PurchaseGroup<'_>, known: Option<KnownSavings>) -> Payback {
        let since = self.since(group);
        let names = group.purchases.iter();
        let mut found = Payback {
            by: group.by,
            purchases: names.map(|one| one.terms().name.to_string()).collect(),
            price: group.sum(Purchase::price),
            since: group.since().unwrap_or(self.today),
            known_from: known.map(|known| known.from.max(since)),
            saved: None,
            assumed: None,
            costs: group.costs_until(self.today),
            per_year: None,
            expected: None,
            reason: None,
        };
        let Some(known) = known else {
            found.reason = Some(PaybackReason::NoSensor);
            return found;
        };
        let known_from = known.from.max(since);
        found.saved = Some(self.saved(group.by, |part| known_from <= part.start));
        let of_year = self.of_year(group.by, known);
        if let Ok(of_year) = of_year {
            let before = known_from.millis() - since.millis();
            let year = self.year.end.millis() - self.year.start.millis();
            found.assumed = Some(times(of_year, (before, year)));
            let costs = group.sum(|one| one.terms().costs_per_year);
            found.per_year = Some(of_year.saturating_add(negative(costs)));
        }
        found.find_day(of_year.err(), self.today);
        found
    }

    /// The savings of the last twelve months.
    fn of_year(&self, by: HouseWithout, known: KnownSavings) -> Result<Decimal, PaybackReason> {
        let is_within =
            |part: &Range<Timestamp>| self.year.start <= part.start && part.end <= self.year.end;
        let parts = self.parts(by, is_within).map(|(part, _)| part);
        check_year(&self.year, known.whole_from, UnknownPart::of(parts))?;
        Ok(self.saved(by, is_within))
    }

    /// The savings in some parts of the time. Time without readings or prices saved nothing.
    fn saved(&self, by: HouseWithout, is_it: impl Fn(&Range<Timestamp>) -> bool) -> Decimal {
        let parts = self.parts(by, is_it);
        let saved = parts.filter_map(|(part, was)| part.more_than(was));
        saved.fold(Decimal::ZERO, Decimal::saturating_add)
    }

    /// The parts of the time of a house without something, each with the same of the house as it
    /// was.
    fn parts(
        &self,
        by: HouseWithout,
        is_it: impl Fn(&Range<Timestamp>) -> bool,
    ) -> impl Iterator<Item = (&PricedPart, &PricedPart)> {
        let side = |without: Option<HouseWithout>| {
            let mut sides = self.sides.iter();
            let found = sides.find(|(of, _)| *of == without);
            found.map_or(&[][..], |(_, side)| side.parts.as_slice())
        };
        // Of a house with one of both, this one is all that it has.
        let mut changed = side(Some(by));
        if by == HouseWithout::Both && changed.is_empty() {
            let others = [HouseWithout::Panels, HouseWithout::Battery];
            let mut others = others.into_iter().map(|it| side(Some(it)));
            changed = others.find(|parts| !parts.is_empty()).unwrap_or_default();
        }
        let starts = [self.from].into_iter().chain(self.ends.iter().copied());
        let times = starts.zip(&self.ends).map(|(start, end)| start..*end);
        let parts = changed.iter().zip(side(None));
        let parts = times.zip(parts);
        parts.filter_map(move |(times, part)| is_it(&times).then_some(part))
    }
}
