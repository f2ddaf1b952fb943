//! Oddities of uploads: the clock of a device, and the names of fields.

use crate::domain::Timestamp;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// A time that is local and sent as UTC is ahead by a whole offset, give or take this much.
const OFFSET_WITHIN_MS: i64 = 2 * MINUTE_MS;

/// By how much the clock of a device is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFault {
    ahead_ms: i64,
}

/// A field of an upload whose name is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MisnamedField {
    /// As it was sent.
    pub sent: String,
    /// The name that it should have.
    pub meant: String,
}

impl ClockFault {
    /// That of a clock which is ahead by so many milliseconds; behind if there are fewer than none.
    #[must_use]
    pub const fn ahead(ahead_ms: i64) -> Self {
        Self { ahead_ms }
    }

    /// That of a device whose newest time is ahead of `now` by one or two hours: it sends local time as if it were UTC.
    #[must_use]
    pub fn of_local_time(newest: Timestamp, now: Timestamp) -> Option<Self> {
        let ahead_ms = newest.millis().saturating_sub(now.millis());
        let mut offsets = [HOUR_MS, 2 * HOUR_MS].into_iter();
        let offset =
            offsets.find(|offset| ahead_ms.abs_diff(*offset) <= OFFSET_WITHIN_MS.unsigned_abs());
        offset.map(Self::ahead)
    }

    /// By how many milliseconds it is ahead.
    #[must_use]
    pub const fn ahead_ms(self) -> i64 {
        self.ahead_ms
    }

    /// Whether it is ahead, not behind.
    #[must_use]
    pub const fn is_ahead(self) -> bool {
        self.ahead_ms >= 0
    }

    /// How far it is off, in words of people: a number, and `min`, `h` or `days`. There are at least two days.
    #[must_use]
    pub fn amount(self) -> (i64, &'static str) {
        let ms = self.ahead_ms.saturating_abs();
        let whole = |unit: i64| ms.saturating_add(unit / 2) / unit;
        if whole(HOUR_MS) >= 48 {
            (whole(DAY_MS), "days")
        } else if whole(MINUTE_MS) >= 60 {
            (whole(HOUR_MS), "h")
        } else {
            (whole(MINUTE_MS).max(1), "min")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_time_is_ahead_by_a_whole_offset() {
        let now = Timestamp::from_millis(1_767_607_200_000).unwrap();
        let found = |ahead_ms| {
            let newest = now.saturating_add_millis(ahead_ms);
            ClockFault::of_local_time(newest, now).map(|fault| fault.ahead_ms() / HOUR_MS)
        };
        for (ahead_ms, hours) in [
            (HOUR_MS, Some(1)),
            (HOUR_MS - 90_000, Some(1)),
            (2 * HOUR_MS + 2 * MINUTE_MS, Some(2)),
            (HOUR_MS + 3 * MINUTE_MS, None),
            (3 * HOUR_MS, None),
            (0, None),
            (-HOUR_MS, None),
        ] {
            assert_eq!(found(ahead_ms), hours, "{ahead_ms}");
        }
    }
}
