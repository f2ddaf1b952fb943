//! Sealed readings: their format, the files that hold them, and which readings go into which block. It knows neither rows
//! nor the journal; the writer decides when to seal.
//!
//! | file | content |
//! | --- | --- |
//! | `summary`, `summary_record` | the totals of a block, and their record in the database |
//! | `measure` | power or register, wherever both are treated alike |
//! | `block` | a block as bytes |
//! | `source` | `BlockSource`: the blocks of a sensor, wherever a store keeps them |
//! | `finder` | single readings in them |
//! | `seal` | how readings get into blocks |
//! | `volumes` | the files that hold blocks |
//! | `sealed` | blocks and their summaries in the database |
//! | `tally` | number and checksums of the blocks, so that a missing one is noticed |
//! | `space` | appending to volumes, and collecting garbage |

pub mod block;
pub(crate) mod finder;
pub(crate) mod measure;
pub(crate) mod seal;
pub(crate) mod sealed;
pub(crate) mod source;
pub(crate) mod space;
pub(crate) mod summary;
pub(crate) mod summary_record;
pub(crate) mod tally;
pub(crate) mod volumes;

pub(crate) use self::finder::Finder;
pub(crate) use self::measure::{Measure, MeasuredValue, Run, Values};
pub(crate) use self::seal::Tail;
pub(crate) use self::sealed::{Sealed, SealedOf};
pub(crate) use self::source::BlockSource;
pub(crate) use self::space::{AppendError, Space};
pub(crate) use self::summary::Summary;
pub(crate) use self::tally::{BlockTally, Turnover};
pub(crate) use self::volumes::{BlockRecords, Location, Volumes};
