//! A time as a file writes it.

use crate::domain::Timestamp;

/// A time as a file writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockLabel {
    /// It has an offset, or nothing says in which zone it is.
    Moment(Timestamp),
    /// The date and time that a clock in the file's zone shows, written as if it were UTC.
    Local(Timestamp),
    /// The same with a mark that it is summer time: in a repeated hour, its first pass.
    Summer(Timestamp),
    /// A day in the file's zone, without a time of day; likewise.
    Day(Timestamp),
}

impl ClockLabel {
    /// The written time, as if it were UTC.
    pub(crate) const fn written(self) -> Timestamp {
        match self {
            Self::Moment(time) | Self::Local(time) | Self::Summer(time) | Self::Day(time) => time,
        }
    }

    /// The label with a mark that it is summer time.
    pub(super) const fn of_summer(self) -> Self {
        match self {
            Self::Local(time) => Self::Summer(time),
            other => other,
        }
    }

    /// The label so much later.
    pub(crate) const fn plus(self, ms: i64) -> Self {
        match self {
            Self::Moment(time) => Self::Moment(time.saturating_add_millis(ms)),
            Self::Summer(time) => Self::Summer(time.saturating_add_millis(ms)),
            Self::Local(time) | Self::Day(time) => Self::Local(time.saturating_add_millis(ms)),
        }
    }

    /// The time that a clock in the file's zone shows.
    pub(super) const fn local(self) -> Option<Timestamp> {
        match self {
            Self::Moment(_) => None,
            Self::Local(time) | Self::Summer(time) | Self::Day(time) => Some(time),
        }
    }
}
