//! Where the newest rows are kept: in memory, and in the database for the next start. Nothing here seals a row.
//!
//! | file | content |
//! | --- | --- |
//! | `hot` | `Hot`: the rows in memory, where readers find them |
//! | `hot_log` | rows and activities in the database, for the next start |
//! | `chunk`, `compact` | their format, there and in the journal |

pub(crate) mod chunk;
pub(crate) mod compact;
pub(crate) mod hot;
pub(crate) mod hot_log;

pub(crate) use self::hot::Hot;
pub(crate) use self::hot_log::{HotEdit, HotLog, LogChange, RowsEdit};
