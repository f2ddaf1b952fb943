//! The newest rows, in memory. Nothing here seals a row.
//!
//! | file | content |
//! | --- | --- |
//! | `commit` | the content of one commit |
//! | `hot`, `hot_sensors`, `hot_sensor` | the rows and the activities in memory, for readers |
//! | `settled_rows` | the settled rows of a sensor |
//! | `hot_edit` | changes of both other than uploads |
//! | `group`, `compact` | their format in the log and in the journal |

pub(crate) mod commit;
pub(crate) mod compact;
pub(crate) mod group;
pub(crate) mod hot;
pub(crate) mod hot_edit;
pub(crate) mod hot_sensor;
pub(crate) mod hot_sensors;
pub(crate) mod settled_rows;

pub(crate) use self::commit::Commit;
pub(crate) use self::group::RowGroup;
pub(crate) use self::hot::Hot;
pub(crate) use self::hot_edit::{HotEdit, RowsEdit};
pub(crate) use self::hot_sensor::{CarriedRows, HotSensor, LoggedSensor};
pub(crate) use self::hot_sensors::HotSensors;
pub(crate) use self::settled_rows::SettledRows;
