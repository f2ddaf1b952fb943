//! Further sensors at the grid: a person says what they measure.

use super::error::{AdminError, wrong};
use crate::domain::{Account, AccountName, GridAnswer, Phases, Role, SensorId};
use crate::store::{Registry, Store};

/// A further sensor at the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FurtherAtGrid {
    /// Its id.
    pub(crate) sensor: SensorId,
    /// The names of those that count the same energy.
    pub(crate) others: Vec<String>,
}

/// The first of these new sensors that counts the same energy at the grid as an authorized one of the
/// account, or as a new one before it.
pub(crate) fn further_at_grid(
    registry: &Registry,
    account: &AccountName,
    new: &[(SensorId, Role)],
) -> Option<FurtherAtGrid> {
    new.iter().enumerate().find_map(|(nth, (id, role))| {
        let own = registry.sensors().filter(|it| it.account == *account);
        let known =
            own.filter(|it| it.authorized && it.id != *id && it.role.shares_grid_with(*role));
        let known = known.map(|it| it.name.clone());
        let earlier = new
            .iter()
            .take(nth)
            .filter(|it| it.1.shares_grid_with(*role));
        let earlier = earlier.map(|(id, _)| id.to_string());
        let others: Vec<String> = known.chain(earlier).collect();
        let sensor = id.clone();
        (!others.is_empty()).then_some(FurtherAtGrid { sensor, others })
    })
}

/// The role of a new sensor: its own, or the one that the answer gives it.
///
/// # Errors
/// [`AdminError::Field`] if there is another one at the grid, and no answer.
pub(super) fn role_at_grid(
    registry: &Registry,
    account: &AccountName,
    new: &(SensorId, Role),
    answer: Option<GridAnswer>,
) -> Result<Role, AdminError> {
    match (
        further_at_grid(registry, account, std::slice::from_ref(new)),
        answer,
    ) {
        (None, _) | (_, Some(GridAnswer::Phase | GridAnswer::Connection)) => Ok(new.1),
        (_, Some(GridAnswer::SubMeter)) => Ok(Role::SubMeter),
        (Some(further), None) => Err(further.unanswered()),
    }
}

impl FurtherAtGrid {
    /// The error without an answer.
    pub(super) fn unanswered(&self) -> AdminError {
        let (id, others) = (&self.sensor, self.others.join(", "));
        let problem = format!(
            "the house has a sensor at the grid already, {others}: expected what {id} is beside it; phase, if it measures another phase of the same meter; sub-meter, if it measures a part of the same energy; connection, if both are added up, as another connection or another register of the same meter"
        );
        wrong("at_grid", problem, Some("sub-meter"))
    }
}

/// Makes the sensors at the grid phases of one meter, if a person said that a sensor of this role is
/// one. Blocks.
///
/// # Errors
/// [`AdminError::Store`].
pub(super) fn balance(
    store: &Store,
    account: &AccountName,
    (role, answer): (Role, Option<GridAnswer>),
) -> Result<(), AdminError> {
    let registry = store.registry();
    let known = registry.account(account);
    let is_phase = answer == Some(GridAnswer::Phase) && role == Role::Grid;
    let Some(known) = known.filter(|known| is_phase && known.phases != Phases::Balanced) else {
        return Ok(());
    };
    let balanced = Account {
        phases: Phases::Balanced,
        ..known.clone()
    };
    Ok(store.edit(move |edit| edit.put_account(balanced))?)
}
