//! Reading: rows merged over blocks, in order, in bounded memory. It changes nothing.
//!
//! | file | content |
//! | --- | --- |
//! | `scan` | all readings of a range |
//! | `digest` | one measure of a range, as totals wherever these suffice |

pub(crate) mod digest;
pub(crate) mod scan;

pub(crate) use self::digest::Digest;
pub(crate) use self::scan::{Scan, StoredRun};
