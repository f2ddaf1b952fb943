//! The user's choices about a file.

use std::sync::Arc;

use super::home_assistant::RegisterColumn;
use crate::domain::{MeterKind, Zone};
use crate::ingest::table::{KnownFormat, TimeReader, UnitWishes, Wishes};

/// The user's choices about a file.
#[derive(Clone)]
pub(crate) struct ImportOptions {
    pub(crate) wishes: Wishes,
    pub(crate) times: TimeReader,
    pub(crate) units: UnitWishes,
    pub(crate) registers: RegisterColumn,
    /// The sensor that gets the readings, and its kind of register.
    pub(crate) sensor: Option<(String, MeterKind)>,
    /// The zone for the sensor's days and months.
    pub(crate) zone: Option<Zone>,
    /// The described formats of the account.
    pub(crate) formats: Arc<[KnownFormat]>,
}
