//! Today, yesterday, this week, month and year, each against the time before it.

use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval, SoFar};
use crate::domain::price::Price;
use crate::domain::time::{TimeRange, Timestamp};
use crate::query::energy::Counted;

/// Energy of each of the periods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energies {
    /// Today so far, against yesterday up to the same time of day.
    pub today: Comparison,
    /// Yesterday, against the day before it.
    pub yesterday: Comparison,
    /// This week so far, from Monday, against the week before up to the same time of the same day.
    pub week: Comparison,
    /// This month so far, against the month before up to the same date.
    pub month: Comparison,
    /// This year so far, against the year before up to the same date.
    pub year: Comparison,
}

/// Energy of a period, and of as much of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Of the period; `None` where it has no readings.
    pub now: Option<Energy>,
    /// Of the one before, up to the same point.
    pub before: Option<Energy>,
}

/// Energy of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Watt-hours; finite. Negative where more was fed back than taken.
    pub watthours: f64,
    /// What it costs at the account's price, in its currency; `None` without a price, and of what is not at the grid.
    pub cost: Option<f64>,
    /// Whether some of it is missing: the readings begin within the stretch, or one of several sensors has none.
    pub is_partial: bool,
}

/// The periods as times.
pub(super) struct Periods {
    /// Today, yesterday, this week, month, year.
    pub(super) ranges: [SoFar; 5],
    /// All of their ends, ascending.
    times: Vec<Timestamp>,
}

impl Periods {
    pub(super) fn new(zone: &Zone, now: Timestamp) -> Self {
        let so_far = |interval| Calendar::new(zone.clone(), interval).so_far(now);
        let mut days = Calendar::new(zone.clone(), Interval::Day);
        let today = so_far(Interval::Day);
        // A day's energy is of the registers after its start and up to the next one's.
        let mut day_before = |midnight: Timestamp| {
            let day = days.bucket(midnight.saturating_add_millis(-1));
            TimeRange::new(day.start(), midnight).unwrap_or(day)
        };
        let yesterday = day_before(today.now.start());
        let yesterday = SoFar {
            now: yesterday,
            before: day_before(yesterday.start()),
        };
        let ranges = [
            today,
            yesterday,
            so_far(Interval::Week),
            so_far(Interval::Month),
            so_far(Interval::Year),
        ];
        let both = ranges.iter().flat_map(|range| [range.now, range.before]);
        let mut times: Vec<Timestamp> = both
            .flat_map(|range| [range.start(), range.end()])
            .collect();
        times.sort_unstable();
        times.dedup();
        Self { ranges, times }
    }

    /// The times that must be asked for.
    pub(super) fn times(&self) -> &[Timestamp] {
        &self.times
    }

    /// The energies, from what was counted at each of [`Self::times`].
    pub(super) fn energies(&self, counted: &[Option<Counted>], price: Option<&Price>) -> Energies {
        let at = |time: Timestamp| {
            let nth = self.times.binary_search(&time).ok()?;
            counted.get(nth).copied().flatten()
        };
        let energy = |range: TimeRange| {
            let (start, end) = at(range.start()).zip(at(range.end()))?;
            if start.seen() >= end.seen() {
                return None;
            }
            let watthours = end.since(start);
            Some(Energy {
                watthours,
                cost: price.map(|price| price.of(watthours)),
                is_partial: range.start() < start.seen(),
            })
        };
        let [today, yesterday, week, month, year] = self.ranges.map(|range| Comparison {
            now: energy(range.now),
            before: energy(range.before),
        });
        Energies {
            today,
            yesterday,
            week,
            month,
            year,
        }
    }
}
