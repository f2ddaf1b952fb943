//! The hours of a week as a grid that a person paints, and the weekdays and hours of zones that
//! make it.

use crate::ledger::contract::sets::{ClockHours, WeekdaySet};

/// Some hours of a week by the clock.
///
/// ```
/// use wattkeeper::WeekGrid;
///
/// let mut night = WeekGrid::default();
/// night.paint(0, 22);
/// assert!(night.has(0, 22) && !night.has(1, 22));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeekGrid {
    /// For each weekday from Monday a bit for each hour from midnight.
    days: [u32; 7],
}

/// Weekdays and hours on each of them, as a zone names them. No hours means all hours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WeekBlock {
    pub(super) weekdays: WeekdaySet,
    pub(super) hours: Vec<ClockHours>,
}

const HOURS: u8 = 24;
const ALL_DAY: u32 = (1 << HOURS) - 1;

impl WeekGrid {
    /// Adds an hour, from 0 to 23, of a weekday, counted from 0, which is Monday. There are no
    /// others.
    pub fn paint(&mut self, weekday: u8, hour: u8) {
        if let Some(day) = self.days.get_mut(usize::from(weekday))
            && hour < HOURS
        {
            *day |= 1 << hour;
        }
    }

    /// Whether it has this hour of this weekday.
    #[must_use]
    pub fn has(&self, weekday: u8, hour: u8) -> bool {
        let day = self.days.get(usize::from(weekday));
        hour < HOURS && day.is_some_and(|day| day >> hour & 1 == 1)
    }

    /// Whether it has no hour.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The hours that it does not have.
    pub(super) fn others(&self) -> Self {
        Self {
            days: self.days.map(|day| !day & ALL_DAY),
        }
    }

    /// With the hours of another one.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for (day, more) in self.days.iter_mut().zip(other.days) {
            *day |= more;
        }
        self
    }

    /// Blocks that together have these hours: one for each kind of day, without kinds that others
    /// cover.
    pub(super) fn blocks(&self) -> Vec<WeekBlock> {
        let mut kinds: Vec<u32> = Vec::new();
        for day in self.days {
            if day != 0 && !kinds.contains(&day) {
                kinds.push(day);
            }
        }
        let is_needed = |kind: &&u32| {
            let inside = kinds
                .iter()
                .filter(|other| other != kind && *other & **kind == **other);
            inside.fold(0, |all, other| all | other) != **kind
        };
        let block = |kind: &u32| WeekBlock {
            weekdays: WeekdaySet::of(|day| self.of(day) & kind == *kind),
            hours: runs(*kind),
        };
        kinds.iter().filter(is_needed).map(block).collect()
    }

    /// The hours of a block; `None` if it has parts of hours.
    pub(super) fn of_block(weekdays: WeekdaySet, hours: &[ClockHours]) -> Option<Self> {
        let is_whole = |minute: u16| minute.is_multiple_of(60);
        let whole = hours.iter().flat_map(|part| part.ends()).all(is_whole);
        let has_hour = |hour: u8| {
            let minute = u16::from(hour) * 60;
            hours.is_empty() || hours.iter().any(|part| part.contains(minute))
        };
        let mut grid = Self::default();
        for (weekday, hour) in (0..7).flat_map(|day| (0..HOURS).map(move |hour| (day, hour))) {
            if weekdays.contains(weekday) && has_hour(hour) {
                grid.paint(weekday, hour);
            }
        }
        whole.then_some(grid)
    }

    fn of(&self, weekday: u8) -> u32 {
        let day = self.days.get(usize::from(weekday));
        day.copied().unwrap_or_default()
    }
}

/// The hours of a day as ranges, which may go over midnight; none for all of the day.
fn runs(day: u32) -> Vec<ClockHours> {
    if day == ALL_DAY {
        return Vec::new();
    }
    let has = |hour: u8| day >> (hour % HOURS) & 1 == 1;
    let begins = (0..HOURS).filter(|hour| has(*hour) && !has(hour + HOURS - 1));
    let run = |begin: u8| {
        let end = (begin + 1..begin + HOURS).find(|hour| !has(*hour));
        ClockHours::whole(begin, end.unwrap_or(begin) % HOURS)
    };
    begins.map(run).collect()
}
