//! The one door for readings, whatever protocol they come by: who may store them, whether their times are possible, then the
//! store. How a request is received and answered is not decided here.
//!
//! - `error`: why an upload is refused
//! - `quantity`: power or a register, in a unit
//! - `received`: protocols, and what arrived by each
//! - `batch`: readings of several sensors
//! - `times`: when an upload arrives, and which times its readings may have
//! - `door`: from an upload to the store
//! - `influx`: InfluxDB's line protocol
//! - `emoncms`: Emoncms' inputs

mod batch;
mod door;
pub mod emoncms;
mod error;
pub mod influx;
mod quantity;
mod received;
mod times;

pub use self::batch::{BatchOutcome, Refusals, SensorBatch, TooManyReadings};
pub use self::door::Ingest;
pub use self::error::IngestError;
pub use self::quantity::Quantity;
pub use self::received::{IncomingMessage, Protocol, Received};
pub use self::times::{AHEAD_AT_MOST, TimelyUpload};

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::emoncms::fuzz as emoncms_input;
    pub use super::influx::fuzz as influx_lines;
}
