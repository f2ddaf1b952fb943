//! How far readings lie apart, and when that is a gap.

/// No reading for so long is never a gap.
const GAP_MS: i64 = 5 * 60_000;

/// Whether none of these spacings but the first can be a gap, by their number, their sum and the longest one, in milliseconds.
///
/// Before a gap is a spacing of less than a third of it, hence of the longest one: with it the sum would be smaller than this. So it
/// is no gap where readings come regularly, however far they are apart.
pub(super) fn are_regular(spacings: u64, sum_ms: i64, longest_ms: i64) -> bool {
    let [sum, longest] = [sum_ms, longest_ms].map(i128::from);
    longest_ms <= GAP_MS || 3 * sum >= (3 * i128::from(spacings) - 2) * longest
}

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

    /// Whether readings that are regular go on after these: neither the spacing `ms` to the first of them is a gap, nor the one after
    /// it, which is no longer than `longest_ms`.
    pub(super) fn go_on(self, ms: i64, longest_ms: i64) -> bool {
        ms > 0 && !self.is_gap(ms) && !self.then(ms).is_gap(longest_ms)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn regular_readings_have_no_gap(
            usual in prop_oneof![1_i64..1_000, 1..40 * GAP_MS], shares in proptest::collection::vec(0.2..1.0_f64, 1..8), is_even in any::<bool>(),
            before in proptest::collection::vec(1..20 * GAP_MS, 0..4),
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "far below 2^53")]
            let spacing = |share: &f64| ((usual as f64 * if is_even { share.sqrt().sqrt() } else { *share }) as i64).max(1);
            let spacings: Vec<i64> = shares.iter().map(spacing).collect();
            let (sum, longest) = (spacings.iter().sum(), spacings.iter().copied().max().unwrap());
            // Before the first reading of a walk there is nothing.
            let mut known = Spacings::default();
            let mut goes_on = true;
            if let Some((ms, earlier)) = before.split_last() {
                known = earlier.iter().fold(known, |known, ms| known.then(*ms));
                goes_on = known.go_on(*ms, longest);
                known = known.then(*ms);
            }
            if are_regular(spacings.len() as u64, sum, longest) && goes_on {
                for ms in spacings {
                    prop_assert!(!known.is_gap(ms), "{known:?} {ms}");
                    known = known.then(ms);
                }
            }
        }
    }

    #[test]
    fn a_gap_is_not_regular() {
        let hour = 12 * GAP_MS;
        // A day by the hour, a day with an hour left out, and one that is late by a quarter now and then.
        assert!(are_regular(24, 24 * hour, hour));
        assert!(are_regular(24, 23 * hour + hour / 2, hour));
        assert!(!are_regular(23, 24 * hour, 2 * hour));
        let known = Spacings::default().then(hour).then(hour);
        assert!(known.go_on(3 * hour, 9 * hour) && !known.go_on(3 * hour + 1, hour));
        assert!(!known.go_on(hour, 3 * hour + 1) && !known.go_on(0, hour));
    }
}
