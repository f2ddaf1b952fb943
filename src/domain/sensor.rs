//! Sensors: their identity and settings, and when one counts as active.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};

use super::account::AccountName;
use super::clock::AGREE_WITHIN;
use super::meter::Meter;
use super::name::name;
use super::role::Role;
use super::time::Timestamp;
use super::words::UnknownWord;

/// A sensor is not active if its last upload is this old, or if its last two arrivals are this far
/// apart.
pub const ACTIVE_WITHIN: Duration = Duration::from_mins(5);
/// Uploads this close together count as one arrival: uploaders post power and register in pairs.
pub const ONE_ARRIVAL_WITHIN: Duration = Duration::from_secs(10);
/// The newest power counts as current if something was uploaded this recently.
pub const RECENT_WITHIN: Duration = Duration::from_hours(2);

name! {
    /// A sensor's id on the wire: 1 to 64 bytes of UTF-8 without control characters.
    SensorId, 64
}

/// A registered sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its id on the wire.
    pub id: SensorId,
    /// The account it belongs to.
    pub account: AccountName,
    /// Its name for people; its id by default.
    pub name: String,
    /// Whether uploads and downloads are allowed.
    pub authorized: bool,
    /// The part of the house that it measures.
    pub role: Role,
    /// The settings of its meter.
    pub meter: Meter,
    /// The sensor of the same account that contains it; never in a circle.
    pub part_of: Option<SensorId>,
    /// How long it may be silent before a notice opens; `None` if its usual interval determines it.
    pub silent_after: Option<SilentAfter>,
    /// Whether it is published to Home Assistant. Not for sensors from the broker, which Home
    /// Assistant already has.
    pub is_announced: bool,
    /// The optional parts of its register that its device has sent.
    pub sent_parts: SentParts,
    /// The time when it was registered.
    pub created: Timestamp,
}

impl Sensor {
    /// An authorized sensor with default settings.
    #[must_use]
    pub fn new(id: SensorId, account: AccountName, created: Timestamp) -> Self {
        Self {
            name: id.to_string(),
            id,
            account,
            authorized: true,
            role: Role::default(),
            meter: Meter::default(),
            part_of: None,
            silent_after: None,
            is_announced: true,
            sent_parts: SentParts::default(),
            created,
        }
    }
}

/// The optional parts of its register that a sensor's device has sent, if the register is a sum: a
/// bit for each. After a restart there is no sum before they have arrived again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SentParts(u16);

impl SentParts {
    /// None of them.
    pub(crate) const NONE: Self = Self(0);

    /// The part with this number.
    pub(crate) const fn of(number: usize) -> Self {
        Self(1 << (number % 16))
    }

    /// Whether it contains all of these parts.
    pub(crate) const fn has(self, parts: Self) -> bool {
        self.0 & parts.0 == parts.0
    }

    /// The parts of both.
    #[must_use]
    pub(crate) const fn and(self, parts: Self) -> Self {
        Self(self.0 | parts.0)
    }

    /// Whether it is empty.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// How long a sensor may be silent: whole minutes, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SilentAfter(NonZeroU32);

impl SilentAfter {
    /// This many minutes; `None` for zero.
    #[must_use]
    pub fn minutes(minutes: u32) -> Option<Self> {
        NonZeroU32::new(minutes).map(Self)
    }

    /// In minutes.
    #[must_use]
    pub const fn as_minutes(self) -> u32 {
        self.0.get()
    }
}

/// A span of time such as `10m` or `1h 30m`.
impl FromStr for SilentAfter {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let span: Option<SignedDuration> = text.parse().ok();
        let whole = span.filter(|span| span.subsec_nanos() == 0 && span.as_secs() % 60 == 0);
        let minutes = whole.and_then(|span| u32::try_from(span.as_mins()).ok());
        minutes.and_then(Self::minutes).ok_or(UnknownWord {
            expected: "whole minutes, at least one, such as 10m or 1h",
        })
    }
}

impl fmt::Display for SilentAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}m", self.0)
    }
}

/// The arrivals of a sensor's uploads, as far as the rules need them. Times of arrival count, not
/// those of the readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The arrival before `last`.
    previous: Option<Timestamp>,
    /// The last arrival: the first of the uploads that count as one arrival.
    last: Timestamp,
    /// The very last upload.
    last_upload: Timestamp,
}

impl Arrivals {
    /// The first upload of a sensor.
    #[must_use]
    pub const fn first(time: Timestamp) -> Self {
        Self {
            previous: None,
            last: time,
            last_upload: time,
        }
    }

    /// The arrivals from their stored parts: see [`Self::parts`].
    #[must_use]
    pub const fn from_parts(
        previous: Option<Timestamp>,
        last: Timestamp,
        last_upload: Timestamp,
    ) -> Self {
        Self {
            previous,
            last,
            last_upload,
        }
    }

    /// The parts to store: the arrival before the last, the last arrival, the very last upload.
    #[must_use]
    pub const fn parts(self) -> (Option<Timestamp>, Timestamp, Timestamp) {
        (self.previous, self.last, self.last_upload)
    }

    /// These arrivals and one more at `time`.
    ///
    /// Uploads within [`ONE_ARRIVAL_WITHIN`] of an arrival's first upload belong to that arrival.
    /// The limit counts from the first upload, not from the previous one: otherwise a sensor that
    /// uploads every five seconds would make one endless arrival.
    #[must_use]
    pub fn and(self, time: Timestamp) -> Self {
        if time <= self.last.saturating_add(ONE_ARRIVAL_WITHIN) {
            return Self {
                last_upload: self.last_upload.max(time),
                ..self
            };
        }
        Self {
            previous: Some(self.last),
            last: time,
            last_upload: time,
        }
    }

    /// These arrivals up to `time`; `None` if nothing is left.
    #[must_use]
    pub fn until(self, time: Timestamp) -> Option<Self> {
        if self.last > time {
            // Arrivals before the previous one are unknown, so it becomes the first.
            return self
                .previous
                .and_then(|previous| Self::first(previous).until(time));
        }
        Some(Self {
            // The uploads between `last` and `last_upload` are unknown: the last one allowed counts
            // at `time`.
            last_upload: self.last_upload.min(time),
            ..self
        })
    }

    /// The time of the last upload; `None` if it is more than a minute after `now`, because a clock
    /// was wrong then or is wrong now.
    #[must_use]
    pub fn last_upload(self, now: Timestamp) -> Option<Timestamp> {
        // An upload may arrive after the caller read the clock, and before it looked up the
        // arrivals.
        (self.last_upload <= now.saturating_add(AGREE_WITHIN)).then_some(self.last_upload)
    }

    /// The very last upload, independent of the current time.
    #[must_use]
    pub const fn newest(self) -> Timestamp {
        self.last_upload
    }

    /// The time between the last two arrivals, in milliseconds; `None` after a single one.
    #[must_use]
    pub fn spacing_ms(self) -> Option<i64> {
        let previous = self.previous?;
        Some(self.last.millis() - previous.millis())
    }

    /// Whether the sensor is active: the last upload came less than [`ACTIVE_WITHIN`] ago, and the
    /// last two arrivals, if there are two, were closer together than that.
    #[must_use]
    pub fn active(self, now: Timestamp) -> bool {
        let Some(last_upload) = self.last_upload(now) else {
            return false;
        };
        let recent = now < last_upload.saturating_add(ACTIVE_WITHIN);
        let steady = self
            .previous
            .is_none_or(|previous| self.last < previous.saturating_add(ACTIVE_WITHIN));
        recent && steady
    }

    /// Whether something was uploaded in the last two hours ([`RECENT_WITHIN`]).
    #[must_use]
    pub fn recent(self, now: Timestamp) -> bool {
        self.last_upload(now)
            .is_some_and(|last| now <= last.saturating_add(RECENT_WITHIN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + seconds * SECOND).unwrap()
    }

    fn arrivals(seconds: &[i64]) -> Arrivals {
        let mut times = seconds.iter().map(|&s| at(s));
        let first = Arrivals::first(times.next().unwrap());
        times.fold(first, Arrivals::and)
    }

    #[test]
    fn ids_have_limits() {
        assert!(SensorId::new("house").is_ok());
        assert!(SensorId::new("Wärmepumpe 2 / Keller").is_ok());
        assert!(SensorId::new(&"x".repeat(64)).is_ok());
        for text in [
            "",
            "a\nb",
            "a\u{0}b",
            "\u{85}",
            &"x".repeat(65),
            &"ä".repeat(33),
        ] {
            assert!(SensorId::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn silence_is_whole_minutes() {
        for (text, minutes) in [("10m", 10), ("1h 30m", 90), ("120s", 2)] {
            let found = text.parse::<SilentAfter>();
            assert_eq!(found.map(SilentAfter::as_minutes), Ok(minutes), "{text}");
        }
        for text in ["0m", "-5m", "90s", "10", "5m 1ns", "", "none"] {
            assert!(text.parse::<SilentAfter>().is_err(), "{text}");
        }
        assert_eq!(SilentAfter::minutes(90).unwrap().to_string(), "90m");
    }

    #[test]
    fn one_arrival_is_active_for_five_minutes() {
        let one = arrivals(&[0]);
        assert!(one.active(at(0)));
        assert!(one.active(at(299)));
        assert!(!one.active(at(300)));
    }

    #[test]
    fn the_last_two_arrivals_must_be_closer_than_five_minutes() {
        assert!(arrivals(&[0, 299]).active(at(300)));
        assert!(!arrivals(&[0, 300]).active(at(301)));
        assert!(arrivals(&[0, 1_000, 1_100]).active(at(1_101)));
    }

    #[test]
    fn a_pair_of_posts_is_one_arrival() {
        // The pair at 400 s must not count as a steady rhythm.
        assert!(!arrivals(&[0, 1, 400, 401]).active(at(402)));
        assert!(arrivals(&[0, 1, 200, 201]).active(at(202)));
    }

    #[test]
    fn a_fast_sensor_comes_back_after_an_outage() {
        let fast: Vec<i64> = (0..10).map(|n| 3_600 + 5 * n).collect();
        assert!(arrivals(&[&[0][..], &fast].concat()).active(at(3_650)));
    }

    #[test]
    fn an_arrival_long_after_now_counts_as_none() {
        let future = arrivals(&[100]);
        assert!(!future.active(at(39)));
        assert!(!future.recent(at(39)));
        assert_eq!(future.last_upload(at(39)), None);
        // A minute is the difference between two readings of the clock, or a step of a time server.
        assert!(future.active(at(40)) && future.recent(at(40)));
        assert_eq!(future.last_upload(at(40)), Some(at(100)));
    }

    #[test]
    fn arrivals_after_a_time_can_be_forgotten() {
        let three = arrivals(&[0, 100, 200, 205]);
        assert_eq!(three.until(at(205)), Some(three));
        assert_eq!(three.until(at(202)), Some(arrivals(&[100, 200, 202])));
        assert_eq!(three.until(at(199)), Some(arrivals(&[100])));
        assert_eq!(three.until(at(99)), None);
        assert_eq!(arrivals(&[100]).until(at(99)), None);
    }

    #[test]
    fn recent_means_two_hours() {
        assert!(arrivals(&[0]).recent(at(7_200)));
        assert!(!arrivals(&[0]).recent(at(7_201)));
    }
}
