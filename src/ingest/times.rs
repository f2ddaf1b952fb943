//! The arrival of an upload, and the allowed times of its readings.

use std::time::Duration;

use super::error::IngestError;
use crate::domain::{Timestamp, UploadedReading};

/// The most that a reading's time may be ahead of the clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// The arrival of an upload, by the clock. It is read once per request: it bounds the times of the
/// readings, and the upload is stored under it.
#[derive(Clone, Copy, Debug)]
pub enum Arrival {
    /// By a clock that agrees with the stored arrivals.
    At(Timestamp),
    /// The clock ran ahead, as shown by the newest arrival, and is right again now.
    ClockIsBack {
        /// The time of the clock.
        now: Timestamp,
        /// The newest arrival stored.
        newest_arrival: Timestamp,
    },
    /// No upload can be stored: the clock is behind the newest arrival.
    ClockNotSet {
        /// The time of the clock.
        now: Timestamp,
        /// The newest arrival stored.
        newest_arrival: Timestamp,
    },
}

impl Arrival {
    /// The time to store the upload under.
    pub(super) const fn time(self) -> Result<Timestamp, IngestError> {
        match self {
            Self::At(time) | Self::ClockIsBack { now: time, .. } => Ok(time),
            Self::ClockNotSet {
                now,
                newest_arrival,
            } => Err(IngestError::ClockNotSet {
                now,
                newest_arrival,
            }),
        }
    }

    /// The latest time that a reading may have. Any time while the clock is not set, because the
    /// upload is refused for that later.
    fn latest(self) -> Timestamp {
        self.time()
            .map_or(Timestamp::MAX, |now| now.saturating_add(AHEAD_AT_MOST))
    }

    /// The reading's time, if it is too far ahead.
    pub(super) fn ahead(self, reading: &UploadedReading) -> Option<Timestamp> {
        reading.time.filter(|time| *time > self.latest())
    }
}

/// 2005-01-01T00:00:00Z. An earlier time comes from a clock that was never set: meters begin in
/// 1970 or 2000.
const CLOCKS_ARE_SET_FROM_MS: i64 = 1_104_537_600_000;
/// A device does not send times in the future, but its clock may be slightly ahead.
const AHEAD_OF_US: Duration = Duration::from_mins(10);
/// The maximum age of a message that waited at a broker.
const WAITED_AT_MOST: Duration = Duration::from_hours(30 * 24);

/// The trusted times of a device. Any other time is replaced by the time of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceClock {
    /// How far the time of a message may be behind ours. With zero, none is trusted.
    within: Duration,
    /// The same for a message that waited at a broker.
    waited: Duration,
}

/// Up to a day, because a device may send readings of hours when it could not send.
impl Default for DeviceClock {
    fn default() -> Self {
        Self::within(Duration::from_hours(24))
    }
}

impl DeviceClock {
    /// The clock of a device that sends the same numbers with and without a time, and all of them
    /// at once: they must stay in order.
    pub const OF_WAITING: Self = Self {
        within: Duration::ZERO,
        waited: WAITED_AT_MOST,
    };

    /// The times of a device that a person described, which may send years of history.
    pub const OF_HISTORY: Self = Self {
        within: Duration::MAX,
        waited: Duration::MAX,
    };

    /// Times up to this much behind ours. With zero, none is trusted.
    #[must_use]
    pub fn within(within: Duration) -> Self {
        let waited = if within.is_zero() {
            within
        } else {
            within.max(WAITED_AT_MOST)
        };
        Self { within, waited }
    }

    /// Whether `time` is trusted at `now`, for a message that may have waited at a broker. The
    /// error is the error of the device's clock in milliseconds: ahead, or behind if negative;
    /// `None` if it is unknown, or does not matter.
    pub(crate) fn check(
        self,
        time: Timestamp,
        now: Timestamp,
        has_waited: bool,
    ) -> Result<(), Option<i64>> {
        let behind = if has_waited { self.waited } else { self.within };
        let is_set = time.millis() >= CLOCKS_ARE_SET_FROM_MS;
        let is_near = |behind: Duration| {
            is_set && time <= now.saturating_add(AHEAD_OF_US) && time.saturating_add(behind) >= now
        };
        if !behind.is_zero() && is_near(behind) {
            return Ok(());
        }
        let at_most = if behind.is_zero() {
            Self::default().within
        } else {
            behind
        };
        let is_right = self.waited.is_zero() || is_near(at_most);
        let ahead_ms = time.millis().saturating_sub(now.millis());
        Err((!is_right).then_some(ahead_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn times_of_the_future_of_long_ago_and_of_clocks_that_are_not_set_are_wrong() {
        let now = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let of = |text: &str, has_waited| {
            let time = Timestamp::parse(text).unwrap();
            DeviceClock::default().check(time, now, has_waited)
        };
        for (time, fresh, waited) in [
            ("2026-06-01T12:09:59Z", true, true),
            ("2026-05-31T12:00:00Z", true, true),
            ("2026-06-01T12:10:01Z", false, false),
            ("2026-06-01T13:00:00Z", false, false),
            ("2027-06-01T12:00:00Z", false, false),
            ("2026-05-31T11:00:00Z", false, true),
            ("2026-01-01T12:00:00Z", false, false),
            ("2000-01-01T00:00:00Z", false, false),
            ("1970-01-01T00:00:01Z", false, false),
        ] {
            assert_eq!(of(time, false).is_ok(), fresh, "{time}");
            assert_eq!(of(time, true).is_ok(), waited, "{time}");
        }
        assert_eq!(of("2026-06-01T14:00:00Z", false), Err(Some(2 * HOUR_MS)));
        assert_eq!(of("2026-05-30T12:00:00Z", false), Err(Some(-48 * HOUR_MS)));
    }

    #[test]
    fn a_setting_widens_narrows_or_ignores_the_clock() {
        let now = Timestamp::parse("2026-06-01T12:00:00Z").unwrap();
        let time = now.saturating_add_millis(-2 * HOUR_MS);
        let check = |clock: DeviceClock| clock.check(time, now, false);
        let within = |hours| DeviceClock::within(Duration::from_hours(hours));
        assert_eq!(check(within(3)), Ok(()));
        assert_eq!(check(within(1)), Err(Some(-2 * HOUR_MS)));
        assert_eq!(check(within(0)), Err(None));
        let of_waiting = DeviceClock::OF_WAITING;
        assert_eq!(check(of_waiting), Err(None));
        assert_eq!(of_waiting.check(time, now, true), Ok(()));
        let months = now.saturating_add_millis(-5 * 30 * 24 * HOUR_MS);
        let wrong = Err(Some(-5 * 30 * 24 * HOUR_MS));
        assert_eq!(of_waiting.check(months, now, false), wrong);
        assert_eq!(within(0).check(months, now, false), Err(None));
    }
}
