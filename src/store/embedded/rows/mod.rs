//! Where the newest rows are kept: in memory, and in a log for the next start. Nothing here seals a row.
//!
//! | file | content |
//! | --- | --- |
//! | `commit` | what one commit stores |
//! | `hot`, `hot_sensors`, `hot_sensor` | the rows and the activities in memory, where readers find them |
//! | `hot_edit` | changes of both other than uploads |
//! | `hot_log` | what the log of rows and activities holds, for the next start |
//! | `log_files` | its files |
//! | `chunk`, `compact` | their format, there and in the journal |

pub(crate) mod chunk;
pub(crate) mod commit;
pub(crate) mod compact;
pub(crate) mod hot;
pub(crate) mod hot_edit;
pub(crate) mod hot_log;
pub(crate) mod hot_sensor;
pub(crate) mod hot_sensors;
pub(crate) mod log_files;

pub(crate) use self::commit::Commit;
pub(crate) use self::hot::Hot;
pub(crate) use self::hot_edit::{HotEdit, RowsEdit};
pub(crate) use self::hot_log::{HotLog, LogChange};
pub(crate) use self::hot_sensor::HotSensor;
pub(crate) use self::hot_sensors::HotSensors;
pub(crate) use self::log_files::LogFiles;
