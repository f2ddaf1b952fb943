//! The readings of one sensor: unsealed rows, over blocks.

use crate::domain::{Reading, TimeRange, Timestamp};
use crate::store::blocks::seal::Pack;
use crate::store::blocks::{BlockSource, Measure};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::rows::Activity;

/// A sensor's readings as of one moment. The measures of a row replace those of a sealed reading at
/// the same time.
pub(crate) trait ReadingsView: BlockSource {
    /// Up to `most` rows in `range`, in this order of time; with `measure`, only rows that have it.
    /// Fewer than `most` means that there are no more.
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

    /// The number of blocks that a reader should request at a time, at least one. Larger numbers
    /// need fewer calls, but hold up changes of the sensor for longer.
    fn blocks_ahead(&self) -> usize;
}

/// A sensor's readings while nobody else changes them.
pub(crate) trait ReadingsChange {
    /// The sensor's readings between two changes.
    fn view(&self) -> Box<dyn ReadingsView + '_>;

    /// The maximum number of readings in a block.
    fn block_readings(&self) -> usize;

    /// The sensor's activity; `None` if it never uploaded.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    fn activity(&self) -> Result<Option<Activity>, StoreError>;

    /// Changes blocks, rows and activity together: all or nothing. Later calls see the change.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be written.
    fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError>;
}

/// A change of a sensor's readings.
#[derive(Default)]
pub(crate) struct SensorTurn {
    /// The first times of the blocks to remove.
    pub(crate) removed: Vec<Timestamp>,
    /// The blocks to add; each may begin where a removed one began.
    pub(crate) packs: Vec<Pack>,
    pub(crate) rows: RowsTurn,
    /// The new activity; `None` keeps the old one.
    pub(crate) activity: Option<Activity>,
}

/// A change of a sensor's rows.
#[derive(Default)]
pub(crate) enum RowsTurn {
    #[default]
    Kept,
    /// Replaces the rows at the times of these, which ascend.
    Corrected(Vec<Reading>),
    /// Removes all rows in `range`. Of the readings there, rows and in blocks, those in the ranges
    /// `gone` are deleted; the added blocks have all others.
    Deleted {
        range: TimeRange,
        gone: Vec<TimeRange>,
    },
}
