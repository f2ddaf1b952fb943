//! Unusual energy use of a house: of the day before today, and the base load of the nights.

use std::collections::BTreeMap;
use std::iter::successors;
use std::ops::Range;

use super::changes::KeptNotices;
use crate::domain::{Account, Interval, MicroWh, Role, SensorId, Timestamp};
use crate::house::{AccountDays, HouseSensors};
use crate::ledger::notice::{
    Notice, NoticeKind, NoticeSubject, UsedDay, base_load, base_load_rose, unusual_day,
    usual_base_load,
};
use crate::store::{Store, StoreError};

/// The number of weeks whose same weekdays are compared.
const WEEKS: i32 = 8;
const NIGHTS: i32 = 35;
/// The number of newest nights that are compared with the others.
const NEW_NIGHTS: usize = 7;
const HOUR_MS: i64 = 3_600_000;

/// Unusual energy use of an account's house.
pub(super) struct UsageFound {
    pub(super) notices: Vec<Notice>,
    /// Whether the day before today is known completely, so that notices about earlier days end.
    pub(super) is_day_judged: bool,
}

/// Unusual energy use at `now`. May block on disk reads.
pub(super) fn unusual_usage(
    store: &Store,
    account: &Account,
    whole: &HouseSensors,
    kept: &KeptNotices<'_>,
    now: Timestamp,
) -> Result<UsageFound, StoreError> {
    // The use of the house follows from the other sensors alone.
    let house = HouseSensors {
        // It changes nothing in the use.
        nets_phases: false,
        ..whole.only(|it| it.sensor.role != Role::SubMeter)
    };
    let days = AccountDays::new(account.zone.clone(), now);
    let used = |range, interval| used_by(store, account, &house, (range, interval));
    let mut found = UsageFound {
        notices: Vec::new(),
        is_day_judged: false,
    };
    if let Some((from, to)) = days.start(7 * WEEKS + 1).zip(days.start(0)) {
        let used = used(from..to, Interval::Day)?;
        let used_on = |days_ago| used.get(&days.start(days_ago)?).copied();
        if let (Some(start), Some(yesterday)) = (days.start(1), used_on(1)) {
            let before = (1..=WEEKS).filter_map(|weeks| used_on(7 * weeks + 1));
            let before: Vec<MicroWh> = before.collect();
            let used = yesterday;
            found.is_day_judged = true;
            found
                .notices
                .extend(unusual_day(UsedDay { start, used }, &before));
        }
    }
    let is_over = |night: &Range<Timestamp>| night.end <= now;
    let newest = i32::from(!days.night(0).as_ref().is_some_and(is_over));
    let nights = newest..newest.saturating_add(NIGHTS);
    let nights: Option<Vec<_>> = nights.map(|days_ago| days.night(days_ago)).collect();
    if let Some(nights) = nights
        && let (Some(last), Some(first), Some(week)) =
            (nights.first(), nights.last(), nights.get(6))
    {
        let used = used(first.start..last.end, Interval::Hour)?;
        let loads: Vec<Option<MicroWh>> = nights
            .iter()
            .map(|night| base_load(&hours_of(night, &used)))
            .collect();
        let open = kept.open_since(NoticeKind::BaseLoadRose, &NoticeSubject::House);
        if let Some(rose) = base_load_rose(&loads, week.start, open) {
            // The sentence does not change while it is open.
            let most = match open {
                None => most_of(store, whole, &nights, &loads)?,
                Some(_) => None,
            };
            let named = most.map(|sensor| rose.clone().most_of_it(&sensor));
            found.notices.push(named.unwrap_or(rose));
        }
    }
    Ok(found)
}

/// The sub-meter whose base load rose by more than half of the house's rise; of nested ones, the
/// innermost. Both are ordered with the newest night first.
fn most_of(
    store: &Store,
    whole: &HouseSensors,
    nights: &[Range<Timestamp>],
    loads: &[Option<MicroWh>],
) -> Result<Option<SensorId>, StoreError> {
    let (Some((new, old)), Some((new_loads, old_loads))) = (
        nights.split_at_checked(NEW_NIGHTS),
        loads.split_at_checked(NEW_NIGHTS),
    ) else {
        return Ok(None);
    };
    let watts = |loads| usual_base_load(loads).map_or(0.0, MicroWh::watthours);
    let half = (watts(new_loads) - watts(old_loads)) / 2.0;
    let ascending = |nights: &[Range<Timestamp>]| nights.iter().rev().cloned().collect::<Vec<_>>();
    let mut least: Option<(f64, SensorId)> = None;
    for it in &whole.sensors {
        if it.sensor.role != Role::SubMeter || !it.sensor.authorized {
            continue;
        }
        let [new, old] = [new, old].map(|nights| it.always_on(store, &ascending(nights)));
        let Some((new, old)) = new?.zip(old?) else {
            continue;
        };
        let is_inner = least.as_ref().is_none_or(|(least, _)| new - old < *least);
        if new - old > half && is_inner {
            least = Some((new - old, it.sensor.id.clone()));
        }
    }
    Ok(least.map(|(_, sensor)| sensor))
}

/// The hours of a night, each with its energy use.
fn hours_of(night: &Range<Timestamp>, used: &BTreeMap<Timestamp, MicroWh>) -> Vec<Option<MicroWh>> {
    let next = |hour: &Timestamp| Some(hour.saturating_add_millis(HOUR_MS));
    let hours = successors(Some(night.start), next).take_while(|hour| *hour < night.end);
    hours.map(|start| used.get(&start).copied()).collect()
}

/// The use of the house in each completely known day or hour: all of an hour is measured, and at
/// least half of a day, whose rest may be spread over a gap.
fn used_by(
    store: &Store,
    account: &Account,
    house: &HouseSensors,
    (range, interval): (Range<Timestamp>, Interval),
) -> Result<BTreeMap<Timestamp, MicroWh>, StoreError> {
    let by = (&account.zone, interval);
    let mut flows = house.by_interval(store, range, by)?;
    let (mut used, mut slots) = (BTreeMap::new(), Vec::new());
    loop {
        let is_more = flows.next_run(&mut slots, |_| {})?;
        for slot in slots.drain(..) {
            let sum = house.sums(&slot).used;
            let most_ms = if interval == Interval::Hour {
                0
            } else {
                slot.length_ms() / 2
            };
            let is_known = sum.missing_ms == 0 && sum.estimated_ms <= most_ms;
            let energy = sum.energy().filter(|_| is_known);
            used.extend(energy.map(|energy| (slot.start, energy)));
        }
        if !is_more {
            return Ok(used);
        }
    }
}
