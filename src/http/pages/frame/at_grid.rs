//! The question about a further sensor at the grid, for each form that adds or changes one.

use super::{PageError, Visit};
use crate::admin::further_at_grid;
use crate::domain::{AccountName, GridAnswer, Role, SensorId};

/// The field with the answer.
const FIELD: &str = "at_grid";

/// What the first of these sensors is that is not the first one at the grid; `None` if the form was
/// not asked.
///
/// # Errors
/// [`PageError::Form`] with the question, if it has no answer.
pub(crate) fn grid_answer(
    visit: &Visit,
    account: &AccountName,
    new: impl IntoIterator<Item = (SensorId, Role)>,
) -> Result<Option<GridAnswer>, PageError> {
    let new: Vec<(SensorId, Role)> = new.into_iter().collect();
    let Some(further) = further_at_grid(&visit.app.store.registry(), account, &new) else {
        return Ok(None);
    };
    if let Ok(answer) = visit.field(FIELD)?.parse() {
        return Ok(Some(answer));
    }
    let values = [
        ("sensor", further.sensor.as_str().into()),
        ("others", further.others.join(", ").into()),
    ];
    let question = visit.language().fill("at-grid-question", values);
    Err(PageError::form(FIELD, question))
}
