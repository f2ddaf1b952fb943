//! The newest readings, as rows, and the recent activity of each sensor. Nothing here seals a row.
//!
//! | file | content |
//! | --- | --- |
//! | `sensor_map` | the map that the others keep by sensor |
//! | `sensor_rows` | `Rows`: rows by sensor |
//! | `hot` | `Hot`: the rows in memory, where readers find them |
//! | `activity` | a sensor's last uploads, the last time assigned, and its newest power |
//! | `hot_log` | rows and activities in the database, for the next start |
//! | `chunk`, `compact` | their format, there and in the journal |

pub(crate) mod activity;
pub(crate) mod chunk;
pub(crate) mod compact;
pub(crate) mod hot;
pub(crate) mod hot_log;
pub(crate) mod sensor_map;
pub(crate) mod sensor_rows;

pub(crate) use self::activity::{Activities, Activity, KnownActivities, Power};
pub(crate) use self::hot::Hot;
pub(crate) use self::hot_log::{HotEdit, HotLog, LogChange, RowsEdit};
pub(crate) use self::sensor_map::SensorMap;
pub(crate) use self::sensor_rows::Rows;
