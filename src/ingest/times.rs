//! When an upload arrives, and which times its readings may have.

use std::time::Duration;

use super::error::IngestError;
use crate::domain::{Timestamp, Upload, UploadedReading};

/// The most that a reading's time may be ahead of the clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// An upload whose times are not too far ahead of the server's clock.
#[derive(Debug)]
pub struct TimelyUpload {
    pub(super) upload: Upload,
    pub(super) arrival: Arrival,
}

/// The arrival of an upload, by the clock. It is read once per request: it bounds the times of the readings, and the upload is
/// stored under it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrival {
    /// By a clock that agrees with the arrivals stored.
    At(Timestamp),
    /// The clock ran ahead, as the newest arrival shows, and is right again now.
    ClockIsBack {
        now: Timestamp,
        newest_arrival: Timestamp,
    },
    /// No upload can be stored.
    ClockNotSet {
        now: Timestamp,
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

    /// The latest time that a reading may have. While the clock is not set it is any: the upload is refused for that later.
    fn latest(self) -> Timestamp {
        self.time()
            .map_or(Timestamp::MAX, |now| now.saturating_add(AHEAD_AT_MOST))
    }

    /// The reading's time, if it is too far ahead.
    pub(super) fn ahead(self, reading: &UploadedReading) -> Option<Timestamp> {
        reading.time.filter(|time| *time > self.latest())
    }
}
