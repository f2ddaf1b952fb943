//! Where blocks are kept: the files that hold them, and what is known of them.
//!
//! | file | content |
//! | --- | --- |
//! | `volumes` | the files that hold blocks |
//! | `turnover` | blocks that come and go together |
//! | `space` | appending to volumes, and collecting garbage |

pub(crate) mod space;
pub(crate) mod turnover;
pub(crate) mod volumes;

pub(crate) use self::space::{AppendError, Space, VolumeUse};
pub(crate) use self::turnover::Turnover;
pub(crate) use self::volumes::{Location, VolumeRecord, Volumes};
