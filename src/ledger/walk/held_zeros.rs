//! The zeros of a counter that are held, in little memory (`zeros.rs`).

use super::anchor::Anchor;
use crate::domain::Timestamp;

/// Zeros that are held, beside the registers that are held one by one.
#[derive(Default)]
pub(super) struct HeldZeros {
    /// The anchor after the newest zero, if all of them are real.
    pub(super) end: Option<Anchor>,
    /// Zeros that are passed over: those after a held one, and the anchor after the last of them.
    pub(super) rows: Vec<(Timestamp, Anchor)>,
}

impl HeldZeros {
    #[cfg(test)]
    pub(super) fn count_rows(&self) -> usize {
        self.rows.len()
    }

    /// The time of the newest zero.
    pub(super) fn newest(&self) -> Option<Timestamp> {
        self.end.map(|end| end.shown.time)
    }
}
