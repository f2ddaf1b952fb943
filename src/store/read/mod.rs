//! Reading: rows merged over blocks, in order, in bounded memory, with any backend. It changes
//! nothing.
//!
//! | file | content |
//! | --- | --- |
//! | `asker` | cancelling a reading job |
//! | `window` | the part of a sensor's readings that is read at once |
//! | `scan` | all readings of a range |
//! | `digest` | one measure of a range, as totals if these suffice |
//! | `single` | the newest and the first value, and the number of readings |

mod asker;
pub(crate) mod digest;
pub(crate) mod scan;
pub(crate) mod single;
mod window;

pub(crate) use self::asker::Asker;
pub(crate) use self::digest::Digest;
pub(crate) use self::scan::{Scan, StoredRun};
pub(crate) use self::single::{count_readings, first_register, power_at, register_at};
pub(crate) use self::window::ReadAhead;
