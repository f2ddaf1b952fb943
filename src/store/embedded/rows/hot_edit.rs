//! Changes of settled rows and activities other than uploads: rows that are sealed, deleted or corrected, and sensors that are removed.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::rows::Activity;

/// A change of a sensor in the log, other than rows that settle.
pub(crate) struct HotEdit {
    pub(crate) sensor: SensorId,
    pub(crate) rows: RowsEdit,
    /// Its activity from now on; `None` if that stays.
    pub(crate) activity: Option<Activity>,
}

/// A change of the settled rows of a sensor.
pub(crate) enum RowsEdit {
    Kept,
    /// These, ascending, replace those at the same times.
    Corrected(Vec<Reading>),
    /// Those in the range are gone: they are deleted, or in blocks.
    Gone(TimeRange),
    /// The sensor is removed: nothing is left, nor of its activity.
    Removed,
}
