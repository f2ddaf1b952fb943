//! One value of a result, and its unit.

use crate::domain::Timestamp;
use crate::store::{Digest, Piece, StoreError, Values};

/// The unit of a result's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Power.
    Watts,
    /// Energy.
    Watthours,
}

/// One value of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The time of a reading, or the start of a bucket.
    pub time: Timestamp,
    /// Watts or watt-hours; finite.
    pub value: f64,
}

impl Point {
    /// One point for each of `values`.
    pub(super) fn each(values: Values) -> impl Iterator<Item = Self> {
        let pairs = values.times.into_iter().zip(values.numbers);
        pairs.map(|(time, value)| Self { time, value })
    }
}

/// The next values of `digest`, all of them unpacked; `None` after the last one. Blocks on the disk.
pub(super) fn next_points(
    digest: &mut Digest,
) -> Result<Option<impl Iterator<Item = Point>>, StoreError> {
    Ok(match digest.next_piece(|_| false)? {
        Some(Piece::Values(values, _)) => Some(Point::each(values)),
        // Runs come only where their totals are enough.
        Some(Piece::Run(_)) | None => None,
    })
}
