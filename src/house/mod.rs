//! What the dashboard says of a house, as plain values: its power now, and its energy against the time before.
//!
//! The house is what its grid sensors say, added up: what it takes from the grid less what it feeds back. What the panels make and what
//! sub-meters measure stands beside it and is never added to it: the grid's sensors have it in theirs. Only where both
//! grid and panels are measured is it known what the house itself uses, which is the sum of the two.
//!
//! What is not known is `None`, never zero.

mod courses;
mod now;
mod periods;
mod sums;

pub use self::courses::{Courses, first_reading};
pub use self::now::{Now, PowerNow};
pub use self::periods::{Comparison, Energies, Energy};
pub use self::sums::Total;

use self::periods::Periods;
use crate::domain::account::{Account, AccountName};
use crate::domain::role::Role;
use crate::domain::sensor::{Sensor, SensorId};
use crate::domain::time::Timestamp;
use crate::query::energy::counted_at;
use crate::store::{Power, Registry, Store, StoreError};

/// A house at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct House {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<SensorState>,
    /// The sum of the sensors at the grid; `None` where there are none.
    pub grid: Option<Total>,
    /// The sum of the sensors at the panels; `None` where there are none.
    pub solar: Option<Total>,
    /// What the house uses itself: the grid and the panels together. `None` where one of them has no sensors.
    pub used: Option<Total>,
}

/// A sensor at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct SensorState {
    /// What is registered of it.
    pub sensor: Sensor,
    /// Its power, and whether it uploads.
    pub live: Live,
    /// Its energy.
    pub energies: Energies,
}

/// What is known of a sensor from memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Live {
    /// The newest power in watts, with its time, if something was uploaded in the last two hours: what the API's `latest_rate` says.
    pub power: Option<Power>,
    /// Whether it uploads.
    pub presence: Presence,
}

/// Whether a sensor uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Its uploads keep arriving.
    Active,
    /// They do not; the last one came then.
    SilentSince(Timestamp),
    /// There was none yet.
    Never,
}

impl House {
    /// The house of `account` at `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn at(store: &Store, account: &Account, now: Timestamp) -> Result<Self, StoreError> {
        let periods = Periods::new(&account.zone, now);
        let registry = store.registry();
        let sensors = sensors_of(&registry, &account.name)
            .map(|sensor| {
                let times = periods.times();
                let counted = counted_at(store, &sensor.id, sensor.register, times)?;
                let price = account.price.as_ref();
                // Nobody bought what the panels made, and what a sub-meter measures is in the grid's sum.
                let price = price.filter(|_| sensor.role == Role::Grid);
                Ok(SensorState {
                    sensor: sensor.clone(),
                    live: live(store, &sensor.id, now),
                    energies: periods.energies(&counted, price),
                })
            })
            .collect::<Result<Vec<SensorState>, StoreError>>()?;
        let total = |role| {
            let of_role = sensors.iter().filter(|state| state.sensor.role == role);
            of_role.map(Total::of).reduce(Total::and)
        };
        let (grid, solar) = (total(Role::Grid), total(Role::Solar));
        let used = grid.zip(solar).map(|(grid, solar)| grid.with(solar));
        Ok(Self {
            sensors,
            grid,
            solar,
            used,
        })
    }
}

/// The authorized sensors of an account, by id.
pub fn sensors_of<'a>(
    registry: &'a Registry,
    account: &'a AccountName,
) -> impl Iterator<Item = &'a Sensor> {
    let sensors = registry.sensors();
    sensors.filter(move |sensor| sensor.account == *account && sensor.authorized)
}

/// The power of a sensor and whether it uploads, at `now`. From memory: it does not block.
#[must_use]
pub fn live(store: &Store, sensor: &SensorId, now: Timestamp) -> Live {
    let activity = store.activity(sensor).unwrap_or_default();
    let Some(arrivals) = activity.arrivals else {
        return Live {
            power: None,
            presence: Presence::Never,
        };
    };
    let presence = match arrivals.last_upload(now) {
        _ if arrivals.active(now) => Presence::Active,
        Some(last) => Presence::SilentSince(last),
        None => Presence::Never,
    };
    Live {
        power: activity.newest_power.filter(|_| arrivals.recent(now)),
        presence,
    }
}

#[cfg(test)]
mod tests;
