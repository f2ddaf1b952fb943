//! How far readings lie apart, and when that is a gap.

/// No reading for so long is never a gap.
pub(super) const GAP_MS: i64 = 5 * 60_000;

/// The last two spacings of readings, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spacings {
    /// The one before the last.
    pub before_ms: Option<i64>,
    /// The last one.
    pub last_ms: Option<i64>,
}

impl Spacings {
    /// These, after a further one.
    #[must_use]
    pub const fn then(self, ms: i64) -> Self {
        Self {
            before_ms: self.last_ms,
            last_ms: Some(ms),
        }
    }

    /// These, after further two.
    #[must_use]
    pub const fn then_all(self, later: Self) -> Self {
        match (later.before_ms, later.last_ms) {
            (Some(_), Some(_)) => later,
            (None, Some(ms)) => self.then(ms),
            (_, None) => self,
        }
    }

    /// Whether a spacing is a gap after these: longer than 5 min and than three times the longer one of these.
    pub(super) fn is_gap(self, ms: i64) -> bool {
        let usual = self.before_ms.max(self.last_ms);
        ms > GAP_MS && usual.is_some_and(|usual| ms > usual.saturating_mul(3))
    }
}
