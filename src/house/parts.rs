//! The parts of a house: what its grid sensors measure, what its panels produce, and what it uses.
//!
//! What the house takes from the grid, less what it feeds back, is the sum of its grid sensors, those of its export taken
//! negatively. Panels, batteries and sub-meters are never added to it: the grid's sensors measure them too. What the house uses itself is known only if both grid and panels are
//! measured: it is the sum of the two.

use crate::domain::{AccountName, Role, Sensor};
use crate::store::Registry;

/// A quantity of a house: for each sensor, and for the parts of the house.
#[derive(Clone, Debug, PartialEq)]
pub struct House<T> {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<(Sensor, T)>,
    /// The sum of the sensors at the grid; `None` if there are none.
    pub grid: Option<T>,
    /// The sum of the sensors at the panels; `None` if there are none.
    pub solar: Option<T>,
    /// What the house uses itself: the grid and the panels together. `None` if one of them has no sensors.
    pub used: Option<T>,
}

impl<T: Copy> House<T> {
    /// Adds up the sensors at the grid and at the panels by `sum`, those of the grid's export after `negated`, and the two by `used`.
    pub(super) fn of(
        sensors: Vec<(Sensor, T)>,
        negated: impl Fn(T) -> T,
        sum: impl Fn(T, T) -> T,
        used: impl Fn(T, T) -> T,
    ) -> Self {
        let at_grid = |(sensor, value): &(Sensor, T)| match sensor.role {
            Role::Grid | Role::GridImport => Some(*value),
            Role::GridExport => Some(negated(*value)),
            _ => None,
        };
        let at_panels =
            |(sensor, value): &(Sensor, T)| (sensor.role == Role::Solar).then_some(*value);
        // Sub-meters and batteries get no total: the sensors at the grid measure the same energy.
        let grid = sensors.iter().filter_map(at_grid).reduce(&sum);
        let solar = sensors.iter().filter_map(at_panels).reduce(&sum);
        Self {
            used: grid.zip(solar).map(|(grid, solar)| used(grid, solar)),
            grid,
            solar,
            sensors,
        }
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
