//! The newest readings, as rows, and the recent activity of each sensor. Nothing here seals a row.
//!
//! | file | content |
//! | --- | --- |
//! | `sensor_map` | a map by sensor |
//! | `sensor_rows` | searching and merging the rows of a sensor |
//! | `activity` | a sensor's last uploads, the last time assigned, and its newest power |

pub(crate) mod activity;
pub(crate) mod sensor_map;
pub(crate) mod sensor_rows;

pub(crate) use self::activity::{Activity, Power};
pub(crate) use self::sensor_map::SensorMap;
