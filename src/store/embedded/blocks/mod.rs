//! Storage of blocks: the files that contain them, and their bookkeeping.
//!
//! | file | content |
//! | --- | --- |
//! | `volumes` | the files that contain blocks |
//! | `turnover` | blocks added and removed together |
//! | `found` | the volumes as a start finds them |
//! | `space` | appending to volumes, and collecting garbage |

mod found;
pub(crate) mod space;
pub(crate) mod turnover;
pub(crate) mod volumes;

pub(crate) use self::found::{VolumeUse, known_durable};
pub(crate) use self::space::{AppendError, Space};
pub(crate) use self::turnover::Turnover;
pub(crate) use self::volumes::{Location, VolumeRecord, Volumes};
