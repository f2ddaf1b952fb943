//! The properties of a day that zones depend on.

use super::holidays::Holidays;
use super::sets::MINUTES_OF_DAY;
use crate::domain::LocalDate;

/// The properties of a day that zones depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayKind {
    /// From 0.
    pub(super) month: u8,
    /// From 1.
    pub(super) day: u8,
    /// From 0, which is Monday.
    pub(super) weekday: u8,
    pub(super) is_holiday: bool,
    /// Whether the clocks show summer time.
    pub(super) is_summer: bool,
}

/// Minutes of a day with the same winner. The first part begins at midnight, each later one at the
/// end of the previous one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayPart {
    /// Its end, in minutes after midnight.
    pub(super) until: u16,
    /// The index of the winning zone, if one matches.
    pub(super) winner: Option<usize>,
}

/// Splits a day at these minutes. `winner` returns the winning zone at a minute.
pub(super) fn day_parts(
    ends: impl Iterator<Item = u16>,
    winner: impl Fn(u16) -> Option<usize>,
) -> Vec<DayPart> {
    let mut ends: Vec<u16> = ends.collect();
    ends.push(MINUTES_OF_DAY);
    ends.retain(|end| *end > 0);
    ends.sort_unstable();
    ends.dedup();
    let mut parts: Vec<DayPart> = Vec::new();
    let mut from = 0;
    for until in ends {
        let winner = winner(std::mem::replace(&mut from, until));
        match parts.last_mut().filter(|last| last.winner == winner) {
            Some(last) => last.until = until,
            None => parts.push(DayPart { until, winner }),
        }
    }
    parts
}

impl DayKind {
    pub(super) fn of(date: LocalDate, holidays: &Holidays, is_summer: bool) -> Self {
        Self {
            month: date.month().saturating_sub(1),
            day: date.day(),
            weekday: date.weekday().days_after_monday(),
            is_holiday: holidays.contains(date),
            is_summer,
        }
    }

    /// All possible kinds of days. Days of a month differ if `by_date`; summer time and standard
    /// time differ if `by_season`.
    pub(super) fn all(
        holidays: &Holidays,
        by_date: bool,
        by_season: bool,
    ) -> impl Iterator<Item = Self> {
        let last = move |month: u8| match month {
            _ if !by_date => 1,
            1 => 29,
            3 | 5 | 8 | 10 => 30,
            _ => 31,
        };
        let dates =
            (0..12_u8).flat_map(move |month| (1..=last(month)).map(move |day| (month, day)));
        let days = dates.flat_map(|date| (0..7_u8).map(move |weekday| (date, weekday)));
        days.flat_map(move |((month, day), weekday)| {
            let may_be_holiday = holidays.may_come(month + 1, weekday);
            [false, true].into_iter().flat_map(move |is_holiday| {
                [false, true].into_iter().filter_map(move |is_summer| {
                    let can_come = (!is_holiday || may_be_holiday) && (!is_summer || by_season);
                    can_come.then_some(Self {
                        month,
                        day,
                        weekday,
                        is_holiday,
                        is_summer,
                    })
                })
            })
        })
    }
}
