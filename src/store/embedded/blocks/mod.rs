//! Storage of blocks: the files that contain them, and their bookkeeping.
//!
//! | file | content |
//! | --- | --- |
//! | `volumes` | the files that contain blocks |
//! | `turnover` | blocks added and removed together |
//! | `space` | appending to volumes, and collecting garbage |

pub(crate) mod space;
pub(crate) mod turnover;
pub(crate) mod volumes;

pub(crate) use self::space::{AppendError, Space, VolumeUse};
pub(crate) use self::turnover::Turnover;
pub(crate) use self::volumes::{Location, VolumeRecord, Volumes};
