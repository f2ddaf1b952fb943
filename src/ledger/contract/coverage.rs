//! Whether zones leave no hole, and whether each of them can win.

use std::collections::BTreeSet;

use super::Label;
use super::conditions::Conditions;
use super::day::DayKind;
use super::holidays::Holidays;
use super::sets::{MINUTES_OF_DAY, MONTHS, clock, weekday_word};

/// A zone's name and conditions.
pub(super) type NamedConditions<'a> = (&'a Label, &'a Conditions);

/// Some of the zones of a component, by index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ZoneSet(u32);

/// The most zones of a component: as many as a set holds.
pub(super) const MOST_ZONES: usize = 32;

/// Checks every kind of day that can come. A fault names one zone by its index, or all zones.
///
/// Zones on another clock and zones of announced days are left out, because the times that match
/// them are not known here. With announced days, a time may lack a zone: it is unpriced until its
/// day is in the list.
///
/// Days with the same zones are judged once: there are thousands of kinds of days, and each of 32
/// zones may have twelve ranges of hours.
pub(super) fn check(
    zones: &[NamedConditions<'_>],
    holidays: &Holidays,
) -> Result<(), (Option<usize>, String)> {
    let may_have_holes = zones.iter().any(|(_, when)| when.days.is_some());
    let by_date = zones.iter().any(|(_, when)| !when.dates.is_empty());
    let by_season = zones.iter().any(|(_, when)| when.summer_time.is_some());
    let local = ZoneSet::of(zones, Conditions::is_local);
    let minutes = minutes(zones, local);
    let mut days = BTreeSet::new();
    let mut winners = ZoneSet(0);
    for kind in DayKind::all(holidays, by_date, by_season) {
        let today = ZoneSet::of(zones, |when| when.has_day(kind)).and(local);
        if !days.insert(today) {
            continue;
        }
        for (minute, matching) in &minutes {
            let winner = today.and(*matching).last();
            winners = winners.or(winner);
            if winner.is_empty() && !may_have_holes {
                let problem = format!(
                    "no zone matches {} at {}; expected a price at all times, such as by a first zone without conditions",
                    told(kind, by_season),
                    clock(*minute)
                );
                return Err((None, problem));
            }
        }
    }
    let hidden = (0..zones.len()).find(|zone| local.has(*zone) && !winners.has(*zone));
    let Some(hidden) = hidden else {
        return Ok(());
    };
    let times = days.iter().flat_map(|today| {
        let minutes = minutes.iter();
        minutes.map(|(_, matching)| today.and(*matching))
    });
    let by = times
        .filter(|matching| matching.has(hidden))
        .fold(ZoneSet(0), |by, matching| by.or(matching.last()));
    let by = zones.iter().enumerate().filter(|(zone, _)| by.has(*zone));
    let by: Vec<&str> = by.map(|(_, (name, _))| name.as_str()).collect();
    Err((Some(hidden), never_wins(&by)))
}

/// The minutes after midnight where an hour of a zone begins or ends. Beside each are the zones with
/// hours that contain it.
fn minutes(zones: &[NamedConditions<'_>], local: ZoneSet) -> Vec<(u16, ZoneSet)> {
    let local = zones.iter().enumerate().filter(|(it, _)| local.has(*it));
    let hours = local.flat_map(|(_, (_, when))| &when.hours);
    let ends = hours.flat_map(|hours| hours.ends());
    let starts: BTreeSet<u16> = ends
        .filter(|end| *end < MINUTES_OF_DAY)
        .chain([0])
        .collect();
    let mut seen = BTreeSet::new();
    let minutes = starts.into_iter().map(|minute| {
        let matching = ZoneSet::of(zones, |when| when.has_minute(minute));
        (minute, matching)
    });
    minutes
        .filter(|(_, matching)| seen.insert(*matching))
        .collect()
}

impl ZoneSet {
    fn of(zones: &[NamedConditions<'_>], has: impl Fn(&Conditions) -> bool) -> Self {
        let zones = zones.iter().enumerate();
        Self(zones.fold(0, |set, (it, (_, when))| set | u32::from(has(when)) << it))
    }

    const fn has(self, zone: usize) -> bool {
        self.0 >> zone & 1 == 1
    }

    const fn is_empty(self) -> bool {
        self.0 == 0
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The last one alone, which wins; none if there is none.
    const fn last(self) -> Self {
        match self.0.checked_ilog2() {
            Some(last) => Self(1 << last),
            None => self,
        }
    }
}

/// The reason why a zone never wins, with the zones that hide it.
fn never_wins(by: &[&str]) -> String {
    if by.is_empty() {
        "this zone never matches, as no holiday of the contract comes then; expected \"holidays\" in the contract, such as [\"12-25\"]".to_owned()
    } else {
        format!(
            "this zone never wins, as later ones match whenever it does: {}; expected it behind them, as the last one that matches wins",
            by.join(", ")
        )
    }
}

fn told(kind: DayKind, by_season: bool) -> String {
    let holiday = if kind.is_holiday {
        " that is a holiday"
    } else {
        ""
    };
    let season = match (by_season, kind.is_summer) {
        (false, _) => "",
        (true, true) => " in summer time",
        (true, false) => " in standard time",
    };
    let month = MONTHS
        .get(usize::from(kind.month))
        .copied()
        .unwrap_or_default();
    format!(
        "a {} in {month}{holiday}{season}",
        weekday_word(kind.weekday)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::sets::{ClockHours, DateRange, MonthSet, WeekdaySet};
    use super::super::wall::ClockKind;
    use super::*;

    fn conditions() -> impl Strategy<Value = Conditions> {
        let hours = prop_oneof![
            Just(""),
            Just("06:00-22:00"),
            Just("22:00-06:00"),
            Just("00:00-00:01,23:59-24:00")
        ];
        let dates = prop_oneof![
            4 => Just(""),
            1 => Just("03-01..10-31"),
            1 => Just("11-01..02-29,05-01")
        ];
        let (months, days) = (1..4096_u16, 1..128_u16);
        let flags = any::<(Option<bool>, Option<bool>, bool, bool)>();
        (months, days, hours, dates, flags).prop_map(
            |(months, weekdays, hours, dates, (holidays, summer_time, is_utc, all_days))| {
                let set = |bits: u16| move |index: u8| bits >> index & 1 == 1;
                Conditions {
                    months: MonthSet::of(set(months | if all_days { 4095 } else { 0 })),
                    weekdays: WeekdaySet::of(set(weekdays | if all_days { 127 } else { 0 })),
                    hours: ClockHours::parse_list(hours).unwrap_or_default(),
                    dates: DateRange::parse_list(dates).unwrap_or_default(),
                    holidays: holidays.filter(|_| !all_days),
                    summer_time: summer_time.filter(|_| !all_days),
                    clock: [ClockKind::Local, ClockKind::Utc][usize::from(is_utc && !all_days)],
                    ..Conditions::ALWAYS
                }
            },
        )
    }

    /// The first time without a zone, or else the first zone that never wins, minute by minute.
    fn model(zones: &[Conditions], holidays: &Holidays) -> Result<(), Option<usize>> {
        let by_date = zones.iter().any(|zone| !zone.dates.is_empty());
        let by_season = zones.iter().any(|zone| zone.summer_time.is_some());
        let mut wins = vec![false; zones.len()];
        for kind in DayKind::all(holidays, by_date, by_season) {
            for minute in [0, 1, 359, 360, 1_319, 1_320, 1_438, 1_439] {
                let matches = |zone: &Conditions| {
                    zone.is_local() && zone.has_day(kind) && zone.has_minute(minute)
                };
                match zones.iter().rposition(matches) {
                    Some(winner) => wins[winner] = true,
                    None => return Err(None),
                }
            }
        }
        let hidden = zones
            .iter()
            .zip(wins)
            .position(|(it, wins)| it.is_local() && !wins);
        hidden.map_or(Ok(()), |zone| Err(Some(zone)))
    }

    proptest! {
        #[test]
        fn sets_of_zones_tell_what_each_minute_does(
            first in prop::bool::weighted(0.8),
            zones in prop::collection::vec(conditions(), 1..6),
        ) {
            let zones: Vec<Conditions> =
                first.then_some(Conditions::ALWAYS).into_iter().chain(zones).collect();
            let holidays = Holidays::default();
            let name = Label::new("zone").unwrap();
            let named: Vec<NamedConditions<'_>> = zones.iter().map(|it| (&name, it)).collect();
            let found = check(&named, &holidays).map_err(|(zone, _)| zone);
            prop_assert_eq!(found, model(&zones, &holidays));
        }
    }
}
