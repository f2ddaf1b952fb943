//! Changes of hot rows and activities other than uploads: rows that are sealed, deleted or replaced, and sensors that are removed.

use crate::domain::{Reading, SensorId};
use crate::store::rows::Activity;

/// A change of what the database has of a sensor, other than that more settles.
pub(crate) struct HotEdit {
    pub(crate) sensor: SensorId,
    pub(crate) rows: RowsEdit,
    /// Its activity from now on; `None` if that stays.
    pub(crate) activity: Option<Activity>,
}

/// A change of the settled rows of a sensor. Those that are left are ascending.
pub(crate) enum RowsEdit {
    Kept,
    /// Some are in blocks by now, with the measures that the log has. These are left.
    Sealed(Vec<Reading>),
    /// Others than these must not come back.
    Replaced(Vec<Reading>),
    /// The sensor is removed: nothing is left, nor of its activity.
    Removed,
}

impl RowsEdit {
    /// The rows that are left; `None` if all of them are.
    pub(crate) fn left(self) -> Option<Vec<Reading>> {
        match self {
            Self::Kept => None,
            Self::Sealed(left) | Self::Replaced(left) => Some(left),
            Self::Removed => Some(Vec::new()),
        }
    }
}
