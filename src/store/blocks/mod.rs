//! Sealed readings: their format, and which readings go into which block. It knows neither rows nor
//! the storage of the blocks; a backend decides when to seal.
//!
//! | file | content |
//! | --- | --- |
//! | `summary`, `summary_record` | the totals of a block, and their record in the index |
//! | `measure` | power or register, wherever both are treated alike |
//! | `block` | a block as bytes |
//! | `source` | `BlockSource`: the blocks of a sensor, in any backend |
//! | `finder` | single readings in them |
//! | `seal` | moves readings into blocks |

pub mod block;
pub(crate) mod finder;
pub(crate) mod measure;
pub(crate) mod seal;
pub(crate) mod source;
pub(crate) mod summary;
pub(crate) mod summary_record;

pub(crate) use self::finder::Finder;
pub(crate) use self::measure::{Measure, MeasuredValue, Run, Values};
pub(crate) use self::seal::Tail;
pub(crate) use self::source::BlockSource;
pub(crate) use self::summary::Summary;
