//! Whether zones leave no hole, and whether each of them can win.

use super::Label;
use super::conditions::Conditions;
use super::day::{DayKind, day_parts};
use super::holidays::Holidays;
use super::sets::{MONTHS, clock, weekday_word};

/// The name and the conditions of a zone.
pub(super) struct NamedConditions<'a> {
    pub(super) name: &'a Label,
    pub(super) when: &'a Conditions,
}

/// Checks every kind of day that can come. A fault names one zone by its index, or all zones.
///
/// Zones on another clock and zones of announced days are left out, because the times that match
/// them are not known here. With announced days, a time may lack a zone: it is unpriced until its
/// day is in the list.
pub(super) fn check(
    zones: &[NamedConditions<'_>],
    holidays: &Holidays,
) -> Result<(), (Option<usize>, String)> {
    let local = || {
        let zones = zones.iter().enumerate();
        zones.filter(|(_, zone)| zone.when.is_local())
    };
    let may_have_holes = zones.iter().any(|zone| zone.when.days.is_some());
    let by_date = zones.iter().any(|zone| !zone.when.dates.is_empty());
    let by_season = zones.iter().any(|zone| zone.when.summer_time.is_some());
    let hours = || local().flat_map(|(_, zone)| zone.when.hours.iter().flat_map(|it| it.ends()));
    let mut winners = vec![false; zones.len()];
    // For each zone, the zones that hide it.
    let mut hidden_by = vec![vec![false; zones.len()]; zones.len()];
    for kind in DayKind::all(holidays, by_date, by_season) {
        let today: Vec<(usize, &NamedConditions<'_>)> = local()
            .filter(|(_, zone)| zone.when.has_day(kind))
            .collect();
        let mut from = 0;
        let matching = |minute: u16| {
            let zones = today.iter();
            zones.filter(move |(_, zone)| zone.when.has_minute(minute))
        };
        for part in day_parts(hours(), |minute| {
            matching(minute).map(|(it, _)| *it).next_back()
        }) {
            let Some(winner) = part.winner else {
                if may_have_holes {
                    from = part.until;
                    continue;
                }
                let problem = format!(
                    "no zone matches {} at {}; expected a price at all times, such as by a first zone without conditions",
                    told(kind, by_season),
                    clock(from)
                );
                return Err((None, problem));
            };
            if let Some(wins) = winners.get_mut(winner) {
                *wins = true;
            }
            from = part.until;
        }
        for minute in hours().chain([0]) {
            let all: Vec<usize> = matching(minute).map(|(it, _)| *it).collect();
            let Some((winner, hidden)) = all.split_last() else {
                continue;
            };
            for one in hidden {
                if let Some(by) = hidden_by.get_mut(*one).and_then(|it| it.get_mut(*winner)) {
                    *by = true;
                }
            }
        }
    }
    let Some((hidden, _)) = local().find(|(zone, _)| winners.get(*zone) == Some(&false)) else {
        return Ok(());
    };
    let by = hidden_by.get(hidden).into_iter().flatten().enumerate();
    let by: Vec<&str> = by
        .filter(|(_, is_by)| **is_by)
        .filter_map(|(zone, _)| zones.get(zone).map(|zone| zone.name.as_str()))
        .collect();
    Err((Some(hidden), never_wins(&by)))
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
