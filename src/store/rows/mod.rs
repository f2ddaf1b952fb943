//! The newest readings, one row each, and the recent activity of each sensor. Nothing here knows a block.
//!
//! - `hot`: the rows, in the database and in memory
//! - `activity`: a sensor's last uploads, the last time assigned, and its newest power

pub(crate) mod activity;
pub(crate) mod hot;

pub(crate) use self::activity::{Activities, Activity, KnownActivities, Power};
pub(crate) use self::hot::{Hot, NewRows, Rows};
