//! Energy of periods, each against as much of the time before, and its cost.

use super::parts::{House, sensors_of};
use super::periods::{ends, periods};
use crate::domain::number::finite;
use crate::domain::{Account, Price, Role, SoFar, TimeRange, Timestamp};
use crate::query::{Counted, counted_at};
use crate::store::{Store, StoreError};

/// The energy of each period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energies {
    /// Today so far, against yesterday up to the same time of day.
    pub today: Comparison,
    /// Yesterday, against the day before it.
    pub yesterday: Comparison,
    /// This week so far, from Monday, against the week before up to the same time of the same weekday.
    pub week: Comparison,
    /// This month so far, against the month before up to the same date.
    pub month: Comparison,
    /// This year so far, against the year before up to the same date.
    pub year: Comparison,
}

/// The energy of a period, and of as much of the one before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Of the period; `None` if it has no readings.
    pub now: Option<Energy>,
    /// Of the one before, up to the same point.
    pub before: Option<Energy>,
}

/// The energy of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Watt-hours; finite. Negative if more was fed back than taken.
    pub watthours: f64,
    /// Its cost at the account's price, in its currency; `None` without a price, and for what does not come from the grid.
    pub cost: Option<f64>,
    /// Whether some of it is missing: the readings begin within the stretch, or one of several sensors has none.
    pub is_partial: bool,
}

impl House<Energies> {
    /// The energy of the house of `account` at `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energies_at(
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let periods = periods(&account.zone, now);
        let times = ends(&periods);
        let registry = store.registry();
        let sensors = sensors_of(&registry, &account.name).map(|sensor| {
            let counted = counted_at(store, &sensor.id, sensor.register, &times)?;
            // Nobody bought what the panels produced, and the grid's sum includes the sub-meters.
            let price = account.price.as_ref();
            let price = price.filter(|_| sensor.role == Role::Grid);
            let at = |time| {
                let nth = times.binary_search(&time).ok()?;
                counted.get(nth).copied().flatten()
            };
            let energies = Energies::of(periods, |range| Energy::of(range, at, price));
            Ok((sensor.clone(), energies))
        });
        let sensors = sensors.collect::<Result<_, StoreError>>()?;
        Ok(Self::of(
            sensors,
            |a, b| a.joined(b, Energy::sum_of_known),
            |grid, solar| grid.joined(solar, Energy::sum),
        ))
    }
}

impl Energies {
    /// The five comparisons, in the order in which people read them.
    #[must_use]
    pub const fn each(&self) -> [Comparison; 5] {
        [self.today, self.yesterday, self.week, self.month, self.year]
    }

    fn of(periods: [SoFar; 5], energy: impl Fn(TimeRange) -> Option<Energy>) -> Self {
        let [today, yesterday, week, month, year] = periods.map(|so_far| Comparison {
            now: energy(so_far.now),
            before: energy(so_far.before),
        });
        Self {
            today,
            yesterday,
            week,
            month,
            year,
        }
    }

    fn joined(
        self,
        other: Self,
        sum: impl Fn(Option<Energy>, Option<Energy>) -> Option<Energy>,
    ) -> Self {
        let both = |a: Comparison, b: Comparison| Comparison {
            now: sum(a.now, b.now),
            before: sum(a.before, b.before),
        };
        Self {
            today: both(self.today, other.today),
            yesterday: both(self.yesterday, other.yesterday),
            week: both(self.week, other.week),
            month: both(self.month, other.month),
            year: both(self.year, other.year),
        }
    }
}

impl Energy {
    /// The energy of a range, from what a register had counted at its ends.
    fn of(
        range: TimeRange,
        counted_at: impl Fn(Timestamp) -> Option<Counted>,
        price: Option<&Price>,
    ) -> Option<Self> {
        let (start, end) = counted_at(range.start()).zip(counted_at(range.end()))?;
        if start.seen() >= end.seen() {
            return None;
        }
        let watthours = end.since(start);
        Some(Self {
            watthours,
            cost: price.map(|price| price.of(watthours)),
            is_partial: range.start() < start.seen(),
        })
    }

    /// The sum if both are known.
    fn sum(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (a, b) = a.zip(b)?;
        Some(Self {
            watthours: finite(a.watthours + b.watthours),
            cost: a.cost.zip(b.cost).map(|(a, b)| finite(a + b)),
            is_partial: a.is_partial || b.is_partial,
        })
    }

    /// The sum of what is known; partial if one is not.
    fn sum_of_known(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        Self::sum(a, b).or(a.or(b).map(|energy| Self {
            is_partial: true,
            ..energy
        }))
    }
}
