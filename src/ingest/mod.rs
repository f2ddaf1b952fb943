//! The one door for readings, whatever protocol they come by: who may store them, whether their times are possible, then the
//! store. How a request is received and answered is not decided here.
//!
//! - `error`: why an upload is refused
//! - `quantity`: power or a register, in a unit
//! - `received`: protocols, and what arrived by each
//! - `batch`: readings of several sensors
//! - `times`: when an upload arrives, and which times its readings may have
//! - `door`: from an upload to the store
//! - `kind`: what a device measures, which way it flows, and the roles that follow
//! - `device`: readings of devices that the settings name, instead of credentials
//! - `remarks`: what is odd about uploads that are stored all the same
//! - `log_limit`: complaints, once an hour each
//! - `tolerant`: JSON as devices write it, and words that mean "no number"
//! - `influx`: InfluxDB's line protocol
//! - `emoncms`: Emoncms' inputs
//! - `table`: tables of other systems

mod batch;
mod device;
mod door;
pub mod emoncms;
mod error;
pub mod influx;
mod kind;
mod log_limit;
mod quantity;
mod received;
mod remarks;
pub(crate) mod table;
mod times;
pub(crate) mod tolerant;

pub use self::batch::{BatchOutcome, TooManyReadings};
pub use self::device::{DeviceAccount, DeviceReading};
pub(crate) use self::device::{DeviceDoor, DeviceProblem};
pub use self::door::Ingest;
pub use self::error::IngestError;
pub use self::kind::{BACK_SUFFIX, DeviceKind, Way};
pub use self::log_limit::LogLimit;
pub use self::quantity::Quantity;
pub use self::received::{IncomingMessage, Protocol, Received};
pub(crate) use self::remarks::REMARK_LASTS_MS;
pub use self::times::DeviceClock;

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::emoncms::fuzz as emoncms_input;
    pub use super::influx::fuzz as influx_lines;
}
