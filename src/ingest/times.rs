//! When an upload counts as arrived, and the one check of the times of its readings.

use std::sync::PoisonError;
use std::time::Duration;

use super::{Ingest, IngestError};
use crate::domain::clock::{AGREE_WITHIN, Moment};
use crate::domain::reading::{Upload, UploadedReading};
use crate::domain::time::Timestamp;

/// How far a reading's time may lie ahead of the clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// An upload none of whose times lies too far ahead of the server's clock.
#[derive(Debug)]
pub struct TimelyUpload {
    pub(super) upload: Upload,
    pub(super) arrival: Arrival,
}

/// What the clock says about an upload's arrival. It is read once per request: the times are checked by it and the upload is
/// filed under it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arrival {
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
    /// The time to file the upload under.
    const fn time(self) -> Result<Timestamp, IngestError> {
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

    /// The latest time that a reading may have. Any, while the clock is not set: the upload is refused for that.
    fn latest(self) -> Timestamp {
        self.time()
            .map_or(Timestamp::MAX, |now| now.saturating_add(AHEAD_AT_MOST))
    }

    /// The reading's time, if it lies too far ahead.
    pub(super) fn ahead(self, reading: &UploadedReading) -> Option<Timestamp> {
        reading.time.filter(|time| *time > self.latest())
    }
}

impl Ingest {
    /// Checks that no reading lies more than [`AHEAD_AT_MOST`] ahead of the clock.
    ///
    /// # Errors
    /// [`IngestError::AheadOfClock`] for the first that does.
    pub fn check_times(&self, upload: Upload, now: Moment) -> Result<TimelyUpload, IngestError> {
        let arrival = self.arrival(now);
        let mut readings = upload.readings().iter().enumerate();
        let ahead = readings.find_map(|(index, reading)| Some((index, arrival.ahead(reading)?)));
        match ahead {
            None => Ok(TimelyUpload { upload, arrival }),
            Some((index, time)) => Err(IngestError::AheadOfClock {
                index,
                time,
                now: arrival.time().unwrap_or(now.time),
            }),
        }
    }

    /// The time that counts at `now`, for uploads and what is read of them: a clock that was set back a little does not hide
    /// the uploads of a moment ago.
    #[must_use]
    pub fn counted_time(&self, now: Timestamp) -> Timestamp {
        self.check_clock(now).unwrap_or(now)
    }

    /// Checks that an upload would be stored now.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`].
    pub fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        self.arrival(now).time().map(drop)
    }

    pub(super) fn arrival(&self, now: Moment) -> Arrival {
        // A panic of another holder leaves nothing half done in it.
        let watch = self.clock_watch.lock();
        let is_back = watch.unwrap_or_else(PoisonError::into_inner).is_back(now);
        let now = now.time;
        match self.check_clock(now) {
            Ok(time) => Arrival::At(time),
            Err(newest_arrival) if is_back => Arrival::ClockIsBack {
                now,
                newest_arrival,
            },
            Err(newest_arrival) => Arrival::ClockNotSet {
                now,
                newest_arrival,
            },
        }
    }

    /// The time to file an upload under. The first upload after the clock is back drops the arrivals that lie ahead of it.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`], [`IngestError::Store`].
    pub(super) async fn file_under(&self, arrival: Arrival) -> Result<Timestamp, IngestError> {
        if let Arrival::ClockIsBack {
            now,
            newest_arrival,
        } = arrival
            // Another upload may have dropped them meanwhile.
            && self.check_clock(now).is_err()
        {
            log::warn!(
                "the clock ran ahead to {newest_arrival} and is back at {now}: uploads filed under later times no longer count \
                 as arrivals; their readings are kept"
            );
            self.store.forget_arrivals_after_durably(now).await?;
        }
        arrival.time()
    }

    /// `now`, or the newest arrival if the clock was set back by less than a minute since. The error is the newest arrival:
    /// the clock is further behind, so it is not set.
    fn check_clock(&self, now: Timestamp) -> Result<Timestamp, Timestamp> {
        match self.store.newest_arrival() {
            Some(newest) if now.saturating_add(AGREE_WITHIN) < newest => Err(newest),
            Some(newest) => Ok(now.max(newest)),
            None => Ok(now),
        }
    }
}
