//! The readings of one sensor: rows that are not sealed yet, over blocks.

use crate::domain::{Reading, TimeRange, Timestamp};
use crate::store::blocks::seal::Pack;
use crate::store::blocks::{BlockSource, Measure};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::rows::Activity;

/// A sensor's readings as of one moment. The measures of a row replace those of a sealed reading at the same time.
pub(crate) trait ReadingsView: BlockSource {
    /// Up to `most` rows in `range`, only those with `measure` if one is given, in this order of time. Fewer, if there are
    /// no more.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Result<Vec<Reading>, StoreError>;

    /// How many blocks a reader asks for at a time, at least one. More take fewer calls, and hold up those who change the
    /// sensor for longer.
    fn blocks_ahead(&self) -> usize;
}

/// A sensor's readings while nobody else changes them.
pub(crate) trait ReadingsChange {
    /// Its readings as they are between two changes.
    fn view(&self) -> Box<dyn ReadingsView + '_>;

    /// The most readings that a block gets.
    fn block_readings(&self) -> usize;

    /// What is known of its uploads; `None` if nothing is.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    fn activity(&self) -> Result<Option<Activity>, StoreError>;

    /// Changes blocks, rows and what is known of uploads together: all or nothing. Later calls see the change.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be written.
    fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError>;
}

/// A change of a sensor's readings.
#[derive(Default)]
pub(crate) struct SensorTurn {
    /// The first times of the blocks that go.
    pub(crate) removed: Vec<Timestamp>,
    /// The blocks that come; each of them may begin where one goes.
    pub(crate) packs: Vec<Pack>,
    pub(crate) rows: RowsTurn,
    /// What is known of its uploads from now on; `None` if that stays.
    pub(crate) activity: Option<Activity>,
}

/// A change of a sensor's rows.
#[derive(Default)]
pub(crate) enum RowsTurn {
    #[default]
    Kept,
    /// These, ascending, replace those at the same times.
    Corrected(Vec<Reading>),
    /// All readings in the range are deleted: the rows go, and of the blocks what [`SensorTurn`] says.
    Deleted(TimeRange),
}
