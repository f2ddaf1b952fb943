//! Energy of periods, each against as much of the time before, and its cost.

use super::parts::{House, sensors_of};
use super::periods::{ends, periods};
use crate::domain::number::finite;
use crate::domain::{Account, Price, TimeRange, Timestamp};
use crate::query::{Counted, counted_at};
use crate::store::{Store, StoreError};

/// The energy of each period, in the order in which people read them: today so far, yesterday, this week from Monday, this month
/// and this year.
pub type Energies = [Comparison; 5];

/// The energy of a period, and of as much of the one before: today's is compared with yesterday's up to the same time of day,
/// this week's with last week's up to the same time of the same weekday, a month's and a year's up to the same date.
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
        // One walk over the readings of a sensor answers all periods.
        let times = ends(&periods);
        let registry = store.registry();
        let sensors = sensors_of(&registry, &account.name).map(|sensor| {
            let counted = counted_at(store, &sensor.id, sensor.meter.kind, &times)?;
            // Nobody bought what the panels produced, and the grid's sum includes the sub-meters.
            let price = account.price.as_ref();
            let price = price.filter(|_| sensor.role.is_at_grid());
            let at = |time| {
                // Always found: `times` has the ends of all periods, and only those are asked for.
                let nth = times.binary_search(&time).ok()?;
                counted.get(nth).copied().flatten()
            };
            let energy = |range| Energy::of(range, at, price);
            let energies = periods.map(|so_far| Comparison {
                now: energy(so_far.now),
                before: energy(so_far.before),
            });
            Ok((sensor.clone(), energies))
        });
        let sensors = sensors.collect::<Result<_, StoreError>>()?;
        Ok(Self::of(
            sensors,
            negated,
            // A house with one silent meter still shows what the others count; a total use must have both parts.
            |a, b| joined(a, &b, Energy::sum_of_known),
            |grid, solar| joined(grid, &solar, Energy::sum),
        ))
    }
}

/// The energies with the other sign.
fn negated(mut energies: Energies) -> Energies {
    for energy in &mut energies {
        energy.now = energy.now.map(Energy::negated);
        energy.before = energy.before.map(Energy::negated);
    }
    energies
}

/// The sums of two sensors' energies, period by period.
fn joined(
    mut a: Energies,
    b: &Energies,
    sum: fn(Option<Energy>, Option<Energy>) -> Option<Energy>,
) -> Energies {
    for (a, b) in a.iter_mut().zip(b) {
        a.now = sum(a.now, b.now);
        a.before = sum(a.before, b.before);
    }
    a
}

impl Energy {
    /// The energy of a range, from what a register had counted at its ends.
    fn of(
        range: TimeRange,
        counted_at: impl Fn(Timestamp) -> Option<Counted>,
        price: Option<&Price>,
    ) -> Option<Self> {
        let (start, end) = counted_at(range.start()).zip(counted_at(range.end()))?;
        // No register came within the range.
        if start.seen() >= end.seen() {
            return None;
        }
        let watthours = end.since(start);
        Some(Self {
            watthours,
            cost: price.map(|price| price.of(watthours)),
            // Only the sensor's first register is seen later than the start: any other one lies before it.
            is_partial: range.start() < start.seen(),
        })
    }

    fn negated(self) -> Self {
        Self {
            watthours: -self.watthours,
            cost: self.cost.map(|cost| -cost),
            ..self
        }
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
