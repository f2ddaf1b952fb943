//! Changes of settled rows and activities other than uploads: rows are sealed, deleted or
//! corrected, and sensors are removed.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::rows::Activity;

/// A change of a sensor in the log, other than settling rows.
#[derive(Clone)]
pub(crate) struct HotEdit {
    pub(crate) sensor: SensorId,
    pub(crate) rows: RowsEdit,
    /// The new activity; `None` keeps the old one.
    pub(crate) activity: Option<Activity>,
}

/// A change of the settled rows of a sensor.
#[derive(Clone)]
pub(crate) enum RowsEdit {
    Kept,
    /// Replaces the rows at the times of these, which ascend.
    Corrected(Vec<Reading>),
    /// Removes the rows in the range: they are deleted, or in blocks.
    Gone(TimeRange),
    /// Removes the sensor: all its rows and its activity.
    Removed,
}
