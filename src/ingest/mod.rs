//! The only way into the store for readings, from every protocol: checks permissions and times,
//! then stores. How a request is received and answered is not decided here.
//!
//! - `error`: why an upload is refused
//! - `quantity`: power or a register, in a unit
//! - `received`: protocols, and counts of uploads by each
//! - `batch`: readings of several sensors
//! - `times`: the arrival of an upload, and the allowed times of its readings
//! - `upload`: from an upload to the store
//! - `kind`: the kind of a device, the direction of its flow, and the resulting roles
//! - `devices`: messages and answers of devices -> readings
//! - `device`: readings of devices that the settings name, without credentials
//! - `charges`: the last state of charge of each battery
//! - `remarks`: oddities of uploads that are stored nevertheless
//! - `log_limit`: problems, logged once an hour each
//! - `wanted`: the wanted places of JSON, without the rest
//! - `tolerant`: JSON as devices write it, and words for "no number"
//! - `influx`: InfluxDB's line protocol
//! - `emoncms`: Emoncms' inputs
//! - `table`: tables of other systems; `file`: files of all formats

mod batch;
mod charges;
mod device;
pub mod devices;
pub mod emoncms;
mod error;
pub(crate) mod file;
pub mod influx;
mod kind;
mod log_limit;
mod quantity;
mod received;
mod remarks;
pub(crate) mod table;
mod times;
pub(crate) mod tolerant;
mod upload;
pub(crate) mod wanted;

pub use self::batch::{BatchOutcome, TooManyReadings};
pub(crate) use self::charges::Charges;
pub use self::device::{DeviceAccount, DeviceReading};
pub(crate) use self::device::{DeviceIngest, DeviceProblem};
pub use self::error::IngestError;
pub(crate) use self::file::{FilePrices, PriceFile};
pub use self::kind::{BACK_SUFFIX, DeviceKind, Way};
pub use self::log_limit::LogLimit;
pub use self::quantity::Quantity;
pub use self::received::{IncomingMessage, Protocol, Received};
pub(crate) use self::remarks::REMARK_LASTS_MS;
pub use self::times::DeviceClock;
pub use self::upload::Ingest;

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::emoncms::fuzz as emoncms_input;
    pub use super::influx::fuzz as influx_lines;
}
