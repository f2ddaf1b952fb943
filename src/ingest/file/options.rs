//! What the user chooses about a file.

use std::sync::Arc;

use super::home_assistant::RegisterColumn;
use crate::domain::{MeterKind, Zone};
use crate::ingest::table::{KnownFormat, TimeReader, UnitWishes, Wishes};

/// The user's options for a file.
#[derive(Clone)]
pub(crate) struct ImportOptions {
    pub(crate) wishes: Wishes,
    pub(crate) times: TimeReader,
    pub(crate) units: UnitWishes,
    pub(crate) registers: RegisterColumn,
    /// The sensor that the readings are for, and its register.
    pub(crate) sensor: Option<(String, MeterKind)>,
    /// The zone of the sensor's days and months.
    pub(crate) zone: Option<Zone>,
    /// Formats that somebody described.
    pub(crate) formats: Arc<[KnownFormat]>,
}
