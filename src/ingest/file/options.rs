//! The user's choices about a file.

use std::sync::Arc;

use super::home_assistant::RegisterColumn;
use crate::domain::{MeterKind, Role, Zone};
use crate::ingest::table::{KnownFormat, TimeReader, UnitWishes, Wishes};

/// The user's choices about a file.
#[derive(Clone)]
pub(crate) struct ImportOptions {
    pub(crate) wishes: Wishes,
    pub(crate) times: TimeReader,
    pub(crate) units: UnitWishes,
    pub(crate) registers: RegisterColumn,
    /// The sensor that gets the readings.
    pub(crate) sensor: Option<ImportTarget>,
    /// The zone of the sensor's account: for times without one, and for days and months.
    pub(crate) zone: Option<Zone>,
    /// The described formats of the account.
    pub(crate) formats: Arc<[KnownFormat]>,
}

/// A sensor that gets readings.
#[derive(Clone, Debug)]
pub(crate) struct ImportTarget {
    pub(crate) sensor: String,
    pub(crate) register: MeterKind,
    pub(crate) role: Role,
    /// The highest plausible power, in watts.
    pub(crate) plausible: u32,
}
