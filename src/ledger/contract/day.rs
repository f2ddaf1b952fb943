//! The properties of a day that zones look at.

use super::holidays::Holidays;
use crate::domain::LocalDate;

/// The properties of a day that zones look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayKind {
    /// From 0.
    pub(super) month: u8,
    /// From 0, which is Monday.
    pub(super) weekday: u8,
    pub(super) is_holiday: bool,
}

/// Minutes of a day with the same matching zones; the first part begins at midnight, each later one
/// at the end of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DayPart {
    /// Its end, in minutes after midnight.
    pub(super) until: u16,
    /// A bit for each zone that matches; the highest one wins.
    pub(super) matching: u32,
}

impl DayKind {
    pub(super) fn of(date: LocalDate, holidays: &Holidays) -> Self {
        Self {
            month: date.month().saturating_sub(1),
            weekday: date.weekday().days_after_monday(),
            is_holiday: holidays.contains(date),
        }
    }

    /// All kinds of days that can come.
    pub(super) fn all(holidays: &Holidays) -> impl Iterator<Item = Self> {
        let days = (0..12).flat_map(|month| (0..7).map(move |weekday| (month, weekday)));
        days.flat_map(|(month, weekday)| {
            let kind = |is_holiday| Self {
                month,
                weekday,
                is_holiday,
            };
            let may_be_holiday = holidays.may_come(month + 1, weekday);
            [Some(kind(false)), may_be_holiday.then(|| kind(true))]
                .into_iter()
                .flatten()
        })
    }
}

impl DayPart {
    /// The index of the zone that wins.
    pub(super) fn winner(self) -> Option<usize> {
        let highest = self.matching.checked_ilog2();
        highest.and_then(|bit| usize::try_from(bit).ok())
    }
}
